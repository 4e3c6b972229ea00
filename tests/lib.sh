# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# For tests that trace whole programs: paths, a directory for the test, programs in the background
# that end with the test, and checks that every trace must pass.
#
#   . "$(dirname "$0")/../lib.sh"
#
# A test prints its results, calls `fail TEXT` for each failure and goes on, and ends with `finish`.

set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- # the numbers of new descriptors do not depend on the caller
test_name=$(basename "$0" .sh)
: "${top_builddir:=$PWD}"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
lib=$top_builddir/.libs/libsyntrace.so
decode=$top_builddir/syntrace-decode
unset LD_PRELOAD SYNTRACE_SESSION SYNTRACE_DIR SYNTRACE_MODE SYNTRACE_RING SYNTRACE_MAX_SIZE SYNTRACE_DISABLE
SYNTRACE_CONFIG= # a developer's files change no test
export SYNTRACE_CONFIG

nr_failed=0
children=
dir=$(mktemp -d "${TMPDIR:-/tmp}/syntrace-$test_name.XXXXXX") || exit 99

# Joins the lines of each sentence, which a report wraps and indents by 3, 9 or 12 columns. A line of a table may begin
# with a number.
unwrap()
{
	awk '/^[^ ]/ { is_coverage = /^(Coverage|Blind spots)/ }
		NR > 1 && (/^(   |         |            )[^ 0-9]/ || is_coverage && /^   [^ ]/) { sub(/^ +/, ""); printf " %s", $0; next }
		NR > 1 { print "" }
		{ printf "%s", $0 }
		END { print "" }'
}

cleanup()
{
	for child in $children; do
		kill -KILL "$child" 2>/dev/null
	done
	if [ -n "${KEEP:-}" ]; then
		echo "kept: $dir"
	else
		rm -rf "$dir"
	fi
}
trap cleanup EXIT
trap 'exit 99' INT TERM HUP

skip()
{
	echo "skipped: $*"
	exit 77
}

fail()
{
	echo "FAILED: $*"
	nr_failed=$((nr_failed + 1))
}

finish()
{
	[ $nr_failed = 0 ] && exit 0
	echo "$test_name: $nr_failed failed"
	exit 1
}

# FILE WHAT: the report in FILE ends with its coverage, and has it once.
coverage_is_last()
{
	awk '/^Coverage: / { nr++; is_end = 1; next }
		/^Blind spots / { next }
		/^Functions without a name are in stripped files: / { next }
		/^[^ ]/ { is_end = 0 }
		END { exit nr != 1 || !is_end }' "$1" || fail "$2: coverage does not come last"
}

# PROGRAM: skips the test when configure lacked a part that PROGRAM needs (tests/lib/not-built.c).
need_built()
{
	! grep -qaF 'skipped: configure found no' "$top_builddir/$1" ||
		skip "configure lacked what $1 needs"
}

# Skips the test unless these programs are installed.
need()
{
	for program; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

[ -f "$lib" ] || skip "libsyntrace.so is not built"
[ -x "$decode" ] || skip "syntrace-decode is not built"
# A preloaded library and a sanitizer's runtime both want to be first.
[ -z "${SYNTRACE_SANITIZED:-}" ] || skip "whole programs are not traced in a sanitizer build"

# Remembers the background process just started; it is killed when the test ends, if it still runs.
remember()
{
	children="$children $!"
}

# start DIRECTORY LOG CMD...: traced into $dir/DIRECTORY, in the background, as process $started; its output goes
# into $dir/LOG.
start()
{
	start_into=$dir/$1
	start_log=$dir/$2
	shift 2
	env SYNTRACE_DIR="$start_into" LD_PRELOAD="$lib" "$@" >"$start_log" 2>&1 &
	started=$!
	remember
}

# Succeeds once CMD... does; gives up after SECONDS.
within()
{
	within_tries=$(($1 * 20))
	shift
	until "$@"; do
		within_tries=$((within_tries - 1))
		[ $within_tries -gt 0 ] || return 1
		sleep 0.05
	done
}

# Succeeds if a process listens on 127.0.0.1:PORT; makes no connection.
listening()
{
	grep -qi "^ *[0-9]*: 0100007F:$(printf %04X "$1") 00000000:0000 0A" /proc/net/tcp
}

# Prints a port without a listener; different tests get different ports.
free_port()
{
	free_port_try=$((20000 + ($$ + $(printf %d "'$test_name") * 131) % 10000))
	while listening $free_port_try; do
		free_port_try=$((free_port_try + 1))
	done
	echo $free_port_try
}

# status WANTED CMD...: runs it, at most a minute, or $patience seconds.
status()
{
	status_wanted=$1
	shift
	timeout -k 5 "${patience:-60}" "$@"
	status_got=$?
	[ $status_got = "$status_wanted" ] || fail "exit status $status_got instead of $status_wanted: $*"
}

# check_trace TRACE: it does not contradict itself.
check_trace()
{
	timeout -k 5 120 "$decode" check "$1" >"$dir/check.out" 2>&1 || {
		fail "check: exit status $?"
		sed -n '/^Not proven/,$p' "$dir/check.out"
	}
}

# verify DIRECTORY [OPTION...]: decodes $dir/DIRECTORY and checks it, see verify.py for the options.
verify()
{
	verify_trace=$dir/$1
	shift
	if ! timeout -k 5 120 "$decode" stat --fail-on-loss "$verify_trace" >"$dir/stat" 2>"$dir/stat.err"; then
		fail "stat: exit status of syntrace-decode"
	fi
	sed -n 1,40p "$dir/stat"
	cat "$dir/stat.err"
	timeout -k 5 120 "$decode" events --format=jsonl --no-stacks "$verify_trace" >"$dir/events" ||
		fail "events: exit status of syntrace-decode"
	timeout -k 5 120 "$decode" edges --format=jsonl --program "$verify_trace" >"$dir/edges" ||
		fail "edges: exit status of syntrace-decode"
	timeout -k 5 120 "$decode" edges --verify "$verify_trace" || fail "edges --verify"
	check_trace "$verify_trace"
	timeout -k 5 120 "$decode" stat --format=jsonl "$verify_trace" >"$dir/stat.jsonl" ||
		fail "stat: exit status of syntrace-decode"
	timeout -k 5 300 python3 "$top_srcdir/tests/real/verify.py" "$top_srcdir/format" "$dir" "$@" ||
		fail "the trace does not satisfy tests/real/verify.py"
}
