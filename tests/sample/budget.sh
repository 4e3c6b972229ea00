#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# record --budget: the values that it takes, and the summary. tests/unit/test-budget.c simulates the seconds. The long form
# compares the growth of the trace in 10 s with the budget.
. "$(dirname "$0")/../lib.sh"
ops=$top_builddir/syntrace-bench-ops
mixed=$top_builddir/tests/sample/mixed
[ -x "$ops" ] && [ -x "$mixed" ] || skip "the check programs are not built"
[ "$(uname -m)" = x86_64 ] || skip "samplers are available on x86-64 only"

record="$top_builddir/syntrace record --stream -o $dir/trace"
for budget in 0/s 64K 64k/s 101% nan/s x ''; do
	$record --sample=bump --budget="$budget" -- true 2>"$dir/err"
	[ $? = 125 ] && grep -q -- '--budget takes' "$dir/err" || fail "--budget=$budget is not refused"
	[ -z "$budget" ] && continue
	SYNTRACE_BUDGET=$budget $record --sample=bump -- true 2>"$dir/err"
	[ $? = 125 ] && grep -q 'SYNTRACE_BUDGET takes' "$dir/err" || fail "SYNTRACE_BUDGET=$budget is not refused"
done
$record --budget=2% -- true 2>"$dir/err"
[ $? = 125 ] && grep -q 'add --sample' "$dir/err" || fail "--budget without a sampler is not refused"

# without the launcher, an invalid budget is ignored
for budget in 64K/s 2% wrong; do
	rm -rf "$dir/trace"
	SYNTRACE_BUDGET=$budget SYNTRACE_SAMPLE=bump SYNTRACE_DIR=$dir/trace LD_PRELOAD=$lib "$mixed" 10 || fail "$budget: mixed failed"
	"$decode" stat --format=jsonl "$dir/trace" | grep -q '"sampler":"bump"' || fail "$budget: the trace is not sampled"
done

# Ghosts alone exceed a budget of 16 bytes in a second. The program ends when the recorder has compared the two: the number is in
# the shared file.
rm -rf "$dir/trace"
SYNTRACE_SAMPLE=bump $record --budget=16/s -- sh -c 'echo $$ >"$1"; exec "$2" 2000000000' sh "$dir/pid" "$mixed" 2>"$dir/err" &
n=0
until [ "$(od -An -t u4 -j $((4096 - 744 + 76)) -N 4 "$dir/trace/trace" 2>/dev/null)" -gt 0 ] 2>/dev/null; do
	n=$((n + 1))
	[ $n -lt 600 ] || break
	sleep 0.1
done
kill "$(cat "$dir/pid")"
wait $!
grep -qE 'budget was exceeded in [0-9]+ of [0-9]+ seconds by ghosts' "$dir/err" || fail "no word about the ghosts: $(cat "$dir/err")"

# measure: prints the time in ms and the size of the trace in KiB
measure()
{
	awk '{ printf "%d ", $1 * 1000 }' /proc/uptime
	du -sk "$dir/trace" | cut -f1
}

if [ -n "${SYNTRACE_TEST_LONG:-}" ]; then
	kb=1024
	for sampler in bucket bump p:0.01; do
		rm -rf "$dir/trace" "$dir/pid"
		$record -q --sample=$sampler --budget=${kb}K/s -- \
			sh -c 'echo $$ >"$1"; exec "$2" -n 2000000000 mutex' sh "$dir/pid" "$ops" >/dev/null 2>&1 &
		sleep 14
		from=$(measure)
		sleep 10
		to=$(measure)
		kill "$(cat "$dir/pid")"
		wait $!
		rate=$(((${to#* } - ${from#* }) * 1000 / (${to% *} - ${from% *})))
		echo "$sampler: $rate KiB in a second instead of $kb"
		[ $rate -ge $((kb * 8 / 10)) ] && [ $rate -le $((kb * 12 / 10)) ] || fail "$sampler: $rate KiB in a second instead of $kb"
	done
fi
finish
