# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""requests_windows.py MODEL ONE_IN REQUESTS...: windows of unchanged runs have no level shift, and few odd requests.

REQUESTS are outputs of `requests --against=MODEL --one-in=ONE_IN --all --format=jsonl`, one for each run. The windows of a day, at the
rate of the runs, begin at random requests of random runs. The rule for a shift is that of decoder/request/mix.h, in two consecutive
windows; clusters with equal steps count as one. The output also has the shifts of single clusters: the work alone may shift."""
import bisect
import json
import math
import random
import sys

WINDOW = 200
SHIFT_P, SHIFT_VARIATION, LEAST_EXPECTED = 1e-6, 0.1, 5
DAY = 86400


def chi_square_tail(x, degrees):
    """Each step adds two degrees of freedom (Abramowitz and Stegun, 26.4.8)."""
    tail, d = (math.erfc(math.sqrt(x / 2)), 1) if degrees % 2 else (math.exp(-x / 2), 2)
    while x > 0 and d < degrees:
        tail += math.exp(d / 2 * math.log(x / 2) - x / 2 - math.lgamma(d / 2 + 1))
        d += 2
    return tail


def shift(model, window):
    """Returns p and the total variation of two lists of counts."""
    nr_model, nr_window = sum(model), sum(window)
    smaller = min(nr_model, nr_window) / (nr_model + nr_window)
    groups, rare = [], [0, 0]
    for pair in zip(model, window):
        if sum(pair) * smaller < LEAST_EXPECTED:
            rare = [rare[0] + pair[0], rare[1] + pair[1]]
        else:
            groups.append(pair)
    groups = [pair for pair in groups + [rare] if sum(pair)]
    g = 0
    for a, b in groups:
        share = (a + b) / (nr_model + nr_window)
        g += sum(2 * n * math.log(n / (share * nr)) for n, nr in ((a, nr_model), (b, nr_window)) if n)
    variation = sum(abs(a / nr_model - b / nr_window) for a, b in groups) / 2
    return (chi_square_tail(g, len(groups) - 1) if len(groups) > 1 else 1.0), variation


def read_model(path):
    """Returns the count of each cluster, and of no cluster, and the number of its steps: equal steps have equal numbers."""
    with open(path, encoding='utf-8') as file:
        rows = [line.rstrip('\n').split('\t') for line in file]
    clusters = [row for row in rows if row[0] == 'cluster']
    strings = sorted({row[2] for row in clusters})
    return [int(row[1]) for row in clusters] + [0], [strings.index(row[2]) for row in clusters] + [len(strings)]


def read_run(path):
    """Returns the requests of a run in the order of time, and its length in s."""
    with open(path, encoding='utf-8') as file:
        lines = [line for line in map(json.loads, file) if line['type'] == 'request' and line['counted']]
    lines.sort(key=lambda line: line['ts'] + line['dur'])
    ends = [line['ts'] + line['dur'] for line in lines]
    return lines, (ends[-1] - ends[0]) / 1e9


class Run:
    def __init__(self, path, model):
        none = len(model) - 1
        self.lines, self.seconds = read_run(path)
        self.clusters = [none if line['cluster'] is None else line['cluster'] for line in self.lines]
        self.nr_odd = sum(line['finding'] for line in self.lines)
        self.nr_far = self.clusters.count(none)


class Judge:
    """Judges windows. GROUPS has the group of each cluster."""

    def __init__(self, model, groups):
        self.model, self.groups, self.seen = [0] * (max(groups) + 1), groups, {}
        for count, group in zip(model, groups):
            self.model[group] += count

    def is_shift(self, n, run, first):
        if (n, first) not in self.seen:
            counts = [0] * len(self.model)
            for cluster in run.clusters[first:first + WINDOW]:
                counts[self.groups[cluster]] += 1
            p, variation = shift(self.model, counts)
            self.seen[n, first] = (p < SHIFT_P and variation >= SHIFT_VARIATION, p, variation)
        return self.seen[n, first][0]

    def draw(self, runs, nr):
        """Returns the number of shifts in NR draws of two consecutive windows."""
        ends, draws, nr_shifts = [], random.Random(1), 0
        for run in runs:
            ends.append((ends[-1] if ends else 0) + max(len(run.lines) - 2 * WINDOW + 1, 0))
        for _ in range(nr):
            at = draws.randrange(ends[-1])
            n = bisect.bisect_right(ends, at)
            first = at - (ends[n - 1] if n else 0)
            nr_shifts += self.is_shift(n, runs[n], first) and self.is_shift(n, runs[n], first + WINDOW)
        return nr_shifts

    def print(self, what, nr_shifts, nr):
        judged = self.seen.values()
        print(f'{what}: {nr_shifts} shifts in {nr} draws; {sum(one[0] for one in judged)} of {len(judged)} distinct windows; least p '
              f'{min(one[1] for one in judged):.2g}, largest variation {max(one[2] for one in judged):.3f}')


def main():
    (model, strings), one_in = read_model(sys.argv[1]), int(sys.argv[2])
    runs = [Run(path, model) for path in sys.argv[3:]]
    nr, seconds = sum(len(run.lines) for run in runs), sum(run.seconds for run in runs)
    nr_odd = sum(run.nr_odd for run in runs)
    nr_draws = int(DAY * nr / seconds / WINDOW)
    for n, run in enumerate(runs, 1):
        print(f'run {n}: {len(run.lines) / run.seconds:.0f} requests/s, {run.nr_odd} of {len(run.lines)} odd, {run.nr_far} in no cluster')
    print(f'{nr_draws} windows are a day at {nr / seconds:.0f} requests/s; the model has {len(model) - 1} clusters, {max(strings)} strings')
    by_steps, by_cluster = Judge(model, strings), Judge(model, range(len(model)))
    nr_shifts = by_steps.draw(runs, nr_draws)
    by_steps.print('by steps', nr_shifts, nr_draws)
    by_cluster.print('by cluster', by_cluster.draw(runs, nr_draws), nr_draws)
    print(f'{nr_odd} of {nr} requests are odd, at most {2 * nr // one_in} may be')
    return nr_shifts > 0 or nr_odd > 2 * nr / one_in


sys.exit(main())
