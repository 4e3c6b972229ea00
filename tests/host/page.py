# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
page.py DIRECTORY [BROWSER]: the HTML page of a trace of three hosts (three.html) groups the threads by host and shows the errors
of times between hosts; the page of one host (one.html) names no host. With BROWSER, also looks at the page in the browser.
"""
import json
import re
import sys

NAMES = ["web", "app", "db"]
TIME = r"[\d.]+ [um]?s ±[\d.]+"


def read(name):
    with open(f"{sys.argv[1]}/{name}.html", encoding="utf-8") as f:
        text = f.read()
    return text, json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))


def keys(value):
    if isinstance(value, dict):
        return set(value) | set().union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


def check_data():
    text, data = read("three")
    assert data["hosts"] == NAMES, data["hosts"]
    for t in data["threads"]:
        assert str(t["host"]) == t["id"].split(".")[0], t
    table = re.search(r'<table class="cards hosts">.*?</table>', text, re.S).group(0)
    rows = [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in re.findall(r"<tr>.*?</tr>", table)[1:]]
    assert [row[0] for row in rows] == NAMES and sorted(row[2].split()[0] for row in rows) == ["joined", "joined", "reference"], rows
    assert all(bool(re.fullmatch(r"[\d.]+ [um]?s", row[3])) == row[2].startswith("joined") for row in rows), rows
    e = data["edges"]
    for source, target, error in zip(e["from"], e["to"], e["error"]):
        is_between = data["threads"][source]["host"] != data["threads"][target]["host"]
        assert (error is not None and error > 0) == is_between, (source, target, error)
    assert any(e["error"])
    for s in data["critical"]:
        assert s.get("error", 1) > 0 and ("error" not in s or s["text"].startswith("hand-off by ")), s
    assert any("error" in s for s in data["critical"])
    assert all(r["error"] > 0 and r["receiptError"] > 0 for r in data["requests"]["list"])
    segments = [s for r in data["extents"]["list"] if "trail" in r for s in r["trail"]["segments"]]
    assert all(("error" in s) == ("from" in s) for s in segments) and any("error" in s for s in segments)

    text, data = read("one")
    assert not keys(data) & {"hosts", "host", "error", "receiptError"} and "cards hosts" not in text


def check_browser():
    from browser import Browser

    b = Browser(sys.argv[2], f"{sys.argv[1]}/profile")
    for width in 1400, 400:
        b.open(f"file://{sys.argv[1]}/three.html#time")
        b.size(width)
        for tab in "critical", "requests", "time":
            b.value(f"tabs.show('{tab}')")
            assert b.value("document.documentElement.scrollWidth <= innerWidth"), f"{tab}: wider than {width}"
        b.value("(n => timeline.goTo(data.edges.to[n], data.edges.toTime[n] - 1))(data.edges.error.findIndex(x => x !== null))")
        shown = b.value("byId('details').innerText")
        assert re.search(TIME, shown) and re.search(r", host (web|app|db)", shown), shown
    assert re.search(r"hand-off by ", b.value("document.querySelector('#critical table').textContent"))
    for tab in "critical", "requests":
        assert re.search(TIME, b.value(f"byId('{tab}').textContent")), tab
    assert re.search("by stream, " + TIME, b.value("byId('requests').textContent"))
    assert not b.value("document.documentElement.dataset.error"), b.value("document.documentElement.dataset.error")
    b.close()


check_data()
if len(sys.argv) > 2:
    check_browser()
