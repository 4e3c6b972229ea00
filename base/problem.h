/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The damage found in one dump: its place, its kind, and the data kept. Memory is limited; the number is complete.
 */
#ifndef SYT_BASE_PROBLEM_H
#define SYT_BASE_PROBLEM_H

#include <pthread.h>
#include <stdint.h>

#define SYT_PROBLEMS_KEPT 64u /* per dump; all other problems are only counted */

struct syt_problems {
	pthread_mutex_t lock;
	uint64_t nr; /* number of all problems, kept or not */
	uint32_t nr_kept;
	struct syt_problem {
		uint64_t byte; /* position in the dump */
		char *text;
	} kept[SYT_PROBLEMS_KEPT];
};

void syt_problems_init(struct syt_problems *p);
void syt_problems_fini(struct syt_problems *p);

/* Adds a problem. FORMAT completes "FILE: ", for example "thread 3, block 17, byte 0x40: ...". If there are too
 * many, the problems at the lowest BYTE are kept, in whatever order they are found. Any thread. */
void syt_problem(struct syt_problems *p, uint64_t byte, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Prints the first LIMIT problems by position, and the number of the others, to standard error. */
void syt_problems_print(struct syt_problems *p, const char *file, unsigned limit);

#endif
