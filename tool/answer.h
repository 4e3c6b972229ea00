/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the peers of the unix sockets of traced processes. The processes post requests (struct syt_request) in the
 * shared file of the trace. A thread of this tool writes the pairs into the file `peers`. */
#ifndef SYT_TOOL_ANSWER_H
#define SYT_TOOL_ANSWER_H

struct syt_answerer;

/* Makes the shared file of the trace in DIR and starts the answering thread. Returns NULL on failure; then
 * traced processes post no requests. */
struct syt_answerer *syt_answerer_start(const char *dir);

/* Returns the id of the trace in hexadecimal, or NULL if A is NULL. The caller frees the text. */
char *syt_answerer_id(const struct syt_answerer *a);

/* Answers the posted requests, ends the thread and frees A. Removes the shared file and the file `peers` if
 * no process recorded anything. A may be NULL. */
void syt_answerer_stop(struct syt_answerer *a);

#endif
