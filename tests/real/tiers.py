# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
tiers.py DIRECTORY NR [REQUEST]: compares the JSON lines with moved clocks (moved.NAME) with those of the same traces with the clock
of the recording (true.NAME). NR requests passed through nginx, which asked a Python server, which asked redis. Prints the numbers
of the requests with the most work on the third host. With REQUEST: the steps and the critical path of this request, too. Ends with
3 if no host waited for another host in this request: on a busy machine, an answer can arrive before a host waits for it.
"""
import collections
import json
import re
import sys

# A short recording determines the rates of two clocks only within 1000 ppm, and the clocks were moved by 100 ppm each.
MOST_RATE = 2.2e-3

directory, nr = sys.argv[1], int(sys.argv[2])


def read(side, name, kind):
    with open(f"{directory}/{side}.{name}", encoding="utf-8") as f:
        return [line for line in map(json.loads, f) if line["type"] == kind]


def host(event):
    return event.split(".")[0]


def program(component):
    """Returns the program of a component, which names its host in a trace of several hosts."""
    return component.partition("@")[0]


def same(what, true, moved):
    assert true == moved, f"{what}: {moved}, with one clock {true}"


def numbers(side, name, kind, *keys):
    line, = read(side, name, kind)
    return {key: line[key] for key in keys}


def extent(request):
    """Returns all of a request except its times."""
    work = [[program(c["component"])] + [c[key] for key in ("received", "sent", "file_calls", "file_bytes")]
            for c in request["components"]]
    return [request[key] for key in ("to", "end", "connection", "bytes_received", "bytes_sent", "counted", "inner", "unsure")] + work


def compare_requests():
    lines = {side: {r["received"]: r for r in read(side, "requests", "request")} for side in ("true", "moved")}
    counts = "requests", "counted", "behaviours", "mixed_events", "pipelined"
    same("requests", numbers("true", "requests", "requests", *counts), numbers("moved", "requests", "requests", *counts))
    assert sum(r["counted"] for r in lines["moved"].values()) == nr, f"{len(lines['moved'])} requests, but the client sent {nr}"
    same("requests", lines["true"].keys(), lines["moved"].keys())
    for event, was in lines["true"].items():
        same(f"request {event}", extent(was), extent(lines["moved"][event]))
        assert abs(lines["moved"][event]["dur"] - was["dur"]) <= 2 + MOST_RATE * was["dur"], (event, lines["moved"][event]["dur"], was["dur"])
    nr_hosts = collections.Counter(len(r["components"]) for r in lines["moved"].values())
    assert set(nr_hosts) <= {2, 3} and nr_hosts[3] >= nr / 2, f"requests on 2 and 3 hosts: {nr_hosts}"
    found = sorted(lines["moved"].values(), key=lambda r: (len(r["components"]), r["components"][-1]["sent"]), reverse=True)
    return [r["request"] for r in found if len(r["components"]) == 3]


def compare_paths():
    counts = "requests", "counted", "begin", "end", "inner", "unsure", "connections", "accept_not_seen"
    same("paths", numbers("true", "paths", "requests", *counts), numbers("moved", "paths", "requests", *counts))
    ends = [sorted((r["from"], r["received"], r["to"], r["counted"], r["inner"]) for r in read(side, "paths", "request")) for side in ("true", "moved")]
    same("paths", *ends)


def compare_models():
    counts = "leaf_tasks", "in_tasks", "tasks", "unseen"
    same("model", numbers("true", "model", "model", *counts), numbers("moved", "model", "model", *counts))
    tasks = [sorted((t["task"], t["count"], t["leaf_tasks"]) for t in read(side, "model", "task")) for side in ("true", "moved")]
    same("tasks", *tasks)


def check_errors(between):
    """Each time between two hosts has an error, and each component names its host."""
    assert all(s["host_error_ns"] > 0 for s in between), between
    for s in read("moved", "steps", "step"):
        assert ("host_error_ns" in s) == (s["parent"] is not None and host(s["parent"]) != host(s["event"])), s
    components = {c["component"] for r in read("moved", "requests", "request") for c in r["components"]}
    same("components", {"nginx@web", "python3@app", "redis-server@db"}, components)
    for name in "requests", "steps", "path":
        with open(f"{directory}/true.{name}", encoding="utf-8") as f:
            assert "host_error_ns" not in f.read(), f"{name}: one clock has no error"
    with open(f"{directory}/steps.text", encoding="utf-8") as f:
        text = f.read()
    assert re.search(r"redis-server@db .* by stream, [0-9.]+ [um]?s ±[0-9.]+ on its way", text), text


def compare_steps():
    steps = [[(s["event"], s["parent"], s["by"], s["class"]) for s in read(side, "steps", "step")] for side in ("true", "moved")]
    for side in steps:
        side.sort()
    same("steps", *steps)
    assert {host(s[0]) for s in steps[1]} == {"0", "1", "2"}, "the steps are not on three hosts"
    ends = [[(p["from"], p["to"], p["meets_from"]) for p in read(side, "path", "path")] for side in ("true", "moved")]
    same("path", *ends)
    between = [s for s in read("moved", "path", "segment") if s["kind"] == "hand-over" and host(s["source"]) != str(s["process"])]
    check_errors(between)
    return len(between)


def check_page():
    """The page shows each request with its work on all hosts, and with a step on each of them."""
    with open(f"{directory}/page.html", encoding="utf-8") as f:
        data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', f.read(), re.S)[1])
    told = {r["request"]: r for r in read("moved", "requests", "request")}
    shown = data["extents"]["list"]
    same("requests of the page", {n for n, r in told.items() if r["counted"]}, {r["number"] for r in shown})
    for r in shown:
        was = told[r["number"]]
        same(f"page, request {r['number']}", [was["dur"]] + [(c["component"], c["received"], c["sent"]) for c in was["components"]],
             [r["length"]] + [(c["component"], c["received"], c["sent"]) for c in r["work"]])
        same(f"page, request {r['number']}: hosts", {str(n) for n in range(len(was["components"]))}, {host(t["id"]) for t in r["trail"]["threads"]})


print(*compare_requests())
compare_paths()
compare_models()
if len(sys.argv) > 3:
    nr_waits = compare_steps()
    check_page()
    sys.exit(0 if nr_waits >= 2 else 3)
