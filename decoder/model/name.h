/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The parts of the names of tasks: name.c finds the name of each task, unique.c makes equal names different. A call path is
 * "program: function;function;call".
 */
#ifndef SYT_DECODER_MODEL_NAME_H
#define SYT_DECODER_MODEL_NAME_H

#include "decoder/model/refine.h"

/* A function, a call or the program of a call path. */
struct syt_name_part {
	const char *text;
	size_t bytes;
};

/* Cuts the next function off *PATH, a path whose last part is the call. Returns false after the last function. */
bool syt_name_next(const char **path, struct syt_name_part *function);
/* Returns the call path TEXT without its program. */
const char *syt_name_path(const char *text);
/* Returns the functions on a label's call path, each followed by ';', and perhaps the call. IS_OWN: only those of the
 * program itself. */
const char *syt_name_functions(const struct syt_model_input *in, uint32_t label, bool is_own);
/* Returns the last part of a call path. */
const char *syt_name_call(const char *path);
/* Returns true if P is the text of BYTES at TEXT. */
bool syt_name_is(const struct syt_name_part *p, const char *text, size_t bytes);
/* Returns true if a part of a call path is a place without a symbol: "module+0x1234". */
bool syt_name_is_nameless(const struct syt_name_part *p);

/* The labels of all leaves of a task, from a walk through all tasks below it, each once. */
struct syt_name_leaves {
	uint32_t walk;                    /* number of the present walk, from 1 */
	uint32_t *seen_task, *seen_label; /* number of the last walk that saw it */
	size_t nr_tasks, room_tasks, nr_labels, room_labels;
	uint32_t *tasks, *labels;
};
void syt_name_leaves_open(struct syt_name_leaves *l, const struct syt_refine_names *n);
/* Finds the labels of all leaves of TASK. Unless IS_ALL, the leaves of functions with several callers are left out. */
void syt_name_leaves_find(struct syt_name_leaves *l, const struct syt_refine_names *n,
                          uint32_t task, bool is_all);
void syt_name_leaves_close(struct syt_name_leaves *l);

/* Makes the texts NAMES[task] unique. A task without a name has NULL. */
void syt_name_make_unique(const struct syt_refine_names *n, char **names);

#endif
