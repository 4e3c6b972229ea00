#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace pause --deep: positions of streams are learned after the pause. The bytes of the pause would make a later receive look
# like one of other bytes.
. "$(dirname "$0")/lib.sh"
tool_need_library
decode=$top_builddir/syntrace-decode

# For each character that it reads: s, the main thread sends 10 bytes to each channel; r, the other thread receives 10 bytes; e, the
# first thread adds to an eventfd, and the other one reads it. Then a line on standard output.
cat >moves.c <<'END'
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int to[3], from[3], event;
static char asked;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void ask(char what)
{
	pthread_mutex_lock(&m);
	asked = what;
	pthread_cond_broadcast(&c);
	while (asked)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
}

static void *other(void *unused)
{
	char bytes[10];
	uint64_t units;

	pthread_mutex_lock(&m);
	for (;;) {
		while (!asked)
			pthread_cond_wait(&c, &m);
		if (asked == 'q')
			break;
		if (asked == 'e' && read(event, &units, 8) != 8)
			_exit(3);
		for (int n = 0; n < 3 && asked == 'r'; n++)
			if (read(from[n], bytes, 10) != 10)
				_exit(4);
		asked = 0;
		pthread_cond_broadcast(&c);
	}
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM, 0), fds[2];
	uint64_t one = 1;
	pthread_t thread;
	char what;

	if (bind(l, (void *)&a, length) || listen(l, 1) || getsockname(l, (void *)&a, &length))
		return 1;
	to[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(to[0], (void *)&a, length) || (from[0] = accept(l, NULL, NULL)) < 0 || pipe(fds))
		return 1;
	from[1] = fds[0];
	to[1] = fds[1];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return 1;
	to[2] = fds[0];
	from[2] = fds[1];
	event = eventfd(0, 0);
	pthread_create(&thread, NULL, other, NULL);
	while (read(0, &what, 1) == 1) {
		for (int n = 0; n < 3 && what == 's'; n++)
			if (write(to[n], "0123456789", 10) != 10)
				return 2;
		if (what == 'e' && write(event, &one, 8) != 8)
			return 2;
		if (what == 'q') {
			pthread_mutex_lock(&m);
			asked = what;
			pthread_cond_broadcast(&c);
			pthread_mutex_unlock(&m);
		} else if (what != 's') {
			ask(what);
		}
		if (write(1, "\n", 1) != 1)
			return 1;
		if (what == 'q')
			break;
	}
	pthread_join(thread, NULL);
	return 0;
}
END
$CC -o moves moves.c -pthread || exit 99
mkfifo in out.fifo || exit 99

# CHARACTERS
do_all()
{
	for tool_what in $(echo "$1" | sed 's/./& /g'); do
		printf %s "$tool_what" >&8
		read -r tool_line <&9 || bad "the program has ended"
	done
}

start()
{
	rm -rf trace trace.old
	"$tool" record --paused -o trace -- ./moves <in >out.fifo 2>said &
	recorder=$!
	exec 8>in 9<out.fifo
}

end()
{
	exec 8>&- 9<&-
	wait $recorder || bad "the program's exit status is $?"
	status 0 "$decode" check trace
}

start
do_all se # a pause that counts
status 0 "$tool" pause --deep trace
has err 'recording into .*/trace is paused$'
do_all ssree
status 0 "$tool" resume trace
do_all esrrre # the first e shows that both threads have returned from their calls in the pause
status 0 "$tool" pause --deep trace
do_all srq
end
"$decode" edges --format=jsonl --kind=stream trace >edges 2>/dev/null || bad "edges: status $?"
"$decode" events --format=jsonl trace 2>/dev/null | grep -E '"call":"(read|write)"' >moves.jsonl

# OBJECT OFFSET: one edge, from the send to the receive at OFFSET. The 30 bytes before are 10 that were counted and 20 that were not.
expect()
{
	tool_ids=$(sed -n "s/.*\"from\":\"\([0-9.]*\)\",\"to\":\"\([0-9.]*\)\".*\"object\":\"$1:.*/\1 \2/p" edges)
	# shellcheck disable=SC2086 # two ids
	set -- "$1" "$2" $tool_ids
	[ $# = 4 ] || bad "$1: the edges are $tool_ids"
	for tool_id in "${3:-none}" "${4:-none}"; do
		grep -q "\"id\":\"$tool_id\".*\"object\":\"$1:.*\"offset\":$2," moves.jsonl || bad "$1: $tool_id is not at $2: $(cat moves.jsonl)"
	done
}
expect stream 30
expect pipe 30
expect eventfd 2
# nobody knows the positions of the unix sockets
[ "$(grep -c . edges)" = 3 ] || bad "other edges: $(cat edges)"

# A call that began in the first pause and lasts through the second one: only after its return no event is missing, so only the second
# of two sends is surely the cause of a receive.
start
do_all sr
status 0 "$tool" resume trace
status 0 "$tool" pause trace
status 0 "$tool" resume trace
do_all srsr
status 0 "$tool" pause trace
do_all q
end
"$decode" edges --format=jsonl --kind=stream trace >edges 2>/dev/null || bad "edges: status $?"
"$decode" events --format=jsonl trace 2>/dev/null | grep -E '"call":"(read|write)"' >moves.jsonl
expect pipe 20
tool_end
