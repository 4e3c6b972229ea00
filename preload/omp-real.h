/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The real functions of OpenMP runtimes.  libc has one of each function; of OpenMP runtimes a
 * process may hold none, one, or several private copies that plug-ins brought along (Python wheels
 * do).  Without us the dynamic linker finds for each library the one in its scope; we stand before
 * all of them, so the caller's has to be found again.
 */
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

/*
 * The function that a caller with this return address means; when no loaded object has it (a caller
 * that had only looked whether it exists), one that does what a team of one would.  Any thread, not in signal handlers: the first
 * call from each library takes ld.so's lock.  Allocates nothing, unless there are several copies.
 */
void *syt_omp_real(enum syt_omp name, const void *caller);

/* A library was unloaded: forget whose functions were whose. */
void syt_omp_forget(void);

/* In a wrapper: the real function. */
#define SYT_OMP_REAL(name_)                                                                        \
	((__typeof__(name_) *)syt_omp_real(SYT_OMP_##name_, __builtin_return_address(0)))

#endif
