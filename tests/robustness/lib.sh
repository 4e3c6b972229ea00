# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# Shared by the tests of tests/robustness, on top of tests/lib.sh.
. "$(dirname "$0")/../lib.sh"

# alike NAME CMD...: traced into $dir/NAME as untraced: the same output and exit status. Fails where it differs;
# succeeds (returns 0) if the command can be run here at all, which it says by another status than 77.
alike()
{
	alike_name=$1
	shift
	timeout -k 5 100 "$@" >"$dir/out.untraced" 2>&1 </dev/null
	alike_wanted=$?
	if [ $alike_wanted = 77 ]; then
		echo "note: $alike_name cannot be done here: $(cat "$dir/out.untraced")"
		return 1
	fi
	[ $alike_wanted != 9 ] || fail "$alike_name: does not work untraced: $(cat "$dir/out.untraced")"
	rm -rf "${dir:?}/$alike_name"
	timeout -k 5 200 env SYNTRACE_DIR="$dir/$alike_name" LD_PRELOAD="$lib" "$@" >"$dir/out" 2>&1 </dev/null
	alike_got=$?
	[ $alike_got = $alike_wanted ] || fail "$alike_name: exit status $alike_got instead of $alike_wanted"
	cmp -s "$dir/out.untraced" "$dir/out" || {
		fail "$alike_name: another output"
		diff "$dir/out.untraced" "$dir/out" | head -n 10
	}
	echo "$alike_name: alike"
}

# decoded NAME [OPTION...]: the trace can be decoded, its edges hold; the statistics into $dir/stat.
decoded()
{
	decoded_name=$1
	shift
	timeout -k 5 120 "$decode" stat "$@" "$dir/$decoded_name" >"$dir/stat" 2>"$dir/stat.err" || {
		fail "$decoded_name: stat: exit status $?: $(head -n 5 "$dir/stat.err")"
		grep -E '^(Process|  (lost|not seen))' "$dir/stat" | head -n 20
	}
	timeout -k 5 120 "$decode" edges --verify "$dir/$decoded_name" >/dev/null 2>"$dir/stat.err" ||
		fail "$decoded_name: edges --verify: $(head -n 5 "$dir/stat.err")"
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

# events CALL: how many events of CALL all processes have in $dir/stat.
events()
{
	awk -v call="$1" '$1 == call { n += $3 } END { print n + 0 }' "$dir/stat"
}

# counted CALL LEAST [MOST]
counted()
{
	counted_n=$(events "$1")
	if [ "$counted_n" -lt "$2" ] || [ "$counted_n" -gt "${3:-$2}" ]; then
		fail "$counted_n events $1, expected $2${3:+ to $3}"
	fi
}
