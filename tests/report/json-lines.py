# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""json-lines.py DOC LINES1 LINES2: the same output in both versions of the JSON format.

Every line has a type.  In version 2, each key has the type and the name in version 1 that the table of DOC states.
"""
import json
import re
import sys

ROW = re.compile(r'\| `(\w+)` \| (\w+) \| [^|]+ \| ?([^|]*)\|$')
# the value of the setting json-version; the blocks of a file, which the kernel allocates later; watch and top read the clock of a trace that may still grow
UNEQUAL = 'setting.value', 'process.file_bytes', 'alarm.since_ns', 'alarm.time_ns', 'top_lock.last_sums', 'top_lock.total_sums'
failures = []


def fail(*words):
    failures.append(words)
    if len(failures) <= 20:
        print('FAILED:', *words)


def type_of(value):
    for name, of in (('boolean', bool), ('number', (int, float)), ('string', str), ('list', list)):
        if isinstance(value, of):
            return name
    return 'object'


def same(rows, path, first, second):
    """Walks through the values FIRST of version 1 and SECOND of version 2, which have the path PATH."""
    if isinstance(second, dict):
        if isinstance(first, dict) and 'object' in first and len(first) == len(second) + 1:
            if first.get('name') != first.get('object_name'):  # version 2 has only object_name
                fail(path, 'has another name:', first)
            first = {key: value for key, value in first.items() if key != 'name'}
        if not isinstance(first, dict) or len(first) != len(second):
            fail(path, 'has other members:', first, second)
            return
        for (key1, value1), (key2, value2) in zip(first.items(), second.items()):
            member(rows, path, key1, value1, key2, value2)
    elif isinstance(second, list):
        if not isinstance(first, list) or len(first) != len(second):
            fail(path, 'has other elements:', first, second)
            return
        for element1, element2 in zip(first, second):
            same(rows, path + '[]', element1, element2)
    elif first != second and not path.startswith(UNEQUAL):
        fail(path, first, second)


def member(rows, path, key1, value1, key2, value2):
    path += '.' + key2
    if key2.endswith('_wall') and key1.endswith('_wall'):  # the companion of an instant, with --wall-clock
        of, names = 'string', [name + '_wall' for name in rows.get(key2[:-5], ('', []))[1] or [key2[:-5]]]
    elif key2 not in rows and key2.endswith('_name') and key1 == key2:  # the companion of an object
        of, names = 'string' if key2[:-5] in rows else None, []
    else:
        of, names = rows.get(key2, (None, None))
    if not of:
        fail(path, 'is not in the table; its value is', json.dumps(value2)[:60])
        return
    if key1 not in [*names, key2]:
        fail(path, 'has in version 1 the key', key1)
    if value2 is not None and type_of(value2) != ('object' if of == 'map' else of):
        fail(path, 'is no', of, json.dumps(value2)[:60])
    if of != 'map':
        if key2 != 'v':
            same(rows, path, value1, value2)
    elif value1 != value2:
        fail(path, value1, value2)


def main():
    with open(sys.argv[1], encoding='utf-8') as lines:
        rows = {match[1]: (match[2], re.findall(r'\w+', match[3])) for match in map(ROW.match, lines) if match}
    seen = set()
    with open(sys.argv[2], encoding='utf-8') as first, open(sys.argv[3], encoding='utf-8') as second:
        pairs = [(json.loads(a), json.loads(b)) for a, b in zip(first, second, strict=True)]
    for line1, line2 in pairs:
        if (list(line1.items())[0], list(line2.items())[0]) != (('v', 1), ('v', 2)):
            fail('no version', line1, line2)
        if list(line1)[1] != 'type' or not line1['type'] or list(line2)[1] != 'type':
            fail('no type', line1)
            continue
        seen.add(line1['type'])
        same(rows, line1['type'], line1, line2)
    print(len(pairs), 'lines of', len(seen), 'types:', *sorted(seen))
    if len(seen) < 60:
        fail('too few types of lines')
    sys.exit(bool(failures))


main()
