#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A C++ program says the same with and without the recorder (tests/calls/exceptions.cc), and each once that
# threw is not recorded as having run its initializer.
. "$(dirname "$0")/../lib.sh"
: "${CXX:=c++}"
need "$CXX"

"$CXX" -std=c++17 -g -o "$dir/exceptions" "$top_srcdir/tests/calls/exceptions.cc" -pthread ||
	fail "does not compile"
timeout -k 5 60 "$dir/exceptions" >"$dir/untraced" || fail "exit status $? without the recorder"
timeout -k 5 60 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$dir/exceptions" >"$dir/traced" ||
	fail "exit status $? with the recorder"
diff "$dir/untraced" "$dir/traced" || fail "it says something else with the recorder"
cat "$dir/traced"

# One throwing and one running call of the program's own; the others are libgcc's and libstdc++'s.
# For each pthread_once, one call ran the initializer; the other recorded calls came later.
"$decode" events --format=jsonl --no-stacks "$dir/trace" >"$dir/events" || fail "decoding"
grep '"call":"pthread_once"' "$dir/events" >"$dir/onces"
runs=$(grep -c '"arg":1' "$dir/onces")
objects=$(sed 's/.*"object":"\([^"]*\)".*/\1/' "$dir/onces" | sort -u | wc -l)
[ "$runs" -ge 2 ] && [ "$runs" -eq "$objects" ] || fail "$objects onces, $runs calls ran an initializer"
finish
