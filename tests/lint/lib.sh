# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# Shared by the lints. Each lint looks at the source tree $lint_root or at the library
# $lint_library, and prints one line per violation. It ends with 1 if there was a violation, with 77
# if its input does not exist, else with 0. tests/lint/selftest.sh shows each lint a violation.

: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$top_srcdir/build}"
: "${CC:=cc}" "${NM:=nm}"
lint_root=${LINT_ROOT:-$top_srcdir}
lint_library=${LINT_LIBRARY:-$top_builddir/.libs/libsyntrace.so}
lint_here=$top_srcdir/tests/lint
lint_work=$(mktemp -d) || exit 99
trap 'rm -rf "$lint_work"' EXIT
export LC_ALL=C

lint_fail()
{
	echo "$*" | tee -a "$lint_work/violations"
}

# From a pipe: each line is a violation.
lint_fail_lines()
{
	tee -a "$lint_work/violations"
}

lint_skip()
{
	echo "skipped: $*"
	exit 77
}

lint_end()
{
	[ -s "$lint_work/violations" ] && exit 1
	exit 0
}

lint_need_library()
{
	[ -f "$lint_library" ] || lint_skip "no libsyntrace.so was built"
}

# Source files of the folders named, by their path from the root.
lint_sources()
{
	(
		cd "$lint_root" || exit 1
		find "$@" -type f \( -name '*.[chS]' -o -name '*.def' \) 2>/dev/null | sort
	)
}

# PATTERN DIR...: the lines of the sources in DIR that match PATTERN (an extended regular expression), as FILE:LINE:TEXT.
# One process reads all files: a process per file costs minutes where processes start slowly.
lint_grep()
{
	lint_pattern=$1
	shift
	lint_sources "$@" | (cd "$lint_root" && xargs -r grep -nE -e "$lint_pattern" /dev/null)
}

# The names of format/calls.def, one per line, of the row kinds named (CALL FAST HAND OMP ALIAS MARK OLD).
lint_calls()
{
	for lint_row; do
		sed -n "s/^$lint_row( *\([A-Za-z0-9_]*\).*/\1/p" "$lint_root/format/calls.def"
	done
}
