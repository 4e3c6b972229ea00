#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# libsyntrace.so takes from libc only the names in undefined.list. None of them may allocate, lock
# or be intercepted. The real functions are not linked: preload/ resolves them at start-up. A
# sanitizer's runtime must replace no name of the library and no name of the list.
. "$(dirname "$0")/lib.sh"
lint_need_library

$NM -D --undefined-only "$lint_library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u >"$lint_work/undefined"
sed 's/[[:space:]]*#.*//; /^$/d' "${LINT_LIST:-$lint_here/undefined.list}" | sort -u >"$lint_work/allowed"
lint_calls CALL HAND ALIAS OLD | sort -u >"$lint_work/rows"

comm -23 "$lint_work/undefined" "$lint_work/allowed" |
	sed 's/$/: used by libsyntrace.so, not in tests\/lint\/undefined.list/' | lint_fail_lines
comm -12 "$lint_work/undefined" "$lint_work/rows" |
	sed 's/$/: used by libsyntrace.so although it is intercepted/' | lint_fail_lines

# The runtimes of AddressSanitizer, MemorySanitizer and ThreadSanitizer replace these functions.  Before the runtime's
# start the recorder's call of a replacement crashes; later the runtime reports it as the program's.
replaced='(__)?(mem|str|stp|wcs|wmem|wcp|rawmem|b(cmp|copy|zero)|index|rindex|explicit_b)[a-z0-9_]*'
replaced="$replaced|(__)?(isoc99_)?[a-z]*(printf|scanf|puts|putc|getc)(_unlocked)?|f(open|read|write|close|flush)[0-9]*"
replaced="$replaced|[a-z_0-9]*_chk|[a-z_]*alloc|[a-z_]*free|[a-z_]*memalign|(__)?_?(sig)?(set|long)jmp|__sigsetjmp"
replaced="$replaced|(at|on|at_quick|__cxa_at)_?(exit|quick_exit)|__cxa_thread_atexit(_impl)?|__tls_get_addr"
replaced="$replaced|dl(open|mopen|close|addr1?|error|_iterate_phdr)|sig(action|nal|procmask|altstack)|pthread_sigmask"
sort -u "$lint_work/undefined" "$lint_work/allowed" | grep -xE "$replaced" |
	sed "s/\$/: replaced by the runtimes of sanitizers; see runtime\/string.c and runtime\/libc.h/" | lint_fail_lines
lint_end
