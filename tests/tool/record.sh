#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace record as a stand-in for the program: exit statuses, signals, output, environment, directory.
. "$(dirname "$0")/lib.sh"
tool_need_library

cat >work.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void locks(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
}

static void on_term(int signal)
{
	(void)signal;
	_exit(42);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	locks(10);
	if (!strcmp(what, "status"))
		return atoi(argv[2]);
	if (!strcmp(what, "signal")) {
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, atoi(argv[2]));
		signal(atoi(argv[2]), SIG_DFL);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		raise(atoi(argv[2]));
	}
	if (!strcmp(what, "echo"))
		printf("%s\n", argv[2]);
	if (!strcmp(what, "handle"))
		signal(SIGTERM, on_term);
	if (!strcmp(what, "stubborn"))
		signal(SIGTERM, SIG_IGN);
	if (!strcmp(what, "handle") || !strcmp(what, "stubborn") || !strcmp(what, "wait")) {
		if (argc > 2)
			fclose(fopen(argv[2], "w"));
		for (;;)
			pause();
	}
	return 0;
}
END
$CC -o work work.c -pthread || exit 99

# The program's status is the tool's.
status 0 "$tool" record ./work
status 7 "$tool" record -q ./work status 7
status 255 "$tool" record -q -- ./work status 255
status 125 "$tool" record -q ./work status 125
status 139 "$tool" record -q ./work signal 11
status 137 "$tool" record -q ./work signal 9
status 143 "$tool" ./work signal 15

# How it ended, too: of the same signal, and the core is the program's alone.
cat >ended.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* ended IGNORED COMMAND...: runs it with that signal blocked and says how it ended. */
int main(int argc, char **argv)
{
	int status, blocked = 0;
	sigset_t set;

	if (argc < 3 || sscanf(argv[1], "%d", &blocked) != 1)
		return 2;
	sigemptyset(&set);
	if (blocked)
		sigaddset(&set, blocked);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pid_t pid = fork();
	if (!pid) {
		execv(argv[2], argv + 2);
		_exit(99);
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		printf("signal %d%s\n", WTERMSIG(status), WCOREDUMP(status) ? " core" : "");
	else
		printf("status %d\n", WEXITSTATUS(status));
	return 0;
}
END
$CC -o ended ended.c || exit 99
# BLOCKED TEXT COMMAND...
ended()
{
	ended_expected=$2
	ended_blocked=$1
	shift 2
	status 0 ./ended "$ended_blocked" "$@"
	[ "$(cat out)" = "$ended_expected" ] || bad "$*: expected $ended_expected"
}
mkdir cores
for signal in 1 2 3 6 8 9 11 13 15 34 64; do
	(ulimit -c unlimited 2>/dev/null; cd cores && ../ended 0 "$tool" record ../work signal $signal) >out 2>err
	[ "$(cat out)" = "signal $signal" ] || bad "signal $signal: expected to die of it, without a core"
	has err 'recorded 1 process image'
done
ended 0 'signal 15' "$tool" ./work signal 15
ended 10 'signal 10' "$tool" record -q ./work signal 10
ended 0 'signal 15' /bin/sh -c 'trap "" TERM; exec "$@"' - "$tool" record -q ./work signal 15
ended 0 'status 143' "$tool" record -q ./work status 143
status 127 "$tool" record ./nosuch
has err '^syntrace: cannot run ./nosuch: No such file'
status 127 "$tool" record nosuch-program
: >noexec
for file in ./noexec ./cores; do
	rm -rf last last.old
	status 0 "$tool" record -q -o last ./work
	status 126 "$tool" record -o last "$file"
	has err "^syntrace: cannot run $file: Permission denied"
	[ -d last ] && [ ! -e last.old ] || bad "$file: the last trace was moved away for nothing"
done
status 125 "$tool" record
status 125 "$tool" record --ring=x ./work
status 125 "$tool" record --ring=0 ./work
status 125 "$tool" record --ring=1Q ./work
status 125 "$tool" record --ring=99999999999G ./work
status 125 "$tool" record --ring=1M --stream ./work
status 125 "$tool" record --duration=soon ./work
status 125 "$tool" record --nosuch ./work
status 2 "$tool"
status 2 "$tool" --nosuch
status 0 "$tool" --help
status 0 "$tool" --version

# Options of the program are the program's, and its output is alone on standard output.
rm -rf syntrace.data*
status 0 "$tool" record ./work echo --help
[ "$(cat out)" = --help ] || bad 'the output is not the program'\''s'
has err '^syntrace: recorded 1 process image, 1 thread, [0-9]+ events, [0-9.]+ [KM]iB in syntrace.data$'
has err '^syntrace: next: syntrace-decode diagnose syntrace.data$'
[ "$(wc -l <err)" -le 10 ] || bad 'more than ten lines'
status 0 "$tool" ./work echo -o
[ "$(cat out)" = -o ] || bad 'the output is not the program'\''s'
status 0 "$tool" record -q ./work
[ ! -s err ] || bad '-q prints'
status 3 "$tool" record sh -c 'echo "$1"; ./work; cat; exit 3' - 'a b' <<END
from standard input
END
[ "$(cat out)" = 'a b
from standard input' ] || bad 'arguments or standard input differ'
has err 'recorded [2-9] process images'

# The directory.
rm -rf syntrace.data*
status 0 "$tool" record -o d ./work
[ "$(stat -c %a d)" = 700 ] || bad "mode of d is $(stat -c %a d)"
for file in d/*; do
	[ "$(stat -c %a "$file")" = 600 ] || bad "mode of $file is $(stat -c %a "$file")"
done
first=$(cd d && echo *)
status 0 "$tool" record -o d/ ./work
[ "$(cd d.old && echo *)" = "$first" ] || bad 'd.old is not the previous trace'
status 0 "$tool" record -o d ./work
status 125 "$tool" record --no-clobber -o d ./work
has err 'no-clobber'
status 125 "$tool" record -o no/such/place ./work
has err 'no/such/place: No such file'
mkdir other && echo precious >other/file
status 125 "$tool" record -o other ./work
[ -f other/file ] || bad 'a file of somebody else is gone'
ln -s other link
status 125 "$tool" record -o link ./work
status 125 "$tool" record -o noexec ./work
mkdir e.old && echo precious >e.old/file
status 0 "$tool" record -o e ./work
first=$(cd e && echo *)
status 0 "$tool" record -o e ./work
has err '^syntrace: e.old is not a finished trace, or contains other files, so it was kept; the previous trace is now e.old.1$'
[ -f e.old/file ] || bad 'a file of somebody else is gone'
[ "$(cd e.old.1 && echo *)" = "$first" ] || bad 'e.old.1 is not the previous trace'
rm -rf e.old.1 && mkdir e.old.1 && echo precious >e.old.1/db.dump
rm e.old/file && cp -r d e.old/inner && mv e.old/inner/* e.old && rmdir e.old/inner && echo precious >e.old/0009.9.dump
status 0 "$tool" record -o e ./work
has err 'the previous trace is now e.old.2$'
grep -q precious e.old/0009.9.dump && grep -q precious e.old.1/db.dump || bad 'a file of somebody else is gone'
mkdir group && chmod 775 group && : >group/0001.1.dump
status 125 "$tool" record -o group ./work
has err 'other users may write to group, and could end the program in this way: run chmod go-w group'
status 125 "$tool" record --max-size=511K ./work
has err 'max-size takes a size of at least 512K'
mkdir empty && chmod 755 empty
status 0 "$tool" record -o empty ./work
[ "$(stat -c %a empty)" = 700 ] || bad 'the mode of an empty directory stays'
mkdir 'it'\''s here'
status 0 "$tool" record -o 'it'\''s here' ./work
has err "next: syntrace-decode diagnose 'it'\\\\''s here'\$"

# A program that cannot be recorded runs all the same, and the tool says why nothing was recorded.
if $CC -static -o static work.c -pthread 2>/dev/null; then
	status 5 "$tool" record -o s ./static status 5
	has err '^syntrace: nothing will be recorded of ./static, or of the programs that it starts:$'
	has err 'linked statically'
	[ ! -e s ] || bad 'an empty trace is left'
fi
if musl-gcc -o musl work.c 2>/dev/null; then
	status 6 "$tool" record ./musl status 6
	has err 'not glibc'
fi
status 0 env SYNTRACE_DISABLE=1 "$tool" record -o s ./work
has err 'SYNTRACE_DISABLE'

# A recording inside of one: a trace of its own.
status 3 "$tool" record --stream -o outer -q sh -c "$tool record -o inner -q ./work status 3; exit \$?"
"${tool}-decode" stat inner >out || bad 'no inner trace'
has out '^  command    ./work status 3$'
"${tool}-decode" stat outer >err
hasnt err '^  command    ./work'
status 0 "$tool" record -o empty -q ./work status 0 '' last ''
"${tool}-decode" stat empty >out || bad 'no trace of a program with empty arguments'
has out "^  command    ./work status 0 '' last ''\$"

# Other preloaded libraries stay, sanitizer runtimes come first.
printf '%s\n' '#include <stdio.h>' '__attribute__((constructor)) static void f(void) { puts("preloaded"); }' >pre.c
$CC -shared -fPIC -o pre.so pre.c
# (the tool itself must not have a sanitizer, which would want to be first)
if [ -z "${SYNTRACE_SANITIZED-}" ]; then
	status 0 env LD_PRELOAD="$PWD/pre.so" "$tool" record -o d -q ./work
	has out '^preloaded$'
fi
if $CC -fsanitize=address -o asan work.c -pthread 2>/dev/null && ./asan; then
	status 4 "$tool" record -o d ./asan status 4
	hasnt err 'AddressSanitizer|does not come first'
	has err 'recorded 1 process image'
fi

# Waits until FILE is there.
await()
{
	for _ in $(seq 100); do
		[ ! -e "$1" ] || return 0
		sleep 0.1
	done
	bad "$1 did not appear"
}

# Signals sent to the tool reach the program.
for signal in TERM:42 HUP:129 USR1:138; do
	rm -f ready
	"$tool" record -o d ./work handle ready >out 2>err &
	pid=$!
	await ready
	kill -"${signal%:*}" $pid
	wait $pid
	rv=$?
	[ $rv -eq "${signal#*:}" ] || bad "SIG${signal%:*}: exit status $rv"
done

# A duration ends what does not end itself, and does not delay what does.
status 143 timeout 20 "$tool" record -o d --duration 0.3 ./work wait
has err 'recorded 1 process image'
status 42 timeout 20 "$tool" record -o d --duration 0.3 ./work handle
status 137 timeout 20 "$tool" record -o d --duration 0.3 ./work stubborn
has err 'still ran 5 s after SIGTERM'
status 9 timeout 5 "$tool" record -o d --duration 1000 ./work status 9

# A dump of a process that was killed is cut to what was used.
"$tool" record -o d -q ./work signal 9
for file in d/*.dump; do
	[ "$(stat -c %s "$file")" -le 16777216 ] || bad "$file: $(stat -c %s "$file") bytes"
done

# Inherited dispositions: SIGCHLD ignored by our parent changes nothing.
status 7 sh -c 'trap "" CHLD; exec "$@"' - "$tool" record -o d ./work status 7

# A trace into which a process still records is not taken away.
rm -f ready
"$tool" record -o live -q ./work wait ready >out 2>err &
pid=$!
await ready
status 125 "$tool" record -o live ./work
has err 'is still writing a trace into live'
kill $pid
wait $pid
status 0 "$tool" record -o live ./work
# Who looks behind the environment for the auxiliary vector finds it, whatever variables of ours there are, also those that
# the recorder does not take out.
cat >auxiliary.c <<'END'
#include <elf.h>
extern char **environ;
int main(void)
{
	char **end = environ;

	while (*end)
		end++;
	for (const Elf64_auxv_t *a = (const void *)(end + 1); a->a_type != AT_NULL; a++)
		if (a->a_type == AT_PAGESZ)
			return 0;
	return 1;
}
END
if $CC -o auxiliary auxiliary.c 2>/dev/null; then
	for variables in A=1 SYNTRACE_PAGER=x 'SYNTRACE_PAGER=x SYNTRACE_RING=1M' SYNTRACE_CONFIG= 'SYNTRACE_CONFIG= SYNTRACE_MODE=ring'; do
		# shellcheck disable=SC2086 # a list of words
		status 0 env $variables "$tool" record -q ./auxiliary
	done
fi
tool_end
