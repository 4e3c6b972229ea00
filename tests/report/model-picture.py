# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""model-picture.py DEPTH MODEL SVG DOT: the pictures show the tasks, parts and arcs of the model's JSON lines."""
import json
import re
import sys
import xml.etree.ElementTree as ET

depth, lines = int(sys.argv[1]), [json.loads(line) for line in open(sys.argv[2])]
tasks = {x["task"]: x for x in lines if x["type"] == "task"}
parts, arcs = {}, {}
for x in lines:
    if x["type"] == "part":
        parts.setdefault(x["task"], []).append(x)
    if x["type"] == "arc" and x["task"]:
        arcs.setdefault(x["task"], []).append(x)


def expand(task, left):
    """Returns the texts of all rectangles inside of a task, and all arcs."""
    if not left:
        return [], []
    rects, inside = [], list(arcs.get(task, []))
    for p in parts[task]:
        rects.append(p["part"])
        if p["is"] == "task":
            more = expand(p["part"], left - 1)
            rects += more[0]
            inside += more[1]
    return rects, inside


rects, inside = [], []
for t in tasks.values():
    if t["top"]:
        more = expand(t["task"], depth)
        rects += [t["task"]] + more[0]
        inside += more[1]
assert rects and (depth == 0) == (not inside), (rects, inside)

svg = ET.parse(sys.argv[3]).getroot()
name = lambda tag: "{http://www.w3.org/2000/svg}" + tag
groups = svg.findall(name("g"))
assert len(groups) == len(rects), f"{len(groups)} rectangles, not {len(rects)}"
titles = sorted(g.find(name("title")).text for g in groups)
for text in rects:
    short = text if text in tasks else text.split(": ", 1)[-1].split(";")[-1]
    assert any(short in title for title in titles), f"no rectangle {text}"
boxes = [[int(g.find(name("rect")).get(k)) for k in ("x", "y", "width", "height")] for g in groups]
for i, (x, y, w, h) in enumerate(boxes):
    assert x >= 0 and y >= 0 and x + w <= int(svg.get("width")) and y + h <= int(svg.get("height")), "outside of the picture"
    for u, v, p, q in boxes[i + 1:]:
        apart = x + w <= u or u + p <= x or y + h <= v or v + q <= y
        nested = x <= u and y <= v and u + p <= x + w and v + q <= y + h
        assert apart or nested, "two rectangles overlap"
paths = [p.get("class") for p in svg.findall(name("path"))]
for word, member in (("across", "across"), ("inferred", "inferred"), ("start", "start")):
    seen, known = sum(word in c.split() for c in paths), sum(a[member] for a in inside)
    assert seen == known, f"svg: {seen} arrows {word}, not {known}"
assert len(paths) == len(inside), f"svg: {len(paths)} arrows, not {len(inside)}"
if depth:
    assert any("p50 " in t.text and "ran " in t.text for t in svg.iter(name("text"))), "no resources"

dot = open(sys.argv[4]).read()
edges = re.findall(r"^\tb\d+ -> b\d+ \[(.*)\];$", dot, re.M)
assert len(edges) == len(inside), f"dot: {len(edges)} arrows, not {len(inside)}"
assert sum("style=dashed" in e for e in edges) == sum(a["across"] for a in inside), "dot: dashed arrows"
assert sum(" ? " in e for e in edges) == sum(a["inferred"] for a in inside), "dot: inferred arrows"
nodes, clusters = len(re.findall(r"^\tb\d+ \[", dot, re.M)), dot.count("subgraph cluster_")
assert nodes + clusters == len(rects), f"dot: {nodes} nodes and {clusters} clusters, not {len(rects)}"
assert dot.count("\t}\n") == clusters, "dot: braces"
