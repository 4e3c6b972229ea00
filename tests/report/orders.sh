#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# lock-order tells of each program of orders.c that can deadlock, and of no other one; so it finds all that
# ThreadSanitizer and Helgrind find, and none of their false alarms. The long form shows what these tools find, where they
# are installed; each program states its truth, with which the answer of lock-order is compared.
. "$(dirname "$0")/../lib.sh"

orders=$dir/orders
${CC:-cc} -O1 -g -pthread -o "$orders" "$top_srcdir/tests/report/orders.c" || fail "orders.c does not compile"
# A kernel may lay out memory in a way that an old ThreadSanitizer does not know.
tsan()
{
	TSAN_OPTIONS="detect_deadlocks=1 report_bugs=1 exitcode=0" timeout -k 5 120 setarch -R "$orders-tsan" "$@"
}

tools=
if [ -n "${SYNTRACE_TEST_LONG:-}" ] && ${CC:-cc} -O1 -g -fsanitize=thread -pthread -o "$orders-tsan" "$top_srcdir/tests/report/orders.c" 2>/dev/null &&
	tsan >/dev/null 2>&1; then
	tools="$tools tsan"
fi
if [ -n "${SYNTRACE_TEST_LONG:-}" ] && command -v valgrind >/dev/null; then
	tools="$tools helgrind"
	helgrind="valgrind --tool=helgrind"
fi

# PROGRAM TRUTH: traces it, and compares what is told with the truth; the answer is in $told.
ask_syntrace()
{
	timeout -k 5 120 env SYNTRACE_DIR="$dir/$1" LD_PRELOAD="$lib" "$orders" "$1" || fail "$1: exit status $?"
	check_trace "$dir/$1"
	timeout -k 5 60 "$decode" lock-order "$dir/$1" >"$dir/report" 2>&1
	case $? in
	0) told=no ;;
	1) told=yes ;;
	*) fail "$1: lock-order: $(cat "$dir/report")" ;;
	esac
	[ "$told" = "$2" ] || fail "$1 can deadlock: $2; told: $told: $(cat "$dir/report")"
}

# TOOL PROGRAM: what it says of it, in $told.
ask()
{
	case $1 in
	tsan) tsan "$2" ;;
	helgrind) timeout -k 5 120 $helgrind "$orders" "$2" ;;
	esac >"$dir/said" 2>&1
	told=no
	if grep -qE 'lock-order-inversion|lock order' "$dir/said"; then told=yes; fi
}

"$orders" >"$dir/programs"
[ "$(grep -c ' yes$' "$dir/programs")" -ge 10 ] && [ "$(grep -c ' no$' "$dir/programs")" -ge 10 ] || fail "too few programs"
for tool in syntrace $tools; do
	found=0 false_alarms=
	while read -r program truth; do
		if [ "$tool" = syntrace ]; then ask_syntrace "$program" "$truth"; else ask "$tool" "$program"; fi
		case $told$truth in
		yesyes) found=$((found + 1)) ;;
		yesno) false_alarms="$false_alarms $program" ;;
		esac
	done <"$dir/programs"
	echo "$tool: $found of $(grep -c ' yes$' "$dir/programs") found; false alarms:${false_alarms:- none}"
done

# What was used as a lock has holders and waits; a queue has none.
contention()
{
	timeout -k 5 60 "$decode" contention --format=jsonl "$dir/$1" >"$dir/json" || fail "$1: contention: exit status $?"
	cat "$dir/json"
}
contention sem-and-mutex
grep -q '"type":"lock".*"object":"sem:.*"holders":"known","inferred":true,"threads":2,.*"acquired":2,' "$dir/json" ||
	fail "the semaphore is no lock"
grep -q '"inferred_locks":1' "$dir/json" || fail "not one semaphore is a lock"
contention sem-queue
grep -q '"object":"sem:' "$dir/json" && fail "a queue's semaphore is a lock"
"$decode" lock-order "$dir/sems" | unwrap | grep -q 'they took sem:.* (used as a lock) and sem:.* (used as a lock) in both orders' ||
	fail "the semaphores are not told"

# Through another process, and through two threads: each step names its thread, its wait and its lock.
"$decode" lock-order "$dir/reply-pipe" >"$dir/report"
cat "$dir/report"
unwrap <"$dir/report" | grep -q '^1\. Lock-order inversion: 2 threads can deadlock, because one thread held mutex:' || fail "reply-pipe: no inversion"
for pattern in '(.*thread.*), tid [0-9]*, held mutex:' '^ *and waited in read$' \
	'^ *until .*thread.*, tid [0-9]*, ended this wait in write$' '^ *and before that took mutex:.* in$'; do
	grep -q "$pattern" "$dir/report" || fail "reply-pipe: no '$pattern'"
done
for function in get put touch; do
	[ "$(grep -c "^ *$function at " "$dir/report")" = 1 ] || fail "reply-pipe: not one stack of $function"
done
"$decode" lock-order "$dir/reply-passed" >"$dir/report"
grep -q '^1\. Lock-order inversion: 3 threads can deadlock, ' "$dir/report" || fail "reply-passed: $(cat "$dir/report")"
grep -q '^ *and before that waited in sem_wait$' "$dir/report" || fail "reply-passed: $(cat "$dir/report")"
"$decode" lock-order --all "$dir/reply-gate" >"$dir/report"
grep -q '^1\. No deadlock (two of the threads hold a common lock: mutex:' "$dir/report" || fail "reply-gate: $(cat "$dir/report")"
"$decode" lock-order --format=jsonl "$dir/reply-pipe" >"$dir/json"
grep -q '"type":"cycle","verdict":"possible","length":1,.*"held":{"object":"mutex:.*"through":\[{"waits":{"thread":.*"call":"read",.*"ended_by":{"thread":.*"call":"write",.*"taken":{"object":"mutex:' "$dir/json" ||
	fail "reply-pipe: JSON: $(cat "$dir/json")"
if command -v python3 >/dev/null; then
	"$decode" report -o "$dir/page.html" "$dir/reply-pipe" >/dev/null || fail "reply-pipe: report: exit status $?"
	PYTHONDONTWRITEBYTECODE=1 python3 "$top_srcdir/tests/report/html-page.py" "$dir/page.html" lockorder >"$dir/told" || fail "reply-pipe: see above"
	grep -q ' had mutex:.*, waited in .*get;read for what .* did in .*put;write, which took before that mutex:' "$dir/told" ||
		fail "reply-pipe: page: $(cat "$dir/told")"
fi

ask_syntrace doomed yes
unwrap <"$dir/report" | grep -q '^1\. Deadlock: 2 threads wait for each other' || fail "doomed: $(cat "$dir/report")"
unwrap <"$dir/report" | grep -q 'is blocked in pthread_cond_wait on cond:.* with mutex:' || fail "doomed: $(cat "$dir/report")"
# Not certain: another thread might send.
for program in doomed-reply doomed-sem; do
	ask_syntrace $program yes
	unwrap <"$dir/report" | grep -q '^1\. Possible deadlock: 2 threads wait for each other until the end of the trace; the trace shows no other' ||
		fail "$program: $(cat "$dir/report")"
	unwrap <"$dir/report" | grep -q 'thread.* is blocked in pthread_mutex_lock on mutex:' || fail "$program: $(cat "$dir/report")"
done
unwrap <"$dir/report" | grep -q 'thread.* is blocked in sem_wait on sem:' || fail "doomed-sem: $(cat "$dir/report")"
"$decode" lock-order "$dir/doomed-reply" >"$dir/report"
unwrap <"$dir/report" | grep -q 'thread.* is blocked in read on pipe:' || fail "doomed-reply: $(cat "$dir/report")"
"$decode" lock-order --format=jsonl "$dir/doomed-reply" | grep -q '"type":"deadlock","length":2,"others":0,"threads":.*"waits":{"call":"read","object":"pipe:.*"certain":false' ||
	fail "doomed-reply: JSON"
"$decode" report -o "$dir/page.html" "$dir/doomed-reply" >/dev/null || fail "doomed-reply: report: exit status $?"
finish
