#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace top: the numbers of a program with a lock that is held for ever and a busy lock, as JSON, as text, and on a
# pseudo-terminal; parts of a long reading; damaged dumps.
. "$(dirname "$0")/lib.sh"
tool_need_library
[ -z "${SYNTRACE_SANITIZED-}" ] || { echo "skipped: whole programs are not traced in a sanitizer build"; exit 77; }
decode=$top_builddir/syntrace-decode
command -v jq >/dev/null || { echo "skipped: jq is not installed"; exit 77; }

# Until its input ends: three threads use `busy` for 1 ms each, one holds `stuck`, and one waits for it.
cat >server.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER, stuck = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t others[39];
static volatile int is_over;

static __attribute__((noinline)) pthread_mutex_t *new_lock(void)
{
	pthread_mutex_t *lock = malloc(sizeof(*lock));

	pthread_mutex_init(lock, 0);
	return lock;
}

static void *use_busy(void *argument)
{
	while (!is_over) {
		pthread_mutex_lock(&busy);
		usleep(1000);
		pthread_mutex_unlock(&busy);
	}
	return argument;
}

static void *keep_stuck(void *argument)
{
	pthread_mutex_lock(&stuck);
	while (!is_over)
		usleep(10000);
	pthread_mutex_unlock(&stuck);
	return argument;
}

static void *want_stuck(void *argument)
{
	usleep(100000);
	pthread_mutex_lock(&stuck);
	pthread_mutex_unlock(&stuck);
	return argument;
}

int main(void)
{
	pthread_mutex_t *own = new_lock();
	pthread_t threads[5];
	char byte;

	pthread_mutex_lock(own);
	pthread_mutex_unlock(own);
	for (int n = 0; n < 39; n++) {
		pthread_mutex_init(&others[n], 0);
		pthread_mutex_lock(&others[n]);
		pthread_mutex_unlock(&others[n]);
	}
	pthread_create(&threads[0], 0, keep_stuck, 0);
	pthread_create(&threads[1], 0, want_stuck, 0);
	for (int n = 2; n < 5; n++)
		pthread_create(&threads[n], 0, use_busy, 0);
	while (read(0, &byte, 1) > 0)
		;
	is_over = 1;
	for (int n = 0; n < 5; n++)
		pthread_join(threads[n], 0);
	return 0;
}
END
program=top-$$ # other tests may run at the same time
$CC -g -O1 -o $program server.c -lpthread || exit 99
mkfifo in
SYNTRACE_DIR=$tool_work/syntrace.data LD_PRELOAD=$top_builddir/.libs/libsyntrace.so ./$program <in &
server=$!
exec 8>in
tool_tries=0
until "$decode" top -n 1 syntrace.data 2>/dev/null | grep -q 'held by .*keep_stuck' || [ $tool_tries -gt 100 ]; do
	sleep 0.1
	tool_tries=$((tool_tries + 1))
done
sleep 1

# ---- JSON: the numbers of the last interval, beside the total ----
status 0 "$tool" top -n 2 -i 1 --format=jsonl
cp out top.jsonl
# LINE FILTER: of the second interval
second()
{
	jq -s -e "[.[] | select(.type == \"top\")] as \$heads | (length / 2) as \$half |
		\$heads[1] as \$head | .[\$half:] as \$rest | $1" top.jsonl >out 2>err || bad "not true of the second interval: $1"
}
second '$heads | length == 2'
second '$head.interval_ns > 0.8e9 and $head.interval_ns < 4e9'
second '$head.live == 1 and $head.threads == 6 and $head.locks == 42'
# one thread waits for `stuck` all the time; keep_stuck holds it
second '[$rest[] | select(.holder.function == "keep_stuck")] | length == 1 and
	(.[0] | .waiting == 1 and .last.waits == 0 and .last.acquired == 0 and
	(.last.wait_ns / $head.interval_ns - 1 | fabs) < 0.05 and (.last.hold_ns / $head.interval_ns - 1 | fabs) < 0.05 and
	.total.wait_ns > .last.wait_ns and .holder.held_ns > 1e9 and .last.longest_ns > 1e9)'
# two of three threads wait for `busy`
second '[$rest[] | select(.function == "use_busy")] | length == 1 and
	(.[0] | .last.waits > 20 and .last.acquired > 20 and .total.acquired > .last.acquired and
	(.last.wait_ns / $head.interval_ns | . > 1.2 and . < 2.2) and
	(.last.hold_ns / $head.interval_ns | . > 0.5 and . < 1.1))'
status 0 "$tool" top -n 1 --sort=total-acquired --limit=1 --format=jsonl
has out '"function":"use_busy"'
status 2 "$tool" top -n 1 --sort=nonsense
has err "takes waited, waits, longest"
status 2 "$decode" top --interval=2
status 2 "$decode" top --rounds=0

# ---- text for a script: locks have names, and there are no escape sequences ----
status 0 "$tool" top -n 2 -i 0.2 $program
has out ' mutex:busy(,|$)'
has out ' mutex:stuck, 1 waiting, held by '
has out ' mutex:main/new_lock\(\)(,|$)' # an allocated lock: the functions that initialized it
hasnt out 'mutex:0x|mutex:.* of '
[ "$(grep -c "^$program (pid [0-9]*), 6 threads" out)" = 2 ] || bad 'not shown twice'
has out '1 waiting, held by .* in keep_stuck$'
! grep -q "$(printf '\033')" out || bad 'escape sequences in the output of a script'
"$tool" top -i 0.1 $program | head -n 1 >out
has out "^$program "

# ---- on a pseudo-terminal ----
if command -v python3 >/dev/null; then
	timeout 120 python3 "$top_srcdir/tests/tool/top-typed.py" "$tool" "$server" $program || tool_failed=1
else
	echo "left out: no python3 for a pseudo-terminal"
fi

# ---- the end: top ends with the program, and its names and totals agree with contention ----
timeout 60 "$tool" top -i 0.3 --limit 3 $program >last 2>err 8>&- &
top=$!
sleep 0.5
exec 8>&-
wait $server
wait $top || bad "top ended with $?"
tail -n 7 last >out
has out ', 6 threads, ended: [0-9]{4,} events'
"$decode" top --format=jsonl >top.jsonl 2>err
"$decode" contention --format=jsonl --limit 100 >contention.jsonl 2>err
jq -r 'select(.type == "top_lock") | [.object + .object_name, .total.acquired, .total.waits, .total.wait_ns, .total.hold_ns] | @tsv' top.jsonl |
	sort >ours
jq -r 'select(.type == "lock") | [.object + .object_name, .acquired, .wait.count, .wait.total_ns, .hold.total_ns] | @tsv' contention.jsonl |
	sort >theirs
# the clock of a finished trace is more precise: a tenth of a percent
paste ours theirs | awk '
	function differs(a, b) { return (a > b ? a - b : b - a) > b / 1000 + 1000 }
	$1 == $6 && $2 == $7 && $3 == $8 && !differs($4, $9) && !differs($5, $10) { nr++; next }
	{ print }
	END { if (nr != 42) print nr + 0, "locks" }' >out
[ ! -s out ] || bad 'top and contention disagree'

# ---- a long reading in parts gives the same events in the same order, in both modes ----
for mode in --ring=64M --stream; do
	rm -rf t
	status 0 "$tool" record -q $mode -o t "$top_builddir/syntrace-many-locks" 150000
	"$top_builddir/syntrace-tail-parts" t 0 >whole || bad 'tail-parts'
	"$top_builddir/syntrace-tail-parts" t 100000 >parts || bad 'tail-parts'
	[ "$(head -n 1 whole) $(head -n 1 parts)" = 'whole parts' ] || bad 'the trace was not read in parts'
	sed 1d whole >out
	sed 1d parts | cmp -s - out || bad "$mode: parts differ"
	has out '^[0-9]{6,} events, 0 gaps'
done

# ---- damaged dumps: a result or an error, and an end ----
for at in 100 300 4097 4200 5000 9000 20000 40000 60000; do
	rm -rf d
	cp -r syntrace.data d
	for dump in d/*.dump; do
		printf '\377\000\377\177' | dd of="$dump" bs=1 seek=$at conv=notrunc 2>/dev/null
	done
	timeout 20 "$decode" top -n 1 d >out 2>err
	damaged=$?
	[ $damaged = 0 ] || [ $damaged = 4 ] || bad "exit status $damaged after damage at byte $at"
done
tool_end
