/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The builds of the programs and libraries that ran, and the origin of runs. */
#ifndef SYT_DECODER_REPORT_COMPARE_BUILD_H
#define SYT_DECODER_REPORT_COMPARE_BUILD_H

#include <stdio.h>

#include "decoder/read/symbol.h"

struct syt_build {
	char *name; /* name of the program or library */
	char *id;   /* build-id in hexadecimal; "-": the file has none */
	char *names; /* the names of its functions: a word of syt_names_texts, and the option -O if it is known */
};

/* Builds, sorted by name and id. */
struct syt_builds {
	size_t nr, room;
	struct syt_build *all;
};

/* Where and when the first of several runs was recorded. Each text is "?" if it is unknown. */
struct syt_run_origin {
	char *recorded; /* begin of the recording in UTC */
	char *host, *recorder, *program;
};

extern const char *const syt_names_texts[SYT_NR_NAMES];

/* Adds a build to B, unless B contains it. */
void syt_builds_add(struct syt_builds *b, const char *name, const char *id, const char *names);
/* Adds the builds of the files that S looked up. S may be NULL. */
void syt_builds_add_files(struct syt_builds *b, struct syt_symbols *s);
void syt_builds_add_all(struct syt_builds *b, const struct syt_builds *from);
void syt_builds_close(struct syt_builds *b);

/* Returns true if A and B are known to be the same builds, with the same names of functions. */
bool syt_builds_are_same(const struct syt_builds *a, const struct syt_builds *b);
/* Returns true if A and B differ at most by files that only one of them contains, such as a further library. */
bool syt_builds_extend(const struct syt_builds *a, const struct syt_builds *b);
/* Returns the first build of the file NAME in B, or NULL. */
const struct syt_build *syt_builds_find(const struct syt_builds *b, const char *name);

struct syt_run_origin syt_run_origin_of(const struct syt_trace_data *t);
struct syt_run_origin syt_run_origin_copy(const struct syt_run_origin *from);
void syt_run_origin_close(struct syt_run_origin *o);

#endif
