#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Other preloaded libraries beside the recorder, before and after it: an allocator that locks a mutex and calls
# dlsym, jemalloc, libfaketime, AddressSanitizer's runtime. The program does the same and every call is recorded once.
. "$(dirname "$0")/../lib.sh"
: "${CC:=cc}"
need "$CC" python3

cat >"$dir/program.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static void *work(void *arg)
{
	for (int i = 0; i < 500; i++) {
		char *p = malloc(100 + i);
		memset(p, 1, 100 + i);
		pthread_mutex_lock(&m);
		sum += p[i];
		pthread_mutex_unlock(&m);
		free(p);
	}
	return arg;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	printf("%ld\n", sum);
	fprintf(stderr, "mutex:%p\n", (void *)&m);
	return 3;
}
END
cat >"$dir/allocator.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char early[1 << 16];
static size_t used;
static __thread int inside;
void *malloc(size_t n)
{
	void *(*next)(size_t) = 0, *p;
	pthread_mutex_lock(&m);
	if (!inside++)
		next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	if (next) {
		p = next(n);
	} else { /* dlsym itself */
		p = early + used;
		used += (n + 15) & ~(size_t)15;
	}
	inside--;
	pthread_mutex_unlock(&m);
	return p;
}
END
"$CC" -pthread -o "$dir/program" "$dir/program.c" || fail "does not compile"
"$CC" -pthread -shared -fPIC -o "$dir/allocator.so" "$dir/allocator.c" -ldl || fail "does not compile"

# beside WHAT LIBRARY [ENVIRONMENT]: before the recorder and after it.
beside()
{
	beside_what=$1 beside_library=$2
	shift 2
	status 3 env "$@" LD_PRELOAD="$beside_library" "$dir/program" >"$dir/out.untraced" 2>"$dir/err.untraced"
	for order in "$beside_library:$lib" "$lib:$beside_library"; do
		case $order:$beside_what in
		"$lib":*:asan) continue ;; # it insists on being the first, traced or not
		esac
		rm -rf "$dir/trace"
		status 3 env "$@" SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$order" "$dir/program" >"$dir/out" 2>"$dir/err"
		cmp "$dir/out.untraced" "$dir/out" || fail "$beside_what: another output in $order"
		grep -q "^mutex:" "$dir/err" && [ "$(grep -vc "^mutex:" "$dir/err")" = 0 ] ||
			fail "$beside_what: messages in $order: $(cat "$dir/err")"
		"$decode" events --format=jsonl --no-stacks "$dir/trace" >"$dir/events" ||
			fail "$beside_what: not decodable in $order"
		got=$(grep '"call":"pthread_mutex_lock"' "$dir/events" | grep -c "$(cat "$dir/err")")
		[ "$got" = 2000 ] || fail "$beside_what: $got locks instead of 2000 in $order"
		echo "$beside_what: $order"
	done
}

beside allocator "$dir/allocator.so"
jemalloc=$(ls /usr/lib/*/libjemalloc.so.2 2>/dev/null | head -n 1)
[ -z "$jemalloc" ] || beside jemalloc "$jemalloc"
for faketime in /usr/lib/*/faketime/libfaketimeMT.so.1; do
	[ ! -f "$faketime" ] || beside faketime "$faketime" FAKETIME=-15d
done
asan=$("$CC" -print-file-name=libasan.so)
[ ! -f "$asan" ] || beside asan "$(readlink -f "$asan")"

# A program that was compiled with it.
if [ -f "$asan" ] && "$CC" -fsanitize=address -pthread -o "$dir/program" "$dir/program.c" 2>/dev/null; then
	beside asan "$(readlink -f "$asan")"
fi
finish
