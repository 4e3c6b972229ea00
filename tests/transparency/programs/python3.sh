#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# python3: threads, asyncio, pools of processes in all three ways, subprocesses, SQLite, signals, crashes.
. "$(dirname "$0")/common.sh"
cat >main.py <<'PY'
import asyncio, concurrent.futures, ctypes, hashlib, mmap, multiprocessing, os, signal, socket, sqlite3, subprocess, sys, threading, time
def square(n): return n * n
def child(q, e, l, v):
    e.wait()
    for i in range(200):
        with l: v.value += 1
    q.put(v.value > 0)
def main():
    if sys.argv[1:]:
        pool = concurrent.futures.ThreadPoolExecutor(8); print(sum(pool.map(square, range(1000)))); sys.stdout.flush()
        if "abort" in sys.argv: os.abort()
        ctypes.string_at(0)
    with concurrent.futures.ThreadPoolExecutor(8) as pool: print(sum(pool.map(lambda n: int(hashlib.sha256(b"x" * n).hexdigest()[:4], 16), range(2000))))
    for how in "fork", "spawn", "forkserver":
        c = multiprocessing.get_context(how)
        with c.Pool(3) as pool: print(how, sum(pool.map(square, range(1000), 10)))
        q, e, l, v = c.Queue(), c.Event(), c.Lock(), c.Value("i", 0, lock=False)
        ps = [c.Process(target=child, args=(q, e, l, v)) for _ in range(3)]
        for p in ps: p.start()
        e.set(); print([q.get() for _ in ps]); [p.join() for p in ps]; print(v.value, [p.exitcode for p in ps])
        p = c.Process(target=time.sleep, args=(100,)); p.start(); p.terminate(); p.join(); print(p.exitcode)
    async def echo(r, w):
        while (d := await r.readline()): w.write(d.upper()); await w.drain()
        w.close()
    async def talk(port, n):
        r, w = await asyncio.open_connection("127.0.0.1", port); w.write(b"hello %d\n" % n); d = await r.readline(); w.close(); await w.wait_closed(); return d
    async def amain():
        s = await asyncio.start_server(echo, "127.0.0.1", 0); port = s.sockets[0].getsockname()[1]
        print(b"".join(sorted(await asyncio.gather(*[talk(port, n) for n in range(50)]))).count(b"HELLO")); s.close()
        p = await asyncio.create_subprocess_shell("cat; exit 6", stdin=-1, stdout=-1); print((await p.communicate(b"x" * 300000))[0].count(b"x"), p.returncode)
        print(await asyncio.to_thread(square, 7)); await asyncio.wait_for(asyncio.sleep(0.01), 10)
        try: await asyncio.wait_for(asyncio.sleep(100), 0.05)
        except asyncio.TimeoutError: print("timeout")
    asyncio.run(amain())
    print(subprocess.run(["sort", "-r"], input=b"a\nb\nc\n", capture_output=True), subprocess.run("exit 3", shell=True).returncode, os.popen("echo popen").read(), os.system("exit 5"))
    try: subprocess.run(["sleep", "100"], timeout=0.1)
    except subprocess.TimeoutExpired: print("expired")
    try: subprocess.run(["/no/such"])
    except FileNotFoundError as e: print(e)
    d = sqlite3.connect("db"); d.execute("create table t(x)"); d.executemany("insert into t values(?)", [(i,) for i in range(1000)]); d.commit(); print(d.execute("select sum(x) from t").fetchall())
    a, b = socket.socketpair(); socket.send_fds(a, [b"fd"], [os.open("db", os.O_RDONLY)]); _, fds, _, _ = socket.recv_fds(b, 10, 1); print(os.read(fds[0], 6)); os.close(fds[0])
    r, w = os.pipe(); pid = os.fork()
    if pid == 0: os.close(r); os.write(w, b"from child"); os._exit(42)
    os.close(w); print(os.read(r, 100), os.read(r, 1), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])); os.close(r)
    hits = []; signal.signal(signal.SIGALRM, lambda *x: hits.append(1)); signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    while len(hits) < 5: signal.pause()
    signal.setitimer(signal.ITIMER_REAL, 0); print("alarms")
    m = mmap.mmap(-1, 4096); pid = os.fork()
    if pid == 0: m[0] = 77; os._exit(0)
    os.waitpid(pid, 0); print(m[0])
    pid, fd = os.forkpty()
    if pid == 0: print(os.isatty(0)); sys.stdout.flush(); os._exit(0)
    got = b""
    try:
        while d := os.read(fd, 100): got += d
    except OSError: print(got)
    os.waitpid(pid, 0); os.close(fd)
    p = os.posix_spawn("/bin/echo", ["echo", "spawned"], os.environ); print(os.waitpid(p, 0)[1]); print(ctypes.CDLL(None).getpid() == os.getpid())
    print(len(os.listdir("/proc/self/fd")), len(threading.enumerate())); print(sorted(k for k in os.environ if not k.startswith(("LD_", "SYNTRACE")) and k not in ("LAUNCHER", "RECORD"))); sys.stdout.flush()
    sys.exit(5)
if __name__ == "__main__": main()
PY
status $RECORD /usr/bin/python3 -u main.py 2>&1
status $RECORD /usr/bin/python3 main.py abort 2>&1 | grep -v ^Aborted
status $RECORD /usr/bin/python3 -X faulthandler main.py segv 2>&1 | grep -vE '^Extension|^  File|^Segmentation'
