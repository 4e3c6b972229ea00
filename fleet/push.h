/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Uploads the spool of an agent to a web server, and fetches the policy (doc/fleet.md, "Upload"). A window stays in the spool
 * until its id is in the list of loaded windows of the host. Reads no trace.
 */
#ifndef SYT_FLEET_PUSH_H
#define SYT_FLEET_PUSH_H

#include <stdbool.h>

struct syt_push_options {
	const char *spool, *host;
	const char *to;                            /* URL of the uploads: TO/HOST/ID.jsonl.gz */
	const char *loaded, *policy;               /* URLs; NULL: TO/../loaded, TO/../policy */
	const char *certificate, *key, *authority; /* files in PEM, or NULL */
	const char *token;                         /* file, or NULL */
	double every_s;
	bool is_once;
};

/* Makes one round, or a round every few seconds until the program is killed. Returns 0, or -1 after a message. */
int syt_push(const struct syt_push_options *o);

#endif
