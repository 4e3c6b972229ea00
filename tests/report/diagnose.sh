#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode diagnose: for each program with a known disease, its first ten lines name the place and the mechanism. For
# the same program without the disease, nothing stands out.
. "$(dirname "$0")/../lib.sh"

# PROGRAM ARGUMENT...: records it into $dir/trace, and puts the output of diagnose into $dir/said.
diagnose()
{
	program=$1
	shift
	rm -rf "$dir/trace"
	timeout -k 5 60 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$top_builddir/$program" "$@" >/dev/null
	"$decode" diagnose "$dir/trace" >"$dir/said"
	diagnose_status=$?
	# The text and the JSON lines of the sick examples; the long form reads those of all programs.
	if [ -n "${SYNTRACE_TEST_LONG:-}" ] || [ "$is_sick $program" = "1 examples/$name" ]; then
		"$decode" diagnose --format=jsonl "$dir/trace" >"$dir/lines"
		[ $? = $diagnose_status ] || fail "$program $*: text and JSON lines have different exit statuses"
	fi
	awk '/^Coverage: / { nr++; is_first = NR == 1 }
		/\(more: syntrace-decode (lock-order|contention|waits|critical-path)\)$/ && !seen[$NF]++ { nr_reports++ }
		/\(more: syntrace-decode (lock-order|contention|waits|critical-path)\)$/ { nr_lines++ }
		NR <= 10 { first = first " " $0 }
		END {
			if (nr != 1)
				print "no coverage"
			if (is_first)
				print "coverage comes first, although no data is missing"
			if (nr_reports != 4 || nr_lines != 4)
				print "a report says nothing, or twice"
			gsub(/ +/, " ", first)
			print first " " >"'"$dir/first"'"
		}' "$dir/said" >"$dir/wrong"
	[ ! -s "$dir/wrong" ] || fail "$program $*: $(cat "$dir/wrong")"
}

# PATTERN...: returns true if each is in the first ten lines.
has_said()
{
	for pattern; do
		grep -qE -- "$pattern" "$dir/first" || return 1
	done
}

# PROGRAM 'ARGUMENT...' PATTERN...: records the sick program. On a busy machine its threads may wait for a CPU instead: then one of
# three runs shows the disease.
diagnose_sick()
{
	program=$1 argument=$2 is_sick=1
	shift 2
	is_found=false
	for number in 1 2 3; do
		# shellcheck disable=SC2086
		diagnose "$program" $argument
		has_said "$@" && is_found=true && break
	done
}

# PATTERN...: each is in the first ten lines, and no section says the opposite.
says()
{
	$is_found || for pattern; do
		grep -qE -- "$pattern" "$dir/first" || fail "$name: no '$pattern' in the first ten lines of $(cat "$dir/said")"
	done
	grep -qE 'stands out' "$dir/said" && fail "$name: a section says that nothing stands out: $(cat "$dir/said")"
}

# PROGRAM ARGUMENT...: nothing stands out, and there is no ranked list. A thread may lose its processor while it holds a lock:
# in one of five runs no thread does.
is_healthy()
{
	is_sick=0
	for number in 1 2 3 4 5; do
		diagnose "$@"
		grep -q '^Nothing stands out' "$dir/said" && break
	done
	grep -q '^Nothing stands out' "$dir/said" || fail "$*: a healthy program has findings: $(cat "$dir/said")"
	grep -q '^[1-9]\. ' "$dir/said" && fail "$*: a ranked list without a finding: $(cat "$dir/said")"
	[ $diagnose_status = 0 ] || fail "$*: exit status $diagnose_status and not 0"
}

# EXAMPLE STATUS PATTERN...
try()
{
	name=$1 expected=$2
	shift 2
	diagnose_sick "examples/$name" sick "$@"
	[ $diagnose_status = "$expected" ] || fail "$name sick: exit status $diagnose_status and not $expected"
	says "$@"
	is_healthy "examples/$name" healthy
}

# DISEASE PATTERN...: in the short form, every third disease has its healthy program.
nr_diseases=0
disease()
{
	name=$1
	shift
	diagnose_sick tests/report/diseases "$name sick" "$@"
	says "$@"
	nr_diseases=$((nr_diseases + 1))
	[ -n "${SYNTRACE_TEST_LONG:-}" ] || [ $((nr_diseases % 3)) = 1 ] || return 0
	is_healthy tests/report/diseases "$name" healthy
}

try deadlock 1 ' 1\. Hang: 2 threads' 'read_index|write_index'
try inversion 1 ' 1\. Lock-order inversion: 2 threads can deadlock' 'transfer at'
try convoy 0 ' 1\. Lock held across a sleep \(lock convoy\): mutex:' 'held the lock while it was in usleep in write_line'
try long-hold 0 ' 1\. Lock held across a receive: mutex:' 'took the lock in .* in refresh .* which was in usleep in answer'
try priority 0 ' 1\. Lock held across a wait for a semaphore' 'in log_sample .* which was in usleep in crunch .* this is a priority inversion'
try herd 0 ' [12]\. Thundering herd: cond:.* broadcasts by pthread_cond_broadcast in submit '
try flow-control 0 ' 1\. Polling: sem:.* [2-4] threads slept .* in usleep in hold_back' 'checks in sem_trywait in hold_back'
try slow-consumer 0 ' 1\. Slow consumer: sem:.* waited [0-9]+ times, .* in sem_wait in put' '\(of 20\), and the consumer .* in usleep in store'

disease late ' 1\. Barrier imbalance: barrier:.*arrived last in (1[5-9]|20) of 20 rounds; the other 3 threads waited' 'in usleep in compute'
disease limit ' 1\. Semaphore too small: sem:.* in sem_wait in query' 'lets 2 of 8 threads in at a time; .* in usleep in query'
disease pool ' 1\. Pool too small: cond:.*of 100 tasks came while the 2 workers were all busy; .* in submit' 'a task waited .* for a worker .* in usleep in handle'
disease useless ' 1\. False wake-ups: cond:.* wake-ups by pthread_cond_signal in add '
disease missed ' 1\. Missed signals: cond:.*waits ran to their timeout, .* in pthread_cond_timedwait in wait_for_item' 'came from pthread_cond_signal in submit'
disease housekeeper ' 1\. Missed signals: cond:.*waits ran to their timeout, .* in pthread_cond_timedwait in keep_house' 'came from pthread_cond_broadcast in announce'
disease channel ' 1\. Many round trips for one request: stream:.* in write in out .*called from send_message'
disease starve ' 1\. Writer starvation: rwlock:.* in pthread_rwlock_wrlock in reload' 'readers took and released the lock [0-9]+ times, in .* in look_up'
disease polling ' 1\. Polling: mutex:.* in usleep in poll_for_work .*; [0-9]+ of the checks after a sleep found no work' 'checks in pthread_mutex_lock in take'
disease ready ' 1\. Busy readiness calls: stream:.* in epoll_wait in ready '
disease consumer ' 1\. Slow consumer: cond:.* in pthread_cond_wait in put' 'in usleep in store'
disease queries ' 1\. Many round trips for one request: stream:.*needs 50 round trips \([0-9]+ for 20 requests\).* in write in out .*called from get_row'
disease window ' 1\. Stop-and-wait flow control: stream:.*sent 128 blocks of 1024 bytes.*called from send_block'
disease threads ' 1\. One thread per task. 100 threads lived for .* called from dispatch'
disease connections ' 1\. One connection per request. 60 connections lived for .* in connect in dial'
disease held ' 1\. Lock held across a receive: mutex:.* in pthread_mutex_lock in use ' 'took the lock in pthread_mutex_lock in refresh .*; with the lock, it waited in read in in .*called from fetch .* in usleep in answer_slowly'
disease batches ' 1\. Thundering herd: cond:.* 60 broadcasts by pthread_cond_broadcast in submit_batch '
disease pressure ' 1\. Slow consumer: cond:.* in pthread_cond_wait in put' 'in usleep in drain_slowly'
disease requests ' 1\. Missed signals\. [3-6][0-9] of 60 waits for [3-6][0-9] condition variables ran to their timeout, .* in pthread_cond_timedwait in wait_for_answer' 'came from pthread_cond_signal in answer_all'
disease backlog ' 1\. Connections wait to be accepted: listen:.*1[0-9] of 18 connections, of 3 client threads, waited .* in accept in serve_clients' 'busy with earlier connections: .* in usleep in serve_client '
disease bytes ' 1\. Tiny transfers: stream:.* transfers of 1 byte on average, one after the other, in read in in .*called from read_line'
disease pages ' 1\. Many round trips for one request: stream:.*needs 25 round trips \(300 for 12 requests\).* in write in out .*called from query_store'
disease invoices ' 1\. Many round trips for one request: stream:.*needs 20 round trips \([5-6][0-9]{2} for [23][0-9] requests\).* in write in out .*called from ask_price'
disease parts ' 1\. Small sends delayed by the delayed acknowledgement of the peer\. .* of 40 sends of 60 bytes .*called from send_parts' 'Nagle' 'TCP_NODELAY'
disease children ' 1\. One process per task\. 60 processes lived for .* in fork in start_child'
disease turns ' 1\. Connections wait to be accepted: listen:.* in accept in serve_in_turn' 'busy with earlier connections: .* in usleep in serve_in_turn'
disease visitors ' 1\. One connection per request\. 60 connections lived for .* in connect in dial .*called from greet_server'
# clients that are not in the trace decide how often they connect
rm -rf "$dir/trace"
timeout -k 5 60 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$top_builddir/tests/report/diseases" visitors serve >"$dir/port" &
server=$!
for try in 1 2 3 4 5 6 7 8 9 10; do
	[ -s "$dir/port" ] && break
	sleep 0.2
done
"$top_builddir/tests/report/diseases" visitors "$(cat "$dir/port")"
wait "$server"
"$decode" diagnose "$dir/trace" >"$dir/said"
grep -q '^Nothing stands out' "$dir/said" || fail "the server of unrecorded clients has findings: $(cat "$dir/said")"
disease load ' 1\. Many round trips for one request: stream:.*needs 12 round trips \(240 for 20 requests\).* called from send_query'
disease runs ' 1\. Many round trips for one request: stream:.*needs 40 round trips \(1200 for 30 requests\).* called from get_row'
disease end ' 1\. Lock held across a sleep.*: sem:ended.* in sem_wait in hold_semaphore'
disease tokens ' 1\. Semaphore too small: sem:.* in sem_wait in query' 'lets 2 of 8 threads in at a time; .* in usleep in query'
disease digest ' 1\. Stop-and-wait flow control: stream:.*sent 60 blocks of 1024 bytes.*called from put_block'
# A file system in memory has no disk to wait for.
if [ "$(stat -f -c %T .)" != tmpfs ]; then
	disease journal ' 1\. One disk flush per record: file:.* in fdatasync in store_records ' 'group commit'
	disease export ' 1\. One disk flush per record: file:.* made 299 flushes, .* in fdatasync in store_records '
fi
disease resend ' 1\. Datagrams sent again after a receive timeout: dgram:.*sent datagrams again (29|30) times, .* in poll in ask_again' '6[01] were sent, and 30 answers came'
disease deadline ' 1\. Work waits for a timer: cond:.* in pthread_cond_timedwait in wait_for_period' 'waited for the result meanwhile, .* in sem_wait in ask_for_result'
disease cores ' 1\. Semaphore too small: sem:.* in sem_wait in crunch' 'lets 2 of 8 threads in at a time; .* in usleep in sleep_or_run .*called from crunch'
disease reports ' 1\. Event loop blocked by a slow handler\. diseases \(thread 0\.1\) was in [0-9]+ long calls .* of 4 client threads .* in usleep in write_report'
disease logins ' 1\. One connection per request\. 40 connections lived for .* in connect in dial .*called from log_in' 'a handshake of 2 messages of the client'
disease publish ' 1\. Lock held across a sleep.*: rwlock:.* in pthread_rwlock_rdlock in quote_price' 'held the lock while it was in usleep in fetch_prices'
disease slices ' 1\. Barrier imbalance: cond:.* arrived last in (1[5-9]|20) of 20 rounds; the other 3 threads waited .* in pthread_cond_wait in meet_others' 'in usleep in simulate'

# Threads that share one CPU wait for it, and not for the lock.
is_healthy tests/report/diseases scarce healthy
grep -q '^The CPUs were busy: after the release of a lock, its next holder waited ' "$dir/said" || fail "scarce: $(cat "$dir/said")"
# A thread that commits the entries of a group is not late.
is_healthy tests/report/diseases commits healthy
# A consumer without a CPU is not slow.
is_healthy tests/report/diseases stages healthy

# as JSON lines, worst first, and without colours in what is no terminal
"$decode" diagnose --format=jsonl "$dir/trace" >"$dir/lines" || fail "--format=jsonl: exit status $?"
[ "$(sed -n 's/^{"v":1,"type":"\([a-z]*\)".*/\1/p' "$dir/lines" | tr '\n' ' ')" = 'coverage finding finding finding finding finding ' ] ||
	fail "JSON lines of other types: $(cat "$dir/lines")"
is_sick=1
diagnose tests/report/diseases late sick
"$decode" diagnose --format=jsonl "$dir/trace" >"$dir/lines" || fail "--format=jsonl: exit status $?"
grep -qE '^\{"v":1,"type":"cause","kind":"late-arrival",.*"object":"barrier:.*"path":"[^"]*start_thread;step;pthread_barrier_wait",.*"inside":".*compute;usleep","thread":"0\.3","threads":3,"count":(1[5-9]|20),"of":20,.*"lost_share":[0-9.]+,' \
	"$dir/lines" || fail "JSON line of the cause: $(cat "$dir/lines")"
esc=$(printf '\033')
"$decode" diagnose "$dir/trace" | grep -q "$esc" && fail "colours in a file"
"$decode" diagnose --color "$dir/trace" | grep -q "$esc" || fail "no colours with --color"
# a trace without events
mkdir "$dir/empty"
status 4 "$decode" diagnose "$dir/empty" 2>/dev/null
finish
