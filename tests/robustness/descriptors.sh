#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A program notices no effect of the wrappers around calls on file descriptors.
. "$(dirname "$0")/../lib.sh"

program=$top_builddir/tests/robustness/descriptors

timeout 60 "$program" >"$dir/plain" 2>&1 || fail "untraced: exit status $?"
timeout 120 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$program" >"$dir/traced" 2>&1 ||
	fail "traced: exit status $?"
diff -u "$dir/plain" "$dir/traced" || fail "the program saw a difference"
tail -n 1 "$dir/traced"
"$decode" stat "$dir/trace" >"$dir/stat" || fail "stat: exit status $?"
nr_lines=$(wc -l <"$dir/traced")
[ "$nr_lines" -ge 60 ] || fail "only $nr_lines lines to compare"
finish
