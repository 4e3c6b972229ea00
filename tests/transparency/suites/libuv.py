# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
libuv's own tests: an event loop's sockets, pipes, processes, signals, files and threads.

One test of uv_run_tests_a is one case.  The runner starts the test and its helpers as processes of its own image, so
that all of them are traced.  Tests want to be somebody else than root, and fixed ports: one at a time.
"""
import os
import pathlib
import re
import subprocess

import suite
from suite import Case

PACKAGES = ["cmake", "gcc", "dpkg-dev"]
# Not to be run: they send to the outside.
NOT = r"^(tcp_connect_timeout|tcp_close_while_connecting|udp_connect6?|udp_send_hang_loop|getaddrinfo_fail|getaddrinfo_fail_sync)$"
USER = "nobody"


def prepare(work):
    suite.need("cmake", "gcc", "make")
    tree = suite.source("libuv1", work)
    build = pathlib.Path(work) / "build"
    if not (build / "uv_run_tests_a").exists():
        for command in (["cmake", "-S", tree, "-B", build, "-DBUILD_TESTING=ON", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"],
                        ["make", "-C", build, f"-j{os.cpu_count()}", "uv_run_tests_a"]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise suite.Skip(f"libuv does not build: {done.stderr[-300:]}")
    if os.getuid() == 0:  # tests write beside their fixtures
        subprocess.run(["chown", "-R", USER, tree, build], check=True)


def cases(work):
    work = pathlib.Path(work)
    runner = work / "build/uv_run_tests_a"
    core = pathlib.Path(__file__).with_suffix(".core").read_text().split()
    names = re.findall(r"TEST_ENTRY(?:_CUSTOM)?\s*\(\s*(\w+)", (work / "libuv1-source/test/test-list.h").read_text())
    listed = subprocess.run([runner, "--list"], env={"UV_RUN_AS_ROOT": "1"}, capture_output=True, text=True, check=True).stdout.split()
    for name in sorted(set(names) & set(listed)):
        if not re.match(NOT, name):
            yield Case(name, [runner, name], timeout=200, env={"UV_TEST_TIMEOUT_MULTIPLIER": "4"}, cwd=str(work / "libuv1-source"),
                       user=USER, core=name in core, alone=True)
