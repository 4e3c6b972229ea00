#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The command lines of a beginner: without a trace, with help or -h, and with misspelt verbs and options.
. "$(dirname "$0")/lib.sh"
tool_need_library
[ -z "${SYNTRACE_SANITIZED-}" ] || { echo "skipped: whole programs are not traced in a sanitizer build"; exit 77; }
decode=$top_builddir/syntrace-decode
verbs=$("$decode" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
launcher_verbs=$("$tool" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' | grep -vx or)
[ "$(echo "$verbs" | wc -l)" -gt 15 ] || bad "--help lists only: $verbs"

# ---- help ----
for program in "$decode" "$tool"; do
	"$program" --help >text
	for arguments in help -h '-?'; do
		# shellcheck disable=SC2086
		status 0 "$program" $arguments
		cmp -s out text || bad "$program $arguments does not print the text of --help"
	done
	status 2 "$program" help nonsense
	has err "no verb 'nonsense'"
done
for verb in $verbs; do
	"$decode" "$verb" --help >text
	status 0 "$decode" help "$verb"
	cmp -s out text || bad "help $verb differs from $verb --help"
	status 0 "$decode" "$verb" -h
	cmp -s out text || bad "$verb -h differs from $verb --help"
done
for verb in $launcher_verbs; do
	"$tool" "$verb" --help >text
	status 0 "$tool" help "$verb"
	cmp -s out text || bad "help $verb differs from $verb --help"
	status 0 "$tool" "$verb" -h
	cmp -s out text || bad "$verb -h differs from $verb --help"
done
status 0 "$tool" record -q -o h sh -c 'test "$1" = -h' sh -h
rm -rf h

# ---- misspelt words ----
status 2 "$decode" dignose
has err "no verb 'dignose'; did you mean 'diagnose'\\?"
status 2 "$decode" critical-pth
has err "did you mean 'critical-path'\\?"
status 2 "$decode" record
has err "no verb 'record'; .*'syntrace record'"
status 2 "$decode" events --limti=3 .
has err "unknown option '--limti'; did you mean '--limit'\\?"
status 2 "$decode" events --xyzzyxyzzy .
has err "unknown option '--xyzzyxyzzy'"
hasnt err 'did you mean'
status 2 "$decode" events --pid= --limit 3 -j 1 --fial-on-loss .
has err "did you mean '--fail-on-loss'\\?"
status 127 "$tool" recrod -- true
has err "did you mean 'syntrace record'\\?"
status 127 "$tool" dcotor true
has err "did you mean 'syntrace doctor'\\?"
status 125 "$tool" record --durtion=3 true
has err "unknown option '--durtion'; did you mean '--duration'\\?"
status 0 "$tool" record -q -o t sh -c 'test "$1" = --durtion' sh --durtion
# the argument of an option, and a word after --, are no option names
status 2 "$decode" events --object --limti --limit x t
has err "not 'x'"
status 4 "$decode" events -- --limti
has err 'No such file'
# an abbreviation is a known option
status 0 "$decode" events --no-st t

# ---- without a trace ----
for verb in $verbs; do
	status 2 "$decode" "$verb"
	has err 'no trace is given, and \./syntrace\.data does not exist|no trace is given, and \./syntrace\.data\.old does not exist'
done
for verb in pause resume snapshot top; do
	status 2 "$tool" "$verb"
	has err 'no trace is given, and \./syntrace\.data does not exist'
done
mv t syntrace.data
"$decode" events syntrace.data >text
status 0 "$decode" events
cmp -s out text || bad 'events without a trace does not read ./syntrace.data'
for verb in stat diagnose info events edges tasks graph contention waits lock-order critical-path baseline watch check; do
	status 0 "$decode" "$verb"
done
"$decode" why 0.0.1 syntrace.data >text 2>&1
"$decode" why 0.0.1 >out 2>&1
cmp -s out text || bad 'why ID does not read ./syntrace.data'
status 0 "$decode" export --to=folded
status 0 "$decode" report -o page.html
[ -s page.html ] || bad 'report wrote no page'
status 2 "$decode" diff
has err 'syntrace\.data\.old'
status 0 "$tool" record -q sh -c true
[ -d syntrace.data.old ] || bad 'record kept no older trace'
"$decode" diff syntrace.data.old syntrace.data >text
"$decode" diff >out
cmp -s out text || bad 'diff without arguments does not compare the two last recordings'
"$decode" diff syntrace.data.old >out
cmp -s out text || bad 'diff BEFORE does not read ./syntrace.data'
status 0 "$tool" pause
status 0 "$tool" resume
status 0 "$tool" snapshot
[ -d syntrace.snapshot ] || bad 'snapshot made no copy'
tool_end
