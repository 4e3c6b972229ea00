# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""model-turns.py client PORT CONNECTIONS REQUESTS: a client; several requests on each connection, in random order.
model-turns.py queue|atomic MODEL EVENTS REQUESTS: checks the model of tests/report/turns.c.

MODEL is the output of `model --format=jsonl --instances`, EVENTS is the output of `events --format=jsonl`."""
import collections
import json
import random
import socket
import sys


def client(port, nr_connections, nr_requests):
    connections = [socket.create_connection(('127.0.0.1', port)) for _ in range(nr_connections)]
    turns = [c for c in connections for _ in range(nr_requests)]
    random.Random(1).shuffle(turns)
    while turns:
        at_once = list(dict.fromkeys(turns[:3]))  # several connections are ready at the same time
        for c in at_once:
            turns.remove(c)
            c.send(b'request')
        for c in at_once:
            c.recv(64)
    for c in connections:
        c.close()


def lines(path):
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def check(way, model, events, nr_requests):
    hidden = sum(line['count'] for line in model if line['type'] == 'hidden')
    print('hidden hand-offs:', hidden)
    if way == 'atomic':
        assert all(line['hidden'] == 'request' and ';serve;read' in line['part'] for line in model if line['type'] == 'hidden')
        assert hidden >= 0.2 * nr_requests
        return
    assert not hidden
    accepted = {e['object'] for e in events if e['type'] == 'event' and e['call'].startswith('accept')}
    used = {e['id']: e['object'] for e in events if e['type'] == 'event' and e['object'] in accepted and e['call'] in ('read', 'write')}
    functions = {e['id']: {f['fn'] for f in e['stack']} for e in events if e['type'] == 'event'}
    sizes = collections.Counter()
    for i in model:
        if i['type'] != 'instance' or i['parent'] is not None:
            continue
        connections = {used[leaf] for leaf in i['leaf_tasks'] if leaf in used}
        assert len(connections) <= 1, 'a task with several connections: ' + i['id']
        if connections:
            all_of = [functions[leaf] for leaf in i['leaf_tasks']]
            sizes[sum('put' in f for f in all_of) > 0, sum('serve' in f for f in all_of) > 1] += 1
    print('occurrences with a connection, by (event loop, request):', dict(sizes))
    assert sizes[True, True] >= 0.9 * nr_requests


if sys.argv[1] == 'client':
    client(*map(int, sys.argv[2:]))
else:
    check(sys.argv[1], lines(sys.argv[2]), lines(sys.argv[3]), int(sys.argv[4]))
