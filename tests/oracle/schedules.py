# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""The client of schedules.c, and the judge of its event strings.

schedules.py load SEED CLIENTS PROGRAM...        runs PROGRAM SEED, sends all requests, writes the ports to CLIENTS
schedules.py collect CLIENTS DECODE TRACE OUT    writes the event strings of each request
schedules.py judge OUT...                        compares the event strings of all schedules

Three connections carry the same requests in each schedule, one at a time. The id of a request is its connection and its
number there. `collect` decodes the requests, and the steps of one request of each behaviour. It sorts sibling segments
by text. schedules_truth.py finds the same strings by the names of functions.

`judge` requires that a request has the same event string in all schedules, that two requests have the same string only
if they are of the same kind, and that the string contains exactly the functions do_*() of its kind. The events of the
steps must be those of the truth.
"""
import collections
import json
import os
import random
import re
import socket
import subprocess
import sys
import threading
import time

from schedules_truth import Truth, key

NR_CLIENTS, OF_EACH_KIND, MESSAGE = 3, 4, 16
# More behaviours than these show that the strings differ; their steps are not decoded.
MOST_BEHAVIOURS = 40

RECEIVED = ['do_receive', 'do_put', 'do_put', 'do_take']
ANSWERED = ['do_answer', 'do_log_lock', 'do_log_write']
STORE = ['do_store_receive', 'do_store_look_up', 'do_store_answer']
LOOP = ['do_loop_receive', 'do_loop_look_up', 'do_loop_answer']
HELPER = ['do_put', 'do_put', 'do_take', 'do_help', 'do_report', 'do_report', 'do_await']
ASK_STORE, ASK_LOOP = 2 * ['do_ask_store'] + STORE, 2 * ['do_ask_loop'] + LOOP

# The functions whose calls have a symbol, by kind of the request. A function occurs once for each of its calls.
KINDS = {
    'count': RECEIVED + ['do_count'] + ANSWERED,
    'store': RECEIVED + ASK_STORE + ANSWERED,
    'deep': RECEIVED + ASK_STORE + 2 * ['do_store_ask_loop'] + LOOP + ANSWERED,
    'helper': RECEIVED + HELPER + ANSWERED,
    'thread': RECEIVED + ['do_create', 'do_threaded'] + 2 * ['do_ask_store_in_thread'] + STORE + ['do_join'] + ANSWERED,
    'loop': RECEIVED + ASK_LOOP + ANSWERED,
    'mixed': RECEIVED + ['do_read_file'] + ASK_LOOP + HELPER + ['do_sleep'] + ASK_STORE + ANSWERED,
    'pass on': ['do_receive', 'do_pass_on'] + LOOP + ['do_receive_reply', 'do_answer_passed'],
}


def kinds_of(client):
    """The kinds of the requests on a connection."""
    kinds = sorted(KINDS) * OF_EACH_KIND
    random.Random(client).shuffle(kinds)
    return kinds


# ---- load ----

def talk(client, connection, noise, errors):
    try:
        for number, kind in enumerate(kinds_of(client)):
            message = ('%s %d' % (kind, number)).ljust(MESSAGE).encode()
            if noise.random() < 0.3:
                time.sleep(noise.random() * 0.0005)
            connection.sendall(message)
            if connection.recv(MESSAGE, socket.MSG_WAITALL) != message:
                raise OSError('not the answer to %s' % message)
    except OSError as error:
        errors.append('connection %d: %s' % (client, error))
    connection.close()


def load(seed, clients, program):
    errors = []
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        port = int(process.stdout.readline())
        connections = []
        for _ in range(NR_CLIENTS):
            connections.append(socket.create_connection(('127.0.0.1', port), timeout=60))
        with open(clients, 'w', encoding='utf-8') as file:
            json.dump(['%s:%d' % c.getsockname() for c in connections], file)
        threads = [threading.Thread(target=talk, args=(i, c, random.Random(seed * NR_CLIENTS + i), errors))
                   for i, c in enumerate(connections)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    if process.returncode:
        errors.append('exit status %d' % process.returncode)
    if errors:
        sys.exit('FAILED: ' + '; '.join(errors))


# ---- collect ----

def decode(command):
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=120).stdout
    return [json.loads(line) for line in out.splitlines()]


def string_of(steps):
    """The event string: the tree of segments depth first, in brackets behind the event that launched them. A segment
    consists of the steps of one thread with the same parent."""
    segments, present = collections.defaultdict(lambda: collections.defaultdict(list)), {s['event'] for s in steps}
    for s in steps:
        process, thread, number = (int(n) for n in s['event'].split('.'))
        parent = s['parent'] if s['parent'] in present else None
        segments[parent][process, thread].append((number, s['event'], s['symbol']))

    def text(parent):
        return sorted([symbol for _, event, symbol in sorted(segment) for symbol in [symbol] + brackets(event)]
                      for segment in segments[parent].values())

    def brackets(event):
        return [symbol for segment in text(event) for symbol in ['['] + segment + [']']] if event in segments else []

    return [symbol for segment in text(None) for symbol in segment]


def requests_of(command, verb, trace, ports):
    """The request lines of the clients, in the order of their numbers, and the id of each."""
    numbers, ids = collections.Counter(), []
    lines = [x for x in decode([command] + verb + ['--format=jsonl', trace]) if x['type'] == 'request' and x['client'] in ports]
    lines.sort(key=lambda x: x['request'])
    for line in lines:
        client = ports.index(line['client'])
        ids.append('%d.%d' % (client, numbers[client]))
        numbers[client] += 1
    return list(zip(ids, lines))


def truth_of(command, trace, ports):
    """The steps of each request by its id, as the program knows them."""
    lines = requests_of(command, ['critical-path', '--requests', '--limit=1000000'], trace, ports)
    events = decode([command, 'events', '--format=jsonl', trace])
    edges = decode([command, 'edges', '--inferred', '--format=jsonl', trace])
    return Truth(events, edges, {line['connection']: ports.index(line['client']) for _, line in lines}).steps()


def names_of(steps):
    return {s['event'] for s in steps}


def collect(clients, command, trace, out):
    """Writes the strings that the program knows, those of the decoder, and the first differences of their events."""
    with open(clients, encoding='utf-8') as file:
        ports = json.load(file)
    truth = truth_of(command, trace, ports)
    result = {'truth': {number: string_of(steps) for number, steps in truth.items()}, 'decoder': {}, 'differences': []}
    shown = {}
    for number, line in requests_of(command, ['requests', '--all'], trace, ports) if has_requests(command) else []:
        behaviour = line['behaviour']
        if behaviour not in shown and len(shown) < MOST_BEHAVIOURS:
            steps = [x for x in decode([command, 'requests', '--show=%d' % line['request'], '--format=jsonl', trace])
                     if x['type'] == 'step']
            shown[behaviour] = string_of(steps)
            for what, events in (('missing', names_of(truth.get(number, [])) - names_of(steps)),
                                 ('wrong', names_of(steps) - names_of(truth.get(number, [])))):
                if events:
                    result['differences'].append('request %s (%d): %s: %s' % (number, line['request'], what,
                                                                              ' '.join(sorted(events, key=key)[:6])))
        result['decoder'][number] = shown.get(behaviour, ['behaviour %s' % behaviour])
    with open(out, 'w', encoding='utf-8') as file:
        json.dump(result, file)


def has_requests(command):
    """Whether the decoder has the verb."""
    return not subprocess.run([command, 'requests', '--help'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode


# ---- judge ----

def functions_of(string):
    """The functions do_*() of a string, one for each symbol: the innermost one of the call path."""
    return collections.Counter(re.findall(r'\bdo_\w+', s)[-1] if 'do_' in s else s for s in string if s not in '[]')


def difference(got, expected):
    """The first place at which two strings differ."""
    at = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b), min(len(got), len(expected)))
    return 'at %d: %s instead of %s' % (at, ' '.join(got[at:at + 3]) or 'the end', ' '.join(expected[at:at + 3]) or 'the end')


def judge_of_kinds(of_kind, seen, errors):
    """Each kind has one string, which contains the functions of the kind. SEEN has the first request with each string."""
    for kind, texts in of_kind.items():
        ranked = sorted(texts.items(), key=lambda x: (-x[1], x[0])) or [((), 0)]
        for text, nr in ranked[1:]:
            errors['%s: %s, in %s' % (kind, difference(text, ranked[0][0]), seen[text])] += nr
        have, want = functions_of(ranked[0][0]), collections.Counter(KINDS[kind])
        if have != want:
            errors['%s: missing %s, too many %s in: %s' % (kind, sorted((want - have).elements()), sorted((have - want).elements()),
                                                           ' '.join(ranked[0][0]))] += 1
    kinds_of_text = collections.defaultdict(set)
    for kind, texts in of_kind.items():
        for text in texts:
            kinds_of_text[text].add(kind)
    for kinds in kinds_of_text.values():
        if len(kinds) > 1:
            errors['the same string for the kinds %s' % sorted(kinds)] += 1
    return len(kinds_of_text)


def judge_strings(what, schedules):
    """Prints the errors of all schedules, and returns whether there are any."""
    kinds = {'%d.%d' % (c, n): kind for c in range(NR_CLIENTS) for n, kind in enumerate(kinds_of(c))}
    errors, of_kind, seen = collections.Counter(), {k: collections.Counter() for k in KINDS}, {}
    for path, strings in schedules.items():
        if set(strings) != set(kinds):
            errors['%s: the requests differ from those sent: %s' % (path, sorted(set(strings) ^ set(kinds)))] += 1
        for number in sorted(set(strings) & set(kinds)):
            of_kind[kinds[number]][tuple(strings[number])] += 1
            seen.setdefault(tuple(strings[number]), 'request %s of %s' % (number, os.path.basename(path)))
    nr_strings = judge_of_kinds(of_kind, seen, errors)
    nr_several = sum(len({tuple(s[number]) for s in schedules.values() if number in s}) > 1 for number in kinds)
    for error, nr in errors.most_common(40):
        print('FAILED: %s: %d times: %s' % (what, nr, error))
    print('%s: %d schedules of %d requests of %d kinds: %d strings, %d requests with several strings' %
          (what, len(schedules), len(kinds), len(KINDS), nr_strings, nr_several))
    return bool(errors)


def judge(paths):
    results = {}
    for path in paths:
        with open(path, encoding='utf-8') as file:
            results[path] = json.load(file)
    is_bad = judge_strings('truth', {path: r['truth'] for path, r in results.items()})
    if any(r['decoder'] for r in results.values()):
        is_bad |= judge_strings('decoder', {path: r['decoder'] for path, r in results.items()})
    else:
        print('the decoder has no verb requests')
    for text in [text for r in results.values() for text in r['differences']][:40]:
        print('FAILED: ' + text)
        is_bad = True
    sys.exit(is_bad)


def main():
    if sys.argv[1] == 'load':
        load(int(sys.argv[2]), sys.argv[3], sys.argv[4:])
    elif sys.argv[1] == 'collect':
        collect(*sys.argv[2:])
    else:
        judge(sys.argv[2:])


main()
