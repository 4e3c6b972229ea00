#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# OpenMP in plug-ins: the program is not linked with a runtime, one plug-in brings the system's and
# another a private copy of its own (as Python wheels do). Each must get the functions of its own
# runtime. dlerror() must return the same text as untraced: the program's last error, and no other.
# A runtime that is loaded for all (+FILE) comes before the runtime of a plug-in.
. "$(dirname "$0")/../lib.sh"
: "${CC:=cc}"
need "$CC" python3
need_built tests/calls/omp-edges
gomp=$("$CC" -print-file-name=libgomp.so.1)
[ -f "$gomp" ] || skip "no libgomp.so.1"

cat >"$dir/plugin.c" <<'END'
#include <omp.h>
#include <stdio.h>
void run(const char *name)
{
	int threads = 0, sum = 0, inside = 0;
	omp_set_dynamic(0);
#pragma omp parallel num_threads(3) reduction(+ : sum, inside)
	{
		sum += omp_get_thread_num();
		inside += omp_in_parallel();
#pragma omp critical
		threads++;
#pragma omp barrier
	}
	printf("%s: %d threads, sum %d, inside %d\n", name, threads, sum, inside);
}
END
# only its linked library determines its runtime
cat >"$dir/bare.c" <<'END'
#include <stdio.h>
void run(const char *name)
{
	int threads = 0;
#pragma omp parallel num_threads(3)
#pragma omp critical
	threads++;
	printf("%s: %d threads\n", name, threads);
}
END
cat >"$dir/main.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	for (int round = 0; round < 3; round++)
		for (int i = 1; i < argc; i++) {
			if (*argv[i] == '+') {
				if (!dlopen(argv[i] + 1, RTLD_NOW | RTLD_GLOBAL))
					return puts(dlerror()), 1;
				continue;
			}
			void *handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
			void (*run)(const char *) = handle ? dlsym(handle, "run") : 0;
			if (!run)
				return puts(dlerror()), 1;
			if (round != 1)
				dlsym(handle, "absent");
			run(argv[i]);
			const char *error = dlerror();
			puts(error ? error : "no error");
			if (round == 1)
				dlclose(handle);
		}
	return 0;
}
END
cd "$dir" || exit 99
# a copy with another name of the same length: another object to the dynamic linker
sed 's/libgomp\.so\.1/libgomX.so.1/g' "$gomp" >libgomX.so.1
cat >link.py <<'END'
import sys
data = open(sys.argv[1], "rb").read()
open(sys.argv[2], "wb").write(data.replace(b"libgomp.so.1\0", b"libgomX.so.1\0"))
END
"$CC" -fopenmp -shared -fPIC -o a.so plugin.c || skip "no -fopenmp"
python3 link.py a.so b.so
"$CC" -fopenmp -shared -fPIC -o bare.so bare.c || exit 99
"$CC" -o main main.c -ldl || exit 99
export LD_LIBRARY_PATH="$dir"
status 0 ./main ./a.so ./b.so ./bare.so >out.untraced
status 0 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" ./main ./a.so ./b.so ./bare.so >out
cmp out.untraced out || fail "another output when traced: $(cat out)"
"$decode" events --format=jsonl "$dir/trace" >events
[ "$(grep -c '"call":"omp_enter"' events)" = 27 ] || fail "not 9 regions of 3 threads"
verify trace --edges team=36 --edges barrier=36

cp a.so c.so
status 0 ./main ./a.so +libgomX.so.1 ./c.so >out.untraced
status 0 env SYNTRACE_DIR="$dir/global" LD_PRELOAD="$lib" ./main ./a.so +libgomX.so.1 ./c.so >out
cmp out.untraced out || fail "another output when traced: $(cat out)"
finish
