/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Collects the problems found in one damaged dump: the position, the kind of damage, and the data that are still
 * usable. Only SYT_PROBLEMS_KEPT messages are stored, but all problems are counted. */
#ifndef SYT_BASE_PROBLEM_H
#define SYT_BASE_PROBLEM_H

#include <pthread.h>
#include <stdint.h>

#define SYT_PROBLEMS_KEPT 64u /* messages stored per dump; further problems are only counted */

struct syt_problems {
	pthread_mutex_t lock;
	uint64_t nr; /* number of all problems, with or without a stored message */
	uint32_t nr_kept;
	struct syt_problem {
		uint64_t byte; /* position of the problem in the dump */
		char *text;
	} kept[SYT_PROBLEMS_KEPT];
};

void syt_problems_init(struct syt_problems *p);
void syt_problems_fini(struct syt_problems *p);

/* Adds a problem of the dump to P. FORMAT is the text after "FILE: ", for example "thread 3, block 17, byte 0x40:
 * ...". If there are too many problems, the messages with the lowest BYTE are stored, so the result does not depend
 * on the order of the calls. Any thread may call this function. */
void syt_problem(struct syt_problems *p, uint64_t byte, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Prints the LIMIT problems with the lowest positions, and the number of the other problems, to standard error. */
void syt_problems_print(struct syt_problems *p, const char *file, unsigned limit);

#endif
