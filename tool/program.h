/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds out how much of a program can be recorded, without running it. Reads the executable (for a script, its
 * interpreter) and the libraries that the dynamic loader would map. */
#ifndef SYT_TOOL_PROGRAM_H
#define SYT_TOOL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* How much of the program cannot be recorded because of a finding. */
enum syt_blindness {
	SYT_BLINDNESS_NOTE, /* everything is recorded; a note for the user */
	SYT_BLINDNESS_PART,
	SYT_BLINDNESS_ALL,
};

struct syt_program_finding {
	const char *name; /* word in JSON output, e.g. "static"; part of the interface */
	enum syt_blindness blindness;
	char *text; /* one line for users */
};

#define SYT_NR_FINDINGS 64u

struct syt_program {
	char *path;            /* the executable that would run in the end */
	char *error;           /* error message if it cannot be read, or NULL */
	bool is_missing;       /* the error is: no such file */
	int refusal;           /* errno of execve because of file type and mode, or 0 */
	char *preload;         /* sanitizer runtimes that must be loaded first, "a:b:", or NULL */
	uint32_t nr_imports;   /* intercepted functions that the executable itself imports */
	uint32_t nr_libraries; /* examined libraries */
	uint32_t nr_library_imports; /* intercepted functions that these libraries import */
	unsigned nr_findings;
	struct syt_program_finding findings[SYT_NR_FINDINGS];
};

/* Searches NAME as execvp does, and examines the file. Never returns NULL. Free the result with
 * syt_program_destroy(). */
struct syt_program *syt_program_create(const char *name);
void syt_program_destroy(struct syt_program *p);

/* Adds a finding with the text of FORMAT. Drops the finding if P has SYT_NR_FINDINGS. */
void syt_finding_add(struct syt_program *p, const char *name, enum syt_blindness blindness,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Returns the worst level of all findings. */
enum syt_blindness syt_program_blindness(const struct syt_program *p);

#endif
