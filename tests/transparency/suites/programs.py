# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""Programs as people start them: servers under load, runtimes, compilers, a browser.

A case is a script in programs/; NAME+record is the same behind `syntrace record --`.
"""
import os
import pathlib
import shutil

from suite import HERE, Case, Skip

# name: programs that it needs, and in what it differs from others
PROGRAMS = {
    "redis": (["redis-server", "redis-cli", "redis-benchmark"], {"core": True}),
    "git": (["git"], {"core": True}),
    "compress": (["xz"], {"core": True}),
    "python3": (["/usr/bin/python3"], {"core": True}),
    "memcached": (["memcached"], {}),
    "nginx": (["nginx", "curl", "openssl"], {}),
    "shell": (["bash", "perl"], {}),
    "build": (["make", "gcc"], {}),
    "ssh": (["/usr/sbin/sshd", "ssh", "scp", "sftp"], {}),
    "postgres": (["pgbench", "psql"], {"user": "nobody"}),
    "node": (["node"], {}),
    "java": (["java", "javac"], {"timeout": 300}),
    "ffmpeg": (["ffmpeg"], {"timeout": 200}),
    "chromium": (["chromium"], {"timeout": 300}),
}


def prepare(work):
    pass


def cases(work):
    launcher = pathlib.Path(os.environ.get("top_builddir", ".")).resolve() / "syntrace"
    for name, (needs, more) in PROGRAMS.items():
        if not all(shutil.which(n) for n in needs):
            continue
        argv = ["sh", HERE / "programs" / f"{name}.sh"]
        more = {"timeout": 120, "alone": True, "script": True} | more
        yield Case(name, argv, **more)
        yield Case(name + "+record", argv, **more | {"core": False, "env": {"LAUNCHER": str(launcher)}})
