/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A web server for one store: a page, the answers of the verb query as JSON lines, and profiles for pprof. It only reads.
 * Each connection has a thread and opens the store for each request, so a slow query delays no other one.
 *
 *   GET /                     the page
 *   GET /query/QUESTION?...   the output of syntrace-fleet query --format=jsonl QUESTION; an option is a parameter
 *   GET /values/DIMENSION     the values of a dimension of windows, as JSON lines
 *   GET /pprof/wait?...       the waits, or the holdings of locks (hold), as a profile (fleet/profile.h)
 *   GET /buildid/BUILD/executable, debuginfo or source/PATH
 *                             a file of the symbol store, as from a server of debuginfod
 */
#ifndef SYT_FLEET_SERVE_H
#define SYT_FLEET_SERVE_H

#define SYT_SERVE_LISTEN "127.0.0.1:8600"

struct syt_server;

/* Serves the store PATH on LISTEN, ADDRESS:PORT; port 0: any free port. SYMBOLS is the directory of fleet/symbols.h, or NULL. JOURNAL
 * is that of the loader of a ClickHouse store, or NULL. The texts must outlive the server. Returns NULL after a message. */
struct syt_server *syt_server_open(const char *path, const char *symbols, const char *journal,
                                   const char *listen);
/* Returns the address of the page, for a browser. It belongs to the server. */
const char *syt_server_url(const struct syt_server *s);
/* Ends when all requests have their answers. */
void syt_server_close(struct syt_server *s);

/* Serves until SIGINT or SIGTERM. Prints the address of the page first. Returns 0, or -1 after a message. */
int syt_serve(const char *path, const char *symbols, const char *journal, const char *listen);

#endif
