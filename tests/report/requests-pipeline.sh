#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode requests, on a client that sends some requests before the answer to the previous one (pipeline.c). Exactly these
# requests have a mark. The CPU time of a request that stands alone is exact, and the one of requests in a row is divided.
. "$(dirname "$0")/lib.sh"
need python3
program=$top_builddir/tests/report/pipeline
port=$(free_port)

start trace log "$program" serve "$port"
server=$started
within 20 listening "$port" || fail "the server does not listen: $(cat "$dir/log")"
status 0 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$program" ask "$port"
wait "$server" || fail "the server: exit status $?"
check_trace "$dir/trace"

"$decode" requests --all --format=jsonl "$dir/trace" >"$dir/lines" || fail "requests as JSON: exit status $?"
python3 - "$dir/lines" <<-'END' || fail "see above"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
total = [line for line in lines if line["type"] == "requests"][0]
each = sorted((line for line in lines if line["type"] == "request"), key=lambda r: r["request"])
assert len(each) == 20, len(each)
assert [r["pipelined"] for r in each] == [False] * 10 + [True] * 5 + [False] * 5, [r["pipelined"] for r in each]
assert total["pipelined"] == 5, total
cpu = [(r["components"][0]["cpu"], r["components"][0]["cpu_divided"]) for r in each]
print(cpu)
# most of the 30 ms are exact, unless other programs stop the server
assert sum(divided < all / 2 for all, divided in cpu[:10]) >= 5, cpu
assert any(divided == all > 0 for all, divided in cpu[11:15]), cpu
END

"$decode" requests --limit=20 "$dir/trace" >"$dir/list" || fail "requests: exit status $?"
cat "$dir/list"
unwrap <"$dir/list" | grep -q '^5 requests were sent before an answer (pipelining' || fail "the summary has no count"
[ "$(grep -cE '^ *[0-9]+\+ ' "$dir/list")" = 5 ] || fail "the list does not mark five requests"
grep -q '^ *1[1-5]+ ' "$dir/list" || fail "the list marks other requests"
"$decode" requests --show=12 "$dir/trace" | head -n 1 | grep -q 'pipelin' || fail "--show does not tell"
"$decode" requests --show=2 "$dir/trace" | head -n 1 | grep -q 'pipelin' && fail "--show tells of a request that stands alone"

# without its client in the trace, nobody knows when the requests were sent
start alone log "$program" serve "$port"
server=$started
within 20 listening "$port" || fail "the server does not listen again: $(cat "$dir/log")"
status 0 "$program" ask "$port"
wait "$server" || fail "the server: exit status $?"
"$decode" requests "$dir/alone" >"$dir/list" || fail "requests without the client: exit status $?"
grep -q '(pipelining' "$dir/list" && fail "the trace of the server alone shows pipelining"
finish
