#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Unix connections whose connects and accepts overlap: under syntrace record the kernel names the
# pairs of ends. Without it, only pairs that follow from the order are formed, and are marked as
# inferred.
. "$(dirname "$0")/lib.sh"
tool_need_library

# Two client processes with four threads each, a server process with two accepting threads; each connection says
# its number, and all stay open until the file `go` is there.
cat >pairs.c <<'END_OF_SOURCE'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_THREADS 4

static struct sockaddr_un name = {AF_UNIX, "socket"};
static int type, listener;

static void wait_for_go(void)
{
	while (access("go", F_OK))
		usleep(10000);
}

static void *client(void *arg)
{
	char c = (char)(long)arg, answer;
	int fd = socket(AF_UNIX, type, 0);

	if (connect(fd, (struct sockaddr *)&name, sizeof(name)) || write(fd, &c, 1) != 1 ||
	    read(fd, &answer, 1) != 1 || answer != c)
		abort();
	wait_for_go();
	close(fd);
	return NULL;
}

static void *server(void *arg)
{
	int fds[NR_THREADS];
	char c;

	for (int i = 0; i < NR_THREADS; i++) {
		fds[i] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fds[i] < 0 || read(fds[i], &c, 1) != 1 || write(fds[i], &c, 1) != 1)
			abort();
	}
	wait_for_go();
	return arg;
}

static void in_threads(void *(*what)(void *), int nr)
{
	pthread_t threads[NR_THREADS];

	for (long i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, what, (void *)('a' + i)))
			abort();
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	int status;

	type = argc > 1 && !strcmp(argv[1], "packets") ? SOCK_SEQPACKET : SOCK_STREAM;
	listener = socket(AF_UNIX, type, 0);
	unlink(name.sun_path);
	if (bind(listener, (struct sockaddr *)&name, sizeof(name)) || listen(listener, 16))
		abort();
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			in_threads(client, NR_THREADS);
			exit(0);
		}
	in_threads(server, 2);
	for (int i = 0; i < 2; i++)
		if (wait(&status) < 0 || status)
			abort();
	return 0;
}
END_OF_SOURCE
$CC -O1 -o pairs pairs.c -lpthread || exit 99

# FILE MEMBER: of the coverage line.
pairs_of()
{
	sed -n 's/.*"pairs":{\([^}]*\)}.*/\1/p' "$1" | tr ',' '\n' | sed -n "s/\"$2\"://p"
}

# PROGRAM... is the last background job: lets it go when FILE has BYTES, or when that takes too long.
go_when()
{
	for _ in $(seq 600); do
		[ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -lt "$2" ] || break
		sleep 0.1
	done
	touch go
	wait $! || bad "exit status $?"
	rm -f go
}

if unshare -n true 2>/dev/null; then apart="unshare -n"; else apart=; fi
for what in streams packets apart; do
	enter=
	[ $what != apart ] || enter=$apart
	[ $what != apart ] || [ -n "$apart" ] || continue
	timeout -k 5 120 "$tool" record -q -o "$what" $enter ./pairs $what &
	go_when "$what/peers" $((48 + 8 * 48))
	"$top_builddir/syntrace-decode" stat --format=jsonl "$what" >stat || bad "stat: $?"
	[ "$(pairs_of stat exact)" = 8 ] || bad "$what: $(pairs_of stat exact) exact pairs, expected 8"
	[ "$(pairs_of stat inferred)" = 0 ] || bad "$what: $(pairs_of stat inferred) inferred pairs, expected none"
	"$top_builddir/syntrace-decode" edges --format=jsonl "$what" >edges || bad "edges: $?"
	hasnt edges '"confidence"'
	[ "$(grep -c '"kind":"stream"' edges)" -ge 16 ] || [ $what = packets ] ||
		bad "$what: too few stream edges"
done

# Without the kernel's answer: no file, and the pairs are marked as inferred.
SYNTRACE_DIR=alone LD_PRELOAD=$(readlink -f "$top_builddir/.libs/libsyntrace.so") timeout -k 5 120 ./pairs streams &
sleep 0.5
go_when alone/none 0
[ ! -e alone/peers ] || bad "peers without syntrace record"
"$top_builddir/syntrace-decode" stat --format=jsonl alone >stat || bad "stat: $?"
[ "$(pairs_of stat exact)" = 0 ] || bad "alone: $(pairs_of stat exact) exact pairs, expected none"
total=$(($(pairs_of stat inferred) * 2 + $(pairs_of stat unknown)))
[ $total = 16 ] || bad "alone: $total ends, expected 16"
status 0 "$top_builddir/syntrace-decode" edges --verify alone
"$top_builddir/syntrace-decode" edges --format=jsonl alone >edges
hasnt edges '"kind":"stream".*[0-9]}$'

# The readable part of a damaged file is used.
cp -r streams damaged
printf 'x' | dd of=damaged/peers bs=1 seek=60 conv=notrunc 2>dd.err
truncate -s -7 damaged/peers
"$top_builddir/syntrace-decode" stat --format=jsonl damaged >stat 2>err || bad "damaged: $?"
has err 'peers: 1 damaged records'
[ "$(pairs_of stat exact)" = 6 ] || bad "damaged: $(pairs_of stat exact) exact pairs, expected 6"
tool_end
