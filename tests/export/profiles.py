# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""profiles.py TRACE: TRACE.folded and TRACE.pprof (decoded by protoc) have each nanosecond of the waits that
the events tell, TRACE.contention.pprof those that the verb contention tells (TRACE.contention)."""
import collections
import json
import sys

from drawn import Failures, load, title, wall_offset
from prototext import parse


def read_profile(check, path):
    """[{'frames': [innermost first], 'labels': {}, 'values': ()}], and the types of the values."""
    tables, strings, samples, types, comments, times = collections.defaultdict(dict), [], [], [], [], []
    with open(path, encoding='utf-8') as lines:
        for key, value in parse(lines):
            if key == 'string_table':
                strings.append(value.decode('utf-8'))
            elif key == 'sample':
                samples.append(value)
            elif key == 'sample_type':
                types.append((strings_at(value, 'type'), strings_at(value, 'unit')))
            elif key == 'comment':
                comments.append(value)
            elif key == 'time_nanos':
                times.append(value)
            elif key in ('location', 'function', 'mapping'):
                check(value['id'][0] not in tables[key], 'defined twice:', key, value)
                tables[key][value['id'][0]] = value
    path = path.removesuffix('.pprof').removesuffix('.contention')
    events, offset = load(path + '.events'), wall_offset(path)
    begins = [min(e['ts'] - e['dur'] for e in events), min(e['ts'] for e in events)]
    check(len(times) == 1 and begins[0] <= times[0] - offset <= begins[1], 'time', times, begins, offset)
    check(strings[0] == '', 'the first string is', strings[0])
    check(json.loads(strings[comments[0]])['type'] == 'coverage', 'no coverage')
    result = []
    for sample in samples:
        frames = []
        for number in sample['location_id']:
            location = tables['location'][number]
            check(location.get('mapping_id', [0])[0] in [0, *tables['mapping']], 'mapping', location)
            frames += [strings[tables['function'][line['function_id'][0]]['name'][0]] for line in location['line']]
        labels = {strings[label['key'][0]]: strings[label['str'][0]] for label in sample['label'] if 'str' in label}
        result.append((frames, labels, sample['value']))
    return result, [(strings[t], strings[u]) for t, u in types]


def strings_at(value, key):
    return value.get(key, [0])[0]


def compare_waits(check, trace):
    told, number = collections.Counter(), collections.Counter()
    for event in load(trace + '.events'):
        if event['dur']:
            told[event['call']] += event['dur']
            number[event['call']] += 1
    folded = collections.Counter()
    with open(trace + '.folded', encoding='utf-8') as lines:
        stacks = [line.rpartition(' ')[0] for line in lines]
    check(len(stacks) == len(set(stacks)), 'two lines of one call stack')
    with open(trace + '.folded', encoding='utf-8') as lines:
        first = next(lines)
        check(first.startswith('# ns {') and json.loads(first[5:])['type'] == 'coverage', first)
        for line in lines:
            stack, ns = line.rstrip('\n').rsplit(' ', 1)
            folded[stack.split(';')[-1]] += int(ns)
    for call, ns in folded.items():
        check(told[call] == ns, 'folded', call, ns, told[call])
    for call in ('pthread_mutex_lock', 'pthread_join', 'pthread_barrier_wait', 'sem_wait', 'wait', 'read', 'usleep'):
        check(folded[call] == told[call], 'folded without', call, told[call])
    samples, types = read_profile(check, trace + '.pprof')
    check(types == [('waits', 'count'), ('wait', 'nanoseconds')], types)
    ns, count = collections.Counter(), collections.Counter()
    for frames, labels, values in samples:
        check(labels['process'], 'no process', labels)
        count[frames[0]] += values[0]
        ns[frames[0]] += values[1]
    check(ns == folded, 'pprof', ns - folded, folded - ns)
    check(all(count[call] == number[call] for call in count), 'counts', count, number)
    return sum(folded.values())


def compare_contention(check, trace):
    locks = {}
    for line in load(trace + '.contention'):
        if line['type'] == 'lock' and line['wait']['count']:
            locks.setdefault(title(line, None), [0, 0])[0] += line['wait']['count']
        if line['type'] == 'path':
            locks.setdefault(title(line, None), [0, 0])[1] += line['wait']['total_ns']
    locks = {key: value for key, value in locks.items() if any(value)}
    samples, types = read_profile(check, trace + '.contention.pprof')
    check(types == [('contentions', 'count'), ('delay', 'nanoseconds')], types)
    sums = {}
    for _, labels, (count, ns) in samples:
        entry = sums.setdefault(labels['lock'], [0, 0])
        entry[0] += count
        entry[1] += ns
        check(labels['charged'] != 'held' or labels['culprit'], 'nobody', labels)
    check(sums == locks, 'contention', sums, locks)
    return len(sums)


def main():
    trace = sys.argv[1]
    check = Failures()
    ns, nr = compare_waits(check, trace), compare_contention(check, trace)
    print(f'{trace}: {ns} ns of waits, {nr} locks')
    sys.exit(check.nr > 0)


main()
