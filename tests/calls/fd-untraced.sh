#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# TCP connections that an untraced process uses, too: an untraced child writes to or reads from an
# inherited connection. At the close, the recorder knows which connections moved unrecorded bytes;
# the other connections keep their edges.
. "$(dirname "$0")/../lib.sh"
: "${CC:=cc}"
need "$CC"

cat >"$dir/untraced.c" <<'END'
#define _GNU_SOURCE
#include <netinet/in.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition_) if (!(condition_)) _exit(__LINE__ % 200 + 1)

static void open_pair(int s[2])
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t bytes = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM, 0);

	s[0] = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(bind(l, (struct sockaddr *)&a, bytes) == 0 && listen(l, 1) == 0);
	CHECK(getsockname(l, (struct sockaddr *)&a, &bytes) == 0);
	CHECK(connect(s[0], (struct sockaddr *)&a, bytes) == 0);
	CHECK((s[1] = accept(l, NULL, NULL)) >= 0);
	close(l);
}

/* The child, another image, which nobody traces: NR bytes. */
static void child(char *self, const char *how, int fd)
{
	char number[16], *argv[] = {self, (char *)how, number, NULL};
	char *none[] = {NULL}, *disabled[] = {"SYNTRACE_DISABLE=1", NULL};
	int status;
	pid_t pid;

	snprintf(number, sizeof(number), "%d", fd);
	pid = fork();
	if (pid == 0)
		execve(strcmp(how, "static") ? self : "./static", argv, strcmp(how, "static") ? disabled : none);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* NR connections whose bytes are moved where no wrapper sees it. */
static void many(int nr)
{
	char b[64] = "";
	int s[2];

	while (nr--) {
		open_pair(s);
		CHECK(syscall(SYS_sendto, s[0], b, 10, 0, NULL, 0) == 10);
		CHECK(recv(s[1], b, 10, MSG_WAITALL) == 10);
		close(s[0]);
		close(s[1]);
	}
}

int main(int argc, char **argv)
{
	char b[64] = "";
	int s[2], in_child;

	if (argc > 2) { /* untraced */
		int fd = atoi(argv[2]);

		if (!strcmp(argv[1], "reads"))
			return read(fd, b, 10) != 10;
		return write(fd, b, 10) != 10;
	}
	CHECK(argc == 2);
	if (!strcmp(argv[1], "many")) {
		pid_t pid;

		many(30);
		CHECK((pid = fork()) >= 0);
		many(pid ? 10 : 15);
		CHECK(!pid || (wait(&s[0]) == pid && s[0] == 0));
		return 0;
	}
	in_child = strcmp(argv[1], "nobody") && strcmp(argv[1], "urgent") && strcmp(argv[1], "closed");
	open_pair(s);
	CHECK(write(s[0], b, 20) == 20 && read(s[1], b, 20) == 20);
	CHECK(write(s[1], b, 7) == 7); /* is not read */
	if (!strcmp(argv[1], "reads")) {
		CHECK(write(s[0], b, 20) == 20);
		child(argv[0], "reads", s[1]);
	} else if (in_child) {
		child(argv[0], argv[1], s[0]);
		CHECK(recv(s[1], b, 10, MSG_WAITALL) == 10);
	} else if (!strcmp(argv[1], "urgent")) {
		for (int i = 0; i < 4; i++) {
			CHECK(send(s[0], b, 2, MSG_OOB) == 2 && recv(s[1], b, 1, MSG_WAITALL) == 1);
			CHECK(recv(s[1], b, 1, MSG_OOB) == 1);
		}
	} else if (!strcmp(argv[1], "closed")) {
		CHECK(shutdown(s[0], SHUT_WR) == 0 && read(s[1], b, 1) == 0);
	}
	close(s[1]);
	close(s[0]);
	return 0;
}
END
"$CC" -o "$dir/untraced" "$dir/untraced.c" || fail "does not compile"
"$CC" -static -o "$dir/static" "$dir/untraced.c" 2>/dev/null || echo "no static libc: left out"
cd "$dir" || exit 99

# see HOW NR TEXT: NR connections moved unrecorded bytes, TEXT.
see()
{
	[ "$1" != static ] || [ -x static ] || return
	rm -rf trace
	SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" timeout 60 ./untraced "$1" || fail "$1: exit status $?"
	"$decode" stat --format=jsonl trace >stat || fail "$1: exit status $? of syntrace-decode"
	nr=$(sed -n 's/.*"what":"tcp","count":\([0-9]*\).*/\1/p' stat)
	[ "${nr:-0}" = "$2" ] || fail "$1: ${nr:-0} connections, not $2"
	[ -z "$3" ] || grep -q "\"what\":\"tcp\",\"count\":$2,\"examples\":\\[\"$3\"\\]" stat || {
		fail "$1: not '$3'"
		grep coverage stat
	}
}

see nobody 0 ""
see closed 0 ""
see urgent 0 ""
see static 1 "10 sent, 0 received"
see disabled 1 "10 sent, 0 received"
see reads 1 "0 sent, 10 received"
# the first ones of each process have notes, the others are counted
see many 55 ""
nr=$(cat trace/*.dump | grep -ao '10 sent, 0 received' | wc -l)
[ "$nr" = 31 ] || fail "many: $nr notes, not 16 and 15"
"$decode" stat trace | unwrap | grep -q "55 TCP connections with unrecorded bytes (10 sent, 0 received, ...)" ||
	fail "many: the coverage line does not say it"
see reads 1 "0 sent, 10 received"
"$decode" stat trace | unwrap | grep -q "1 TCP connection with unrecorded bytes (0 sent, 10 received)" ||
	fail "the coverage line does not say it"
finish
