#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode what-if foretells what a change brings: programs are recorded as they are and changed
# (what-if.c); the effect foretold from the first trace is within 10 % of the effect that there was. Their time is that
# of sleeps, so it does not depend on the machine; as one that is busy may still let them sleep longer, the best of a few
# tries counts.
. "$(dirname "$0")/../lib.sh"
need python3
program=$top_builddir/tests/report/what-if

record() # DIRECTORY ARGUMENT...
{
	rm -rf "${dir:?}/$1"
	record_into=$dir/$1
	shift
	timeout -k 5 60 env SYNTRACE_DIR="$record_into" LD_PRELOAD="$lib" "$program" "$@" || fail "$*: exit status $?"
	check_trace "$record_into"
}

# WHAT CALLS OPTION...: succeeds if the prediction is good; what cannot depend on time must be right in each try.
foretell()
{
	foretell_what=$1 foretell_calls=$2
	shift 2
	record as-is "$foretell_what"
	record changed "$foretell_what" changed
	timeout -k 5 60 "$decode" what-if "$@" "$dir/as-is" >"$dir/text" || fail "what-if $*: exit status $?"
	timeout -k 5 60 "$decode" what-if --format=jsonl "$@" "$dir/as-is" >"$dir/as-is.jsonl" ||
		fail "what-if --format=jsonl $*: exit status $?"
	timeout -k 5 60 "$decode" what-if --format=jsonl "$dir/changed" >"$dir/changed.jsonl" ||
		fail "what-if: exit status $?"
	python3 - "$dir/as-is.jsonl" "$dir/changed.jsonl" "$foretell_calls" <<-'END'
		import json, sys
		was, is_ = ([json.loads(line) for line in open(name)] for name in sys.argv[1:3])
		if [line["type"] for line in was[:3]] != ["coverage", "what-if", "change"]:
		    sys.exit("not what comes first")
		for lines in was, is_:
		    if lines[1]["error_ns"] or lines[1]["replayed_ns"] != lines[1]["recorded_ns"] or lines[1]["not_regarded"]:
		        sys.exit(f"without a change it is not what was recorded: {lines[1]}")
		calls = was[2].get("calls", was[2].get("acquired"))
		if calls != int(sys.argv[3]):
		    sys.exit(f"{calls} calls, and there are {sys.argv[3]}")
		recorded, expected, measured = was[1]["recorded_ns"], was[1]["expected_ns"], is_[1]["recorded_ns"]
		effect, foretold = recorded - measured, recorded - expected
		print(f"{recorded / 1e6:.1f} ms, expected {expected / 1e6:.1f}, measured {measured / 1e6:.1f}:"
		      f" the effect is foretold with an error of {100 * (foretold / effect - 1):.1f} %")
		sys.exit(0 if abs(foretold - effect) <= 0.1 * effect else 9)
	END
}

try()
{
	for n in $(seq 20); do
		foretell "$@"
		case $? in
		0) return ;;
		9) ;;
		*) break ;;
		esac
	done
	fail "what-if $*: see above, after $n tries"
}

try stages 10 --speed-up=refine=50%
grep -q '^refine takes 50.0 % less time in 10 calls (' "$dir/text" || fail "stages: what is changed"
unwrap <"$dir/text" | grep -q '^Computed run time without a change: .* No computed time of an event differs from the recorded time by more than 0 ns\.' || fail "stages: no error told"
grep -q '^Expected run time: .* instead of .*, .* less (' "$dir/text" || fail "stages: what is expected"
coverage_is_last "$dir/text" "what-if"
try lock 20 --remove-lock='mutex:*'
try tail 0 --speed-up=compute=50%
unwrap <"$dir/text" | grep -q '^compute takes 50.0 % less time in 0 calls (0 ns) and in 20 stretches of code (' ||
	fail "tail: the time before the tail call does not count for its function"
"$decode" critical-path "$dir/as-is" | grep -q '^1\. .* compute$' || fail "tail: critical-path names another function"
try server 8 --speed-up=answer=90

# To change nothing changes nothing.
"$decode" what-if --speed-up=answer=0 "$dir/as-is" | grep -q '^Expected run time: .*, 0 ns less (0.0 %)' || fail "--speed-up=answer=0"
# With both at once each has its effect, and the client is the slower one then.
"$decode" what-if --speed-up=answer=100 --speed-up=server=50 --format=jsonl "$dir/as-is" >"$dir/both.jsonl" || fail "both"
python3 - "$dir/both.jsonl" <<-'END' || fail "two changes at a time: see above"
	import json, sys
	lines = [json.loads(line) for line in open(sys.argv[1])]
	expected = lines[1]["expected_ns"] / 1e6
	print(f"both: {expected:.1f} ms")
	# 8 times 7.5 ms: a thread that no longer waits takes no time
	sys.exit(not 60 <= expected < lines[1]["recorded_ns"] / 3e6)
END
for wrong in --speed-up=answer --speed-up=answer=101 --speed-up==5 --speed-up=answer=x --speed-up=nobody=50 \
	--remove-lock=nothing; do
	status 2 "$decode" what-if "$wrong" "$dir/as-is" 2>/dev/null
done
finish
