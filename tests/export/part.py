# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""part.py TRACE [THREAD...]: makes TRACE.part.events and so on: the part of the trace with these threads, in the second
and third quarter of its time.  It prints the options that select this part.  TRACE.sqlite has both instants of events."""
import json
import shutil
import sqlite3
import sys

from drawn import load


def main():
    trace, threads = sys.argv[1], sys.argv[2:]
    db = sqlite3.connect(trace + '.sqlite')
    spans = {e[0]: e[1:] for e in db.execute('SELECT id, begin_ns, end_ns FROM events')}
    first, last = min(s[0] for s in spans.values()), max(s[1] for s in spans.values())
    begin, end = first + (last - first) // 4, first + 3 * (last - first) // 4

    def has_thread(ident):
        return not threads or ident.rpartition('.')[0] in threads

    rounds = {e['to'] for e in load(trace + '.edges')
              if e['to'].startswith('barrier:') and begin <= e['end'] < end}
    events = {i for i, (came, left) in spans.items() if left >= begin and came < end and has_thread(i)}
    parts = {
        'events': [e for e in load(trace + '.events') if e['id'] in events],
        'tasks': [t for t in load(trace + '.tasks')
                  if has_thread(t['id']) and t['ts'] + t['dur'] >= begin and t['ts'] < end],
        'edges': [{'number': n, **e} for n, e in enumerate(load(trace + '.edges'), 1)
                  if e['from'] in events | rounds and e['to'] in events | rounds],
    }
    for name, lines in parts.items():
        assert (lines or name == 'edges') and len(lines) < len(load(f'{trace}.{name}')), (name, len(lines))
        with open(f'{trace}.part.{name}', 'w', encoding='utf-8') as out:
            out.writelines(json.dumps(line) + '\n' for line in lines)
    for name in 'stat', 'wall':
        shutil.copy(f'{trace}.{name}', f'{trace}.part.{name}')
    print(f'--from={begin} --to={end}', *(f'--thread={t}' for t in threads))


main()
