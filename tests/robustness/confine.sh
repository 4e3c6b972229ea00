#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Programs that take system calls or the clock away from themselves: traced, they survive as
# untraced. Every event that found space is recorded, every other event is counted, and the dump
# names the reason.
. "$(dirname "$0")/../lib.sh"

program=$top_builddir/tests/robustness/confine
nr=20000
[ -z "${SYNTRACE_TEST_LONG:-}" ] || nr=100000

# confined WHAT N: traced as untraced; then $dir/stat is there.
confined()
{
	timeout -k 5 60 "$program" "$@" >"$dir/out.untraced" 2>&1
	confined_wanted=$?
	[ $confined_wanted = 4 ] || {
		echo "note: $1 untraced: exit status $confined_wanted: $(cat "$dir/out.untraced")"
		return 1
	}
	rm -rf "$dir/$1"
	timeout -k 5 60 env SYNTRACE_DIR="$dir/$1" LD_PRELOAD="$lib" "$program" "$@" >"$dir/out" 2>&1
	confined_got=$?
	[ $confined_got = 4 ] || fail "$1: exit status $confined_got"
	cmp -s "$dir/out.untraced" "$dir/out" || fail "$1: another output: $(cat "$dir/out")"
	timeout 60 "$decode" stat "$dir/$1" >"$dir/stat" || fail "$1: stat: exit status $?"
	timeout 60 "$decode" edges --verify "$dir/$1" >/dev/null || fail "$1: edges --verify"
	echo "$1: lives"
}

# seen PATTERN TEXT: the statistics say so.
seen()
{
	grep -qE "$1" "$dir/stat" || {
		fail "$2"
		sed -n 1,30p "$dir/stat"
	}
}

not_seen()
{
	! grep -qE "$1" "$dir/stat" || fail "$2"
}

# locks N: so many pairs were recorded, or lost and counted.
locks()
{
	locks_n=$(awk '/^  events /{ n += $2; for (i = 1; i <= NF; i++) if ($i == "lost") n += $(i - 1) } END { print n }' \
		"$dir/stat")
	[ "$locks_n" -ge $((2 * $1)) ] || {
		fail "$locks_n events recorded or lost, expected $1 pairs"
		sed -n 1,30p "$dir/stat"
	}
}

confined none $nr && {
	locks $((nr + 10))
	seen '^0\.0 .* confined' 'the name that prctl has given is missing'
	not_seen '^  not seen' 'a blind spot without a reason'
}
confined strict $nr && {
	locks $((nr + 10))
	seen '^  not seen .*seccomp: strict mode' 'strict mode is not named'
	seen '^  not seen .*the time: stamps only count' 'the clock that stands still is not named'
}
for raw in raw-strict raw-prctl; do
	confined $raw $nr && {
		locks $((nr + 10))
		seen '^  not seen .*seccomp: strict mode' 'strict mode is not named'
	}
done
confined raw $nr && {
	locks $((nr + 10))
	seen '^  not seen .*seccomp: a filter' 'the filter is not named'
	seen '^seccomp ' 'the call is not recorded'
}
confined tsc $nr && {
	locks $((nr + 10))
	seen '^  not seen .*the time: .*PR_SET_TSC' 'the clock that stands still is not named'
	not_seen 'not seen .*seccomp' 'seccomp is blamed'
}
confined filter 500000 && {
	locks 1500010
	seen '^  not seen .*seccomp: a filter' 'the filter is not named'
	seen '^  lost .*more different call stacks than fit into the trace' 'stacks that found no room are not counted'
}
confined threads 4000 && {
	locks 8010
	seen '^  not seen .*seccomp: a filter' 'the filter is not named'
}
confined wide $nr && {
	locks $((nr + 10))
	not_seen '^  not seen' 'a filter that forbids nothing of ours is named'
}
confined refused $nr && {
	locks $((nr + 10))
	not_seen '^  not seen' 'a filter that is not in force is named'
}
confined fork $nr && {
	locks $((nr + 10))
	seen '^  lost  *1: a forked process that could not create its own trace file' 'the child that is not recorded is not counted'
}
# libseccomp's own way, as far as it is installed.
cat >"$dir/library.c" <<'END'
#include <pthread.h>
#include <seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
	static const int left[] = {SYS_read, SYS_write, SYS_exit_group, SYS_futex, SYS_brk, SYS_mmap, SYS_munmap};
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_KILL_PROCESS);
	for (unsigned i = 0; i < sizeof(left) / sizeof(*left); i++)
		if (seccomp_rule_add(ctx, SCMP_ACT_ALLOW, left[i], 0))
			return 9;
	if (seccomp_load(ctx))
		return 9;
	seccomp_release(ctx);
	for (int i = 0; i < 100000; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	_exit(write(1, "done\n", 5) == 5 ? 4 : 9);
}
END
if "${CC:-cc}" -o "$dir/library" "$dir/library.c" -lseccomp 2>/dev/null; then
	program=$dir/library
	confined libseccomp 0 && {
		locks 100000
		seen '^  not seen .*seccomp: a filter' 'the filter is not named'
	}
	program=$top_builddir/tests/robustness/confine
else
	echo "note: libseccomp-dev is not installed"
fi
confined exec $nr && seen '^  not seen .*exec of a program that seccomp confines: .*confine' 'the exec is not named'
confined shell $nr && {
	locks $((nr + 10))
	seen '^  not seen .*exec of a program that seccomp confines: .*sh' 'the shell is not named'
}
confined spawn $nr && {
	locks $((nr + 10))
	seen '^  not seen .*exec of a program that seccomp confines: .*confine' 'the spawn is not named'
}
finish
