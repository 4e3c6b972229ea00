#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode model, on PacificA, the second experiment of the Scalpel paper (doc/models.md): the tasks of figure 1,
# and the way from the commit to the wait of the flow control.
. "$(dirname "$0")/lib.sh"

# record NAME ARGUMENT...: traces the example, and mines its model
record()
{
	trace=$dir/$1.data
	shift
	rm -rf "$trace"
	SYNTRACE_DIR=$trace LD_PRELOAD=$lib timeout 60 "$top_builddir/examples/replicas" "$@" || fail "replicas $*: exit status $?"
	"$decode" model --format=jsonl --instances "$trace" >"$dir/model" || fail "replicas $*: model: exit status $?"
	"$decode" tasks --format=jsonl "$trace" >"$dir/tasks" || fail "replicas $*: tasks: exit status $?"
}

# shows COMMITS [WAITS]
shows()
{
	python3 "$report_tests/model-replicas.py" "$dir/model" "$dir/tasks" "$@"
}

record create healthy 15
shows 15 || fail "15 commits: see above"
# so many commits are in flight that the workers mostly find work in their queue
record many healthy 1000 64
shows 1000 || fail "1000 commits: see above"
# The rules of a baseline find the same tasks, although the replicas have equal parts.
sed -n 's/^{"v":1,"type":"task","task":"\([^"]*\)".*/\1/p' "$dir/model" | sort >"$dir/names.model"
"$decode" baseline "$trace" 2>/dev/null | awk -F '\t' '$1 == "task" { print $3 }' | sort >"$dir/names.baseline"
diff "$dir/names.model" "$dir/names.baseline" || fail "the baseline has other tasks than the model"

# The flow control: by chance, senders find the full buffer in more or fewer of the commits.
for try in 1 2 3; do
	record sick sick 200 10
	"$decode" waits --format=jsonl --limit=1000 "$trace" >"$dir/waits" || fail "waits: exit status $?"
	shows 200 "$dir/waits" && break
	[ $try -lt 3 ] || fail "the waits of the flow control: see above"
done
"$decode" model "$trace" | tee "$dir/text" | tr -s '\n ' ' ' | grep -qE ' 1\. Commit.* time: .*[0-9]+ % in usleep( \([0-9]+ %)? of SendPacket in RpcAsyncCallChain.* parts: ' ||
	fail "the first task does not name the sleep in SendPacket: $(cat "$dir/text")"
"$decode" waits "$trace" >"$dir/report"
unwrap <"$dir/report" | grep -E '^[0-9]+\. .* for time to pass, .* in usleep in SendPacket ' ||
	fail "the verb waits does not name the sleep in SendPacket"
finish
