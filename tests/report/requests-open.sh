#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The open of a file is an event only if it takes long. A request with a slow open has the steps and the file calls of the same
# request with a fast one. The client delays an open: it holds a lease on the file for 20 ms.
. "$(dirname "$0")/lib.sh"
need python3
cat >"$dir/server.py" <<'END'
import os, socket, sys

listener = socket.create_server(('127.0.0.1', int(sys.argv[1])))
peer, _ = listener.accept()
while peer.recv(1):
    file = os.open(sys.argv[2], os.O_RDONLY)
    os.read(file, 10)
    os.close(file)
    peer.sendall(b'y')
END
cat >"$dir/client.py" <<'END'
import fcntl, os, signal, socket, sys, time

def give_up(*_):
    time.sleep(.02)
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)

file = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT)
os.write(file, b'text')
signal.signal(signal.SIGIO, give_up)
peer = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
for is_slow in 0, 1, 0, 1, 0:
    if is_slow:
        try:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except OSError:
            sys.exit(77)
    peer.sendall(b'x')
    peer.recv(1)
END
port=$(free_port)
start trace server.out python3 "$dir/server.py" "$port" "$dir/leased"
within 20 listening "$port" || fail "the server does not listen: $(cat "$dir/server.out")"
timeout -k 5 60 python3 "$dir/client.py" "$port" "$dir/leased"
case $? in
0) ;;
77) skip "no leases on this file system" ;;
*) fail "the client: exit status $?" ;;
esac
wait "$started" || fail "the server: exit status $?"
status 0 "$decode" requests --all --format=jsonl "$dir/trace" >"$dir/requests"
python3 - "$dir/requests" <<'END' || fail "see above"
import json, sys

with open(sys.argv[1], encoding='utf-8') as file:
    rows = [row for row in map(json.loads, file) if row['type'] == 'request' and row['end'] != 'open']
rows.sort(key=lambda row: row['request'])
print([(row['dur'], row['behaviour'], [(c['file_calls'], c['file']) for c in row['components']]) for row in rows])
calls = [row['components'][0]['file_calls'] for row in rows]
waits = [row['components'][0]['file'] > 15000000 for row in rows]
sys.exit(not (waits == [False, True, False, True, False] and calls == [1] * 5 and len({row['behaviour'] for row in rows[1:]}) == 1))
END
finish
