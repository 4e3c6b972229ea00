# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
reports.py DIRECTORY: compares the JSON lines of three hosts (three.NAME) with those of the same events by one clock (one.NAME).
Each time between two hosts has an error, and lies within it; a time within one host has none. The hosts web, app and db have
the processes 0, 1 and 2.
"""
import json
import sys

ROUNDING_NS = 2
DRIFT = 1e-4  # greatest difference of the rates of the clocks


def read(name, kind):
    with open(f"{sys.argv[1]}/{name}", encoding="utf-8") as f:
        return [line for line in map(json.loads, f) if line["type"] == kind]


def processes(side):
    """Returns the pid of each process."""
    return {str(p["process"]): p["pid"] for p in read(side + ".stat", "process")}


def true_event(event):
    """Returns the id of the event in the trace of one host."""
    process, rest = event.split(".", 1)
    return f"{NUMBERS[process]}.{rest}"


def host(event):
    return event.split(".")[0]


def judge(what, ns, true_ns, error, is_between):
    assert (error is not None) == is_between, f"{what}: error {error} of a time {'between' if is_between else 'within'} hosts"
    limit = (error or 0) + ROUNDING_NS + DRIFT * true_ns
    assert abs(ns - true_ns) <= limit, f"{what}: {ns} ns, in truth {true_ns} ns, but the error is {error} ns"


def check_edges():
    true = {(e["from"], e["to"], e["kind"]): e["end"] - e["begin"] for e in read("one.edges", "edge")}
    edges = read("three.edges", "edge")
    assert len(edges) == len(true), f"{len(edges)} edges, in truth {len(true)}"
    for e in edges:
        judge(f"edge {e['from']} to {e['to']}", e["end"] - e["begin"], true[true_event(e["from"]), true_event(e["to"]), e["kind"]],
              e.get("host_error_ns"), host(e["from"]) != host(e["to"]))
    return sum(host(e["from"]) != host(e["to"]) for e in edges)


def check_requests(name):
    true = {r["received"]: r for r in read("one." + name, "request")}
    for r in read("three." + name, "request"):
        was = true[true_event(r["received"])]
        if r["dur"] is not None:
            judge(f"request {r['received']}", r["dur"], was["dur"], r.get("host_error_ns"), True)
        if "before_receipt" in r:
            judge(f"receipt {r['received']}", r["before_receipt"], was["before_receipt"], r.get("receipt_error_ns"), True)
    return len(true)


def check_path(name):
    """Only hand-offs between hosts have an error."""
    errors = 0
    segments = read("three." + name, "segment")
    for s in segments:
        is_between = s["kind"] == "hand-over" and host(s["source"]) != str(s["process"])
        assert ("host_error_ns" in s) == is_between, s
        errors += is_between
    path, = read("three." + name, "path")
    begin = host(path["from"]) if path["from"] else str(segments[0]["process"])
    assert ("host_error_ns" in path) == (begin != host(path["to"])), path
    return errors


def check_steps():
    steps = read("three.steps", "step")
    for s in steps:
        assert ("host_error_ns" in s) == (s["parent"] is not None and host(s["parent"]) != host(s["event"])), s
        name = {"0": "web", "1": "app", "2": "db"}[host(s["event"])]
        assert s["symbol"].startswith(f"talk@{name}:"), s
    assert any("host_error_ns" in s for s in steps)
    for r in read("three.list", "request"):
        assert [c["component"] for c in r["components"]] == ["talk@app", "talk@db"], r


def check_events():
    events = read("three.events", "event")
    assert {e["host"] for e in events} == {0, 1, 2} and all(host(e["id"]) == str(e["host"]) for e in events)


def check_stat():
    hosts = read("three.stat", "host")
    assert [h["name"] for h in hosts] == ["web", "app", "db"], hosts
    assert [h["reference"] for h in hosts].count(True) == 1 and all(h["component"] == 0 for h in hosts), hosts
    assert all((h["early"] > 0) != h["reference"] for h in hosts), hosts
    assert all(h["component"] is None and h["early"] is None for h in read("three.apart", "host"))
    assert read("three.stat", "coverage")[0]["hosts_apart"] == []
    assert read("three.apart", "coverage")[0]["hosts_apart"] == [0, 1, 2]


def check_invariant():
    hosts, = [c for c in read("three.check", "check") if c["name"] == "hosts"]
    assert hosts["checked"] >= 800 and hosts["violations"] == 0, hosts
    assert hosts["sums"]["clocks"] == 3 and hosts["sums"]["bounds"] >= 2 and hosts["sums"]["hosts_apart"] == 0, hosts


def check_model():
    for i in read("three.model", "instance"):
        hosts = {host(leaf) for leaf in i["leaf_tasks"]}
        assert "host_error_ns" not in i or len(hosts) > 1, i
    assert any("host_error_ns" in t["latency"] for t in read("three.model", "task"))


def check_one_host():
    for name in "edges", "paths", "requests", "path", "list", "steps", "why", "stat", "apart", "model", "check", "events":
        with open(f"{sys.argv[1]}/one.{name}", encoding="utf-8") as f:
            text = f.read()
        assert not any(word in text for word in ("_error_ns", "talk@", '"host",', "hosts_apart", '"host":0', '"name":"hosts"')), f"{name}: a report of one host names hosts"


PIDS = {pid: p for p, pid in processes("one").items()}
NUMBERS = {p: PIDS[pid] for p, pid in processes("three").items()}
nr = check_edges()
assert nr >= 800, f"only {nr} edges between hosts"
nr = check_requests("requests"), check_requests("list")
assert nr[0] >= 400 and nr[1] >= 200, f"only {nr} requests"
nr = check_path("paths"), check_path("path")
assert nr[0] >= 100 and nr[1] >= 1, f"only {nr} hand-offs between hosts"
check_steps()
check_events()
check_stat()
check_invariant()
check_model()
check_one_host()
