# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""Programs as people start them: servers under load, runtimes, compilers, a browser.

A case is a script in programs/; NAME+record is the same behind `syntrace record --`.
"""
import os
import pathlib
import shutil
import sys

from suite import HERE, Case

# name: the programs that it needs, and how it differs from others
PROGRAMS = {
    "redis": (["redis-server", "redis-cli", "redis-benchmark"], {"core": True}),
    "git": (["git"], {}),
    "compress": (["xz"], {"core": True}),
    "python3": (["/usr/bin/python3"], {"core": True}),
    "memcached": (["memcached"], {}),
    "nginx": (["nginx", "curl", "openssl"], {}),
    "shell": (["bash", "perl"], {}),
    "build": (["make", "gcc"], {}),
    "ssh": (["/usr/sbin/sshd", "ssh", "scp", "sftp"], {"timeout": 300}),
    "postgres": (["pgbench", "psql"], {"user": "nobody"}),
    "node": (["node"], {}),
    "java": (["java", "javac"], {"timeout": 300}),
    "ffmpeg": (["ffmpeg"], {"timeout": 200}),
    "chromium": (["chromium"], {"timeout": 300}),
    # With its sandboxes: user namespaces, chroot, seccomp.
    "chromium+sandbox": (["chromium"], {"timeout": 300, "user": "nobody", "env": {"CHROMIUM_SANDBOX": ""}}),
}


def prepare(work):
    pass


def cases(work):
    launcher = pathlib.Path(os.environ.get("top_builddir", ".")).resolve() / "syntrace"
    ways = [("", {})]
    if launcher.is_file():
        ways.append(("+record", {"LAUNCHER": str(launcher)}))
    else:
        print(f"programs: no {launcher} (top_builddir names the build directory): none of them is run by it", file=sys.stderr)
    for suffix, launch in ways:
        for name, (needs, more) in PROGRAMS.items():
            if all(shutil.which(n) for n in needs):
                argv = ["sh", HERE / "programs" / f"{name.partition('+')[0]}.sh"]
                more = {"timeout": 120, "alone": True, "script": True} | more
                more["env"] = more.get("env", {}) | launch
                more["core"] = more.get("core", False) and not launch
                yield Case(name + suffix, argv, **more)
