# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""datagrams.py local: sends datagrams from 127.0.0.1:5001 to 127.0.0.1:5002.
datagrams.py send FROM TO, receive AT: sends from FROM:5001 to TO:5002; all lengths differ, and two of each three are sent to a
closed port instead, as if they were lost.
datagrams.py check EDGES SENDS RECEIVES LEAST: at least LEAST edges connect sends and receives of equal lengths, and no edge
connects others."""
import json
import socket
import sys
import time

NR = 30


def bound(address, port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind((address, port))
    s.settimeout(20)
    return s


def local():
    sender, receiver = bound("127.0.0.1", 5001), bound("127.0.0.1", 5002)
    for _ in range(NR):
        sender.sendto(b"x" * 10, ("127.0.0.1", 5002))
        time.sleep(0.002)
        receiver.recv(100)


def send(source, target):
    s = bound(source, 5001)
    for n in range(1, NR + 1):
        s.sendto(b"x" * n, (target, 5002 if n % 3 == 0 else 5999))
        time.sleep(0.001)


def receive(address):
    s = bound(address, 5002)
    print("bound", flush=True)
    for _ in range(NR // 3):
        s.recvfrom(100)


def check(edges, sends, receives, least):
    def events(path, call):
        """Returns the number of bytes of each event of the call, by T.N."""
        found = {}
        for line in map(json.loads, open(path)):
            if line.get("call") == call and line.get("result", 0) > 0:
                found[line["id"].partition(".")[2]] = line["result"]
        return found

    sent, received, nr = events(sends, "sendto"), events(receives, "recvfrom"), 0
    for edge in map(json.loads, open(edges)):
        if edge["type"] != "edge":
            continue
        source, target = (edge[end].partition(".")[2] for end in ("from", "to"))
        assert sent[source] == received[target], edge
        assert not edge.get("ambiguous"), edge
        nr += 1
    print(f"{nr} edges of {len(received)} receives and {len(sent)} sends")
    assert int(least) <= nr <= len(received) == NR // 3 and len(sent) == NR


{"local": local, "send": send, "receive": receive, "check": check}[sys.argv[1]](*sys.argv[2:])
