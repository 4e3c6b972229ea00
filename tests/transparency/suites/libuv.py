# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
libuv's own tests: an event loop's sockets, pipes, processes, signals, files and threads.

One test of libuv's runner is one case.  The runner starts the test and its helpers as processes of its own image, so that
all of them are traced.  Tests want to be somebody else than root, and have the machine's ports: one at a time.
"""
import os
import pathlib
import re
import subprocess
import zlib

import suite
from suite import Case

PACKAGES = ["gcc", "autoconf", "automake", "libtool", "dpkg-dev"]
JOBS = 4
# Not to be run: they send to the outside.
NOT = r"^(tcp_connect_timeout|tcp_close_while_connecting|udp_connect6?|udp_send_hang_loop|getaddrinfo_fail|getaddrinfo_fail_sync)$"
USER = "nobody"


def keep_apart(tree):
    """Ports and socket names of this build's own, for who tests in another directory at the same time."""
    path = tree / "test/task.h"
    first = 12000 + zlib.crc32(os.fsencode(tree)) % 2000 * 4  # below the ports of free_port in tests/lib.sh
    text = path.read_text().replace('"/tmp/uv-test-sock', '"uv-test-sock')
    for number in range(3):
        text = text.replace(str(9123 + number), str(first + number))
    path.write_text(text)


def prepare(work):
    suite.need("gcc", "make", "autoconf", "automake", "libtoolize")
    work = pathlib.Path(work)
    build = work / "build"
    if (build / "made").exists():
        return
    tree = suite.source("libuv1", work)
    keep_apart(tree)
    build.mkdir(exist_ok=True)
    for command in (["sh", tree / "autogen.sh"], [tree / "configure", "-q", "--disable-shared"],
                    ["make", "-s", f"-j{os.cpu_count()}", "test/run-tests"]):
        done = subprocess.run(command, cwd=build, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise suite.Skip(f"libuv does not build: {done.stderr[-300:]}")
    if os.getuid() == 0:  # tests write beside their fixtures
        subprocess.run(["chown", "-R", USER, tree, build], check=True)
    (build / "made").touch()


def cases(work):
    work = pathlib.Path(work)
    runner = work / "build/test/run-tests"
    core = pathlib.Path(__file__).with_suffix(".core").read_text().split()
    names = re.findall(r"TEST_ENTRY(?:_CUSTOM)?\s*\(\s*(\w+)", (work / "libuv1-source/test/test-list.h").read_text())
    listed = subprocess.run([runner, "--list"], env={"UV_RUN_AS_ROOT": "1"}, capture_output=True, text=True, check=True).stdout.split()
    for name in sorted(set(names) & set(listed)):
        if not re.match(NOT, name):
            yield Case(name, [runner, name], timeout=200, env={"UV_TEST_TIMEOUT_MULTIPLIER": "4"}, cwd=str(work / "libuv1-source"),
                       user=USER, core=name in core, alone=True)
