#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Every stack at the locks, conditions and semaphores of real programs, with their libraries, against the reference
# unwinder: the first difference ends the program.
preload=$PWD/.libs/stackpreload.so
out=$PWD/tests/stack/real.out
script=$PWD/tests/stack/real.js
failed=0

command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 77; }
[ -f "$preload" ] || { echo "skipped: no $preload"; exit 77; }
trap 'rm -f "$out" "$script"' EXIT

# compare LEAST PROGRAM ARGUMENT...: at least LEAST stacks are compared in it, all without a difference.
compare()
{
	least=$1
	shift
	if ! command -v "$1" >/dev/null; then
		echo "$1: not installed"
		return
	fi
	rm -f "$out"
	STACK_ORACLE_OUT=$out LD_PRELOAD=$preload timeout 120 "$@" >/dev/null
	rv=$?
	nr=$(sort -n "$out" 2>/dev/null | tail -n 1)
	echo "$1: ${nr:-0} stacks compared"
	[ $rv -eq 0 ] && [ "${nr:-0}" -ge "$least" ] && return
	echo "FAILED: $1: status $rv, at least $least stacks expected"
	failed=1
}

compare 1000 python3 - <<'END'
import json, queue, re, sqlite3, threading, zlib

def work(n):
    for i in range(200):
        json.loads(json.dumps({"a": [i, {"b": n}]}))
        re.sub("a+", "b", "aaab" * 5)
        zlib.compress(b"abc" * 1000)
    db = sqlite3.connect(":memory:")
    db.execute("create table t (a, b)")
    for i in range(30):
        db.execute("insert into t values (?, ?)", (i, str(i) * n))
    db.execute("select count(*) from t group by a % 7 order by b").fetchall()
    done.put(n)

done = queue.Queue()
threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
for t in threads:
    t.start()
for t in threads:
    done.get()
for t in threads:
    t.join()
END

compare 5000 sqlite3 :memory: '
	create table t (a, b);
	with recursive c(x) as (select 1 union all select x + 1 from c where x < 2000)
		insert into t select x, hex(randomblob(20)) from c;
	create index i on t (b);
	select count(*), max(b) from t where a in (select a from t where b like "%A%") group by a % 7 order by 2;'

# A stack is known only up to generated code: both unwinders must end there.
cat >"$script" <<'END'
const fs = require('fs'), zlib = require('zlib'), { Worker, isMainThread } = require('worker_threads');

for (let i = 0; i < 100; i++)
	zlib.deflate(Buffer.alloc(2000, i), () => fs.readFile('/proc/self/stat', () => i));
for (let i = 0, text = ''; i < 2000; i++)
	text = JSON.stringify({ i, text: text.slice(0, 50) });
if (isMainThread)
	for (let i = 0; i < 2; i++)
		new Worker(__filename);
END
compare 5000 node "$script"
exit $failed
