# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""CPython 3.11's tests of its standard library: what runs threads, processes, sockets, signals and waits."""
import pathlib

from suite import HERE, Case, Skip

PACKAGES = ["libpython3.11-testsuite"]
JOBS = 4

MODULES = """
    asynchat asyncio asyncore atexit concurrent_futures context contextlib_async eintr epoll faulthandler fcntl fork1 httplib
    interpreters ioctl kqueue logging mmap multiprocessing_fork multiprocessing_forkserver multiprocessing_main_handling
    multiprocessing_spawn openpty os pipes poll popen posix pty queue resource sched select selectors shutil signal
    socket socketserver sqlite3 ssl subprocess sys tempfile thread threadedtempfile threading threading_local threadsignals time
    wait3 wait4 weakref xmlrpc
"""
# subprocess takes longer than all of these together
CORE = "fcntl posix pty select thread".split()
# VSOCK streams wait for ever in some virtual machines.
LEFT_OUT = {"socket": ["-i", "*VSOCK*"]}


def prepare(work):
    for need in "/usr/bin/python3.11", "/usr/lib/python3.11/test/test_fork1.py":
        if not pathlib.Path(need).exists():
            raise Skip(f"there is no {need}")


def cases(work):
    for name in MODULES.split():
        module = f"test_{name}"
        yield Case(name, ["/usr/bin/python3.11", HERE / "cpython_module.py", *LEFT_OUT.get(name, []), module], timeout=600,
                   script=True, parts=True, core=name in CORE)
