# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""full.py DIR: nothing is lost on full disks, and by a server that refuses uploads for a while."""
import errno
import http.server
import os
import subprocess
import sys
import threading
import time

from push import spool_of, windows
from server import Center, need
from window import FLEET, check, failures, load, run, sql


class Disk:
    """A small file system. It is full until it is freed."""

    def __init__(self, path, kib=256):
        os.makedirs(path, exist_ok=True)
        subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={kib}k', 'tmpfs', path], check=True)
        self.path, self.filler = path, path + '/.filler'

    def fill(self):
        with open(self.filler, 'wb', buffering=0) as out:
            for size in (65536, 4096, 512, 1):
                try:
                    while out.write(b'x' * size) == size:
                        pass
                except OSError as error:
                    check(error.errno == errno.ENOSPC, error)

    def free(self):
        os.unlink(self.filler)


def expect_sums(store, directory, numbers):
    """Loads the uploads, if there are any, and compares the store with the windows NUMBERS of one host."""
    load(store, directory)
    row, = sql(store, 'SELECT coalesce(sum(ns), 0) AS ns, count(*) AS n FROM facts')
    check(row['ns'] == sum(10 + n for n in numbers) and row['n'] == len(numbers), row, numbers)
    run('check', '--store=' + store)


def full_spool(directory, center, store):
    """The spool becomes empty although its disk is full: only the policy finds no room."""
    disk = Disk(directory + '/spool')
    spool = spool_of(disk.path, 'web-1', range(3))
    options = center.push_options(spool, 'web-1')
    disk.fill()
    _, messages = run(*options, '--once', status=4)
    check('policy' in messages and len(windows(center.root + '/in/web-1')) == 3, messages)
    expect_sums(store, center.root + '/in', range(3))
    run(*options, '--once', status=4)
    check(not windows(spool), os.listdir(spool))
    disk.free()
    run(*options, '--once')
    check(open(spool + '/policy').read() == 'p_host 1\n', os.listdir(spool))


def full_server(directory, center, store):
    """The web server answers 500 and keeps no part of a file."""
    disk = Disk(center.root)
    for name in ('in', 'loaded', 'temporary'):
        os.mkdir(f'{center.root}/{name}')
    spool = spool_of(directory, 'web-2', range(3, 6))
    options = center.push_options(spool, 'web-2')
    center.start()
    disk.fill()
    for _ in range(2):
        _, messages = run(*options, '--once', status=4)
        check('50' in messages and len(windows(spool)) == 3, messages, os.listdir(spool))
    expect_sums(store, center.root + '/in', range(3))
    disk.free()
    run(*options, '--once')
    expect_sums(store, center.root + '/in', range(6))
    run(*options, '--once')
    check(not windows(spool), os.listdir(spool))
    center.kill()


def full_store(directory):
    """The loader keeps the files that it cannot load, and loads each of them once."""
    disk = Disk(directory + '/store', 1024)
    incoming, store = directory + '/incoming', disk.path + '/fleet.sqlite'
    os.mkdir(incoming)
    run('init', '--store=' + store)
    spool_of(incoming, 'web-3', range(1))
    expect_sums(store, incoming, range(1))
    spool_of(incoming, 'web-3', range(1, 9))
    for nr in range(3):
        disk.fill()
        run('load', '--store=' + store, '--once', '--in=' + incoming, f'--loaded={disk.path}/loaded', status=4)
        disk.free()
        if nr == 1:  # a reader in between
            run('check', '--store=' + store)
    run('load', '--store=' + store, '--once', '--in=' + incoming, f'--loaded={disk.path}/loaded')
    expect_sums(store, incoming, range(9))
    check(not windows(incoming + '/web-3'), os.listdir(incoming + '/web-3'))
    with open(disk.path + '/loaded/web-3') as ids:
        check({line.strip() for line in ids} >= {os.path.basename(name)[:32] for name in windows(incoming + '/web-3')}, 'ids')


def refusing(directory):
    """After 429 or 503, push makes no other upload in this round, and tries again later."""
    answers, puts, rounds = [429, 503, 429, 201, 503], [], []
    spool = spool_of(directory, 'web-4', range(4))

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path.endswith('/policy'):
                rounds.append(len(puts))
            self.send_error(404)

        def do_PUT(self):
            self.rfile.read(int(self.headers['Content-Length']))
            status = answers.pop(0) if answers else 201
            puts.append((os.path.basename(self.path), status))
            self.send_response(status)
            self.send_header('Retry-After', '1')
            self.send_header('Content-Length', '0')
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    process = subprocess.Popen([FLEET, 'push', '--spool=' + spool, '--host=web-4', '--every=0.2',
                                f'--to=http://127.0.0.1:{server.server_port}/in'], stderr=subprocess.DEVNULL)
    end = time.monotonic() + 100
    while sum(status == 201 for _, status in puts) < 5 and time.monotonic() < end:
        time.sleep(0.05)
    process.kill()
    process.wait()
    server.shutdown()
    done = [name for name, status in puts if status == 201]
    # four windows and the state, each once: a window stays in the spool until its id is in the list
    check(sorted(done) == sorted([*windows(spool), 'state']) and len(windows(spool)) == 4, puts)
    for at, (_, status) in enumerate(puts[:-1]):
        check(status == 201 or at + 1 in rounds, 'another upload in the same round', puts, rounds)


def main():
    need()
    directory = sys.argv[1]
    center, store = Center(directory + '/center', ['web-1', 'web-2']), directory + '/store.sqlite'
    run('init', '--store=' + store)
    with open(center.root + '/policy', 'w') as out:
        out.write('p_host 1\n')
    center.start()
    full_spool(directory, center, store)
    center.kill()
    full_server(directory, center, store)
    full_store(directory)
    refusing(directory)
    sys.exit(bool(failures))


main()
