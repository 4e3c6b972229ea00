# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""load.py DIR: syntrace-fleet load takes each window once, also if it is killed, and rejects hostile files."""
import copy
import gzip
import json
import math
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time

from window import BEGIN, DAY, FLEET, check, failures, load, put, run, sql, text_of, window_lines

LONG = bool(os.environ.get('SYNTRACE_TEST_LONG'))


def facts(host, number):
    rng = random.Random(f'{host} {number}')
    return [('wait', ['main', 'serve', f'f{n}'], rng.randrange(10**9)) for n in range(20)] + \
           [('hold', ['main', 'serve', f'f{n}'], rng.randrange(10**9)) for n in range(20)]


def total(store):
    row, = sql(store, 'SELECT count(*) AS n, sum(ns) AS ns, sum(n) AS waits FROM facts')
    windows, = sql(store, 'SELECT count(*) AS n, count(DISTINCT id) AS ids FROM windows')
    return windows['n'], windows['ids'], row['n'], row['ns'], row['waits']


def normal(directory):
    store, uploads = directory + '/one.sqlite', directory + '/one/in'
    windows = [window_lines(f'web-{host}', number, facts(host, number), p_host=0.5, p_time=0.25)
               for host in range(3) for number in range(4)]
    run('init', '--store=' + store)
    run('init', '--store=' + store)
    for lines in windows:
        put(uploads, lines)
    put(uploads, windows[0], name='.unfinished', data=b'{')
    result, _ = load(store, uploads)
    check(result == {'v': 1, 'type': 'load', 'loaded': 12, 'duplicates': 0, 'rejected': 0}, result)
    wanted = sum(line['ns'] for lines in windows for line in lines if line['type'] == 'fact')
    check(total(store) == (12, 12, 480, wanted, 480), total(store), wanted)
    for lines in windows:
        put(uploads, lines)
    result, _ = load(store, uploads)
    check(result['duplicates'] == 12 and result['loaded'] == 0, result)
    check(total(store) == (12, 12, 480, wanted, 480), 'after duplicates', total(store))
    check(sorted(os.listdir(uploads + '/web-0')) == ['.unfinished'], os.listdir(uploads + '/web-0'))
    ids = open(directory + '/one/loaded/web-1').read().split()
    check(set(ids) == {lines[0]['id'] for lines in windows if lines[0]['host'] == 'web-1'}, ids)
    row = sql(store, 'SELECT DISTINCT weight, day, path FROM profile JOIN stacks USING (stack) ORDER BY path LIMIT 1')
    check(row == [{'v': 1, 'type': 'row', 'weight': 8, 'day': '2024-10-04', 'path': 'main;serve;f0'}], row)
    out, _ = run('check', '--store=' + store)
    check(json.loads(out)['windows'] == 12, out)
    refused(store)
    subprocess.run(['python3', '-c', 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); '
                    'd.execute("DELETE FROM windows WHERE w = 3"); d.commit()', store], check=True)
    run('check', '--store=' + store, status=1)
    with open(directory + '/other', 'w') as other:
        other.write('no database')
    for verb in (['check'], ['init'], ['load', '--once', '--in=' + uploads], ['sql', 'SELECT 1']):
        run(verb[0], '--store=' + directory + '/other', *verb[1:], status=4)
    run('load', '--store=' + store, '--once', '--in=' + directory + '/missing', status=4)
    run('load', '--store=' + store, status=2)


def refused(store):
    """Nothing but a SELECT on this store."""
    for text in ('DELETE FROM windows', 'ATTACH "/tmp/x" AS x', 'PRAGMA user_version = 3', 'DROP TABLE facts',
                 'CREATE TABLE x(a)', 'SELECT load_extension("x")', 'SELECT 1; SELECT 2', '', 'VACUUM INTO "/tmp/x"',
                 'INSERT INTO locks VALUES(1, 2, "", "")', 'SELECT 1 AS "a\\"" ', 'SELECT writefile("/tmp/x", 1)',
                 'SELECT * FROM pragma_table_info("facts")', 'nonsense'):
        if text:
            run('sql', '--store=' + store, text, status=4)
        else:
            run('sql', '--store=' + store, status=2)


def hostile(directory):
    store, uploads = directory + '/two.sqlite', directory + '/two/in'
    run('init', '--store=' + store)
    good = window_lines('web-1', 1, facts(1, 1))
    put(uploads, good)
    nr = 0

    def bad(reason, change=None, data=None, **kwargs):
        nonlocal nr
        nr += 1
        lines = window_lines('web-1', 1000 + nr, facts(1, 1)[:2])
        kwargs.setdefault('folder', 'web-1')
        kwargs.setdefault('name', lines[0]['id'] + '.jsonl.gz')
        if change:
            lines = change(copy.deepcopy(lines))
        path = put(uploads, lines, data=None if data is None else data(lines), **kwargs)
        result, messages = load(store, uploads)
        check(result['rejected'] == 1, reason, 'is not rejected:', result, messages)
        check(reason in messages, 'the message', messages, 'is not', reason)
        check(not os.path.lexists(path), reason, 'is not moved')
        if kwargs['name'].endswith('.gz'):
            with open(f'{directory}/two/loaded/{kwargs["folder"]}') as ids:
                check(kwargs['name'][:32] in ids.read().split(), reason, 'the host uploads it again')

    def member(at, key, value):
        def change(lines):
            line = next(line for line in lines if line['type'] == at)
            if value is None:
                del line[key]
            else:
                line[key] = value
            return lines
        return change

    def raw(old, new):
        return lambda lines: text_of(lines).replace(old, new)

    load(store, uploads)
    before = total(store)
    bad('the host is not the name of the folder', folder='web-2')
    bad('the id is not the name of the file', name='0' * 32 + '.jsonl.gz')
    bad('the id is not the name of the file', name='x.sh')
    bad('the host is not the name of the folder', member('window', 'host', '../../etc'))
    bad('hex digits', member('window', 'id', '../../../../../../../tmp/evil-file'), name='0' * 32 + '.jsonl.gz')
    bad('control character', member('window', 'service', 'a\nb'))
    bad('control character', member('window', 'version', '\x1b[2J'))
    bad('longer than 4096 bytes', member('fact', 'call', 'x' * 5000))
    bad('the line of type end is missing', lambda lines: lines[:-1])
    bad('lines, and should have', member('end', 'lines', 3))
    bad('a line after the end', lambda lines: lines + [lines[-1]])
    bad('the first line is no window', lambda lines: lines[1:])
    bad('a second window', lambda lines: lines[:1] + lines)
    bad('line 4: kind is no text', member('lock', 'kind', 3))
    bad('no JSON', data=raw(b'"wall_ns": 1000000000', b'"wall_ns": NaN'))
    bad('no JSON', data=raw(b'"wall_ns": 1000000000', b'"wall_ns": Infinity'))
    bad('no JSON', data=raw(b'"wall_ns": 1000000000', b'"wall_ns": 99999999999999999999999'))
    bad('no JSON', data=raw(b'"events": 10', b'"events": 10, "events": 11'))
    bad('no JSON', data=raw(b'"cart"', b'"\xff\xfe"'))
    bad('no JSON', data=lambda lines: b'[' * 100000 + b'\n')
    bad('cut', data=lambda lines: text_of(lines)[:-5])
    bad('cut', data=raw(b'"events"', b'"\0vents"'))
    bad('wall_ns is no integer', data=raw(b'"wall_ns": 1000000000', b'"wall_ns": 1e300'))
    bad('lost is no integer', member('window', 'lost', -1))
    bad('v is no integer', member('window', 'v', '1'))
    bad('version 2 of the format', member('window', 'v', 2))
    bad('p_host is no probability', member('window', 'p_host', 0))
    bad('p_time is no probability', member('window', 'p_time', 1.5))
    bad('too small', member('window', 'p_time', 1e-300))
    bad('stack 9 is not defined', member('fact', 'stack', 9))
    bad('lock 0 is not defined', member('fact', 'lock', 0))
    bad('culprit 99 is not defined', member('fact', 'culprit', 99))
    bad('module 2 is not defined', member('stack', 'frames', [[2, 5]]))
    bad('is not the next number', member('stack', 'stack', 7))
    bad('max_ns is larger', member('fact', 'max_ns', 2**62))
    bad('neither wait nor hold', member('fact', 'event', 'x'))
    bad('host is no text', member('window', 'host', None))
    bad('unknown type', member('fact', 'type', 'x'))
    bad('no JSON object', lambda lines: [lines[0], [5]])
    bad('the sum of equal facts is too large',
        lambda lines: lines[:-2] + [dict(lines[4], ns=2**63 - 1)] * 2 + [{'type': 'end', 'lines': len(lines) + 1}])
    bad('more than 2000 facts',
        lambda lines: lines[:-1] + [lines[4]] * 2000 + [{'type': 'end', 'lines': len(lines) + 2000}])
    bad('longer than 1 MiB', data=lambda lines: gzip.compress(text_of(lines)[:-1] + b' ' * (200 << 20)))
    bad('unpacks to more than', data=lambda lines: gzip.compress(text_of(lines[:1]) + text_of([
        {'type': 'stack', 'stack': 1, 'frames': ['x' * 1000] * 1000}]) * 1 + b'{"type":"x"}\n' * 0 + b''.join(
            text_of([{'type': 'stack', 'stack': n, 'frames': ['x' * 1000] * 1000}]) for n in range(2, 80))))
    bad('frames is no array', member('stack', 'frames', ['x'] * 5000))
    bad('the names of all frames', data=lambda lines: gzip.compress(text_of(lines[:1]) + text_of([
        {'type': 'module', 'module': 1, 'build': '', 'path': '/' + 'm' * 200}]) + b''.join(
            text_of([{'type': 'stack', 'stack': n, 'frames': [[1, n]] * 4096}]) for n in range(1, 100))))
    bad('larger than 16 MiB', data=lambda lines: b'\0' * ((16 << 20) + 1))
    bad('the line of type end is missing', data=lambda lines: b'')
    compressed = gzip.compress(text_of(good))
    bad('', data=lambda lines: compressed[:len(compressed) // 2])
    bad('', data=lambda lines: compressed[:40] + b'xxxx' + compressed[44:])
    check(total(store) == before, 'a rejected file left rows', before, total(store))
    # what is no file of a host is not followed
    os.symlink('/etc/passwd', uploads + '/web-1/' + 'a' * 32 + '.jsonl.gz')
    os.symlink('/etc', uploads + '/web-link')
    os.mkfifo(uploads + '/web-1/' + 'b' * 32 + '.jsonl.gz')
    os.mkdir(uploads + '/web-1/' + 'c' * 32 + '.jsonl.gz')
    result, messages = load(store, uploads)
    check(result['rejected'] == 3, 'links, pipes, folders:', result, messages)
    check(os.path.isdir('/etc') and os.path.islink(uploads + '/web-link'), 'the link to a folder')
    # a file that cannot be read is left, and stops no other one
    special = socket.socket(socket.AF_UNIX)
    special.bind(uploads + '/web-1/' + '0' * 32 + '.jsonl')
    put(uploads, window_lines('web-9', 1, facts(1, 1)))
    run('load', '--store=' + store, '--once', '--in=' + uploads, status=4)
    check(os.listdir(uploads + '/web-9') == [], 'a file behind one that cannot be read is not loaded')
    os.unlink(uploads + '/web-1/' + '0' * 32 + '.jsonl')
    before = total(store)
    # text that is SQL is text
    sqlish = window_lines('x\'; DROP TABLE windows; --', 1, [('wait', ["main", "'); DELETE FROM facts; --"], 5)],
                          service="' OR 1=1")
    put(uploads, sqlish)
    result, messages = load(store, uploads)
    check(result['loaded'] == 1, result, messages)
    check(total(store)[0] == before[0] + 1, total(store))
    path, = sql(store, "SELECT path FROM stacks WHERE path LIKE '%DELETE%'")
    check(path['path'] == "main;'): DELETE FROM facts: --", path)


def killed(directory):
    """Kills load at random times; the sums are exact in the end."""
    store, uploads = directory + '/three.sqlite', directory + '/three/in'
    windows = [window_lines(f'web-{host}', number, facts(host, number)) for host in range(4)
               for number in range(50 if LONG else 10)]
    wanted = sum(line['ns'] for lines in windows for line in lines if line['type'] == 'fact')
    run('init', '--store=' + store)
    rng, nr_killed = random.Random(7), 0
    for lines in windows:
        put(uploads, lines)
    for attempt in range(30 if LONG else 5):
        process = subprocess.Popen([FLEET, 'load', '--store=' + store, '--once', '--in=' + uploads],
                                   stdout=subprocess.DEVNULL)
        time.sleep(rng.random() * 0.05)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            nr_killed += 1
        process.wait()
        for lines in rng.sample(windows, 3): # uploads that are repeated
            put(uploads, lines)
    load(store, uploads)
    nr, ids, _, ns, _ = total(store)
    check((nr, ids, ns) == (len(windows), len(windows), wanted), 'after', nr_killed, 'kills:', nr, ids, ns, wanted)
    check(nr_killed > 0, 'no load was killed')
    run('check', '--store=' + store)
    for host in range(4):
        check(not os.listdir(f'{uploads}/web-{host}'), 'files are left')
        ids = set(open(f'{directory}/three/loaded/web-{host}').read().split())
        check(ids == {lines[0]['id'] for lines in windows if lines[0]['host'] == f'web-{host}'}, 'loaded/')
    print(f'killed {nr_killed} times, {len(windows)} windows')


def mutated(directory):
    """Files with changed bytes are loaded or rejected, and the loader lives on."""
    store, uploads = directory + '/four.sqlite', directory + '/four/in'
    run('init', '--store=' + store)
    rng, nr = random.Random(11), 2000 if LONG else 100
    for n in range(nr):
        lines = window_lines('web-1', n, facts(1, 1)[:3])
        data = bytearray(text_of(lines))
        for _ in range(rng.randrange(1, 5)):
            at = rng.randrange(len(data))
            what = rng.randrange(4)
            if what == 0:
                data[at] = rng.randrange(256)
            elif what == 1:
                del data[at:at + rng.randrange(1, 40)]
            elif what == 2:
                data[at:at] = rng.choice([b'9' * 30, b'"', b'{', b'-', b'\0', b'null', b'1e999', b'\xf0\x9f\x92', b'\n'])
            else:
                data[at:at] = data[max(0, at - rng.randrange(1, 200)):at]
        put(uploads, lines, data=bytes(data) if n % 4 else gzip.compress(bytes(data), 1))
    result, _ = load(store, uploads)
    check(result['loaded'] + result['rejected'] + result['duplicates'] == nr and result['rejected'] > nr / 2, result)
    run('check', '--store=' + store)


def wilson(failed, nr, z=1.6448536269514722):
    p = failed / nr
    return (p + z * z / (2 * nr) - z * math.sqrt(p * (1 - p) / nr + z * z / (4 * nr * nr))) / (1 + z * z / nr)


def stops(directory):
    """Versions whose windows fail on several hosts are stopped, and nothing else changes the policy."""
    root = directory + '/five'
    store, uploads, policy = directory + '/five.sqlite', root + '/in', root + '/policy'
    os.makedirs(uploads)
    run('init', '--store=' + store)
    now = int(time.time())

    def slots(host, name, nr_ok, nr_failed, time_s=now, more=''):
        os.makedirs(f'{uploads}/{host}', exist_ok=True)
        with open(f'{uploads}/{host}/state', 'w', encoding='latin-1') as out:
            out.write('dropped 0\n' + f'slot {time_s} ok {name}\n' * nr_ok + f'slot {time_s} failed {name}\n' * nr_failed +
                      f'slot {time_s} skipped {name}\n' * 50 + more)

    def lines(status=0):
        run('load', '--store=' + store, '--once', '--in=' + uploads, status=status)
        return open(policy).read().splitlines()

    slots('web-1', 'cart 4.2', 0, 9)
    slots('web-2', 'cart 4.2', 0, 9)
    run('load', '--store=' + store, '--once', '--in=' + uploads)
    check(not os.path.exists(policy), 'a policy out of nothing')
    with open(policy, 'w') as out:
        out.write('# ours\np_host 0.5')
    # just below and just above the bound, on two hosts
    least = next(n for n in range(2, 200) if wilson(n, 200) > 0.02)
    for failed, wanted in ((least - 1, []), (least, ['stop cart 4.2 beta'])):
        slots('web-1', 'cart 4.2 beta', 100 - failed + 1, failed - 1)
        slots('web-2', 'cart 4.2 beta', 99, 1)
        check(lines() == ['# ours', 'p_host 0.5'] + wanted, failed, lines())
    before = ['# ours', 'p_host 0.5', 'stop cart 4.2 beta']
    check(lines() == before, 'once more', lines())
    # one host alone, old slots, and slots of the future
    slots('web-1', 'shop 1', 0, 100)
    slots('web-2', 'shop 2', 0, 100, now - 7300)
    slots('web-3', 'shop 2', 0, 100, now - 7300)
    slots('web-4', 'shop 3', 0, 100, now + 4000)
    slots('web-5', 'shop 3', 0, 100, now + 4000)
    check(lines() == before, 'not enough', lines())
    # hostile states
    slots('web-2', 'x' * 600 + ' 1', 0, 9)
    slots('web-3', 'x' * 600 + ' 1', 0, 9, more=f'slot {now} failed a\x1bb c\nslot 99999999999999999999 failed shop 1\n')
    slots('web-4', 'noversion', 0, 9, more='slot\nslot 1\n\0slot ' + 'y' * 100000)
    slots('web-5', 'noversion', 0, 9)
    with open(uploads + '/web-5/state', 'a') as out:
        out.write(f'slot {now} failed shop 1\n' * 100000)
    os.mkdir(uploads + '/web-6')
    os.symlink(uploads + '/web-1/state', uploads + '/web-6/state')
    os.mkdir(uploads + '/web-7')
    os.mkfifo(uploads + '/web-7/state')
    os.mkdir(uploads + '/web-8')
    os.mkdir(uploads + '/web-8/state')
    check(lines() == before, 'hostile', lines())
    # a second version that fails stops all
    slots('web-2', 'shop 1', 100, 30)
    check(lines() == before + ['stop shop 1'], lines())
    slots('web-3', 'cart 5', 0, 4)
    slots('web-4', 'cart 5', 0, 4)
    check(lines()[4:] == ['stop cart 5', 'stop'] and len(lines()) == 6, lines())


def always(directory):
    """Without --once, load keeps running."""
    store, root = directory + '/six.sqlite', directory + '/six'
    os.makedirs(root + '/in')
    run('init', '--store=' + store)
    with open(root + '/out', 'w') as out:
        process = subprocess.Popen([FLEET, 'load', '--store=' + store, '--in=' + root + '/in', '--every=0.1'], stdout=out)
    for number in range(3):
        path = put(root + '/in', window_lines('web-1', number, facts(1, number)))
        end = time.monotonic() + 100
        while os.path.exists(path) and time.monotonic() < end:
            time.sleep(0.02)
    check(process.poll() is None, 'load has ended')
    process.kill()
    process.wait()
    check(total(store)[0] == 3 and sum(json.loads(line)['loaded'] for line in open(root + '/out')) >= 2, total(store))


def upgraded(directory):
    """A store of version 1, without the columns of rolled days, is updated and then rolled."""
    store, uploads = directory + '/seven.sqlite', directory + '/seven/in'
    run('init', '--store=' + store)
    for number in range(3):
        put(uploads, window_lines('web-1', number, facts(1, number), p_host=0.25, lost=number))
    load(store, uploads)
    rows = 'SELECT day, sum(weight * ns) AS fleet, sum(n) AS waits, max(max_ns) AS most FROM profile GROUP BY day'
    wanted = sql(store, rows)
    db = sqlite3.connect(store)
    db.executescript('DROP INDEX windows_by_day; DROP TABLE rolled; DROP VIEW profile; ALTER TABLE facts DROP COLUMN weight;' + ''.join(
        f'ALTER TABLE windows DROP COLUMN {name};' for name in ('nr', 'lossy', 'fleet_length_ns')) +
                     'CREATE VIEW profile AS SELECT 1; PRAGMA user_version = 1')
    db.close()
    _, messages = run('query', '--store=' + store, 'locks', status=4)
    check('update it with init' in messages, messages)
    run('init', '--store=' + store)
    for attempt in range(2):
        check(sql(store, rows) == wanted, attempt, 'the sums', sql(store, rows), wanted)
        row, = sql(store, 'SELECT count(*) AS rows, sum(nr) AS nr, sum(lossy) AS lossy, sum(fleet_length_ns) AS ns FROM windows')
        check(row == {'v': 1, 'type': 'row', 'rows': 1 if attempt else 3, 'nr': 3, 'lossy': 2, 'ns': 12 * 10**9}, row)
        run('roll', '--store=' + store, '--keep=99999')
        run('check', '--store=' + store)
    # sums that are too large for an integer
    big = [window_lines('web-2', number, [('wait', ['main'], 2**63 - 1)], begin_ns=BEGIN + 5 * DAY) for number in range(3)]
    for lines in big:
        put(uploads, lines)
    load(store, uploads)
    run('roll', '--store=' + store, '--keep=99999')
    row, = sql(store, "SELECT ns, n FROM profile WHERE host = 'web-2'")
    check(row['n'] == 3 and row['ns'] > 2**63 - 2**21, row)
    run('roll', '--store=' + store, '--keep=0', status=2)


def main():
    for part in (normal, hostile, killed, mutated, stops, always, upgraded):
        part(sys.argv[1])
    sys.exit(bool(failures))


main()
