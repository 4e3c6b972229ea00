# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""model.py MODEL WAITS TASKS EXPANDED GRAPH: the sums over a model equal the sums over its trace."""
import collections
import json
import sys


def lines(path):
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def of_type(all_lines, name):
    return [line for line in all_lines if line['type'] == name]


def same(what, a, b):
    if a != b:
        print('FAILED:', what, a, b)
        sys.exit(1)


def graph_of(line):
    """The nodes and arcs of a graph, without the numbers of nodes."""
    labels = {node['id']: (node['type'], str(node['label'])) for node in line['nodes']}
    nodes = sorted((labels[n['id']], n['count'], n['total'], n['max']) for n in line['nodes'])
    arcs = sorted((labels[a['from']], labels[a['to']], a['kind'], a['class'], a['count']) for a in line['arcs'])
    return nodes, arcs


def main():
    model, waits, tasks, expanded, graph = map(lines, sys.argv[1:])
    whole = of_type(model, 'model')[0]
    parts = of_type(model, 'part')
    ids = {task['begin'] for task in of_type(tasks, 'task')}
    same('leaf tasks', whole['leaf_tasks'], len(ids))
    counts = [part for part in parts if part['is'] == 'leaf'] + of_type(model, 'rest') + of_type(model, 'joined')
    same('leaf parts, rest and joined', sum(line['count'] for line in counts), len(ids))

    # each leaf task is in one occurrence on top, or in none
    instances = of_type(model, 'instance')
    found = collections.Counter(i for line in instances if not line['parent'] for i in line['leaf_tasks'])
    same('leaf tasks in tasks', whole['in_tasks'], len(found))
    same('leaf tasks in two tasks', [i for i, n in found.items() if n > 1 or i not in ids], [])
    by_task = collections.Counter(line['task'] for line in instances)
    for task in of_type(model, 'task'):
        same(task['task'], task['count'], by_task[task['task']])
        if not task['count'] or not task['latency']['p50'] <= task['latency']['p99'] <= task['latency']['max']:
            print('FAILED:', task)
            sys.exit(1)

    # the costs of a task are a partition of the latencies of its occurrences
    latencies, costs = collections.Counter(), collections.Counter()
    nr_costs = collections.Counter()
    for line in instances:
        latencies[line['task']] += line['dur']
    for line in of_type(model, 'cost'):
        costs[line['task']] += line['dur']
        nr_costs[line['task']] += 1
        if line['spent'] not in ('call', 'run', 'other_call', 'other_run') or not line['dur'] or not line['path']:
            print('FAILED:', line)
            sys.exit(1)
    for name, latency in latencies.items():
        if abs(costs[name] - latency) > nr_costs[name] + by_task[name] + 1:
            print('FAILED: costs', name, costs[name], latency)
            sys.exit(1)

    # the waits of a task are the waits of its parts and between its parts
    for task in of_type(model, 'task'):
        inside = [part for part in parts if part['task'] == task['task'] and part['is'] == 'task']
        sums = collections.Counter(task['own_waits'])
        for part in inside:
            sums.update(part['waits'])
        for kind, wait in task['waits'].items():
            if abs(sums[kind] - wait) > len(inside) + 1:
                print('FAILED: waits of parts', task, inside)
                sys.exit(1)

    # the waits of all tasks and outside, each counted once
    sums = collections.Counter(whole['outside']['own_waits'])
    for task in of_type(model, 'task'):
        sums.update(task['own_waits'])
    rounding = len(of_type(model, 'task')) + 1
    for kind, classes in of_type(waits, 'waits')[0]['by_kind_ns'].items():
        if abs(sums[kind] - sum(classes.values())) > rounding + len(classes):
            print('FAILED: waits', kind, sums[kind], classes)
            sys.exit(1)

    # the running time: the duration of the leaf tasks, each rounded to ns, without the waits inside of them
    durations = {task['id']: task['dur'] for task in of_type(tasks, 'task')}
    leaves = collections.defaultdict(list)
    for line in instances:
        leaves[line['task']] += line['leaf_tasks']
    profiles = [(task['task'], task, leaves[task['task']]) for task in of_type(model, 'task')]
    for name, profile, of in profiles + [('outside', whole['outside'], [i for i in durations if i not in found])]:
        more = sum(durations[i] for i in of) - profile['ran']
        if not -len(of) <= more <= len(of) + sum(profile['waits'].values()):
            print('FAILED: ran', name, profile['ran'], more, profile['waits'])
            sys.exit(1)
    same('expanded model', graph_of(of_type(expanded, 'graph')[0]), graph_of(graph[0]))


main()
