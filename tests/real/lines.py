# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
lines.py server PORT: answers each line by itself in capitals; ends on the line "end".
lines.py client PORT THREADS CONNECTIONS LINES: each thread makes so many connections, one after the other, and sends so many lines
on each; then ends the server.
"""
import socket
import socketserver
import sys
import threading

lock = threading.Lock()
total = 0


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        global total
        for line in self.rfile:
            if line == b"end\n":
                threading.Thread(target=self.server.shutdown).start()
                return
            with lock:
                total += 1
            self.wfile.write(line.upper())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True


def serve(port):
    with Server(("127.0.0.1", port), Handler) as server:
        server.serve_forever(0.05)
    print(total, "lines")


def talk(port, me, connections, lines):
    global total
    for n in range(connections):
        with socket.create_connection(("127.0.0.1", port)) as s, s.makefile("rwb") as f:
            for i in range(lines):
                line = b"thread %d, connection %d, line %d\n" % (me, n, i)
                f.write(line)
                f.flush()
                if f.readline() != line.upper():
                    raise ValueError("another line came back")
                with lock:
                    total += 1


def main():
    port = int(sys.argv[2])
    if sys.argv[1] == "server":
        serve(port)
        return
    nr_threads, connections, lines = map(int, sys.argv[3:])
    threads = [threading.Thread(target=talk, args=(port, n, connections, lines)) for n in range(nr_threads)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.sendall(b"end\n")
    if total != nr_threads * connections * lines:
        sys.exit(f"{total} lines")


main()
