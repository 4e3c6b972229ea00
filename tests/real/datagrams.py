#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""datagrams.py PID ADDRESS PID ADDRESS: sends 200 numbered datagrams each way between two network namespaces.

For each direction, a line of the output has the least delay (us), the time from the first send to the first arrival (us), and
the numbers in the order of arrival. After the datagrams, end marks are sent until one arrives in each direction."""
import ctypes
import os
import select
import socket
import struct
import sys
import time

NUMBER = 200
CLONE_NEWNET = 0x40000000


def open_socket(pid, address):
    with open(f"/proc/{pid}/ns/net") as net:
        if ctypes.CDLL(None, use_errno=True).setns(net.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    s.bind((address, 7777))
    return s


class End:
    def __init__(self, pid, address, peer):
        self.socket = open_socket(pid, address)
        self.peer = peer
        self.arrived, self.least = [], None
        self.first_sent = self.first_arrived = None
        self.is_over = False

    def send(self, number):
        now = time.monotonic_ns()
        self.first_sent = self.first_sent or now
        self.socket.sendto(struct.pack("=Iq", number, now), (self.peer, 7777))

    def receive(self):
        number, sent = struct.unpack("=Iq", self.socket.recv(100))
        now = time.monotonic_ns()
        self.first_arrived = self.first_arrived or now
        self.least = min(self.least or 1 << 62, now - sent)
        if number < NUMBER:
            self.arrived.append(number)
        else:
            self.is_over = True


ends = [End(sys.argv[1], sys.argv[2], sys.argv[4]), End(sys.argv[3], sys.argv[4], sys.argv[2])]
n = 0
while not all(end.is_over for end in ends):
    for end in ends:
        end.send(min(n, NUMBER))
    n += 1
    ready = [0]
    while ready:
        ready = select.select([end.socket for end in ends], [], [], 0.005 if n > NUMBER else 0)[0]
        for end in ends:
            if end.socket in ready:
                end.receive()
for end, other in (ends[1], ends[0]), (ends[0], ends[1]):
    print(end.least / 1000, (end.first_arrived - other.first_sent) / 1000, *end.arrived)
