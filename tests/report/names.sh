#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Sync objects have names that are equal in every run, in every report and export (doc/reports.md).
. "$(dirname "$0")/../lib.sh"
need python3

# NAME FLAGS...: builds names.cc.
build()
{
	into=$1
	shift
	${CXX:-c++} "$@" -pthread -o "$dir/$into" "$top_srcdir/tests/report/names.cc" || skip "names.cc does not compile"
}

# NAME RUN: the run NAME-RUN, as JSON lines of stat in $dir/NAME-RUN.json.
run()
{
	timeout -k 5 60 env SYNTRACE_DIR="$dir/$1-$2" LD_PRELOAD="$lib" "$dir/$1" || fail "$1: exit status $?"
	check_trace "$dir/$1-$2"
	"$decode" stat --objects --format=jsonl "$dir/$1-$2" >"$dir/$1-$2.json" || fail "stat: exit status $?"
}

# NAME RUN: the names of the locks and condition variables.
names()
{
	sed -n 's/^{"v":1,"type":"object".*"object":"\(mutex\|cond\):.*"object_name":"\([^"]*\)".*/\1:\2/p' "$dir/$1-$2.json" | LC_ALL=C sort
}

# NAME EXPECTED...: has exactly these names, in two runs.
expect()
{
	program=$1
	shift
	run "$program" 1
	run "$program" 2
	printf '%s\n' "$@" | LC_ALL=C sort >"$dir/expected"
	for k in 1 2; do
		names "$program" $k | diff "$dir/expected" - || fail "$program: other names in run $k"
	done
	grep -o '"object":"mutex:0x[0-9a-f]*' "$dir/$program-1.json" | sort >"$dir/addresses"
	grep -o '"object":"mutex:0x[0-9a-f]*' "$dir/$program-2.json" | sort | cmp -s - "$dir/addresses" &&
		fail "$program: the addresses are equal in both runs, so that this test proves nothing"
}

build debug -g -O1
expect debug mutex:server.lock 'mutex:server.sides[1][2].lock' mutex:plain cond:server.ready \
	'mutex:main/queue_create()' 'mutex:main/queue_create()#2' 'cond:main/queue_create()' 'cond:main/queue_create()#2' \
	mutex:app::pool.mutex_ cond:app::pool.ready_ 'mutex:main/app::Pool::use()'

# The call stack of the first use is kept even if the ring overwrites the event.
timeout -k 5 60 env SYNTRACE_RING=64k SYNTRACE_DIR="$dir/ring" LD_PRELOAD="$lib" "$dir/debug" busy || fail "ring: exit status $?"
"$decode" events "$dir/ring" | grep -q pthread_mutex_init && fail "ring: no event was overwritten"
"$decode" stat --objects "$dir/ring" | grep -q '^mutex:main/queue_create()#2 ' || fail "ring: no name"

# Without debug information, a name has the offset of the field.
build plain -O1 -fno-inline
expect plain mutex:server+0x8 mutex:server+0x158 mutex:plain cond:server+0x30 \
	'mutex:main/queue_create()' 'mutex:main/queue_create()#2' 'cond:main/queue_create()' 'cond:main/queue_create()#2' \
	mutex:app::pool+0x8 cond:app::pool+0x30 'mutex:main/app::Pool::use()'

# A stripped program has offsets in the file, which are equal in every run, too.
build stripped -O1 -s
run stripped 1
run stripped 2
names stripped 1 >"$dir/first"
names stripped 2 | cmp - "$dir/first" || fail "stripped: other names in another run"
[ "$(grep -c ':stripped+0x[0-9a-f]*' "$dir/first")" = 11 ] || fail "stripped: $(cat "$dir/first")"

# A program that starts itself again by /proc/self/exe keeps its name.
printf '#include <unistd.h>\nint main(int n, char **a) { return n > 1 ? 0 : execl("/proc/self/exe", "/proc/self/exe", "again", NULL); }\n' >"$dir/again.c"
${CC:-cc} -o "$dir/again" "$dir/again.c" || skip "again.c does not compile"
timeout -k 5 60 env SYNTRACE_DIR="$dir/again.t" LD_PRELOAD="$lib" "$dir/again"
[ "$("$decode" stat "$dir/again.t" | grep -c '^Process [01]: again ')" = 2 ] || fail "$("$decode" stat "$dir/again.t" | grep '^Process')"

# One line tells how to get the names of functions, only if the report lists a function without a name.
"$decode" contention "$dir/stripped-1" >"$dir/report"
[ "$(grep -c '^Functions without a name are in stripped files: stripped\. .*DEBUGINFOD_URLS.*--debuginfod' "$dir/report")" = 1 ] ||
	fail "stripped: no hint, or several"
"$decode" contention "$dir/debug-1" | grep -q '^Functions without a name' && fail "debug: a hint"
"$decode" contention --format=jsonl "$dir/stripped-1" | grep -q '^Functions' && fail "a hint in JSON"

# Every verb and every export says the same name.
trace=$dir/debug-1
lock='mutex:server\.lock'
for verb in "stat --objects" contention edges events "lock-order --all"; do
	# shellcheck disable=SC2086 # a verb and its options
	"$decode" $verb "$trace" >"$dir/report" 2>&1
	grep -q "$lock" "$dir/report" || fail "$verb: no $lock"
	grep -v ' [a-z]*:0x[0-9a-f]*#0$' "$dir/report" | grep -qE '(mutex|cond):0x' && fail "$verb: an address"
done
for verb in contention edges events; do
	"$decode" $verb --format=jsonl "$trace" | grep -q '"object":"mutex:0x[0-9a-f]*#0","object_name":"server.lock"' ||
		fail "$verb: no member object_name"
done
for pattern in mutex:server.lock server.lock 'mutex:server.l*' 'server.sides[1][2].lock' 'main/queue_create()#2'; do
	"$decode" contention --object="$pattern" "$trace" | grep -q '^mutex:' || fail "--object=$pattern: no lock"
	"$decode" events --object="$pattern" "$trace" | grep -q 'pthread_mutex_lock' || fail "events --object=$pattern: no event"
done
"$decode" contention --object=server.cock "$trace" | grep -q '^mutex:' && fail "--object=server.cock: a lock"
"$decode" export --to perfetto -o "$dir/perfetto" "$trace" >/dev/null
grep -qa "$lock" "$dir/perfetto" || fail "perfetto: no $lock"
"$decode" export --to ctf -o "$dir/ctf" "$trace" >/dev/null
grep -q "$lock" "$dir/ctf/metadata" || fail "ctf: no $lock"
"$decode" report -o "$dir/page.html" "$trace" >/dev/null
grep -q "$lock" "$dir/page.html" || fail "report: no $lock"
"$decode" export -o "$dir/db.sqlite" "$trace" >/dev/null
python3 - "$dir/db.sqlite" <<'EOF' || fail "sqlite: see above"
import sqlite3, sys
names = [n for (n,) in sqlite3.connect(sys.argv[1]).execute("SELECT name FROM objects WHERE kind = 'mutex'")]
assert 'server.lock' in names and 'main/queue_create()#2' in names, names
EOF

# Functions of the C++ library are no part of a shortened call path.
"$decode" contention "$trace" | grep -q 'work;app::Pool::use();pthread_mutex_lock' || fail "no short call path"
"$decode" contention "$trace" | grep -qE 'std::|__gthread' && fail "functions of the library in a call path"
"$decode" contention --format=jsonl "$trace" | grep -q 'std::mutex::lock();__gthread_mutex_lock;pthread_mutex_lock' ||
	fail "JSON has no whole call path"
"$decode" edges "$trace" | grep -q 'pthread_mutex_unlock in app::Pool::use() ..> ' || fail "edges: no caller of the library"

# The main thread has the name of the program.
"$decode" stat --format=jsonl "$trace" | grep -q '"type":"thread",.*"thread":0,.*"name":"debug"' || fail "stat: no name of the main thread"
"$decode" waits --format=jsonl "$trace" | grep -q '"thread":"0.0",.*"name":"debug"' || fail "waits: no name of the main thread"

# A function of a stripped file is called by its begin, so all calls in it have one name.
if command -v strip >/dev/null && command -v nm >/dev/null; then
	strip -o "$dir/bare" "$dir/debug"
	run bare 1
	"$decode" events "$dir/bare-1" 2>/dev/null | sed -n 's/^ .*bare+0x\([0-9a-f]*\) .*/\1/p' | sort -u >"$dir/begins"
	[ "$(wc -l <"$dir/begins")" -ge 5 ] || fail "bare: few functions: $(cat "$dir/begins")"
	nm "$dir/debug" | sed -n 's/^0*\([0-9a-f]*\) [TtWw] .*/\1/p' | sort -u >"$dir/functions"
	grep -vxF -f "$dir/functions" "$dir/begins" >"$dir/others" && fail "bare: no begin of a function: $(cat "$dir/others")"
fi
finish
