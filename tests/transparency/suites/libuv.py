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
import shutil
import subprocess
import zlib

import suite
from suite import Case

PACKAGES = ["gcc", "libc6-dev", "dpkg-dev"]
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


def core():
    return pathlib.Path(__file__).with_suffix(".core").read_text().split()


def sources(tree):
    """The sources of the library and of its tests, as Makefile.am names them for Linux."""
    found, conditions = [], []
    for line in (tree / "Makefile.am").read_text().replace("\\\n", " ").splitlines():
        words = line.split()
        if words[:1] == ["if"]:
            conditions.append(words[1] == "LINUX")
        elif words[:1] == ["else"]:
            conditions[-1] = not conditions[-1]
        elif words[:1] == ["endif"]:
            conditions.pop()
        elif words[:1] in (["libuv_la_SOURCES"], ["test_run_tests_SOURCES"]) and all(conditions):
            found += [word for word in words[2:] if word.endswith(".c")]
    return found


def narrow(tree, names):
    """The headers and sources of the tests NAMES alone: the text of test-list.h, and the sources of sources(TREE)."""
    listed = re.sub(r"^ *TEST_(?:ENTRY|ENTRY_CUSTOM|HELPER)\s*\(\s*(\w+).*\n",
                    lambda entry: entry[0] if entry[1] in names else "", (tree / "test/test-list.h").read_text(), flags=re.M)
    wanted = {*names, *re.findall(r"^ *TEST_HELPER\s*\(\s*\w+,\s*(\w+)", listed, re.M),
              *re.findall(r"\w+", (tree / "test/run-tests.c").read_text())}

    def is_wanted(name):
        return not name.startswith("test/test-") or wanted & set(
            re.findall(r"^(?:(?:TEST|HELPER)_IMPL\(|int |void )(\w+)", (tree / name).read_text(), re.M))

    return listed, [name for name in sources(tree) if is_wanted(name)]


def prepare(work):
    """Compiles without libuv's makefiles: configure starts thousands of processes. The core compiles only its tests."""
    suite.need("gcc", "ar")
    work = pathlib.Path(work)
    build = work / ("core" if suite.core_only else "build")
    if (build / "made").exists():
        return
    tree = suite.source("libuv1", work)
    keep_apart(tree)
    shutil.rmtree(build, ignore_errors=True)
    (build / "test").mkdir(parents=True)
    listed, names = narrow(tree, core()) if suite.core_only else ((tree / "test/test-list.h").read_text(), sources(tree))
    for path in (tree / "test").glob("*.h"):
        (build / "test" / path.name).write_text(listed if path.name == "test-list.h" else path.read_text())
    (build / "test/run-tests.c").write_text((tree / "test/run-tests.c").read_text())
    paths = [build / name if name == "test/run-tests.c" else tree / name for name in names]
    compiler = ["gcc", "-w", "-pthread", "-D_GNU_SOURCE", f"-I{build}/test", f"-I{tree}/include", f"-I{tree}/src"]
    processes = os.cpu_count()
    jobs = [subprocess.Popen([*compiler, "-c", *paths[i::processes]], cwd=build, stderr=subprocess.PIPE, text=True)
            for i in range(processes)]
    errors = [job.communicate()[1] for job in jobs]
    if not any(job.returncode for job in jobs):
        # Some tests include sources of the library. The linker takes from an archive only what the tests do not define.
        objects = {part: [path.with_suffix(".o").name for path, name in zip(paths, names) if name.startswith(part)]
                   for part in ("src/", "test/")}
        for command in (["ar", "rcs", "libuv.a", *objects["src/"]],
                        ["gcc", "-pthread", *objects["test/"], "libuv.a", "-o", "test/run-tests", "-ldl"]):
            jobs = [subprocess.run(command, cwd=build, capture_output=True, text=True, check=False)]
            errors = [jobs[0].stderr]
            if jobs[0].returncode:
                break
    if any(job.returncode for job in jobs):
        raise suite.Skip(f"libuv does not build: {''.join(errors)[-300:]}")
    if os.getuid() == 0:  # tests write beside their fixtures
        subprocess.run(["chown", "-R", USER, tree, build], check=True)
    (build / "made").touch()


def cases(work):
    work = pathlib.Path(work)
    runner = work / ("core" if suite.core_only else "build") / "test/run-tests"
    mine = core()
    names = re.findall(r"TEST_ENTRY(?:_CUSTOM)?\s*\(\s*(\w+)", (work / "libuv1-source/test/test-list.h").read_text())
    listed = subprocess.run([runner, "--list"], env={"UV_RUN_AS_ROOT": "1"}, capture_output=True, text=True, check=True).stdout.split()
    for name in sorted(set(names) & set(listed)):
        if not re.match(NOT, name):
            yield Case(name, [runner, name], timeout=200, env={"UV_TEST_TIMEOUT_MULTIPLIER": "4"}, cwd=str(work / "libuv1-source"),
                       user=USER, core=name in mine, alone=True)
