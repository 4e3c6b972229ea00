# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
app.py [ADDRESS:]PORT [ADDRESS:]REDIS: HTTP pages from redis. A queue hands the connections to four threads, which share two connections to redis.

Appends a line to pages.tsv for each request: its id, page, kind, number of commands, their bytes, bytes of the answers, -.
The header X-Fault makes one request do more work than others of its page.
"""
import concurrent.futures
import functools
import http.server
import queue
import signal
import socket
import sys
import threading
import time
import urllib.parse


class Redis:
    """A connection that counts its bytes."""

    def __init__(self, address):
        self.peer = socket.create_connection(address)
        self.file = self.peer.makefile('rb')
        self.nr = self.asked = self.told = 0

    def ask(self, *commands):
        """Sends all commands at once. Returns their answers."""
        text = ''.join(f'*{len(c)}\r\n' + ''.join(f'${len(str(w))}\r\n{w}\r\n' for w in c) for c in commands).encode()
        self.peer.sendall(text)
        self.nr += len(commands)
        self.asked += len(text)
        return [self.read() for _ in commands]

    def read(self):
        line = self.file.readline()
        self.told += len(line)
        length = int(line[1:]) if line[:1] == b'$' else -1
        if length < 0:
            return None if line[:1] == b'$' else line
        self.told += length + 2
        return self.file.read(length + 2)[:-2]


def page(name, redis, key, nr, size):
    """Returns the kind and the text of a page."""
    if name == 'plain':
        return 'plain', b'no redis'
    if name == 'get':
        value, = redis.ask(('GET', f'key:{key}'))
        return ('hit', value) if value is not None else ('miss', b'')
    if name == 'set':
        redis.ask(('SET', f'key:{key}', 'x' * size))
        return 'set', redis.ask(('INCR', 'sets'))[0]
    if name == 'many':
        return 'many', b''.join(redis.ask(('GET', f'key:{key + n}'))[0] or b'-' for n in range(nr))
    return 'pipeline', b''.join(a or b'-' for a in redis.ask(*(('GET', f'key:{key + n}') for n in range(nr))))


# ---- faults ----

def reload_prices(_):
    with open('app.py', 'rb') as file:
        file.read()


def back_off(_):
    time.sleep(.03)


@functools.lru_cache(maxsize=1)
def check_stock(redis, _):
    return redis.ask(('EXISTS', 'stock'))


def recompute(_):
    end = time.thread_time() + .025
    while time.thread_time() < end:
        sum(range(1000))


FAULTS = {
    'read': reload_prices,
    'sleep': back_off,
    'query': lambda redis: check_stock(redis, time.time()),
    'again': lambda redis: redis.ask(('EXISTS', 'stock')),
    'spin': recompute,
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        url = urllib.parse.urlparse(self.path)
        arguments = {k: int(v) for k, v in urllib.parse.parse_qsl(url.query)}
        name = url.path.strip('/')
        fault = FAULTS.get(self.headers['X-Fault'].strip())
        redis = None if name == 'plain' else self.server.free.get()
        before = (redis.nr, redis.asked, redis.told) if redis else (0, 0, 0)
        if fault:
            fault(redis)
        kind, text = page(name, redis, arguments['k'], arguments['n'], arguments['size'])
        after = (redis.nr, redis.asked, redis.told) if redis else (0, 0, 0)
        if redis:
            self.server.free.put(redis)
        amounts = '\t'.join(str(a - b) for a, b in zip(after, before))
        self.server.log.write(f"{self.headers['X-Request']}\t{name}\t{kind}\t{amounts}\t-\n")
        self.send_response(200)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class Server(http.server.HTTPServer):
    def __init__(self, address, redis):
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.log = open('pages.tsv', 'w', buffering=1, encoding='utf-8')
        self.free = queue.Queue()
        for _ in range(2):
            self.free.put(Redis(redis))
        first = self.free.get()
        first.ask(*(('SET', f'key:{n}', 'x' * (n * 37 % 1000)) for n in range(100)))
        self.free.put(first)
        super().__init__(address, Handler)

    def process_request(self, request, client_address):
        self.pool.submit(self.serve, request, client_address)

    def serve(self, request, client_address):
        try:
            self.finish_request(request, client_address)
        except Exception:  # pylint: disable=broad-except
            self.handle_error(request, client_address)
        finally:
            self.shutdown_request(request)


def address_of(text):
    address, _, port = text.rpartition(':')
    return address or '127.0.0.1', int(port)


if __name__ == '__main__':
    server = Server(address_of(sys.argv[1]), address_of(sys.argv[2]))
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    server.serve_forever()
    server.pool.shutdown()
