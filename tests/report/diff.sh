#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode diff, baseline, check --against: reports ten changes of a program, each with its
# call path, and reports no difference between runs of the same program. Long form: 20 windows of
# five runs and the run after them, of this program, of memcached and of nginx, without a finding.
. "$(dirname "$0")/../lib.sh"
need python3
need strip

# pool NAME CHANGE: a run of the example.
pool()
{
	mkdir -p "$dir/$(dirname "$1")"
	timeout -k 5 120 env SYNTRACE_DIR="$dir/$1" LD_PRELOAD="$lib" "$top_builddir/examples/changes" "$2" >"$dir/out" ||
		fail "changes $2: exit status $?"
	[ "$(cat "$dir/out")" = 79800 ] || fail "changes $2 printed $(cat "$dir/out")"
}

# finds CHANGE COMMAND... -- PATTERN...: COMMAND has findings, among which are these.
finds()
{
	finds_change=$1
	shift
	finds_command=
	while [ "$1" != -- ]; do
		finds_command="$finds_command $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	status 1 "$decode" $finds_command >"$dir/report"
	# a finding and its parts as one line
	awk '/^[0-9]+\. / { line = $0; next } /^   / { line = line $0; next } { print line; line = "" }
		END { print line }' "$dir/report" >"$dir/findings"
	for pattern; do
		grep -qE -- "$pattern" "$dir/findings" || {
			fail "$finds_change, $finds_command: no '$pattern' in"
			cat "$dir/report"
		}
	done
}

for n in 1 2 3 4 5; do
	pool "before/$n" healthy
done
pool after healthy
cd "$dir" || exit 99
status 0 "$decode" baseline --per=handle before >per-job.txt
status 0 "$decode" baseline before/1 before/2 before/3 before/4 before/5 >per-run.txt
grep -qx 'unit visit of handle' per-job.txt || fail "another unit: $(grep '^unit' per-job.txt)"
grep -qx 'units 400' per-job.txt || fail "not 400 visits"
grep -q "^call	1/unit 400/run	changes: worker;handle;look_up;pthread_mutex_lock$" per-job.txt || fail "no lock a job"
grep -q '0x\|/home\|pthread_cond_wait' per-run.txt && fail "the baseline has values that vary"

# An unchanged run has no findings, and facts known on both sides come first.
for against in 'check --against=per-job.txt after' 'check --against=per-run.txt after' 'diff per-run.txt after' \
	'diff --per=handle before after' 'diff before after' 'diff after after' 'diff before before'; do
	# shellcheck disable=SC2086
	status 0 "$decode" $against >report
	grep -q '^No difference\.$' report || {
		fail "$against:"
		cat report
	}
	[ "$(unwrap <report | head -n 2 | cut -c1-7 | tr '\n' ' ')" = 'Before: After:  ' ] || fail "$against: the sides do not come first"
done

# try CHANGE PATTERN...: the comparison of a program with this change finds all patterns, also those that follow. The short form
# compares in one of the three ways, in turn.
try()
{
	change=$1
	shift
	pool "$change" "$change"
	for against in 'check --against=per-job.txt' 'check --against=per-run.txt' 'diff --per=handle before'; do
		nr_ways=$((nr_ways + 1))
		[ -n "${SYNTRACE_TEST_LONG:-}" ] || [ $((nr_ways % 3)) = $((nr_ways / 3 % 3)) ] || continue
		# shellcheck disable=SC2086
		finds "$change" $against --all "$change" -- "$@"
	done
}
nr_ways=0
try added-lock 'new call: .* at changes: worker;handle;audit;pthread_mutex_lock on mutex:audited$'
try lock-twice 'more calls: (2 instead of 1|800 instead of 400) .* at changes: worker;handle;look_up;pthread_mutex_lock on mutex:table$'
try removed-broadcast 'no more calls: none instead of (1|400) .* at changes: worker;finish;pthread_cond_broadcast on cond:progressed$'
try vanished-signal 'no more calls: none instead of (1|400) .*worker;handle;(log_line;)?sem_post on sem:lines$'
try extra-message 'new call: .* at changes: worker;handle;say;write$'
try round-trip 'more calls: (2 instead of 1|800 instead of 400) .* at changes: worker;handle;ask;say;write$' \
	'more calls: .* at changes: answerer;write$'
try poll 'new waiting call: .* at changes: worker;handle;ask;poll$'
try fd-per-job 'new call: .* at changes: worker;handle;use_fds;pipe$' 'new call: .* at changes: worker;handle;use_fds;close$'
try serialised 'new call under a lock: .* call changes: worker;handle;ask;say;write +under the lock taken in changes: worker;take;pthread_mutex_lock on mutex:incoming.lock$'
try forwarder 'more threads or processes: 7 instead of 6 per run .* at changes: main;pthread_create$' \
	'new call: .* at changes: forwarder;put;pthread_cond_signal on cond:forwarded.not_empty$'
# Names of objects are shown and not compared: a baseline with other names finds the same differences.
grep -qx 'name	mutex:table	changes: worker;handle;look_up;pthread_mutex_lock' per-job.txt || fail "the baseline has no name of a lock"
sed '/^name	/s/	[a-z]*:[^	]*/	mutex:renamed/' per-job.txt >renamed.txt
status 0 "$decode" check --against=renamed.txt after >report
status 1 "$decode" check --against=per-job.txt removed-broadcast >report
status 1 "$decode" check --against=renamed.txt removed-broadcast >report.renamed
sed 's/ on cond:progressed$/ on mutex:renamed/' report | cmp - report.renamed || fail "the names of objects change the findings"
# A difference of the calls in a task is a finding about the task; the difference of all calls follows.
finds lock-twice check --against=per-job.txt lock-twice -- \
	'more in a task: 2 instead of 1 per task .*part changes: worker;handle;look_up;pthread_mutex_lock on mutex:table$'
finds added-lock check --against=per-job.txt added-lock -- 'new in a task: 1 per task .*part changes: worker;handle;audit;pthread_mutex_lock on mutex:audited$'
status 1 "$decode" check --against=per-job.txt lock-twice >report
grep -q 'more calls:' report && fail "a consequence of a finding about a task is shown"
# Consequences are counted, and shown on request.
status 1 "$decode" check --against=per-job.txt vanished-signal >report
grep -q 'from other differences (--all shows them)' report || fail "no consequence is counted"
grep -q 'hand-offs' report && fail "a consequence is shown"
status 1 "$decode" check --against=per-job.txt --all vanished-signal >report
unwrap <report | grep -q 'no more hand-offs between threads: .*\[a consequence of another difference\]' || fail "--all does not show the consequences"
# A second sight of the change: several runs after.
mkdir several
ln -s ../added-lock several/1
ln -s ../after several/2
status 0 "$decode" diff per-job.txt several >report
# check --against compares several traces as separate runs, too: here the counts of one run differ, then of all.
for runs in 'before/1 after' several 'added-lock after'; do
	# shellcheck disable=SC2086
	status 0 "$decode" check --against=per-run.txt $runs >report
	grep -q '^After: *2 runs' report || fail "check --against=per-run.txt $runs: not two runs"
done
pool again/1 added-lock
pool again/2 added-lock
finds again check --all --against=per-run.txt again added-lock -- 'new call: .* at changes: worker;handle;audit;pthread_mutex_lock on mutex:audited$'
grep -q '^After: *3 runs' report || fail "check --against=per-run.txt again added-lock: not three runs"

# Two programs are not one program that was renamed, with names of functions or without.
mkdir stripped
for program in slow-consumer convoy; do
	strip -o "stripped/$program" "$top_builddir/examples/$program"
	for from in "$top_builddir/examples" ./stripped; do
		SYNTRACE_DIR="$dir/$(basename "$from")-$program" LD_PRELOAD="$lib" timeout -k 5 60 "$from/$program" >out ||
			fail "$from/$program: exit status $?"
	done
done
for kind in examples stripped; do
	status 1 "$decode" diff $kind-slow-consumer $kind-convoy >report 2>err
	! grep -q '^Renamed\|^Matched\|^Not comparable in detail' report || {
		fail "$kind: two programs count as one:"
		cat report
	}
done

# The other formats.
status 1 "$decode" diff --format=jsonl per-job.txt poll >report.jsonl
python3 - report.jsonl <<'END' || fail "JSON"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
first, rest = lines[0], lines[1:]
assert all(line["v"] == 1 for line in lines)
assert first["type"] == "comparison" and first["function"] == "handle" and first["before"]["runs"] == 5
assert first["after"]["lost"] == 0 and first["findings"] == sum(not f["follows"] for f in rest)
assert [f for f in rest if f["change"] == "new" and f["fact"] == "wait" and f["name"] == ["changes: worker;handle;ask;poll"]]
END
status 1 "$decode" diff --format=markdown per-job.txt poll >report.md
# shellcheck disable=SC2016 # Markdown
grep -q '^| new waiting call: .* | at `changes: worker;handle;ask;poll` |$' report.md || fail "Markdown"
status 1 "$decode" check --format=junit --against=per-job.txt poll >report.xml
python3 - report.xml <<'END' || fail "JUnit"
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
cases = suite.findall("testcase")
assert int(suite.get("tests")) == len(cases) and int(suite.get("failures")) == len(suite.findall("testcase/failure")) >= 1
assert [c for c in cases if c.get("name") == "changes: worker;handle;ask;poll" and c.find("failure") is not None]
END
status 0 "$decode" baseline --format=jsonl --per=handle before >base.jsonl
python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <base.jsonl || fail "baseline as JSON"

# Errors are reported with line and column. wrong LINE[:COLUMN] TEXT SED-SCRIPT: a baseline with this change is not
# accepted.
wrong()
{
	sed "$3" per-job.txt >wrong.txt
	status 4 "$decode" check --against=wrong.txt after >out 2>err
	case $1 in *:*) at=$1 ;; *) at=$1:[0-9]* ;; esac
	grep -q "wrong.txt:$at: .*$2" err || fail "'$3': no line $1 and '$2' in: $(cat err)"
}
wrong 1 'syntrace-baseline' '1s/.*/hello/'
wrong 2:6 'unit' '2s/.*/unit fortnight/'
wrong 3:6 'number' '3s/.*/runs 0/'
wrong 3 'runs' 3d
wrong 8:14 'percentage' '8s/.*/unattributed nan/'
wrong 10:7 'two numbers' '10s/.*/wakes 5..1/'
wrong 11 'recorded' 11d
wrong 14 'program' '14s/.*/programme x/'
wrong 15:9 'two numbers' '15s/.*/seconds 2..1/'
wrong 16 'build-id' '16s/	[^	]*$//'
wrong 19 'unknown word' '19s/^[a-z]*/frob/'
wrong 19 'counts' '19s/	[^	]*/	1\/fortnight/'
wrong 19 'counts' '19s/	[^	]*/	5..1\/run/'
wrong 19 'counts' '19s/	[^	]*/	1\/run 2\/run/'
wrong 19 'counts' '19s/	[^	]*/	/'
wrong 19 'counts' '19s/	[^	]*/	1e999\/run/'
wrong 19 'parts' '19s/$/	more/'
wrong 19 'tabs' '19s/	/ /g'
wrong 20 'sorted' '19{p;}'
# rule TYPE TEXT SED-SCRIPT: a baseline with this change of its first line of TYPE is not accepted.
rule()
{
	wrong "$(grep -n "^$1	" per-job.txt | head -n 1 | cut -d: -f1)" "$2" "/^$1	/{$3;:rest;n;brest}"
}
rule task 'expected a step' 's/	[0-9]*	\([^	]*\)$/	65	\1/'
rule part "no line 'task'" 's/	[^	]*	\([^	]*\)$/	absent	\1/'
rule part 'lower step' 's/	\([^	]*\)	[^	]*$/	\1	@\1/'
rule arc 'kind of an arc' 's/^\(arc	[^	]*	[^	]*	[a-z]*	\)[^	]*/\1thought/'
rule arc "expected 'start'" 's/	\(start\|inner\|enter\)	/	end	/'
wrong 17 'control' '17s/$/\x01/'
wrong 19 'name of an object' '19s/^[^	]*	[^	]*	[^	]*/name	mutex:x/'
# A baseline of version 1 has neither origin, nor builds, nor names of objects, nor tasks; names may be absent in version 2, too.
sed '/^name	/d' per-job.txt >old.txt
status 0 "$decode" check --against=old.txt after >out
status 1 "$decode" check --against=old.txt poll >out
sed -e 's/^syntrace-baseline 2/syntrace-baseline 1/' -e '/^\(wakes\|recorded\|host\|recorder\|program\) /d' -e '/^\(build\|name\|task\|part\|arc\)	/d' \
	per-job.txt >old.txt
status 0 "$decode" check --against=old.txt after >out
status 1 "$decode" check --against=old.txt poll >out
# A baseline names its builds and its origin.
id=$(readelf -n "$top_builddir/examples/changes" | sed -n 's/.*Build ID: //p')
grep -q "^build	debug[^	]*	$id	changes$" per-job.txt || fail "no build-id $id: $(grep '^build' per-job.txt)"
grep -qx 'program changes' per-job.txt && grep -qx "host $(uname -n)" per-job.txt &&
	grep -q "^recorded $(date -u +%Y)-.*Z$" per-job.txt || fail "no origin: $(head -n 15 per-job.txt)"
wrong 1:19 'version 99' '1s/2/99/'
# A file of lines of 1 MB is too large from its byte number 64 * 1024 * 1024 + 1 on, without the newlines.
head -c 1000000 /dev/zero | tr '\0' x >long.txt
{
	sed '/	/d' per-job.txt
	for number in $(seq 100 170); do
		printf 'call	*	p: %s' "$number" | cat - long.txt
		echo
	done
} >wrong.txt
python3 - "$decode" <<'END' || fail "a large file: $(cat err)"
import re, subprocess, sys
text = open("wrong.txt", "rb").read()
with open("err", "wb") as err:
    run = subprocess.run([sys.argv[1], "check", "--against=wrong.txt", "after"], stderr=err)
message = open("err").read()
line, column = re.search(r"wrong.txt:(\d+):(\d+): the file has more than 64 MiB", message).groups()
before = text.split(b"\n")[:int(line) - 1]
assert run.returncode == 4 and sum(map(len, before)) + int(column) == (64 << 20) + 1, message
END
head -n $(($(wc -l <per-job.txt) / 2)) per-job.txt | head -c -1 >wrong.txt
status 4 "$decode" diff wrong.txt after 2>err
grep -q 'the file ends in a line' err || fail "a cut one: $(cat err)"
# With any content, it ends with a status of its own.
python3 - per-job.txt "${SYNTRACE_TEST_LONG:+40}" <<'END'
import random, sys
text = open(sys.argv[1], "rb").read()
random.seed(7)
for n in range(int(sys.argv[2] or 12)):
    t = bytearray(text)
    for _ in range(random.choice((1, 3, 40))):
        at = random.randrange(len(t))
        t[at:at + random.choice((0, 1, 9))] = random.choice((b"", b"\n", b"\t", b"..", b"/unit", b"9" * 30, bytes([random.randrange(256)])))
    open("mutated-%d.txt" % n, "wb").write(t)
END
for file in mutated-*.txt; do
	timeout -k 5 60 "$decode" check --against="$file" after >out 2>err
	case $? in
	0 | 1 | 4) ;;
	*) fail "$file: exit status $?" ;;
	esac
done
for wrong in 'diff before' 'diff before after after' 'diff --per=' 'check --all after' 'check --format=junit after' \
	'check --only=sem --against=per-job.txt after'; do
	# shellcheck disable=SC2086
	status 2 "$decode" $wrong >out 2>err
done
mkdir empty
for wrong in 'diff empty after' 'diff before nothing' 'diff --per=other per-job.txt after' 'check --against=nothing after' 'baseline empty'; do
	# shellcheck disable=SC2086
	status 4 "$decode" $wrong >out 2>err
	[ -s err ] || fail "$wrong: no message"
done

[ -n "${SYNTRACE_TEST_LONG:-}" ] || finish

# windows KIND [OPTION...]: 25 runs; each run after five others has no findings against them, nor
# against one of them.
windows()
{
	windows_of=$1
	shift
	rm -rf "$windows_of"
	mkdir "$windows_of"
	for n in $(seq 25); do
		"$windows_of" "$windows_of/$n" healthy
	done
	for n in $(seq 20); do
		# shellcheck disable=SC2046
		"$decode" baseline "$@" $(seq -f "$windows_of/%.0f" "$n" $((n + 4))) >window.txt || fail "$windows_of: no baseline"
		"$decode" check --against=window.txt "$windows_of/$((n + 5))" >report || {
			fail "$windows_of, window $n:"
			cat report
		}
		"$decode" diff "$@" "$windows_of/$n" "$windows_of/$((n + 5))" >report || {
			fail "$windows_of, runs $n and $((n + 5)):"
			cat report
		}
	done
}

memcached_run()
{
	port=$(free_port)
	start "$1" log memcached -u "$(id -un)" -l 127.0.0.1 -p "$port" -U 0 -t 4
	server=$started
	within 20 listening "$port" || fail "memcached does not listen"
	status 0 memcslap --servers="127.0.0.1:$port" --concurrency=2 --execute-number=1000 --initial-load=300 --test=get >out
	kill -TERM "$server"
	wait "$server"
}

nginx_run()
{
	port=$(free_port)
	cat >nginx.conf <<END
daemon off;
worker_processes 2;
pid $dir/pid;
error_log $dir/error.log;
events { worker_connections 64; }
http {
	access_log off;
	sendfile on;
	client_body_temp_path $dir/t1;
	proxy_temp_path $dir/t2;
	fastcgi_temp_path $dir/t3;
	uwsgi_temp_path $dir/t4;
	scgi_temp_path $dir/t5;
	server { listen 127.0.0.1:$port; root $dir/www; }
}
END
	start "$1" log nginx -c "$dir/nginx.conf" -p "$dir"
	server=$started
	within 20 listening "$port" || fail "nginx does not listen"
	status 0 wrk -t1 -c4 -d1s "http://127.0.0.1:$port/" >out
	kill -QUIT "$server"
	wait "$server"
}

windows pool
windows pool --per=handle
if command -v memcached >/dev/null && command -v memcslap >/dev/null; then
	windows memcached_run
else
	echo "memcached or memcslap is not installed: not looked at"
fi
mkdir www
seq 1000 >www/index.html
chmod 755 . www
if command -v nginx >/dev/null && command -v wrk >/dev/null; then
	windows nginx_run
else
	echo "nginx or wrk is not installed: not looked at"
fi
finish
