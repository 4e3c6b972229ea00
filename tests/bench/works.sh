#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# `make bench` does what it says, apart from its figures: from given measurements it makes the right rows and
# verdicts; each of its parts runs, leaves nothing running and nothing behind; so does make cost --time.  (Servers and other
# tools: only in the long form of this test.)
. "$(dirname "$0")/../lib.sh"

need jq setsid
bench=$top_srcdir/tests/bench

# ---- given measurements ----

cat >"$dir/raw" <<'EOF2'
title mutex untraced a pair of "calls"
title cond untraced a round trip
title redis untraced a server
title off bare nothing recorded
title worst untraced single calls
title idle untraced threads
value mutex untraced ns 10 100
value mutex syntrace ns 80 100
value mutex syntrace ns 60 100
value mutex untraced ns 11 100
value mutex untraced ns 9 100
value mutex syntrace ns 100 100
value cond untraced ns 1000 10
value cond syntrace ns 1050 10
value redis untraced rps 1000
value redis syntrace rps 959
value off bare ns 10 10
value off untraced ns 9 10
value off syntrace-disabled ns 10.5 10
value worst untraced max_ns 100
value worst syntrace max_ns 300000
value worst syntrace max_ns 200001
value worst syntrace max_ns 100000
value idle untraced rss_per_thread_bytes 8192
value idle syntrace rss_per_thread_bytes 40960
events mutex untraced - - -
events mutex syntrace 200 1001 0
events cond syntrace ? ? -
run rounds 3
run cpu a "fast" one
EOF2
awk -f "$bench/json.awk" -f "$bench/rows.awk" "$dir/raw" >"$dir/rows"
awk -f "$bench/json.awk" -f "$bench/budgets.awk" "$bench/budgets" "$dir/rows" >"$dir/verdicts"
cat "$dir/rows" "$dir/verdicts" >"$dir/jsonl"
jq -c . "$dir/jsonl" >/dev/null || fail "what rows.awk and budgets.awk write is no JSON"

# wants FILTER: true of the objects, as an array
wants()
{
	jq -es "$1" "$dir/jsonl" >/dev/null || fail "not so: $1"
}

row='map(select(.type == "row" and .bench == "mutex" and .tool == "syntrace"))[0]'
wants '.[0].type == "run" and .[0].rounds == 3 and .[0].cpu == "a \"fast\" one"'
wants "$row | .median == 80 and .least == 60 and .q1 == 70 and .q3 == 90 and .most == 100 and .rounds == 3"
# of the rounds: 80 / 10, 60 / 11, 100 / 9
wants "$row | .ratio == 8 and .added == 70 and (.ratio_q1 - 6.7273 | fabs < 0.001) and (.ratio_q3 - 9.5556 | fabs < 0.001)"
wants "$row | .events == 200 and .bytes_per_event == 5.005 and .lost == 0 and .operations == 100"
wants "$row | .what == \"a pair of \\\"calls\\\"\" and .base == \"untraced\""
wants 'map(select(.type == "row" and .bench == "cond" and .tool == "syntrace"))[0] | .events == null and .lost == null'
wants 'map(select(.type == "row" and .bench == "off" and .tool == "untraced"))[0] | .base == "bare" and .ratio == 0.9'
verdict='[.[] | select(.type == "budget" and .met != null) | {(.bench): .met}] | add'
wants "$verdict == {mutex: false, cond: true, redis: false, off: true, worst: false, idle: true}"
wants 'map(select(.type == "budget")) | length == ('"$(grep -c '^[a-z]' "$bench/budgets")"')'

awk -f "$bench/json.awk" -f "$bench/report.awk" "$dir/jsonl" >"$dir/report"
grep -qx 'budgets met: 3 of 6; moonshots: 1 of 1' "$dir/report" || fail "the report miscounts the budgets"
grep -qx '  mutex ratio  *8   budget: at most 4' "$dir/report" || fail "the report hides a missed budget"
grep -qx '  redis ratio  *0.959   budget: at least 0.96' "$dir/report" || fail "the report hides a server that is too slow"
grep -qx '  worst max_ns median  *200001   budget: at most 200000' "$dir/report" || fail "the report hides a slow call"
grep -q '^not measured: .*stacks ratio' "$dir/report" || fail "the report does not say what was not measured"
grep -q 'noise: of the untraced rounds half lie within 10.0 %, all within 20 %' "$dir/report" ||
	fail "the report does not tell the noise"

# ---- given rates of decoding ----

# Of the three rounds of stat, one has a slow verb, and one has a slow reader: 10, 5 and 13.3 times its rate.
cat >"$dir/rates" <<'EOF2'
{"tool":"compared","load":"uneven","round":1,"verb":"stat","jobs":2,"events":5000000,"seconds":0.25,"user_s":0.3,"sys_s":0.1,"rss_kib":102400}
{"tool":"compared","load":"uneven","round":1,"verb":"check","jobs":2,"events":5000000,"seconds":1,"user_s":1,"sys_s":1,"rss_kib":1024000}
{"tool":"compared","load":"uneven","round":1,"verb":"diagnose","jobs":2,"events":5000000,"seconds":2,"user_s":2,"sys_s":1,"rss_kib":102400}
{"tool":"babeltrace2","load":"uneven","round":1,"verb":"counter","jobs":2,"events":15000000,"seconds":7.5,"user_s":7,"sys_s":0,"rss_kib":1024}
{"tool":"compared","load":"uneven","round":2,"verb":"stat","jobs":2,"events":5000000,"seconds":0.5,"user_s":0.5,"sys_s":0.1,"rss_kib":102400}
{"tool":"babeltrace2","load":"uneven","round":2,"verb":"counter","jobs":2,"events":15000000,"seconds":7.5,"user_s":7,"sys_s":0,"rss_kib":1024}
{"tool":"compared","load":"uneven","round":3,"verb":"stat","jobs":2,"events":5000000,"seconds":0.25,"user_s":0.2,"sys_s":0.1,"rss_kib":102400}
{"tool":"babeltrace2","load":"uneven","round":3,"verb":"counter","jobs":2,"events":15000000,"seconds":10,"user_s":7,"sys_s":0,"rss_kib":1024}
{"tool":"compared","load":"mixed","round":1,"verb":"stat","jobs":2,"events":5000000,"seconds":0.25,"user_s":0.3,"sys_s":0.1,"rss_kib":102400}
EOF2
awk -f "$bench/json.awk" -f "$bench/decode.awk" "$dir/rates" >"$dir/report"
grep -q '^  met  *stat  *20.00 million a second, 10.00x (5.00 to 13.33; at least 10x),  *80 ns' "$dir/report" ||
	fail "decode.awk misjudges stat"
grep -q '^  MISSED  *check  *5.00 million a second,  2.50x (2.50 to 2.50; at least 3x).* (MISSED: at most 1 GB)$' "$dir/report" ||
	fail "decode.awk hides a slow report, or one that uses much memory"
grep -q '^  met  *diagnose .* 1.25x (.*; at least 1x)' "$dir/report" || fail "decode.awk misjudges diagnose"
grep -q '^  not compared  *stat ' "$dir/report" || fail "decode.awk compares a load that babeltrace2 did not read"

# ---- a run ----

parts="micro processes off size worst memory"
tools="untraced syntrace"
if [ -n "${SYNTRACE_TEST_LONG:-}" ]; then
	parts="$parts places servers" # another CPU takes long to wake up
	tools=
fi
mkdir "$dir/traces"
# In a session of its own: whatever it leaves behind is found by that.
# shellcheck disable=SC2016 # expanded by that shell
BENCH_DIR=$dir/traces setsid -w sh -c 'echo $$ >"$1"; shift; exec "$@"' sh "$dir/session" \
	sh "$bench/run.sh" -q -r 1 -p "$parts" ${tools:+-t "$tools"} -o "$dir/bench.jsonl" >"$dir/out" 2>&1 </dev/null ||
	fail "run.sh failed: $(tail -n 3 "$dir/out")"
sed -n '/^budgets met/,$p' "$dir/out"
left=$(ps -o pid=,args= -s "$(cat "$dir/session")")
[ -z "$left" ] || fail "run.sh left behind: $left"
[ -z "$(ls "$dir/traces")" ] || fail "run.sh left behind: $(ls "$dir/traces")"
cp "$dir/bench.jsonl" "$dir/jsonl"
for name in mutex stacks contend cond sem sock tcp thread size; do
	wants "map(select(.bench == \"$name\" and .tool == \"syntrace\" and .type == \"row\"))[0] |
		.median > 0 and .ratio > 0 and .events > 1000 and .bytes > 0 and .lost == 0"
done
wants '[.[] | select(.metric == "mean_ns" and .tool == "syntrace" and .median > 0 and .ratio > 0) | .bench] |
	contains(["mutex", "cond", "tcp", "thread", "exec-disk"])'
[ -z "${SYNTRACE_TEST_LONG:-}" ] ||
	wants '[.[] | select(.metric == "ns" and .tool == "syntrace" and .events > 1000) | .bench] |
		contains(["cond-apart", "sem-apart", "sock-apart", "tcp-apart", "thread-apart", "mutex-disk", "cond-disk", "sem-disk",
			"sock-disk", "tcp-disk", "thread-disk"])'
for name in fork-memory fork-disk exec-memory exec-disk; do
	wants "map(select(.bench == \"$name\" and .tool == \"syntrace\" and .type == \"row\"))[0] |
		.median > 0 and .ratio > 0 and .events > 100 and .bytes > 0 and .lost == 0"
done
for name in worst-seal worst-stack worst-object worst-module worst; do
	for tool in untraced machine syntrace; do
		wants "[.[] | select(.bench == \"$name\" and .tool == \"$tool\" and .type == \"row\") | {(.metric): .median}] | add |
			.samples + .switched > 1 and .p50_ns <= .p99_ns and .p9999_ns <= .max_ns and .over_200us <= .over_20us"
	done
done
for name in idle alive; do
	wants "map(select(.bench == \"$name\" and .tool == \"syntrace\" and .metric == \"rss_per_thread_bytes\"))[0].added > 0"
done
for name in idle alive turn; do
	wants "map(select(.bench == \"$name\" and .metric == \"dump_bytes\"))[0].median > 0"
done
wants 'map(select(.bench == "off" and .type == "row" and .metric == "ns") | .tool) ==
	["untraced", "bare", "syntrace-disabled", "syntrace-paused"]'
wants 'map(select(.bench == "off" and .tool == "syntrace-disabled" and .type == "row"))[0].events == 0'
wants 'map(select(.type == "budget" and .met != null)) | length >= 17'

# ---- an event, part by part ----

TMPDIR=$dir sh "$top_srcdir/tests/cost/time.sh" -q -o "$dir/jsonl" >"$dir/out" || fail "time.sh failed: $(tail -n 3 "$dir/out")"
for name in mutex stacks; do
	# what the parts take is what a traced pair takes; at least something of it was found in the library
	wants "map(select(.bench == \"$name\")) | (map(select(.type == \"part\").ns) | add) as \$all |
		map(select(.type == \"parts\"))[0] | (.traced_ns - \$all | fabs) < 0.1 and .samples > 0 and .explained_ns > 0"
done
grep -q '^| explained by the parts in the library | [0-9.]* ([0-9]* %' "$dir/out" ||
	fail "time.sh does not compare the parts with the whole"

# ---- the document's tables ----

cat >"$dir/document" <<'EOF2'
before
<!-- figures: parts -->
old
<!-- end of figures -->
between
<!-- figures: operations -->
old
<!-- end of figures -->
<!-- figures: no such -->
kept
<!-- end of figures -->
after
EOF2
sh "$bench/markdown.sh" -w "$dir/document" "$dir/bench.jsonl" "$dir/jsonl" || fail "markdown.sh failed"
sed -e '/^|/d' "$dir/document" >"$dir/without"
printf '%s\n' before '<!-- figures: parts -->' '<!-- end of figures -->' between '<!-- figures: operations -->' \
	'<!-- end of figures -->' '<!-- figures: no such -->' kept '<!-- end of figures -->' after |
	cmp -s - "$dir/without" || fail "markdown.sh changes what is none of its tables: $(cat "$dir/without")"
grep -q '^| uncontended mutex pair, 16 frames | [0-9.,]* (.*) | \*\*[0-9.]*x\*\* ([0-9,]*);.* | [0-9.]*x | 4 |' "$dir/document" ||
	fail "markdown.sh makes no table of the operations"
for name in machine budgets operations off size worst memory parts; do
	sh "$bench/markdown.sh" "$dir/bench.jsonl" "$dir/jsonl" | grep -qx "<!-- figures: $name -->" || fail "no table of $name"
	grep -qx "<!-- figures: $name -->" "$top_srcdir/doc/performance.md" || fail "doc/performance.md has no place for $name"
done
finish
