# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""Threads over a queue, then processes over a queue, a pipe and a pool; prints sums that never vary."""
import multiprocessing
import queue
import threading

NR_JOBS = 200


def thread_worker(jobs, results):
    while (job := jobs.get()) is not None:
        results.put(job * job)


def process_worker(jobs, results):
    for job in iter(jobs.get, None):
        results.put(job + 1)


def echo(pipe):
    while (message := pipe.recv()) != "end":
        pipe.send(message[::-1])
    pipe.close()


def threads():
    jobs, results = queue.Queue(maxsize=8), queue.Queue()
    workers = [threading.Thread(target=thread_worker, args=(jobs, results)) for _ in range(4)]
    for w in workers:
        w.start()
    for job in range(NR_JOBS):
        jobs.put(job)
    for _ in workers:
        jobs.put(None)
    for w in workers:
        w.join()
    return sum(results.get() for _ in range(NR_JOBS))


def processes(context):
    jobs, results = context.Queue(), context.Queue()
    workers = [context.Process(target=process_worker, args=(jobs, results)) for _ in range(2)]
    for w in workers:
        w.start()
    for job in range(NR_JOBS):
        jobs.put(job)
    for _ in workers:
        jobs.put(None)
    total = sum(results.get() for _ in range(NR_JOBS))
    for w in workers:
        w.join()
    return total


def pipes(context):
    mine, yours = context.Pipe()
    worker = context.Process(target=echo, args=(yours,))
    worker.start()
    yours.close()
    said = []
    for n in range(50):
        mine.send(f"message {n}")
        said.append(mine.recv())
    mine.send("end")
    worker.join()
    return len("".join(said)), said[-1]


if __name__ == "__main__":
    fork = multiprocessing.get_context("fork")
    print("threads", threads())
    print("processes", processes(fork))
    print("pipe", *pipes(fork))
    with fork.Pool(2) as pool:
        print("pool", sum(pool.map(abs, range(-100, 0))))
