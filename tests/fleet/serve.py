# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""serve.py DIR SOURCE: a web client, and a browser if there is one, of syntrace-fleet serve on a planted fleet."""
import base64
import gzip
import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import urllib.parse

from browser import Browser
from prototext import parse
from window import BEGIN, DAY, FLEET, check, failures, load, put, run, sql, window_lines

HOSTILE = '<img src=x onerror="document.documentElement.dataset.hacked=1">'


def plant(directory):
    """A fleet of 24 hosts with two versions and two services; texts of one service are markup."""
    rng, store, uploads = random.Random(5), directory + '/fleet.sqlite', directory + '/in'
    run('init', '--store=' + store)
    for host in range(24):
        for number, version in enumerate(('4.1', '4.2')):
            facts = [('wait', ['main', 'serve', 'charge'], rng.randrange(10**6, 10**7) * (1 + 4 * number)),
                     ('wait', ['main', 'serve', 'list', 'serve'], rng.randrange(10**6, 10**7)),
                     ('hold', ['main', 'flush'], rng.randrange(10**6, 10**7))]
            put(uploads, window_lines(f'web-{host:02}', number, facts, version=version, wall_ns=10**9, p_host=0.5,
                                      p_time=0.3, begin_ns=BEGIN + number * DAY))
    put(uploads, window_lines('odd', 7, [('wait', ['main', HOSTILE], 10**6)], service=HOSTILE))
    loaded, messages = load(store, uploads)
    check(loaded['loaded'] == 49, loaded, messages)
    return store, uploads


class Server:
    def __init__(self, store, *options):
        self.process = subprocess.Popen([FLEET, 'serve', '--store=' + store, '--listen=127.0.0.1:0', *options],
                                        stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[-1]
        self.port = urllib.parse.urlsplit(self.url).port

    def ask(self, target, method='GET', **headers):
        """The status, the body and the headers of an answer. TARGET is sent as it is."""
        c = http.client.HTTPConnection('127.0.0.1', self.port, timeout=120)
        c.putrequest(method, target, skip_host='Host' in headers)
        for key, value in headers.items():
            c.putheader(key, value)
        c.endheaders()
        answer = c.getresponse()
        body = answer.read()
        c.close()
        return answer.status, body, answer.headers

    def close(self):
        self.process.terminate()
        check(self.process.wait(timeout=120) == 0, 'the exit status of serve', self.process.returncode)


def answers(server, store):
    """Each question gives the same bytes as the verb query."""
    for question, options in (('locks', {}), ('locks', {'by': 'day,version', 'limit': '3'}), ('waits', {'service': 'cart'}),
                              ('waits', {'where': 'service=' + HOSTILE}), ('waits', {'from': str(BEGIN + DAY), 'to': ''}),
                              ('waits', {'where': "host=' OR 1=1 --"}),
                              ('versions', {'against': '4.1', 'version': '4.2', 'service': 'cart'}), ('hosts', {}),
                              ('stability', {}), ('health', {})):
        out, _ = run('query', '--store=' + store, '--format=jsonl', *(f'--{k}={v}' for k, v in options.items() if v), question)
        status, body, headers = server.ask(f'/query/{question}?' + urllib.parse.urlencode(options))
        check(status == 200 and body.decode() == out and out, question, options, status, body[:200])
        check(headers['Content-Type'].startswith('application/x-ndjson') and
              "default-src 'none'" in headers['Content-Security-Policy'], headers)
    two = server.ask('/query/waits?where=host%3Dweb-01&where=version%3D4.2')[1]
    check(json.loads(two.splitlines()[0])['windows'] == 1, 'two conditions', two)
    services = [json.loads(line)['value'] for line in server.ask('/values/service')[1].splitlines()]
    check(services == sorted((HOSTILE, 'cart')), services)


def refusals(server):
    for target, status in (('/query/none', 404), ('/query/', 404), ('/nothing', 404), ('/page.js/', 404), ('/values/call', 404),
                           ('/values/id', 404), ('/pprof/other', 404), ('/../../../etc/passwd', 404),
                           ('/%2e%2e/%2e%2e/etc/passwd', 404), ('/query/locks/..', 404),
                           ('/query/locks?by=shoe', 400), ('/query/locks?where=a%3Db', 400), ('/query/locks?limit=0', 400),
                           ('/query/locks?limit=1%27', 400), ('/query/locks?from=soon', 400), ('/query/locks?store=x', 400),
                           ('/query/hosts?by=day', 400), ('/query/versions?against=4.1', 400), ('/query/locks?version=4.1', 400),
                           ('/pprof/wait?limit=x', 400), ('/query/locks?' + 'where=host%3Da&' * 17, 400)):
        got, body, _ = server.ask(target)
        check(got == status and b'root:' not in body, target, got, body[:200])
    for method in ('POST', 'PUT', 'DELETE', 'OPTIONS'):
        got, _, headers = server.ask('/query/locks', method)
        check(got == 405 and headers['Allow'] == 'GET, HEAD', method, got)
    for host, status in (('evil.example', 403), ('evil.example:80', 403), ('localhost.evil.example', 403), ('127.0.0.1', 200),
                         ('localhost:1', 200), ('[::1]:80', 200), ('fe80.de', 403)):
        check(server.ask('/values/host', Host=host)[0] == status, 'the host', host)
    head = server.ask('/', 'HEAD')
    check(head[0] == 200 and not head[1] and int(head[2]['Content-Length']) > 100, head)


def decode(source, body):
    out = subprocess.run(['protoc', '--decode=pprof.Profile', '-I' + source, 'base/profile.proto'], input=gzip.decompress(body),
                         capture_output=True, check=True).stdout.decode()
    fields = {}
    for key, value in parse(out.splitlines()):
        fields.setdefault(key, []).append(value)
    return fields


def profiles(server, store, source):
    """The samples of a profile are those of the store, to the nanosecond."""
    if not shutil.which('protoc'):
        print('left out: profiles (no protoc)')
        return
    for event, where in (('wait', "service = 'cart'"), ('hold', "service = 'cart'")):
        status, body, _ = server.ask(f'/pprof/{event}?service=cart')
        check(status == 200, status, body[:200])
        p = decode(source, body)
        strings = [text.decode() for text in p['string_table']]
        name = {f['id'][0]: strings[f['name'][0]] for f in p['function']}
        place = {at['id'][0]: name[at['line'][0]['function_id'][0]] for at in p['location']}
        check(strings[0] == '' and len(set(name.values())) == len(name), 'functions', name)
        check([strings[t['type'][0]] for t in p['sample_type']][1] == event and
              strings[p['default_sample_type'][0]] == event + '_of_fleet', p['sample_type'])
        got = {(';'.join(place[at] for at in reversed(s['location_id'])), strings[s['label'][0]['str'][0]]): s['value']
               for s in p['sample']}
        rows = sql(store, f"SELECT path, locks.name AS lock, sum(n) AS n, sum(ns) AS ns, total(ns * weight) AS fleet FROM profile "
                   f"JOIN stacks USING (stack) JOIN locks USING (lock) WHERE event = '{event}' AND {where} GROUP BY path, lock")
        check(got == {(r['path'], r['lock']): [r['n'], r['ns'], round(r['fleet'])] for r in rows} and got, event, got, rows)


def together(server, store, uploads):
    """Many clients get answers while windows are loaded."""
    wrong = []

    def client():
        for _ in range(5):
            status, body, _ = server.ask('/query/waits?service=cart')
            if status != 200 or json.loads(body.splitlines()[0])['windows'] not in range(48, 53):
                wrong.append((status, body[:200]))

    threads = [threading.Thread(target=client) for _ in range(6)]
    for t in threads:
        t.start()
    for number in range(4):
        put(uploads, window_lines('late', number, [('wait', ['main', 'serve', 'charge'], 10**6)]))
        load(store, uploads)
    for t in threads:
        t.join()
    check(not wrong, wrong[:3])


def wait_for(browser, expression):
    return browser.value(f'new Promise(done => {{ const look = () => {{ const v = {expression}; v ? done(v) : setTimeout(look, 20); }}; look(); }})')


def picture(browser, path):
    browser.size(1200, 1000)
    with open(path, 'wb') as out:
        out.write(base64.b64decode(browser.call('Page.captureScreenshot')['data']))


def page(server, directory):
    program = shutil.which('chromium')
    if not program:
        print('left out: the page in a browser (no chromium)')
        return
    browser = Browser(program, directory + '/profile', seconds=150)
    try:
        for where, expected in (('question=locks', 'of charge'), ('question=waits&service=cart', 'go tool pprof'),
                                ('question=waits&version=4.2&version2=4.1', '-diff_base'), ('question=hosts', 'web-07'),
                                ('question=versions&version=4.2&version2=4.1', 'main;serve;charge'),
                                ('question=stability', 'entropy'), ('question=health', HOSTILE),
                                ('question=waits&from=soon', 'takes a time')):
            browser.open(server.url + '#' + where)
            wait_for(browser, 'document.documentElement.dataset.asked')
            text = browser.value("document.body.innerText")
            check(expected in text, where, text[:2000])
            check(not browser.value("document.documentElement.dataset.error || document.documentElement.dataset.hacked"), where,
                  browser.value("document.documentElement.dataset.error"))
        browser.open(server.url + '#question=waits&service=cart')
        wait_for(browser, "document.querySelector('rect[data-name=serve]')")
        browser.value("document.querySelector('rect[data-name=serve]').dispatchEvent(new MouseEvent('click', {bubbles: true})), 0")
        told = browser.value("document.getElementById('function').innerText")
        check('Callers' in told and 'main' in told and 'charge' in told, told)
        if os.environ.get('KEEP'):
            picture(browser, directory + '/page.png')
    finally:
        browser.close()


def main():
    directory, source = sys.argv[1:]
    store, uploads = plant(directory)
    server = Server(store)
    answers(server, store)
    refusals(server)
    profiles(server, store, source)
    page(server, directory)
    together(server, store, uploads)
    run('serve', '--store=' + directory + '/missing', status=4)
    _, messages = run('serve', '--store=' + store, f'--listen=127.0.0.1:{server.port}', status=4)
    check('cannot listen' in messages, messages)
    run('serve', '--store=' + store, '--listen=nowhere', status=4)
    run('serve', status=2)
    server.close()
    sys.exit(bool(failures))


if __name__ == '__main__':
    main()
