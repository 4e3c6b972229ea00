/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Loads the window files of a directory, IN/HOST/ID.jsonl.gz or .jsonl, into the store. The order of the steps makes
 * sure that no window is lost or counted twice: the window is committed, its id is written to LOADED/HOST, then the file
 * is removed. A file that is rejected moves to IN/.rejected/HOST/. Names that begin with a dot are ignored.
 */
#ifndef SYT_FLEET_LOAD_H
#define SYT_FLEET_LOAD_H

#include "fleet/store.h"

struct syt_fleet_loaded {
	uint64_t nr_loaded, nr_duplicates, nr_rejected;
};

/* Loads all files that are now in the directory IN. LOADED is the directory of the lists of loaded ids. Returns 0, or -1 after
 * a message. */
int syt_fleet_load(struct syt_fleet_store *s, const char *in, const char *loaded,
                   struct syt_fleet_loaded *nr);

#endif
