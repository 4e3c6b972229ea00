#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# tests/lib/rehost, on which the tests of several hosts rely: a copy without options has the events of the original,
# and a copy with another clock has them at the times of that clock.
. "$(dirname "$0")/../lib.sh"
need python3
rehost=$top_builddir/tests/lib/rehost

python=$(python3 -c "import sys; print(sys.executable)") # python3 itself may be a script
SYNTRACE_DIR=$dir/trace LD_PRELOAD="$lib" status 0 "$python" "$top_srcdir/tests/host/echo.py" 3000 </dev/null

# WHAT [OPTION VALUE]...: prints the origin.
copy()
{
	copy_to=$dir/$1
	shift
	"$rehost" "$@" "$dir/trace" "$copy_to" | sed -n 's/^origin //p'
}

# NAME: its events, in $dir/NAME.jsonl
events()
{
	"$decode" events --format=jsonl --no-stacks "$dir/$1" >"$dir/$1.jsonl" || fail "events of $1"
}

copy same >/dev/null
events trace
events same
cmp "$dir/trace.jsonl" "$dir/same.jsonl" || fail "a copy without options differs"
"$decode" stat --fail-on-loss "$dir/same" >"$dir/out" || fail "a copy without options has losses"

origin=$(copy other --boot-add 300 --trace-id 77 --host elsewhere --offset 81204113000000 --drift -23.104 \
	--wave 40000,50000000 --wave 0,1000)
events other
python3 "$top_srcdir/tests/host/rehost.py" "$dir/trace.jsonl" "$dir/other.jsonl" \
	"$origin" 81204113000000 -23.104 40000 50000000 || fail "the times are wrong"

"$decode" stat --format=jsonl "$dir/trace" "$dir/other" >"$dir/out" || fail "stat of both"
python3 - "$dir/out" <<'END' || fail "identity of the copy"
import json, sys
both = [json.loads(line) for line in open(sys.argv[1])]
both = [p for p in both if p["type"] == "process"]
hosts = {p["host"] for p in both}
traces = {p["trace_id"] for p in both}
boots = sorted(int(p["boot_id"], 16) for p in both)
assert "elsewhere" in hosts and len(hosts) == 2, hosts
assert f"{0x77:032x}" in traces and len(traces) == 2, traces
assert boots[-1] - boots[0] == 300, boots
END
finish
