#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# libsyntrace.so exports exactly the names of format/calls.def. On x86-64, names with a second
# address under an older version (OLD rows) carry versions, on other machines none does; OpenMP's
# locks do everywhere.
. "$(dirname "$0")/lib.sh"
lint_need_library

lint_calls CALL FAST HAND OMP ALIAS | sort -u >"$lint_work/rows"
lint_calls OLD | sort -u >"$lint_work/old"
$NM -D --defined-only "$lint_library" | awk '$2 != "A" { print $3 }' | sort -u >"$lint_work/symbols"
sed 's/@.*//' "$lint_work/symbols" | sort -u >"$lint_work/exports"

comm -23 "$lint_work/rows" "$lint_work/exports" | sed 's/$/: a row of calls.def that is not exported/' | lint_fail_lines
comm -13 "$lint_work/rows" "$lint_work/exports" | sed 's/$/: exported without a row in calls.def/' | lint_fail_lines
case $(uname -m) in
x86_64)
	grep @ "$lint_work/symbols" | grep -v '^omp_.*@@OMP_3.0$' | sed 's/@.*//' | sort -u | comm -23 - "$lint_work/old" |
		sed 's/$/: exported with a version, without an OLD row/' | lint_fail_lines
	while read -r name; do
		grep -q "^$name@@" "$lint_work/symbols" || lint_fail "$name: no default version"
		grep -q "^$name@[^@]" "$lint_work/symbols" || lint_fail "$name: no older version"
	done <"$lint_work/old"
	;;
*)
	grep @ "$lint_work/symbols" | grep -v '^omp_.*@@OMP_3.0$' | sed 's/$/: exported with a version/' | lint_fail_lines
	;;
esac
lint_end
