/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The whole fleet on one machine: runs the agent, loads its windows, answers a question after
 * each of them, and serves the page. */
#ifndef SYT_FLEET_TRY_H
#define SYT_FLEET_TRY_H

#include "base/out.h"

struct syt_try_options {
	const char *traces; /* as of syntrace agent */
	/* directory of the store, the spool, the uploads and the policy; created if necessary */
	const char *dir;
	double every_s; /* length of a slot; each slot has a window */
	const char *
		listen; /* of the page (fleet/serve.h); NULL: the usual address, or another port if it is in use */
	uint64_t nr_windows; /* ends when so many windows are loaded; 0: never */
};

/* Returns 0, or -1 after a message. */
int syt_fleet_try(const struct syt_try_options *o, struct syt_out *out);

#endif
