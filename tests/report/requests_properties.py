# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""Properties of the output of `requests` and `workload`.

requests_properties.py amounts REQUESTS STAT
        The work of all requests adds up to the work of the trace. REQUESTS is the output of `requests --all --format=jsonl`,
        and STAT is the output of `stat --format=jsonl`. Each byte of the trace belongs to exactly one request.
requests_properties.py order REQUESTS NUMBER LIMITED LIMIT
        The lines have the order of the time of the requests, longest first, and no request occurs twice. REQUESTS has NUMBER
        of them. LIMITED is the output with `--limit=LIMIT`: the same lines up to this number.
requests_properties.py mix MIX MODEL
        The requests with equal steps have the shares of MODEL. MIX is the output of `workload --generate=N MODEL`.
requests_properties.py shares SHARES
        The shares of the clusters differ by at most 1 % from the model. SHARES is the output of
        `workload --against=MODEL --format=jsonl`."""
import collections
import json
import sys

MOST_DIFFERENCE = 0.01
MOST_ROUNDED = 1  # ns of each time


def read_lines(path):
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def check(is_good, *text):
    if not is_good:
        print('FAILED:', *text)
        sys.exit(1)


def check_amounts(requests_path, stat_path):
    lines = read_lines(requests_path)
    summary = [line for line in lines if line['type'] == 'requests'][0]
    parts = [part for line in lines if line['type'] == 'request' for part in line['components']]
    calls = collections.Counter()
    for line in read_lines(stat_path):
        if line['type'] == 'call':
            calls[line['call']] += line['bytes']
    for resource, call in (('received', 'recv'), ('sent', 'send'), ('file_bytes', 'write')):
        total = sum(part[resource] for part in parts)
        print(f'{resource}: {total} bytes of requests, {calls[call]} bytes of {call}')
        check(total == calls[call] and total > 0, resource, 'of all requests is not the amount of the trace')
    measured = [part for part in parts if part['cpu'] is not None]
    check(all(0 <= part['cpu_divided'] <= part['cpu'] for part in measured), 'a part of a CPU time exceeds it')
    check(all(part['cpu_divided'] is None for part in parts if part['cpu'] is None), 'a part of an unknown CPU time is known')
    check(any(part['cpu_divided'] for part in measured), 'no CPU time is divided, although requests follow each other at once')
    ran = sum(part['ran'] for part in parts)
    of_requests = summary['ran_certain'] + summary['ran_inferred']
    print(f'ran: {ran} ns of requests, {of_requests} ns in the summary, {summary["ran"]} ns of all threads')
    check(0 <= of_requests - ran <= MOST_ROUNDED * len(parts) + 2, 'the running time of the requests is not the time of the summary')
    check(of_requests + summary['ran_several'] <= summary['ran'], 'the requests ran longer than all threads')


def read_model(path):
    """Returns the share of the requests with each string in the model."""
    symbols, counts = [], collections.Counter()
    with open(path, encoding='utf-8') as file:
        for kind, *fields in (line.rstrip('\n').split('\t') for line in file):
            if kind == 'symbol':
                symbols.append(fields[0])
            if kind == 'cluster':
                counts[' '.join(symbols[int(n)] for n in fields[1].split())] += int(fields[0])
    return {string: count / sum(counts.values()) for string, count in counts.items()}


def check_order(requests_path, number, limited_path, limit):
    lines = [line for line in read_lines(requests_path) if line['type'] == 'request']
    limited = [line for line in read_lines(limited_path) if line['type'] == 'request']
    times = [line['dur'] or 0 for line in lines]
    check(len(lines) == int(number), len(lines), 'requests instead of', number)
    check(len({line['request'] for line in lines}) == len(lines), 'a request occurs twice')
    check(all(after <= before + MOST_ROUNDED for before, after in zip(times, times[1:])), 'not in the order of time')
    check(limited == lines[:int(limit)], 'the output with --limit is no part of the whole output')


def check_share(share, wanted, most):
    print(f'share {share:.4f}, in the model {wanted:.4f}')
    check(abs(share - wanted) <= most, 'the shares differ')


def check_mix(mix_path, model_path):
    with open(mix_path, encoding='utf-8') as file:
        counts = collections.Counter(line.rstrip('\n') for line in file)
    model = read_model(model_path)
    check(len(model) > 1, 'all requests of the model have the same steps')
    check(set(counts) <= set(model), 'the mix has steps that the model does not have')
    for string, wanted in sorted(model.items()):
        check_share(counts[string] / sum(counts.values()), wanted, MOST_DIFFERENCE / 10)


def check_shares(shares_path):
    clusters = [line for line in read_lines(shares_path) if line['type'] == 'cluster']
    check(len(clusters) > 1, 'the model has one cluster')
    for line in clusters:
        check_share(line['share'], line['model_share'], MOST_DIFFERENCE)


{'amounts': check_amounts, 'order': check_order, 'mix': check_mix, 'shares': check_shares}[sys.argv[1]](*sys.argv[2:])
