# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# html-browser.py BROWSER PROFILE CONVOY REQUESTS SHOP [AXE]: uses three pages of syntrace-decode report as a reader does, in
# a browser: the pages of examples/convoy, of a server with requests, and of examples/shop. AXE is the file axe.min.js of
# axe-core (https://github.com/dequelabs/axe-core); without it, the accessibility rules are not checked.
import base64
import re
import sys

from browser import Browser

failed = 0


def check(what, is_true, *shown):
    global failed
    if not is_true:
        failed += 1
        print("FAILED:", what, *shown)


def canvas(b):
    """Left, top, width of the canvas, and the width of its labels."""
    r = b.value("(c => { c.scrollIntoView(); const r = c.getBoundingClientRect(); return [r.left, r.top, r.width]; })(byId('canvas'))")
    return *r, min(150, round(r[2] * 0.26))


def details(b):
    return b.value("byId('details').innerText")


def axis(b):
    """Texts of ticks differ and are exact, from the whole trace to the highest zoom."""
    zooms = [(begin, begin + 10 ** power, room) for begin in (0, 1234567891, 86_400_000_000_123) for power in range(2, 15)
             for room in (250, 900)]
    all_ticks = b.value(f"{[list(z) for z in zooms]}.map(z => timeline.ticks(...z))")
    units = {"s": 10 ** 9, "ms": 10 ** 6, "us": 1000, "ns": 1}
    for (_, _, room), ticks in zip(zooms, all_ticks):
        texts = [t[1] for t in ticks]
        values = []
        for text in texts:
            number, unit = text.split(" ")
            whole, _, part = number.partition(".")
            values.append(int(whole) * units[unit] + int(part.ljust(len(str(units[unit])) - 1, "0") or 0))
        check("axis: a text is not exact", values == [t[0] for t in ticks], ticks)
        check("axis: two equal texts", len(set(texts)) == len(texts), texts)
        check("axis: no tick, or too many", 1 <= len(texts) <= room / 20, texts)


def timeline(b):
    b.open(convoy + "#time")
    b.size(1400)
    axis(b)
    left, top, width, label = canvas(b)
    whole = b.value("timeline.range()")

    # the row of the main thread, which waits for the ends of the others nearly all the time
    b.mouse("mouseMoved", left + label + 300, top + 30)
    tip = b.value("byId('tip').hidden ? '' : byId('tip').textContent")
    check("hover: no time, thread and state", re.search(r"^[\d.]+ m?s, thread 0\.0 .*\n", tip) and "wait" in tip, tip)

    b.drag(left + label + 100, top + 60, left + label + 400, top + 60, modifiers=8)
    length = (whole["to"] - whole["from"]) * 300 / (width - label)
    said = re.search(r"Sums from ([\d.]+) ms to ([\d.]+) ms", details(b))
    check("sums: of another range", said and abs((float(said[2]) - float(said[1])) * 1e6 - length) < length / 50, details(b))
    # the sums of each thread are the time in which it existed, and the whole is the sum of two halves
    sums = b.value("[[0, data.length], [0, data.length / 2], [data.length / 2, data.length]].map(([from, to]) => "
                   "data.threads.map((t, n) => timeline.sumsOf(n, from, to)))")
    lived = b.value("data.threads.map(t => t.to - t.from)")
    for all_, first, second, life in zip(*sums, lived):
        check("sums: of another length than the thread", abs(sum(all_) - life) <= 1 + life / 1000, all_, life)
        check("sums: halves differ from the whole", all(abs(x - y - z) <= 1 + x / 1000 for x, y, z in zip(all_, first, second)),
              all_, first, second)

    b.open(convoy + "#time")
    b.value("byId('search').focus()")
    for key in "usleep":
        b.key(key)
    b.key("Enter")
    seen = b.value("timeline.range()")
    chosen = b.value("timeline.chosen()")
    check("search: no zoom to the match", seen["to"] - seen["from"] < (whole["to"] - whole["from"]) / 4, seen)
    check("search: no match is chosen", chosen and "usleep" in details(b), details(b))
    check("search: not said which match", "match 1 of " in b.value("byId('found').textContent"), b.value("byId('found').textContent"))
    b.key("Escape")
    b.key("n")
    check("search: n goes to no other match", b.value("timeline.chosen()") != chosen)


def keyboard(b):
    b.open(convoy)
    for _ in range(30):
        b.key("Tab")
        if b.value("document.activeElement.getAttribute('role')") == "tab":
            break
    b.key("ArrowRight")
    check("keyboard: an arrow key shows no other tab", b.value("!byId('time').hidden"))
    for _ in range(30):
        b.key("Tab")
        if b.value("document.activeElement.id") == "canvas":
            break
    check("keyboard: Tab does not reach the timeline", b.value("document.activeElement.id") == "canvas")
    b.key("Enter")
    b.key(".")
    check("keyboard: . goes to no next wait", b.value("timeline.chosen()") in ({"thread": 0, "slice": 1}, {"thread": 1, "slice": 0}))
    # the same keys, without a message to the browser for each of them
    b.key("Escape")
    reached = b.value("""(() => {
        const seen = new Set(["0/0"]);
        for (let last = ""; ; document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "."}))) {
            const {thread, slice} = timeline.chosen(), now = thread + "/" + slice;
            if (now === last)
                return seen.size;
            seen.add(last = now);
        }
    })()""")
    check("keyboard: not all waits are reached", reached == b.value("timeline.nrWaits()"), reached, b.value("timeline.nrWaits()"))
    b.open(convoy + "#waits")
    check("keyboard: a row of the waits has no button", b.value("[...document.querySelectorAll('#waits tbody tr')].every(r => r.querySelector('button'))"))
    b.value("document.querySelector('#waits tbody button').focus()")
    b.key("Enter")
    check("keyboard: a row of the waits shows no wait", b.value("!byId('time').hidden && timeline.chosen() !== null"))


def requests(b):
    b.open(server + "#requests")
    text = b.value("byId('requests').innerText")
    check("requests: no headline", re.search(r"Requests: \d+ answered", text), text[:300])
    check("requests: the slowest has no cause", "flush" in text, text[:1000])
    lengths = b.value("data.requests.list.map(r => r.length)")
    check("requests: not slowest first", lengths and lengths == sorted(lengths, reverse=True), lengths[:10])
    rows = b.value("[...document.querySelectorAll('#requests .columns > table tbody tr')].map(r => r.cells[1].textContent)")
    begins = b.value("data.requests.list.map(r => r.at)")
    units = {"s": 10 ** 9, "ms": 10 ** 6, "us": 1000, "ns": 1}
    exact = [abs(float(text.split(" ")[0]) * units[text.split(" ")[1]] - at) <= 1000 for text, at in zip(rows, begins)]
    check("requests: the begins are not exact", exact and all(exact), rows[:10], begins[:10])
    b.value("[...document.querySelectorAll('#requests button')].find(x => x.textContent.includes('timeline')).click()")
    seen, first = b.value("timeline.range()"), b.value("data.requests.list[0]")
    check("requests: not shown in the timeline", b.value("!byId('time').hidden") and seen["from"] <= first["at"] <= seen["to"], seen, first)
    b.open(convoy)
    check("requests: a tab without requests", b.value("!byId('tab-requests')"))


def trails(b):
    """A reader with a keyboard and with a mouse reads the steps of requests."""
    b.open(shop + "#requests")
    b.size(1400)
    beside = "document.querySelector('#requests .beside')"
    steps = b.value("data.extents.list.find(x => x.number === data.requests.list[0].number).trail.steps.length")
    bars, rows = f"{beside}.querySelectorAll('.trail rect.step')", f"{beside}.querySelectorAll('table[aria-label=\"steps of the request\"] tbody tr')"
    check("trails: not a bar and a row for each step", b.value(f"{bars}.length") == b.value(f"{rows}.length") == steps > 5, steps)
    check("trails: an arrow is missing", b.value(f"{beside}.querySelectorAll('.trail .way').length") ==
          b.value("data.extents.list.find(x => x.number === data.requests.list[0].number).trail.segments.filter(s => s.by).length") > 2)
    check("trails: bars are not as wide as the time", b.value(f"Math.max(...[...{bars}].map(r => r.getBoundingClientRect().width))") >
          0.8 * b.value(f"{beside}.querySelector('.trail').clientWidth"))
    b.value(f"{rows}[3].querySelector('button').focus()")
    b.key("Enter")
    check("trails: Enter marks no step", b.value(f"[...{bars}].findIndex(r => r.classList.contains('chosen'))") == 3)
    b.value(f"{bars}[4].dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
    check("trails: a click chooses no row", b.value(f"[...{rows}].findIndex(r => r.classList.contains('chosen'))") == 4)
    b.value("document.querySelector('#requests details').open = true")
    example = b.value("data.extents.clusters.at(-1).example")
    b.value("[...document.querySelectorAll('#requests details tbody tr button')].at(-1).focus()")
    b.key("Enter")
    check("trails: a cluster does not show its example", b.value(f"{beside}.querySelector('h2').textContent") == f"Request {example}")
    check("trails: a script error", not b.value("document.documentElement.dataset.error"))


def sections(b):
    """Each tab that a script registers has one section, and the units of its tables are those of the decoder's sentences."""
    b.open(convoy)
    check("sections: not one for each tab", b.value("sections.map(s => s.id).join() === [...document.querySelectorAll('main > section')].map("
                                                    "s => s.id).join() && sections.every(s => byId('tab-' + s.id).textContent === s.title)"))
    check("units: two for microseconds", b.value("span(2500)") == "2.50 us" and b.value("exactTime(2500, 100, 2500)") == "2.5 us" and
          "\u00b5s" not in b.value("document.body.textContent"))


def flames(b):
    """A flame graph is as high as its rectangles, also if the deepest stack is too narrow to be drawn."""
    b.open(convoy)
    for is_up in ("true", "false"):
        height, tops = b.value("(() => { const deepest = data.stacks.reduce((most, s, i) => (s || []).length > (data.stacks[most] || []).length ? i : most, 0), "
                               "svg = flame.draw('test', [[0, 1e9, 'wide'], [deepest, 1, 'narrow']], " + is_up + ", 300); return ["
                               "Number(svg.getAttribute('height')), [...svg.querySelectorAll('rect')].map(r => Number(r.getAttribute('y')))]; })()")
        check("flame graph: a gap", len(tops) == 2 and min(tops) == 0 and max(tops) + 17 == height, height, tops)


def looks(b, page):
    for width in (400, 1400):
        for scheme in ("light", "dark") if axe else ("light",):
            b.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            b.open(page)
            b.size(width)
            for section in b.value("[...document.querySelectorAll('main > section')].map(s => s.id)"):
                b.value(f"tabs.show('{section}')")
                wide = b.value("document.documentElement.scrollWidth")
                check(f"{section}: overflow at {width} pixels", wide <= width, wide)
                if axe:
                    b.value("window.axe || " + axe + "; 0")
                    found = b.value("axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.filter("
                                    "v => ['serious', 'critical'].includes(v.impact)).map(v => v.id + ': ' + v.nodes[0].html))")
                    check(f"{section}: axe at {width} pixels, {scheme}", not found, found)
    check("a script error", not b.value("document.documentElement.dataset.error"))
    b.call("Emulation.setEmulatedMedia", features=[])


def printed(b):
    b.open(convoy)
    b.size(1400)
    pdf = base64.b64decode(b.call("Page.printToPDF")["data"])
    drawn = b.value("[...document.querySelectorAll('#print canvas')].map(c => { const p = c.getContext('2d'), seen = new Set(), "
                    "all = p.getImageData(0, 0, c.width, c.height).data; for (let i = 0; i < all.length; i += 400) seen.add(all.slice(i, i + 4).join()); "
                    "return seen.size; })")
    check("print: no timeline", pdf.startswith(b"%PDF") and drawn and min(drawn) >= 4, drawn)


def without_scripts(b):
    b.call("Emulation.setScriptExecutionDisabled", value=True)
    b.open(convoy)
    text = b.value("document.body.innerText")
    b.call("Emulation.setScriptExecutionDisabled", value=False)
    for part in ("JavaScript is off", "lock convoy", "write_line", "Coverage: ", "process images"):
        check(f"without scripts: no '{part}'", part in text, text[:500])
    check("without scripts: controls that do nothing", "whole trace" not in text and "light / dark" not in text)


program, profile, convoy, server, shop = sys.argv[1:6]
convoy, server, shop = "file://" + convoy, "file://" + server, "file://" + shop
axe = None
if len(sys.argv) > 6:
    with open(sys.argv[6], encoding="utf-8") as f:
        axe = "(() => {" + f.read() + "\n})()"
browser = Browser(program, profile, 240)
try:
    timeline(browser)
    keyboard(browser)
    requests(browser)
    trails(browser)
    sections(browser)
    flames(browser)
    looks(browser, convoy)
    looks(browser, server)
    looks(browser, shop)
    printed(browser)
    without_scripts(browser)
finally:
    browser.close()
sys.exit(failed != 0)
