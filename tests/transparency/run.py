#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
Runs suites that others wrote, untraced, with a preload that does nothing, and traced, and tells what differs.

    run.py [OPTION...] [SUITE...]           all suites when none is named
      --lib FILE --decode FILE              what to test; default: those of the build directory
      --work DIR                            sources, builds and results; default: BUILD/transparency, or a directory of
                                            /var/tmp where other users may not go there (cases may run as such)
      --rounds N                            times each mode, in turn; default 3
      --jobs N                              cases at a time; default: what the suite says, else 2
      --only REGEX                          cases whose name matches
      --core                                only the cases that are part of `make check`
      --untraced                            only the rounds without our library; they stay good when it changes
      --fresh                               forget results; else what is stored of this library is not
                                            run again
      --report                              run nothing
      --list                                name the cases
      --suites DIR                          where the suites are; default: beside this file

How a suite plugs in stands in suite.py; what is run, and what was found, in doc/transparency.md.

A case is run in these modes, in turn, N rounds:

    plain    as it is
    traced   with libsyntrace.so; the trace must decode (`syntrace-decode stat` exits with 0)
    empty    with a library that has no code; only after a difference between the others, see below

The preload goes to the case's process, not to anything around it.  Compared are the exit status and the bytes of
standard output and error, each only where all plain rounds agree: a case whose exit status they do not agree on is
`unstable` and tells nothing.  The others are

    same        every traced round is like the plain ones
    different   every traced round differs
    sometimes   some do
    preload     the rounds with the library that has no code differ just so
    known       one of the former, listed in the file `known`, with the reason

A case that differs is run once more, at least three rounds of each mode, with nothing beside it; then those rounds
count.

WORK/SUITE/results.jsonl (core.jsonl with --core) has a line for each run, summary.jsonl one for each case; WORK/output/
the bytes, by their hash.  Ends with 0 when all is same or known, 77 when no suite could be run.
"""
import argparse
import concurrent.futures
import fnmatch
import hashlib
import importlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import suite as plug  # noqa: E402

MODES = ("plain", "empty", "traced")
AGAIN = 100  # number of the first of the rounds that a case has to itself
FIELDS = ("status", "stdout", "stderr", "trace")


def default_work(build):
    work = build.resolve() / "transparency"
    if all(parent.stat().st_mode & 0o001 for parent in work.parents):
        return work
    return pathlib.Path("/var/tmp") / f"syntrace-transparency-{os.getuid()}"


def options():
    build = pathlib.Path(os.environ.get("top_builddir", "."))
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], usage=__doc__.split("\n\n")[1])
    p.add_argument("--lib", type=pathlib.Path, default=build / ".libs/libsyntrace.so")
    p.add_argument("--decode", type=pathlib.Path, default=build / "syntrace-decode")
    p.add_argument("--work", type=pathlib.Path, default=default_work(build))
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--jobs", type=int)
    p.add_argument("--only", type=re.compile)
    for flag in "core", "fresh", "report", "list", "untraced":
        p.add_argument("--" + flag, action="store_true")
    p.add_argument("--suites", dest="folder", type=pathlib.Path, default=HERE / "suites")
    p.add_argument("suites", nargs="*")
    o = p.parse_args()
    o.lib, o.decode, o.work = o.lib.resolve(), o.decode.resolve(), o.work.resolve()
    if not o.suites:
        o.suites = sorted(f.stem for f in o.folder.glob("*.py"))
    return o


class Results:
    """SUITE/results.jsonl (with --core, core.jsonl): what was run so far; appended to by all workers."""

    def __init__(self, o):
        self.lib = hashlib.sha256(o.lib.read_bytes()).hexdigest()[:16]
        self.work = o.work
        self.output = o.work / "output"
        self.output.mkdir(parents=True, exist_ok=True)
        self.lock = threading.Lock()
        self.rows = {}
        self.files = {}
        for suite in o.suites:
            path = o.work / suite / ("core.jsonl" if o.core else "results.jsonl")
            if path.exists() and not o.fresh:
                self._load(path)
            self.files[suite] = path.open("w" if o.fresh else "a", buffering=1)

    def _load(self, path):
        text = path.read_text()
        whole = text[: text.rfind("\n") + 1]  # a run that was killed may have left half a line
        if whole != text:
            path.write_text(whole)
        for line in whole.splitlines():
            row = json.loads(line)
            if row["lib"] in ("", self.lib):  # results of another library are history
                self._remember(row)

    def _remember(self, row):
        self.rows[tuple(row[k] for k in ("suite", "case", "mode", "round"))] = row

    def add(self, row):
        with self.lock:
            self._remember(row)
            self.files[row["suite"]].write(json.dumps(row) + "\n")

    def summarize(self, rows):
        for suite in self.files:
            mine = [json.dumps(row) + "\n" for row in rows if row["suite"] == suite]
            (self.work / suite / "summary.jsonl").write_text("".join(mine))

    def keep(self, data, unordered):
        """The name under which DATA stands in output/; the same for the same bytes in another order if UNORDERED."""
        name = hashlib.sha256(bytes(sorted(data)) if unordered else data).hexdigest()[:16]
        path = self.output / name
        if not path.exists():
            path.write_bytes(data)
        return name

    def of(self, suite, case, mode, rounds):
        found = (self.rows.get((suite, case, mode, r)) for r in rounds)
        return [row for row in found if row]


def kill_session(leader):
    """Ends what a case left behind, also in process groups of its own: it would work on beside the next case."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == leader:
                os.kill(int(pid), signal.SIGKILL)
        except (OSError, ValueError):
            pass  # it ended meanwhile


class Runner:
    def __init__(self, o, results):
        self.o = o
        self.results = results
        self.running = set()  # leaders of the sessions of the cases
        signal.signal(signal.SIGTERM, self._stop)
        # Copies that stay as they are while the build goes on, where all users may read them.
        self.lib, self.empty = o.work / f"lib-{results.lib}/libsyntrace.so", o.work / "empty.so"
        self.lib.parent.mkdir(exist_ok=True)  # by its name the library knows itself in LD_PRELOAD
        with tempfile.TemporaryDirectory(dir=o.work) as made:
            shutil.copy(o.lib, f"{made}/lib")
            subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", f"{made}/empty"], check=True)
            os.rename(f"{made}/lib", self.lib)
            os.rename(f"{made}/empty", self.empty)

    def one(self, suite, case, mode, number):
        """Runs CASE once, and stores what came of it."""
        if self.results.of(suite, case.name, mode, [number]):
            return
        scratch = pathlib.Path(tempfile.mkdtemp(prefix="syntrace-case."))
        try:
            self.results.add(dict(suite=suite, case=case.name, mode=mode, round=number,
                                  lib=self.results.lib if mode == "traced" else "") |
                             self._run(case, mode, scratch))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
            if scratch.exists():
                subprocess.run(["chmod", "-R", "u+rwx", scratch], stderr=subprocess.DEVNULL, check=False)
                shutil.rmtree(scratch, ignore_errors=True)

    def _run(self, case, mode, scratch):
        for name in "cwd", "tmp", "trace-in":
            (scratch / name).mkdir()
        user = case.user if os.getuid() == 0 else None
        if user:
            for path in scratch, *scratch.iterdir():
                shutil.chown(path, user)
        trace = scratch / "trace-in/trace"
        preload = {"plain": {}, "empty": {"LD_PRELOAD": str(self.empty)},
                   "traced": {"LD_PRELOAD": str(self.lib), "SYNTRACE_DIR": str(trace)}}[mode]
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(scratch / "tmp"), "LC_ALL": "C",
               "TMPDIR": str(scratch / "tmp")} | case.env
        if case.script:
            env["RECORD"] = " ".join(["env", *(f"{k}={v}" for k, v in preload.items())]) if preload else ""
        else:
            env |= preload
        began = time.monotonic()
        with (scratch / "out").open("w+b") as out, (scratch / "err").open("w+b") as err:
            process = subprocess.Popen([str(a) for a in case.argv], env=env, cwd=case.cwd or scratch / "cwd",
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                                       user=user, group=user and "nogroup", extra_groups=[] if user else None)
            self.running.add(process.pid)
            try:
                status = process.wait(case.timeout)
            except subprocess.TimeoutExpired:
                status = "timeout"
            seconds = time.monotonic() - began
            kill_session(process.pid)
            process.wait()
            self.running.discard(process.pid)
        places = [os.path.realpath(scratch), scratch]
        row = {"status": status, "seconds": round(seconds, 2)}
        for name, file in ("stdout", "out"), ("stderr", "err"):
            with (scratch / file).open("rb") as stream:
                data = stream.read(1 << 22)
            row[name] = self.results.keep(plug.scrub(data, case, places), case.unordered)
        row["trace"], row["coverage"] = self._decode(trace) if mode == "traced" else ("", "")
        return row

    def _stop(self, *_):
        for leader in self.running:
            kill_session(leader)
        os._exit(143)

    def _decode(self, trace):
        """"" when the trace is as it should be, else what is wrong; and what the trace says it covers."""
        if not trace.is_dir():
            return "none", ""
        try:
            done = subprocess.run([self.o.decode, "stat", trace], capture_output=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return "stat: timeout", ""
        if done.returncode != 0:
            return f"stat: {done.returncode}: {done.stderr[-200:].decode(errors='replace')}", ""
        lines = done.stdout.decode(errors="replace").splitlines()
        return "", next((line for line in reversed(lines) if line.startswith("Coverage:")), "")

    def case(self, suite, case, rounds):
        for number in rounds:
            for mode in MODES:
                if number in rounds_of(mode, rounds) and not (self.o.untraced and mode == "traced"):
                    self.one(suite, case, mode, number)


def rounds_of(mode, rounds):
    """Those of ROUNDS in which MODE is run."""
    return rounds[:0] if mode == "empty" and rounds[0] < AGAIN else rounds


def judge(results, suite, case, rounds, known):
    """The verdicts on CASE, or on its parts, from its rounds; see the top."""
    of = {mode: results.of(suite, case.name, mode, rounds_of(mode, rounds)) for mode in MODES}
    if any(len(of[mode]) < len(rounds_of(mode, rounds)) for mode in MODES):
        return [{"suite": suite, "case": case.name, "verdict": "not run"}]
    if not case.parts:
        return [judge_one(suite, case.name, case.compare, of, known)]
    return [judge_one(suite, f"{case.name}/{part}", ("status",), rows, known) for part, rows in split(results, of)]


def split(results, of):
    """The rounds OF a case whose output has lines `PART: RESULT`, as rounds of each part, and of the whole case's trace."""
    found = {}
    for mode in MODES:
        for row in of[mode]:
            lines = (results.output / row["stdout"]).read_text(errors="replace").splitlines()
            found[mode, row["round"]] = {"(trace)": "ok"} | dict(line.rsplit(": ", 1) for line in lines if ": " in line)
    for part in sorted(set().union(*found.values())):
        yield part, {mode: [row | {"status": found[mode, row["round"]].get(part, "absent"),
                                   "trace": row["trace"] if part == "(trace)" else ""} for row in of[mode]]
                     for mode in MODES}


def judge_one(suite, name, compare, of, known):
    row = {"suite": suite, "case": name}
    values = {f: {r[f] for r in of["plain"]} for f in FIELDS}
    row["status"] = sorted(map(str, values["status"]))
    row["seconds"] = max(r["seconds"] for r in of["traced"])
    row["coverage"] = of["traced"][-1]["coverage"]
    if len(values["status"]) > 1:
        return row | {"verdict": "unstable"}
    stable = [f for f in FIELDS if len(values[f]) == 1 and (f in compare or f == "trace")]

    def differing(mode, r):
        fields = [f for f in stable if r[f] not in values[f] and not (f == "trace" and r[f] == "none")]
        return {f: [next(iter(values[f])), r[f]] for f in fields}

    diffs = {mode: [d for d in (differing(mode, r) for r in of[mode]) if d] for mode in ("empty", "traced")}
    row["compared"] = [f for f in stable if f != "trace"]
    row["recorded"] = not any(r["trace"] == "none" for r in of["traced"])
    if not diffs["traced"]:
        return row | {"verdict": "same"}
    row["differences"] = diffs["traced"]
    if all(any(sorted(d) == sorted(e) for e in diffs["empty"]) for d in diffs["traced"]):
        verdict = "preload"
    else:
        verdict = "different" if len(diffs["traced"]) == len(of["traced"]) else "sometimes"
    reason = next((why for pattern, why in known if fnmatch.fnmatchcase(f"{suite}/{name}", pattern)), None)
    if reason:
        row |= {"reason": reason, "was": verdict}
        verdict = "known"
    return row | {"verdict": verdict}


def read_known():
    """Lines `SUITE/CASE: reason` of the file `known`."""
    lines = (line.strip() for line in (HERE / "known").read_text().splitlines())
    return [tuple(p.strip() for p in line.split(":", 1)) for line in lines if line and not line.startswith("#")]


def show(rows, results):
    """Every case that is not the same, by name, then the table."""
    for row in rows:
        if row["verdict"] in ("same", "not run"):
            continue
        text = f"{row['verdict']:10} {row['suite']}/{row['case']}"
        seen = {}
        for difference in row.get("differences", []):
            for field, (plain, traced) in difference.items():
                seen.setdefault(field, set()).add((plain, traced))
        for field, pairs in seen.items():
            for plain, traced in sorted(pairs, key=str):
                if field in ("stdout", "stderr"):
                    plain, traced = (results.output / plain).name, (results.output / traced).name
                text += f"\n             {field}: {plain or 'ok'} -> {traced}"
        if row["verdict"] == "unstable":
            text += f"  status {' or '.join(row['status'])}"
        print(text)
    verdicts = ("same", "known", "preload", "different", "sometimes", "unstable", "not run")
    print("\n%-12s %6s %6s  " % ("suite", "cases", "stable"), *("%9s" % v for v in verdicts), " stable passes")
    for name in dict.fromkeys(row["suite"] for row in rows):
        mine = [row for row in rows if row["suite"] == name]
        stable = [row for row in mine if row["verdict"] not in ("unstable", "not run")]
        passes = sum(row["status"] in (["0"], ["ok"]) for row in stable)
        print("%-12s %6d %6d  " % (name, len(mine), len(stable)),
              *("%9d" % sum(row["verdict"] == v for row in mine) for v in verdicts), "%14d" % passes)


def collect(o):
    """(suite, case) of all that is to be run, and the reasons of what is not."""
    found, skipped = [], []
    plug.core_only = o.core
    sys.path.insert(0, str(o.folder))
    for name in o.suites:
        module = importlib.import_module(name)
        work = o.work / name
        work.mkdir(parents=True, exist_ok=True)
        try:
            if not o.report:
                module.prepare(work)
            mine = list(module.cases(work))
        except plug.Skip as why:
            skipped.append(f"{name}: {why}")
            continue
        found += [(name, c) for c in mine if (c.core or not o.core) and (not o.only or o.only.search(c.name))]
    return found, skipped


def main():
    o = options()
    o.work.mkdir(parents=True, exist_ok=True)
    o.work.chmod(0o755)  # cases run as other users
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Cases begin with the default action of all signals, whichever process has started us: a
    # handler does not survive an exec.
    for number in signal.SIGINT, signal.SIGQUIT, signal.SIGHUP:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    found, skipped = collect(o)
    for reason in skipped:
        print("skipped:", reason)
    if o.list:
        print(*(f"{s}/{c.name}" for s, c in found), sep="\n")
        return 0
    if not found:
        return 77
    results = Results(o)
    known = read_known()
    first, again = range(o.rounds), range(AGAIN, AGAIN + max(3, o.rounds))

    def verdicts(suite, case):
        rows = judge(results, suite, case, again, known)
        return rows if rows[0]["verdict"] != "not run" else judge(results, suite, case, first, known)

    if not o.report:
        runner = Runner(o, results)
        for suite in dict.fromkeys(s for s, _ in found):
            with concurrent.futures.ThreadPoolExecutor(o.jobs or plug.jobs(sys.modules[suite])) as pool:
                for job in [pool.submit(runner.case, s, c, first) for s, c in found if s == suite and not c.alone]:
                    job.result()
        for s, c in found:
            if c.alone:
                runner.case(s, c, first)
            if any(row["verdict"] in ("different", "sometimes", "preload") for row in judge(results, s, c, first, [])):
                runner.case(s, c, again)
    rows = [row for s, c in found for row in verdicts(s, c)]
    results.summarize(rows)
    show(rows, results)
    return 1 if any(row["verdict"] in ("different", "sometimes", "not run") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
