# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""Makes window files, and runs syntrace-fleet."""
import gzip
import hashlib
import json
import os
import subprocess

FLEET = os.path.join(os.environ.get('top_builddir', '.'), 'syntrace-fleet')
DAY = 86400 * 10**9
BEGIN = 20000 * DAY


def window_lines(host, number, facts, service='cart', version='4.2', wall_ns=10**9, p_host=1.0, p_time=1.0,
                 begin_ns=BEGIN, lost=0):
    """The lines of a window. FACTS: (event, path, ns), the path as a list of functions, outermost first."""
    ident = hashlib.md5(f'{host} {number}'.encode()).hexdigest()
    lines = [{'v': 1, 'type': 'window', 'id': ident, 'host': host, 'boot': '00' * 16, 'service': service,
              'version': version, 'exe': '/bin/' + service, 'build': 'ab' * 20, 'begin_ns': begin_ns,
              'length_ns': 10**9, 'wall_ns': wall_ns, 'events': 10, 'lost': lost, 'p_host': p_host, 'p_time': p_time,
              'coverage': {'open': 0, 'unseen': 0, 'paused': 0}},
             {'type': 'module', 'module': 1, 'build': 'ab' * 20, 'path': '/bin/' + service}]
    stacks, locks = {}, {}
    for event, path, ns in facts:
        if tuple(path) not in stacks:
            stacks[tuple(path)] = len(stacks) + 1
            lines.append({'type': 'stack', 'stack': len(stacks), 'frames': path[::-1]})
            locks[tuple(path)] = len(locks) + 1
            lines.append({'type': 'lock', 'lock': len(locks), 'kind': 'mutex', 'name': 'of ' + path[-1]})
        fact = {'type': 'fact', 'event': event, 'what': 'lock', 'call': 'pthread_mutex_lock',
                'lock': locks[tuple(path)], 'stack': stacks[tuple(path)], 'n': 1, 'ns': ns, 'max_ns': ns}
        if event == 'wait':
            fact.update({'class': 'harmful', 'reason': 'locked', 'charged': 'held', 'culprit': stacks[tuple(path)]})
        lines.append(fact)
    lines.append({'type': 'end', 'lines': len(lines) + 1})
    return lines


def text_of(lines):
    return ''.join(json.dumps(line) + '\n' for line in lines).encode()


def put(directory, lines, name=None, folder=None, data=None):
    """Writes a window file; an atomic rename, like an upload."""
    folder = os.path.join(directory, folder or lines[0]['host'])
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name or lines[0]['id'] + '.jsonl.gz')
    temporary = os.path.join(folder, '.new')
    with open(temporary, 'wb') as out:
        out.write(gzip.compress(text_of(lines), 1) if data is None else data)
    os.rename(temporary, path)
    return path


def run(*arguments, status=0):
    """Runs syntrace-fleet. Returns its output and its messages. STATUS: the expected one; None: any but a crash."""
    done = subprocess.run([FLEET, *arguments], capture_output=True, timeout=120)
    if done.returncode < 0 if status is None else done.returncode != status:
        raise SystemExit(f'{arguments}: exit status {done.returncode}: {done.stderr.decode(errors="replace")}')
    return done.stdout.decode(), done.stderr.decode(errors='replace')


def load(store, directory):
    out, messages = run('load', '--store=' + store, '--once', '--in=' + directory)
    return json.loads(out.splitlines()[-1]), messages


def sql(store, text):
    out, _ = run('sql', '--store=' + store, '--format=jsonl', text)
    return [json.loads(line) for line in out.splitlines()]


def query(store, *arguments):
    out, _ = run('query', '--store=' + store, '--format=jsonl', *arguments)
    return [json.loads(line) for line in out.splitlines()]


failures = []


def check(condition, *what):
    """Prints the first 20 failures."""
    if not condition:
        failures.append(what)
        if len(failures) <= 20:
            print('FAILED:', *what)
