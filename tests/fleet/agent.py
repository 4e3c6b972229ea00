# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""agent.py DIR: syntrace agent makes windows, keeps them through kills, and rests after failures."""
import glob
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from window import check, failures, load, run, sql

LONG = bool(os.environ.get('SYNTRACE_TEST_LONG'))
BUILD = os.path.abspath(os.environ['top_builddir'])
TOOL = BUILD + '/syntrace'


class Service:
    """A program that is recorded, and paused."""

    def __init__(self, directory, name='t'):
        self.trace = os.path.join(directory, name)
        self.process = subprocess.Popen([TOOL, 'record', '--paused', '-o', self.trace, '--', BUILD + '/tests/fleet/busy'],
                                        stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        wait_for(lambda: glob.glob(self.trace + '/0000.*.dump'), 'a dump in ' + self.trace)
        dump, = glob.glob(self.trace + '/0000.*.dump')
        self.pid = int(dump.split('.')[-2])

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def wait_for(condition, what, seconds=200):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit('no ' + what)
        time.sleep(0.02)


def agent(directory, *arguments, status=0, tool=TOOL):
    done = subprocess.run([tool, 'agent', '--host=web-1', '--traces=' + directory + '/traces',
                           '--spool=' + directory + '/spool', *arguments], capture_output=True, timeout=200)
    check(done.returncode == status, arguments, 'exit status', done.returncode, done.stderr.decode())
    return done.stderr.decode()


def start(directory, *arguments, tool=TOOL):
    return subprocess.Popen([tool, 'agent', '--host=web-1', '--traces=' + directory + '/traces',
                             '--spool=' + directory + '/spool', *arguments], stderr=subprocess.DEVNULL)


def end(process):
    process.kill()
    process.wait()


def slots(directory):
    """The results of the slots in the state of the agent."""
    try:
        with open(directory + '/spool/state') as state:
            return [line.split()[2] for line in state if line.startswith('slot ')]
    except FileNotFoundError:
        return []


def policy(directory, **keys):
    with open(directory + '/policy.new', 'w') as out:
        out.writelines(f'{key} {value}\n' for key, value in {'p_host': 1, 'seed': 3, **keys}.items())
    os.rename(directory + '/policy.new', directory + '/policy')
    return '--policy=' + directory + '/policy'


def header(path):
    with gzip.open(path, 'rt') as lines:
        return json.loads(lines.readline())


def once(directory):
    folder = directory + '/traces/cart'
    os.makedirs(folder)
    service = Service(folder)
    agent(directory, '--once', '--windows=3', '--length=0.05', '--to=' + directory + '/in')
    with open(folder + '/version', 'w') as out:
        out.write('4.2 beta\n')
    agent(directory, '--once', '--windows=1', '--length=0.05', '--to=' + directory + '/in')
    service.end()
    files = glob.glob(directory + '/in/web-1/*.jsonl.gz')
    windows = [header(path) for path in files]
    check(len(files) == 4 and not glob.glob(directory + '/spool/*.gz'), files, os.listdir(directory + '/spool'))
    check({w['service'] for w in windows} == {'cart'} and {w['host'] for w in windows} == {'web-1'}, windows)
    builds = {w['build'] for w in windows}
    check(sorted(w['version'] for w in windows) == sorted(['4.2 beta'] + 3 * list(builds)), windows)
    for w, path in zip(windows, files):
        check(w['id'] == os.path.basename(path)[:32] and w['events'] > 0 and w['p_host'] == w['p_time'] == 1, w)
        check(w['lost'] == 0, w)
    store = directory + '/once.sqlite'
    run('init', '--store=' + store)
    result, _ = load(store, directory + '/in')
    check(result['loaded'] == 4 and not result['rejected'], result)
    row, = sql(store, "SELECT count(*) AS n FROM profile WHERE event = 'wait' AND call = 'pthread_mutex_lock'")
    check(row['n'] > 0, 'no waits', row)
    for wrong in (['--windows=3'], ['--once', '--windows=0'], ['--once', '--policy=x'], ['--host=../x', '--once'], ['--once', '--to=https://x/in']):
        agent(directory, *wrong, status=2)
    agent(directory, '--once', '--traces=' + directory + '/missing', status=4)


def killed(directory):
    """The agent is killed at random; no window is lost behind its slot, none is there twice, and the recorder pauses."""
    folder = directory + '/traces/cart'
    os.makedirs(folder)
    service = Service(folder)
    rng, begin = random.Random(5), time.time()
    arguments = [policy(directory, period=1, budget=1000, length=0.05), '--to=' + directory + '/in']
    for _ in range(30 if LONG else 2):
        process = start(directory, *arguments)
        time.sleep(rng.random() * 1.5)
        end(process)
    process = start(directory, *arguments)
    nr = len(glob.glob(directory + '/in/web-1/*.gz'))
    wait_for(lambda: len(glob.glob(directory + '/in/web-1/*.gz')) >= nr + 3, 'windows')
    second = subprocess.run([TOOL, 'agent', '--traces=' + directory, '--spool=' + directory + '/spool'],
                            capture_output=True, timeout=200)
    check(second.returncode == 4 and b'another agent' in second.stderr, 'two agents use one spool')
    end(process)
    agent(directory, '--once', '--length=0.01', '--to=' + directory + '/in')
    windows = [header(path) for path in glob.glob(directory + '/in/web-1/*.gz')]
    check(len(windows) <= time.time() - begin + 3, len(windows), 'windows in', time.time() - begin, 'slots')
    check(len({w['begin_ns'] for w in windows}) == len(windows), 'a window is there twice')
    check(all(0 < w['p_time'] <= 1 and w['length_ns'] < 10**9 for w in windows[:-1]), windows)
    check(not glob.glob(directory + '/spool/*.gz'), os.listdir(directory + '/spool'))
    # the seconds of an old policy, or of none, are no slots
    os.utime(directory + '/policy', (1, 1))
    nr = len(slots(directory))
    process = start(directory, *arguments)
    time.sleep(2)  # two slots
    check(len(slots(directory)) == nr, 'windows without a policy')
    end(process)
    service.end()


def two_traces(directory):
    """All traces of a service have a window in each slot, of the length that each of them allows."""
    folder = directory + '/traces/cart'
    os.makedirs(folder)
    services = [Service(folder, name) for name in ('t', 'u')]
    process = start(directory, policy(directory, period=2, budget=1000, length=0.02), '--to=' + directory + '/in')
    wait_for(lambda: len(glob.glob(directory + '/in/web-1/*.gz')) >= 4, 'windows of two traces')
    end(process)
    for service in services:
        service.end()
    lengths = sorted(header(path)['length_ns'] for path in glob.glob(directory + '/in/web-1/*.gz'))
    nr_ok = slots(directory).count('ok')
    check(nr_ok >= 3 and nr_ok <= len(lengths) <= nr_ok + 2, nr_ok, lengths)


def failing(directory):
    """Each failure is told, and after two of one version there are no windows."""
    folder = directory + '/traces/cart'
    os.makedirs(folder)
    service = Service(folder)
    process = start(directory, policy(directory, period=1, budget=1e-9))
    wait_for(lambda: 'skipped' in slots(directory), 'rest')
    check(slots(directory)[:3] == ['failed', 'failed', 'skipped'], 'budget', slots(directory))
    end(process)
    # another version is tried again, and a policy stops it
    with open(folder + '/version', 'w') as out:
        out.write('5\n')
    nr = len(slots(directory))
    process = start(directory, policy(directory, period=1, budget=1000))
    wait_for(lambda: 'ok' in slots(directory)[nr:], 'window of another version')
    end(process)
    nr = len(slots(directory))
    process = start(directory, policy(directory, period=1, budget=1000, stop='cart 5'))
    wait_for(lambda: len(slots(directory)) > nr + 1, 'slots')
    check(set(slots(directory)[nr + 1:]) <= {'skipped', 'begun'}, 'stop', slots(directory)[nr:])
    end(process)
    # a decoder that fails
    os.mkdir(directory + '/bin')
    shutil.copy(TOOL, directory + '/bin')
    with open(directory + '/bin/syntrace-decode', 'w') as out:
        out.write('#!/bin/sh\nexit 1\n')
    os.chmod(directory + '/bin/syntrace-decode', 0o755)
    messages = agent(directory, '--once', tool=directory + '/bin/syntrace', status=4)
    check('cannot be decoded' in messages, messages)
    # a program that is killed in its window; on a slow machine it may be before or after it
    for delay_s in (0.2, 0.5, 1, 0.1, 0.3):
        with open(folder + '/version', 'w') as out:
            out.write(f'6 {delay_s}\n')
        nr = len(slots(directory))
        process = start(directory, policy(directory, period=8, budget=1000))
        wait_for(lambda: len(slots(directory)) > nr, 'slot')
        time.sleep(delay_s)
        os.kill(service.pid, signal.SIGKILL)
        wait_for(lambda: slots(directory)[-1] != 'begun', 'end of the slot')
        end(process)
        service.end()
        if slots(directory)[-1] == 'failed':
            return
        service = Service(folder)
    service.end()
    check(False, 'a killed program', slots(directory))


def main():
    for part in (once, killed, two_traces, failing):
        directory = os.path.join(sys.argv[1], part.__name__)
        os.mkdir(directory)
        part(directory)
    sys.exit(bool(failures))


if __name__ == '__main__':
    main()
