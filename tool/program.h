/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the parts of a program that cannot be recorded, without running the program. Reads the executable (for a
 * script, its interpreter) and the libraries that the dynamic loader would map. */
#ifndef SYT_TOOL_PROGRAM_H
#define SYT_TOOL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* The part of the program that cannot be recorded because of a finding. */
enum syt_blindness {
	SYT_BLINDNESS_NOTE, /* everything is recorded */
	SYT_BLINDNESS_PART,
	SYT_BLINDNESS_ALL,
};

struct syt_program_finding {
	const char *name; /* stable name in JSON output, for example "static" */
	enum syt_blindness blindness;
	char *text; /* description of the finding for users */
};

#define SYT_NR_FINDINGS 64u

struct syt_program {
	char *path;      /* the executable that would run in the end */
	char *error;     /* error message if the program cannot be read, or NULL */
	bool is_missing; /* true if the program's file does not exist */
	int refusal;     /* errno of execve() that the file type or mode causes, or 0 */
	char *preload;   /* sanitizer runtimes that must be loaded first, "a:b:", or NULL */
	/* number of intercepted functions that the executable itself imports */
	uint32_t nr_imports;
	uint32_t nr_libraries;       /* number of libraries that were examined */
	uint32_t nr_library_imports; /* number of intercepted functions that the libraries import */
	unsigned nr_findings;
	struct syt_program_finding findings[SYT_NR_FINDINGS];
};

/* Searches NAME as execvp() does, and examines the file. Never returns NULL. syt_program_destroy() frees the
 * result. */
struct syt_program *syt_program_create(const char *name);
void syt_program_destroy(struct syt_program *p);

/* Adds a finding with the text of FORMAT. Drops the finding if P has SYT_NR_FINDINGS. */
void syt_finding_add(struct syt_program *p, const char *name, enum syt_blindness blindness,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Returns how much of the program P cannot be recorded: the worst value among its findings. */
enum syt_blindness syt_program_blindness(const struct syt_program *p);

#endif
