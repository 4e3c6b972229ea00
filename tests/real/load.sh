# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# For the tests of this folder: tests/lib.sh, and their long form (make check-long): a real load,
# with every event kept.
#
#   . "$(dirname "$0")/load.sh"
. "$(dirname "$0")/../lib.sh"

# load SHORT LONG: how much there is to do.
load()
{
	if [ -n "${SYNTRACE_TEST_LONG:-}" ]; then
		echo "$2"
	else
		echo "$1"
	fi
}
patience=$(load 60 600)
[ -z "${SYNTRACE_TEST_LONG:-}" ] || export SYNTRACE_MODE=stream

# judge DIRECTORY [OPTION...]: the trace in $dir/DIRECTORY violates no invariant and explains every byte, see judge.py.
judge()
{
	judge_trace=$1
	shift
	timeout -k 5 "$patience" python3 "$top_srcdir/tests/real/judge.py" "$decode" "$dir/$judge_trace" "$test_name" "$@" ||
		fail "the trace does not satisfy tests/real/judge.py"
}

# The same, and of the short form every event and edge is looked at besides, see verify.py; the long one's would take its time
# and memory.
judge_each()
{
	judge "$@"
	[ -n "${SYNTRACE_TEST_LONG:-}" ] || verify "$@"
}
