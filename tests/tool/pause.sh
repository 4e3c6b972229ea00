#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace pause, resume, and record --paused: the events recorded while a program does one round
# after the other, and the decoder's account of the rest.
. "$(dirname "$0")/lib.sh"
tool_need_library
decode=$top_builddir/syntrace-decode

# For each byte that it reads: 1000 locks, a thread that is created and joined, a semaphore that is given and taken, and a byte
# through a pipe; then a line on standard output.
cat >rounds.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t to, back;
static int fds[2];

static void *serve(void *unused)
{
	char byte;

	for (;;) {
		sem_wait(&to);
		if (read(fds[0], &byte, 1) != 1)
			return unused;
		sem_post(&back);
	}
}

static void *nothing(void *unused)
{
	return unused;
}

int main(void)
{
	pthread_t server, thread;
	char byte;

	sem_init(&to, 0, 0);
	sem_init(&back, 0, 0);
	if (pipe(fds))
		return 1;
	pthread_create(&server, NULL, serve, NULL);
	while (read(0, &byte, 1) == 1) {
		for (int n = 0; n < 1000; n++) {
			pthread_mutex_lock(&m);
			pthread_mutex_unlock(&m);
		}
		pthread_create(&thread, NULL, nothing, NULL);
		pthread_join(thread, NULL);
		if (write(fds[1], &byte, 1) != 1)
			return 1;
		sem_post(&to);
		sem_wait(&back);
		if (write(1, "\n", 1) != 1)
			return 1;
	}
	close(fds[1]);
	sem_post(&to);
	pthread_join(server, NULL);
	return 0;
}
END
$CC -o rounds rounds.c -pthread || exit 99
mkfifo in out.fifo || exit 99

# OPTION...: runs it; its input and output are descriptors 8 and 9.
start()
{
	rm -rf trace trace.old
	"$tool" record -o trace "$@" -- ./rounds <in >out.fifo 2>said &
	recorder=$!
	exec 8>in 9<out.fifo
}

round()
{
	printf x >&8
	read -r tool_line <&9 || bad "the program has ended"
}

end()
{
	exec 8>&- 9<&-
	wait $recorder || bad "the program's exit status is $?"
}

# CALL NUMBER
expect()
{
	tool_nr=$("$decode" events --no-stacks --format=jsonl --call="$1" trace | grep -c "\"call\":\"$1\"")
	[ "$tool_nr" -eq "$2" ] || bad "$tool_nr events of $1 instead of $2"
}

pid_of()
{
	ls trace | sed -n 's/^0000\.\([0-9]*\)\.dump$/\1/p'
}

# Two of four rounds, paused by process and by directory; threads are known all the same.
start
round
status 0 "$tool" pause "$(pid_of)"
has err 'recording into .*/trace is paused$'
status 0 "$tool" pause trace
round
status 0 "$tool" resume ./trace
has err 'recording into .*/trace continues$'
status 0 "$tool" resume "$(pid_of)"
round
status 0 "$tool" pause rounds
round
end
has said 'recording was paused 2 times'
expect pthread_mutex_lock 2000
expect pthread_mutex_unlock 2000
expect pthread_create 5
expect thread_end 5
expect pthread_join 5
status 0 "$decode" stat trace
has out 'lost or overwritten, paused 2 times for [0-9.]* [mu]?s\.'
status 0 "$decode" stat --format=jsonl trace
has out '"type":"coverage".*"pauses":\[\{"from":[0-9]+,"to":[0-9]+\},\{"from":[0-9]+\}\]'
status 0 "$decode" check trace
status 3 "$decode" stat --fail-on-loss trace
# the dump alone: it knows that it was paused, and not when
cp trace/0000.*.dump alone.dump
status 0 "$decode" stat alone.dump
has out 'paused at unknown times'
# beside a shared file that is damaged, or another trace's, as well
mkdir other
cp trace/0000.*.dump other
head -c 100000 /dev/urandom >other/trace
status 0 "$decode" stat other
has out 'paused at unknown times'

# From the beginning: the recorded part is as good as a whole trace, except for the server's call
# that was running when it began.
start --paused
round
status 0 "$tool" resume trace
round
round
status 0 "$tool" pause trace
round
end
expect pthread_mutex_lock 2000
status 0 "$decode" check trace
# and bytes that went through the pipe in the pause keep their places
status 0 "$decode" edges --format=jsonl trace
has out '"kind":"stream"'

# Never: only begins and ends are recorded.
start --paused
round
end
expect pthread_mutex_lock 0
expect sem_post 0
expect pthread_create 2
status 0 "$decode" stat trace
has out 'paused 1 time '

# More pauses than the trace keeps: the last period between two pauses is known like any other, and the older pauses are one.
start
round
i=0
while [ $i -lt 100 ]; do
	"$tool" pause trace 2>/dev/null && "$tool" resume trace 2>/dev/null || bad "pause $i: exit status $?"
	i=$((i + 1))
done
round
sleep 0.5 # the decoder chooses the longest period
round
status 0 "$tool" pause trace
round
end
has said 'recording was paused 101 times, the last time until the end'
expect pthread_mutex_lock 3000
status 0 "$decode" stat trace
has out 'paused 101 times for '
has out 'before the end of pause 7: the trace keeps the times of the last 95 pauses\)'
status 0 "$decode" check trace
status 0 "$decode" edges --format=jsonl trace
has out '"kind":"stream"'

# A recording of limited time ends without a tool. The word at 128 of the shared file is the number of the present pause, the one
# at 3208 the deadline.
word()
{
	od -An -t"u$2" -j"$1" -N"$2" trace/trace | tr -d ' '
}
start --paused
round
status 0 "$tool" resume --for=0.05 trace
has err 'recording into .*/trace continues for 0.05 s$'
i=0
while [ "$(word 128 4)" = 0 ] && [ $i -lt 100000 ]; do
	round
	i=$((i + 1))
done
[ "$(word 128 4)" = 2 ] || bad "no second pause: $(word 128 4)"
[ "$(word 3208 8)" = 0 ] || bad "the deadline is still there: $(word 3208 8)"
before=$("$decode" events --no-stacks --format=jsonl --call=pthread_mutex_lock trace 2>/dev/null | grep -c '"call":"pthread_mutex_lock"')
[ "$before" -gt 0 ] || bad "nothing was recorded"
round
expect pthread_mutex_lock "$before"
status 0 "$tool" resume --for=1000 trace
[ "$(word 3208 8)" != 0 ] || bad "there is no deadline"
status 0 "$tool" pause trace
[ "$(word 3208 8)" = 0 ] || bad "the deadline is still there after a pause"
status 0 "$tool" resume --for=1000 trace
status 0 "$tool" resume trace
[ "$(word 3208 8)" = 0 ] || bad "the deadline is still there after a resume"
round
end
has said 'recording was paused 3 times'
expect pthread_mutex_lock $((before + 1000))
status 0 "$decode" check trace
status 2 "$tool" resume --for=soon trace
status 2 "$tool" resume --for=-1 trace

# A recorder that was killed while it began the pause: the next pause takes its place.
start
round
printf '\1\0\0\0\0\0\0\0' | dd of=trace/trace bs=1 seek=3208 conv=notrunc 2>/dev/null
status 0 "$tool" pause trace
[ "$(word 3208 8)" = 0 ] || bad "the deadline of a killed recorder is still there"
round
end
expect pthread_mutex_lock 1000

# The environment asks for a trace that begins with a pause, with and without the tool.
for variable in SYNTRACE_PAUSED=1 SYNTRACE_PAUSED=0 SYNTRACE_PAUSED=; do
	rm -rf trace trace.old
	env "$variable" SYNTRACE_DIR=trace LD_PRELOAD="$top_builddir/.libs/libsyntrace.so" ./rounds <in >out.fifo 2>said &
	recorder=$!
	exec 8>in 9<out.fifo
	round
	status 0 "$tool" resume trace
	round
	end
	expect pthread_mutex_lock $([ $variable = SYNTRACE_PAUSED=1 ] && echo 1000 || echo 2000)
	status 0 "$decode" check trace
done
(
	SYNTRACE_PAUSED=yes
	export SYNTRACE_PAUSED
	start
	round
	end
	expect pthread_mutex_lock 0
)

# A copy of the window since the last resume: it has all events of the window, and at most a block of older ones.
start
i=0
while [ $i -lt 100 ]; do
	round
	i=$((i + 1))
done
status 0 "$tool" pause trace
round
status 0 "$tool" resume trace
round
round
status 0 "$tool" snapshot -o open --window trace
status 0 "$tool" pause trace
round
status 0 "$tool" snapshot -o closed --window trace
status 0 "$tool" snapshot -o all trace
end
of_window()
{
	# the times of the events differ by the rounding of the clock
	"$decode" events --no-stacks --format=jsonl --call=pthread_mutex_lock "$1" 2>/dev/null |
		sed -n '/"call":"pthread_mutex_lock"/s/.*"id":"\([^"]*\)".*/\1/p' >"locks.$1"
	wc -l <"locks.$1" | tr -d ' '
}
[ "$(of_window all)" = 102000 ] || bad "the whole copy has $(of_window all) locks"
for copy in open closed; do
	nr=$(of_window $copy)
	[ "$nr" -ge 2000 ] && [ "$nr" -le 30000 ] || bad "$copy: the copy of the window has $nr locks"
	tail -n "$nr" locks.all | cmp -s - locks.$copy || bad "$copy: the copy has other events than the trace"
	status 0 "$decode" check $copy
done
status 0 "$decode" edges --format=jsonl closed
has out '"kind":"stream"'

# Errors: no such trace or process.
status 4 "$tool" pause 1
status 4 "$tool" pause ./nowhere
status 4 "$tool" resume no-such-program
mkdir empty
status 4 "$tool" pause empty
status 2 "$tool" pause
status 2 "$tool" resume trace trace
tool_end
