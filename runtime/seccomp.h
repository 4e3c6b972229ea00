/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Predicts the effect of a seccomp filter on one system call for all arguments. The filter is a program of
 * classic BPF, which jumps forward only, so one pass from first to last finds all reachable instructions. */
#ifndef SYT_RUNTIME_SECCOMP_H
#define SYT_RUNTIME_SECCOMP_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/filter.h>

/* Returns true if PROGRAM allows system call NR of this architecture for all arguments and call addresses.
 * Returns false if it does not or if that cannot be decided, or if another thread is in this function. */
bool syt_seccomp_allows(const struct sock_filter *program, uint32_t nr_instructions, long nr);

#endif
