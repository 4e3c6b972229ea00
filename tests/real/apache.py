# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""apache.py MODEL TASKS: compares a model of Apache with figure 2 of the Scalpel paper, node by node.

MODEL is the output of `model --format=jsonl --instances`, TASKS is the output of `tasks --format=jsonl`. For each node of
the figure, prints the number of connections in whose task it occurs. Exits with 1 if a node is missing."""
import collections
import json
import sys

# Functions of the figure (Apache 2.2 on Windows), and the calls of Apache 2.4 on Linux with the same purpose.
NODES = [
    ('winnt_accept_1', 'accept', ('accept4', )),
    ('mpm_get_completion_context', 'idler', ('ap_queue_info_wait_for_idler', )),
    ('winnt_accept_2', 'push', ('ap_queue_push_socket', 'ap_queue_push_something')),
    ('winnt_get_connection', 'pop', ('ap_queue_pop_something', )),
    ('ap_core_input_filter', 'read', ('read', 'recv')),
    ('ap_core_output_filter', 'write', ('writev', 'sendfile', 'write')),
    ('ap_lingering_close', 'close', ('ap_lingering_close', 'ap_start_lingering_close', 'shutdown')),
    ('mpm_recycle_completion_context', 'idle', ('ap_queue_info_set_idle', )),
]
# If a thread is idle, the pool of contexts is a list of atomic operations, which a trace cannot contain.
ATOMIC = {'idler', 'idle'}


def lines(path):
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def main():
    model, tasks = map(lines, sys.argv[1:3])
    labels = {t['begin']: t['label'].split(' -> ')[0].split(';') for t in tasks if t['type'] == 'task'}
    everywhere = {f for path in labels.values() for f in path}
    shapes = {t['task']: t['shapes'] for t in model if t['type'] == 'task'}
    connections = []
    for i in model:
        if i['type'] == 'instance' and i['parent'] is None:
            functions = {f for leaf in i['leaf_tasks'] for f in labels[leaf]}
            if functions & {'accept4', 'ap_queue_pop_something', 'ap_lingering_close'} and len(i['leaf_tasks']) > 5:
                connections.append((i['task'], len(i['leaf_tasks']), functions))
    by_task = collections.Counter(task for task, _, _ in connections)
    for task, count in by_task.most_common():
        sizes = sorted(size for name, size, _ in connections if name == task)
        print(f'{count} connections in {task}: {sizes[0]} to {sizes[-1]} leaf tasks, {shapes[task]} shapes')
    missing = []
    for figure, name, calls in NODES:
        count = sum(bool(functions & set(calls)) for _, _, functions in connections)
        is_traced = bool(everywhere & set(calls))
        print(f'{figure}: {", ".join(calls)}: {count} of {len(connections)}' +
              ('' if is_traced else ' (the trace has no such call: atomic operations)' if name in ATOMIC else ''))
        if name not in ATOMIC and not count:
            missing.append(figure)
    if missing:
        print('FAILED: no task contains', *missing)
    if '--pool' in sys.argv and 'ap_queue_info_wait_for_idler' not in everywhere:
        print('FAILED: no thread waited for an idle thread')
        missing.append('pool')
    sys.exit(bool(missing))


main()
