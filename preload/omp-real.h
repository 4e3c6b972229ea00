/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the real functions of OpenMP runtimes. libc has one copy of each function. But a process may hold no
 * OpenMP runtime, one, or several private copies that plug-ins bring along, as Python wheels do. Without the
 * recorder, the dynamic linker finds the copy in the scope of each library. The wrappers precede all copies, so
 * they must find the caller's copy. */
#ifndef SYT_PRELOAD_OMP_REAL_H
#define SYT_PRELOAD_OMP_REAL_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/wrap.h"

/* clang-format off */
enum syt_omp {
#define HAND(name_, shape_, kind_)
#define OMP(name_, shape_, kind_) SYT_OMP_##name_,
#include "format/calls.def"
	SYT_NR_OMP
};
/* clang-format on */

/* Returns the function for a caller with this return address. If no loaded object defines the function,
 * returns a replacement that behaves like a team of one; a caller without a runtime has only tested whether
 * the function exists. Any thread, but not in signal handlers: the first call from each library takes
 * ld.so's lock. Allocates no memory unless there are several copies. */
void *syt_omp_real(enum syt_omp name, const void *caller);

/* Forgets the cached functions. Called after a library was unloaded. */
void syt_omp_forget(void);

/* The caller's real OpenMP function, for use in a wrapper. */
#define SYT_OMP_REAL(name_)                                                                        \
	((__typeof__(name_) *)syt_omp_real(SYT_OMP_##name_, __builtin_return_address(0)))

/* Begin a wrapper: declare the real function REAL_ and the frame F_, which ENTER_ enters. If the call
 * need not be recorded, they forward it and return. */
#define SYT_OMP_ENTER_OR_FORWARD(enter_, f_, real_, name_, args_)                                  \
	__typeof__(name_) *real_ = SYT_OMP_REAL(name_);                                            \
	struct syt_frame f_;                                                                       \
	if (!enter_(&f_, name_)) {                                                                 \
		return real_ args_;                                                                \
	}
#define SYT_OMP_ENTER_OR_FORWARD_VOID(enter_, f_, real_, name_, args_)                             \
	__typeof__(name_) *real_ = SYT_OMP_REAL(name_);                                            \
	struct syt_frame f_;                                                                       \
	if (!enter_(&f_, name_)) {                                                                 \
		return (void)real_ args_;                                                          \
	}

#endif
