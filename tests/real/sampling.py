# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""sampling.py: load and verdicts for tests/real/sampling.sh.

sampling.py load SERVER PORT REQUESTS SEED [PID]: three clients send REQUESTS requests of many kinds with shares from 85 % to 0.005 %. Prints the
	seconds and, with the PID of the server or its launcher, its CPU time
sampling.py line SERVER RUN DECODE DIRECTORY: prints a JSON line with the metrics of the traces of one run in DIRECTORY
sampling.py paper FILE: prints the means of such lines as the table of the paper
sampling.py table SERVER FILE...: prints the means of several runs; each FILE has JSON lines of sampling --replay
sampling.py marks SERVER FILE: prints the share of the edges with both ends, by the number of hops
sampling.py agree SERVER FILE...: compares what the recorder kept of its run with what the replay keeps of it
sampling.py recorder SERVER SAMPLER DECODE TRACE FULL: prints how much of the trace FULL the sampled TRACE of the same load has
sampling.py tune SERVER DECODE TRACE SAMPLER GRID: tunes SAMPLER and compares the result with a grid of points; GRID is sampling.py of tests/report
"""
import json
import os
import random
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time

SHARES = 85, 8, 3, 1.5, 1, 0.6, 0.4, 0.2, 0.1, 0.06, 0.04, 0.03, 0.02, 0.015, 0.01, 0.008, 0.006, 0.005, 0.005
failures = []


def expect(condition, *words):
    if not condition:
        failures.append(words)
        print('FAILED:', *words)


# ---- load ----

class Connection:
    """Sends a request, and reads the answer up to its end."""

    def __init__(self, port):
        self.port = port
        self.connect()

    def connect(self):
        self.socket = socket.create_connection(('127.0.0.1', self.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def receive(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise ConnectionError('closed')
        return data

    def ask(self, request, is_whole):
        self.socket.sendall(request)
        answer = b''
        while not is_whole(answer):
            answer += self.receive()
        return answer


def line_end(answer):
    return answer.endswith(b'\r\n')


def list_end(answer):
    return answer.endswith((b'END\r\n', b'RESET\r\n', b'OK\r\n', b'ERROR\r\n', b'EN\r\n'))


def memcached_kinds(draw):
    key = b'k%d' % draw.randrange(1000)
    value = b'v' * draw.randrange(1, 200)
    stored = key + b' 0 0 %d\r\n' % len(value) + value + b'\r\n'
    return [
        (b'get ' + key + b'\r\n', list_end),
        (b'set ' + stored, line_end),
        (b'incr n 1\r\n', line_end),
        (b'delete ' + key + b'\r\n', line_end),
        (b'add ' + stored, line_end),
        (b'append ' + stored, line_end),
        (b'gets ' + b' '.join(b'k%d' % i for i in range(20)) + b'\r\n', list_end),
        (b'replace ' + stored, line_end),
        (b'touch ' + key + b' 100\r\n', line_end),
        (b'prepend ' + stored, line_end),
        (b'gat 100 ' + key + b'\r\n', list_end),
        (b'mg ' + key + b' s\r\n', line_end),
        (b'stats\r\n', list_end),
        (b'stats items\r\n', list_end),
        (b'version\r\n', line_end),
        (b'set big 0 0 500000\r\n' + b'b' * 500000 + b'\r\n', line_end),
        (b'stats slabs\r\n', list_end),
        (b'stats conns\r\n', list_end),
        (b'flush_all\r\n', line_end),
    ]


def resp_end(answer):
    """Returns True if the answer of redis is whole."""
    def parse(at):
        end = answer.find(b'\r\n', at)
        if end < 0:
            return -1
        kind, head = answer[at:at + 1], answer[at + 1:end]
        end += 2
        if kind == b'$':
            return end if head == b'-1' else end + int(head) + 2 if len(answer) >= end + int(head) + 2 else -1
        for _ in range(int(head) if kind == b'*' else 0):
            end = parse(end)
            if end < 0:
                return -1
        return end
    return bool(answer) and parse(0) == len(answer)


def redis_kinds(draw):
    key = b'k%d' % draw.randrange(1000)

    def words(*all_words):
        return b'*%d\r\n' % len(all_words) + b''.join(b'$%d\r\n%s\r\n' % (len(word), word) for word in all_words), resp_end
    return [
        words(b'GET', key),
        words(b'SET', key, b'v' * draw.randrange(1, 100)),
        words(b'INCR', b'n'),
        words(b'LPUSH', b'list', key),
        words(b'LPOP', b'list'),
        words(b'SADD', b'set', key),
        words(b'HSET', b'hash', key, b'1'),
        words(b'ZADD', b'sorted', b'1', key),
        words(b'DEL', key),
        words(b'LRANGE', b'list', b'0', b'200'),
        words(b'EXPIRE', key, b'1'),
        words(b'SORT', b'set', b'ALPHA'),
        words(b'EVAL', b'return redis.call("INCR", KEYS[1])', b'1', b'n'),
        words(b'INFO'),
        words(b'CLIENT', b'LIST'),
        words(b'SET', b'big', b'b' * 300000),
        words(b'BGREWRITEAOF'),
        words(b'UNLINK', b'big', b'set'),
        words(b'CONFIG', b'SET', b'hz', b'%d' % draw.randrange(10, 20)),
    ]


def http_end(answer):
    head, mark, body = answer.partition(b'\r\n\r\n')
    if not mark:
        return False
    for line in head.lower().split(b'\r\n')[1:]:
        name, _, value = line.partition(b':')
        if name == b'content-length':
            return len(body) >= int(value) or answer.startswith(b'HTTP/1.1 304')
        if name == b'transfer-encoding':
            return body.endswith(b'0\r\n\r\n')
    return True


def head_end(answer):
    return b'\r\n\r\n' in answer


def nginx_kinds(draw):
    def get(path, *more, method=b'GET', body=b''):
        lines = [method + b' ' + path + b' HTTP/1.1', b'Host: x', *more]
        return b'\r\n'.join(lines) + b'\r\n\r\n' + body, head_end if method == b'HEAD' else http_end
    return [
        get(b'/index.html'),
        get(b'/%d.txt' % draw.randrange(20)),
        get(b'/missing'),
        get(b'/index.html', method=b'HEAD'),
        get(b'/index.html', b'Range: bytes=10-20'),
        get(b'/big.bin'),
        get(b'/index.html', b'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT'),
        get(b'/list'),
        get(b'/list/'),
        get(b'/index.html', b'Content-Length: 3', method=b'POST', body=b'abc'),
        get(b'/index.html', b'Range: bytes=1-2,5-6'),
        get(b'/index.html', b'Accept-Encoding: gzip'),
        get(b'/forbidden'),
        get(b'/index.html', b'Expect: 100-continue'),
        get(b'/old'),
        get(b'/put/x', b'Content-Length: 100000', method=b'PUT', body=b'p' * 100000),
        get(b'/put/x', method=b'DELETE'),
        get(b'/index.html', method=b'OPTIONS'),
        get(b'/status'),
    ]




def java_kinds(draw):
    def request(kind, size):
        return (size + 1).to_bytes(4, 'big') + bytes([kind]) + b'x' * size, jvm_end
    return [request(kind, draw.randrange(1, 300)) for kind in range(len(SHARES))]


def jvm_end(answer):
    return len(answer) >= 4 and len(answer) == 4 + int.from_bytes(answer[:4], 'big')


PGBENCH_KINDS = [
    'SELECT abalance FROM pgbench_accounts WHERE aid = :a;',
    'UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :a;',
    "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (1, 1, :a, 1, CURRENT_TIMESTAMP);",
    'BEGIN; UPDATE pgbench_tellers SET tbalance = tbalance + 1 WHERE tid = 1; COMMIT;',
    'SELECT count(*) FROM pgbench_history;',
    'SELECT * FROM pgbench_accounts WHERE aid < :a ORDER BY abalance LIMIT 10;',
    'SELECT b.bid, sum(t.tbalance) FROM pgbench_branches b JOIN pgbench_tellers t ON b.bid = t.bid GROUP BY b.bid;',
    'CREATE TEMP TABLE x (i int); INSERT INTO x SELECT generate_series(1, 100); DROP TABLE x;',
    'DELETE FROM pgbench_history WHERE aid = :a;',
    'SELECT pg_sleep(0.001);',
    "SELECT md5(string_agg(aid::text, ',')) FROM pgbench_accounts WHERE aid < 2000;",
    'SAVEPOINT_BLOCK',
    'SELECT pg_advisory_lock(1); SELECT pg_advisory_unlock(1);',
    "NOTIFY a, 'b';",
    'SELECT * FROM pg_stat_activity;',
    'ANALYZE pgbench_branches;',
    'CHECKPOINT;',
    'SELECT generate_series(1, 20000);',
    'VACUUM pgbench_history;',
]


def pgbench(port, nr, seed):
    """Runs pgbench with three clients. A request is a transaction."""
    user = ['-h', '127.0.0.1', '-p', port, '-U', 'me']
    with tempfile.TemporaryDirectory() as folder:
        arguments = []
        for n, (statement, share) in enumerate(zip(PGBENCH_KINDS, SHARES)):
            name = f'{folder}/{n}.sql'
            if statement == 'SAVEPOINT_BLOCK':
                statement = 'BEGIN; SAVEPOINT s; UPDATE pgbench_branches SET bbalance = 1 WHERE bid = 1; ROLLBACK TO s; COMMIT;'
            with open(name, 'w', encoding='utf-8') as file:
                file.write('\\set a random(1, 100000)\n' + statement.replace('; ', ';\n') + '\n')
            arguments += ['-f', f'{name}@{round(share * 1000)}']
        if not int(seed):
            for _ in range(600):  # the server listens before it answers
                if not subprocess.run(['pgbench', *user, '-i', '-q', '-s', '1', 'postgres'], check=False, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL).returncode:
                    break
                time.sleep(0.1)
        begin = time.monotonic()
        run = subprocess.run(['pgbench', *user, '-n', '-c', '3', '-j', '1', '-t', str(nr // 3), f'--random-seed={seed}', *arguments, 'postgres'],
                             check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        expect(run.returncode == 0, 'pgbench:', run.stdout)
        return time.monotonic() - begin


def client(server, port, nr, draw):
    connection = Connection(port)
    kinds_of = KINDS[server]
    kinds = kinds_of(draw)
    for i, kind in enumerate(draw.choices(range(len(SHARES)), SHARES, k=nr)):
        if i % 100 == 0:
            kinds = kinds_of(draw)  # other keys and values
        if i % 5000 == 4999:
            connection.socket.close()
            connection.connect()
        request, is_whole = kinds[kind]
        try:
            answer = connection.ask(request, is_whole)
        except ConnectionError:
            answer = b''
        if not answer or b'onnection: close' in answer:
            connection.socket.close()
            connection.connect()


KINDS = {'memcached': memcached_kinds, 'redis': redis_kinds, 'nginx': nginx_kinds, 'java': java_kinds}


def cpu_of(pid):
    """Returns the CPU time of the process PID and its descendants, also of those that were waited for."""
    try:
        with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
            ticks = sum(map(int, file.read().rpartition(')')[2].split()[11:15]))
        with open(f'/proc/{pid}/task/{pid}/children', encoding='utf-8') as file:
            children = file.read().split()
    except FileNotFoundError:
        return 0
    return ticks / os.sysconf('SC_CLK_TCK') + sum(map(cpu_of, children))


def load(server, port, nr, seed, pid=0):
    before = cpu_of(pid)
    seconds = pgbench(port, int(nr), seed) if server == 'postgres' else ask_all(server, port, nr, seed)
    print(f'{server}: {nr} requests in {seconds:.2f} s, {cpu_of(pid) - before:.2f} s of CPU time')


def ask_all(server, port, nr, seed):
    expect(len(KINDS[server](random.Random(1))) == len(SHARES), 'a kind of request has no share')
    children, begin = [], time.monotonic()
    for n in range(3):
        pid = os.fork()
        if not pid:
            client(server, int(port), int(nr) // 3, random.Random(int(seed) * 3 + n))
            os._exit(0)
        children.append(pid)
    for pid in children:
        expect(os.waitpid(pid, 0)[1] == 0, 'a client failed')
    return time.monotonic() - begin


# ---- verdicts ----

def rows_of(name):
    with open(name, encoding='utf-8') as lines:
        return [line for line in map(json.loads, lines) if line['type'] == 'sampler']


def table(server, *names):
    runs = [rows_of(name) for name in names]
    always = [run[0] for run in runs]
    print(f'{server}: {len(runs)} runs of {statistics.mean(row["events"] for row in always):.0f} events,',
          f'{statistics.mean(row["paths"] for row in always):.0f} call paths,',
          f'{statistics.mean(row["turn_shapes"] for row in always):.0f} turn shapes')
    print(f'  {"sampler":36}', *(f'{title:>15}' for title in ('size %', 'paths %', 'turn shapes %', 'SS', 'IEn')))
    means = {}
    for same in zip(*runs):
        values = [[100 * row['TFCR'], 100 * row['SC'], 100 * row['turn_shapes_whole'] / row['turn_shapes'], row['SS'], row['IEn']]
                  for row in same]
        columns = list(zip(*values))
        means[same[0]['sampler']] = [statistics.mean(column) for column in columns]
        print(f'  {same[0]["sampler"]:36}',
              *(f'{statistics.mean(column):8.3g} ±{statistics.pstdev(column):5.2g}' for column in columns))
    p, bucket = means['p:0.1'], means['bucket:size=1,rate=1']
    print(f'  bucket: at least 95 % of the paths {bucket[1] >= 95}, at most 5 % of the events {bucket[0] <= 5},',
          f'SS below that of p:0.1 {bucket[3] < p[3]}, IEn above it {bucket[4] > p[4]}')
    expect(bucket[1] > p[1] and bucket[1] > 80, 'the bucket loses call paths', bucket, p)
    expect(bucket[4] > p[4], 'the bucket has less information than p:0.1')


def marks(server, name):
    rows = rows_of(name)[1:]
    print(f'{server}, clients traced: edges into kept events that begin at kept events')
    shares = [row['edges_whole'] / max(1, row['edges']) for row in rows]
    for row, share in zip(rows, shares):
        print(f'  {row["sampler"]:36} {100 * share:6.1f} % of {row["edges"]:7}, size {100 * row["TFCR"]:5.1f} %')
    expect(shares[0] < shares[1] and shares[2] < shares[3], 'marks have no effect')


def agree(server, *names):
    """Each file has the lines of several replays of one shadow recording."""
    print(f'{server}: events and call paths that the recorder kept, and that the replay of the full trace keeps')
    for name in names:
        rows = rows_of(name)
        recorded = next(row for row in rows if row['sampler'] == 'recorded')
        replayed = [row for row in rows if row['sampler'] not in ('always', 'recorded')]
        events = [row['events'] for row in replayed]
        paths = statistics.mean(row['paths_whole'] for row in replayed)
        print(f'  {replayed[0]["sampler"]:36} events {recorded["events"]:7}, {statistics.mean(events):9.0f} ±{statistics.stdev(events):.0f};'
              f' paths {recorded["paths_whole"]:4}, {paths:6.1f} of {recorded["paths"]}')


def decoded(kind, *arguments):
    run = subprocess.run(arguments, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    expect(run.returncode in (0, 1), f'exit status {run.returncode} of', *arguments)
    return [line for line in map(json.loads, run.stdout.splitlines()) if line['type'] == kind]


def recorder(server, sampler, decode, trace, full):
    """Compares a trace that the recorder sampled with a full trace of the same load."""
    events, event_bytes, file_bytes = ([sum(line[name] for line in decoded('process', decode, 'stat', '--format=jsonl', path))
                                        for path in (trace, full)] for name in ('recorded', 'event_bytes', 'file_bytes'))
    row, = decoded('against', decode, 'sampling', '--format=jsonl', f'--against={full}', trace)
    counts = decoded('coverage', decode, 'stat', '--format=jsonl', trace)[0]['sampling']
    expect(counts['calls'] == counts['whole'] + counts['ghosts'] + counts['left_out'], server, sampler, 'the counts differ', counts)
    print(f'{server}, recorded with {sampler}: {100 * events[0] / events[1]:.1f} % of {events[1]} events',
          f'({100 * counts["ghosts"] / counts["calls"]:.1f} % of the calls are ghosts),',
          f'{100 * event_bytes[0] / event_bytes[1]:.1f} % of {event_bytes[1] >> 10} KiB of events,',
          f'{100 * file_bytes[0] / file_bytes[1]:.1f} % of {file_bytes[1] >> 10} KiB of files,',
          f'paths {100 * row["SC"]:.1f} %, SS {row["SS"]:.3g}, IEn {row["IEn"]:.3g}')


def line(server, run, decode, directory):
    """The metrics of one run: each trace is compared with the full trace of the same load."""
    result = {'server': server, 'run': int(run)}
    full = f'{directory}/traces/full'
    for kind in 'untraced', 'full', 'p:0.1', 'bump', 'bucket':
        with open(f'{directory}/load.{kind}', encoding='utf-8') as file:
            words = file.read().split()
        result[kind] = {'seconds': float(words[4]), 'cpu': float(words[6])}
        if kind == 'untraced':
            continue
        trace = f'{directory}/traces/{kind}'
        processes = decoded('process', decode, 'stat', '--format=jsonl', trace)
        result[kind] |= {'events': sum(line['recorded'] for line in processes), 'bytes': sum(line['event_bytes'] for line in processes)}
        if kind == 'full':
            row = decoded('sampler', decode, 'sampling', '--format=jsonl', '--replay=p:1', trace)[0]
            result[kind] |= {'paths': row['paths'], 'IEn': row['IEn']}
            continue
        row, = decoded('against', decode, 'sampling', '--format=jsonl', f'--against={full}', trace)
        counts = decoded('coverage', decode, 'stat', '--format=jsonl', trace)[0]['sampling']
        expect(counts['calls'] == counts['whole'] + counts['ghosts'] + counts['left_out'], server, kind, 'the counts differ', counts)
        result[kind] |= {'SC': row['SC'], 'SS': row['SS'], 'IEn': row['IEn'], 'ghosts': counts['ghosts'] / max(1, counts['calls'])}
    print(json.dumps(result))


def paper(name):
    with open(name, encoding='utf-8') as lines:
        results = [json.loads(line) for line in lines]
    for server in dict.fromkeys(result['server'] for result in results):
        runs = [result for result in results if result['server'] == server]
        print(f'{server}: {len(runs)} runs of {statistics.mean(run["full"]["events"] for run in runs):.0f} events in the full trace,',
              f'{statistics.mean(run["full"]["paths"] for run in runs):.0f} call paths, IEn {statistics.mean(run["full"]["IEn"] for run in runs):.2f};',
              f'untraced {statistics.mean(run["untraced"]["seconds"] for run in runs):.1f} s')
        print(f'  {"":8}', *(f'{title:>17}' for title in ('size %', 'paths %', 'SS', 'IEn', 'ET %', 'ET, CPU %', 'ghosts % of calls')))
        for kind in 'full', 'p:0.1', 'bump', 'bucket':
            rows = [[100 * run[kind]['bytes'] / run['full']['bytes'], 100 * run[kind].get('SC', 1), run[kind].get('SS', 0), run[kind]['IEn'],
                     100 * (run[kind]['seconds'] / run['untraced']['seconds'] - 1),
                     100 * (run[kind]['cpu'] / max(0.01, run['untraced']['cpu']) - 1), 100 * run[kind].get('ghosts', 0)] for run in runs]
            print(f'  {kind:8}', *(f'{statistics.mean(column):9.3g} ±{statistics.pstdev(column):6.2g}' for column in zip(*rows)))


def tune(server, decode, trace, sampler, grid):
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    results = decoded('tuned', decode, 'sampling', '--format=jsonl', f'--tune={sampler}', trace)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime
    points = subprocess.run((sys.executable, grid, 'grid', sampler), check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    always, p, *rows = decoded('sampler', decode, 'sampling', '--format=jsonl', f'--replay=p:0.1,{points}', trace)
    rows = [row for row in rows if p['events'] // 10 <= row['events'] <= p['events']]
    if not results:
        print(f'{server}: no {sampler} keeps {p["events"] // 10} to {p["events"]} events')
        expect(not rows, 'the tuner finds no parameters, and the grid has some')
        return
    result = results[0]
    best = min(((row['SS'] / row['IEn'], row['sampler']) for row in rows), default=(float('inf'), 'none'))
    print(f'{server}: {result["sampler"]}, SS/IEn {result["objective"]:.4g}, size {100 * result["TFCR"]:.1f} %, paths {100 * result["SC"]:.1f} %;',
          f'best of {len(rows)} points of a grid: {best[0]:.4g} ({best[1]});',
          f'{result["replays"]} replays of {always["events"]} events in {seconds:.1f} s of CPU time')
    expect(result['objective'] <= 1.05 * best[0], 'the grid is better than the tuner')
    expect(seconds <= max(60.0, 60.0 * always['events'] / 1e6), 'the tuner is slow')


globals()[sys.argv[1]](*sys.argv[2:])
sys.exit(bool(failures))
