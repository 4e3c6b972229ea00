# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""query.py DIR: the answers of syntrace-fleet query on planted fleets, against computations in this file."""
import math
import os
import random
import sys

from window import BEGIN, DAY, check, failures, load, put, query, run, window_lines

LONG = bool(os.environ.get('SYNTRACE_TEST_LONG'))
T_QUANTILES = {20: 2.093024, 30: 2.045230, 40: 2.022691, 50: 2.009575} # of 97.5 % by the number of hosts, from tables


def near(a, b):
    return a is not None and b is not None and math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12)


def store_of(directory, name, windows):
    store, uploads = f'{directory}/{name}.sqlite', f'{directory}/{name}/in'
    run('init', '--store=' + store)
    for lines in windows:
        put(uploads, lines)
    result, messages = load(store, uploads)
    check(result['loaded'] == len(windows), name, result, messages)
    return store


def ratio_of(z, x):
    """The ratio, and its interval, as doc/fleet.md defines them."""
    hosts = len(x)
    ratio = sum(z) / sum(x)
    variance = hosts / (hosts - 1) * sum((a - ratio * b)**2 for a, b in zip(z, x)) / sum(x)**2
    half = T_QUANTILES[hosts] * math.sqrt(variance)
    return ratio, max(0, ratio - half), ratio + half


def locks(directory):
    """Two locks on 30 hosts with unequal probabilities; one host never waits."""
    rng, windows = random.Random(3), []
    z, x, n = {'a': [0] * 30, 'b': [0] * 30}, [0] * 30, {'a': 0, 'b': 0}
    raw = {'a': 0, 'b': 0}
    for host in range(30):
        for number in range(3):
            p_host, p_time, wall = rng.choice([(0.5, 0.25), (1, 0.125), (0.1, 1)]) + (rng.randrange(10**9, 3 * 10**9),)
            facts = []
            for lock in 'ab' if host else '':
                ns = rng.randrange(10**7, 10**8 if lock == 'b' else 2 * 10**7)
                facts += [('wait', ['main', 'serve', lock], ns), ('hold', ['main', 'serve', lock], ns // 2)]
                z[lock][host] += ns / (p_host * p_time)
                n[lock] += 1
                raw[lock] += ns
            x[host] += wall / (p_host * p_time)
            windows.append(window_lines(f'web-{host:02}', number, facts, wall_ns=wall, p_host=p_host, p_time=p_time,
                                        begin_ns=BEGIN + number * DAY, service='cart'))
    windows.append(window_lines('other', 1, [('wait', ['main', 'x'], 10**8)], service='else'))
    store = store_of(directory, 'locks', windows)
    head, first, second = query(store, 'locks', '--service=cart')
    check(head['windows'] == 90 and head['hosts'] == 30, head)
    for row, lock in ((first, 'b'), (second, 'a')):
        ratio, low, high = ratio_of(z[lock], x)
        check(row['lock'] == 'of ' + lock and row['kind'] == 'mutex', row)
        check(near(row['of_time'], ratio) and near(row['low'], low) and near(row['high'], high), row, ratio, low, high)
        check(near(row['fleet_ns'], sum(z[lock])) and row['waits'] == n[lock] and row['wait_ns'] == raw[lock], row)
        check(row['waited_by'] == row['held_by'] == 'main;serve;' + lock and row['hosts'] == 30, row)
    by_day = query(store, 'locks', '--service=cart', '--by=day')[1:]
    check(len(by_day) == 6 and len({row['day'] for row in by_day}) == 3, by_day)
    check(near(sum(row['fleet_ns'] for row in by_day), sum(z['a']) + sum(z['b'])), 'by day')
    by_both = query(store, 'waits', '--service=cart', '--by=reason,host', '--where=host=web-03')[1:]
    check({(row['reason'], row['host'], row['path']) for row in by_both} ==
          {('locked', 'web-03', 'main;serve;a'), ('locked', 'web-03', 'main;serve;b')}, by_both)
    check(all(row['low'] is None for row in by_both), 'an interval of one host', by_both)
    one, = query(store, 'waits', '--service=cart', '--limit=1')[1:]
    check(one['path'] == 'main;serve;b', one)
    early = query(store, 'waits', '--from=2024-10-04', '--to=2024-10-05')
    check(early[0]['windows'] == 31, early[0])
    check(query(store, 'waits', '--from=' + str(BEGIN + DAY), '--service=cart')[0]['windows'] == 60, '--from')
    check(len(query(store, 'waits', '--where=service=x\' OR 1=1 --')) == 1, 'a value is SQL')
    out, _ = run('query', '--store=' + store, 'locks')
    check('91 windows of 31 hosts' in out and 'of b' in out and '%' in out, out)
    health = query(store, 'health')[1:]
    check([(row['service'], row['windows'], row['hosts']) for row in health] == [('cart', 90, 30), ('else', 1, 1)], health)
    for wrong in (['locks', '--by=ns'], ['locks', '--by=lock;'], ['waits', '--where=x=1'], ['waits', '--limit=0'],
                  ['nothing'], ['versions'], ['hosts', '--by=day'], ['waits', '--from=now'], ['waits', '--where=1=1 OR host']):
        run('query', '--store=' + store, *wrong, status=2)
    for n_hosts, wanted in ((19, False), (20, True)):
        hosts = [window_lines(f'h{n}', 1, [('wait', ['m'], 10**6 + n)]) for n in range(n_hosts)]
        row, = query(store_of(directory, f'few{n_hosts}', hosts), 'waits')[1:]
        check((row['low'] is not None) == wanted, n_hosts, 'hosts:', row)
    loud = [window_lines(f'h{n}', 1, [('wait', ['m'], 10**9 if n == 7 else 10**6)]) for n in range(30)]
    store = store_of(directory, 'loud', loud)
    check(query(store, 'waits')[1]['low'] is None, 'one host has most of the waits')
    odd = [row['host'] for row in query(store, 'hosts')[1:] if row['odd']]
    check(odd == ['h7'], 'odd hosts:', odd)


def versions(directory):
    """One call path of twenty changes between two versions, and one more is new."""
    rng, windows = random.Random(5), []
    for version in ('1', '2'):
        for host in range(40):
            facts = [('wait', ['main', f'f{n:02}'], int(10**7 * rng.lognormvariate(0, 0.3) *
                                                        (3 if n == 4 and version == '2' else 1))) for n in range(20)]
            if version == '2':
                facts.append(('wait', ['main', 'new'], int(10**7 * rng.lognormvariate(0, 0.3))))
            windows.append(window_lines(f'h{host}', version, facts, version=version))
    windows.append(window_lines('h0', 'x', [('wait', ['main', 'f00'], 10**9)], version='3'))
    store = store_of(directory, 'versions', windows)
    rows = query(store, 'versions', '--against=1', '--version=2')[1:]
    check(len(rows) == 21, len(rows), 'paths')
    differs = {row['path'] for row in rows if row['differs']}
    check({'main;f04', 'main;new'} <= differs and len(differs) <= 4, 'differs:', differs)
    row = next(row for row in rows if row['path'] == 'main;f04')
    check(2.4 < row['ratio'] < 3.6 and row['before_low'] < row['before'] < row['before_high'] < row['after_low'], row)
    new = next(row for row in rows if row['path'] == 'main;new')
    check(new['before'] == 0 and new['ratio'] is None, new)
    # equal versions: the differences are chance
    nr_false, nr = 0, 200 if LONG else 10
    for attempt in range(nr):
        windows = [window_lines(f'h{host}', v, [('wait', [f'f{n}'], int(10**7 * rng.lognormvariate(0, 0.5))) for n in range(10)],
                                version=v) for v in '12' for host in range(25)]
        rows = query(store_of(directory, f'equal{attempt}', windows), 'versions', '--against=1', '--version=2')[1:]
        nr_false += any(row['differs'] for row in rows)
    check(nr_false <= (nr * 0.05 + 3 * math.sqrt(nr * 0.05 * 0.95)), nr_false, 'false alarms of', nr)
    print(f'{nr_false} of {nr} comparisons of equal versions differ')


def coverage(directory):
    """How often the interval has the true ratio: hosts differ, windows of a host resemble each other."""
    rng, nr, hits = random.Random(9), 400 if LONG else 20, 0
    store = None
    for attempt in range(nr):
        windows = []
        for host in range(40):
            mean = rng.gammavariate(4, 10**7 / 4)
            windows.append(window_lines(f'h{host}', attempt, [('wait', ['m'], int(mean * rng.uniform(0.5, 1.5)))],
                                        wall_ns=int(10**9 * rng.uniform(0.8, 1.2)), service=f's{attempt}'))
        store = store_of(directory, 'coverage', windows)
        row, = query(store, 'waits', f'--service=s{attempt}')[1:]
        hits += row['low'] <= 0.01 <= row['high']
    print(f'{hits} of {nr} intervals have the true ratio')
    check((0.92 if LONG else 0.75) <= hits / nr <= (0.97 if LONG else 1), hits, 'of', nr, 'intervals')


def stability(directory):
    """Three days, of which the third one differs; entropy and distance computed here."""
    rng, windows = random.Random(13), []
    sums = [{}, {}, {}]
    for day in range(3):
        for host in range(40):
            facts = []
            for n in range(8):
                ns = int(10**7 * (n + 1) * rng.lognormvariate(0, 0.2) * (5 if day == 2 and n == 0 else 1))
                facts.append(('wait', ['main', f'f{n}'], ns))
                sums[day][n] = sums[day].get(n, 0) + ns
            windows.append(window_lines(f'h{host}', day, facts, begin_ns=BEGIN + day * DAY))
    rows = query(store_of(directory, 'stability', windows), 'stability')[1:]
    shares = [[day[n] / sum(day.values()) for n in range(8)] for day in sums]
    check(len(rows) == 3, rows)
    for day, row in enumerate(rows):
        check(near(row['entropy_bits'], -sum(p * math.log2(p) for p in shares[day])), 'entropy', row)
        wanted = day and sum(abs(a - b) for a, b in zip(shares[day], shares[day - 1]))
        check(near(row['distance'], wanted) if day else row['distance'] is None, 'distance', row, wanted)
        check(0 < row['by_chance'] < 0.2, row)
    check([row['changed'] for row in rows] == [False, False, True], 'changed', rows)


def main():
    for part in (locks, versions, coverage, stability):
        part(sys.argv[1])
    sys.exit(bool(failures))


main()
