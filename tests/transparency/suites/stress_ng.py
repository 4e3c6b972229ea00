# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""stress-ng with --verify: a stressor each for the calls that are intercepted, and for what a tracer could disturb."""
from suite import HERE, Case, need

PACKAGES = ["stress-ng"]

# stressor and number of operations, about a second each; 0: stressors that do not count
STRESSORS = """
    aio 200, aiol 100, bad-altstack 20, chroot 20, clone 50, close 2000, context 1000, daemon 20, dekker 5000, dup 100,
    dynlib 50, epoll 200, eventfd 2000, exec 20, exit-group 20, fcntl 500, fifo 2000, flock 2000, fork 100, futex 2000,
    hrtimers 500, io-uring 20, itimer 200, kcmp 50, kill 2000, landlock 20, lease 100, locka 2000, lockf 2000,
    lockofd 2000, longjmp 5000, membarrier 20, mmapfork 1, mq 5000, msg 5000, msync 50, mutex 100000, nanosleep 20, null 1000,
    open 200, peterson 5000, pidfd 50, pipe 20000, pipeherd 0, poll 500, prctl 50, pthread 50, ptrace 200, pty 2,
    resources 2, ring-pipe 200, rlimit 50, seccomp 20, sem 0, sem-sysv 2000, sendfile 200, session 20, set 50, shm 5,
    shm-sysv 5, sigabrt 20, sigchld 200, sigfd 5000, sigfpe 200, sigio 0, signal 5000, signest 200, sigpending 2000,
    sigpipe 100, sigq 2000, sigrt 500, sigsegv 500, sigsuspend 1000, sigtrap 500, sock 20, sockdiag 5, sockfd 200,
    sockmany 20, sockpair 2000, spawn 20, splice 500, stackmmap 5, switch 2000, sysbadaddr 200, tee 500, timer 500,
    timerfd 200, udp 500, unshare 5, vfork 200, vforkmany 0, vm-splice 500, wait 20, waitcpu 50, yield 0, zombie 50
"""
CORE = "clone dup epoll eventfd fork futex mutex pipe pthread sem-sysv signal vfork".split()
# These refuse to run as root.
AS_USER = ["exec", "spawn"]


def prepare(work):
    need("stress-ng")


def cases(work):
    for entry in STRESSORS.split(","):
        name, operations = entry.split()
        yield Case(name, ["sh", HERE / "stress_ng.sh", name, operations], timeout=100, script=True, core=name in CORE,
                   user="nobody" if name in AS_USER else None)
