# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
truth.py load MIX PORT NUMBER CONNECTIONS [SEED FAULT...]
                                            the load of a mix; prints the client's log. Two requests carry each fault
truth.py queries LOG                        the queries of each request in the log of PostgreSQL
truth.py judge DECODER DIRECTORY SERVER [SERVER...]
                                            compares DIRECTORY/trace with the logs in DIRECTORY; the servers are those of the
                                            client, of the pages and of their queries, and may be the same
truth.py figure5 DECODER DIRECTORY          compares the clusters of the requests with their URLs, after `judge`
truth.py faults DECODER DIRECTORY MODEL ONE_IN FAULT=PATTERN...
                                            compares the requests that depart from MODEL with the faults in client.tsv. A pattern
                                            describes the call of a fault

All logs are tables with tabs; a request has the same id in each of them:

  client.tsv   id, port of the client, number on its connection, URL, status, bytes of the request, bytes of the answer, its
               fault (- if none)
  access.log   id, bytes of the request, of the answer, from the upstream server, to it (- if unused)
  pages.tsv    id, page, kind, number of queries, their bytes, bytes of their answers, backend of PostgreSQL (- if unused)
  queries.tsv  id, backend, statement

The judge knows the bytes that each program received and sent for each request, and that no byte belongs to two requests. It
writes urls.tsv and kinds.tsv: REQUEST<tab>LABEL, for `workload --labels`.
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

SEED = 5
FAULTS_EACH = 2  # number of requests with each fault


# ---- mixes: generators of (URL, rest of the request), and the request as bytes with one of the faults or "none" ----

def shop(rng, connection):
    """Sessions in the mix of TPC-W, with its 14 interactions and an image."""
    after = {
        'home': {'image': 3, 'new_products': 3, 'best_sellers': 2, 'search_request': 3, 'product_detail': 2, 'order_inquiry': 1},
        'image': {'new_products': 2, 'best_sellers': 2, 'search_request': 2, 'product_detail': 3},
        'new_products': {'product_detail': 5, 'home': 1, 'best_sellers': 1},
        'best_sellers': {'product_detail': 5, 'home': 1, 'shopping_cart': 1},
        'product_detail': {'image': 2, 'add': 4, 'search_request': 2, 'home': 1, 'admin_request': .5},
        'search_request': {'search_results': 9, 'home': 1},
        'search_results': {'product_detail': 5, 'search_request': 2, 'end': 1},
        'add': {'shopping_cart': 8, 'product_detail': 2},
        'shopping_cart': {'customer_registration': 3, 'buy_request': 4, 'home': 2, 'end': 1},
        'customer_registration': {'buy_request': 9, 'home': 1},
        'buy_request': {'buy_confirm': 7, 'shopping_cart': 2, 'end': 1},
        'buy_confirm': {'home': 4, 'order_inquiry': 4, 'end': 2},
        'order_inquiry': {'order_display': 8, 'home': 2},
        'order_display': {'home': 1, 'end': 2},
        'admin_request': {'admin_confirm': 3, 'home': 1},
        'admin_confirm': {'home': 1, 'end': 1},
    }
    for number in range(sys.maxsize):
        page, session = 'home', f's{rng.randrange(10)}-{connection}-{number}' if rng.random() < .8 else ''
        lists = rng.random() < .4  # whether the session puts a list of 12 books into its cart, once
        while page != 'end':
            url = '/' + {'add': 'shopping_cart', 'image': 'image.svg'}.get(page, page)
            item = rng.randint(1, 700)
            if page == 'add':
                url += f'?i={item}&add={12 if lists else 1}'
                lists = False
            elif page == 'search_results':
                url += f'?q={rng.choice(["ab", "1f", "art%20of%209", "zz"])}'
            elif page == 'product_detail':
                url += f'?i={item + (9000 if rng.random() < .1 else 0)}'
            elif page == 'admin_confirm':
                url += f'?i={item}' + ('&key=1' if rng.random() < .7 else '')
            elif page in ('new_products', 'best_sellers', 'admin_request'):
                url += f'?i={item}'
            yield url, session
            page = rng.choices(*zip(*after[page].items()))[0]


def store(rng, _):
    """Pages of app.py."""
    while True:
        page = rng.choices(('plain', 'get', 'set', 'many', 'pipeline'), (1, 4, 2, 2, 1))[0]
        yield f'/{page}?k={rng.randrange(120)}&n={rng.randrange(2, 9)}&size={rng.randrange(1, 3000)}', ''


def memcached(rng, connection):
    """Commands of memcached."""
    while True:
        key = f'{connection}:{rng.randrange(40)}'
        command = rng.choices(('get', 'set', 'gets', 'incr', 'delete'), (6, 3, 2, 1, 1))[0]
        if command == 'set':
            value = str(rng.randrange(9)) * rng.choice((1, 100, 30000))
            yield command, f'set {key} 0 0 {len(value)}\r\n{value}\r\n'
        elif command == 'gets':
            yield command, f'gets {" ".join(f"{connection}:{n}" for n in range(rng.randrange(2, 12)))}\r\n'
        else:
            yield command, f'{command} {key}{" 1" * (command == "incr")}\r\n'


def ask_http(request, url, session, fault):
    cookie = f'Cookie: session={session}\r\n' if session else ''
    return f'GET {url} HTTP/1.1\r\nHost: shop\r\nX-Request: {request}\r\nX-Fault: {fault:5}\r\n{cookie}\r\n'


def ask_memcached(_request, _url, command, fault):
    return command if fault == 'none' else f'get {fault}\r\n'


# ---- load ----

class Failure(Exception):
    pass


def read_line(file):
    line = file.readline()
    if not line.endswith(b'\n'):
        raise Failure('the server closed the connection')
    return line


def read_http(file):
    """Reads an answer with a length. Returns its status and its bytes."""
    head = b''
    while not head.endswith(b'\r\n\r\n'):
        head += read_line(file)
    length = int(re.search(rb'(?i)content-length: (\d+)', head)[1])
    if len(file.read(length)) != length:
        raise Failure('the answer is short')
    return int(head.split()[1]), len(head) + length


def read_memcached(file):
    nr_bytes = 0
    while True:
        line = read_line(file)
        nr_bytes += len(line)
        if not line.startswith(b'VALUE'):
            word = line.split()[0].decode()
            return 'VALUE' if nr_bytes > len(line) else 'number' if word.isdigit() else word, nr_bytes
        nr_bytes += len(file.read(int(line.split()[3]) + 2))


MIXES = {
    'shop': (shop, ask_http, read_http),
    'store': (store, ask_http, read_http),
    'memcached': (memcached, ask_memcached, read_memcached),
}
# Pages that can have a fault. The other pages of the shop include purchases, of which few are alike.
WITH_FAULTS = {
    'shop': ('/home', '/product_detail'),
    'store': ('/get', '/set', '/many', '/pipeline'),
    'memcached': ('',),
}


def talk(mix, port, connection, nr, seed, faults, rows):
    """FAULTS are (number, fault), ascending: the first request that can have the fault, from this number on."""
    with_faults = WITH_FAULTS[mix]
    mix, ask, read = MIXES[mix]
    requests = mix(random.Random(f'{seed} {connection}'), connection)
    with socket.create_connection(('127.0.0.1', port)) as peer, peer.makefile('rb') as file:
        local = peer.getsockname()[1]
        for number in range(nr):
            url, rest = next(requests)
            request = f'{connection}-{number:05}'
            fault = 'none'
            if faults and number >= faults[0][0] and url.startswith(with_faults):
                fault = faults.pop(0)[1]
            asked = ask(request, url, rest, fault).encode()
            peer.sendall(asked)
            status, answer = read(file)
            rows.append((request, local, number, url, status, len(asked), answer, fault.replace('none', '-')))


def load(mix, port, nr, connections, seed, faults):
    logs = [[] for _ in range(connections)]
    failures = []
    plan = [[] for _ in range(connections)]
    rng = random.Random(seed)
    for n, fault in enumerate(faults * FAULTS_EACH):
        plan[(n + n // connections) % connections].append((rng.randrange(nr // connections), fault))

    def client(n):
        try:
            talk(mix, port, n, nr // connections, seed, sorted(plan[n]), logs[n])
        except (Failure, OSError, TypeError, ValueError) as e:
            failures.append(f'connection {n} after {len(logs[n])} requests: {e!r}')

    threads = [threading.Thread(target=client, args=(n, )) for n in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for rows in logs:
        for row in rows:
            print(*row, sep='\t')
    sys.exit('\n'.join(failures) or 0)


# ---- logs ----

def table(directory, name, separator='\t'):
    path = os.path.join(directory, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as file:
        return [line.rstrip('\n').split(separator) for line in file]


def queries(log):
    """Prints the statements with their requests. A statement without an id belongs to the next one of its backend."""
    before = collections.defaultdict(list)  # backend -> statements without an id
    with open(log, encoding='utf-8') as file:
        for line in file:
            match = re.match(r'(\d+) LOG:  statement: (.*)', line)
            if not match:
                continue
            backend, statement = match.groups()
            before[backend].append(statement)
            request = re.search(r'/\* (\S+) \*/$', statement)
            if request:
                for statement in before.pop(backend):
                    print(request[1], backend, statement, sep='\t')


STOCK = 5, 11  # bytes of the answer to the extra query of faults.c, and of this query
# pg_pconnect begins each page but the first of a connection with this statement: its bytes and those of its answer.
RESET = 'RESET ALL;', 16, 17


def truth_of(directory, servers):
    """{id: {component: (received, sent)}}, as far as the logs know it, and {id: kind}."""
    front, app, store_of = (servers + [None, None])[:3]
    amounts = collections.defaultdict(lambda: collections.defaultdict(lambda: (0, 0)))
    unknown = set()
    kinds = {}

    def add(request, component, received, sent):
        before = amounts[request][component]
        amounts[request][component] = before[0] + received, before[1] + sent

    for request, _, _, url, status, received, sent, fault in table(directory, 'client.tsv'):
        add(request, front, int(received), int(sent))
        if fault == 'query' and not app:  # faults.c asks a second server; an app has its own log
            add(request, front, *STOCK)
        kinds[request] = f'{url.strip("/").partition("?")[0]}: {status}'
    for request, received, sent, back, forth in table(directory, 'access.log', ' '):
        if amounts[request][front] != (int(received), int(sent)):
            fail(f'request {request}: {front} logged other bytes than the client')
        if back != '-':
            add(request, front, int(back), int(forth))
            add(request, app, int(forth), int(back))

    statements = collections.Counter()
    resets = set()
    for request, _, statement in table(directory, 'queries.tsv'):
        if statement == RESET[0]:
            resets.add(request)
        else:
            statements[request] += 1
    pages = table(directory, 'pages.tsv')
    last = {page[-1]: page[0] for page in pages}  # backend -> the request after which PHP may have sent Terminate
    for request, page, kind, nr, asked, told, backend in pages:
        kinds[request] = f'{page}: {kind}'
        asked, told = int(asked), int(told)
        if backend != '-':
            if statements[request] != int(nr):
                fail(f'request {request}: the page made {nr} queries, PostgreSQL logged {statements[request]}')
            if request not in resets or last[backend] == request:
                unknown.add(request)  # the connection begins or ends with this request
                continue
            asked, told = asked + RESET[1], told + RESET[2]
        add(request, app, told, asked)
        add(request, store_of, asked, told)
    for request in unknown:
        amounts[request].pop(app, None)
    return amounts, kinds


# ---- judge ----

nr_failed = 0


def fail(text):
    global nr_failed
    nr_failed += 1
    if nr_failed <= 20:
        print('truth:', text)


def read_requests(decoder, trace):
    """The rows of all requests from outside, and whether they have components."""
    for verb in ['requests', '--all'], ['requests'], ['critical-path', '--requests', '--all']:
        child = subprocess.run([decoder, *verb, '--format=jsonl', trace], stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.DEVNULL, check=False)
        if child.returncode == 0:
            rows = [row for row in map(json.loads, child.stdout.splitlines()) if row['type'] == 'request' and not row['inner']]
            return rows, verb[0] == 'requests'
    sys.exit('truth: the decoder lists no requests')


def by_port(rows):
    """{port of the client: its rows in the order of time}."""
    connections = collections.defaultdict(list)
    for row in rows:
        connections[(row.get('client') or '').rpartition(':')[2]].append(row)
    for of in connections.values():
        of.sort(key=lambda row: row['request'])
    return connections


def judge(decoder, directory, *servers):
    rows, has_components = read_requests(decoder, os.path.join(directory, 'trace'))
    truth, kinds = truth_of(directory, list(servers))
    connections = by_port(rows)
    nr_judged = nr_wrong = 0
    wrong = collections.Counter()
    urls, labels = [], []
    client = table(directory, 'client.tsv')
    for request, port, number, url, _, received, sent, _ in client:
        of = connections[port]
        if int(number) >= len(of):
            fail(f'request {request}: not in the trace')
            continue
        row = of[int(number)]
        urls.append((row['request'], url.partition('?')[0]))
        labels.append((row['request'], kinds.get(request, '?')))
        if (row['bytes_received'], row['bytes_sent']) != (int(received), int(sent)):
            fail(f"request {request}: {row['bytes_received']} and {row['bytes_sent']} bytes instead of {received} and {sent}")
        if not has_components:
            continue
        got = {c['component']: (c['received'], c['sent']) for c in row['components']}
        for name, want in truth[request].items():
            nr_judged += 1
            have = next((v for k, v in got.items() if k.startswith(name)), (0, 0))
            if have != want:
                wrong[name, kinds.get(request)] += 1
                nr_wrong += 1
                if nr_wrong <= 20:
                    print(f"truth: request {request} (number {row['request']}), {name}: received and sent {have} instead of {want}")
    for name, pairs in ('urls.tsv', urls), ('kinds.tsv', labels):
        with open(os.path.join(directory, name), 'w', encoding='utf-8') as file:
            file.writelines(f'{a}\t{b}\n' for a, b in sorted(pairs))
    kinds_seen = collections.Counter(label for _, label in labels)
    print(f'truth: {len(client)} requests, {len(set(u for _, u in urls))} URLs, {len(kinds_seen)} kinds:',
          ', '.join(f'{n} {kind}' for kind, n in sorted(kinds_seen.items())))
    if has_components:
        print(f'truth: {nr_wrong} of {nr_judged} amounts of a request and a program are wrong')
        for (name, kind), n in sorted(wrong.items()):
            print(f'truth:   {n} of {name}, {kind}')
        if nr_wrong:
            fail('amounts are wrong')
    else:
        print('truth: this decoder has no components of requests; only the bytes of the client are compared')
    sys.exit(nr_failed > 0)


# ---- faults ----

NEAR = 24  # An interpreter gives up its lock before a call that may wait: number of events from this step to the call
SHORTEST_NS = {'sleep': 30000000, 'spin': 10000000}  # time of the request with the sleep, CPU time of that with the computation
# The expected share of the other requests is 1/N. More than 2/N happen by chance in 0.03 % of the runs or less (doc/requests.md).
MOST_OTHERS = 2


def departures(decoder, directory, model, one_in):
    """All requests from outside with their verdicts, and {request: sentence of the findings}."""
    command = [decoder, 'requests', f'--against={model}', f'--one-in={one_in}', os.path.join(directory, 'trace')]
    outputs = []
    for options in ['--all', '--format=jsonl'], ['--limit=1000000']:
        child = subprocess.run(command + options, stdout=subprocess.PIPE, text=True, check=False)
        if child.returncode != 1:  # there are findings
            sys.exit(f'faults: requests --against: exit status {child.returncode}')
        outputs.append(child.stdout)
    rows = [row for row in map(json.loads, outputs[0].splitlines()) if row['type'] == 'request' and not row['inner']]
    text = re.sub(r'\n {2,}', ' ', outputs[1])
    return rows, {int(n): sentence for n, sentence in re.findall(r'(?m)^Request (\d+): (.*)', text)}


def has_step_near(decoder, directory, request, event, pattern):
    """Returns true if the step at EVENT, or one of the next NEAR events of its thread, matches PATTERN."""
    command = [decoder, 'requests', f'--show={request}', '--format=jsonl', os.path.join(directory, 'trace')]
    child = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    thread, _, number = event.rpartition('.')
    for step in map(json.loads, child.stdout.splitlines()):
        if step['type'] == 'step' and re.search(pattern, step['symbol']):
            of, _, n = step['event'].rpartition('.')
            if of == thread and 0 <= int(n) - int(number) <= NEAR:
                return True
    return False


def judge_fault(decoder, directory, request, fault, row, sentence, pattern):
    departs = row['departs'] or {}
    print(f"faults: {fault}, {request} (number {row['request']}): finding {row['finding']}, odd {row['odd']}, "
          f"{departs.get('change')} {departs.get('event')} {departs.get('symbol')}; text: {sentence}")
    if not row['finding']:
        fail(f'request {request}: the fault {fault} is no finding')
        return
    cpu = sum(part['cpu'] or 0 for part in row['components'])
    if {'sleep': row['dur'], 'spin': cpu}.get(fault, 0) < SHORTEST_NS.get(fault, 0):
        fail(f"request {request}: {row['dur']} ns, {cpu} ns of CPU time")
    is_cpu = departs.get('resource') == 'cpu'
    if departs['event'] is None or (is_cpu and fault != 'spin'):
        fail(f'request {request}: the fault {fault} is shown as {departs["change"]} at {departs["event"]}')
    elif not (is_cpu and re.search(r', in \S+', sentence)) and not has_step_near(decoder, directory, row['request'], departs['event'], pattern):
        print(f'faults: request {request}: the place of the fault {fault} does not match {pattern}')


def judge_faults(decoder, directory, model, one_in, *patterns):
    one_in = int(one_in)
    patterns = dict(pattern.split('=', 1) for pattern in patterns)
    rows, sentences = departures(decoder, directory, model, one_in)
    connections = by_port(rows)
    seen, others = collections.Counter(), []
    for request, port, number, *_, fault in table(directory, 'client.tsv'):
        row = connections[port][int(number)]
        if fault == '-':
            others.append(row)
        else:
            judge_fault(decoder, directory, request, fault, row, sentences.get(row['request'], ''), patterns[fault])
            seen[fault] += 1
    for fault in patterns:
        if seen[fault] != FAULTS_EACH:
            fail(f'{seen[fault]} requests carried the fault {fault}')
    findings = [row for row in others if row['finding']]
    for row in findings:
        print('faults: other:', f"{row['odd']}, {row['departs']['change']}, step {row['departs']['step']};",
              sentences.get(row['request'], '')[-150:])
    print(f'faults: {len(findings)} of {len(others)} other requests are findings, 1/N is {len(others) / one_in:.0f}, '
          f'at most {MOST_OTHERS * len(others) // one_in}')
    if len(findings) * one_in > MOST_OTHERS * len(others):
        fail('too many other requests are findings')
    sys.exit(nr_failed > 0)


# ---- figure 5 ----

# The error by cluster is at most this share of the error by URL, if the latter exceeds LEAST_ERROR. CPU time has no limit: it
# depends on the load of the machine, and the clusters do not predict the noise within one kind of request. The bytes of files have
# a higher limit: one request of PostgreSQL may extend a table or the log by several hundred KiB, and no group predicts this.
LIMITS = {'received': .5, 'sent': .5, 'file_calls': .5, 'file_bytes': .75}
LEAST_ERROR = .2
RESOURCES = 'cpu', 'received', 'sent', 'file_calls', 'file_bytes'


def mean(values):
    values = [x for x in values if x is not None]
    return sum(values) / len(values) if values else 0


def errors_by_label(decoder, directory):
    """{(component, resource): error}, computed from the list of requests as mix.h defines it."""
    labels = dict(table(directory, 'urls.tsv'))
    rows = [row for row in read_requests(decoder, os.path.join(directory, 'trace'))[0] if str(row['request']) in labels]
    names = sorted({c['component'] for row in rows for c in row['components']})
    axes = [(name, resource) for name in names for resource in RESOURCES]
    groups = collections.defaultdict(list)
    for row in rows:
        have = {c['component']: c for c in row['components']}
        groups[labels[str(row['request'])]].append([have[name][resource] if name in have else 0 for name, resource in axes])
    means = [mean(axis) for axis in zip(*(row for group in groups.values() for row in group))]
    pairs = []  # (amounts, amounts of the representative)
    for group in groups.values():
        centre = [mean(axis) for axis in zip(*group)]

        def distance(amounts, centre=centre):
            return sum(1e20 if x is None else ((x - c) / m)**2 for x, c, m in zip(amounts, centre, means) if m)

        nearest = min(group, key=distance)
        pairs += [(amounts, nearest) for amounts in group]
    errors = {}
    for n, axis in enumerate(axes):
        known = [(a[n], b[n]) for a, b in pairs if a[n] is not None and b[n] is not None]
        if any(a for a, _ in known):
            errors[axis] = mean((a - b)**2 for a, b in known)**.5 / mean(a for a, _ in known)
    return errors


def figure5(decoder, directory):
    """Figure 5 of the Magpie paper: there are no more clusters than URLs, and the clusters predict the work twice as well."""
    labels = os.path.join(directory, 'urls.tsv')
    child = subprocess.run([decoder, 'workload', '--format=jsonl', f'--labels={labels}', os.path.join(directory, 'trace')],
                           stdout=subprocess.PIPE, text=True, check=False)
    if child.returncode:
        sys.exit(f'figure 5: workload --labels: exit status {child.returncode}')
    rows = [json.loads(line) for line in child.stdout.splitlines()]
    (workload, ) = (row for row in rows if row['type'] == 'workload')
    nr_urls = len({url for _, url in table(directory, 'urls.tsv')})
    print(f"figure 5: {workload['clusters']} clusters, {nr_urls} URLs, {workload['behaviours']} behaviours")
    if workload['clusters'] > nr_urls:
        fail('there are more clusters than URLs')
    print('figure 5: component, resource, error by cluster, error by URL')
    errors = [row for row in rows if row['type'] == 'error']
    wanted = errors_by_label(decoder, directory)
    if {(row['component'], row['resource']) for row in errors} != set(wanted):
        fail(f'the errors are not those of {sorted(wanted)}')
    for row in errors:
        name, resource, by_cluster, by_label = row['component'], row['resource'], row['clusters'], row['labels']
        is_half = by_label <= LEAST_ERROR or by_cluster <= by_label / 2
        print(f"figure 5: {name}, {resource}, {by_cluster:.3f}, {by_label:.3f}{'' if is_half else ' <- more than half'}")
        if abs(by_label - wanted.get((name, resource), 0)) > .01 * by_label + 1e-6:
            fail(f'{name}, {resource}: the error by URL is {wanted.get((name, resource))}')
        if by_label > LEAST_ERROR and by_cluster > by_label * LIMITS.get(resource, float('inf')):
            fail(f'{name}, {resource}: the clusters are not better enough')
    sys.exit(nr_failed > 0)


if __name__ == '__main__':
    if sys.argv[1] == 'load':
        load(sys.argv[2], *map(int, sys.argv[3:6]), sys.argv[6] if sys.argv[6:] else SEED, sys.argv[7:])
    elif sys.argv[1] == 'queries':
        queries(sys.argv[2])
    elif sys.argv[1] == 'figure5':
        figure5(*sys.argv[2:])
    elif sys.argv[1] == 'faults':
        judge_faults(*sys.argv[2:])
    else:
        judge(*sys.argv[2:])
