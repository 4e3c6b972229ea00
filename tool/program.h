/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What a program's files say about how much of it can be recorded, without running it.  Reads the
 * executable (a script: its interpreter) and the libraries that the dynamic loader would map.
 */
#ifndef SYT_TOOL_PROGRAM_H
#define SYT_TOOL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* How much a finding hides. */
enum syt_blindness {
	SYT_BLINDNESS_NOTE, /* nothing; good to know */
	SYT_BLINDNESS_PART,
	SYT_BLINDNESS_ALL,
};

struct syt_program_finding {
	const char *name; /* a word of the JSON contract, e.g. "static" */
	enum syt_blindness blindness;
	char *text; /* for a person: one line */
};

#define SYT_NR_FINDINGS 64u

struct syt_program {
	char *path;            /* of the executable that would run in the end */
	char *error;           /* why it cannot be read, or NULL */
	bool is_missing;       /* error: there is no such file */
	int refusal;           /* errno of execve for a file of its kind and mode, or 0 */
	char *preload;         /* sanitizer runtimes that have to come first, "a:b:", or NULL */
	uint32_t nr_imports;   /* intercepted functions that the executable itself imports */
	uint32_t nr_libraries; /* libraries looked at */
	uint32_t nr_library_imports; /* and the different intercepted functions that they import */
	unsigned nr_findings;
	struct syt_program_finding findings[SYT_NR_FINDINGS];
};

/* Looks NAME up as execvp does and examines what it finds. Free with syt_program_destroy. */
struct syt_program *syt_program_create(const char *name);
void syt_program_destroy(struct syt_program *p);

/* One finding more; TEXT is taken over. */
void syt_finding_add(struct syt_program *p, const char *name, enum syt_blindness blindness,
                     char *text);

/* The worst of the findings. */
enum syt_blindness syt_program_blindness(const struct syt_program *p);

#endif
