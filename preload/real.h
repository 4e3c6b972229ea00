/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Declares the real functions. SYT_REAL(name) has the type that libc declares. Its call jumps to the next
 * definition of `name` after this library, in libc or in another preloaded library. For an OLD row,
 * SYT_REAL(name_old) is the older version.
 *
 * SYT_REAL works at any time. Before the constructor, the first call resolves all functions. Before ld.so
 * has relocated this library (in an ifunc resolver of the program), a call returns 0. A wrapper tests for
 * neither case. See preload/real-stub.S.
 */
#ifndef SYT_PRELOAD_REAL_H
#define SYT_PRELOAD_REAL_H

#include <link.h>
#include <stdbool.h>

#include "preload/libc.h"

/* clang-format off */
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) \
	extern __typeof__(name_) syt_real_##name_ __attribute__((visibility("hidden")));
#define HAND(name_, shape_, kind_) \
	extern __typeof__(name_) syt_real_##name_ __attribute__((visibility("hidden")));
#define OMP(name_, shape_, kind_)
#define OLD(name_, version_, default_) \
	extern __typeof__(name_) syt_real_##name_##_old __attribute__((visibility("hidden")));
#include "format/calls.def"
/* clang-format on */

/* Libc's own functions for the recorder's own use. A sanitizer's runtime replaces these functions, and a
 * replacement crashes before the runtime's start. */
extern __typeof__(dl_iterate_phdr) syt_real_own_dl_iterate_phdr
	__attribute__((visibility("hidden")));
extern __typeof__(dlerror) syt_real_own_dlerror __attribute__((visibility("hidden")));
extern __typeof__(on_exit) syt_real_own_on_exit __attribute__((visibility("hidden")));

#define SYT_REAL(name_) syt_real_##name_

/* Resolves all real functions. May be called repeatedly and in any thread; errno stays unchanged. SYT_REAL
 * of a function that libc lacks fails with ENOSYS. Signal handlers must not call syt_real_resolve: the
 * constructor calls it before the program can install a handler. */
void syt_real_resolve(void);

/* Lets the entries of locks and of calls that order no threads ask the sampler (IS_SAMPLED), or jump to the real functions
 * if such a call is not recorded. Call it after the real functions were resolved. */
void syt_real_sample(bool is_sampled);

#endif
