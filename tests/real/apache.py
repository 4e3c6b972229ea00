# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""apache.py MODEL EVENTS [--pool]: compares a model of Apache with figure 2 of the Scalpel paper, node by node.

MODEL is the output of `model --format=jsonl --instances`, EVENTS is the output of `events --format=jsonl`. The events tell
which connection each leaf task uses, without the model. A task on top belongs to a connection if it contains a use of it.
For each node of the figure, prints the number of connections whose tasks contain the node. Exits with 1 if a task contains
two connections, or if the tasks of a connection lack a node. With --pool, Apache must wait for an idle thread now and
then; otherwise, the output must say that a hand-off may be hidden."""
import collections
import json
import sys

# Functions of the figure (Apache 2.2 on Windows), and the calls of Apache 2.4 on Linux with the same purpose.
NODES = [
    ('winnt_accept_1', {'accept4'}),
    ('mpm_get_completion_context', {'ap_queue_info_wait_for_idler'}),
    ('winnt_accept_2', {'ap_queue_push_socket', 'ap_queue_push_something'}),
    ('winnt_get_connection', {'ap_queue_pop_something'}),
    ('ap_core_input_filter', {'ap_core_input_filter'}),
    ('SVN modules', {'dav_get_resource'}),
    ('ap_core_output_filter', {'ap_core_output_filter'}),
    ('ap_lingering_close', {'ap_lingering_close', 'ap_start_lingering_close', 'shutdown'}),
    ('mpm_recycle_completion_context', {'ap_queue_info_set_idle'}),
]
# If a thread is idle, the pool of contexts is a list of atomic operations, which a trace cannot contain.
POOL = {'mpm_get_completion_context', 'mpm_recycle_completion_context'}


def lines(path, kind):
    with open(path, encoding='utf-8') as file:
        return [line for line in map(json.loads, file) if line['type'] in kind]


def main():
    model = lines(sys.argv[1], ('instance', 'hidden'))
    events = {e['id']: e for e in lines(sys.argv[2], ('event', ))}
    is_pool = '--pool' in sys.argv
    accepted = {e['object'] for e in events.values() if e['call'] == 'accept4' and e['result'] >= 0}
    tasks = collections.defaultdict(list)  # connection -> its tasks: name, functions
    pool, nr_failed = collections.Counter(), 0
    for i in model:
        if i['type'] != 'instance' or i['parent'] is not None:
            continue
        leaves = [events[leaf] for leaf in i['leaf_tasks']]
        functions = {f['fn'] for e in leaves for f in e['stack']} | {e['call'] for e in leaves}
        used = {e['object'] for e in leaves} & accepted
        if len(used) > 1:
            print('FAILED: the task', i['task'], i['id'], 'contains', len(used), 'connections')
            nr_failed += 1
        for connection in used:
            tasks[connection].append((i['task'], functions))
        if {'ap_queue_info_set_idle', 'ap_queue_info_wait_for_idler'} <= functions:
            pool[i['task']] += 1
    whole = sum(len(t) == 1 for t in tasks.values())
    print(f'{len(accepted)} connections, {whole} in one task; {sum(map(len, tasks.values()))} tasks; '
          f'context pool: {sum(pool.values())} tasks')
    for figure, calls in NODES:
        count = sum(any(functions & calls for _, functions in of) for of in tasks.values())
        print(f'{figure}: {count} of {len(accepted)}')
        # a connection without a request executes no module; the ends of a trace cut some tasks
        if figure not in POOL and count < 0.5 * len(accepted):
            nr_failed += 1
            print('FAILED: too few tasks contain', figure)
    is_hidden = any(line['type'] == 'hidden' and 'ap_queue_info' in line['part'] for line in model)
    if is_pool != (sum(pool.values()) > 0) or is_pool == is_hidden:
        nr_failed += 1
        print('FAILED: the pool of contexts:', dict(pool), 'hidden:', is_hidden)
    sys.exit(nr_failed > 0)


main()
