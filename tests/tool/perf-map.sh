#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Generated code has the names of the program's map for perf, which syntrace record copies into the trace.
. "$(dirname "$0")/lib.sh"
tool_need_library
decode=$top_builddir/syntrace-decode
[ "$(uname -m)" = x86_64 ] || {
	echo "skipped: the generated code is for x86-64"
	exit 77
}

cat >jit.c <<'END'
/* Generates two functions that call their argument, and takes a lock in each. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	/* sub $8, %rsp; call *%rdi; add $8, %rsp; ret */
	static const unsigned char call[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3};
	char *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	puts(path);
	memcpy(code, call, sizeof(call));
	memcpy(code + 4096, call, sizeof(call));
	f = fopen(path, "w");
	if (!f || code == MAP_FAILED)
		return 1;
	fprintf(f, "%lx 10 replaced\n", (long)code);
	fprintf(f, "nonsense\n%lx\n%lx 0 empty\n%lx ffffffffffffffff overflow\n", (long)code, (long)code, (long)code);
	fprintf(f, "%lx 10 first;half\n", (long)code);
	fprintf(f, "%lx b py::second:/app/second.py\n", (long)(code + 4096));
	fclose(f);
	((void (*)(void (*)(void)))code)(take);
	((void (*)(void (*)(void)))(code + 4096))(take);
	if (argc > 1)
		unlink(path);
	return argc > 2 && argv[0];
}
END
$CC -g -O0 -pthread -o jit jit.c || exit 99

# TRACE: the functions have names in a report and in JSON.
named()
{
	"$decode" events --call pthread_mutex_lock "$1" >out 2>err
	has out '^ +first:half$'
	has out '^ +py::second at /app/second\.py$'
	hasnt out replaced
	"$decode" events --format=jsonl --call pthread_mutex_lock "$1" >out 2>err
	has out '"module":null,"fn":"first:half"'
	has out '"module":null,"fn":"py::second","file":"/app/second.py"'
	"$decode" contention '--object=mutex:*' "$1" >out 2>err
	hasnt out 'generated code'
}

# unnamed TRACE
unnamed()
{
	"$decode" events --call pthread_mutex_lock "$1" >out 2>err
	hasnt out 'first:half|second'
	has out '^ +0x[0-9a-f]+$'
	"$decode" contention '--object=mutex:*' "$1" >out 2>err
	has out '^Functions shown as an address .*generated code.* java .*DumpPerfMapAtExit'
}

# The copy in the trace is enough.
status 0 "$tool" record -o t ./jit
map=$(grep '^/tmp/perf-' out)
pid=${map#/tmp/perf-}
pid=${pid%.map}
[ -f "t/perf-$pid.map" ] || bad "record did not copy $map"
rm -f "$map"
named t

# A trace with a copy is still a trace: record renames it, and removes the one before.
status 0 "$tool" record -q -o t ./jit
rm -f "$(cat out)"
status 0 "$tool" record -q -o t ./jit
rm -f "$(cat out)"
[ ! -e t.old.1 ] || bad "record did not remove t.old"

# A recording without the launcher: the file in /tmp, if it belongs to the process.
SYNTRACE_DIR=$PWD/preload LD_PRELOAD=$top_builddir/.libs/libsyntrace.so ./jit >map || bad "jit"
map=$(cat map)
named preload
touch -d '2001-01-01' "$map"
unnamed preload
touch "$map"
named preload
if [ "$(id -u)" = 0 ]; then
	chown 1 "$map"
	unnamed preload
fi
mv "$map" elsewhere
ln -s "$PWD/elsewhere" "$map"
unnamed preload
rm -f "$map"

# Any bytes in the map.
for copy in t/perf-*.map; do
	head -c 300000 /dev/urandom >noise
	tr -c '0-9a-f \n' '0-9a-f \n0-9a-f \n0-9a-f \n' <noise >lines
	head -c 32 "$copy" | cat - lines noise >damaged
	for bytes in 0 5 31 32 33 100000 400000; do
		head -c $bytes damaged >"$copy"
		status 0 "$decode" events --call pthread_mutex_lock t
	done
done

# Python's functions, where its perf trampolines work (3.12).
python=
for candidate in python3 python3.12 python3.13 python3.14 "$HOME"/.pyenv/versions/3.12*/bin/python3.12; do
	command -v $candidate >/dev/null && $candidate -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' 2>/dev/null &&
		python=$candidate
done
if [ -n "$python" ]; then
	cat >work.py <<'END'
import os, threading, time
lock = threading.Lock()
def take_it():
    with lock:
        time.sleep(0.001)
threads = [threading.Thread(target=take_it) for _ in range(2)]
[t.start() for t in threads]
[t.join() for t in threads]
print(f'/tmp/perf-{os.getpid()}.map')
END
	status 0 "$tool" record -q -o p "$python" -X perf work.py
	rm -f "$(cat out)"
	"$decode" events --call clock_nanosleep p >out 2>err
	has out 'py::take_it at .*/work\.py'
else
	echo "left out: Python: no version with perf trampolines"
fi
tool_end
