# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""chain.py DIR: the whole way from a program to the store, with each process killed at random."""
import glob
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import time

from agent import BUILD, TOOL, Service, header, wait_for
from server import Center, need
from window import FLEET, check, failures, run, sql

LONG = bool(os.environ.get('SYNTRACE_TEST_LONG'))

# The decoder of this test also links each window file into a directory before the agent knows it.
DECODER = '''#!/bin/sh
"{decode}" "$@" || exit $?
for argument; do
	case $argument in --output=*) output=${{argument#--output=}} ;; esac
done
id=$(gzip -dc "$output" | head -n 1 | sed 's/.*"id":"\\([0-9a-f]*\\)".*/\\1/')
ln "$output" "{made}/$id.jsonl.gz"
'''


class Chain:
    """The four processes. start() and kill() take one of their names."""

    def __init__(self, directory):
        self.directory, self.spool, self.made = directory, directory + '/spool', directory + '/made'
        self.store = directory + '/store.sqlite'
        for path in (self.made, directory + '/bin', directory + '/traces/cart', self.spool):
            os.makedirs(path)
        shutil.copy(TOOL, directory + '/bin')
        with open(directory + '/bin/syntrace-decode', 'w') as out:
            out.write(DECODER.format(decode=BUILD + '/syntrace-decode', made=self.made))
        os.chmod(directory + '/bin/syntrace-decode', 0o755)
        self.center = Center(directory + '/center', ['web-1'])
        with open(self.center.root + '/policy', 'w') as out:
            out.write('p_host 1\nperiod 1\nlength 0.05\nbudget 1000\nseed 1\n')
        run('init', '--store=' + self.store)
        self.processes, self.nr_killed = {}, {}

    def start(self, name, *more):
        if name == 'nginx':
            self.center.start()
            self.processes[name] = self.center.process
            return
        arguments = {
            'agent': [self.directory + '/bin/syntrace', 'agent', '--host=web-1', '--traces=' + self.directory + '/traces',
                      '--spool=' + self.spool],
            'push': [FLEET, *self.center.push_options(self.spool, 'web-1'), '--every=0.2'],
            'load': [FLEET, 'load', '--store=' + self.store, '--in=' + self.center.root + '/in', '--every=0.2'],
        }[name]
        self.processes[name] = subprocess.Popen([*arguments, *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self, name):
        check(self.processes[name].poll() is None, name, 'has ended itself')
        self.processes[name].kill()
        self.processes[name].wait()
        self.nr_killed[name] = self.nr_killed.get(name, 0) + 1

    def in_spool(self):
        return {os.path.basename(path)[:32] for path in glob.glob(self.spool + '/*.gz')}

    def state(self, key):
        with open(self.spool + '/state') as state:
            return next(int(line.split()[1]) for line in state if line.startswith(key + ' '))

    def loaded(self):
        return {row['id']: row for row in sql(self.store, '''SELECT id, events, wall_ns, count(n) AS facts, coalesce(sum(n), 0) AS n,
            coalesce(sum(ns), 0) AS ns FROM windows LEFT JOIN facts USING (w) GROUP BY w''')}


def sums(path):
    with gzip.open(path, 'rt') as lines:
        lines = [json.loads(line) for line in lines]
    facts = [line for line in lines if line['type'] == 'fact']
    return lines[0]['events'], lines[0]['wall_ns'], sum(f['n'] for f in facts), sum(f['ns'] for f in facts)


def killed(chain, rng):
    """Kills and starts again, until each process was killed often enough and the store has windows."""
    nr = 30 if LONG else 2
    for name in ('nginx', 'push', 'agent', 'load'):
        chain.start(name)
    wait_for(lambda: chain.loaded(), 'window in the store')
    kills = [name for name in ('nginx', 'push', 'agent', 'load') for _ in range(nr)]
    rng.shuffle(kills)
    for name in kills:
        time.sleep(rng.random() * 0.6)
        chain.kill(name)
        chain.start(name)
    # all windows that the agent finished arrive
    before = len(chain.loaded())
    wait_for(lambda: len(chain.loaded()) > before + 1, 'more windows in the store')
    chain.kill('agent')
    wait_for(lambda: not chain.in_spool(), 'empty spool')
    for name in ('push', 'load', 'nginx'):
        chain.kill(name)
    loaded = chain.loaded()
    made = {os.path.basename(path)[:32]: sums(path) for path in glob.glob(chain.made + '/*.gz')}
    check(set(loaded) <= set(made), 'windows that the agent never made')
    lost = set(made) - set(loaded)
    check(len(lost) <= chain.nr_killed['agent'] and chain.state('dropped') == 0, len(lost), 'windows are lost')
    for ident, row in loaded.items():
        check((row['events'], row['wall_ns'], row['n'], row['ns']) == made[ident], row, made[ident])
    total, = sql(chain.store, 'SELECT count(*) AS n, sum(ns) AS ns FROM facts')
    check(total['ns'] == sum(made[ident][3] for ident in loaded) and total['n'] > 0, total)
    run('check', '--store=' + chain.store)
    check(not glob.glob(chain.center.root + '/in/.rejected/*'), 'rejected files')
    print(f'{len(loaded)} windows, {total["n"]} facts, {total["ns"]} ns; kills: {chain.nr_killed}; unfinished: {len(lost)}')


def dropped(chain, rng):
    """Without a server, the spool stays small, and each window is in it, or counted as dropped, or unfinished at a kill."""
    before, chain.nr_killed = {os.path.basename(path)[:32] for path in glob.glob(chain.made + '/*.gz')}, {}
    os.utime(chain.spool + '/policy')
    small = 3 * max(os.path.getsize(path) for path in glob.glob(chain.made + '/*.gz'))
    wanted = 30 if LONG else 2
    while chain.state('dropped') < wanted or chain.nr_killed.get('agent', 0) < wanted:
        chain.start('agent', f'--spool-size={small}')
        time.sleep(1 + 3 * rng.random())
        chain.kill('agent')
        check(sum(os.path.getsize(path) for path in glob.glob(chain.spool + '/*.gz')) <= small, 'the spool is too large')
        if failures:
            return
    made = {os.path.basename(path)[:32] for path in glob.glob(chain.made + '/*.gz')} - before
    unfinished = len(made) - len(chain.in_spool()) - chain.state('dropped')
    check(chain.in_spool() <= made and 0 <= unfinished <= chain.nr_killed['agent'], len(made), len(chain.in_spool()),
          chain.state('dropped'), chain.nr_killed)
    print(f'{len(made)} windows, {chain.state("dropped")} dropped, unfinished: {unfinished}')


def main():
    need()
    directory = sys.argv[1]
    chain = Chain(directory + '/chain')
    service = Service(chain.directory + '/traces/cart')
    try:
        rng = random.Random(17)
        killed(chain, rng)
        dropped(chain, rng)
    finally:
        for process in chain.processes.values():
            process.kill()
        service.end()
    sys.exit(bool(failures))


main()
