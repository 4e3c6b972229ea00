#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A program of OpenMP regions, barriers, tasks and locks has the same result as untraced. The
# trace's edges order each pair of instants that OpenMP orders.
. "$(dirname "$0")/../lib.sh"
need python3

need_built tests/calls/omp-edges
status 0 "$top_builddir/tests/calls/omp-edges" >"$dir/out.untraced"
status 0 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$top_builddir/tests/calls/omp-edges" >"$dir/out"
for out in out out.untraced; do
	[ "$(grep -c ^before "$dir/$out")" -ge 1000 ] || fail "fewer than 1000 pairs"
	grep -v ^before "$dir/$out" >"$dir/$out.results"
done
cmp "$dir/out.results" "$dir/out.untraced.results" || fail "another result when traced"
verify trace --before "$dir/out" --edges team=100 --edges task=100 --edges barrier=330 --edges mutex=100
"$decode" stat "$dir/trace" | tr '\n' ' ' | grep -q 'wake-up or send before  *0 of ' || fail "acquires without a source"
finish
