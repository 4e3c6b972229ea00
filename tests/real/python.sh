#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A Python program with threads, queues and child processes prints the same as untraced, and its
# pipes are matched across processes.
. "$(dirname "$0")/load.sh"
python=/usr/bin/python3
need $python

program=$(dirname "$0")/workers.py
status 0 $python "$program" >"$dir/out.untraced" 2>"$dir/err.untraced"
status 0 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" $python "$program" >"$dir/out" 2>"$dir/err"
cmp "$dir/out.untraced" "$dir/out" || fail "another output when traced"
cmp "$dir/err.untraced" "$dir/err" || fail "other messages when traced: $(cat "$dir/err")"
judge_each trace --images 4 --edges fork=3 --edges stream=20 --edges create=4 --edges sem=50 --edges reap=3
finish
