# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""clickhouse.py DIR: stores in ClickHouse, on servers with the configuration of examples/fleet/clickhouse."""
import atexit
import contextlib
import hashlib
import http.client
import http.server
import json
import math
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import symbols
from server import free_port
from window import BEGIN, DAY, FLEET, check, failures, load, put, query, run, sql, text_of, window_lines

LONG = bool(os.environ.get('SYNTRACE_TEST_LONG'))
HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = HERE + '/../../examples/fleet/clickhouse/'
PASSWORD = "it's \\ secret"
QUESTIONS = (['locks'], ['waits'], ['waits', '--by=day,reason'], ['locks', '--by=host,call'], ['hosts'], ['stability'],
             ['versions', '--against=0', '--version=1'], ['health'], ['health', '--limit=1'],
             ['waits', '--where=host=web-03', '--from=2024-10-05'], ['locks', '--limit=2', '--to=2024-10-05'],
             ['waits', "--where=service=x' OR 1=1 --"], ['waits', '--where=host=\\'], ['waits', '--where=class=idle'])


def need():
    path = os.environ['PATH'] + ':/usr/sbin:/sbin'
    program = shutil.which('clickhouse-server', path=path)
    if not program:
        print('skipped: clickhouse-server is not installed')
        sys.exit(77)
    return program


class Server:
    """A server of the cluster whose shards have PORTS."""

    def __init__(self, directory, program, port, ports):
        self.directory, self.program, self.tcp, self.http, self.process = directory, program, port, free_port(), None
        for name in ('config.d', 'users.d'):
            os.makedirs(directory + '/' + name)
        with open(directory + '/config.xml', 'w') as out:
            out.write(f'''<yandex><logger><level>error</level><log>{directory}/log</log><errorlog>{directory}/errors</errorlog></logger>
<http_port>{self.http}</http_port><tcp_port>{port}</tcp_port><interserver_http_port>{free_port()}</interserver_http_port>
<path>{directory}/data/</path><tmp_path>{directory}/tmp/</tmp_path><user_files_path>{directory}/files/</user_files_path>
<mark_cache_size>100000000</mark_cache_size><users_config>users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database></yandex>''')
        with open(directory + '/users.xml', 'w') as out:
            out.write('''<yandex><profiles><default><max_threads>2</max_threads></default></profiles><quotas><default/></quotas>
<users><default><password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
</default></users></yandex>''')
        with open(EXAMPLES + 'shards.xml') as example:
            text = example.read().replace('0.0.0.0', '127.0.0.1')
        shards = ''.join(f'<shard><replica><host>127.0.0.1</host><port>{one}</port></replica></shard>' for one in ports)
        text = re.sub('<syntrace>.*</syntrace>', f'<syntrace>{shards}</syntrace>', text, flags=re.S)
        with open(directory + '/config.d/syntrace.xml', 'w') as out:
            out.write(text)
        with open(EXAMPLES + 'users.xml') as example:
            text = example.read().replace('0' * 64, hashlib.sha256(PASSWORD.encode()).hexdigest())
        with open(directory + '/users.d/syntrace.xml', 'w') as out:
            out.write(re.sub('<host>[^<]*</host>', '', text).replace('<database>fleet<', '<database>fleet</database><database>one</database><database>named<'))
        atexit.register(self.kill)
        self.start()

    def start(self):
        with open(self.directory + '/out', 'a') as out:
            self.process = subprocess.Popen(['nice', '-n', '5', self.program, f'--config-file={self.directory}/config.xml'],
                                            stdout=out, stderr=out, cwd=self.directory)
        for _ in range(3000):
            try:
                if urllib.request.urlopen(f'http://127.0.0.1:{self.http}/ping', timeout=60).read() == b'Ok.\n':
                    return
            except (OSError, http.client.HTTPException):
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise SystemExit('the server does not start: ' + open(self.directory + '/out').read())

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.wait()

    def ask(self, text, user='default', password='', settings=''):
        """The answer to an SQL text, or the text of an error."""
        request = urllib.request.Request(f'http://127.0.0.1:{self.http}/?{settings}', data=text.encode(), headers={
            'X-ClickHouse-User': user, 'X-ClickHouse-Key': password})
        try:
            return urllib.request.urlopen(request, timeout=300).read().decode()
        except urllib.error.HTTPError as error:
            return error.read().decode(errors='replace')


def store_on(servers, database, user='syntrace_load'):
    return f'clickhouse://{user}@' + ','.join(f'127.0.0.1:{server.http}' for server in servers) + '/' + database


def fleet():
    """Windows with odd probabilities, on 30 hosts and three days, two each day; one has text that is SQL, and equal facts."""
    rng, windows = random.Random(3), []
    for host in range(30):
        for number in range(6):
            facts = [(event, ['main', 'serve', lock], rng.randrange(10**5, 10**8)) for lock in 'abc' for event in ('wait', 'hold')]
            windows.append(window_lines(f'web-{host:02}', number, facts * (1 + (host == 4)), p_host=rng.uniform(0.001, 1),
                                        p_time=rng.uniform(0.001, 1), begin_ns=BEGIN + number // 2 * DAY + (host % 20 + number % 2) * 3600 * 10**9,
                                        wall_ns=rng.randrange(10**9, 3 * 10**9), version=str(number // 2 % 2), lost=host % 2 * number))
    windows.append(window_lines("x'; DROP TABLE windows_local; --", 1,
                                [('wait', ['m\\ain\\\'', "'); DROP TABLE stacks_local; --\\", 'ü€\U0001f600'], 5)],
                                service="\\' OR 1=1 --"))
    windows.append(window_lines('web-99', 2, [], service='nothing'))
    idle = window_lines('web-98', 3, [('wait', ['main', 'idle'], 10**9)])
    idle[4]['class'] = 'idle'
    del idle[4]['culprit']
    windows.append(idle)
    return windows


# Those asked again and again.
SOME = QUESTIONS if LONG else QUESTIONS[:10:3]


def answers(store, questions=QUESTIONS):
    return [run('query', '--store=' + store, '--format=jsonl', *question)[0] for question in questions]


def compare(directory, stores):
    """All stores give the same bytes, also after duplicates, and for hostile and damaged windows."""
    windows, wanted = fleet(), None
    for name, store in stores:
        uploads = f'{directory}/{name}/in'
        run('init', '--store=' + store)
        run('init', '--store=' + store)
        for turn in range(2):
            for lines in windows:
                put(uploads, lines)
            put(uploads, windows[0], name=windows[0][0]['id'] + '.jsonl', data=text_of(windows[0]))
            good = windows[1]
            for n, data in enumerate((b'', text_of(good)[:-5], text_of(good).replace(b'"wall_ns": ', b'"wall_ns": -'))):
                put(uploads, good, name=f'{n:032}.jsonl', data=data)
            large = window_lines('web-01', 77, [('wait', ['main'], 2**62 + 1)] * 2)
            put(uploads, large)
            result, messages = load(store, uploads)
            check(result == {'v': 1, 'type': 'load', 'loaded': 0 if turn else 183, 'duplicates': 184 if turn else 1,
                             'rejected': 4}, name, turn, result, messages)
        check('"windows":183,' in run('check', '--store=' + store)[0], name, 'check')
        check(name == 'sqlite' or not batches(f'{directory}/{name}/journal'), 'the journal')
        rows = sql(store, 'SELECT day, host, service, version, sum(weight * ns) AS fleet, sum(n) AS waits, max(max_ns) AS most '
                          'FROM profile GROUP BY day, host, service, version ORDER BY host, day')
        rows += sql(store, 'SELECT id, day, begin_ns, length_ns, host, boot, service, version, build, exe, wall_ns, events, lost, '
                           'weight, open, unseen_ns, paused_bytes FROM windows ORDER BY id')
        rows += sql(store, 'SELECT DISTINCT stack, rank, function, path FROM stacks ORDER BY stack')
        rows += sql(store, 'SELECT DISTINCT lock, rank, kind, name FROM locks ORDER BY lock')
        # the order of these sums of floating-point numbers is not defined
        found = answers(store), [{key: f'{value:.12g}' if key == 'fleet' else value for key, value in row.items()} for row in rows]
        wanted = wanted or found
        check(len(found[1]) > 270 and len(found[0][0]) > 500, name, 'has few rows')
        for question, a, b in zip([*QUESTIONS, 'sql'], [*wanted[0], wanted[1]], [*found[0], found[1]]):
            check(a == b, name, question, 'differs:', a, b)


def batches(journal):
    """The batches and days in the journal, which also has the database of names."""
    return [name for name in os.listdir(journal) if name[0] != '.']


def named(directory, stores):
    """Names arrive in all stores when files do. A name that was sent and not noted is sent again."""
    kept, full, bare = directory + '/symbols', directory + '/named', directory + '/named.stripped'
    program, ident, places = symbols.build(directory, 'named', '')
    symbols.tool('strip', '--strip-all', '-o', bare, program)
    for name, store in stores:
        run('init', '--store=' + store)
        for host in range(21):
            put(f'{directory}/{name}.named/in', symbols.window_of(f'web-{host:02}', 0, '4.1', ident, places, 10**6 * (1 + host % 3)))
    for file, path, lock in ((None, 'prog+0x', 'prog+0x'), (bare, 'main;exported;prog+0x', 'accounts+0x28'),
                             (full, 'main;exported;serve;charge', 'accounts+0x28')):
        if file:
            run('symbols', 'put', '--symbols=' + kept, file)
        wanted = None
        for name, store in stores:
            load_named = ['load', '--store=' + store, '--once', f'--in={directory}/{name}.named/in', '--symbols=' + kept]
            run(*load_named)
            found = answers(store, (['locks'], ['waits']))
            wanted = wanted or found
            check(found == wanted, name, 'names differ', file, found, wanted)
            check(any(path in answer for answer in found) and any(lock in answer for answer in found), name, 'no names', file, found)
            names = f'{directory}/{name}.named/journal/.names.sqlite'
            if os.path.exists(names):
                with contextlib.closing(sqlite3.connect(names)) as database, database:
                    nr = database.execute('UPDATE renamed SET is_new = 1').rowcount
                check(nr >= (3 if file else 0), name, 'new names', nr)
                run(*load_named)
                found = answers(store, (['locks'], ['waits']))
                check(found == wanted, name, 'names that were sent twice', found, wanted)
        check(os.path.exists(names), 'the database of names')
    wanted = None
    for name, store in stores:
        asked = ['query', 'lines', '--store=' + store, '--symbols=' + kept, '--format=jsonl']
        found, _ = run(*asked, f'--journal={directory}/{name}.named/journal')
        wanted = wanted or found
        check(found == wanted and 'named.c' in found, name, 'lines differ', found, wanted)
        if name != 'sqlite':
            _, messages = run(*asked, status=4)
            check('--journal' in messages, name, 'no journal', messages)
            run(*asked, f'--journal={directory}/missing', status=4)
            check(not os.path.exists(directory + '/missing'), 'a query made a journal')


def near(a, b):
    """Equal answers, but for the last digits of numbers."""
    if isinstance(a, float) or isinstance(b, float):
        return a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(near(a[key], b[key]) for key in a)
    return a == b


def rolled(directory, servers, stores):
    """Sums of days give the answers of the windows, each once, also if roll or a server is killed."""
    rng, wanted, before = random.Random(17), None, answers(stores[0][1], SOME)
    for name, store in stores:
        roll = ['roll', '--store=' + store, '--keep=99999', *([] if name == 'sqlite' else [f'--journal={directory}/{name}/journal'])]
        run('roll', '--store=' + store, '--days=99999', *roll[3:])
        check(answers(store, SOME) == before, name, 'roll of no day')
        for attempt in range(30 if LONG else 2):
            process = subprocess.Popen([FLEET, *roll], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.random() * (0.05 if name == 'sqlite' else 1 if LONG else 0.4))
            if name == 'two' and attempt % 2:
                server = rng.choice(servers)
                server.kill()
                process.wait()
                server.start()
            process.kill()
            process.wait()
        run(*roll)
        out, _ = run(*roll)
        check(json.loads(out) == {'v': 1, 'type': 'roll', 'rolled': 0, 'dropped': 0}, out)
        run('check', '--store=' + store)
        found = answers(store, SOME)
        wanted = wanted or found
        row, = sql(store, 'SELECT count(*) AS rows, sum(nr) AS windows FROM windows')
        check(row['rows'] == 93 and row['windows'] == 183, row)
        for question, a, b, c in zip(SOME, before, wanted, found):
            check(b == c, name, question, 'differs after roll:', b, c)
            if '--from=2024-10-05' not in question:
                for one, other in zip(a.splitlines(), c.splitlines()):
                    check(near(json.loads(one), json.loads(other)), name, question, 'roll changed:', one, other)
            check(a.count('\n') == c.count('\n'), name, question, 'other rows')
        put(f'{directory}/{name}/in', window_lines('web-01', 1234, [], begin_ns=BEGIN))
        _, messages = load(store, f'{directory}/{name}/in')
        check('is summed up' in messages, name, messages)
        # dropped days
        put(f'{directory}/{name}/in', window_lines('web-01', 4321, [('wait', ['main'], 5)], begin_ns=time.time_ns()))
        load(store, f'{directory}/{name}/in')
        out, _ = run(*roll, '--keep=31') # the last one counts
        check(json.loads(out)['dropped'] == 3, out)
        row, = sql(store, 'SELECT count(*) AS rows, sum(ns) AS time FROM profile')
        check((row['rows'], row['time']) == (1, 5), 'dropped', row)
        run('check', '--store=' + store)


def served(stores):
    """The page and its profiles are those of SQLite."""
    found = []
    for _, store in stores:
        process = subprocess.Popen([FLEET, 'serve', '--store=' + store, '--listen=127.0.0.1:0'], stdout=subprocess.PIPE, text=True)
        url = process.stdout.readline().split()[-1]
        found.append([urllib.request.urlopen(url + path, timeout=300).read() for path in (
            'query/locks?service=cart', 'values/day', 'values/service', 'pprof/wait?service=cart', 'pprof/hold')])
        process.terminate()
        process.wait()
    for other in found[1:]:
        check(other == found[0], 'serve differs', found[0], other)


def refused(server, directory, store, reader):
    """A reader cannot write, with and without syntrace-fleet."""
    before = server.ask('SELECT count() FROM fleet.windows')
    for text in ('INSERT INTO windows_local (id) VALUES (1)', 'DROP TABLE windows', 'ALTER TABLE profile_local DROP PARTITION 1',
                 'SELECT 1; DROP TABLE windows', 'CREATE TABLE x (a String) ENGINE = Log', 'nonsense', 'SET readonly = 0',
                 "SELECT * FROM url('http://127.0.0.1:1/', 'TSV', 'a String')", "SELECT * FROM file('x', 'TSV', 'a String')",
                 'SELECT 1 SETTINGS readonly = 0', 'SELECT 1 SETTINGS max_execution_time = 0', 'SELECT 1 AS "a\\"b"',
                 'SELECT 1 FORMAT Native', 'KILL QUERY WHERE 1', 'SELECT count() FROM one.windows, (SELECT 1',
                 "SELECT 1 INTO OUTFILE '/tmp/x'"):
        for one in (store, reader):
            run('sql', '--store=' + one, text, status=4)
        if not text.startswith('SELECT 1') and not text.startswith('KILL'):
            for settings in ('database=fleet', 'database=fleet&readonly=0'):
                check('Exception' in server.ask(text, 'syntrace_read', PASSWORD, settings), text, settings, 'is not refused')
    check(server.ask('SELECT count() FROM fleet.windows') == before, 'a reader wrote')
    check(sql(reader, "SELECT '\\t\\n\\\\' AS a, 1 AS b, 0.5 AS c, toUInt64(-1) AS d, NULL AS e -- a comment") ==
          [{'v': 1, 'type': 'row', 'a': '\t\n\\', 'b': 1, 'c': 0.5, 'd': 18446744073709551616, 'e': None}], 'types')
    check('Exception' in server.ask('SELECT 1', 'syntrace_read', 'wrong'), 'a wrong password')
    check(answers(reader, SOME) == answers(store, SOME), 'the reader')
    put(directory + '/reader/in', window_lines('web-1', 1, []))
    run('load', '--store=' + reader, '--once', '--in=' + directory + '/reader/in', status=4)
    for bad in ('clickhouse://', 'clickhouse://h/d', 'clickhouse://h:1', 'clickhouse://h:1/a b', 'clickhouse://h:1,/../x:2/d',
                'clickhouse://h:x/d', 'clickhouse://a b@h:1/d', f'clickhouse://nobody@127.0.0.1:{server.http}/fleet'):
        run('init', '--store=' + bad, status=4)


def exact(store, windows):
    """The sums of the store are those of the windows, and none is there twice."""
    found, = sql(store, 'SELECT count(*) AS nr, sum(ns) AS ns, sum(n) AS waits FROM profile')
    ids, = sql(store, 'SELECT count(*) AS nr, sum(wall_ns) AS wall FROM windows')
    facts = [line for lines in windows for line in lines if line['type'] == 'fact']
    wanted = len(facts), sum(line['ns'] for line in facts), len(windows), sum(lines[0]['wall_ns'] for lines in windows)
    check((found['nr'], found['ns'], ids['nr'], ids['wall']) == wanted, 'sums:', found, ids, wanted)
    run('check', '--store=' + store)


def windows_of(name, nr_hosts, nr):
    rng = random.Random(name)
    return [window_lines(f'{name}-{host}', number, [(event, ['main', f'f{n}'], rng.randrange(10**9)) for n in range(40)
                                                    for event in ('wait', 'hold')], begin_ns=BEGIN + number % 2 * DAY)
            for host in range(nr_hosts) for number in range(nr)]


def interrupted(directory, server, store):
    """The loader stops before and between the tables; the next one finishes the batch."""
    windows, uploads = [], directory + '/interrupted/in'
    journal = directory + '/interrupted/journal'

    def back(table):
        server.ask(f'DROP TABLE one.{table}')
        server.ask(f'RENAME TABLE one.away TO one.{table}')

    for turn, table in enumerate(('profile_local', 'windows_local', 'profile_local', 'windows_local')):
        new = windows_of(f'turn{turn}', 1, 3)
        windows += new
        for lines in new:
            put(uploads, lines)
        put(uploads, new[0], name=new[0][0]['id'] + '.jsonl', data=text_of(new[0])) # is there until the window is loaded
        server.ask(f'RENAME TABLE one.{table} TO one.away')
        server.ask(f'CREATE VIEW one.{table} AS SELECT * FROM one.away') # takes no rows
        _, messages = run('load', '--store=' + store, '--once', '--in=' + uploads, status=4)
        check('Exception' in messages and len(batches(journal)) == 1, table, messages, os.listdir(journal))
        check(len(os.listdir(uploads + '/' + new[0][0]['host'])) == 4, 'a file was removed too early')
        if turn == 2: # another store must not get the batch
            run('load', '--store=' + store.replace('127.0.0.1', 'localhost'), '--once', '--in=' + uploads, status=4)
        if turn == 3: # neither a damaged one
            name, = batches(journal)
            with open(f'{journal}/{name}', 'r+b') as batch:
                whole = batch.read()
                batch.seek(-3, 2)
                batch.write(b'x')
            back(table)
            _, messages = run('load', '--store=' + store, '--once', '--in=' + uploads, status=4)
            check('is no batch' in messages, messages)
            with open(f'{journal}/{name}', 'wb') as batch:
                batch.write(whole)
        else:
            back(table)
        result, messages = load(store, uploads)
        check(result['loaded'] + result['duplicates'] == 4, table, result, messages)
        check(not batches(journal), 'the journal')
        exact(store, windows)


def killed(directory, servers, store):
    """Loader and servers are killed at random; all sums are exact."""
    rng, uploads, nr_killed = random.Random(7), directory + '/killed/in', {'loader': 0, 'server': 0}
    for server in servers:
        for table in ('windows_local', 'profile_local', 'rolled_local'):
            server.ask(f'DROP TABLE fleet.{table}')
    run('init', '--store=' + store)
    windows, sent = windows_of('killed', 8, 60 if LONG else 8), []
    for attempt in range(60 if LONG else 4):
        more = rng.sample(windows, 30 if LONG else 8)
        sent += [lines for lines in more if lines not in sent]
        for lines in more:
            put(uploads, lines)
        process = subprocess.Popen([FLEET, 'load', '--store=' + store, '--once', '--in=' + uploads],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.random() * 0.3)
        if attempt % 2:
            server = rng.choice(servers)
            server.kill()
            process.wait()
            server.start()
            nr_killed['server'] += 1
        else:
            nr_killed['loader'] += process.poll() is None
            process.kill()
            process.wait()
    load(store, uploads)
    exact(store, sent)
    check(nr_killed['loader'] > 0, 'no load was killed')
    check(not any(os.listdir(f'{uploads}/{host}') for host in os.listdir(uploads)), 'files are left')
    print('killed:', nr_killed, len(sent), 'windows')
    # run('check') can fail
    servers[0].ask('INSERT INTO fleet.windows_local SELECT * FROM fleet.windows LIMIT 1')
    run('check', '--store=' + store, status=1)


class Liar(http.server.BaseHTTPRequestHandler):
    """A server whose answers are wrong."""
    bodies = []
    at = 0

    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length']))
        head, body = Liar.bodies[Liar.at]
        self.wfile.write(head + body)
        self.close_connection = True

    def log_message(self, *arguments):
        pass


def lied(directory):
    good = b'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n'
    Liar.bodies = [(good, body) for body in (
        b'', b'\n', b'a\n', b'a\nString', b'a\nString\n1\t2\n', b'a\tb\nString\tString\n1\n', b'a\nInt64\nx\n', b'a\nInt64\n1\n2',
        b'\\N\n\\N\n\\N\n', b'a\nFloat64\n\n', b'\0\n\0\n\0\n', b'a\nString\n\xff\xfe\0\n', b'\t' * 5000 + b'\n', b'a\nInt64\n1\x00\n',
        b'a\n' * 3, os.urandom(5000), b'99999999999999999999999\n', b'-1\n', b'1')] + [
        (b'HTTP/1.1 500 x\r\nConnection: close\r\n\r\n', b'\x1b[2J' + b'y' * 10**6), (b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n', b'1\n'),
        (b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', b'5\r\n1\n'), (b'nonsense\r\n\r\n', b''), (b'', b''),
        (b'HTTP/1.1 302 x\r\nLocation: file:///etc/passwd\r\nConnection: close\r\n\r\n', b'')]
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Liar)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    store = f'clickhouse://127.0.0.1:{server.server_port}/fleet'
    put(directory + '/lied/in', window_lines('web-1', 1, []))
    for Liar.at in range(len(Liar.bodies)):
        verbs = ['sql', 'SELECT 1'], ['query', 'locks'], ['check'], ['load', '--once', '--in=' + directory + '/lied/in']
        for verb in verbs if LONG else verbs[Liar.at % 4:][:1]:
            _, messages = run(verb[0], '--store=' + store, *verb[1:], status=None)
            check('\x1b' not in messages, 'an escape in a message')
    server.shutdown()
    check(len(os.listdir(directory + '/lied/in/web-1')) == 1, 'a liar got a window')


class Closer(http.server.BaseHTTPRequestHandler):
    """A server that keeps its connections, but closes them at an INSERT of facts, without an answer."""
    protocol_version = 'HTTP/1.1'
    inserts = []

    def do_POST(self):
        text = self.path + self.rfile.read(int(self.headers['Content-Length'])).decode(errors='replace')
        if 'INSERT%20INTO%20profile' in text:
            Closer.inserts.append(text)
            self.close_connection = True
            return
        body = b'1\n' if 'system.clusters' in text else b''
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def closed(directory):
    """An INSERT without an answer is not sent again before its rows are counted."""
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Closer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    put(directory + '/closed/in', window_lines('web-1', 1, [('wait', ['main'], 5)]))
    run('load', f'--store=clickhouse://127.0.0.1:{server.server_port}/fleet', '--once', '--in=' + directory + '/closed/in', status=4)
    server.shutdown()
    check(len(Closer.inserts) == 1, len(Closer.inserts), 'INSERTs')
    check(len(batches(directory + '/closed/journal')) == 1, 'the journal')


def main():
    directory, program = sys.argv[1], need()
    with open(directory + '/password', 'w') as out:
        out.write(PASSWORD + '\n')
    os.environ['SYNTRACE_FLEET_PASSWORD_FILE'] = directory + '/password'
    ports = [free_port() for _ in range(3)]
    one = Server(directory + '/server1', program, ports[0], ports[:1])
    two = [Server(f'{directory}/server{n + 1}', program, ports[n], ports[1:]) for n in (1, 2)]
    stores = [('sqlite', directory + '/fleet.sqlite'), ('one', store_on([one], 'fleet')), ('two', store_on(two, 'fleet'))]
    compare(directory, stores)
    named(directory, [('sqlite', directory + '/named.sqlite'), ('one', store_on([one], 'named')), ('two', store_on(two, 'named'))])
    served(stores)
    refused(one, directory, stores[1][1], store_on([one], 'fleet', 'syntrace_read'))
    run('init', '--store=' + store_on([one], 'one'))
    rolled(directory, two, stores)
    interrupted(directory, one, store_on([one], 'one'))
    killed(directory, two, stores[2][1])
    lied(directory)
    closed(directory)
    sys.exit(bool(failures))


main()
