# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# html-page.py PAGE WHAT: of a page of syntrace-decode report, WHAT of its data as text, a line each; fails where the
# page is not what it must be.
#   event         P.T/N of a wait that an edge ended
#   times FILE    compares the levels with the JSON lines of waits
#   stacks REGEX  fails unless a frame of a call stack matches, as "FUNCTION PLACE"
#   palette       fails unless readers with each kind of colour blindness can tell the states apart
#   tasks FILE    fails unless the page shows the tasks of the JSON lines of model, without scripts
#   requests FILE fails unless the page has the clusters, the work and the steps of the JSON lines of requests and workload
#   worst         the section of the first finding
#   shown WHERE   the text that a browser shows of that section, from its dumped DOM
import base64
import itertools
import json
import math
import re
import sys
from html.parser import HTMLParser

MOST_BYTES = 1 << 20  # of these small traces


def bad(what):
    print(what)
    sys.exit(1)


RANKED = re.compile(r"^\d+\. ", re.M)


class Parts(HTMLParser):
    """The scripts of the page, the texts of what is shown, and the findings of the summary."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.scripts, self.hidden, self.stack, self.text, self.error = [], 0, [], [], None
        self.html = {}
        self.findings, self.coverage, self.program = {}, "", ""
        self.summary = []  # [title, number of ranked lines] of each finding that is shown

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "html":
            self.html = attrs
        if tag in ("meta", "input", "link", "br", "img"):
            if tag in ("link", "img"):
                bad(f"the page has a {tag}")
            return
        if "src" in attrs or attrs.get("href", "#")[0] != "#":
            bad(f"the page refers to something: {attrs}")
        name = attrs.get("data-section") or attrs.get("id") or attrs.get("class")
        self.stack.append((tag, "hidden" in attrs or tag in ("script", "style", "noscript", "title"), name))
        if "data-section" in attrs:
            self.findings.setdefault(attrs["data-section"], "")
        if tag == "script":
            self.scripts.append((attrs, []))

    def handle_endtag(self, tag):
        while self.stack and self.stack.pop()[0] != tag:
            pass

    def handle_data(self, text):
        if self.stack and self.stack[-1][0] == "script":
            self.scripts[-1][1].append(text)
        elif text.strip() and any(tag == "template" for tag, _, _ in self.stack):
            self.findings[self.stack[-2][2]] += text + "\n"  # of the section
        elif text.strip() and not any(hidden for _, hidden, _ in self.stack):
            self.text.append(text)
            names = [name for _, _, name in self.stack]
            if "summary" in names and "title" in names:
                self.summary.append([text, 0])
            elif self.summary and self.stack[-1][0] == "pre":
                self.summary[-1][1] += len(RANKED.findall(text))
            if "coverage" in names:
                self.coverage += text
            if "program" in names:
                self.program += text
            for name in set(names) & set(self.findings):
                self.findings[name] += text + "\n"


def parts(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    p = Parts()
    p.feed(text)
    return text, p


def data_of(path):
    text, p = parts(path)
    if len(text.encode()) > MOST_BYTES:
        bad(f"{len(text)} bytes")
    if len(p.scripts) != 2 or p.scripts[0][0].get("id") != "data":
        bad(f"{len(p.scripts)} scripts")
    data = "".join(p.scripts[0][1])
    if re.search("[<>&]", data):
        bad("markup in the data")
    if "default-src 'none'" not in text:
        bad("no policy")
    data = json.loads(data)
    data.update(findings=p.findings, coverage=p.coverage, program=p.program, summary=p.summary)
    return data


def check(d):
    """What refers to something refers to what is there."""
    threads, stacks, buckets = d["threads"], d["stacks"], d["level"]["buckets"]
    if not threads or len(d["level"]["rows"]) != len(threads) or len(d["slices"]) != len(threads):
        bad("not one row for each thread")
    for t, row, first, s in zip(threads, d["level"]["rows"], d["level"]["first"], d["slices"]):
        nr, rest = divmod(len(base64.b64decode(row)), len(d["states"]))
        if rest or first + nr > buckets or first > t["from"] // d["level"]["width"]:
            bad(f"{t['id']}: level")
        end = at = 0
        for n, difference in enumerate(s["at"]):
            at += difference
            if at < end or not 0 <= s["length"][n] <= d["length"] - at:
                bad(f"{t['id']}: waits overlap, or are outside")
            end = at + s["length"][n]
            if not (s["stack"][n] < len(stacks) and s["call"][n] < len(d["calls"]) and s["object"][n] < len(d["objects"])
                    and 0 < s["state"][n] < len(d["states"])):
                bad(f"{t['id']}: a wait refers to nothing")
    if len(d["names"]) != len(d["places"]) or any(f >= len(d["names"]) for s in stacks for f in s):
        bad("a call stack refers to nothing")
    e = d["edges"]
    if len({len(c) for c in e.values()}) != 1:
        bad("columns of edges")
    for n in range(len(e["kind"])):
        if not (e["from"][n] < len(threads) and e["to"][n] < len(threads) and e["kind"][n] < len(d["edgeKinds"])
                and e["fromTime"][n] <= e["toTime"][n] <= d["length"]):
            bad("an edge refers to nothing, or runs backwards")


def event(d):
    for e in range(len(d["edges"]["to"])):
        row, number = d["edges"]["to"][e], d["edges"]["toEvent"][e]
        s = d["slices"][row]
        if number in s["event"] and d["states"][s["state"][s["event"].index(number)]]["name"] == "lock":
            return f"{d['threads'][row]['id']}/{number}"
    return bad("none")


def times(d, path):
    """Of what a thread waited as the levels say, rounded down in each bucket, and as waits says."""
    waited, ran = {}, {}
    with open(path, encoding="utf-8") as f:
        for line in map(json.loads, f):
            if line["type"] == "thread":
                waited[line["thread"]] = sum(line["waited_ns"].values())
                ran[line["thread"]] = line["on_cpu_ns"]  # some of it in calls that waited
    nr, width = len(d["states"]), d["level"]["width"]
    for t, row, s in zip(d["threads"], d["level"]["rows"], d["slices"]):
        levels = base64.b64decode(row)
        shares = sum(b for n, b in enumerate(levels) if n % nr)
        # each of the states of each bucket in which it waited is rounded down, by less than 1/255
        most = (shares + sum(1 for n, b in enumerate(levels) if n % nr and b) + 8 * len(s["at"])) * width / 255
        kept = sum(s["length"])
        if not (shares * width / 255 <= waited[t["id"]] + ran[t["id"]] + 1000 and waited[t["id"]] <= most + 10000):
            bad(f"{t['id']}: {shares * width / 255} ns in the levels, at most {most}, and {waited[t['id']]} waited")
        if kept > waited[t["id"]] + ran[t["id"]] + 10000:
            bad(f"{t['id']}: {kept} ns in waits, and {waited[t['id']]} waited")


# Machado, Oliveira and Fernandes (2009), severity 1: colours in linear RGB as seen with no cones of one kind
BLIND = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
    "normal sight": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
}
LEAST_DIFFERENCE = 20  # CIE76; 2.3 is just noticeable side by side


def lab(color, matrix):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (int(color[i:i + 2], 16) / 255 for i in (1, 3, 5))]
    r, g, b = (min(1, max(0, sum(m * c for m, c in zip(row, linear)))) for row in matrix)
    xyz = ((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b,
           (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883)
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def palette(d, text):
    for theme in range(2):
        colors = {}
        for state in (s["name"] for s in d["states"]):
            found = re.search(rf"--{state}: light-dark\((#\w{{6}}), (#\w{{6}})\)", text)
            if not found:
                bad(f"no color of the state {state}")
            colors[state] = found.group(1 + theme)
        for (sight, matrix), (a, b) in itertools.product(BLIND.items(), itertools.combinations(colors, 2)):
            difference = math.dist(lab(colors[a], matrix), lab(colors[b], matrix))
            if difference < LEAST_DIFFERENCE:
                bad(f"{a} and {b} differ by {difference:.1f} for {sight}, in the {['light', 'dark'][theme]} theme")


def summary(d, path):
    """The summary has the findings of diagnose, in the same order, and ranks no more than diagnose does."""
    with open(path, encoding="utf-8") as f:
        blocks = [b for b in f.read().split("\n\n") if not b.startswith(("Coverage: ", "Functions without"))]
    said = [[b.strip().split("\n")[0].split(" (more: ")[0], len(RANKED.findall(b))] for b in blocks]
    if d["summary"] != said:
        bad(f"the summary has {d['summary']}, and diagnose has {said}")


def say(d, what):
    stack = lambda n: ";".join(d["names"][f] for f in d["stacks"][n])
    value = d[what]
    print(d["findings"].get(what, ""))
    if isinstance(value, str):
        print(value)
    elif what == "lockorder":
        for c in value:
            print(c["title"])
            for s in c["steps"]:
                through = "".join(f"waited in {stack(t['waitStack'])} for what {t['thread']} did in {stack(t['sendStack'])}, "
                                  for t in s.get("through", []))
                print(f"{s['thread']} had {s['had']}, {through}{s['verb']} {s['took']}", stack(s["hadStack"]), stack(s["tookStack"]), sep="\n")
    elif what == "contention":
        for b in (b for l in value for b in l["blames"]):
            print(stack(b["waiter"]), stack(b["holder"]), sep="\n")


def tasks(path, model):
    """The section with the tasks: not hidden, a row for each top task and for each of its parts."""
    html = open(path, encoding="utf-8").read()
    section = re.search(r'<section id="model" data-title="Tasks">(.*?)</section>', html, re.S)
    lines = [json.loads(line) for line in open(model, encoding="utf-8")]
    tops = [x for x in lines if x["type"] == "task" and x["top"]]
    if not section or not tops:
        bad("no section with tasks, or no tasks")
    if section[1].count("<details") != section[1].count("</details>"):
        bad("details are not balanced")
    costs = re.findall(r'<span class="hint costs">(.*?)</span>', section[1], re.S)
    if len(costs) < len(tops) or not all(re.match(r"([0-9]+ % (in|running)|[^;]*$)", cost) for cost in costs):
        bad(f"no times of the tasks: {costs}")
    text = re.sub(r"<[^>]*>", " ", re.sub(r'<span class="hint costs">.*?</span>', " ", section[1], flags=re.S))
    if section[1].count("<details open>") != len(tops):
        bad(f"{section[1].count('<details open>')} open tasks, not {len(tops)}")
    for x in tops:
        if not re.search(re.escape(x["task"]) + r"\s+" + str(x["count"]) + r"\s", text):
            bad(f"no task {x['task']} with {x['count']} occurrences")
    for x in lines:
        if x["type"] == "part" and x["is"] == "leaf" and f'title="{x["part"]}"' not in section[1]:
            bad(f"no part {x['part']}")


def requests(d, path):
    """The page has the clusters and the work of its requests, and the steps of FILE's audit trail."""
    with open(path, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    extents = d["extents"]
    told = {x["request"]: x for x in lines if x["type"] == "request"}
    clusters = [(x["requests"], x["representative"]) for x in lines if x["type"] == "cluster"]
    if [(c["requests"], c["example"]) for c in extents["clusters"]] != clusters or not clusters:
        bad(f"clusters {extents['clusters']}, not {clusters}")
    seen = {x["number"]: x for x in extents["list"]}
    if not {x["number"] for x in d["requests"]["list"]} <= set(seen) or len(seen) != len(extents["list"]):
        bad("not each request of the list once")
    names = {"component": "component", "ran": "ran", "cpu": "cpu", "cpu_divided": "cpu_divided", "received": "received", "sent": "sent", "files": "file_calls",
             "file": "file", "lock": "lock", "queue": "queue", "other": "other"}
    for number, x in seen.items():
        w = told[number]
        if (x["cluster"], x["length"]) != (w["cluster"], w["dur"]):
            bad(f"request {number}: {x}, not {w}")
        if x["work"] != [{key: c[name] for key, name in names.items()} for c in w["components"]]:
            bad(f"request {number}: work {x['work']}, not {w['components']}")
    steps = [x for x in lines if x["type"] == "step"]
    number = next(x["request"] for n, x in enumerate(lines) if lines[n + 1]["type"] == "step")
    t, begin = seen[number]["trail"], told[number]["ts"]
    of = [(extents["symbols"][s[0]], t["threads"][t["segments"][s[1]]["thread"]]["id"]) for s in t["steps"]]
    if of != [(x["symbol"], x["event"].rpartition(".")[0]) for x in steps]:
        bad(f"request {number}: steps {of}, not {steps}")
    for s, x in zip(t["steps"], steps):
        segment = t["segments"][s[1]]
        end = max(x["ts"] + x["ns"] - begin, segment.get("since", 0))
        if s[2] + s[3] != end or not max(x["ts"] - begin, 0) <= s[2] + 1 or s[4] > s[3] + 1:
            bad(f"request {number}: step {s} at another time than {x}")
        if (segment.get("by"), segment.get("inferred", False)) != (x["by"], x["class"] == "inferred"):
            bad(f"request {number}: segment {segment}, not {x}")
    for x in (x for x in seen.values() if "trail" in x):
        t, nr = x["trail"], len(x["trail"]["threads"])
        if not 0 < len(t["steps"]) <= 400 or any(s["thread"] >= nr or s.get("from", 0) >= nr for s in t["segments"]):
            bad(f"request {x['number']}: the trail refers to nothing, or is too long")
        if any(s[0] >= len(extents["symbols"]) or s[1] >= len(t["segments"]) for s in t["steps"]):
            bad(f"request {x['number']}: a step refers to nothing")
    if sum("trail" in x for x in seen.values()) > 100 + 20:
        bad("too many trails")


def main():
    path, what = sys.argv[1:3]
    if what == "shown":
        _, p = parts(path)
        if "data-error" in p.html:
            bad(f"an error: {p.html['data-error']}")
        if len(p.scripts) != 2:
            bad(f"{len(p.scripts)} scripts")
        print("\n".join(p.text))
        return
    d = data_of(path)
    check(d)
    if what == "event":
        print(event(d))
    elif what == "times":
        times(d, sys.argv[3])
    elif what == "stacks":
        frames = [f"{n} {p}" for n, p in zip(d["names"], d["places"])]
        if not any(re.search(sys.argv[3], f) for f in frames):
            bad("\n".join(frames))
    elif what == "palette":
        palette(d, parts(path)[0])
    elif what == "summary":
        summary(d, sys.argv[3])
    elif what == "tasks":
        tasks(path, sys.argv[3])
    elif what == "requests":
        requests(d, sys.argv[3])
    elif what == "worst":
        print(next(iter(d["findings"])))
    else:
        say(d, what)


main()
