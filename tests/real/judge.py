# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
judge.py DECODER TRACE NAME [--bytes=all|some] [--edges KIND=LEAST]... [--images LEAST] [--only REASON]...

What `syntrace-decode check` and the coverage line say of a trace, however large it is:

  * no invariant is violated, no event lost, overwritten or missing, no edge refused;
  * every byte that a traced endpoint received from a traced one is matched (--bytes=all); bytes of no traced sender are so for one of
    BESIDE, and are named with the endpoint that has most of them;
  * acquires without a source are so for the reasons named, if any is (--only);
  * there are as many edges of the kinds named, and process images, as the caller knows there must be.

Prints a row of the table in doc/invariants.md: events, processes, threads, bytes received and the share that is matched of those that
a traced process sent, what the others are, violations, losses; memory and processor time of `check`.
"""
import argparse
import json
import os
import subprocess
import sys

# Bytes that no traced call has sent.
BESIDE = {"UNTRACED_PEER", "UNSEEN_WRITER", "KERNEL"}

failed = 0


def fail(text):
    global failed
    failed += 1
    print("judge:", text)


def run(decoder, verb, trace, statuses):
    """The verb's JSON lines, with the memory (MiB) and processor time (s) that it took."""
    child = subprocess.Popen([decoder, verb, "--format=jsonl", trace], stdout=subprocess.PIPE, text=True)
    rows = [json.loads(line) for line in child.stdout]
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in statuses:
        fail(f"{verb}: exit status {child.returncode}")
    return rows, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def check_bytes(coverage, want_all):
    received, unmatched = coverage["bytes_received"], coverage["bytes_unmatched"]
    beside = {reason: nr for reason, nr in unmatched.items() if reason in BESIDE}
    between = received - sum(beside.values())
    matched = coverage["bytes_matched"]
    others = {reason: nr for reason, nr in unmatched.items() if reason not in BESIDE}
    if want_all and others:
        fail(f"{between - matched} of {between} bytes between traced processes are unmatched: {others}")
    share = "100 %" if matched == between else f"{100 * matched / between:.4f} %"
    named = ", ".join(f"{nr:,} {reason}" for reason, nr in unmatched.items())
    for blind in coverage["blind"]:
        print("judge: blind:", json.dumps(blind))
    return f"{received:,} | {share} | {named or '-'}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("decoder")
    parser.add_argument("trace")
    parser.add_argument("name")
    parser.add_argument("--bytes", choices=("all", "some"), default="all")
    parser.add_argument("--edges", action="append", default=[])
    parser.add_argument("--images", type=int, default=1)
    parser.add_argument("--only", action="append")
    args = parser.parse_args()

    checks, mib, seconds = run(args.decoder, "check", args.trace, (0, 1))
    stat, *_ = run(args.decoder, "stat", args.trace, (0,))
    verdict = checks[-1]
    for row in checks:
        if row.get("violations") and row["type"] != "verdict":
            fail(f"{row['name']}: {row['violations']} violations")
    if verdict["type"] != "verdict" or not verdict["good"]:
        fail(f"check: {verdict}")
    (losses,) = (row["sums"] for row in checks if row.get("name") == "losses")
    lost = losses["lost"] + losses["overwritten"] + losses["missing"]
    if lost:
        fail(f"{lost} events lost, overwritten or missing")

    (coverage,) = (row for row in stat if row["type"] == "coverage")
    if coverage["defects"]:
        fail(f"{coverage['defects']} edges refused")
    if coverage["acquires"] != coverage["attributed"] + coverage["unneeded"] + sum(coverage["unattributed"].values()):
        fail("the acquires do not add up")
    if coverage["bytes_received"] != coverage["bytes_matched"] + sum(coverage["bytes_unmatched"].values()):
        fail("the bytes do not add up")
    if args.only is not None:
        others = {reason: nr for reason, nr in coverage["unattributed"].items() if reason not in args.only}
        if others:
            fail(f"acquires unattributed: {others}, expected only {args.only}")
    text = check_bytes(coverage, args.bytes == "all")

    images = sum(row["type"] == "process" for row in stat)
    threads = sum(row["type"] == "thread" for row in stat)
    if images < args.images:
        fail(f"{images} process images, expected {args.images}")
    for wanted in args.edges:
        kind, _, least = wanted.partition("=")
        if coverage["edges"].get(kind, 0) < int(least):
            fail(f"{coverage['edges'].get(kind, 0)} edges of kind {kind}, expected at least {least}")
    open_ = ", ".join(f"{nr:,} {reason}" for reason, nr in coverage["unattributed"].items())
    print(f"| {args.name} | {losses['recorded']:,} | {images}, {threads} | {text} | {open_ or '-'} | "
          f"{verdict['violations']} | {lost} | {mib:.0f} MiB, {seconds:.1f} s |")
    return 1 if failed else 0


sys.exit(main())
