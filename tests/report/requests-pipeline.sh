#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode requests, on a client that sends some requests before the answer to the previous one (pipeline.c). Exactly these
# requests have a mark. The long form does the same with redis. The CPU time of a request that stands alone is exact, and the one of requests in a row is divided.
. "$(dirname "$0")/lib.sh"
need python3
[ -z "${SYNTRACE_TEST_LONG:-}" ] || need redis-server
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

"$decode" export --to sqlite -o "$dir/db" "$dir/trace" || fail "the export to SQLite: exit status $?"
python3 - "$dir/db" <<-'END' || fail "see above"
import sqlite3, sys
marked = [r for r, in sqlite3.connect(sys.argv[1]).execute("SELECT request FROM requests WHERE pipelined ORDER BY request")]
assert marked == [11, 12, 13, 14, 15], marked
END

# redis: one connection sends 16 commands in six calls, the first one alone. It keeps redis busy while the others are sent. The other
# connection waits for each answer.
[ -n "${SYNTRACE_TEST_LONG:-}" ] || finish
port=$(free_port)
start redis log redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no
server=$started
within 20 listening "$port" || fail "redis-server does not listen: $(cat "$dir/log")"
cat >"$dir/client.py" <<-'END'
import socket, sys, time
def connect():
    return socket.create_connection(("127.0.0.1", int(sys.argv[1])))
def command(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)
def wait(connection, nr):
    answers = b""
    while answers.count(b"\r\n") < nr:
        answers += connection.recv(4096)
busy = command(b"EVAL", b"for i = 1, 5000000 do end return 1", b"0")
calm, hasty = connect(), connect()
for i in range(200):
    calm.sendall(command(b"INCR", b"n"))
    wait(calm, 1)
for i in range(10):
    hasty.sendall(busy)
    time.sleep(0.01) # redis receives the first command alone
    for j in range(5):
        hasty.sendall(3 * command(b"PING"))
    wait(hasty, 16)
print(*("%s:%d" % c.getsockname() for c in (calm, hasty)))
calm.sendall(command(b"SHUTDOWN", b"NOSAVE"))
END
env SYNTRACE_DIR="$dir/redis" LD_PRELOAD="$lib" python3 "$dir/client.py" "$port" >"$dir/clients" || fail "the client of redis: exit status $?"
wait "$server" || fail "redis-server: exit status $?"
check_trace "$dir/redis"
"$decode" requests --all --format=jsonl "$dir/redis" >"$dir/lines" || fail "requests of redis: exit status $?"
python3 - "$dir/lines" "$dir/clients" <<-'END' || fail "see above"
import json, sys
calm, hasty = open(sys.argv[2], encoding="utf-8").read().split()
each = [r for r in map(json.loads, open(sys.argv[1], encoding="utf-8")) if r["type"] == "request"]
marks = {c: [r["pipelined"] for r in each if r["client"] == c] for c in (calm, hasty)}
print(marks[hasty])
assert len(marks[calm]) >= 200 and not any(marks[calm]), marks
# a busy machine may wake redis too late in some rounds; the commands are then one exchange
assert sum(marks[hasty]) >= 10, marks
END
finish
