#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Recording cannot work, or stops working in the middle: no space, no permission, no memory. The
# program must not notice: same output, same exit status, no message on its standard error.
. "$(dirname "$0")/../lib.sh"

churn=$top_builddir/tests/robustness/churn

# unaffected WHAT CMD...: the command, traced by the variables in its environment, does the same as
# `churn short 800`.
"$churn" short 800 >"$dir/out.wanted" || exit 99
unaffected()
{
	unaffected_what=$1
	shift
	timeout -k 5 60 "$@" >"$dir/out" 2>"$dir/err"
	unaffected_got=$?
	[ $unaffected_got = 0 ] || fail "$unaffected_what: exit status $unaffected_got"
	cmp -s "$dir/out.wanted" "$dir/out" || fail "$unaffected_what: another output: $(cat "$dir/out")"
	[ ! -s "$dir/err" ] || fail "$unaffected_what: messages: $(cat "$dir/err")"
	echo "$unaffected_what: unaffected"
}

# The decoder must read the remaining files, or refuse them with a message, and never die by a
# signal.
readable()
{
	timeout 30 "$decode" stat "$1" >"$dir/stat" 2>&1
	readable_got=$?
	case $readable_got in
	0 | 3 | 4) sed -n 1,3p "$dir/stat" ;;
	*) fail "stat of $1: exit status $readable_got: $(cat "$dir/stat")" ;;
	esac
}

unaffected "directory that cannot be made" env SYNTRACE_DIR=/proc/nowhere LD_PRELOAD="$lib" "$churn" short 800
unaffected "directory that is a file" env SYNTRACE_DIR="$dir/out.wanted" LD_PRELOAD="$lib" "$churn" short 800
unaffected "current directory in /proc" env -C /proc/self LD_PRELOAD="$lib" "$churn" short 800
for mode in ring stream; do
	for limit in 1 64 2048 ${SYNTRACE_TEST_LONG:+20000}; do
		unaffected "$mode: file size limit of $limit KiB" prlimit --fsize=$((limit * 1024)) \
			env SYNTRACE_MODE=$mode SYNTRACE_DIR="$dir/fsize" LD_PRELOAD="$lib" "$churn" short 800
		[ ! -d "$dir/fsize" ] || readable "$dir/fsize"
		rm -rf "$dir/fsize"
	done
	for limit in 60 100 200 ${SYNTRACE_TEST_LONG:+400 20000}; do
		prlimit --as=$((limit << 20)) "$churn" short 800 >/dev/null 2>&1 || continue
		unaffected "$mode: address space of $limit MiB" prlimit --as=$((limit << 20)) \
			env SYNTRACE_MODE=$mode SYNTRACE_DIR="$dir/as" LD_PRELOAD="$lib" "$churn" short 800
		[ ! -d "$dir/as" ] || readable "$dir/as"
		rm -rf "$dir/as"
	done
	unaffected "$mode: largest dump of 1 MiB" env SYNTRACE_MODE=$mode SYNTRACE_MAX_SIZE=1M \
		SYNTRACE_DIR="$dir/max" LD_PRELOAD="$lib" "$churn" short 800
	[ ! -d "$dir/max" ] || readable "$dir/max"
	rm -rf "$dir/max"
done
unaffected "no file descriptors left" prlimit --nofile=4 env SYNTRACE_DIR="$dir/nofile" LD_PRELOAD="$lib" \
	"$churn" short 800

# A small file system, and a file system that fills up during recording.
events=400000
[ -z "${SYNTRACE_TEST_LONG:-}" ] || events=1000000
"$churn" signals $events >"$dir/out.wanted"
mkdir "$dir/small"
for size in 2m ${SYNTRACE_TEST_LONG:+64m}; do
	mount -t tmpfs -o size=$size tmpfs "$dir/small" 2>/dev/null || {
		echo "note: cannot mount a file system; the full one is not tried"
		break
	}
	for mode in ring stream; do
		(
			sleep 0.05
			exec dd if=/dev/zero of="$dir/small/filler" bs=1M
		) 2>/dev/null &
		unaffected "$mode: file system of $size, filled" env SYNTRACE_MODE=$mode \
			SYNTRACE_DIR="$dir/small/trace" LD_PRELOAD="$lib" "$churn" signals $events
		wait
		readable "$dir/small/trace"
		rm -rf "$dir/small/trace" "$dir/small/filler"
	done
	umount "$dir/small"
done

# As another user, without permission to write here.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	"$churn" short 800 >"$dir/out.wanted"
	# copies, as the build may lie where that user may not look
	cp "$churn" "$dir/churn" && cp "$lib" "$dir/libsyntrace.so" && chmod 755 "$dir" "$dir/churn" "$dir/libsyntrace.so"
	unaffected "directory of somebody else" setpriv --reuid=65534 --clear-groups \
		env -C "$dir" LD_PRELOAD="$dir/libsyntrace.so" "$dir/churn" short 800
	[ ! -d "$dir/syntrace.data" ] || fail "a trace in a directory without write permission"
fi
finish
