#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# run.sh PROGRAM: a test of tests/calls (see expect.h): once untraced, once traced, then decoded and compared.
tested=$1
case $tested in
/*) ;;
*) tested=$PWD/$tested ;;
esac
. "$(dirname "$0")/../lib.sh"
need python3
test_name=$(basename "$tested" .call)

cd "$dir" || exit 99
timeout -k 5 60 "$tested" >untraced
rv=$?
[ $rv -ne 77 ] || skip "$test_name"
[ $rv -eq 0 ] || fail "exit status $rv without the recorder"
timeout -k 5 60 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$tested" >expected
rv=$?
[ $rv -eq 0 ] || fail "exit status $rv with the recorder"
"$decode" events --format=jsonl --no-stacks trace >events || fail "exit status $? of syntrace-decode"
python3 "$top_srcdir/tests/calls/compare.py" expected events || {
	fail "the decode is not as expected"
	cat expected
}
check_trace trace
finish
