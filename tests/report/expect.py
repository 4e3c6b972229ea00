# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""expect.py write MODEL RIGHT WRONG: writes expectations that hold and that fail, from the JSON lines of the verb model.
expect.py read MODEL WRONG RESULTS: checks that the results of the expectations in WRONG name the first occurrence.
expect.py rename BASELINE NAME TO: copies a baseline; the task that begins with submit gets another name."""
import json
import sys

if sys.argv[1] == "rename":
    order = "task", "part", "arc"
    with open(sys.argv[2], encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    old = next(r[2] for r in rows if r[0] == "task" and r[-1].endswith("submit;pthread_mutex_lock"))
    places = [i for i, r in enumerate(rows) if r[0] in order and len(r) > 1]
    new = [[{old: sys.argv[3], "@" + old: "@" + sys.argv[3]}.get(x, x) for x in rows[i]] for i in places]
    new.sort(key=lambda r: (order.index(r[0]), "\t".join(r[2:]).encode()))
    for i, r in zip(places, new):
        rows[i] = r
    with open(sys.argv[4], "w", encoding="utf-8") as f:
        f.writelines("\t".join(r) + "\n" for r in rows)
    sys.exit()

lines = [json.loads(line) for line in open(sys.argv[2])]
task = next(x for x in lines if x["type"] == "task" and x["task"] == "main")
instances = [x for x in lines if x["type"] == "instance" and x["task"] == "main"]
assert len(instances) == task["count"] and 200 <= task["count"] <= 204, task
durations = sorted(x["dur"] for x in instances)
longest, middle = durations[-1], durations[len(durations) // 2]

if sys.argv[1] == "write":
    jobs = f"in {100 * 200 / task['count'] - 0.1:.1f} %"
    right = [
        "main: submit = 1", "main: take = 1", f"main: work = 1 {jobs}", f"main: ask;write = 1 {jobs}", "main: write 0..2",
        "main: submit before take", "main: submit before answer", "main: answer before ask;read", "main: ask;write before answer;read",
        f"main: latency <= {longest}ns", f"main: latency <= {middle}ns in 50 %", "main: latency > 0 ns",
        "main: threads = 2..3", f"main: threads = 3 {jobs}", "main: wait:lock <= 1s", f"main: sent <= {task['sent']} B",
        f"main: ran <= {task['ran']} ns", f"main: wait <= {sum(task['waits'].values())} ns", "*: absent = 0", "*: latency < 60 s",
    ]
    wrong = [
        "main: submit = 2", "main: take = 0", "main: ask before answer", "main: take before submit", f"main: latency < {longest}ns",
        "main: latency > 1 hour".replace("1 hour", "3600 s"), "main: threads < 2", "main: sent > 1 MB", "main: wait:lock > 1s",
        "absent: x = 0", "main: submit before absent", "main: ask;write = 1 in 100 %",
    ]
    for path, texts in ((sys.argv[3], right), (sys.argv[4], wrong)):
        with open(path, "w", encoding="utf-8") as f:
            f.write("# expectations about the jobs\n" + "".join(text + "\n" for text in texts))
    sys.exit()

wrong = [line.strip() for line in open(sys.argv[3]) if not line.startswith("#")]
results = {x["expectation"]: x for x in map(json.loads, open(sys.argv[4])) if x["type"] == "expectation"}
assert list(results) == wrong, (list(results), wrong)
outcomes = {"absent: x = 0": "no_task", "main: submit before absent": "no_part"}
for text, x in results.items():
    assert x["outcome"] == outcomes.get(text, "fails"), x
    assert text in outcomes or x["unexpected"] and x["task"] == "main", x
ids = [x["id"] for x in instances]  # in the order of time
assert results["main: submit = 2"]["id"] == ids[0] and results["main: submit = 2"]["found_value"] == 1
assert results["main: submit = 2"]["unexpected"] == task["count"]
late = [x for x in instances if x["dur"] >= longest]
x = results[f"main: latency < {longest}ns"]
assert x["unexpected"] == len(late) and x["id"] == late[0]["id"] and x["found_value"] == longest, (x, late)
assert results["main: ask;write = 1 in 100 %"]["unexpected"] == task["count"] - 200
assert len(results["main: ask before answer"]["wrong_order"]) == 2
assert results["main: latency > 3600 s"]["unexpected"] == results["main: threads < 2"]["unexpected"] == task["count"]
