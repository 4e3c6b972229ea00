# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""sqlite.py TRACE DOC: the database TRACE.sqlite says what the verbs say, and DOC names its columns."""
import collections
import json
import re
import sqlite3
import sys

from drawn import Failures, load, wall_offset


def compare_doc(check, db, path):
    with open(path, encoding='utf-8') as lines:
        named = set(re.findall('`([a-z0-9_]+)`', lines.read()))
    for name, in db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')").fetchall():
        check(name in named, 'the document does not name', name)
        for column in db.execute(f'PRAGMA table_info({name})'):
            check(column['name'] in named, 'the document does not name', name, column['name'])
        nr, = db.execute(f'SELECT count(*) FROM {name}').fetchone()
        check(nr or name in ('waits_by_object', 'edges_with_stacks', 'edges'), name, 'is empty')


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
            check(e[column] == t[key], e['id'], column, e[column], t[key])
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
    print(f'{trace}: {len(events)} events, {len(tasks)} tasks, {len(edges)} edges')
    sys.exit(check.nr > 0)


main()
