#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# export --to window has the times of waits and contention, to the nanosecond; of a paused trace, the last recorded
# period, with the whole time of the waits that began in it.
. "$(dirname "$0")/lib.sh"
need gzip mkfifo

try()
{
	export_to window "$1.jsonl" "$1"
	"$decode" waits --format=jsonl "$1" >"$1.waits" 2>/dev/null || fail "waits: exit status $?"
	"$decode" contention --format=jsonl "$1" >"$1.contention" 2>/dev/null || fail "contention: exit status $?"
	python3 "$export_tests/window.py" "$1" || fail "$1: see above"
}

for_traces try

# The same bytes again, with any number of jobs, and compressed if the name ends in .gz.
sick=$dir/convoy.data
"$decode" export --to=window --jobs=2 "$sick" >"$dir/again" 2>/dev/null || fail "--jobs=2: exit status $?"
cmp -s "$sick.jsonl" "$dir/again" || fail "the output depends on the run"
"$decode" export -o "$dir/small.jsonl.gz" "$sick" >/dev/null 2>&1 || fail "-o FILE.jsonl.gz: exit status $?"
gzip -dc "$dir/small.jsonl.gz" | cmp -s - "$sick.jsonl" || fail "the compressed file differs"
"$decode" export --to=window --json-version=2 "$sick" 2>/dev/null | cmp -s - "$sick.jsonl" || fail "--json-version=2 changes the format"

# Options that are wrong.
for wrong in --p-host=0 --p-host=1.5 --p-time=nan --p-time=x --host= --no-stacks --from=+1s; do
	status 2 "$decode" export --to=window -o "$dir/wrong" "$wrong" "$sick" 2>/dev/null
done
status 2 "$decode" export --to=folded --service=cart "$sick" 2>/dev/null
[ ! -e "$dir/wrong" ] || fail "a file in spite of a wrong option"

# One window, then another one, whose last wait ends after it.
step()
{
	printf %s "$1" >&8
	read -r line <&9 || fail "the program has ended before $1"
}
mkfifo "$dir/in" "$dir/out" || exit 99
"$top_builddir/syntrace" record --paused -o "$dir/steps" -- "$top_builddir/tests/export/windows" <"$dir/in" >"$dir/out" 2>"$dir/said" &
recorder=$!
children="$children $recorder"
exec 8>"$dir/in" 9<"$dir/out"
step c
"$top_builddir/syntrace" resume "$dir/steps" 2>/dev/null || fail "resume"
step e
"$top_builddir/syntrace" pause "$dir/steps" 2>/dev/null || fail "pause"
step c
"$top_builddir/syntrace" resume "$dir/steps" 2>/dev/null || fail "resume"
step c
step s
sleep 0.1 # the call begins after the line
"$top_builddir/syntrace" pause "$dir/steps" 2>/dev/null || fail "pause"
step c
printf q >&8
exec 8>&- 9<&-
wait $recorder || fail "the program: exit status $?"
"$decode" export -o "$dir/steps.jsonl" --host=web-17 --service=cart --version=4.2 --p-host=0.25 --p-time=0.5 "$dir/steps" >/dev/null 2>&1 ||
	fail "a paused trace: exit status $?"
python3 "$export_tests/window.py" "$dir/steps.jsonl" paused || fail "a paused trace: see above"

# More call paths than a window may have facts: the smallest ones are summed.
{
	printf '#include <pthread.h>\n#include <unistd.h>\n'
	awk 'BEGIN { for (n = 0; n < 1100; n++) {
		printf "static pthread_mutex_t m%d = PTHREAD_MUTEX_INITIALIZER;\n", n
		printf "static void f%d(void) { pthread_mutex_lock(&m%d); usleep(1); pthread_mutex_unlock(&m%d); }\n", n, n, n }
		print "int main(void) {"
		for (n = 0; n < 1100; n++) printf "f%d();\n", n
		print "return 0; }" }'
} >"$dir/many.c"
${CC:-cc} -O0 -g1 -o "$dir/many" "$dir/many.c" -pthread || exit 99
record many "$dir/many"
"$decode" export -o "$dir/many.jsonl" "$dir/many.data" >/dev/null 2>&1 || fail "many paths: exit status $?"
"$decode" waits --format=jsonl "$dir/many.data" >"$dir/many.jsonl.waits" 2>/dev/null
python3 "$export_tests/window.py" "$dir/many.jsonl" other || fail "many paths: see above"
finish
