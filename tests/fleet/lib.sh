# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# For the tests of syntrace-fleet, which need no recorder: a directory $dir and the program $fleet.

set -u
: "${top_builddir:=$PWD}" "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
fleet=$top_builddir/syntrace-fleet
fleet_tests=$top_srcdir/tests/fleet
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE top_builddir
test_name=$(basename "$0" .sh)
[ -x "$fleet" ] || {
	echo "skipped: syntrace-fleet is not built"
	exit 77
}
command -v python3 >/dev/null || {
	echo "skipped: python3 is not installed"
	exit 77
}
dir=$(mktemp -d "${TMPDIR:-/tmp}/syntrace-$test_name.XXXXXX") || exit 99
trap '[ -n "${KEEP:-}" ] && echo "kept: $dir" || rm -rf "$dir"' EXIT
trap 'exit 99' INT TERM HUP
