#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Places where no new file can be made, limits, locked memory: the program does as untraced, what it records stays
# whole, and a child that could not have a dump of its own is counted.
. "$(dirname "$0")/lib.sh"

program=$top_builddir/tests/robustness/places
nr=3000

for what in deleted proc umask core as prlimit mlockall user namespaces pids; do
	alike $what "$program" $what $nr && {
		decoded $what --fail-on-loss
		counted pthread_mutex_lock $((3 * nr + 10))
	}
done
for what in chroot setuid nofile fsize; do
	alike $what "$program" $what $nr && {
		decoded $what
		counted pthread_mutex_lock $((3 * nr))
		seen '^  lost  *1: a forked process that could not create' 'the child without a dump is not counted'
	}
done
rmdir /tmp/syntrace-places.?????? 2>/dev/null

# A umask that takes everything away, as a user to whom that matters.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir "$dir/open" && chmod 777 "$dir/open" && chmod 755 "$dir"
	cp "$program" "$lib" "$dir/open" && chmod 755 "$dir"/open/*
	(
		cd "$dir/open" || exit 99
		setpriv --reuid=65534 --clear-groups sh -c 'umask 777; LD_PRELOAD=$PWD/libsyntrace.so exec ./places proc 1000'
	) >"$dir/out" 2>&1 || fail "umask 777: exit status $?: $(cat "$dir/out")"
	[ "$(stat -c %a "$dir/open/syntrace.data")" = 700 ] || fail "the directory's mode follows the umask"
	[ "$(stat -c %a "$dir/open/syntrace.data/trace")" = 600 ] || fail "the trace file's mode follows the umask"
	[ "$(find "$dir/open/syntrace.data" -name '*.dump' -perm 600 | wc -l)" = 2 ] || fail "the dumps' modes follow the umask"
fi
finish
