# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
What a suite is made of.

A suite is a module suites/NAME.py; its docstring's first line says what it runs.  It has

    def prepare(work):      builds what is needed in the directory WORK (its own, kept between runs),
                            quickly when that is done already; raises Skip(REASON) when it cannot
    def cases(work):        yields Case objects; names are unique in the suite and always the same

and, if it wants to, PACKAGES = [...], the Debian packages that it needs (for the message of a skip), and JOBS = N, how many
cases at a time each processor bears, when most of their time they wait.
Nothing else is to be done: run.py finds the module.
"""
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
core_only = False  # only cases with core=True are wanted: prepare() need not build others


class Skip(Exception):
    """The suite or case cannot run on this machine; the text says why."""


@dataclasses.dataclass
class Case:
    """
    One command, run in a fresh directory of its own with an empty TMPDIR and no standard input.

    The preload is put into the environment of ARGV's process.  With script=True it is not: ARGV is a
    script that sets up the surroundings, and starts what is to be traced itself as
    `$RECORD program arg...`; RECORD is `env LD_PRELOAD=... SYNTRACE_DIR=...`, or empty.
    """

    name: str
    argv: list
    timeout: float = 60  # s; of all modes, so generously
    env: dict = dataclasses.field(default_factory=dict)  # on top of a bare environment
    cwd: str | None = None  # instead of the fresh directory
    user: str | None = None  # ... to run as, when run.py runs as root
    script: bool = False
    alone: bool = False  # not beside other cases: it measures time, or owns a port
    parts: bool = False  # the output's lines are `NAME: RESULT`, each judged as a case of its own, and nothing else is
    core: bool = False  # quick and steady: part of `make check`
    compare: tuple = ("status", "stdout", "stderr")  # parts that must be the same
    unordered: bool = False  # several threads or processes write: bytes of the output in any order, also within a line
    scrub: list = dataclasses.field(default_factory=list)  # (regex, replacement), bytes, on top of SCRUB


# Differences between any two runs of the same program.
SCRUB = [
    (rb"0x[0-9a-f]{5,}", b"0xX"),
]


def scrub(data, case, places):
    """DATA without what differs anyway: directories of this run, addresses, what the case names."""
    for place in places:
        data = data.replace(os.fsencode(place), b"SCRATCH")
    for pattern, replacement in SCRUB + case.scrub:
        data = re.sub(pattern, replacement, data)
    return b"".join(sorted(data.splitlines(keepends=True))) if case.unordered else data


def jobs(module):
    """How many cases of the suite MODULE run at a time."""
    return getattr(module, "JOBS", 1) * len(os.sched_getaffinity(0))


def need(*programs):
    """Raises Skip unless all of PROGRAMS are installed."""
    for program in programs:
        if not shutil.which(program):
            raise Skip(f"{program} is not installed")


def source(package, work, version=""):
    """The unpacked Debian source of PACKAGE under WORK; fetched once.  Raises Skip when it cannot be had."""
    work = pathlib.Path(work)
    tree = work / f"{package}-source"
    if not (tree / "debian").is_dir():
        command = ["sh", HERE / "source.sh", package + (f"={version}" if version else ""), tree]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Skip(f"no source package {package}: {done.stderr.strip()[-300:]}")
    return tree
