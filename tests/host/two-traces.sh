#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Two traces of one host. The recorder numbers some objects in each trace from 1: locks in anonymous shared memory, open file
# descriptions, endpoints without a name of the kernel. An object of one trace is none of the other trace. Together, the two
# traces have the edges of each, and none between them.
. "$(dirname "$0")/../lib.sh"
need python3

# NAME TRACE...
edges()
{
	edges_name=$dir/$1
	shift
	"$decode" edges --format=jsonl "$@" >"$edges_name.edges" || fail "edges"
	"$decode" info --format=jsonl "$@" >"$edges_name.info" || fail "info"
}

# Both run at the same time.
for trace in one two; do
	SYNTRACE_DIR="$dir/$trace" LD_PRELOAD="$lib" "$top_builddir/tests/host/anonymous" 50 &
	remember
done
for child in $children; do
	wait "$child" || fail "exit status $?"
done
edges one "$dir/one"
edges two "$dir/two"
edges both "$dir/one" "$dir/two"
python3 "$top_srcdir/tests/host/two-traces.py" "$dir/one" "$dir/two" "$dir/both" || fail "the edges of both traces"
status 0 "$decode" check "$dir/one" "$dir/two" >"$dir/check.out"
finish
