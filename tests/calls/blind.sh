#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Programs that cannot be traced: they run as they do untraced, and the dump says that they were not seen.
# Started by exec and by posix_spawn, directly and through a "#!" line.
. "$(dirname "$0")/../lib.sh"
: "${CC:=cc}"
need "$CC"

cat >"$dir/start.c" <<'END'
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
	pid_t pid = 0;
	int status;
	if (argc < 3)
		return 99;
	if (!strcmp(argv[1], "exec")) {
		execv(argv[2], argv + 2);
		return 98;
	}
	if (posix_spawn(&pid, argv[2], 0, 0, argv + 2, environ))
		return 98;
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}
END
cat >"$dir/hello.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern char **environ;
int main(void)
{
	for (char **e = environ; *e; e++)
		if (!strncmp(*e, "SYNTRACE_LD", 11) || !strncmp(*e, "SYNTRACE_NO", 11))
			puts(*e);
	puts("hello");
	return 5;
}
END
"$CC" -o "$dir/start" "$dir/start.c" || fail "does not compile"

# blind NAME WHAT PROGRAM: started both ways, it says hello, and the dump names it as WHAT.
blind()
{
	for how in exec spawn; do
		rm -rf "$dir/trace"
		SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" timeout 60 "$dir/start" $how "$3" >"$dir/out" 2>&1
		rv=$?
		[ $rv -eq 5 ] && [ "$(cat "$dir/out")" = hello ] || fail "$1 by $how: exit status $rv: $(cat "$dir/out")"
		"$decode" stat "$dir/trace" >"$dir/stat" 2>"$dir/err" || fail "$1 by $how: $(cat "$dir/err")"
		grep -qi "$2" "$dir/stat" || {
			fail "$1 by $how: the stat does not say '$2'"
			cat "$dir/stat"
		}
	done
}

# The Go runtime makes its system calls itself; the note of Go's linker tells. A library has one path in the program's map.
cat >"$dir/go.c" <<'END'
#include <pthread.h>
__asm__(".pushsection .note.go.buildid,\"a\",@note; .balign 4; .long 4, 4, 4; .ascii \"Go\\0\\0test\"; .popsection");
int go_lock(void);
int go_lock(void)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	return pthread_mutex_lock(&m) || pthread_mutex_unlock(&m);
}
END
cat >"$dir/main.c" <<'END'
int go_lock(void);
int main(void)
{
	return go_lock();
}
END
"$CC" -o "$dir/go" "$dir/main.c" "$dir/go.c" -pthread && "$CC" -shared -fPIC -o "$dir/libgo-test.so" "$dir/go.c" -pthread &&
	"$CC" -o "$dir/loads-go" "$dir/main.c" "$dir/libgo-test.so" || fail "go: does not compile"
for program in go loads-go; do
	rm -rf "$dir/trace"
	SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" timeout 60 "$dir/$program" || fail "$program: exit status $?"
	"$decode" stat --format=jsonl "$dir/trace" >"$dir/stat" 2>"$dir/err" || fail "$program: $(cat "$dir/err")"
	grep -q '"what":"go","count":1,' "$dir/stat" || {
		fail "$program: the Go runtime is not a blind spot"
		cat "$dir/stat"
	}
done

if "$CC" -static -o "$dir/static" "$dir/hello.c" 2>"$dir/err"; then
	blind static static "$dir/static"
	printf '#!%s\n' "$dir/static" >"$dir/script"
	chmod +x "$dir/script"
	blind "script of a static program" static "$dir/script"
else
	echo "static: not tested, there is no static libc"
fi
"$CC" -o "$dir/loader" "$dir/hello.c" && cp "$dir/loader" "$dir/other"
# Another libc's loader: this one under another name.
loader=$(readelf -lW "$dir/loader" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
cp "$loader" "$dir/ld-musl-test.so.1"
"$CC" -Wl,--dynamic-linker="$dir/ld-musl-test.so.1" -o "$dir/musl" "$dir/hello.c"
blind "another libc" 'another libc' "$dir/musl"
if [ "$(id -u)" = 0 ] && cp "$dir/loader" "$dir/setuid" && chown 65534 "$dir/setuid" &&
	chmod 4755 "$dir/setuid" && chmod 755 "$dir"; then
	blind setuid privileges "$dir/setuid"
	# A result for one user does not hold for another: here a file of root, which gives root no
	# other rights.
	cat >"$dir/users.c" <<'END'
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
static int start(char *path)
{
	char *argv[] = {path, 0}, *none[] = {0};
	int status;
	pid_t pid;
	return posix_spawn(&pid, path, 0, 0, argv, none) || waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 5;
}
int main(int argc, char **argv)
{
	return argc != 2 || start(argv[1]) || setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) ||
	       start(argv[1]);
}
END
	"$CC" -D_GNU_SOURCE -o "$dir/users" "$dir/users.c" && chown 0 "$dir/setuid" && chmod 4755 "$dir/setuid" ||
		fail "setuid, two users: does not compile"
	rm -rf "$dir/trace"
	timeout 60 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$dir/users" "$dir/setuid" >"$dir/out" 2>&1 ||
		fail "setuid, two users: exit status $?: $(cat "$dir/out")"
	"$decode" stat --format=jsonl "$dir/trace" >"$dir/stat" 2>"$dir/err" || fail "setuid, two users: $(cat "$dir/err")"
	grep -q '"what":"setuid","count":1,' "$dir/stat" || {
		fail "setuid, two users: not seen is not one program with privileges"
		grep blind "$dir/stat"
	}
	[ "$(grep -c '"type":"process"' "$dir/stat")" = 2 ] || fail "setuid, two users: not root's program alone was recorded"
else
	echo "setuid: not tested, needs root"
fi
finish
