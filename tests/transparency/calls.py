#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
Counts the system calls of the programs in programs/, with a library that has no code and traced, and tells ours from theirs by
the address that they come from.

    calls.py [OPTION...] [PROGRAM...]       all when none is named
      --lib FILE                            default: that of the build directory
      --rounds N                            runs with the empty library, between which the program's own counts vary; default 2
      --markdown                            the table of doc/transparency.md

Ours are counted apart: in the first go of a process image or forked process, in the first of a thread, in the last before a
process ends or execs; what is left is what recording costs while the program runs, by name.  Theirs are
compared with those runs, name by name: a name is shown when its count lies outside of what they had
by more than a tenth of it (and by more than 5), which a program whose threads wait for each other does on its own, too.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LINE = re.compile(r"^\[([0-9a-f?]+)\] (?:<\.\.\. )?(\w+)(.*)$")
CHILD = {"fork", "vfork", "clone", "clone3"}


def options():
    build = pathlib.Path(os.environ.get("top_builddir", "."))
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], usage=__doc__.split("\n\n")[1])
    p.add_argument("--lib", type=pathlib.Path, default=build / ".libs/libsyntrace.so")
    p.add_argument("--rounds", type=int, default=2)
    p.add_argument("--markdown", action="store_true")
    p.add_argument("programs", nargs="*")
    o = p.parse_args()
    o.lib = o.lib.resolve()
    o.programs = o.programs or sorted(f.stem for f in (HERE / "programs").glob("*.sh") if f.stem != "common")
    return o


def run(program, record, logs):
    """Runs PROGRAM with strace's logs in LOGS; its exit status."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="syntrace-calls."))
    user = "nobody" if program == "postgres" and os.getuid() == 0 else None
    for path in (scratch, logs):
        path.mkdir(exist_ok=True)
        path.chmod(0o777)
    (scratch / "cwd").mkdir()
    if user:
        shutil.chown(scratch / "cwd", user)
    tracer = f"strace -D -f -ff -i -qq -o {logs}/t"
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(scratch / "cwd"), "LC_ALL": "C",
           "RECORD": " ".join([tracer, *(f"-E {k}={v}" for k, v in record(scratch).items())])}
    try:
        return subprocess.run(["sh", HERE / "programs" / f"{program}.sh"], env=env, cwd=scratch / "cwd", timeout=600,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=user,
                              check=False).returncode
    except subprocess.TimeoutExpired:
        return "timeout"
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


class Counts:
    def __init__(self):
        self.theirs, self.start, self.thread, self.end, self.rest = (collections.Counter() for _ in range(5))
        self.images = self.threads = 0

    def ours(self):
        return sum(sum(c.values()) for c in (self.start, self.thread, self.end, self.rest))


def parents(logs):
    """pid -> (parent pid, is a thread), as the logs tell."""
    found = {}
    for path in logs.glob("t.*"):
        pid = int(path.suffix[1:])
        with path.open(errors="replace") as lines:
            for line in lines:
                m = LINE.match(line)
                if m and m[2] in CHILD:
                    child = re.search(r"= (\d+)(?: <[^>]*>)?$", line)
                    if child and int(child[1]) > 0:
                        found[int(child[1])] = (pid, "CLONE_THREAD" in line)
    return found


def count(logs, library):
    """What the processes and threads of LOGS did."""
    total, of = Counts(), parents(logs)
    ranges = {}  # pid -> where the library is in it
    at_fork = {}  # pid -> where it was when it came to be

    def inherited(pid):
        return of[pid][0] if pid in of else None

    def one(pid):
        """Counts the calls of PID, after those of its parent."""
        if pid in ranges:
            return
        ranges[pid] = (0, 0)
        parent = inherited(pid)
        if parent is not None:
            one(parent)
            ranges[pid] = at_fork.get(pid, (0, 0))
        is_thread = pid in of and of[pid][1]
        total.threads += is_thread
        total.images += not is_thread
        runs, fd = [], None  # [is ours, names] of each go
        for line in (logs / f"t.{pid}").open(errors="replace"):
            m = LINE.match(line)
            if not m or line.endswith("<unfinished ...>\n"):
                continue
            name, rest = m[2], m[3]
            if name == "execve" and rest.rstrip().endswith("= 0"):
                ranges[pid] = (0, 0)
                runs.append([False, ["execve"]])
                close(runs, is_thread)
                runs, is_thread = [], False
                total.images += 1
                continue
            if name in CHILD:
                child = re.search(r"= (\d+)(?: <[^>]*>)?$", line)
                if child:
                    at_fork[int(child[1])] = ranges[pid]
            if name == "openat" and library in rest:
                fd = rest.rstrip().rsplit("= ", 1)[-1]
            elif name == "mmap" and fd is not None and f", {fd}, 0)" in rest:
                begin = int(rest.rsplit("= ", 1)[-1], 16)
                ranges[pid] = (begin, begin + int(rest.split(", ")[1]))
                fd = None
            address = int(m[1], 16) if "?" not in m[1] else 0
            is_ours = ranges[pid][0] <= address < ranges[pid][1]
            if not runs or runs[-1][0] != is_ours:
                runs.append([is_ours, []])
            runs[-1][1].append(name)
        close(runs, is_thread)

    def close(runs, is_thread):
        ours = [r for r in runs if r[0]]
        for is_ours, names in runs:
            if not is_ours:
                total.theirs.update(names)
        for r in ours:
            if r is ours[0]:
                (total.thread if is_thread else total.start).update(r[1])
            elif len(runs) > 1 and r is runs[-2] and runs[-1][1][0] in ("exit_group", "exit", "execve"):
                total.end.update(r[1])
            else:
                total.rest.update(r[1])

    sys.setrecursionlimit(100000)
    for path in logs.glob("t.*"):
        one(int(path.suffix[1:]))
    return total


def outside(plains, traced):
    """Names whose count is not what the other runs had."""
    found = []
    for name in sorted(set(traced) | set().union(*plains)):
        low, high = min(p[name] for p in plains), max(p[name] for p in plains)
        slack = max(5, (high - low), high // 10)
        if not low - slack <= traced[name] <= high + slack:
            found.append(f"{name} {low}..{high} -> {traced[name]}")
    return found


def main():
    o = options()
    if o.markdown:
        print("| program | processes, threads | their calls, empty library | traced | ours: start, thread, end | ours while running |")
        print("|---|---|---|---|---|---|")
    for program in o.programs:
        top = pathlib.Path(tempfile.mkdtemp(prefix="syntrace-calls."))
        top.chmod(0o755)
        shutil.copy(o.lib, top / "libsyntrace.so")
        empty = top / "empty.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", empty], check=True)
        plains, statuses = [], []
        for number in range(o.rounds):
            statuses.append(run(program, lambda scratch: {"LD_PRELOAD": empty}, top / f"plain{number}"))
            plains.append(count(top / f"plain{number}", "libsyntrace.so").theirs)
        statuses.append(run(program, lambda scratch: {"LD_PRELOAD": top / "libsyntrace.so",
                                                      "SYNTRACE_DIR": scratch / "cwd/trace"}, top / "traced"))
        c = count(top / "traced", "libsyntrace.so")
        sums = [sum(p.values()) for p in plains]
        start, thread, end = (sum(x.values()) for x in (c.start, c.thread, c.end))
        rest = ", ".join(f"{n} {k}" for k, n in c.rest.most_common()) or "none"
        if o.markdown:
            print(f"| {program} | {c.images}, {c.threads} | {min(sums)}..{max(sums)} | {sum(c.theirs.values())} | {start}, {thread}, {end} | {rest} |", flush=True)
        else:
            print(f"{program}: {c.images} processes and images, {c.threads} threads; exit status {statuses}")
            print(f"    theirs: empty library {min(sums)}..{max(sums)}, traced {sum(c.theirs.values())}")
            for text in outside(plains, c.theirs):
                print(f"        {text}")
            print(f"    ours: {start} at start, {thread} at the start of threads, {end} at the end; while running: {rest}", flush=True)
        shutil.rmtree(top, ignore_errors=True)


main()
