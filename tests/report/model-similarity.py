# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""model-similarity.py A B: the similarity of two models (--format=jsonl), in both directions.

The similarity of A to B is the mean over the leaf tasks in the top tasks of A. The value of a task is the best Jaccard index of its
set of leaf paths with the set of a task of B. The stable part consists of the leaf paths that occur in both runs at least
STABLE times; the other paths belong to the begin, to the end, or to rare cases. Exits with 1 if the similarity of the stable part is less than 0.95.
"""
import collections
import json
import sys

STABLE = 20


def read(path):
    """The weight and the leaf paths of each task, and the number of occurrences of each leaf path."""
    tasks, parts, counts = {}, collections.defaultdict(list), collections.Counter()
    with open(path, encoding='utf-8') as file:
        for line in map(json.loads, file):
            if line['type'] == 'task':
                tasks[line['task']] = line
            elif line['type'] == 'part':
                parts[line['task']].append(line)
            if line['type'] == 'part' and line['is'] == 'leaf' or line['type'] == 'rest':
                counts[line['part']] += line['count']
    paths = {}
    for name in sorted(tasks, key=lambda name: tasks[name]['layer']):
        paths[name] = set()
        for part in parts[name]:
            paths[name] |= paths[part['part']] if part['is'] == 'task' else {part['part']}
    weights = {name: task['leaf_tasks'] * task['top_count'] / task['count'] for name, task in tasks.items()}
    return weights, paths, counts


def similarity(a, b, keep):
    weights, paths, _ = a
    others = {frozenset(filter(keep, other)) for other in b[1].values()}
    whole = all_weights = 0
    worst = []
    for name, weight in weights.items():
        mine = set(filter(keep, paths[name]))
        if not mine or not weight:
            continue
        best = max((len(mine & other) / len(mine | other) for other in others), default=0)
        worst.append(((1 - best) * weight, name, round(best, 3)))
        whole += best * weight
        all_weights += weight
    return whole / all_weights if all_weights else 0, sorted(worst, reverse=True)[:3]


def main():
    a, b = map(read, sys.argv[1:])
    stable = {path for path in a[2] if a[2][path] >= STABLE and b[2][path] >= STABLE}
    results = []
    for title, keep in (('all', lambda path: True), ('stable', stable.__contains__)):
        there, back = similarity(a, b, keep), similarity(b, a, keep)
        results = there, back
        print('%s %.3f and %.3f' % (title, there[0], back[0]), end='; ')
    print('%d and %d tasks, %d of %d and %d leaf paths are stable' %
          (len(a[0]), len(b[0]), len(stable), len(a[2]), len(b[2])))
    for value, worst in results:
        if value < 0.95:
            print('   the least similar:', '; '.join('%s %s (%d leaf tasks lost)' % (n, s, w) for w, n, s in worst))
    sys.exit(min(results[0][0], results[1][0]) < 0.95)


main()
