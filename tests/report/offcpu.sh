#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The time between calls: its CPU share, the calls across which a lock is held, and the functions that perf sampled
# (tests/report/offcpu.c).
. "$(dirname "$0")/../lib.sh"
need python3
cd "$dir" || exit 99

# A thread may lose its CPU between its call and its own look at the clock: in one of three runs it does not.
for number in 1 2 3; do
	rm -rf trace
	timeout -k 5 60 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$top_builddir/tests/report/offcpu" "$dir/perf" \
		"$dir/stored" >measured || fail "exit status $?"
	check_trace trace
	"$decode" contention --format=jsonl trace >lines || fail "contention: exit status $?"
	python3 - <<'END' >judged && break
import json, sys
measured = {w[0]: (int(w[1]), int(w[2])) for w in map(str.split, open("measured"))}
lines = [json.loads(l) for l in open("lines")]
bad = 0
for name in ("hold_computing", "hold_dozing"):
    ns, cpu = measured[name]
    x = [l["cpu"] for l in lines if l["type"] == "blame" and l["kind"] == "held" and name in l["culprit"]]
    if len(x) != 1 or not x[0] or not x[0]["least_ns"] <= x[0]["most_ns"] <= x[0]["of_ns"]:
        print(name, "has no CPU time:", x)
        bad = 1
        continue
    x, share = x[0], cpu / ns
    least, most = x["least_ns"] / x["of_ns"], x["most_ns"] / x["of_ns"]
    print(f"{name}: {share:.3f}, found {least:.3f} to {most:.3f}")
    bad |= not least - 0.1 < share < most + 0.1 or most - least > 0.2
x = [l for l in lines if l["type"] == "held_across" and "hold_storing" in l["holder"] and "pwrite" in l["call"]]
print(x)
bad |= len(x) != 1 or not x[0]["file"].endswith("/stored") or x[0]["ns"] < 1000000 or x[0]["calls"] != 1
sys.exit(bad)
END
	cat judged
	[ $number != 3 ] || fail "the CPU shares or the calls across which locks were held are wrong"
done

# has PATTERN COMMAND...: the command prints a line with PATTERN, if line breaks are ignored.
has()
{
	pattern=$1
	shift
	"$decode" "$@" >text 2>message || fail "$*: exit status $?"
	tr -s ' \n' '  ' <text | grep -qE -- "$pattern" || {
		fail "$*: no '$pattern'"
		cat text
	}
	! grep -qi 'running' text || fail "$*: a time is called running"
}

has 'held since pthread_mutex_lock in hold_storing .*, across pwrite of [^ ]*/stored in store ' contention trace
has 'in hold_computing .* between its calls \([0-9to ]+ % on a CPU, [0-9to ]+ % off the CPU\)' contention trace
has 'between calls \([0-9to ]+ % on a CPU, [0-9to ]+ % off the CPU\)' critical-path trace
has 'pwrite.*, on [^ ]*/stored; held across it: mutex:' critical-path trace
has 'in pwrite of [^ ]*/stored .*, across which the lock was held since pthread_mutex_lock in hold_storing' waits trace

functions='20 samples of perf: 75 % insert\(hash, int\) \(in the kernel\), 25 % grow \(in the kernel\)'
for verb in contention critical-path diagnose waits why; do
	has "$functions" $verb --perf perf trace
done
# waits names the functions of a thread that computed between its calls while another thread waited for its answer.
cat >answer.c <<'END'
#include <unistd.h>
#include <pthread.h>
static int to[2], from[2];
static void *serve(void *unused)
{
	char c;
	while (read(to[0], &c, 1) == 1) {
		for (volatile int n = 0; n < 10000000; n++)
			;
		write(from[1], &c, 1);
	}
	return unused;
}
int main(void)
{
	pthread_t t;
	char c = 0;
	if (pipe(to) || pipe(from) || pthread_create(&t, 0, serve, 0))
		return 1;
	for (int i = 0; i < 5; i++)
		if (write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1)
			return 1;
	close(to[1]);
	return pthread_join(t, 0);
}
END
${CC:-cc} -w -O1 -g -o answer answer.c -lpthread || exit 99
timeout -k 5 60 env SYNTRACE_DIR="$dir/answered" LD_PRELOAD="$lib" ./answer || fail "answer: exit status $?"
"$decode" events --format=jsonl --no-stacks answered >lines
python3 - <<'END' >answer.perf || fail "no samples"
import json
last = {}
for e in map(json.loads, open("lines")):
    begin, end = e["ts"] - e["dur"], e["ts"]
    if e["call"] in ("read", "write") and begin > last.get(e["tid"], begin):
        at = begin - (begin - last[e["tid"]]) // 10  # another thread waits by then
        print(f"answer {e['tid']} {at // 10**9}.{at % 10**9:09d}: cpu-clock:\n\t1 before_{e['call']} (answer)\n")
    last[e["tid"]] = end
END
has 'was between its calls [^;]* until write in serve [^;]*; [1-5] samples of perf: 100 % before_write' waits --perf answer.perf answered
# samples of another thread, and lines that are no samples
{
	printf 'x\0y\n'
	head -c 1000000 /dev/zero | tr '\0' 'z'
	printf '\nother 1 1.5: cycles:\n\t1 f (x)\nno time\n  stray\n5 99999999999999999999.1: c: 1 f (x)\n'
	cat perf
	printf 'cut 7 %s' "$(head -c 3000 /dev/zero | tr '\0' '1')"
} >hostile
has "$functions" contention --perf hostile trace
grep -q 'samples were skipped' message || fail "nothing was skipped"
: >empty
for file in empty missing; do
	for verb in contention waits why; do
		"$decode" $verb --perf $file trace >text 2>message && fail "$verb, $file: no error"
		grep -q "$file" message || fail "$verb, $file: no message"
	done
done
finish
