#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Every verb needs a constant time per event, also for programs on which a search through earlier or later events finds nothing.
. "$(dirname "$0")/../lib.sh"

# NAME NUMBER SECONDS VERB...: records the program, and runs each verb with this limit of CPU time.
scales()
{
	name=$1 number=$2 seconds=$3
	shift 3
	rm -rf "$dir/trace"
	timeout -k 5 120 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$top_builddir/tests/report/scaling" "$name" "$number" ||
		fail "$name: the program failed"
	for verb; do
		(
			ulimit -t "$seconds"
			exec "$decode" "$verb" "$dir/trace"
		) >"$dir/said" 2>&1
		status=$?
		[ $status -le 1 ] || fail "$name: $verb: exit status $status: $(tail -n 3 "$dir/said")"
	done
}

scales release 30 10 diagnose
scales request 40000 5 diagnose
scales blocked 1000000 5 blocked
scales queue 80000 5 diagnose
finish
