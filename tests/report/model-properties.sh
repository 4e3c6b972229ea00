#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Properties of each model, on two programs of examples/ (six in the long form): model.py, and the same bytes for any number of decoder threads and
# any amount of memory.
#
#   TRACES="a.data b.data" tests/report/model-properties.sh    # only these traces
. "$(dirname "$0")/lib.sh"

# Prints the report $1 on $trace as JSON lines, or as one graph.
print()
{
	timeout -k 5 300 "$decode" "$@" "$trace" 2>"$dir/err" || {
		fail "$trace: $1: exit status $?"
		cat "$dir/err" >&2
	}
}

properties()
{
	trace=$1
	print model --format=jsonl --instances >"$dir/model"
	print waits --format=jsonl >"$dir/waits"
	print tasks --format=jsonl >"$dir/tasks"
	print model --format=jsonl --expand >"$dir/expanded"
	print model >"$dir/text"
	print graph --format=json --depth=0 --no-run-after --limit=100000000 >"$dir/graph"
	python3 "$report_tests/model.py" "$dir/model" "$dir/waits" "$dir/tasks" "$dir/expanded" "$dir/graph" ||
		fail "$trace: see above"
	for how in '--jobs=1 --memory=1M' '--jobs=2' '--jobs=3 --memory=100M'; do
		# shellcheck disable=SC2086 # options
		print model --format=jsonl --instances $how | cmp - "$dir/model" || fail "$trace: another model with $how"
		# shellcheck disable=SC2086 # options
		print model $how | cmp - "$dir/text" || fail "$trace: another text with $how"
	done
	echo "$trace: $(grep -c '"type":"task"' "$dir/model") tasks"
}

if [ -n "${TRACES:-}" ]; then
	for trace in $TRACES; do
		properties "$trace"
	done
	finish
fi
examples='convoy herd'
[ -z "${SYNTRACE_TEST_LONG:-}" ] || examples='convoy flow-control herd long-hold priority slow-consumer'
for example in $examples; do
	rm -rf "$dir/trace" "$dir/trace.old"
	SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" timeout -k 5 60 "$top_builddir/examples/$example" >/dev/null 2>&1 ||
		fail "$example: exit status $?"
	properties "$dir/trace"
done
finish
