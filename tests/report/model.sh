#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode model, on the server of examples/: finds the task of a job, over two threads and a process; the
# sums over the model equal the sums over the trace.
. "$(dirname "$0")/lib.sh"

trace=$dir/pipeline.data
SYNTRACE_DIR=$trace LD_PRELOAD=$lib timeout 60 "$top_builddir/examples/pipeline" 200 >/dev/null || fail "pipeline: $?"
"$decode" model "$trace" >"$dir/text" || fail "model: exit status $?"
cat "$dir/text"
coverage_is_last "$dir/text" model
"$decode" model --format=jsonl --instances "$trace" >"$dir/model" || fail "model: exit status $?"
"$decode" waits --format=jsonl "$trace" >"$dir/waits"
"$decode" tasks --format=jsonl "$trace" >"$dir/tasks"
"$decode" model --format=jsonl --expand "$trace" >"$dir/expanded"
"$decode" graph --format=json --depth=0 --no-run-after --limit=1000000 "$trace" >"$dir/graph"
python3 "$report_tests/model.py" "$dir/model" "$dir/waits" "$dir/tasks" "$dir/expanded" "$dir/graph" || fail "see above"
"$decode" model --format=jsonl --instances --jobs=1 --memory=1M "$trace" | cmp - "$dir/model" ||
	fail "another model with one job and less memory"

# The report explains its signs, and the waits of a task are the waits of its parts and between its parts.
grep -q '^xN: ' "$dir/text" || fail "no legend"
[ "$(wc -l <"$dir/text")" -le 40 ] || fail "more than 40 lines"

# The overview tells of each task where its time goes, its threads and its parts.
tr -s '\n ' ' ' <"$dir/text" >"$dir/line"
for part in '1\. main x20[0-9]: mean .*, p50 .*; in main thread of pipeline .*, work \(2 threads\); received [0-9]+ bytes and sent' \
	'1\. .* time: of the mean, [0-9]+ % .* parts: a lock on mutex:queue\.mutex.* @work[ ,].*\[stream\] @answer'\
	'Threads, by time outside of recorded calls: .*work \(2 threads\)' \
	'xN: .* @NAME: a part'; do
	grep -qE "$part" "$dir/line" || fail "no '$part'"
done
grep -q 'producer' "$dir/text" && fail "the text says producer, not wake-up"
grep -qE 'NAME with F|NAME~1234|Shapes:' "$dir/text" && fail "the legend explains absent signs"

# A selected task, its depth and its occurrences.
"$decode" model --depth=1 "$trace" | unwrap | grep -qE '^1\. .* x(19[0-9]|20[0-2]): .* 3 threads' || fail "no task of 200 jobs, and of the ends of two workers, with 3 threads"
name=$(sed -n 's/^1\. \(.*\) x[0-9]*: .*/\1/p' "$dir/text")
"$decode" model --task="$name" --instances --limit=3 "$trace" >"$dir/report" || fail "--task: exit status $?"
[ "$(grep -c '^   [0-9]*\.[0-9]*\.[0-9]*  at ' "$dir/report")" -eq 3 ] || fail "--instances --limit=3"
"$decode" model --task="$name" --depth=0 "$trace" | unwrap | grep -q 'submit;pthread_cond_signal' && fail "--depth=0 shows parts"
"$decode" model --task="$name" --depth=9 "$trace" | unwrap | grep -q '\[stream\] @answer' || fail "no [stream] to the task of the other process"
"$decode" model --depth=9 "$trace" | tr -s '\n ' ' ' >"$dir/line"
grep -q ' @NAME: a part' "$dir/line" && grep -q ' Shapes: ' "$dir/line" || fail "no legend of the details"
grep -qE 'submit;pthread_mutex_lock on mutex:queue\.mutex' "$dir/line" || fail "the details do not name the lock"
grep -qE 'ran [^;]*;( waited: [^;]*;)? waited for work or answers: [^;@]*wake-up [0-9]' "$dir/line" || fail "waits for work stand beside other waits"
"$decode" model --least=1000000 "$trace" | grep -q '0\.0 % in 0 tasks' || fail "--least"

# The locks of an allocator belong to no task: all items do the same.
SYNTRACE_DIR=$dir/allocator.data LD_PRELOAD=$lib timeout 60 "$top_builddir/tests/report/allocator" || fail "allocator: $?"
"$decode" model --format=jsonl --instances "$dir/allocator.data" >"$dir/model"
grep -q '"type":"part".*je_malloc' "$dir/model" && fail "the allocator is a part: $(grep je_malloc "$dir/model")"
grep -q '"type":"joined".*je_malloc;pthread_mutex_lock' "$dir/model" || fail "the lock of the allocator is not joined"
grep -q '"type":"task","task":"process_item",.*"count":200,.*"shapes":1,' "$dir/model" || fail "items differ: $(cat "$dir/model")"

for wrong in --task=nothing --least=0 --least=x --depth=x --limit=0; do
	status 2 "$decode" model "$wrong" "$trace" 2>/dev/null
done
printf '%s = a job' "$name" >"$dir/names" # without a newline
"$decode" model --rename="$dir/names" "$trace" | grep -q '^1\. a job x' || fail "--rename"
status 2 "$decode" model --expand --instances "$trace" 2>/dev/null
"$decode" model --task="${name%?}" "$trace" 2>&1 | grep -qF "it has '$name'" || fail "--task suggests no name"
finish
