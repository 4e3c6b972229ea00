#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace snapshot, under load: copies that are made while four threads record, into rings that overwrite, prove right, one
# after the other; the program goes on and is recorded to its end.
. "$(dirname "$0")/lib.sh"
tool_need_library
decode=$top_builddir/syntrace-decode

# Four threads that lock, post, wait and write to each other until a byte comes; then they are joined.
cat >busy.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#define NR 4

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t turns[NR];
static int fds[NR][2];
static volatile int is_over;

static void *run(void *argument)
{
	long n = (long)argument;
	char byte;

	for (;;) {
		sem_wait(&turns[n]);
		if (read(fds[n][0], &byte, 1) != 1)
			return NULL;
		for (int i = 0; i < 20; i++) {
			pthread_mutex_lock(&m);
			pthread_mutex_unlock(&m);
		}
		byte = (char)is_over;
		if (write(fds[(n + 1) % NR][1], &byte, 1) != 1)
			return NULL;
		sem_post(&turns[(n + 1) % NR]);
		if (byte)
			return NULL;
	}
}

int main(void)
{
	pthread_t threads[NR];
	char byte = 0;

	for (long n = 0; n < NR; n++) {
		sem_init(&turns[n], 0, 0);
		if (pipe(fds[n]))
			return 1;
	}
	for (long n = 0; n < NR; n++)
		pthread_create(&threads[n], NULL, run, (void *)n);
	for (int n = 0; n < 2; n++) {
		if (write(fds[2 * n][1], &byte, 1) != 1)
			return 1;
		sem_post(&turns[2 * n]);
	}
	if (read(0, &byte, 1) < 0)
		return 1;
	is_over = 1;
	for (int n = 0; n < NR; n++) {
		byte = 1;
		if (write(fds[n][1], &byte, 1) != 1)
			return 1;
		sem_post(&turns[n]);
	}
	for (int n = 0; n < NR; n++)
		pthread_join(threads[n], NULL);
	return 0;
}
END
$CC -o busy busy.c -pthread || exit 99
mkfifo in || exit 99

# RING COPIES: makes copies while it records, and compares the copies with the trace.
try()
{
	rm -rf trace copy copy.old
	"$tool" record -q -o trace --ring "$1" -- ./busy <in &
	recorder=$!
	exec 8>in
	tool_tries=0
	while ! grep -q 1 trace/*.dump 2>/dev/null && [ $tool_tries -lt 100 ]; do
		sleep 0.1
		tool_tries=$((tool_tries + 1))
	done
	for _ in $(seq "$2"); do
		sleep 0.2
		status 0 "$tool" snapshot -o copy trace
		has err '1 process image of .*/trace copied; next: syntrace-decode diagnose copy$'
		status 0 "$decode" check copy
		has out '^No violations'
		# a warning of overwritten events and pauses, and no other message
		hasnt err 'decode: [^w]|lost|damaged'
		status 0 "$decode" stat copy
		has out '[1-9][0-9]* recorded = .* 0 missing; 0 lost'
		# the time of the copy is no pause of the program
		hasnt out 'paused [0-9]'
		status 0 "$decode" edges --verify copy
	done
	status 0 "$tool" top -i 0.2 -n 2 trace
	[ "$(grep -c '^busy (pid ' out)" -eq 2 ] || bad "not shown twice"
	has out 'mutex:'
	kill -0 $recorder || bad "the program has ended"
	exec 8>&-
	wait $recorder || bad "the program's exit status is $?"
	status 0 "$decode" check trace
	status 0 "$decode" stat trace
	hasnt out paused
}

try 64K 2
[ -d copy.old ] || bad "the copy before is gone"
try 1M 1

# On a signal to the launcher, which the program does not get.
rm -rf trace trace.1 trace.2
"$tool" record -q --trigger USR1 -o trace -- ./busy <in 2>said &
recorder=$!
exec 8>in
tool_tries=0
while [ ! -f trace.2/trace ] && [ $tool_tries -lt 100 ]; do
	[ ! -f trace/trace ] || kill -USR1 $recorder
	sleep 0.3
	tool_tries=$((tool_tries + 1))
done
exec 8>&-
wait $recorder || bad "the program's exit status is $?"
has said 'copied; next: syntrace-decode diagnose trace\.2$'
status 0 "$decode" check trace.2
status 125 "$tool" record --trigger KILL ./busy

# While recording is paused, and of a trace that is finished.
status 0 "$tool" snapshot -o finished trace
status 0 "$decode" check finished
status 4 "$tool" snapshot ./nowhere
mkdir empty && (cd empty && status 2 "$tool" snapshot)
status 4 "$tool" snapshot -o busy trace
status 4 "$tool" top ./nowhere
status 2 "$tool" top -n 0 trace
tool_end
