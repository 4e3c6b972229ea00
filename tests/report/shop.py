# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""shop.py DIRECTORY REQUESTS: the requests of a trace of examples/shop are the requests that its client made.

DIRECTORY contains the logs of the run. REQUESTS is the output of `critical-path --requests --all --format=jsonl`."""
import collections
import json
import sys

KINDS = {'home': 1, 'look_up': 2, 'search': 5, 'basket': 2, 'order': 3}  # number of queries
nr_failed = 0


def fail(*text):
    global nr_failed
    nr_failed += 1
    if nr_failed <= 20:
        print('FAILED:', *text)


def work(received, sent, file_calls=0, file_bytes=0):
    return {'received': received, 'sent': sent, 'file_calls': file_calls, 'file_bytes': file_bytes}


class Request:
    """A request in the logs: `sent` and `received` are the client's bytes; `queries` has (command, bytes of the query,
    bytes of the answer); `file_bytes` has the bytes of each read and write of a file."""

    def __init__(self, kind, port, sent, received):
        self.kind, self.port, self.sent, self.received = kind, int(port), int(sent), int(received)
        self.queries, self.file_bytes = [], []

    def work(self):
        """Returns the work of each component without the client."""
        asked, answered = sum(q[1] for q in self.queries), sum(q[2] for q in self.queries)
        return {'front': work(self.sent + self.received, self.sent + self.received),
                'shop': work(self.sent + answered, self.received + asked, len(self.file_bytes), sum(self.file_bytes)),
                'store': work(asked, answered)}


def read_logs(directory):
    """Returns {id: Request}."""
    with open(f'{directory}/client.log', encoding='utf-8') as file:
        requests = {int(fields[0]): Request(*fields[1:]) for fields in map(str.split, file)}
    with open(f'{directory}/store.log', encoding='utf-8') as file:
        for fields in map(str.split, file):
            requests[int(fields[0])].queries.append((fields[1], int(fields[2]), int(fields[3])))
    with open(f'{directory}/shop.log', encoding='utf-8') as file:
        for line in file:
            requests[int(line.split()[0])].file_bytes.append(len(line))
    return requests


def read_lines(path):
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def match(requests, lines):
    """Returns {id: JSON line}. The n-th request of a connection is the n-th line with the port of the client."""
    ids, found, matched = collections.defaultdict(list), collections.defaultdict(list), {}
    for n in sorted(requests):
        ids[requests[n].port].append(n)
    for line in sorted((line for line in lines if line['type'] == 'request' and not line['inner']),
                       key=lambda line: line['request']):
        found[int(line['client'].rpartition(':')[2])].append(line)
    for port in sorted(set(ids) | set(found)):
        if len(ids[port]) != len(found[port]):
            fail('port', port, 'made', len(ids[port]), 'requests; the trace has', len(found[port]))
        matched.update(zip(ids[port], found[port]))
    return matched


def check_logs(requests, queries=()):
    """Checks the numbers of queries; QUERIES has the ids of requests with one more query."""
    for n, request in requests.items():
        if len(request.queries) != KINDS[request.kind] + (n in queries):
            fail('request', n, request.kind, 'made', len(request.queries), 'queries')
        if len(request.file_bytes) != (request.kind in ('basket', 'order')):
            fail('request', n, request.kind, 'wrote', len(request.file_bytes), 'lines')


def main():
    requests, lines = read_logs(sys.argv[1]), read_lines(sys.argv[2])
    check_logs(requests)
    matched = match(requests, lines)
    for n, line in matched.items():
        wanted, got = (requests[n].sent, requests[n].received), (line['bytes_received'], line['bytes_sent'])
        if wanted != got or not line['counted']:
            fail('request', n, 'has', wanted, 'bytes; the trace has', got)
    inner = [line for line in lines if line['type'] == 'request' and line['inner']]
    wanted = sum(1 + len(request.queries) for request in requests.values())
    if len(inner) != wanted:
        fail(wanted, 'requests between the tiers; the trace has', len(inner))
    print(len(matched), 'requests,', len(inner), 'between the tiers')


if __name__ == '__main__':
    main()
    sys.exit(nr_failed > 0)
