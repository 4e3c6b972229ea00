# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""symbols.py DIR: names of functions and variables of two builds of a program."""
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request

from window import FLEET, check, failures, load, put, query, run, sql, window_lines

SOURCE = '''
#include <pthread.h>
pthread_mutex_t accounts[4];
static int __attribute__((noinline)) charge(int n) { pthread_mutex_lock(&accounts[n & 3]); return n + 1; }
static int __attribute__((noinline)) serve(int n) { int k = charge(n) %s; return k * 3; }
int exported(int n) { return serve(n) + 5; }
int main(int argc, char **argv) { return exported(argc) + !argv; }
'''


def tool(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def build(directory, name, extra):
    """A build with all names, its build-id, and the addresses of its functions and variables."""
    path = f'{directory}/{name}'
    with open(path + '.c', 'w') as out:
        out.write(SOURCE % extra)
    tool(*os.environ.get('CC', 'gcc').split(), '-g', '-O1', '-pthread', '-rdynamic', '-Wl,--build-id=sha1', '-o', path, path + '.c')
    ident = re.search(r'Build ID: ([0-9a-f]+)', tool('readelf', '-n', path)).group(1)
    places = {fields[2]: int(fields[0], 16) for fields in map(str.split, tool('nm', path).splitlines()) if len(fields) == 3}
    return path, ident, places


def window_of(host, number, version, ident, places, ns):
    """A window with addresses: waits in charge, called by serve, exported and main; a lock in a table, and one that main made."""
    lines = window_lines(host, number, [], version=version)
    at = [places[name] + 5 for name in ('charge', 'serve', 'exported', 'main')]
    lines[1:] = [{'type': 'module', 'module': 1, 'build': ident, 'path': '/srv/prog'},
                 {'type': 'stack', 'stack': 1, 'frames': [[1, a] for a in at]},
                 {'type': 'stack', 'stack': 2, 'frames': [[1, at[3]], 'generated']},
                 {'type': 'lock', 'lock': 1, 'kind': 'mutex', 'at': [1, places['accounts'] + 40]},
                 {'type': 'lock', 'lock': 2, 'kind': 'mutex', 'made': 2}]
    for lock in (1, 2):
        lines.append({'type': 'fact', 'event': 'wait', 'what': 'lock', 'class': 'harmful', 'reason': 'locked', 'charged': 'held',
                      'call': 'pthread_mutex_lock', 'lock': lock, 'stack': 1, 'culprit': 2, 'n': 1, 'ns': ns * lock, 'max_ns': ns * lock})
    lines.append({'type': 'end', 'lines': len(lines) + 1})
    return lines


def get(url):
    """The body of the answer, or its status."""
    try:
        with urllib.request.urlopen(url, timeout=100) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        return error.code


def fetching(directory, url, ident):
    """load --debuginfod asks for missing files once a day, and no server that only the environment names."""
    store, uploads, symbols = directory + '/fetch.sqlite', directory + '/fetch.in', directory + '/fetch.symbols'
    run('init', '--store=' + store)
    places = dict.fromkeys(('charge', 'serve', 'exported', 'main', 'accounts'), 4096)
    put(uploads, window_of('web-1', 1, '1', ident, places, 10))
    put(uploads, window_of('web-1', 2, '1', 'ab' * 20, places, 10))
    options = ['load', '--store=' + store, '--once', '--in=' + uploads, '--symbols=' + symbols]
    os.environ['DEBUGINFOD_URLS'] = url
    run(*options)
    check(not os.path.exists(symbols), 'a server of the environment was asked')
    _, messages = run(*options, '--debuginfod=http://127.0.0.1:1/')
    if 'cannot be used' in messages:
        print('note: no libdebuginfod')
        return
    check('127.0.0.1:1' in messages and not [name for name in os.listdir(symbols) if name[0] != '.'], messages, os.path.exists(symbols) and os.listdir(symbols))
    del os.environ['DEBUGINFOD_URLS']
    _, messages = run(*options, '--debuginfod=' + url)
    check(os.path.exists(f'{symbols}/{ident}/rank') and os.listdir(symbols + '/' + 'ab' * 20) == ['missing'], messages, os.listdir(symbols))
    # the answer that there is no file holds for a day
    os.rename(f'{symbols}/{ident}', f'{symbols}/away')
    os.mkdir(f'{symbols}/{ident}')
    with open(f'{symbols}/{ident}/missing', 'w'):
        pass
    run(*options, '--debuginfod=' + url)
    check(os.listdir(f'{symbols}/{ident}') == ['missing'], 'asked again on the same day')
    os.utime(f'{symbols}/{ident}/missing', (1, 1))
    run(*options, '--debuginfod=' + url)
    check(os.path.exists(f'{symbols}/{ident}/rank'), 'not asked on the next day')


def sources(directory, symbols, store, program, ident):
    """Sources below a directory are kept, and served where clients of debuginfod look; no path leads out of the symbol store."""
    path = os.path.realpath(program + '.c')
    run('symbols', 'put', '--symbols=' + symbols, '--source=' + directory + '/damaged.symbols', program)
    check(not os.listdir(f'{symbols}/{ident}/source'), 'a source that is not below the directory')
    run('symbols', 'put', '--symbols=' + symbols, '--source=' + directory, program)
    text = open(path, 'rb').read()
    check(open(f'{symbols}/{ident}/source{path}', 'rb').read() == text, 'the source')
    kept = [os.path.join(at, name) for at, _, names in os.walk(f'{symbols}/{ident}/source') for name in names]
    check(len(kept) == 1, 'sources of the system', kept)
    run('symbols', 'put', '--symbols=' + symbols, '--source=' + directory + '/missing', program, status=4)
    with open(directory + '/secret', 'w') as out:
        out.write('secret')
    os.symlink(directory + '/secret', f'{symbols}/{ident}/source/link')
    os.symlink(directory, f'{symbols}/{ident}/source/links')
    server = subprocess.Popen([FLEET, 'serve', '--store=' + store, '--symbols=' + symbols, '--listen=127.0.0.1:0'],
                              stdout=subprocess.PIPE, text=True)
    base = server.stdout.readline().split()[-1] + 'buildid/'
    check(get(f'{base}{ident}/source{path}') == text, 'the served source')
    check(get(f'{base}{ident}/source/x/../{path}') == text, 'a source with dots')
    check(get(f'{base}{ident}/executable') == open(f'{symbols}/{ident}/executable', 'rb').read(), 'the served program')
    check(get(f'{base}{ident}/debuginfo') == open(f'{symbols}/{ident}/debuginfo', 'rb').read(), 'the served debug information')
    up = '../' * 20
    for wrong in (f'{ident}/source/{up}{directory}/secret', f'{ident}/source/{up.replace("/", "%2f")}{directory}/secret', f'../{ident}/rank',
                  f'{ident}/source/link', f'{ident}/source/links/secret', f'{ident}/rank', f'{ident}/source', f'{ident}/source/',
                  f'{ident}/source/root', f'{ident}/../{ident}/executable', f'{ident}/executable/', 'ab/executable', '/executable',
                  '%00/executable', ident.upper() + '/executable', 'f' * 200 + '/executable', f'{ident}/source{path}%00'):
        # a client need not resolve dots; urllib does not
        answer = get(base + wrong)
        check(answer == 404 or (wrong.endswith('%00') and answer == text), wrong, answer)
    if shutil.which('debuginfod-find'):
        environment = {**os.environ, 'DEBUGINFOD_URLS': base[:-len('buildid/')], 'DEBUGINFOD_CACHE_PATH': directory + '/cache'}
        for what in (['debuginfo'], ['executable'], ['source', path]):
            done = subprocess.run(['debuginfod-find', what[0], ident, *what[1:]], env=environment, capture_output=True, text=True)
            check(done.returncode == 0, what, done.stderr)
            if done.returncode == 0 and what[0] == 'source':
                check(open(done.stdout.strip(), 'rb').read() == text, 'the source of debuginfod-find')
    if shutil.which('gdb'):
        environment = {**os.environ, 'DEBUGINFOD_URLS': base[:-len('buildid/')], 'DEBUGINFOD_CACHE_PATH': directory + '/cache.gdb'}
        os.rename(path, path + '.away')
        done = subprocess.run(['gdb', '-nx', '-batch', '-iex', 'set debuginfod enabled on', '-ex', 'list charge', program + '.stripped'], env=environment,
                              capture_output=True, text=True)
        os.rename(path + '.away', path)
        check('pthread_mutex_lock(&accounts[n & 3])' in done.stdout, done.stdout, done.stderr)
    fetching(directory, base[:-len('buildid/')], ident)
    server.terminate()
    server.wait()
    os.unlink(f'{symbols}/{ident}/source/link')
    os.unlink(f'{symbols}/{ident}/source/links')


def main():
    directory, = sys.argv[1:]
    store, uploads, symbols = directory + '/fleet.sqlite', directory + '/in', directory + '/symbols'
    run('init', '--store=' + store)
    builds = {'4.1': build(directory, 'one', ''), '4.2': build(directory, 'two', '+ 7 * n')}
    for number, (version, (_, ident, places)) in enumerate(builds.items()):
        for host in range(21):
            put(uploads, window_of(f'web-{host:02}', number, version, ident, places, 10**6 * (1 + host % 3 + 50 * number)))

    def named():
        """Loads with symbols. The paths, with their ranks, and the names of locks, by version."""
        run('load', '--store=' + store, '--once', '--in=' + uploads, '--symbols=' + symbols)
        check(sums() == facts, 'the facts changed')
        return {version: ([(r['path'], r['rank']) for r in sql(store, 'SELECT DISTINCT path, rank FROM profile JOIN stacks USING '
                                                               f"(stack) WHERE version = '{version}'")],
                          [r['name'] for r in sql(store, 'SELECT DISTINCT name FROM profile JOIN locks USING (lock) WHERE '
                                                  f"version = '{version}' ORDER BY name")]) for version in builds}

    def sums():
        return sql(store, 'SELECT count(*) AS n, sum(ns) AS ns, total(weight * ns) AS fleet FROM profile')

    load(store, uploads)
    facts = sums()
    check(facts[0]['n'] == 84, facts)
    (paths, locks) = named()['4.1']
    check(paths == [('prog+0x%x;prog+0x%x;prog+0x%x;prog+0x%x' %
                     tuple(builds['4.1'][2][f] + 5 for f in ('main', 'exported', 'serve', 'charge')), 0)], paths)
    check(all('prog+0x' in name for name in locks), locks)
    check('have no names' in run('query', '--store=' + store, 'versions', '--against=4.1', '--version=4.2')[1], 'unnamed versions')

    # a stripped program names what it exports
    one, ident, _ = builds['4.1']
    shutil.copy(one, one + '.stripped')
    tool('strip', '--strip-all', one + '.stripped')
    run('symbols', 'put', '--symbols=' + symbols, one + '.stripped')
    check(open(f'{symbols}/{ident}/rank').read() == '1\n' and os.listdir(symbols) == [ident], os.listdir(symbols))
    (paths, locks) = named()['4.1']
    check(len(paths) == 1 and re.fullmatch(r'main;exported;prog\+0x\w+;prog\+0x\w+', paths[0][0]) and paths[0][1] == 0, paths)
    check(locks == ['accounts+0x28', 'main()'], locks)

    # debug information in a file of its own, for the stripped program
    tool('objcopy', '--only-keep-debug', one, one + '.debug')
    run('symbols', 'put', '--symbols=' + symbols, one + '.debug')
    check(sorted(os.listdir(f'{symbols}/{ident}')) == ['debuginfo', 'executable', 'rank'], os.listdir(f'{symbols}/{ident}'))
    check(named()['4.1'] == ([('main;exported;serve;charge', 3)], ['accounts+0x28', 'main()']), named()['4.1'])

    # a worse file does not replace a better one
    stripped = open(f'{symbols}/{ident}/executable', 'rb').read()
    run('symbols', 'put', '--symbols=' + symbols, one)
    check(open(f'{symbols}/{ident}/executable', 'rb').read() == open(one, 'rb').read(), 'the better file')
    run('symbols', 'put', '--symbols=' + symbols, one + '.stripped', one + '.debug')
    check(open(f'{symbols}/{ident}/executable', 'rb').read() != stripped, 'a worse file replaced a better one')
    check(open(f'{symbols}/{ident}/rank').read() == '3\n', 'the rank')

    # a symbol table alone; then both versions have names, and can be compared
    two, other, _ = builds['4.2']
    shutil.copy(two, two + '.symbols')
    tool('strip', '--strip-debug', two + '.symbols')
    run('symbols', 'put', '--symbols=' + symbols, two + '.symbols')
    check(open(f'{symbols}/{other}/rank').read() == '2\n', 'the rank of a symbol table')
    check(named()['4.2'] == ([('main;exported;serve;charge', 2)], ['accounts+0x28', 'main()']), named()['4.2'])
    row = query(store, 'versions', '--against=4.1', '--version=4.2')[1]
    check(row['path'] == 'main;exported;serve;charge' and row['differs'] and row['ratio'] > 10, row)

    # files that are no programs, or are damaged, change no facts
    with open(directory + '/text', 'w') as out:
        out.write('no program')
    os.mkfifo(directory + '/fifo')
    _, messages = run('symbols', 'put', '--symbols=' + symbols, directory + '/text', directory + '/missing', directory + '/fifo',
                      status=4)
    check(messages.count('no ELF file') == 2 and 'missing' in messages, messages)
    data = open(two, 'rb').read()
    for n in range(0, len(data), max(1, len(data) // 40)):
        with open(directory + '/damaged', 'wb') as out:
            out.write(data[:n] + bytes(255 - b for b in data[n:n + 64]) + data[n + 64:])
        run('symbols', 'put', '--symbols=' + directory + '/damaged.symbols', directory + '/damaged', status=None)
    run('load', '--store=' + store, '--once', '--in=' + uploads, '--symbols=' + directory + '/damaged.symbols')
    check(sums() == facts, 'damaged files changed the facts')
    sources(directory, symbols, store, one, ident)
    run('symbols', 'get', '--symbols=' + symbols, one, status=2)
    run('symbols', 'put', one, status=2)
    run('check', '--store=' + store)
    sys.exit(bool(failures))


if __name__ == '__main__':
    main()
