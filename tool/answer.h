/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Answers what traced processes ask through the trace's shared file (struct syt_request), in a
 * thread of its own, and writes the answers into the trace's file `peers`.
 */
#ifndef SYT_TOOL_ANSWER_H
#define SYT_TOOL_ANSWER_H

struct syt_answerer;

/* Makes DIR's shared file and begins. NULL when that cannot be: then nobody is asked. */
struct syt_answerer *syt_answerer_start(const char *dir);

/* Returns the trace's id in hexadecimal, owned by the caller; NULL when A is NULL. */
char *syt_answerer_id(const struct syt_answerer *a);

/* Answers what was asked so far, and ends; removes the files where nothing was recorded. A may be
 * NULL. */
void syt_answerer_stop(struct syt_answerer *a);

#endif
