#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Properties of libsyntrace.so as a guest in any process: it needs libc and its loader only, little
# static TLS, no text relocation, no lazy binding, no executable stack.
. "$(dirname "$0")/lib.sh"
lint_need_library
TLS_MAX=256

readelf -dW "$lint_library" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' |
	grep -vE '^(libc\.so\.6|ld-linux[a-z0-9-]*\.so\.[12])$' | sed 's/^/NEEDED: /' | lint_fail_lines
tls=$(readelf -lW "$lint_library" | awk '$1 == "TLS" { print $6 }')
[ $((${tls:-0})) -le $TLS_MAX ] || lint_fail "TLS segment of $((tls)) bytes, at most $TLS_MAX"
readelf -dW "$lint_library" | grep -E 'TEXTREL' | lint_fail_lines
readelf -dW "$lint_library" | grep -qE 'BIND_NOW|NOW' || lint_fail "not linked with -z now"
readelf -lW "$lint_library" | grep -q GNU_RELRO || lint_fail "no RELRO segment"
readelf -lW "$lint_library" | grep -E 'GNU_STACK.* RWE' | lint_fail_lines
readelf -rW "$lint_library" | grep -E 'TLSDESC|DTPMOD|R_AARCH64_TLS_DTP' |
	sed 's/^/not initial-exec TLS: /' | lint_fail_lines
lint_end
