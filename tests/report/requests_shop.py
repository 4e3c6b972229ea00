# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""Compares the requests of a trace of examples/shop with the logs of the run.

requests_shop.py work DIRECTORY REQUESTS [FAULT:ID...]
        Each request has exactly its own work. DIRECTORY contains the logs, REQUESTS is the output of
        `requests --all --format=jsonl`. Without faults, each cluster contains requests of one kind only.
requests_shop.py faults DIRECTORY REQUESTS FAULT:ID...
        REQUESTS is the output of `requests --against=MODEL --all --format=jsonl`. Each fault is a finding with its function, and
        at most 2/100 of the other requests are findings.
requests_shop.py sample DIRECTORY REQUESTS [FAULT:ID...]
        Prints a line `REQUEST ID` for each fault and for one request of each kind.
requests_shop.py steps DIRECTORY ID STEPS [FAULT:ID...]
        STEPS is the output of `requests --show=REQUEST --format=jsonl` for the request with this id: it has the queries of this
        request."""
import collections
import re
import sys

import shop

ONE_IN = 100
FUNCTIONS = {'read': 'reload_prices', 'sleep': 'back_off', 'query': 'check_stock'}
READ_BYTES = 256    # of the fault `read`
SLEEP_NS = 30000000 # of the fault `sleep`
SPIN_NS = 25000000  # CPU time of the fault `spin`


def read_faults(texts):
    """Returns {id: fault}."""
    return {int(n): fault for fault, n in (text.split(':') for text in texts)}


def components(line):
    return {part['component']: part for part in line['components']}


def check_work(requests, matched):
    for n, request in requests.items():
        if n not in matched:
            continue
        got = components(matched[n])
        wanted = request.work()
        for name in sorted(set(got) | set(wanted)):
            one = {key: got.get(name, {}).get(key, 0) for key in wanted['shop']}
            if one != wanted.get(name):
                shop.fail('request', n, request.kind, f'(request {matched[n]["request"]} of the trace):', name, 'has', one,
                          'instead of', wanted.get(name))


def check_clusters(requests, matched):
    kinds, clusters = collections.defaultdict(set), collections.defaultdict(set)
    for n, line in matched.items():
        if line['cluster'] is not None:
            kinds[line['cluster']].add(requests[n].kind)
            clusters[requests[n].kind].add(line['cluster'])
    for cluster in sorted(kinds):
        if len(kinds[cluster]) > 1:
            shop.fail('cluster', cluster, 'contains', *sorted(kinds[cluster]))
    print('clusters:', *(f'{kind} {len(clusters[kind])},' for kind in sorted(shop.KINDS)),
          'behaviours:', len({line['behaviour'] for line in matched.values()}))


def check_faults(matched, faults):
    for n, fault in sorted(faults.items()):
        if n not in matched:
            shop.fail('request', n, 'with the fault', fault, 'is not in the trace')
            continue
        line = matched[n]
        departs, cpu = line['departs'] or {}, components(line)['shop'].get('cpu')
        print(f'{fault}:{n} is request {line["request"]}: finding {line["finding"]}, odd {line["odd"]}, departs {line["departs"]}')
        if not line['finding']:
            shop.fail('the fault', fault, 'is no finding')
        elif fault in FUNCTIONS:  # an additional query comes with its answer: one of several explanations
            if not has_function(departs.get('symbol', ''), FUNCTIONS[fault]) or departs.get('change') not in ('extra', 'other'):
                shop.fail('the fault', fault, 'has no unusual step in', FUNCTIONS[fault])
            if departs.get('event') is None:
                shop.fail('the fault', fault, 'names no event')
        # A computation makes no call: the step after it is slow.
        elif departs.get('change') != 'slow':
            shop.fail('the fault', fault, 'has no slow step')
        if fault == 'sleep' and line['dur'] < SLEEP_NS:
            shop.fail('the request with the sleep took', line['dur'], 'ns')
        if fault == 'spin' and (cpu is None or cpu < 0.8 * SPIN_NS):
            shop.fail('the request with the computation has', cpu, 'ns of CPU time')


def check_others(matched, faults):
    others = [line for n, line in matched.items() if n not in faults]
    findings = [line for line in others if line['finding']]
    for line in findings[:10]:
        print(f'other finding: request {line["request"]}, odd {line["odd"]}, departs {line["departs"]}')
    print(len(findings), 'of', len(others), 'other requests are findings')
    if len(findings) * ONE_IN > 2 * len(others):
        shop.fail('more than', 2 * len(others) // ONE_IN, 'other findings')
    for n, line in matched.items():
        if not 0 < line['odd'] <= 1 or line['finding'] != (line['odd'] * ONE_IN <= 1):
            shop.fail('request', n, 'is odd', line['odd'], 'and finding', line['finding'])


def has_function(symbol, function):
    return re.search(rf'\b{function}\b', symbol) is not None


def check_steps(n, request, lines):
    steps = [line for line in lines if line['type'] == 'step']
    asked = [s for s in steps if re.search(r'\bask_store\b.*\bsend$', s['symbol'])]
    if len(asked) != len(request.queries):
        shop.fail('request', n, request.kind, 'has', len(asked), 'steps that ask the store instead of', len(request.queries))
    events = {step['event'] for step in steps}
    for step in steps:
        # the unlock that hands an item over is an event without a symbol
        if step['by'] not in (None, 'handoff') and step['parent'] not in events:
            shop.fail('request', n, 'has the step', step['event'], 'whose parent is no step:', step['parent'])


def print_sample(requests, matched, faults):
    first = {}
    for n in sorted(matched):
        if n not in faults and n > len(matched) // 2:
            first.setdefault(requests[n].kind, n)
    for n in sorted(first.values()) + sorted(n for n in faults if n in matched):
        print(matched[n]['request'], n)


def main():
    verb, directory = sys.argv[1:3]
    requests, faults = shop.read_logs(directory), read_faults(sys.argv[5 if verb == 'steps' else 4:])
    shop.check_logs(requests, [n for n, fault in faults.items() if fault == 'query'])
    for n, fault in faults.items():
        if fault == 'read':
            requests[n].file_bytes.append(READ_BYTES)
    if verb == 'steps':
        n = int(sys.argv[3])
        check_steps(n, requests[n], shop.read_lines(sys.argv[4]))
        return
    matched = shop.match(requests, shop.read_lines(sys.argv[3]))
    if verb == 'work':
        check_work(requests, matched)
        if not faults:
            check_clusters(requests, matched)
    elif verb == 'faults':
        check_faults(matched, faults)
        check_others(matched, faults)
    else:
        print_sample(requests, matched, faults)


main()
sys.exit(shop.nr_failed > 0)
