/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE /* dlvsym */
#include "runtime/libc.h"

#include <dlfcn.h>

/* The oldest symbol version of glibc on this machine. */
#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#else
#define FIRST_VERSION "GLIBC_2.17"
#endif

void *syt_libc(const char *name)
{
	/* a sanitizer's replacement has no symbol version, so dlvsym ignores it */
	return dlvsym(RTLD_NEXT, name, FIRST_VERSION);
}
