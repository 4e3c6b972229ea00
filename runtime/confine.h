/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A program that takes system calls or the clock away from itself.  After seccomp's strict mode a
 * system call kills and so does reading the time; after a filter, what the filter says; after
 * PR_SET_TSC, rdtsc and the vDSO's clock_gettime raise SIGSEGV.  None of that may happen for our
 * sake.  So, before it comes into force: what the recorder will need is mapped and backed; what it
 * may not do any more is switched off where it is done (runtime/sys.h, runtime/clock.h).  What does
 * not fit into the room that was made is dropped and counted.
 *
 * Both are properties of a thread and its children; here they hold for the process from then on.
 */
#ifndef SYT_RUNTIME_CONFINE_H
#define SYT_RUNTIME_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sys.h"

enum syt_confine {
	SYT_CONFINE_CLOCK,  /* prctl(PR_SET_TSC, PR_TSC_SIGSEGV) */
	SYT_CONFINE_STRICT, /* SECCOMP_SET_MODE_STRICT */
	SYT_CONFINE_FILTER, /* SECCOMP_SET_MODE_FILTER */
};

/* From before the real call to after it. */
struct syt_confinement {
	enum syt_confine how;
	bool was_clock_stopped, is_narrow;
	uint64_t denied[SYT_NR_SYSCALLS / 64]; /* as it was */
};

/* Before the real call. PROGRAM, for a filter: the program's struct sock_fprog; may be any address.
 */
void syt_confine_begin(struct syt_confinement *c, enum syt_confine how, const void *program);

/* After it. When it failed nothing has changed; else the dump says what happened. */
void syt_confine_end(const struct syt_confinement *c, bool is_in_force);

/* True when something that the recorder does at its start is forbidden: a new image must not try.
 */
bool syt_confine_is_narrow(void);

#endif
