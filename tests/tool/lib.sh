# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# Shared by the tests of syntrace(1): a work directory, which is the current directory, and checks.
# A test ends with tool_end.

: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$top_srcdir/build}"
: "${CC:=cc}"
tool=$top_builddir/syntrace
SYNTRACE_CONFIG= # a developer's files change no test
export SYNTRACE_CONFIG
tool_failed=0
tool_work=$(mktemp -d) || exit 99
trap 'rm -rf "$tool_work"' EXIT
cd "$tool_work" || exit 99

# Without the library there is no preloading.
tool_need_library()
{
	[ -f "$top_builddir/.libs/libsyntrace.so" ] || {
		echo "skipped: no libsyntrace.so was built"
		exit 77
	}
}

# STATUS COMMAND...: runs it; output in `out`, errors in `err`.
status()
{
	tool_expected=$1
	shift
	"$@" >out 2>err
	tool_rv=$?
	[ $tool_rv -eq "$tool_expected" ] || bad "$*: exit status $tool_rv, expected $tool_expected"
}

bad()
{
	echo "FAILED: $*"
	sed 's/^/  out: /' out 2>/dev/null
	sed 's/^/  err: /' err 2>/dev/null
	tool_failed=1
}

# FILE PATTERN: a line matches.
has()
{
	grep -qE -- "$2" "$1" || bad "nothing in $1 matches $2"
}

hasnt()
{
	! grep -qE -- "$2" "$1" || bad "something in $1 matches $2"
}

# Joins the lines of each sentence, which a report wraps and indents by 3 columns.
unwrap()
{
	awk '/^[^ ]/ { is_coverage = /^(Coverage|Blind spots)/ }
		NR > 1 && (/^   [^ 0-9]/ || is_coverage && /^   [^ ]/) { sub(/^ +/, ""); printf " %s", $0; next }
		NR > 1 { print "" }
		{ printf "%s", $0 }
		END { print "" }'
}

tool_end()
{
	exit $tool_failed
}
