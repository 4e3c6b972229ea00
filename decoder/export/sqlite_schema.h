/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The database that export writes. doc/sqlite.md describes each column. */
#ifndef SYT_DECODER_SQLITE_SCHEMA_H
#define SYT_DECODER_SQLITE_SCHEMA_H

/* Increases if a column is removed or changes its meaning. An added column does not count. */
#define SYT_SQLITE_VERSION "1"

#define SYT_SQLITE_TABLES                                                                          \
	"CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;"                    \
	"CREATE TABLE hosts (host INTEGER PRIMARY KEY, name TEXT NOT NULL, boot_id TEXT NOT "      \
	"NULL, clock TEXT NOT NULL, placed TEXT NOT NULL, component INTEGER, early_ns INTEGER, "   \
	"late_ns INTEGER) STRICT;"                                                                 \
	"CREATE TABLE processes (process INTEGER PRIMARY KEY, p INTEGER NOT NULL, pid "            \
	"INTEGER NOT NULL, exe TEXT, arguments TEXT, events INTEGER NOT NULL, lost "               \
	"INTEGER NOT NULL, overwritten INTEGER NOT NULL, missing INTEGER NOT NULL, "               \
	"damaged INTEGER NOT NULL, host INTEGER NOT NULL REFERENCES hosts) STRICT;"                \
	"CREATE TABLE threads (thread INTEGER PRIMARY KEY, process INTEGER NOT NULL "              \
	"REFERENCES processes, t INTEGER NOT NULL, tid INTEGER NOT NULL, name TEXT) "              \
	"STRICT;"                                                                                  \
	"CREATE TABLE objects (object INTEGER PRIMARY KEY, id TEXT NOT NULL, kind TEXT "           \
	"NOT NULL, name TEXT, process INTEGER NOT NULL REFERENCES processes, peer "                \
	"INTEGER REFERENCES objects) STRICT;"                                                      \
	"CREATE TABLE frames (frame INTEGER PRIMARY KEY, caller INTEGER REFERENCES "               \
	"frames, function TEXT NOT NULL, module TEXT, offset INTEGER, file TEXT, line "            \
	"INTEGER, inlined INTEGER NOT NULL) STRICT;"                                               \
	"CREATE TABLE stacks (stack INTEGER PRIMARY KEY, frame INTEGER NOT NULL "                  \
	"REFERENCES frames, path TEXT NOT NULL) STRICT;"                                           \
	"CREATE TABLE events (event INTEGER PRIMARY KEY, id TEXT NOT NULL, thread "                \
	"INTEGER NOT NULL REFERENCES threads, begin_ns INTEGER NOT NULL, end_ns INTEGER "          \
	"NOT NULL, dur INTEGER NOT NULL, ts INTEGER NOT NULL, acquires INTEGER NOT NULL, "         \
	"call TEXT NOT NULL, object INTEGER REFERENCES objects, object2 INTEGER "                  \
	"REFERENCES objects, result INTEGER NOT NULL, errno INTEGER NOT NULL, bytes "              \
	"INTEGER, offset INTEGER, stack INTEGER REFERENCES stacks) STRICT;"                        \
	"CREATE TABLE labels (label INTEGER PRIMARY KEY, begins TEXT, ends TEXT) STRICT;"          \
	"CREATE TABLE tasks (task INTEGER PRIMARY KEY, id TEXT NOT NULL, thread INTEGER "          \
	"NOT NULL REFERENCES threads, after_event INTEGER NOT NULL REFERENCES events, "            \
	"before_event INTEGER NOT NULL REFERENCES events, ts INTEGER NOT NULL, dur "               \
	"INTEGER NOT NULL, cpu INTEGER, label INTEGER REFERENCES labels) STRICT;"                  \
	"CREATE TABLE edges (edge INTEGER PRIMARY KEY, from_id TEXT NOT NULL, to_id TEXT "         \
	"NOT NULL, from_event INTEGER REFERENCES events, to_event INTEGER REFERENCES "             \
	"events, kind TEXT NOT NULL, class TEXT NOT NULL, object INTEGER REFERENCES "              \
	"objects, bytes INTEGER, begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, "             \
	"ambiguous INTEGER NOT NULL, inferred_ends INTEGER NOT NULL, host_error_ns INTEGER) "      \
	"STRICT;"                                                                                  \
	"CREATE TABLE contention (contention INTEGER PRIMARY KEY, object INTEGER NOT "             \
	"NULL REFERENCES objects, kind TEXT NOT NULL, passed_on INTEGER NOT NULL, waiter "         \
	"TEXT, holder TEXT, culprit TEXT, through INTEGER REFERENCES objects, waits "              \
	"INTEGER NOT NULL, wait_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL, wait_event "         \
	"INTEGER REFERENCES events, culprit_event INTEGER REFERENCES events) STRICT;"              \
	"CREATE TABLE holdings (holding INTEGER PRIMARY KEY, object INTEGER NOT NULL "             \
	"REFERENCES objects, thread INTEGER NOT NULL REFERENCES threads, begin_ns "                \
	"INTEGER NOT NULL, end_ns INTEGER, dur INTEGER, shared INTEGER NOT NULL, "                 \
	"acquire_event INTEGER NOT NULL REFERENCES events, release_event INTEGER "                 \
	"REFERENCES events) STRICT;"                                                               \
	"CREATE TABLE requests (request INTEGER PRIMARY KEY, object INTEGER NOT NULL "             \
	"REFERENCES objects, thread INTEGER NOT NULL REFERENCES threads, client TEXT NOT "         \
	"NULL, begin_ns INTEGER NOT NULL, received_ns INTEGER NOT NULL, end_ns INTEGER, "          \
	"dur INTEGER, begins TEXT NOT NULL, ends TEXT NOT NULL, counted INTEGER NOT "              \
	"NULL, inner_request INTEGER NOT NULL, unsure INTEGER NOT NULL, inferred_ends "            \
	"INTEGER NOT NULL, pipelined INTEGER NOT NULL, "                                           \
	"bytes_received INTEGER NOT NULL, bytes_sent INTEGER NOT NULL, "                           \
	"begin_event INTEGER REFERENCES events, receive_event INTEGER NOT NULL "                   \
	"REFERENCES events, end_event INTEGER REFERENCES events, cluster INTEGER "                 \
	"REFERENCES request_cluster, behaviour INTEGER) STRICT;"                                   \
	"CREATE TABLE request_cluster (cluster INTEGER PRIMARY KEY, requests INTEGER NOT "         \
	"NULL, representative INTEGER NOT NULL REFERENCES requests) STRICT;"                       \
	"CREATE TABLE request_component (request INTEGER NOT NULL REFERENCES requests, "           \
	"component TEXT NOT NULL, ran INTEGER NOT NULL, cpu INTEGER, cpu_divided INTEGER, "        \
	"received INTEGER NOT NULL, sent INTEGER NOT NULL, file_calls INTEGER NOT NULL, "          \
	"file_bytes INTEGER NOT "                                                                  \
	"NULL, file INTEGER NOT NULL, lock INTEGER NOT NULL, queue INTEGER NOT NULL, other "       \
	"INTEGER NOT NULL) STRICT;"                                                                \
	"CREATE TABLE request_step (request INTEGER NOT NULL REFERENCES requests, step "           \
	"INTEGER NOT NULL, event INTEGER NOT NULL REFERENCES events, parent INTEGER "              \
	"REFERENCES events, depth INTEGER NOT NULL, symbol INTEGER NOT NULL REFERENCES "           \
	"request_symbol, begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, PRIMARY KEY "         \
	"(request, step)) STRICT, WITHOUT ROWID;"                                                  \
	"CREATE TABLE request_symbol (symbol INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;"     \
	"CREATE TABLE critical_path (segment INTEGER PRIMARY KEY, kind TEXT NOT NULL, "            \
	"thread INTEGER NOT NULL REFERENCES threads, begin_ns INTEGER NOT NULL, end_ns "           \
	"INTEGER NOT NULL, dur INTEGER NOT NULL, event INTEGER NOT NULL REFERENCES "               \
	"events, after_event INTEGER REFERENCES events, edge INTEGER REFERENCES edges, "           \
	"candidates INTEGER, choice INTEGER NOT NULL, inferred_ends INTEGER NOT NULL) "            \
	"STRICT;"

#define SYT_SQLITE_VIEWS                                                                           \
	"CREATE INDEX events_by_id ON events (id);"                                                \
	"CREATE INDEX events_by_object ON events (object);"                                        \
	"CREATE INDEX edges_by_source ON edges (from_event);"                                      \
	"CREATE INDEX edges_by_target ON edges (to_event);"                                        \
	"CREATE INDEX events_by_time ON events (ts);"                                              \
	"CREATE INDEX tasks_by_time ON tasks (ts);"                                                \
	"CREATE INDEX edges_by_time ON edges (end_ns);"                                            \
	"CREATE INDEX holdings_by_object ON holdings (object, begin_ns);"                          \
	"CREATE INDEX components_by_request ON request_component (request);"                       \
	"CREATE VIEW waits_by_object AS SELECT o.id AS object, o.name, p.exe, p.pid, "             \
	"count(*) AS waits, sum(e.dur) AS wait_ns, max(e.dur) AS max_ns FROM events e "            \
	"JOIN objects o USING (object) JOIN processes p ON p.process = o.process WHERE "           \
	"e.acquires AND e.dur > 0 GROUP BY e.object ORDER BY wait_ns DESC;"                        \
	"CREATE VIEW edges_with_stacks AS SELECT d.edge, d.kind, d.class, o.id AS "                \
	"object, d.bytes, d.begin_ns, d.end_ns, d.from_id, a.call AS from_call, s.path "           \
	"AS from_path, d.to_id, b.call AS to_call, t.path AS to_path, b.dur AS to_dur, "           \
	"d.ambiguous FROM edges d LEFT JOIN objects o USING (object) LEFT JOIN events a "          \
	"ON a.event = d.from_event LEFT JOIN stacks s ON s.stack = a.stack LEFT JOIN "             \
	"events b ON b.event = d.to_event LEFT JOIN stacks t ON t.stack = b.stack;"                \
	"CREATE VIEW slowest_calls AS SELECT e.id, e.call, e.dur, o.id AS object, p.exe, "         \
	"p.pid, h.tid, h.name AS thread_name, e.result, s.path FROM events e JOIN "                \
	"threads h USING (thread) JOIN processes p ON p.process = h.process LEFT JOIN "            \
	"objects o ON o.object = e.object LEFT JOIN stacks s USING (stack) WHERE e.dur > "         \
	"0 ORDER BY e.dur DESC;"                                                                   \
	"CREATE VIEW waits_by_stack AS SELECT e.call, s.path, count(*) AS waits, "                 \
	"sum(e.dur) AS wait_ns, max(e.dur) AS max_ns FROM events e LEFT JOIN stacks s "            \
	"USING (stack) WHERE e.acquires AND e.dur > 0 GROUP BY e.call, s.path ORDER BY "           \
	"wait_ns DESC;"

#endif
