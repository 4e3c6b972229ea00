# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
exports.py DIRECTORY: the exports of a trace of three hosts (three.FORMAT) group the processes by host; those of one host
(one.FORMAT) name no host. The hosts web, app and db have the processes 0, 1 and 2.
"""
import os
import re
import sqlite3
import sys

from prototext import parse

NAMES = {0: "web", 1: "app", 2: "db"}


def path(name):
    return f"{sys.argv[1]}/{name}"


def check_sqlite():
    db = sqlite3.connect(path("three.sqlite"))
    hosts = db.execute("SELECT host, name, placed, early_ns, late_ns FROM hosts ORDER BY host").fetchall()
    assert [h[:2] for h in hosts] == list(NAMES.items()), hosts
    assert sorted(h[2] for h in hosts) == ["joined", "joined", "reference"], hosts
    assert all((early > 0 and late > 0) == (placed == "joined") for _, _, placed, early, late in hosts), hosts
    processes = db.execute("SELECT p, name FROM processes JOIN hosts USING (host) ORDER BY p").fetchall()
    assert processes == list(NAMES.items()), processes
    ends = "SELECT a.process != b.process, e.host_error_ns FROM edges e JOIN events f ON f.event = from_event " \
           "JOIN events t ON t.event = to_event JOIN threads a ON a.thread = f.thread JOIN threads b ON b.thread = t.thread"
    edges = db.execute(ends).fetchall()
    assert sum(is_between for is_between, _ in edges) >= 800, len(edges)
    assert all(bool(is_between) == bool(error) for is_between, error in edges)

    db = sqlite3.connect(path("one.sqlite"))
    assert db.execute("SELECT host, placed, early_ns, late_ns FROM hosts").fetchall() == [(0, "reference", 0, 0)]
    assert db.execute("SELECT count(*) FROM processes WHERE host = 0").fetchone() == (3,)
    assert db.execute("SELECT count(host_error_ns) FROM edges").fetchone() == (0,)


def tracks(name):
    """Returns the names and the parents of the tracks, and the numbers of those that have a process."""
    names, parents, processes = {}, {}, set()
    with open(path(name), encoding="utf-8") as f:
        packets = [packet for _, packet in parse(f)]
    for packet in packets:
        for track in packet.get("track_descriptor", []):
            uuid, = track["uuid"]
            names[uuid] = track.get("name", [b""])[0].decode()
            parents[uuid] = track.get("parent_uuid", [None])[0]
            if "process" in track:
                processes.add(uuid)
    return names, parents, processes


def check_perfetto():
    names, parents, processes = tracks("three.perfetto")
    assert not processes, processes
    under = {}
    for uuid, parent in parents.items():
        match = re.fullmatch(r".*talk \d+ \(P (\d+)\)", names[uuid])
        if match:
            under[int(match.group(1))] = names[parent]
            assert parents[parent] is None
    assert under == NAMES, under
    names, parents, processes = tracks("one.perfetto")
    assert len(processes) == 3 and not set(names.values()) & set(NAMES.values()), names


def check_ctf():
    with open(path("three.ctf/metadata"), encoding="utf-8") as f:
        assert re.search(r'enum hosts : uint32_t \{\s+"web" = 0,\s+"app" = 1,\s+"db" = 2,', f.read())
    with open(path("one.ctf/metadata"), encoding="utf-8") as f:
        assert "host" not in f.read()
    if not os.path.exists(path("three.babeltrace")):
        return
    nr = 0
    with open(path("three.babeltrace"), encoding="utf-8") as f:
        for line in f:
            process, host = re.search(r', p = (\d+), .* host = \( "(\w+)"', line).groups()
            assert NAMES[int(process)] == host, line
            nr += 1
    assert nr >= 2000, nr


check_sqlite()
check_perfetto()
check_ctf()
