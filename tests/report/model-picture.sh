#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode model --format=dot and --format=svg: a rectangle for each task and part, an arrow for each arc.
. "$(dirname "$0")/lib.sh"

# the name of the program is part of the labels, and needs escapes
program="$dir/a<b>&\"c\\d"
cp "$top_builddir/examples/pipeline" "$program"
trace=$dir/pipeline.data
SYNTRACE_DIR=$trace LD_PRELOAD=$lib timeout 60 "$program" 200 >/dev/null || fail "pipeline: $?"
"$decode" model --format=jsonl "$trace" >"$dir/model" || fail "model: exit status $?"
for depth in 0 1 9; do
	"$decode" model --format=svg --depth=$depth "$trace" >"$dir/svg" || fail "svg: exit status $?"
	"$decode" model --format=dot --depth=$depth "$trace" >"$dir/dot" || fail "dot: exit status $?"
	python3 "$report_tests/model-picture.py" $depth "$dir/model" "$dir/svg" "$dir/dot" ||
		fail "--depth=$depth: see above"
	if command -v dot >/dev/null; then
		dot -Tsvg -o "$dir/drawn" "$dir/dot" 2>"$dir/warnings" || fail "graphviz: exit status $?"
		[ ! -s "$dir/warnings" ] || fail "graphviz: $(cat "$dir/warnings")"
	fi
done
"$decode" model --format=svg "$trace" | grep -q 'class="start across inferred"' || fail "the hand-off is not marked as inferred"
finish
