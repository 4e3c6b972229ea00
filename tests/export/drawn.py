# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""What was drawn of a trace, held to what the verbs events, edges and tasks say of it."""
import calendar
import json
import time


def load(path):
    with open(path, encoding='utf-8') as lines:
        return [json.loads(line) for line in lines]


def wall_offset(trace):
    """The wall-clock time minus the time of the trace in ns, by the first event of the verb events --wall-clock."""
    event, = load(trace + '.wall')
    seconds, rest = event['ts_wall'][:-1].split('.')
    return calendar.timegm(time.strptime(seconds, '%Y-%m-%dT%H:%M:%S')) * 10**9 + int(rest) - event['ts']


class Failures:
    def __init__(self):
        self.nr = 0

    def __call__(self, condition, *what):
        if not condition:
            self.nr += 1
            if self.nr <= 10:
                print('FAILED:', *what)


def compare(check, trace, calls, drawn, flows_from, flows_to):
    """CALLS and DRAWN (tasks): (begin, end) in ns by id.  FLOWS: ids of events by the edge's number."""
    events = {e['id']: e for e in load(trace + '.events')}
    edges = load(trace + '.edges')
    tasks = {t['id']: t for t in load(trace + '.tasks')}
    check(set(calls) == set(events), 'events are not the same', set(calls) ^ set(events))
    for ident, (begin, end) in calls.items():
        e = events[ident]
        check(end - begin == e['dur'] and e['ts'] in (begin, end), ident, begin, end, e['ts'], e['dur'])
    for ident, task in tasks.items():
        if task['dur']:
            # its length is rounded down, and so are its ends
            begin, end = drawn.get(ident, (0, 0))
            check(begin == task['ts'] and end - begin - task['dur'] in (0, 1), 'task', ident, begin, end, task)
    check(set(drawn) <= set(tasks), 'tasks that are none')
    for n, edge in enumerate(edges, 1):
        number = edge.get('number', n)
        check(flows_from.get(number) == edge['from'], 'flow', number, flows_from.get(number), edge)
        check(flows_to.get(number) == edge['to'], 'flow', number, flows_to.get(number), edge)
    check(len(flows_from) == len(edges), 'flows', len(flows_from), 'edges', len(edges))


def title(line, otherwise):
    """The object of a JSON line as exports write it: its kind and name, or without a name its address."""
    if not line.get('object'):
        return otherwise
    name = line.get('object_name')
    return line['object'].split(':')[0] + ':' + name if name else line['object']
