# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# For the tests of reports.
#
#   . "$(dirname "$0")/lib.sh"
#   report_on VERB NAME CMD...
#   try VERB EXAMPLE PATTERN...

. "$(dirname "$0")/../lib.sh"
need python3
report_tests=$top_srcdir/tests/report
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

# VERB NAME CMD...: traces it into $dir/NAME, and leaves the report in $dir/report and
# $dir/report.jsonl. In any report the parts sum to the whole, and the result does not depend on the
# number of decoder threads.
report_on()
{
	report_verb=$1 report_into=$dir/$2
	shift 2
	timeout -k 5 60 env SYNTRACE_DIR="$report_into" LD_PRELOAD="$lib" "$@" || fail "$*: exit status $?"
	check_trace "$report_into"
	timeout -k 5 60 "$decode" "$report_verb" "$report_into" >"$dir/report" || fail "$report_verb: exit status $?"
	cat "$dir/report"
	coverage_is_last "$dir/report" "$*"
	timeout -k 5 60 "$decode" "$report_verb" --format=jsonl --stacks "$report_into" >"$dir/report.jsonl" ||
		fail "$report_verb --format=jsonl: exit status $?"
	python3 "$report_tests/$report_verb.py" "$dir/report.jsonl" || fail "$*: see above"
	timeout -k 5 60 "$decode" "$report_verb" --format=jsonl --stacks --jobs=1 --memory=1M "$report_into" |
		cmp - "$dir/report.jsonl" || fail "$*: another report with one job and less memory"
}

# TEXT PATTERN: in the first ten lines of the report.
tells()
{
	unwrap <"$dir/report" | head -n 10 | grep -qE -- "$2" || fail "$1: no '$2' in the first ten lines"
}

# VERB EXAMPLE PATTERN...: the report on the sick example has these patterns in its first ten lines;
# the report on the healthy example has no finding. This must hold in one of five runs at least: on
# a loaded machine a lock holder may lose the processor, and other threads then wait.
try()
{
	try_verb=$1 try_example=$2
	shift 2
	report_on "$try_verb" "$try_example-sick" "$top_builddir/examples/$try_example" sick
	for try_pattern; do
		tells "$try_example" "$try_pattern"
	done
	grep -qE '^No (lock|wait) stands out' "$dir/report" && fail "$try_example: the report has no finding"
	for try_number in 1 2 3 4 5; do
		report_on "$try_verb" "$try_example-healthy-$try_number" "$top_builddir/examples/$try_example" healthy
		grep -qE '^No (lock|wait) stands out' "$dir/report" && break
	done
	grep -qE '^[0-9]+\. ' "$dir/report" && fail "$try_example: the healthy example has a finding"
	grep -qE '^No (lock|wait) stands out' "$dir/report" || fail "$try_example: the report has a finding"
}
