/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Handles programs that forbid themselves system calls or the clock. In seccomp's strict mode, most system
 * calls kill the program, and so does reading the time. With a seccomp filter, the filter decides about
 * each system call. After PR_SET_TSC, rdtsc and the vDSO's clock_gettime raise SIGSEGV. So, before the
 * restriction applies, the recorder maps and backs the memory that it will need, and switches its own use
 * of forbidden operations off (runtime/sys.h, runtime/clock.h). Events that do not fit into the prepared
 * memory are dropped and counted.
 *
 * The kernel's restrictions belong to a thread and its children; the recorder applies them to the whole
 * process.
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

/* The recorder's state that syt_confine_begin saves and syt_confine_end restores. */
struct syt_confinement {
	enum syt_confine how;
	bool was_clock_stopped, is_narrow;
	uint64_t denied[SYT_NR_SYSCALLS / 64]; /* the system calls that were denied before */
};

/* Prepares the recorder for a restriction; call it before the real prctl or seccomp. PROGRAM: the filter's
 * struct sock_fprog, at any address. */
void syt_confine_begin(struct syt_confinement *c, enum syt_confine how, const void *program);

/* Call it after the real prctl or seccomp. If the call failed, undoes syt_confine_begin, else notes the
 * restriction. */
void syt_confine_end(const struct syt_confinement *c, bool is_in_force);

/* Returns true if the recorder's start needs a forbidden operation, so that a new process image (exec) must
 * not start the recorder. */
bool syt_confine_is_narrow(void);

#endif
