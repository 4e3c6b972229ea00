#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Tables fit the width of the terminal, lose no part of a call path, and keep UTF-8 in any locale.
. "$(dirname "$0")/lib.sh"
unset COLUMNS
timeout -k 5 60 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$top_builddir/tests/report/width" || fail "exit status $?"

# COLUMNS VERB OPTION...: leaves the output in $dir/out
on_terminal()
{
	width_columns=$1
	shift
	timeout -k 5 60 python3 "$report_tests/width.py" "$width_columns" "$decode" "$@" --color=never "$dir/trace" >"$dir/out" 2>"$dir/err" || {
		fail "$* on $width_columns columns"
		cat "$dir/out" "$dir/err"
	}
}

# The short form tries all verbs on one width.
for columns in 80 100 140; do
	for verb in contention waits critical-path info what-if stat check; do
		[ -n "${SYNTRACE_TEST_LONG:-}" ] || [ $columns = 80 ] || continue
		# shellcheck disable=SC2086 # a verb and its option
		on_terminal $columns $verb --no-pager
	done
	on_terminal $columns contention --no-pager
	# the pieces of a broken path are the whole path
	tr -d ' \n' <"$dir/out" | grep -q 'start_thread;work_on_the_table_of_connections;' ||
		tr -d ' \n' <"$dir/out" | grep -q 'hold_the_lock_of_the_table_of_connections_for_a_while;pthread_mutex_lock' ||
		fail "$columns columns: a call path is cut"
done

# A title that says what is left out; nothing is left out where there is room, or in a file.
on_terminal 80 contention --no-pager
grep -q '^(no space for .*LONGEST' "$dir/out" || fail "80 columns: no line names the columns that are left out"
on_terminal 300 contention --no-pager
grep -q 'no space for' "$dir/out" && fail "300 columns: not enough"
"$decode" contention "$dir/trace" >"$dir/file"
grep -q '^LOCK .* LONGEST .* LONGEST$' "$dir/file" || fail "columns are left out in a file"
grep -q '^  .*hold_the_lock_of_the_table_of_connections_for_a_while;pthread_mutex_lock ' "$dir/file" || fail "a path is broken in a file"

# COLUMNS has precedence; the pager shows what fits the terminal.
COLUMNS=300
export COLUMNS
timeout 60 python3 "$report_tests/width.py" 80 "$decode" contention --no-pager "$dir/trace" >/dev/null && fail "COLUMNS has no effect"
unset COLUMNS
SYNTRACE_PAGER='cat -' on_terminal 80 contention

# Names in UTF-8 are whole and aligned.
for locale in C C.UTF-8; do
	LC_ALL=$locale "$decode" waits "$dir/trace" >"$dir/out"
	for name in wörker-日本 naïve-é; do
		grep -q " $name " "$dir/out" || fail "$locale: no $name"
	done
	grep -F '\x' "$dir/out" && fail "$locale: escapes in a table"
	python3 - "$dir/out" <<-'END' || fail "$locale: a column is not aligned"
		import sys, unicodedata
		width = lambda text: sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in text)
		lines = [line for line in open(sys.argv[1], encoding="utf-8") if "wörker" in line or "naïve" in line]
		lines = [line for line in lines if line.lstrip()[:2] == "0."]
		ends = {width(line[:line.index(" ms") + 3]) for line in lines}
		sys.exit(len(lines) != 2 or len(ends) != 1)
	END
done
finish
