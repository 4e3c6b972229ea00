#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode blocked and the first section of diagnose: programs that hang in one known way each, and healthy programs that
# wait for work. The traces end when the programs are killed.
. "$(dirname "$0")/../lib.sh"

# record NAME: runs it until all its threads wait, and kills it and its children.
record()
{
	rm -rf "$dir/trace"
	mkfifo "$dir/fifo"
	setsid "$top_builddir/syntrace" record -q -o "$dir/trace" -- "$top_builddir/tests/report/hangs" "$1" >"$dir/fifo" &
	pid=$!
	read -r line <"$dir/fifo" || fail "$1: not ready"
	sleep 0.3
	kill -TERM "$pid" # the launcher passes it on
	wait $pid 2>/dev/null
	kill -KILL "-$pid" 2>/dev/null
	rm "$dir/fifo"
	timeout -k 5 60 "$decode" blocked "$dir/trace" >"$dir/blocked"
	blocked_status=$?
	timeout -k 5 60 "$decode" diagnose "$dir/trace" >"$dir/diagnosis"
	unwrap <"$dir/blocked" >"$dir/said"
}

# hang NAME PATTERN...: the program hangs, and the first lines of diagnose say where and why.
hang()
{
	name=$1
	shift
	record "$name"
	[ $blocked_status = 1 ] || fail "$name: exit status $blocked_status and not 1"
	unwrap <"$dir/diagnosis" | head -n 10 >"$dir/first"
	grep -q '^Blocked at the end' "$dir/first" || fail "$name: diagnose does not begin with it: $(cat "$dir/diagnosis")"
	for pattern; do
		grep -qE -- "$pattern" "$dir/said" || fail "$name: no '$pattern' in $(cat "$dir/said")"
		grep -qE -- "$pattern" "$dir/first" || fail "$name: no '$pattern' in the first ten lines of diagnose: $(cat "$dir/first")"
	done
	grep -qE 'No wait stands out' "$dir/diagnosis" && fail "$name: waits finds nothing: $(cat "$dir/diagnosis")"
	grep -qE 'No deadlock' "$dir/diagnosis" && fail "$name: another section says that there is no deadlock"
}

healthy()
{
	record "$1"
	[ $blocked_status = 0 ] || fail "$1: exit status $blocked_status and not 0: $(cat "$dir/blocked")"
	grep -q '^No thread was stuck' "$dir/blocked" || fail "$1: $(cat "$dir/blocked")"
	grep -q '^Blocked at the end' "$dir/diagnosis" && fail "$1: diagnose reports a hang: $(cat "$dir/diagnosis")"
}

hang cycle '^1\. Hang: 2 threads wait for each other \(deadlock\); 1 more thread waits for them' 'pthread_mutex_lock in take_ab .*holds it, taken in pthread_mutex_lock in take_ba'
hang itself '^1\. Hang: a thread waits for itself \(deadlock\)' 'in pthread_mutex_lock in itself .*the same thread holds it already, taken in pthread_mutex_lock in itself'
hang ended '^1\. Hang: hangs \(main thread\) cannot go on' 'pthread_mutex_lock in ended .* ended without releasing it, taken in pthread_mutex_lock in leave_locked'
hang forked '^1\. Hang: ' 'pthread_mutex_lock in forked .* of the parent process held it during the fork, taken in pthread_mutex_lock in hold_long'
hang pipes '^1\. Hang: 2 threads wait for each other' 'for pipe:.* in write in pipes .*: it is full, and no thread ever read it'
hang lost '^1\. Hang: .*; 1 thread waits for it' 'pthread_cond_wait in wait_late .*: all threads that could have signalled it are blocked, too; the last signal came .* before this wait, from hangs \(main thread\) in pthread_cond_signal in lost'
hang joins '^1\. Hang: 2 threads wait for each other' 'pthread_join in join_main .* \(main thread\) has not ended'
hang barriers '^1\. Hang: ' 'pthread_barrier_wait in arrive .*: 2 of 3 threads arrived'
hang token '^1\. Hang: .*; 1 thread waits for it' 'sem_wait in take_token .*: all threads that could have posted it are blocked, too; the last post came'
hang nested '^1\. Hang: 2 threads cannot go on; 1 thread waits for them' 'sem_wait in take_two .*the waiting thread itself took 1 token that it has not posted'
hang reply '^1\. Hang: .*; 2 threads wait for it' 'read in ask .*: no thread ever wrote to it' 'pthread_mutex_lock in answer_locked .* holds it, taken in pthread_mutex_lock in ask'
hang inherited '^1\. Hang: ' 'pid [0-9]+, holds the writing end open since fork in inherited .*, and never wrote to it; the last write came'
hang starved '^1\. Hang: 3 threads cannot go on' 'All 2 threads of the pool created in pthread_create in start_pool .* no thread is left to run these tasks'
healthy pool
healthy idle
healthy child

# the workers waited when the process exited: they had released the mutex, and nothing can still end their calls
timeout -k 5 60 "$top_builddir/syntrace" record -q -o "$dir/leave" -- "$top_builddir/tests/report/hangs" leave
"$decode" blocked "$dir/leave" | grep -q '^2 calls had not returned when the process ended\.$' ||
	fail "leave: $("$decode" blocked "$dir/leave")"
"$decode" contention "$dir/leave" | unwrap >"$dir/said"
grep -qE 'no recorded release|holder is unknown' "$dir/said" && fail "leave: the last wait released no mutex: $(cat "$dir/said")"
grep -q 'Threads acquired 1 lock' "$dir/said" || fail "leave: $(cat "$dir/said")"

# The page begins with the blocked threads, each with its call path, and does not say that nothing stands out.
record cycle
timeout -k 5 60 "$decode" report -o "$dir/page.html" "$dir/trace" >"$dir/out" || fail "report: exit status $?"
sed -n '/<div class="finding/,/<h2>The trace/p' "$dir/page.html" >"$dir/summary"
head -n 6 "$dir/summary" >"$dir/first"
for pattern in 'Blocked at the end' 'Hang: 2 threads wait for each other \(deadlock\); 1 more thread waits for them' \
	'has waited .* for mutex:b in pthread_mutex_lock in take_ab .*holds it, taken in pthread_mutex_lock in take_ba' \
	'has waited .* for mutex:a in pthread_mutex_lock in take_ba .*holds it, taken in pthread_mutex_lock in take_ab' \
	'\(main thread\) has waited .* in pthread_join in finish '; do
	grep -qE -- "$pattern" "$dir/first" || fail "page: no '$pattern' in $(cat "$dir/first")"
done
grep -q 'Nothing stands out' "$dir/summary" && fail "the page of a hang says that nothing stands out"

# JSON: one line for each call, with the same facts
record lost
"$decode" blocked --format=jsonl "$dir/trace" >"$dir/lines"
grep -q '"type":"hang","state":"stuck","cycle":false,"core":1,"threads":\["0.1","0.0"\]' "$dir/lines" || fail "hang: $(cat "$dir/lines")"
grep -q '"type":"blocked","thread":"0.1".*"call":"pthread_cond_wait".*"state":"stuck","reason":"signal"' "$dir/lines" || fail "call: $(cat "$dir/lines")"

# The launcher stores the end of a program that was killed: the call has waited until then.
record itself
"$decode" blocked --format=jsonl "$dir/trace" | sed -n 's/.*"type":"blocked","thread":"0.0".*"wait_ns":\([0-9]*\).*/\1/p' >"$dir/waited"
[ "$(cat "$dir/waited")" -ge 200000000 ] || fail "the call waited $(cat "$dir/waited") ns until the program was killed"

# Without the launcher, the end of a killed program is unknown.
mkfifo "$dir/fifo"
env SYNTRACE_DIR="$dir/plain" LD_PRELOAD="$lib" "$top_builddir/tests/report/hangs" itself >"$dir/fifo" &
pid=$!
read -r line <"$dir/fifo"
sleep 0.3
kill -KILL $pid
wait $pid 2>/dev/null
"$decode" blocked "$dir/plain" | unwrap >"$dir/said"
grep -q 'has waited (the trace does not show how long) for mutex:.*the same thread holds it already' "$dir/said" || fail "plain: $(cat "$dir/said")"
finish
