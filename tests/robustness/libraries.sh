#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Other loaded libraries: a malloc that locks and calls dlsym, libraries that take much static
# thread-local memory and come late, and code that runs when threads and the process end.
. "$(dirname "$0")/lib.sh"
: "${CC:=cc}"
need "$CC"

compile()
{
	"$CC" -O1 -fno-builtin -D_GNU_SOURCE -Wall -o "$dir/$1" "$dir/$2" $3 || fail "$2 does not compile"
}

# ---- a malloc that locks a mutex, and finds the real one by dlsym when it is first called ----
cat >"$dir/malloc.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *(*real_malloc)(size_t), *(*real_calloc)(size_t, size_t), *(*real_realloc)(void *, size_t);
static void (*real_free)(void *);
static char early[1 << 20] __attribute__((aligned(16)));
static size_t early_used;
static __thread int inside;
unsigned long malloc_calls;
static void *take(size_t n)
{
	void *p = early + early_used;
	early_used += (n + 15) & ~(size_t)15;
	return p;
}
static int begin(void)
{
	if (inside)
		return 0;
	inside = 1;
	pthread_mutex_lock(&mutex);
	malloc_calls++;
	if (!real_free) {
		real_malloc = dlsym(RTLD_NEXT, "malloc");
		real_calloc = dlsym(RTLD_NEXT, "calloc");
		real_realloc = dlsym(RTLD_NEXT, "realloc");
		dlsym(RTLD_NEXT, "no_such_function"); /* allocates its message */
		real_free = dlsym(RTLD_NEXT, "free");
	}
	pthread_mutex_unlock(&mutex);
	inside = 0;
	return 1;
}
void *malloc(size_t n) { return begin() ? real_malloc(n) : take(n); }
void *calloc(size_t a, size_t b) { return begin() ? real_calloc(a, b) : take(a * b); }
void *realloc(void *p, size_t n)
{
	if ((char *)p >= early && (char *)p < early + sizeof(early))
		return memcpy(malloc(n), p, n);
	return begin() ? real_realloc(p, n) : take(n);
}
void free(void *p)
{
	if (((char *)p < early || (char *)p >= early + sizeof(early)) && begin())
		real_free(p);
}
END
cat >"$dir/allocates.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>
static void *work(void *arg)
{
	for (int i = 0; i < 1000; i++)
		free(malloc(i + 1));
	return arg;
}
int main(void)
{
	pthread_t t[4];
	int status;
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	if (!fork()) {
		work(NULL);
		_exit(3);
	}
	wait(&status);
	printf("child: %d\n", WEXITSTATUS(status));
	return 0;
}
END
compile libmalloc.so malloc.c "-shared -fPIC"
compile allocates allocates.c -pthread
timeout 60 env LD_PRELOAD="$dir/libmalloc.so" "$dir/allocates" >"$dir/out.untraced" || fail "malloc: does not work untraced"
for order in "$lib:$dir/libmalloc.so" "$dir/libmalloc.so:$lib"; do
	rm -rf "$dir/trace"
	timeout 60 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$order" "$dir/allocates" >"$dir/out" 2>&1 ||
		fail "malloc: exit status $?: $order"
	cmp "$dir/out.untraced" "$dir/out" || fail "malloc: another output: $order"
	decoded trace --fail-on-loss
	counted pthread_mutex_lock 10000 12000
done

# ---- a library with 1.4 KiB of static thread-local memory, loaded late ----
cat >"$dir/tls.c" <<'END'
static __thread char bytes[1400] __attribute__((tls_model("initial-exec")));
int use(int n)
{
	bytes[n] = 1;
	return bytes[n] + bytes[n + 1];
}
END
cat >"$dir/loads.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static int (*use)(int);
static void *work(void *arg)
{
	use(7);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	void *handle = dlopen(argv[1], RTLD_NOW);
	if (!handle) {
		puts(dlerror());
		return 77;
	}
	use = (int (*)(int))dlsym(handle, "use");
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	printf("%d\n", use(3));
	return argc - 2;
}
END
compile libtls.so tls.c "-shared -fPIC"
compile loads loads.c -pthread
alike late-tls "$dir/loads" "$dir/libtls.so" && {
	decoded late-tls --fail-on-loss
	counted pthread_join 1
}

# ---- code that runs at the ends: destructors that come again, a detached thread that outlives main
# ----
cat >"$dir/ends.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
extern void *__dso_handle;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int nr_keys, nr_locals, is_ending, nr_late;
static void lock(int *count)
{
	pthread_mutex_lock(&mutex);
	++*count;
	pthread_mutex_unlock(&mutex);
}
static void on_key(void *p)
{
	lock(&nr_keys);
	pthread_setspecific(key, p); /* again, as often as libc lets it */
}
static void on_local(void *p)
{
	lock(p);
}
static void *work(void *arg)
{
	pthread_setspecific(key, &key);
	__cxa_thread_atexit_impl(on_local, &nr_locals, &__dso_handle);
	return arg;
}
static void *stays(void *arg)
{
	while (nr_late < 1000)
		if (__atomic_load_n(&is_ending, __ATOMIC_ACQUIRE))
			lock(&nr_late);
	for (;;)
		pause();
	return arg;
}
static void at_end(void)
{
	__atomic_store_n(&is_ending, 1, __ATOMIC_RELEASE);
	for (int n = 0; n < 1000;) {
		pthread_mutex_lock(&mutex);
		n = nr_late;
		pthread_mutex_unlock(&mutex);
	}
	printf("late: %d\n", nr_late);
}
int main(void)
{
	pthread_t t;
	atexit(at_end);
	pthread_key_create(&key, on_key);
	for (int i = 0; i < 100; i++) {
		pthread_create(&t, NULL, work, NULL);
		pthread_join(t, NULL);
	}
	printf("keys %d locals %d\n", nr_keys, nr_locals);
	pthread_create(&t, NULL, stays, NULL);
	pthread_detach(t);
	return 5;
}
END
compile ends ends.c -pthread
alike at-ends "$dir/ends" && {
	decoded at-ends --fail-on-loss
	grep -q 'keys 400 locals 100' "$dir/out" || fail "ends: $(cat "$dir/out")"
	# 100 threads with a destructor of each kind, the destructor of a key four times, then 1000
	# at the end
	[ "$(events pthread_mutex_lock)" -ge 1500 ] || fail "$(events pthread_mutex_lock) locks, expected 1500 and more"
}
finish
