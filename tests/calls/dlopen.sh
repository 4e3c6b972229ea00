#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Loading libraries: the search goes by the caller's RUNPATH, as untraced. A library with
# RTLD_DEEPBIND, or in a namespace of its own, works. Its calls are not seen, and the dump names the
# library.
. "$(dirname "$0")/../lib.sh"
: "${CC:=cc}"
need "$CC"

cat >"$dir/plugin.c" <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int run(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	return n;
}
END
cat >"$dir/main.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
static void use(const char *how, void *handle)
{
	int (*run)(int) = handle ? (int (*)(int))dlsym(handle, "run") : 0;
	printf("%s: %d\n", how, run ? run(10) : -1);
	if (!run)
		puts(dlerror());
}
int main(void)
{
	errno = 0xbeef;
	use("plain", dlopen("libplugin.so", RTLD_NOW));
	use("deep", dlopen("libdeep.so", RTLD_LAZY | RTLD_DEEPBIND));
	use("deep again", dlopen("libdeep.so", RTLD_LAZY | RTLD_DEEPBIND));
	use("apart", dlmopen(LM_ID_NEWLM, "libapart.so", RTLD_NOW));
	use("base", dlmopen(LM_ID_BASE, "libplugin.so", RTLD_NOW));
	printf("missing: %d\n", dlopen("libmissing.so", RTLD_NOW | RTLD_DEEPBIND) == 0);
	printf("itself: %d\n", dlopen(0, RTLD_NOW) != 0);
	return 0;
}
END
mkdir "$dir/lib"
for name in plugin deep apart; do
	"$CC" -shared -fPIC -o "$dir/lib/lib$name.so" "$dir/plugin.c" || fail "does not compile"
done
"$CC" -o "$dir/main" "$dir/main.c" -ldl "-Wl,-rpath,$dir/lib,--enable-new-dtags" || fail "does not compile"

status 0 "$dir/main" >"$dir/out.untraced"
status 0 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$dir/main" >"$dir/out"
cmp "$dir/out.untraced" "$dir/out" || fail "another output when traced: $(cat "$dir/out")"
grep -q -- -1 "$dir/out" && fail "not loaded untraced: $(cat "$dir/out")"
"$decode" events --format=jsonl --no-stacks "$dir/trace" >"$dir/events"
[ "$(grep -c '"call":"pthread_mutex_lock"' "$dir/events")" = 20 ] || fail "not the 20 locks of libplugin.so"
"$decode" stat "$dir/trace" | unwrap >"$dir/stat"
for name in libdeep.so libapart.so; do
	[ "$(grep "^Blind spots .*bypass" "$dir/stat" | grep -o "$name" | wc -l)" = 1 ] ||
		fail "the coverage line does not name $name once"
done
[ $nr_failed = 0 ] || cat "$dir/stat"
finish
