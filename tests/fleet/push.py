# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""push.py DIR: syntrace-fleet push keeps a window until it is loaded, and a host writes to its own folder only."""
import http.server
import os
import subprocess
import sys
import threading
import time

from server import Center, need
from window import FLEET, check, failures, load, put, run, sql, window_lines


def spool_of(directory, host, numbers):
    """A spool with windows, as the agent makes it."""
    spool = f'{directory}/{host}'
    for number in numbers:
        lines = window_lines(host, number, [('wait', ['main', 'serve'], 10 + number)])
        put(spool, lines, folder='.')
    with open(spool + '/state', 'w') as out:
        out.write('dropped 0\n')
    return spool


def windows(directory):
    return sorted(name for name in os.listdir(directory) if name.endswith('.gz')) if os.path.isdir(directory) else []


def normal(directory):
    center, store = Center(directory + '/center', ['web-1', 'web-2']), directory + '/store.sqlite'
    spool = spool_of(directory, 'web-1', range(3))
    names = windows(spool)
    options = center.push_options(spool, 'web-1')
    uploads = center.root + '/in/web-1'
    run(*options, '--once', status=4)
    check(windows(spool) == names, 'without a server', os.listdir(spool))
    center.start()
    # no policy, no list yet
    run(*options, '--once')
    check(windows(uploads) == names and windows(spool) == names, os.listdir(uploads), os.listdir(spool))
    check(os.path.exists(uploads + '/state') and not os.path.exists(spool + '/policy'), os.listdir(spool))
    # a window that the server has lost is uploaded again
    os.unlink(uploads + '/' + names[0])
    run(*options, '--once')
    check(windows(uploads) == names, os.listdir(uploads))
    # the same folder, but another host's certificate, or none, or a server that nobody knows
    stranger = spool_of(directory, 'stranger', [7])
    _, messages = run(*center.push_options(stranger, 'web-1', 'web-2'), '--once', status=4)
    check('403' in messages, messages)
    for without in ('--cert', '--cacert'):
        few = [option for option in center.push_options(stranger, 'web-1') if not option.startswith(without)]
        run(*[option for option in few if without != '--cert' or not option.startswith('--key')], '--once', status=4)
    check(windows(uploads) == names and len(windows(stranger)) == 1, os.listdir(uploads))
    for host in ('..', '.', 'web-1/..', 'web-1/../web-2', '%2e%2e'):
        run(*center.push_options(stranger, host, 'web-1'), '--once', status=4)
    check(os.listdir(center.root + '/in') == ['web-1'], os.listdir(center.root + '/in'))
    # loaded windows leave the spool; the policy is renewed
    with open(center.root + '/policy', 'w') as out:
        out.write('p_host 0.5\n')
    run('init', '--store=' + store)
    result, _ = load(store, center.root + '/in')
    check(result['loaded'] == 3 and not result['rejected'], result)
    spool_of(directory, 'web-1', [3])
    run(*options, '--once')
    left = windows(spool)
    check(len(left) == 1 and left == windows(uploads) and left[0] not in names, left)
    check(open(spool + '/policy').read() == 'p_host 0.5\n', 'policy')
    os.utime(spool + '/policy', (1, 1))
    result, _ = load(store, center.root + '/in')
    run(*options, '--once')
    check(not windows(spool) and os.stat(spool + '/policy').st_mtime > 1, os.listdir(spool))
    # without --once: tries until there is a server
    center.kill()
    spool_of(directory, 'web-1', [4])
    process = subprocess.Popen([FLEET, *options, '--every=0.5'], stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    center.start()
    end = time.monotonic() + 100
    while windows(spool) and time.monotonic() < end:
        time.sleep(0.1)
        load(store, center.root + '/in')
    check(process.poll() is None and not windows(spool), 'after the start of the server', os.listdir(spool))
    process.kill()
    process.wait()
    center.kill()
    row, = sql(store, 'SELECT sum(ns) AS ns, count(*) AS n FROM facts')
    check(row['ns'] == 10 + 11 + 12 + 13 + 14 and row['n'] == 5, row)
    for wrong in (['push'], ['push', '--spool=x'], ['push', '--spool=x', '--to=y', '--every=0']):
        run(*wrong, status=2)
    run('push', '--once', '--spool=' + directory + '/missing', '--to=http://127.0.0.1:1/in', status=4)
    run('push', '--once', '--spool=' + spool, '--to=file:///tmp/in', status=4)


def token(directory):
    """The token is in each request; an answer that is too large is refused."""
    tokens, spool = [], spool_of(directory, 'web-3', [1])

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            tokens.append(self.headers['Authorization'])
            self.send_response(200)
            self.end_headers()
            try:
                self.wfile.write(b'x' * (8 << 20) if is_large else b'')
            except OSError:
                pass

        def do_PUT(self):
            tokens.append(self.headers['Authorization'])
            self.rfile.read(int(self.headers['Content-Length']))
            self.send_response(201)
            self.end_headers()

        def log_message(self, *_):
            pass

    is_large = False
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with open(directory + '/token', 'w') as out:
        out.write('secret\n')
    options = ['push', '--once', '--spool=' + spool, '--host=web-3', f'--to=http://127.0.0.1:{server.server_port}/in']
    run(*options, '--token-file=' + directory + '/token')
    check(tokens == ['Bearer secret'] * 4, tokens)
    run(*options, '--token-file=' + directory + '/missing', status=4)
    is_large = True
    run(*options, status=4)
    check(not os.path.exists(spool + '/policy'), os.listdir(spool))
    server.shutdown()


def main():
    need()
    done = subprocess.run([FLEET, 'push', '--once', '--spool=/', '--to=http://127.0.0.1:1/in'], capture_output=True)
    if b'needs libcurl' in done.stderr:
        print('skipped: built without libcurl')
        sys.exit(77)
    for part in (normal, token):
        part(sys.argv[1])
    sys.exit(bool(failures))


if __name__ == '__main__':
    main()
