# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""chrome.py TRACE FILE: the export FILE is JSON, and says what the verbs say, as perfetto.py tells."""
import json
import sys
from decimal import Decimal

from drawn import Failures, compare, load


def main():
    trace, path = sys.argv[1:]
    check = Failures()
    events = {e['id']: e for e in load(trace + '.events')}
    with open(path, encoding='utf-8') as lines:
        whole = json.load(lines, parse_float=Decimal)
    begin = whole['otherData']['begin_ns']
    check(whole['otherData']['coverage']['type'] == 'coverage', 'no coverage')
    frames, named, open_slices, counters = whole['stackFrames'], set(), {}, {}
    calls, drawn, flows_from, flows_to, last = {}, {}, {}, {}, 0
    for frame in frames.values():
        check('parent' not in frame or frame['parent'] in frames, 'frame', frame)
    for event in whole['traceEvents']:
        kind, track = event['ph'], (event['pid'], event['tid'])
        if kind == 'M':
            check((track, event['name']) not in named, 'two of', track)
            named.add((track, event['name']))
            continue
        at = event['ts'] * 1000
        check(at == int(at), 'no whole nanoseconds:', event)
        at = begin + int(at)
        stack = open_slices.setdefault(track, [])
        if kind == 'C':
            counters[track] = event['args']['threads']
            check(counters[track] >= 0, event)
            continue
        check((track, 'thread_name') in named, 'a track without name:', event)
        check('id' not in event.get('args', {}) or at >= last, 'not in the order of time:', event)
        last = max(last, at)
        if kind == 'B':
            check('sf' not in event or event['sf'] in frames, 'stack', event)
            args, is_task = event['args'], event['cat'] == 'task'
            stack.append((at, args.get('id'), is_task))
            if is_task or args.get('id') not in events:
                continue
            told = events[args['id']]
            check(event['name'] == told['call'] and args['result'] == told['result'] and
                  args.get('object') == told['object'] and args.get('bytes', 0) == told.get('bytes', 0),
                  event, told)
        elif kind == 'E':
            check(stack, 'an end without a begin:', event)
            begun, ident, is_task = stack.pop()
            end = begun + event['args']['dur_ns'] if 'args' in event else at
            if is_task:
                drawn[ident] = (begun, end)
            elif ident in events:
                calls[ident] = (begun, end)
        elif kind == 's':
            check(stack and event['id'] not in flows_from, 'arrow', event)
            flows_from[event['id']] = stack[-1][1]
        elif kind == 'f':
            check(stack and event['id'] in flows_from and event['bp'] == 'e', 'arrow', event)
            flows_to[event['id']] = stack[-1][1]
        else:
            check(False, 'what is this?', event)
    left = [s for stack in open_slices.values() for s in stack]
    check(all(ident is None for _, ident, _ in left), 'slices without an end', left)
    check(len(left) == sum(counters.values()), 'calls without an end', left, counters)
    compare(check, trace, calls, drawn, flows_from, flows_to)
    print(f'{trace}: {len(calls)} events, {len(drawn)} tasks, {len(flows_from)} flows, '
          f'{len(left)} calls without an end, {len(frames)} frames')
    sys.exit(check.nr > 0)


main()
