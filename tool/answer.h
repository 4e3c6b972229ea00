/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Answers questions of traced processes about their sockets. The questions come through the trace's shared file
 * (struct syt_request). A separate thread writes the answers into the trace's file `peers`. */
#ifndef SYT_TOOL_ANSWER_H
#define SYT_TOOL_ANSWER_H

struct syt_answerer;

/* Makes the shared file in DIR and starts the thread. Returns NULL on failure; the traced processes then ask no
 * questions. */
struct syt_answerer *syt_answerer_start(const char *dir);

/* Returns the id of the trace in hexadecimal, owned by the caller; NULL if A is NULL. */
char *syt_answerer_id(const struct syt_answerer *a);

/* Answers the open questions, ends the thread and frees A. Removes the files if nothing was recorded. A may be
 * NULL. */
void syt_answerer_stop(struct syt_answerer *a);

#endif
