/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What a seccomp filter does with one system call, whatever its arguments: the filter is a program
 * of classic BPF, which jumps forward only, so one pass over it tells all that can be reached.
 */
#ifndef SYT_RUNTIME_SECCOMP_H
#define SYT_RUNTIME_SECCOMP_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/filter.h>

/* True when PROGRAM lets system call NR of this architecture happen for all arguments and places.
 * False when it does not, and when that cannot be told. One caller at a time: the second is told
 * false. */
bool syt_seccomp_allows(const struct sock_filter *program, uint32_t nr_instructions, long nr);

#endif
