/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Names the call paths and locks of a store by the files of fleet/symbols.h. Facts do not change: their keys do not depend on names.
 * What naming needs is in SQLite: in the store, or in a database of its own. */
#ifndef SYT_FLEET_NAMES_H
#define SYT_FLEET_NAMES_H

#include "fleet/store.h"

/* Creates the SQLite store PATH, which keeps what names the stacks and locks of another store, and opens it. Returns 0, or -1 after a
 * message; the caller closes the store in any case. */
int syt_names_open(struct syt_fleet_store *s, const char *path);

/* Names the stacks and locks that were loaded since the last call. Names stacks and locks again if a better file of one of their
 * builds has arrived. DIR is the directory of fleet/symbols.h. After a killed call, the next one continues. Returns 0, or -1 after a message. */
int syt_names_update(struct syt_fleet_store *s, const char *dir);

/* Asks the servers of debuginfod in URLS for the files of all builds that windows name and DIR lacks, for at most 60 s. After a server that
 * did not answer, the next 10 minutes ask none. Call it outside of a transaction. */
void syt_names_fetch(struct syt_fleet_store *s, const char *dir, const char *urls);

/* Keeps links in DIR to those files of this machine which windows name and which have the recorded build-ids. For a fleet of one
 * machine only: the paths come from windows. */
void syt_names_find(struct syt_fleet_store *s, const char *dir);

#endif
