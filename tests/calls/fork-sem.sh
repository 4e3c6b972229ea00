#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Private semaphores that a forked child inherits (tests/calls/fork-sem.c): the value is known in the child, so each wait
# has its post.  Of a token that was there at the fork the source is unknown, and `why` says so.
. "$(dirname "$0")/../lib.sh"
: "${CC:=cc}"
# shellcheck disable=SC2086 # a compiler and its options
$CC -g -O2 -o "$dir/sems" "$top_srcdir/tests/calls/fork-sem.c" -lpthread || fail "does not compile"

status 0 timeout 60 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$dir/sems"
"$decode" edges --verify "$dir/trace" || fail "edges --verify"
"$decode" edges --kind=sem --format=jsonl "$dir/trace" >"$dir/edges" || fail "exit status $? of syntrace-decode"

# In each of 20 children: 5 rounds there and back, the inherited tokens, and one token that the
# child itself added. The last wait that got a token took the added token, so the number of
# inherited tokens is exact.
[ "$(wc -l <"$dir/edges")" -eq 220 ] || fail "$(wc -l <"$dir/edges") edges of semaphores, 220 expected"
! grep -q ambiguous "$dir/edges" || fail "ambiguous edges of semaphores"

# The first try in a child takes a token that the parent's other thread may have given.
"$decode" events --format=jsonl --no-stacks "$dir/trace" >"$dir/events"
first=$(sed -n 's/.*"id":"\(1\.0\.[0-9]*\)".*"call":"sem_trywait".*/\1/p' "$dir/events" | head -n 1)
"$decode" why "$first" "$dir/trace" >"$dir/why" || fail "exit status $? of why"
grep -q 'event that ended this call is unknown' "$dir/why" || {
	fail "why $first does not say that the source is unknown"
	cat "$dir/why"
}
finish
