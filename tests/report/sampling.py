# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""sampling.py WHAT FILE...: judges the JSON lines of syntrace-decode sampling.

counts LINES STAT: the counts are those of stat
samplers LINES: adaptive samplers keep the rare call paths of tests/report/sampling.c
turns LINES COUNTS: each poll and each wait for the condition variable begins a turn in tests/report/sampling.c
hops LINES: with more hops, more edges into kept events begin at kept events
grid SAMPLER: prints a grid of parameters for --replay
tuned TUNED LINES: the tuned sampler is at most 5 % worse than the best sampler of LINES
repeated TUNED LINES: LINES has the tuned sampler with equal results
same LINES, similar LINES: the comparison of a run with itself, or with another run of the program
"""
import json
import sys

failures = []


def expect(condition, *words):
    if not condition:
        failures.append(words)
        print('FAILED:', *words)


def read(name, kind=None):
    with open(name, encoding='utf-8') as lines:
        found = [json.loads(line) for line in lines]
    return [line for line in found if kind in (None, line['type'])]


def counts(lines, stat):
    calls, paths = read(lines, 'call'), read(lines, 'path')
    wanted = {}
    for line in read(stat, 'call'):  # by process
        wanted[line['call']] = wanted.get(line['call'], 0) + line['events']
    expect({line['call']: line['calls'] for line in calls} == wanted, 'calls differ from stat', calls, wanted)
    expect(sum(line['calls'] for line in paths) == sum(wanted.values()), 'the call paths have another sum')
    expect(len({line['path'] for line in paths}) == len(paths), 'a call path occurs twice')
    for line in calls + paths:
        expect(line['calls'] == line['whole'] and not line['ghosts'] and not line['left_out'], 'not whole:', line)


def samplers(lines):
    rows = read(lines, 'sampler')
    always, p1, p0, p, bump, roots, bucket, slow = rows
    whole = ('events', 'size', 'SC', 'SS', 'IEn', 'paths_whole', 'turns_whole', 'turn_shapes_whole', 'edge_kinds_whole')
    expect(always['TFCR'] == always['SC'] == 1 and always['SS'] == 0 and always['IEn'] > 0, 'always:', always)
    expect(all(p1[key] == always[key] for key in whole), 'p:1 is not the whole trace:', p1)
    expect(p0['events'] == p0['size'] == p0['SC'] == p0['IEn'] == 0 and p0['SS'] > 0, 'p:0 keeps events:', p0)
    expect(p['TFCR'] < 0.2 and p['SC'] < 0.5, 'p:0.01 keeps much:', p)
    for row in bump, bucket, slow:
        expect(row['SC'] == 1 and row['TFCR'] < 0.8, 'not all call paths, or too many events:', row)
        expect(row['IEn'] > always['IEn'] and row['SS'] > 0, 'no more information:', row)
    expect(roots['SC'] < 1 and roots['TFCR'] < bump['TFCR'], 'the roots have all call paths:', roots)
    expect([row['sampler'] for row in rows] ==
           ['always', 'p:1', 'p:0', 'p:0.01', 'bump:lambda=4,floor=0.01', 'bump:lambda=4,floor=0,at=root',
            'bucket:size=1,rate=1', 'bucket:size=2,rate=0.5,hops=0'], 'other samplers:', rows)
    for row in rows:
        expect(abs(row['TFCR'] - row['events'] / always['events']) < 1e-6, 'TFCR is no share:', row)
        expect(row['edges_whole'] <= row['edges'] and row['turn_shapes_whole'] <= row['turn_shapes'], 'a part exceeds the whole:', row)


def turns(lines, counts_):
    calls = {line['call']: line['calls'] for line in read(counts_, 'call')}
    found, loops = read(lines, 'sampler')[0]['turns'], calls['poll'] + calls['pthread_cond_wait']
    # three threads begin with a turn; the server may wait for the end of the worker
    expect(loops + 3 <= found <= loops + 4, f'{found} turns of {loops} waits')


def hops(lines):
    rows = read(lines, 'sampler')[1:]
    shares = [row['edges_whole'] / max(1, row['edges']) for row in rows]
    events = [row['events'] for row in rows]
    print('shares of edges with both ends:', shares, 'of events:', events)
    expect(shares[0] < shares[1] <= shares[2] + 0.05 and shares[2] > 0.9, 'marks have no effect')
    expect(events[0] < events[1] < events[2], 'marks keep no events')


def grid(sampler):
    names, values = {
        'bump': (('lambda', 'floor'), ((0.1, 0.3, 1, 3, 10, 30), (0.00001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3))),
        'bucket': (('size', 'rate'), ((1, 2, 4, 10, 30, 100), (0.1, 0.5, 2, 8, 30, 100, 400))),
    }[sampler]
    print(','.join(f'{sampler}:{names[0]}={a},{names[1]}={b:f}' for a in values[0] for b in values[1]))


def objective(row):
    return row['SS'] / row['IEn']


def tuned(tuned_, lines):
    result, = read(tuned_, 'tuned')
    rows = [row for row in read(lines, 'sampler')[1:] if result['events_least'] <= row['events'] <= result['events_most']]
    expect(result['events_least'] <= result['events'] <= result['events_most'], 'beyond the limits:', result)
    expect(abs(result['objective'] - objective(result)) < 1e-3 * result['objective'], 'another objective:', result)
    expect(rows, 'no point of the grid satisfies the condition')
    if rows:
        best = min(map(objective, rows))
        print(f"{result['sampler']}: {result['objective']:.4g}, best of {len(rows)} points of the grid: {best:.4g}")
        expect(result['objective'] <= 1.05 * best, 'the grid is better than the tuner')


def repeated(tuned_, lines):
    result, = read(tuned_, 'tuned')
    row = read(lines, 'sampler')[1]
    expect(all(row[key] == result[key] for key in row if key not in ('v', 'type')), 'another result:', row, result)


def same(lines):
    row, = read(lines, 'against')
    expect(row['SC'] == 1 and row['SS'] == 0 and row['IEn'] == row['IEn_full'] and not row['paths_other'], 'not the same:', row)


def similar(lines):
    row, = read(lines, 'against')
    expect(0.9 <= row['SC'] <= 1 and row['SS'] > 0 and abs(row['IEn'] - row['IEn_full']) < 0.2, 'not similar:', row)


globals()[sys.argv[1]](*sys.argv[2:])
sys.exit(bool(failures))
