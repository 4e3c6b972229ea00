# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""ctf.py TRACE, with what babeltrace2 prints of TRACE.ctf on standard input: it says what the verbs say."""
import re
import sys

from drawn import Failures, compare, load, title

LINE = re.compile(r'\[(\d+)\] \([^)]*\) (\w+): \{ (.*?) \}, \{ (.*) \}$')
CONTROL = re.compile('[\0-\x1f\x7f-\x9f]')
FIELD = re.compile(r'(\w+) = (?:"((?:[^"\\]|\\.)*)"|\( "((?:[^"\\]|\\.)*)"(?:, "[^"]*")* : container = \d+ \)|(-?\d+))')


def fields(text):
    return {key: int(number) if number else string if named is None or not named else named
            for key, string, named, number in FIELD.findall(text)}


def main():
    trace = sys.argv[1]
    check = Failures()
    events = {e['id']: e for e in load(trace + '.events')}
    edges = load(trace + '.edges')
    numbered = {e.get('number', n): e for n, e in enumerate(edges, 1)}
    names = {f"{t['process']}.{t['thread']}": CONTROL.sub('\ufffd', t['name']) if t.get('name') else f"thread {t['tid']}"
             for t in load(trace + '.stat') if t['type'] == 'thread'}
    calls, drawn, flows_from, flows_to, begun = {}, {}, {}, {}, {}
    last = nr_unended = nr_rounds = 0
    for line in sys.stdin:
        match = LINE.match(line.rstrip('\n'))
        check(match, 'what is this?', line)
        if not match:
            continue
        at, name, context, rest = match.groups()
        at, context, rest = int(at), fields(context), fields(rest)
        check(at >= last, 'not in the order of time:', line)
        last = at
        ident = rest.get('id')
        if name in ('enter', 'call', 'leave'):
            told = events[ident]
            check((context['pid'], context['tid']) == (told['pid'], told['tid']), line, told)
            check(re.sub(r'\\(.)', r'\1', context['thread_name']) == names[ident.rpartition('.')[0]], line)
            check(ident.startswith(f"{context['p']}.{context['t']}."), line)
        if name in ('enter', 'call'):
            check(rest['call'] == told['call'], line, told)
            check(rest['object'] == title(told, 'none'), line, told)
            stack = [frame['fn'] for frame in reversed(told['stack'])]
            if all(stack):
                check(rest['stack'] == (';'.join(stack) or 'none'), line, stack)
        if name in ('leave', 'call'):
            check((rest['result'], rest['errno'], rest['bytes']) ==
                  (told['result'], told['errno'], told.get('bytes', 0)), line, told)
        if name == 'enter':
            begun[ident] = at
        elif name == 'leave':
            calls[ident] = (begun[ident], begun[ident] + rest['dur'])
        elif name == 'call':
            calls[ident] = (at, at)
        elif name == 'task_begin':
            begun['task', ident] = at
        elif name == 'task_end':
            drawn[ident] = (begun['task', ident], begun['task', ident] + rest['dur'])
        elif name == 'round':
            nr_rounds += 1
        elif name == 'unended':
            nr_unended += 1
        elif name == 'edge':
            number = rest['number']
            want = numbered[number]
            flows_from[number], flows_to[number] = rest['from'], rest['to']
            check((rest['kind'], rest['class'], rest['begin_ns'], rest['end_ns'], rest['ambiguous']) ==
                  (want['kind'], want['class'], want['begin'], want['end'], want.get('ambiguous', False)), line, want)
            check(rest['object'] == title(want, 'none'), line, want)
        else:
            check(False, 'what is this?', line)
    check(nr_rounds == len({e['to'] for e in edges if e['to'].startswith('barrier:')}), 'rounds', nr_rounds)
    compare(check, trace, calls, drawn, flows_from, flows_to)
    print(f'{trace}: {len(calls)} events, {len(drawn)} tasks, {len(flows_from)} edges, {nr_unended} calls without an end')
    sys.exit(check.nr > 0)


main()
