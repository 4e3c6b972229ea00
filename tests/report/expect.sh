#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode check --expect: expectations about the jobs of examples/pipeline, compared with the occurrences that the
# verb model prints; all formats; with a baseline; wrong files.
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 1

# On a loaded machine, the client may fill the queue before a worker begins, which changes the tasks. The test needs runs
# in which each job is an occurrence of one task.
mkdir runs
for n in 1 2; do
	for try in 1 2 3 4 5 6 7 8 9 10; do
		rm -rf runs/$n
		SYNTRACE_DIR=runs/$n LD_PRELOAD=$lib timeout 60 "$top_builddir/examples/pipeline" 200 >/dev/null || fail "pipeline: $?"
		"$decode" model --format=jsonl runs/$n |
			grep -qE '"type":"task","task":"main",.*"count":20[0-4],.*"leaf_tasks":2[34][0-9][0-9],.*"threads":3,' && break
		echo "run $n, try $try: other tasks"
	done
done
"$decode" model --format=jsonl --instances runs/1 >model || fail "model: exit status $?"
python3 "$report_tests/expect.py" write model right wrong || fail "see above"

# All hold, in one run and in two.
status 0 "$decode" check --expect=right runs/1 >report
cat report
grep -qE '^[0-9]+ expectations about 1 run: [0-9]+ hold, 0 fail\.$' report || fail "not all expectations hold"
printf '%s\n' 'main: submit = 1' 'main: submit before answer' >both
status 0 "$decode" check --expect=both runs >report
grep -q '^2 expectations about 2 runs: 4 hold, 0 fail\.$' report || fail "two runs"

# All fail; the output names the first occurrence that is not as expected, and its value.
status 1 "$decode" check --expect=wrong --format=jsonl runs/1 >wrong.jsonl
python3 "$report_tests/expect.py" read model wrong wrong.jsonl || fail "see above"
status 1 "$decode" check --expect=wrong runs/1 >report
cat report
id='[0-9]+\.[0-9]+\.[0-9]+'
tr -s '\n ' ' ' <report >line
grep -qE "202 of 202 occurrences are not as expected; the first, $id of main, has 1 in runs/1, expected in wrong:2 " line ||
	fail "text: no occurrence and value"
grep -qE "in the first, $id of main, $id does not happen before $id in" line || fail "text: no two events"
grep -q 'the model has no task absent' report || fail "text: absent task"

# The other formats, also together with a baseline.
"$decode" baseline runs >learnt || fail "baseline: exit status $?"
python3 "$report_tests/expect.py" rename learnt main baseline || fail "see above"
for with in "" --against=baseline; do
	# shellcheck disable=SC2086 # no option, or one
	status 1 "$decode" check $with --expect=wrong --format=junit runs/1 >report.xml
	python3 - report.xml wrong ${with:+two} <<'END' || fail "JUnit $with"
import sys, xml.etree.ElementTree as ET
root = ET.parse(sys.argv[1]).getroot()
lines = sum(not line.startswith("#") for line in open(sys.argv[2]))
suites = root.findall("testsuite") if len(sys.argv) > 3 else [root]
assert root.tag == ("testsuites" if len(sys.argv) > 3 else "testsuite") and len(suites) == len(sys.argv) - 2, root.tag
cases = suites[-1].findall("testcase")
assert len(cases) == lines == int(suites[-1].get("tests")) == int(suites[-1].get("failures")), cases
assert all(c.find("failure").get("message") for c in cases)
END
	# shellcheck disable=SC2086
	status 1 "$decode" check $with --expect=wrong --format=markdown runs/1 >report.md
	# shellcheck disable=SC2016 # Markdown
	grep -qE '^\| `main: submit = 2` \| `202 of 202 .* of main, has 1`<br>in `runs/1` \|$' report.md || fail "Markdown $with"
	[ "$(grep -c '^### Expectations failed$' report.md)" -eq 1 ] || fail "Markdown $with: title"
done
status 1 "$decode" check --against=baseline --expect=wrong runs/1 >report
grep -q '^No difference\.$' report || fail "no comparison beside the expectations"
status 0 "$decode" check --against=baseline --expect=both runs/1 >report
grep -q '^2 expectations about 1 run: 2 hold, 0 fail\.$' report || fail "no expectations beside the comparison"

# The tasks of a baseline, with the names in its file.
python3 "$report_tests/expect.py" rename baseline job renamed || fail "see above"
printf '%s\n' 'job: submit = 1' 'job: submit before take' >renamed.expect
status 0 "$decode" check --against=renamed --expect=renamed.expect runs/1 >report
status 1 "$decode" check --expect=renamed.expect runs/1 >report
grep -q 'the model has no task job; syntrace-decode model prints' report || fail "a task of no baseline"
status 1 "$decode" check --against=renamed --expect=wrong runs/1 >report
tr -s '\n ' ' ' <report | grep -q "the baseline has no task absent; the lines 'task' of its file" || fail "an absent task of a baseline"
sed '0,/^part	/s/^part	/task	1\/run	~gone	1	pipeline: gone\n&/' renamed >gone
echo '~gone: submit = 1' >gone.expect
status 1 "$decode" check --against=gone --expect=gone.expect runs/1 >report
grep -q 'the run has no task ~gone, but the baseline has$' report || fail "a task of the baseline, but not of the run"

# Wrong files and options.
printf 'main: submit = 1\nmain: latency <= 5\n' >mistake
status 4 "$decode" check --expect=mistake runs/1 2>err
grep -q 'mistake:2:19: expected a time' err || fail "no line and column: $(cat err)"
status 4 "$decode" check --expect=/dev/zero runs/1 2>err
grep -q '/dev/zero:1:67108865: the file has more than 64 MiB' err || fail "an endless file: $(cat err)"
status 4 "$decode" check --expect=nowhere runs/1 2>/dev/null
status 2 "$decode" check --expect=both --only=time runs/1 2>/dev/null
finish
