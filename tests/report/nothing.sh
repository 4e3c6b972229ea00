#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A report that has no result says why, and prints no empty section.
. "$(dirname "$0")/lib.sh"

timeout -k 5 60 env SYNTRACE_DIR="$dir/convoy" LD_PRELOAD="$lib" "$top_builddir/examples/convoy" sick ||
	fail "convoy: exit status $?"

# A name without a lock is an error, in both formats: sums of other locks would answer another question.
for format in text jsonl; do
	status 2 "$decode" contention --format=$format --object=nope "$dir/convoy" >"$dir/out" 2>"$dir/err"
	[ -s "$dir/out" ] && fail "contention --object=nope, as $format, prints a report"
	grep -q "has the name 'nope': stat --objects" "$dir/err" || fail "contention --object=nope: $(cat "$dir/err")"
done
"$decode" contention --object='mutex:*' --least=100 "$dir/convoy" | grep -q '^No lock with this name stands out: ' ||
	fail "contention --object: whose waits are short"

# Edges that a selection leaves out; JSON has no line for them.
"$decode" edges --kind=stream "$dir/convoy" >"$dir/out" || fail "edges --kind=stream: exit status $?"
grep -qx 'No happens-before edge matches the options\. The trace has [0-9]* edges of these kinds: create (6), join (6), mutex ([0-9]*)\.' \
	"$dir/out" || fail "edges --kind=stream: $(cat "$dir/out")"
[ -z "$("$decode" edges --kind=stream --format=jsonl "$dir/convoy")" ] || fail "edges --kind=stream: JSON"

# Events and leaf tasks that a selection leaves out, and the number of all.
"$decode" events "$dir/convoy" >"$dir/out"
nr=$(grep -c '^[0-9]' "$dir/out")
for options in --pid=1 --thread=9.9 --call=nope --object=nope --to=+0 --from=9999999.0; do
	"$decode" events $options "$dir/convoy" | tr -s "\n " "  " >"$dir/out"
	grep -qE "^No event matches the options\. The trace has $nr events of 7 threads, from [0-9.]+ to [0-9.]+\." "$dir/out" ||
		fail "events $options: $(cat "$dir/out")"
	[ -z "$("$decode" events $options --format=jsonl "$dir/convoy")" ] || fail "events $options: JSON"
done
nr=$("$decode" tasks --format=jsonl "$dir/convoy" | grep -c '"task"')
for options in --pid=1 --label=nope --to=+0 '--from=9999999.0 --summary' '--label=nope --summary' '--pid=1 --summary'; do
	# shellcheck disable=SC2086
	"$decode" tasks $options "$dir/convoy" | tr -s "\n " "  " >"$dir/out"
	grep -qE "^No leaf task matches the options\. The trace has $nr leaf tasks of 7 threads, from [0-9.]+ to [0-9.]+\." "$dir/out" ||
		fail "tasks $options: $(cat "$dir/out")"
	# shellcheck disable=SC2086
	[ -z "$("$decode" tasks $options --format=jsonl "$dir/convoy")" ] || fail "tasks $options: JSON"
done

# A program whose calls all returned.
"$decode" blocked "$dir/convoy" | head -n 1 | grep -qx 'Every call had returned when the trace ended\.' ||
	fail "blocked: $("$decode" blocked "$dir/convoy" | head -n 1)"

# A program with one thread that only computes.
echo 'int main(void) { for (volatile int n = 0; n < 50000000; n++); return 0; }' >"$dir/computes.c"
${CC:-cc} -O1 -o "$dir/computes" "$dir/computes.c" || exit 99
timeout -k 5 60 env SYNTRACE_DIR="$dir/computes.data" LD_PRELOAD="$lib" "$dir/computes" || fail "computes: exit status $?"
"$decode" diagnose "$dir/computes.data" >"$dir/said" || fail "diagnose: exit status $?"
cat "$dir/said"
awk '/\(more: / { title = $0; next }
	title && !NF { print "empty section: " title; status = 1 }
	{ title = "" }
	END { exit status || title }' "$dir/said" || fail "diagnose has an empty section"
"$decode" critical-path "$dir/computes.data" | unwrap >"$dir/said"
grep -q ' between calls.* up to process_end of computes (main thread), without a recorded call;' "$dir/said" ||
	fail "critical-path does not say that the program only computes: $(cat "$dir/said")"
"$decode" edges "$dir/computes.data" | grep -qx 'The trace has no happens-before edges\.' || fail "edges of a single thread"

# Counts of different things never look like one number with a thousands separator.
for verb in contention waits lock-order critical-path diagnose; do
	"$decode" "$verb" "$dir/convoy" | grep -E '[0-9], [0-9]{3}' && fail "$verb: two numbers read as one"
done
finish
