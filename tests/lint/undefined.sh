#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# What libsyntrace.so takes from libc: only the names in undefined.list, none of which may allocate,
# lock or be intercepted.  The real functions are not linked: preload/ resolves them at start-up.
. "$(dirname "$0")/lib.sh"
lint_need_library

$NM -D --undefined-only "$lint_library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u >"$lint_work/undefined"
sed 's/[[:space:]]*#.*//; /^$/d' "${LINT_LIST:-$lint_here/undefined.list}" | sort -u >"$lint_work/allowed"
lint_calls CALL HAND ALIAS OLD | sort -u >"$lint_work/rows"

comm -23 "$lint_work/undefined" "$lint_work/allowed" |
	sed 's/$/: used by libsyntrace.so, not in tests\/lint\/undefined.list/' | lint_fail_lines
comm -12 "$lint_work/undefined" "$lint_work/rows" |
	sed 's/$/: used by libsyntrace.so although it is intercepted/' | lint_fail_lines
lint_end
