#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Every stack at the locks of a real program, with its libraries, against the reference unwinder.
preload=$PWD/.libs/stackpreload.so
out=$PWD/tests/stack/real.out

command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 77; }
[ -f "$preload" ] || { echo "skipped: no $preload"; exit 77; }
rm -f "$out"
STACK_ORACLE_OUT=$out LD_PRELOAD=$preload timeout 120 python3 - <<'END' || exit 1
import json, queue, re, threading, zlib

def work(n):
    for i in range(200):
        json.loads(json.dumps({"a": [i, {"b": n}]}))
        re.sub("a+", "b", "aaab" * 5)
        zlib.compress(b"abc" * 1000)
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
nr=$(sort -n "$out" | tail -n 1)
rm -f "$out"
echo "$nr stacks compared"
[ "${nr:-0}" -gt 1000 ]
