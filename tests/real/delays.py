#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""delays.py DECODE TRACE...: the true delays between hosts that share a clock, from one trace per host.

Finds the two ends of each connection by swapped addresses. Pairs each read with the write of its last byte. The delay of a
message is the time from the begin of the first write to the end of the first read that has its last byte. Prints one JSON line
per pair of hosts and direction: connections, messages, bytes, delays in us, and the negative delays, which a shared clock
excludes. `unread` counts the bytes that were sent and not received. The true offset and drift of each host are 0."""
import bisect
import collections
import json
import os
import subprocess
import sys

decode, traces = sys.argv[1], sys.argv[2:]
OF_SENDER = {"write", "send", "sendto", "sendmsg", "writev"}
OF_RECEIVER = {"read", "recv", "recvfrom", "recvmsg", "readv"}


def lines(*command):
    with subprocess.Popen([decode, *command], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode:
        sys.exit(f"{command}: exit status {process.returncode}")


class Socket:
    def __init__(self, host):
        self.host = host
        self.sent, self.received = [], []  # (number of its last byte + 1, time)

    def add(self, event):
        if event["call"] in OF_SENDER:
            calls = self.sent
        elif event["call"] in OF_RECEIVER:
            calls = self.received
        else:
            return
        size = event.get("bytes", 0)
        if size > 0:
            # ts is the begin of a release, and the end of an acquire
            calls.append((event["offset"] + size, event["ts"]))


def sockets_of(host, trace):
    """Returns the sockets of the trace by their addresses."""
    by_address, by_object = {}, {}
    for row in lines("stat", "--objects", "--format=jsonl", trace):
        if row["type"] == "object" and row.get("remote") and row["object"].startswith("stream:"):
            socket = by_object.setdefault(row["object"], Socket(host))
            by_address[row["local"], row["remote"]] = socket
    for event in lines("events", "--no-stacks", "--format=jsonl", trace):
        if event["type"] == "event" and event["object"] in by_object:
            by_object[event["object"]].add(event)
    return by_address


class Direction:
    def __init__(self):
        self.connections = self.bytes = self.unread = 0
        self.delays = []

    def add(self, sender, receiver):
        ends = [end for end, _ in sender.sent]
        seen = set()
        self.connections += 1
        for end, out in receiver.received:
            # the write that has the last byte of the read; its first read counts
            n = bisect.bisect_left(ends, end)
            if n == len(ends):
                sys.exit(f"{receiver.host} received byte {end}, {sender.host} sent {ends[-1:]}")
            if n not in seen:
                seen.add(n)
                self.delays.append((out - sender.sent[n][1]) / 1000)
        received = receiver.received[-1][0] if receiver.received else 0
        self.bytes += received
        self.unread += (ends[-1] if ends else 0) - received


by_address = {}
names = [os.path.basename(os.path.normpath(trace)) for trace in traces]
for host, trace in zip(names, traces):
    by_address.update(sockets_of(host, trace))
directions = collections.defaultdict(Direction)
for (local, remote), sender in by_address.items():
    receiver = by_address.get((remote, local))
    if receiver:
        directions[sender.host, receiver.host].add(sender, receiver)
for host in names:
    print(json.dumps({"type": "truth", "host": host, "offset": 0, "drift_ppm": 0}))
for hosts in sorted(directions):
    d = directions[hosts]
    delays = sorted(d.delays) or [0]
    print(json.dumps({
        "type": "delays", "from": hosts[0], "to": hosts[1], "connections": d.connections, "messages": len(d.delays),
        "bytes": d.bytes, "unread": d.unread, "least_us": delays[0], "median_us": delays[len(delays) // 2],
        "greatest_us": delays[-1], "negative": sum(delay < 0 for delay in delays)}))
