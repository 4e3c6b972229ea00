#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace record --trigger slow=, hold=, and syntrace-decode watch: the calls that fire, the calls
# that do not, and the events in the copy.
. "$(dirname "$0")/lib.sh"
tool_need_library
decode=$top_builddir/syntrace-decode

# Has an idle thread, gets into the trouble that its argument names, and ends when a byte comes.
cat >trouble.c <<'END_OF_PROGRAM'
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, work_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int fds[2], is_over;

static void pause_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static void *hog(void *unused)
{
	pthread_mutex_lock(&lock);
	if (write(fds[1], "x", 1) == 1)
		pause_ms(1000);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *idle(void *unused)
{
	pthread_mutex_lock(&work_lock);
	while (!is_over)
		pthread_cond_wait(&work, &work_lock);
	pthread_mutex_unlock(&work_lock);
	return unused;
}

static void want_lock(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

static void have_lock(long ms)
{
	pthread_mutex_lock(&lock);
	pause_ms(ms);
	pthread_mutex_unlock(&lock);
}

static int get_into(const char *what)
{
	pthread_t other;
	char byte;

	if (!strcmp(what, "hold")) {
		pthread_create(&other, NULL, hog, NULL);
		if (read(fds[0], &byte, 1) != 1)
			return 1;
		want_lock();
		pthread_join(other, NULL);
	} else if (!strcmp(what, "often")) {
		for (int n = 0; n < 4; n++) {
			have_lock(500);
			pause_ms(200);
		}
	} else if (!strcmp(what, "child")) {
		pid_t child = fork();

		if (!child) {
			have_lock(1000);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	} else if (!strcmp(what, "stuck")) {
		pthread_mutex_lock(&lock);
		want_lock();
	} else if (!strcmp(what, "busy")) {
		for (int n = 0; n < 100000; n++)
			want_lock();
		have_lock(1500);
		for (int n = 0; n < 100000; n++)
			want_lock();
	} else {
		for (int n = 0; n < 1000; n++)
			want_lock();
	}
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t idler;
	char byte;

	pthread_create(&idler, NULL, idle, NULL);
	if (argc != 2 || pipe(fds) || get_into(argv[1]) || read(0, &byte, 1) < 0)
		return 1;
	pthread_mutex_lock(&work_lock);
	is_over = 1;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&work_lock);
	pthread_join(idler, NULL);
	return 0;
}
END_OF_PROGRAM
$CC -g -o trouble trouble.c -pthread || exit 99
mkfifo in || exit 99

# PATTERN, and then: a line of `said` matches, after half a minute at most.
until_said()
{
	tool_tries=0
	while ! grep -qE "$1" said && [ $tool_tries -lt 300 ]; do
		sleep 0.1
		tool_tries=$((tool_tries + 1))
	done
	has said "$1"
}

# TROUBLE OPTION...: begins; the program waits for its end.
begin()
{
	rm -rf trace trace.[0-9]*
	what=$1
	shift
	: >said
	"$tool" record -q -o trace "$@" -- ./trouble "$what" <in 2>said &
	recorder=$!
	exec 8>in
}

# [STATUS]: lets it end.
finish()
{
	exec 8>&-
	wait $recorder
	tool_rv=$?
	[ $tool_rv -eq "${1-0}" ] || bad "the exit status is $tool_rv"
	cp said err
}

# A lock that is held for a second, and a thread that waits for it; as a rule both are seen while
# they last.
begin hold --trigger hold=200ms
until_said '^syntrace: hold: mutex:lock (has been|was) held for [0-9.]* m?s by thread 0\.2 of trouble \(pid [0-9]*, tid [0-9]*\), taken by pthread_mutex_lock in hog: copied into trace\.1; next: syntrace-decode (contention|blocked) trace\.1$'
finish
status 0 "$decode" check trace.1
status 0 "$decode" contention --no-pager trace.1
has out '^Threads acquired 2 locks '
status 0 "$decode" events --thread 0.2 --call pthread_mutex_lock trace.1
has out '^ +hog at '
[ ! -d trace.2 ] || bad "a second copy"
begin hold --trigger 'slow=200ms:pthread_mutex_*'
until_said '^syntrace: (blocked|slow): pthread_mutex_lock of mutex:lock (has not returned for|took) [0-9.]* m?s in thread 0\.0 .*, in want_lock: copied into trace\.1; next: syntrace-decode (waits|blocked) trace\.1$'
finish
status 0 "$decode" check trace.1
# the holder does not wait for it
status 0 "$decode" lock-order --no-pager trace.1
hasnt out 'a deadlock'
status 0 "$decode" check trace

# A call that never returns; the copy tells that it has not.
begin stuck --stream --trigger slow=50ms
until_said '^syntrace: blocked: pthread_mutex_lock .*, in want_lock: copied into trace\.1; next: syntrace-decode blocked trace\.1$'
kill -TERM $recorder
finish 143
status 1 "$decode" lock-order --no-pager trace.1
has out 'main thread.* is blocked in pthread_mutex_lock on mutex:'
has out 'Deadlock: a thread waits for itself'
# the report on the copy states the same call as the trigger
status 1 "$decode" blocked --no-pager trace.1
has out '^1\. Hang: a thread waits for itself'
has out '\(main thread\) has waited [0-9.]* m?s for mutex:'
hasnt said 'pthread_cond_wait|hold:'

# A call that was asked for by its name, and has not returned.
begin hold --trigger 'slow=500ms:nano*'
until_said '^syntrace: blocked: nanosleep has not returned for [0-9.]* m?s in thread 0\.2 .*, in pause_ms: copied into trace\.1; next: syntrace-decode blocked trace\.1$'
finish
status 0 "$decode" blocked --no-pager trace.1
has out 'hog;pause_ms;nanosleep$'
has out 'the thread sleeps'

# Another process than the started program, which ends; in a small ring.
begin child --ring 64K --trigger hold=200ms
until_said '^syntrace: hold: .* by thread 1\.0 .*, taken by pthread_mutex_lock in have_lock: copied into trace\.1; '
finish
[ ! -d trace.2 ] || bad "told twice"

# Between so many events that some of them are in sealed blocks.
begin busy --ring 16M --trigger hold=1s
until_said '^syntrace: hold: .* in have_lock: copied into trace\.1; '
finish
status 0 "$decode" events --no-stacks --call nanosleep trace.1
status 0 "$decode" watch --hold 1s trace
[ "$(grep -c '^hold: mutex:.* was held for .* in have_lock$' out)" -eq 1 ] || bad "not told once of the finished trace"

# At most so many, and so often.
begin often --trigger hold=250ms --trigger-every 0.1 --trigger-max 2
until_said 'max is reached: slow calls and long-held locks cause no more copies'
finish
[ -d trace.2 ] && [ ! -d trace.3 ] || bad "not two copies"
begin often --trigger hold=250ms --trigger-every 1000
until_said 'copied into trace\.1'
finish
[ ! -d trace.2 ] || bad "two copies within 1000 s"
# the rate belongs to watch, which counts the findings that it does not print
status 0 "$decode" watch --hold 250ms trace
[ "$(wc -l <out)" -eq 4 ] || bad "not four holdings"
status 0 "$decode" watch --hold 250ms --every 1000s --format jsonl trace
[ "$(wc -l <out)" -eq 1 ] || bad "told more than once in 1000 s"
has out '^\{"v":1,"type":"alarm","kind":"hold","over":true,"time_ns":[0-9]*,"since_ns":[0-9]*,"call":"pthread_mutex_lock","object":"mutex:.*","function":"have_lock","process":0,"pid":[0-9]*,"thread":0,"tid":[0-9]*,"name":null,"thread_ended":false,"not_told":0\}$'

# No trigger fires in a healthy program, whose idle thread waits all the time; nor while recording
# is paused.
begin healthy --trigger hold=10s --trigger slow=10s
sleep 1
finish
hasnt said .
begin hold --paused --trigger hold=50ms --trigger slow=50ms
sleep 1
finish
hasnt said 'copied'

# Beside a signal, which the recorder handles since it started the program.
begin healthy --trigger USR1 --trigger slow=10s
tool_tries=0
while [ ! -f trace.1/trace ] && [ $tool_tries -lt 100 ]; do
	! ls trace/*.dump >/dev/null 2>&1 || kill -USR1 $recorder
	sleep 0.3
	tool_tries=$((tool_tries + 1))
done
until_said 'copied; next: syntrace-decode diagnose trace\.1$'
finish

# The number behind the model reaches the process that compares the requests.
echo a b c >strings
status 0 "$decode" workload --strings=strings --save=model
cp model model:5
# Writes the command line of the process that watches into `command`.
find_watcher()
{
	for tool_child in $(cat "/proc/$recorder/task/$recorder/children"); do
		tr '\0' ' ' <"/proc/$tool_child/cmdline" >command 2>/dev/null && grep -q '^syntrace-decode watch ' command && return
	done
	return 1
}
# TRIGGER OPTIONS: the process that watches has the options.
compares()
{
	begin healthy --trigger "$1"
	tool_tries=0
	until find_watcher || [ $tool_tries -ge 100 ]; do
		sleep 0.1
		tool_tries=$((tool_tries + 1))
	done
	finish
	has command " $2 -- "
	hasnt err .
}
compares odd=model --against=model
compares odd=model:200 '--against=model --one-in=200'
compares odd=model:5:1 '--against=model:5 --one-in=1'
status 125 "$tool" record --trigger odd=model --trigger odd=model:3 ./trouble healthy

# Invalid arguments.
for wrong in odd odd= odd=model:0 odd=model:1000000001 odd=nothing:5 odd=model:5x slow slow= slow=5 slow=0ms slow=-1ms slow=50ms: slow=2d hold=1ms:pthread_mutex_lock hold=90000s slow=0.5us KILL; do
	status 125 "$tool" record --trigger "$wrong" ./trouble healthy
	has err '^syntrace record: --trigger takes .*; not '
	[ ! -d syntrace.data ] || bad "something was run with --trigger $wrong"
done
status 125 "$tool" record --trigger USR1 --trigger HUP ./trouble healthy
status 125 "$tool" record --trigger-every 0 ./trouble healthy
status 125 "$tool" record --trigger-max 0 ./trouble healthy
status 0 "$decode" watch trace
status 2 "$decode" watch --slow 5 trace
status 2 "$decode" watch --hold 5ms trace trace
status 4 "$decode" watch --hold 5ms ./nowhere
status 4 "$decode" watch --hold 5ms trace/trace

# Damaged dumps: the command ends in any case. With a damaged header, no dump is left.
dump=$(ls trace/*.dump)
bytes=$(wc -c <"$dump")
cp "$dump" good
at=40 step=1985
[ -z "${SYNTRACE_TEST_LONG:-}" ] || step=397
while [ $at -lt "$bytes" ] && [ $at -lt 40000 ]; do
	cp good "$dump"
	printf '\377\177\377' | dd of="$dump" bs=1 seek=$at conv=notrunc 2>/dev/null
	timeout 60 "$decode" watch --slow 1us:* --hold 1us trace >out 2>err
	damaged=$?
	[ $damaged = 0 ] || { [ $damaged = 4 ] && [ $at -lt 4096 ]; } || bad "exit status $damaged after damage at byte $at"
	at=$((at + step))
done
tool_end
