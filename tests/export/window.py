# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""window.py TRACE: the window file TRACE.jsonl has the times that the verbs waits and contention print (TRACE.waits,
TRACE.contention).
window.py FILE paused: the window of tests/export/windows.c that tests/export/window.sh records.
window.py FILE other: FILE has the most facts that a window can have."""
import collections
import sys

from drawn import Failures, load

OPTIONAL = ('class', 'reason', 'charged', 'lock', 'culprit')
FACT = ('type', 'event', 'what', 'call', 'stack', 'n', 'ns', 'max_ns')


def integer(value):
    return type(value) is int and 0 <= value < 2**63


def read_window(check, path):
    """The window, its facts, and its definitions by type and number; checks the form of the file."""
    lines = load(path)
    window, end = lines[0], lines[-1]
    defined = {'module': {}, 'stack': {}, 'lock': {}}
    facts = []
    check(window['v'] == 1 and window['type'] == 'window', 'begins with', window)
    check(end == {'type': 'end', 'lines': len(lines)}, 'ends with', end)
    check(len(window['id']) == 32 and int(window['id'], 16) is not None, 'id', window['id'])
    for key in ('begin_ns', 'length_ns', 'wall_ns', 'events', 'lost'):
        check(integer(window[key]), key, window[key])
    for line in lines[1:-1]:
        if line['type'] == 'fact':
            for key in ('lock', 'stack', 'culprit'):
                check(line.get(key, None) is None or line[key] in defined['stack' if key == 'culprit' else key],
                      'not defined:', key, line)
            check(set(FACT) <= set(line) <= set(FACT + OPTIONAL), 'members of', line)
            check(integer(line['n']) and integer(line['ns']) and line['max_ns'] <= line['ns'] and line['n'], line)
            facts.append(line)
            continue
        check(line[line['type']] not in defined[line['type']], 'defined twice:', line)
        for frame in line.get('frames', []) + ([line['at']] if 'at' in line else []):
            check(isinstance(frame, str) or frame[0] in defined['module'] and integer(frame[1]), 'frame', frame)
        check('made' not in line or line['made'] in defined['stack'], 'not defined:', line)
        defined[line['type']][line[line['type']]] = line
    check(len(facts) <= 2000, len(facts), 'facts')
    return window, facts, defined


def compare(check, trace):
    window, facts, defined = read_window(check, trace + '.jsonl')
    waits, held, locks = collections.Counter(), 0, collections.Counter()
    for line in load(trace + '.waits'):
        if line['type'] == 'wait':
            waits[line['class'], line['reason'], line['kind'], line.get('charged')] += line['wait_ns']
        elif line['type'] == 'waits':
            check(window['wall_ns'] == line['wall_ns'], 'wall_ns', window['wall_ns'], line['wall_ns'])
    for line in load(trace + '.contention'):
        if line['type'] == 'path':
            held += line['hold']['total_ns']
            locks[line['object'].split(':')[0], line['hold']['total_ns']] += 1
    mine, mine_held = collections.Counter(), 0
    for fact in facts:
        if fact['event'] == 'hold':
            mine_held += fact['ns']
            check(fact['what'] == 'lock' and 'class' not in fact, fact)
            check('lock' in fact, 'a holding of no lock:', fact)
        else:
            mine[fact['class'], fact['reason'], fact['what'], fact.get('charged')] += fact['ns']
    check(+mine == +waits, trace, 'waits differ:', mine, waits)
    check(mine_held == held, trace, 'holdings differ:', mine_held, held)
    check(all(not path['path'].endswith('libsyntrace.so') for path in defined['module'].values()), 'the recorder')


def paused(check, path):
    window, facts, defined = read_window(check, path)
    check((window['host'], window['service'], window['version']) == ('web-17', 'cart', '4.2'), 'names', window)
    check((window['p_host'], window['p_time']) == (0.25, 0.5), 'probabilities', window)
    lock = [fact for fact in facts if fact['event'] == 'wait' and fact['what'] == 'lock']
    check(sum(fact['ns'] for fact in lock) > 90e6, 'the wait of 100 ms', lock)
    check(len({fact['lock'] for fact in lock}) == 1, 'one lock', lock)
    check(all('at' in defined['lock'][fact['lock']] for fact in lock), 'a static lock', defined['lock'])
    holds = [fact for fact in facts if fact['event'] == 'hold' and fact['max_ns'] > 90e6]
    check(len(holds) == 1 and holds[0]['lock'] == lock[0]['lock'], 'the holding', holds)
    check(max(fact['ns'] for fact in facts if fact['call'] == 'usleep') >= 10**9, 'the last wait was cut', facts)
    check(not any(15e6 < fact['max_ns'] < 60e6 and fact['call'] == 'usleep' for fact in facts),
          'a wait of the first window', facts)
    check(abs(window['wall_ns'] - 2 * window['length_ns']) <= 2, 'wall_ns is not of two threads', window)
    check(window['events'] < 60, window['events'], 'events')


def main():
    check = Failures()
    if len(sys.argv) == 2:
        compare(check, sys.argv[1])
    elif sys.argv[2] == 'paused':
        paused(check, sys.argv[1])
    else:
        window, facts, defined = read_window(check, sys.argv[1])
        check(len(facts) == 2000, len(facts), 'facts')
        check([fact['event'] for fact in facts if fact['what'] == 'other'] == ['wait', 'hold'], 'other', facts[-2:])
        waited = sum(line['wait_ns'] for line in load(sys.argv[1] + '.waits') if line['type'] == 'wait')
        check(sum(fact['ns'] for fact in facts if fact['event'] == 'wait') == waited, 'with other: not all')
    sys.exit(check.nr != 0)


main()
