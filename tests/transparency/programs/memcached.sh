#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# memcached with four worker threads: its stored values, its counters, and several clients at once.
. "$(dirname "$0")/common.sh"
port=$(free_port)
$RECORD memcached -u nobody -l 127.0.0.1 -p "$port" -U 0 -t 4 -m 16 &
server=$!
until_ok listening "$port"
process=$(program $server)
until_ok sh -c "[ \$(ls /proc/$process/task | wc -l) = 10 ]"
holds memcached $server
cat >client.py <<'PY'
import hashlib, socket, sys, threading
def client(me, out):
    f = socket.create_connection(("127.0.0.1", int(sys.argv[1]))).makefile("rwb")
    def ask(line, data=b""):
        f.write(line + b"\r\n" + data); f.flush()
        got = [f.readline()]
        while got[-1].startswith((b"VALUE", b"STAT")) or len(got) > 1 and not got[-1].startswith(b"END"):
            got.append(f.readline())
        return b"".join(got)
    digest = hashlib.md5()
    for i in range(1000):
        data = b"%d" % (i * me) * (i % 100 + 1)
        digest.update(ask(b"set %d:%d 0 0 %d" % (me, i, len(data)), data + b"\r\n"))
    for i in range(1200):
        digest.update(ask(b"get %d:%d" % (me, i)))
    digest.update(ask(b"add n%d 0 0 1" % me, b"5\r\n") + ask(b"incr n%d 37" % me) + ask(b"delete %d:5" % me))
    if me == 0:
        stats = [l for l in ask(b"stats").decode().split("\r\n") if l.split(" ")[1:2] and l.split(" ")[1] in
                 ("curr_items", "cmd_get", "cmd_set", "get_hits", "get_misses", "threads", "bytes")]
        out[me] = "\n".join(stats)
    else:
        out[me] = digest.hexdigest()
out = {}
threads = [threading.Thread(target=client, args=(n, out)) for n in (1, 2, 3)]
for t in threads: t.start()
for t in threads: t.join()
client(0, out)
for n in sorted(out): print(out[n])
PY
status $RECORD /usr/bin/python3 client.py "$port"
until_ok sh -c "[ \$(ls -l /proc/$process/fd | grep -c socket:) = 1 ]"
holds memcached $server
kill -TERM $server
ended memcached $server
