# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""echo.py NR: a child sends NR messages over TCP, and its parent sends each of them back."""
import os
import socket
import sys

nr = int(sys.argv[1])
listener = socket.create_server(("127.0.0.1", 0))
child = os.fork()
if child == 0:
    with socket.create_connection(listener.getsockname()) as s:
        for _ in range(nr):
            s.sendall(b"x")
            s.recv(1)
    sys.exit(0)
with listener.accept()[0] as s:
    while data := s.recv(1):
        s.sendall(data)
os.waitpid(child, 0)
