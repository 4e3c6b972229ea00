# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""sqlite.py TRACE DOC: the database TRACE.sqlite says what the verbs say, and DOC names its columns."""
import collections
import json
import re
import sqlite3
import sys

from drawn import Failures, load, wall_offset


FACTS = ('contention', 'holdings', 'requests', 'request_cluster', 'request_component', 'request_step', 'request_symbol',
         'critical_path')


def compare_doc(check, db, path):
    with open(path, encoding='utf-8') as lines:
        named = set(re.findall('`([a-z0-9_]+)`', lines.read()))
    for name, in db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')").fetchall():
        check(name in named, 'the document does not name', name)
        for column in db.execute(f'PRAGMA table_info({name})'):
            check(column['name'] in named, 'the document does not name', name, column['name'])
        nr, = db.execute(f'SELECT count(*) FROM {name}').fetchone()
        check(nr or name in ('waits_by_object', 'edges_with_stacks', 'edges', *FACTS), name, 'is empty')
    check(not db.execute('PRAGMA foreign_key_check').fetchall(), 'a key without its row')
    # each column named as the key of a table refers to it
    for table, key in (('events', 'thread'), ('events', 'object'), ('events', 'stack'), ('tasks', 'label'),
                       ('edges', 'to_event'), ('threads', 'process'), ('holdings', 'acquire_event'),
                       ('requests', 'object'), ('critical_path', 'edge'), ('contention', 'wait_event'),
                       ('requests', 'cluster'), ('request_step', 'parent'), ('request_component', 'request')):
        check(key in {row['from'] for row in db.execute(f'PRAGMA foreign_key_list({table})')}, table, key)
    plan = [row['detail'] for row in
            db.execute('EXPLAIN QUERY PLAN SELECT * FROM events WHERE ts BETWEEN 1 AND 2')]
    check('events_by_time' in plan[0], 'no index of time:', plan)


def compare_facts(check, db, trace):
    """The tables of FACTS have the facts of the verbs contention and critical-path."""
    told = load(trace + '.contention')
    seen = db.execute("""SELECT c.*, o.id AS object_id, t.id AS through_id, w.id AS wait_id, e.id AS culprit_id
        FROM contention c JOIN objects o USING (object) LEFT JOIN objects t ON t.object = through
        LEFT JOIN events w ON w.event = wait_event LEFT JOIN events e ON e.event = culprit_event""").fetchall()
    want = collections.Counter(
        (b['object'], b['kind'], b['passed_on'], b['waiter'], b['holder'], b['culprit'], b['through'], b['waits'],
         b['wait_ns'], b['wait'], b['culprit_event']) for b in told if b['type'] == 'blame')
    check(want == collections.Counter(
        (b['object_id'], b['kind'], bool(b['passed_on']), b['waiter'], b['holder'], b['culprit'], b['through_id'],
         b['waits'], b['wait_ns'], b['wait_id'], b['culprit_id']) for b in seen), 'contention', want, list(map(tuple, seen)))
    holds = {row[0]: row[1:] for row in db.execute("""SELECT o.id, count(*), sum(dur), max(dur), count(*) - count(dur)
        FROM holdings JOIN objects o USING (object) WHERE shared = 0 GROUP BY object HAVING count(dur)""")}
    for lock in told:
        if lock['type'] == 'lock' and lock['hold']['count']:
            nr, ns, most, nr_open = holds.pop(lock['object'], (0, 0, 0, 0))
            hold = lock['hold']
            check(nr - nr_open == hold['count'] and abs(hold['total_ns'] - ns) <= nr and abs(most - hold['max_ns']) <= 1,
                  'holdings', lock, nr, ns, most)
    check(not holds, 'holdings of no lock', holds)
    seen = db.execute("""SELECT r.*, o.id AS object_id, a.id AS begin_id, b.id AS receive_id, c.id AS end_id
        FROM requests r JOIN objects o USING (object) LEFT JOIN events a ON a.event = begin_event
        JOIN events b ON b.event = receive_event LEFT JOIN events c ON c.event = end_event""").fetchall()
    told = {r['request']: r for r in load(trace + '.requests') if r['type'] == 'request'}
    check({r['request'] for r in seen} == set(told), 'requests', len(seen), len(told))
    for r in seen:
        w = told[r['request']]
        check((r['object_id'], r['client'], r['begin_ns'], r['dur'], r['begins'], r['ends'], r['begin_id'], r['receive_id'],
               r['end_id'], bool(r['counted']), bool(r['inner_request']), bool(r['unsure']), r['bytes_received']) ==
              (w['connection'], w['client'], w['ts'], w['dur'], w['begin'], w['end'], w['from'], w['received'],
               w['to'], w['counted'], w['inner'], w['unsure'], w['bytes_received']), 'request', dict(r), w)
    seen = db.execute("""SELECT c.*, e.id, a.id AS after_id, d.from_id, d.kind AS edge_kind FROM critical_path c
        JOIN events e USING (event) LEFT JOIN events a ON a.event = after_event LEFT JOIN edges d USING (edge)
        ORDER BY segment""").fetchall()
    want = [s for s in load(trace + '.path') if s['type'] == 'segment']
    check(len(seen) == len(want) > 0, 'critical path', len(seen), len(want))
    for s, w in zip(seen, want):
        check((s['kind'], s['begin_ns'], s['dur'], s['from_id'], s['edge_kind'], s['after_id']) ==
              (w['kind'], w['ts'], w['dur'], w.get('source'), w.get('edge'), w.get('after')), 'segment', dict(s), w)


def compare_extents(check, db, trace):
    """The tables of requests have the facts of the verbs requests and workload."""
    columns = 'component', 'ran', 'cpu', 'cpu_divided', 'received', 'sent', 'file_calls', 'file_bytes', 'file', 'lock', 'queue', 'other'
    told = {r['request']: r for r in load(trace + '.extents') if r['type'] == 'request'}
    work = collections.defaultdict(list)
    for row in db.execute('SELECT * FROM request_component ORDER BY request, component'):
        work[row['request']].append(tuple(row[c] for c in columns))
    seen = {row['request']: row for row in db.execute('SELECT * FROM requests')}
    for number, r in told.items():
        row = seen[number]
        check((row['cluster'], row['behaviour'], bool(row['pipelined'])) == (r['cluster'], r['behaviour'], r['pipelined']),
              'group', dict(row), r)
        want = [tuple(c[key] for key in columns) for c in r['components']]
        check(work.pop(number, []) == want, 'work', number, want)
    check(not work, 'work of other requests', work)
    check(all(row['cluster'] is None for number, row in seen.items() if number not in told), 'clusters of other requests')
    want = [(k['cluster'], k['requests'], k['representative']) for k in load(trace + '.workload') if k['type'] == 'cluster']
    clusters = db.execute('SELECT * FROM request_cluster ORDER BY cluster').fetchall()
    check(list(map(tuple, clusters)) == want, 'clusters', list(map(tuple, clusters)), want)
    trail = load(trace + '.trail')
    if trail:
        number = next(r['request'] for r in trail if r['type'] == 'request')
        steps = db.execute("""SELECT e.id, p.id, s.depth, y.text, s.begin_ns, s.end_ns - s.begin_ns FROM request_step s
            JOIN events e USING (event) JOIN request_symbol y USING (symbol) LEFT JOIN events p ON p.event = parent
            WHERE request = ? ORDER BY step""", (number,)).fetchall()
        want = [(s['event'], s['parent'], s['depth'], s['symbol'], s['ts'], s['ns']) for s in trail if s['type'] == 'step']
        check(list(map(tuple, steps)) == want, 'steps', list(map(tuple, steps)), want)


def run_examples(check, db, path):
    """Runs the queries in the document."""
    with open(path, encoding='utf-8') as lines:
        text = lines.read().partition('## Example queries')[2]
    queries = re.findall(r'^    ((?:SELECT|WITH)[^;]*;)', text, re.M | re.S)
    check(len(queries) >= 6, 'examples', queries)
    return [len(db.execute(query).fetchall()) for query in queries]


def compare_events(check, db, trace):
    told = {e['id']: e for e in load(trace + '.events')}
    seen = db.execute("""SELECT e.*, o.id AS object_id, p.p, p.pid, h.t, h.tid, s.path, s.frame
        FROM events e JOIN threads h USING (thread) JOIN processes p USING (process)
        LEFT JOIN objects o USING (object) LEFT JOIN stacks s USING (stack)""").fetchall()
    check({e['id'] for e in seen} == set(told) and len(seen) == len(told), 'not the same events')
    frames = {f['frame']: f for f in db.execute('SELECT * FROM frames')}
    for e in seen:
        t = told[e['id']]
        for column, key in (('ts', 'ts'), ('dur', 'dur'), ('call', 'call'), ('object_id', 'object'),
                            ('result', 'result'), ('errno', 'errno'), ('pid', 'pid'), ('tid', 'tid')):
            # a socket has one row, with its last kind; the verb events names it by its kind at the event
            was = (e[column] or '').replace('listen:', 'stream:') if column == 'object_id' else e[column]
            check(t[key] in (e[column], was), e['id'], column, e[column], t[key])
        check(e['end_ns'] - e['begin_ns'] == e['dur'] and
              e['ts'] == (e['end_ns'] if e['acquires'] else e['begin_ns']), 'times', dict(e))
        check((e['bytes'] or 0) == t.get('bytes', 0), 'bytes', dict(e))
        check(e['id'].startswith(f"{e['p']}.{e['t']}."), 'who', dict(e))
        stack, frame = [], e['frame']
        while frame:
            stack.append(frames[frame]['function'])
            frame = frames[frame]['caller']
        named = [f['fn'] or stack[n] for n, f in enumerate(t['stack'])] if len(stack) == len(t['stack']) else t['stack']
        check(stack == named, 'stack', e['id'], stack, t['stack'])
        check((e['path'] or '') == ';'.join(reversed(stack)), 'path', e['path'], stack)
    return told


def main():
    trace, doc = sys.argv[1:]
    check = Failures()
    db = sqlite3.connect(trace + '.sqlite')
    db.row_factory = sqlite3.Row
    check(db.execute('PRAGMA integrity_check').fetchone()[0] == 'ok', 'integrity')
    coverage, = db.execute("SELECT value FROM meta WHERE key = 'coverage'").fetchone()
    check(json.loads(coverage)['type'] == 'coverage', coverage)
    meta = dict(map(tuple, db.execute('SELECT key, value FROM meta')))
    check(int(meta['wall_offset_ns']) == wall_offset(trace), meta['wall_offset_ns'])
    compare_doc(check, db, doc)
    events = compare_events(check, db, trace)
    tasks = db.execute("""SELECT t.*, a.id AS after_id, b.id AS before_id FROM tasks t
        JOIN events a ON a.event = after_event JOIN events b ON b.event = before_event ORDER BY task""").fetchall()
    told = {t['id']: t for t in load(trace + '.tasks')}
    check(len(tasks) == len(told), 'tasks', len(tasks), len(told))
    for t in tasks:
        want = told[t['id']]
        check((t['after_id'], t['before_id'], t['ts'], t['dur'], t['cpu']) ==
              (want['begin'], want['end'], want['ts'], want['dur'], want['cpu']), 'task', dict(t), want)
    edges = db.execute("""SELECT d.*, o.id AS object_id, a.id AS a_id, b.id AS b_id FROM edges d
        LEFT JOIN objects o USING (object) LEFT JOIN events a ON a.event = from_event
        LEFT JOIN events b ON b.event = to_event ORDER BY edge""").fetchall()
    want = load(trace + '.edges')
    check(len(edges) == len(want), 'edges', len(edges), len(want))
    for e, w in zip(edges, want):
        check((e['from_id'], e['to_id'], e['kind'], e['class'], e['object_id'], e['bytes'], e['begin_ns'], e['end_ns']) ==
              (w['from'], w['to'], w['kind'], w['class'], w.get('object'), w.get('bytes'), w['begin'], w['end']),
              dict(e), w)
        check(bool(e['ambiguous']) == w.get('ambiguous', False), dict(e), w)
        check(e['a_id'] in (e['from_id'], None) and e['b_id'] in (e['to_id'], None), dict(e))
        check((e['a_id'] is None) == e['from_id'].startswith('barrier:'), dict(e))
    slowest = db.execute('SELECT * FROM slowest_calls LIMIT 1').fetchone()
    check(slowest['dur'] == max(e['dur'] for e in events.values()), 'slowest', dict(slowest))
    waits = collections.Counter()
    for row in db.execute('SELECT * FROM events WHERE acquires AND dur > 0'):
        waits[row['call']] += row['dur']
    by_stack = collections.Counter()
    for row in db.execute('SELECT * FROM waits_by_stack'):
        by_stack[row['call']] += row['wait_ns']
    check(waits == by_stack and all(waits.values()), 'waits', waits, by_stack)
    joined = db.execute('SELECT count(*), count(from_call), count(to_path) FROM edges_with_stacks').fetchone()
    check(joined[0] == len(want), 'edges_with_stacks', tuple(joined))
    compare_facts(check, db, trace)
    compare_extents(check, db, trace)
    examples = run_examples(check, db, doc)
    if 'server' in trace:
        check(all(examples), 'an example finds nothing', examples)
    print(f'{trace}: {len(events)} events, {len(tasks)} tasks, {len(edges)} edges, {examples} rows of examples')
    sys.exit(check.nr > 0)


main()
