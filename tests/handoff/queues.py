# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""queues.py queue|executor: work for three threads of Python, with the marks of mark.h."""
import concurrent.futures
import os
import queue
import sys
import tempfile
import threading
import time

NR_ITEMS = 300
marks = tempfile.TemporaryFile()


def mark(length):
    os.pwrite(marks.fileno(), bytes(length), 0)


def work(item):
    mark(2 * item + 2)
    return sum(range(item * 7919 % 5000))


def worker(jobs):
    while (item := jobs.get()) is not None:
        work(item)


def submit_all(submit):
    for item in range(NR_ITEMS):
        mark(2 * item + 1)
        submit(item)
        if item % 16 == 15:
            time.sleep(0.0015)


if sys.argv[1] == "queue":
    jobs = queue.Queue()
    workers = [threading.Thread(target=worker, args=(jobs,)) for _ in range(3)]
    for w in workers:
        w.start()
    submit_all(jobs.put)
    for _ in workers:
        jobs.put(None)
    for w in workers:
        w.join()
else:
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        submit_all(lambda item: pool.submit(work, item))
