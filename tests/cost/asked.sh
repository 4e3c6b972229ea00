#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Counts, with strace, the system calls that the recorder adds when a file descriptor is made, used
# and closed: it may ask the kernel for its kind, and at a connection's close for the moved bytes. Likewise for a thread.
# It may ask no more each time. The same for the dump: definitions, which no ring bounds.
. "$(dirname "$0")/../lib.sh"

FEW=10
MANY=210
descriptors=$top_builddir/tests/cost/descriptors

need strace
strace -qq -o /dev/null true 2>/dev/null || skip "strace may not trace here"

# count WHAT TIMES [LIB]: how often each system call was made, "NAME TIMES", sorted. Calls made
# after a long call (the thread's CPU time), and occasional calls that make space, are not counted.
count()
{
	rm -rf "$dir/trace"
	strace -f -qq -o "$dir/calls" ${3:+-E LD_PRELOAD="$3" -E SYNTRACE_DIR="$dir/trace"} "$descriptors" "$1" "$2" ||
		fail "$1: the program ended with $?"
	sed -n 's/^[0-9]* *\([a-z_0-9]*\)(.*/\1/p' "$dir/calls" | grep -vx 'clock_gettime\|madvise\|mmap' |
		sort | uniq -c | awk '{ print $2, $1 }'
}

# asked WHAT LIST: each of them adds LIST, "NAME TIMES ...".  After a call that was long, the recorder asks for the name of the
# file; few calls are, so the numbers are rounded.
asked()
{
	count "$1" $FEW >"$dir/few"
	count "$1" $MANY >"$dir/many"
	count "$1" $FEW "$lib" >"$dir/few.traced"
	count "$1" $MANY "$lib" >"$dir/many.traced"
	found=$(cd "$dir" && awk -v nr=$((MANY - FEW)) '
		FILENAME == "few" || FILENAME == "many.traced" { sign = 1 }
		FILENAME == "many" || FILENAME == "few.traced" { sign = -1 }
		{ n[$1] += sign * $2 }
		END {
			for (name in n)
				if ((times = int(n[name] / nr + (n[name] < 0 ? -0.5 : 0.5))))
					print name, times
		}' few many few.traced many.traced | sort | tr '\n' ' ')
	echo "$1: ${found:-nothing}"
	[ "${found% }" = "$2" ] || fail "$1: asks \"${found% }\", not \"$2\""
}

# The protocol, the network and the name of a new socket; the name again and both addresses when it
# connects; the name and one address of an accepted socket, whose peer the program learns from the
# call; and the moved bytes of both ends.
asked tcp "getpeername 1 getsockname 2 getsockopt 7"
asked file "fstat 1"
asked unread "fstat 1"
asked stated ""

# A thread takes over the memory of a thread that was joined without asking whether it is gone.
asked thread "gettid 1"

# A file that is opened again is not defined again: that would be 48 bytes each.
bytes_of()
{
	rm -rf "$dir/trace"
	env LD_PRELOAD="$lib" SYNTRACE_DIR="$dir/trace" "$descriptors" file "$1" || fail "file: ended with $?"
	cat "$dir"/trace/*.dump | wc -c
}
few=$(bytes_of $FEW)
many=$(bytes_of $((FEW + 10000)))
echo "file: $((many - few)) bytes for 20000 events"
[ "$few" -gt 0 ] || fail "no dump"
[ $((many - few)) -lt 400000 ] || fail "$((many - few)) bytes for 10000 times the same file"
finish
