#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Each row of format/calls.def is performed by a test: its name stands in tests/calls/,
# tests/stack/ or tests/robustness/.
# An ALIAS has its row's wrapper, which is tested.
. "$(dirname "$0")/lib.sh"
[ -d "$lint_root/tests/calls" ] || lint_skip "no tests/calls"

cat "$lint_root"/tests/calls/*.c "$lint_root"/tests/calls/*.sh "$lint_root"/tests/stack/*.c \
	"$lint_root"/tests/robustness/*.c 2>/dev/null |
	grep -oE '[A-Za-z_][A-Za-z_0-9]*' | sort -u >"$lint_work/named"
lint_calls CALL FAST HAND OMP | sort -u | comm -23 - "$lint_work/named" |
	sed 's/$/: a row of calls.def that no test performs/' | lint_fail_lines
lint_end
