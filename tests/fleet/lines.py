# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""lines.py DIR SOURCE: the waits by source line, of a program with inlined and recursive functions, as lines and on the page."""
import os
import re
import shutil
import subprocess
import sys
import threading

from browser import Browser
from serve import HOSTILE, Server, decode, picture, wait_for
from symbols import tool
from window import check, failures, load, put, query, run, window_lines

PROGRAM = '''#include <pthread.h>
pthread_mutex_t lock;
volatile int sink;
/* ''' + HOSTILE + ''' */
static inline __attribute__((always_inline)) void take(void)
{
	pthread_mutex_lock(&lock); /* taken */
	sink++;
}
void __attribute__((noinline)) charge(int n)
{
	take(); /* inlined */
	if (n)
		charge(n - 1); /* again */
	sink++;
}
void __attribute__((noinline)) list(void)
{
	pthread_mutex_lock(&lock); /* listed */
	sink++;
}
int main(int argc, char **argv)
{
	charge(argc); /* main 1 */
	list(); /* main 2 */
	return !argv;
}
'''
NAME = 'a<b>&#%2e?.c'
FILLER = 3000  # lines before the program, so that the hottest line is out of sight at first


def line_of(mark):
    return FILLER + 1 + next(n for n, text in enumerate(PROGRAM.split('\n')) if f'/* {mark} */' in text)


def build(directory):
    """The program, the path of its source, its build-id, and the return addresses of its calls by caller and callee."""
    path, source = directory + '/cart', os.path.realpath(directory) + '/' + NAME
    with open(source, 'w') as out:
        out.write('\n' * FILLER + PROGRAM)
    tool(*os.environ.get('CC', 'gcc').split(), '-g', '-O1', '-fno-optimize-sibling-calls', '-pthread', '-Wl,--build-id=sha1', '-o', path,
         source)
    ident = re.search(r'Build ID: ([0-9a-f]+)', tool('readelf', '-n', path)).group(1)
    calls, function, callee = {}, None, None
    for text in tool('objdump', '-d', '--no-show-raw-insn', path).splitlines():
        begin, instruction = re.match(r'[0-9a-f]+ <(.*)>:', text), re.match(r' *([0-9a-f]+):\t(.*)', text)
        if begin:
            function, callee = begin.group(1), None
        if instruction:
            if callee:
                calls[function, callee] = int(instruction.group(1), 16)
            callee = re.match(r'(?:call|bl)\S* .*<([a-z_]+).*>', instruction.group(2))
            callee = callee.group(1) if callee else None
    return path, source, ident, calls


def amount(ns, path):
    return ns * 3**path + path if path < 5 else 7


def total():
    """The time of each call path on the three hosts."""
    return [sum(amount(10**8 + host, path) for host in range(3)) for path in range(6)]


def window(host, number, ident, calls, ns, p_host):
    """Waits of 6 call paths: a recursive one, one without recursion, and four whose innermost function has no lines."""
    lock, again, one, two, listed = (calls[c] for c in (('charge', 'pthread_mutex_lock'), ('charge', 'charge'), ('main', 'charge'),
                                                        ('main', 'list'), ('list', 'pthread_mutex_lock')))
    paths = [[[1, lock], [1, again], [1, again], [1, one]], [[1, listed], [1, two]], [[2, 4096], [1, listed], [1, two]],
             ['generated', [1, one]], [[3, 64]], ['list', [1, two]]]
    lines = window_lines(host, number, [], wall_ns=10**11, p_host=p_host)
    lines[1:] = [{'type': 'module', 'module': 1, 'build': ident, 'path': '/srv/cart'},
                 {'type': 'module', 'module': 2, 'build': 'cd' * 20, 'path': '/lib/bare.so'},
                 {'type': 'module', 'module': 3, 'build': '', 'path': '/lib/none.so'}]
    lines += [{'type': 'stack', 'stack': n + 1, 'frames': frames} for n, frames in enumerate(paths)]
    for n in range(len(paths)):
        for event in ('wait', 'hold'):
            fact = {'type': 'fact', 'event': event, 'what': 'file', 'call': 'flock', 'stack': n + 1, 'n': 1, 'ns': amount(ns, n), 'max_ns': amount(ns, n)}
            lines.append({**fact, 'class': 'harmful'} if event == 'wait' else fact)
    lines.append({'type': 'end', 'lines': len(lines) + 1})
    return lines


def sums(store, symbols, source, ident):
    """The times of lines are those of the call paths, to the nanosecond."""
    _, *waits = query(store, 'waits', '--where=service=cart')
    _, *rows = query(store, 'lines', '--symbols=' + symbols, '--where=service=cart')
    ns = total()
    for of, key in (('ns', 'wait_ns'), ('fleet_ns', 'fleet_ns')):
        check(abs(sum(r['self_' + of] for r in rows) - sum(w[key] for w in waits)) < 1e-3, 'the sum of', of)
    check(sum(r['self_ns'] for r in rows) == sum(ns), 'the sum of own times', rows)
    got = {(r['file'] and os.path.basename(r['file']), r['line'], r['functions'], r['build']): (r['self_ns'], r['total_ns']) for r in rows}
    expected = {(NAME, line_of('taken'), 'take', ident): (ns[0], ns[0]), (NAME, line_of('inlined'), 'charge', ident): (0, ns[0]),
                (NAME, line_of('again'), 'charge', ident): (0, ns[0]), (NAME, line_of('main 1'), 'main', ident): (0, ns[0] + ns[3]),
                (NAME, line_of('listed'), 'list', ident): (ns[1], ns[1] + ns[2]),
                (NAME, line_of('main 2'), 'main', ident): (0, ns[1] + ns[2] + ns[5]),
                (None, 0, 'bare.so+0x1000', 'cd' * 20): (ns[2], ns[2]), (None, 0, 'generated', ''): (ns[3], ns[3]),
                (None, 0, 'none.so+0x40', ''): (ns[4], ns[4]), (None, 0, 'list', ''): (ns[5], ns[5])}
    check(got == expected, 'lines', got, expected)
    check(all(r['file'] in (None, source) for r in rows), 'files', rows)
    check([r['self_fleet_ns'] for r in rows] == sorted((r['self_fleet_ns'] for r in rows), reverse=True), 'the order', rows)
    one = query(store, 'lines', '--symbols=' + symbols, '--where=host=web-01', '--limit=1')
    check(one[0]['windows'] == 1 and len(one) == 2 and one[1]['self_ns'] == amount(10**8 + 1, 4), 'conditions', one)
    text, _ = run('query', '--store=' + store, '--symbols=' + symbols, 'lines')
    check(re.search(re.escape(f'{NAME}:{line_of("taken")}') + r' .*\btake\b', text), text)
    _, messages = run('query', '--store=' + store, 'lines', status=2)
    check('--symbols' in messages, messages)


def answers(store, symbols):
    """The server gives the bytes of the verb, to several clients at once, and takes no directory from them."""
    server = Server(store)
    status, body, _ = server.ask('/query/lines')
    check(status == 400 and b'--symbols' in body, 'a server without symbols', status, body)
    server.close()
    server, out = Server(store, '--symbols=' + symbols), run('query', '--store=' + store, '--format=jsonl', '--symbols=' + symbols, 'lines')[0]
    found = []
    threads = [threading.Thread(target=lambda: found.append(server.ask('/query/lines')[:2])) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check(found == [(200, out.encode())] * 6, 'lines of the server', found, out)
    for option in ('symbols', 'journal'):
        check(server.ask(f'/query/lines?{option}=/')[0] == 400, option)
    return server


def profiles(server, directory, proto, source):
    """The innermost lines of a profile have the own times of the lines."""
    if not shutil.which('protoc'):
        print('left out: profiles (no protoc)')
        return
    for event in ('wait', 'hold'):
        p = decode(proto, server.ask('/pprof/' + event)[1])
        strings = [text.decode() for text in p['string_table']]
        functions = {f['id'][0]: (strings[f['name'][0]], strings[f.get('filename', [0])[0]]) for f in p['function']}
        places = {at['id'][0]: [(*functions[line['function_id'][0]], line.get('line', [0])[0]) for line in at['line']] for at in p['location']}
        check(len(set(functions.values())) == len(functions) and len(set(map(tuple, places.values()))) == len(places), 'twice', places)
        got = {tuple(place for at in s['location_id'] for place in places[at]): s['value'][1] for s in p['sample']}
        taken, inlined, again, one, two, listed = ((name, source, line_of(mark)) for name, mark in (
            ('take', 'taken'), ('charge', 'inlined'), ('charge', 'again'), ('main', 'main 1'), ('main', 'main 2'), ('list', 'listed')))
        paths = ((taken, inlined, again, again, one), (listed, two), (('bare.so+0x1000', '', 0), listed, two), (('generated', '', 0), one),
                 (('none.so+0x40', '', 0),), (('list', '', 0), two))
        check(got == dict(zip(paths, total())), event, got, paths)
    if shutil.which('go') and subprocess.run(['go', 'tool', 'pprof', '-h'], capture_output=True).returncode == 0:
        done = subprocess.run(['go', 'tool', 'pprof', '-symbolize=none', '-sample_index=wait', '-list=^charge$', server.url + 'pprof/wait'],
                              env={**os.environ, 'HOME': directory}, capture_output=True, text=True)
        check(re.search(r'300.*ms.*take\(\); /\* inlined', done.stdout), 'pprof', done.stdout[-2000:], done.stderr)


def click(browser, function):
    """What the page shows for a function, after a click on it in the flame graph."""
    browser.value(f"document.querySelector('rect[data-name=\"{function}\"]').dispatchEvent(new MouseEvent('click', {{bubbles: true}})), 0")
    wait_for(browser, f"document.getElementById('source').dataset.shown === '{function}'")
    return browser.value("document.getElementById('source').innerText")


def page(server, directory, symbols, source, ident):
    program = shutil.which('chromium')
    if not program:
        print('left out: the page in a browser (no chromium)')
        return
    browser, kept = Browser(program, directory + '/profile', seconds=150), f'{symbols}/{ident}/source{source}'
    try:
        browser.open(server.url + '#question=lines')
        wait_for(browser, 'document.documentElement.dataset.asked')
        check('bare.so+0x1000' in browser.value('document.body.innerText'), 'the question lines')
        browser.open(server.url + '#question=waits&service=cart')
        wait_for(browser, "document.querySelector('rect[data-name=charge]')")
        place = f'{source}:{line_of("listed")}'

        told = click(browser, 'list')
        check('no source ' + source in told and place in told and 'pthread_mutex_lock' not in told, 'without a source', told)
        run('symbols', 'put', '--symbols=' + symbols, '--source=' + directory, directory + '/cart')
        told = click(browser, 'list')
        check(place in told and 'pthread_mutex_lock(&lock); /* listed */' in told and HOSTILE in told, 'with a source', told[-3000:])
        ns = total()
        hot = browser.value("[...document.querySelectorAll('.hot, [aria-current]')].map(row => [...row.cells].map(c => c.title || c.innerText))")
        check(len(hot) == 1 and hot[0][:3] == [str(line_of('listed')), f'{ns[1]} ns', f'{ns[1] + ns[2]} ns'], 'the hottest line', hot)
        check(browser.value("(() => { const a = document.querySelector('.hot').getBoundingClientRect(), b = document.querySelector('.source')."
                            "getBoundingClientRect(); return a.top >= b.top && a.bottom <= b.bottom && a.bottom <= innerHeight && a.top >= 0 })()"),
              'the hottest line is out of sight')
        check(browser.value("document.querySelectorAll('.source th[scope=row]').length") == FILLER + PROGRAM.count('\n'), 'the number of lines')
        check(browser.value("(e => e.tabIndex === 0 && e.getAttribute('role') === 'region' && !!e.getAttribute('aria-label'))"
                            "(document.querySelector('.source'))"), 'the keyboard does not reach the source')
        # the same name in generated code
        browser.value("document.querySelector('#source button[aria-pressed=false]').focus(), 0")
        browser.key('Enter')
        wait_for(browser, "document.activeElement.matches('#source button[aria-pressed=true]')")
        check('has no source lines' in browser.value("document.getElementById('source').innerText"), 'the other place of a name')
        # a button of the list, by keyboard
        browser.value("[...document.querySelectorAll('button.link')].find(b => b.innerText === 'charge').focus(), 0")
        browser.key('Enter')
        wait_for(browser, "document.getElementById('source').dataset.shown === 'charge'")
        check('/* inlined */' in browser.value("document.querySelector('.hot').innerText"), 'the line of a function, not of an inlined one')
        if os.environ.get('KEEP'):
            picture(browser, directory + '/page.png')

        check('no debug information of build ' + 'cd' * 20 in click(browser, 'bare.so+0x1000'), 'a build without files')
        for name in ('generated', 'none.so+0x40'):
            check('has no source lines' in click(browser, name), 'a function without a place')
        os.rename(kept, kept + '.c')
        for what, told, make in (('a link', 'no source', lambda: os.symlink(directory + '/secret', kept)),
                                 ('a directory', 'no source', lambda: os.mkdir(kept)), ('a FIFO', 'no source', lambda: os.mkfifo(kept)),
                                 ('a large file', 'is too large', lambda: os.truncate(os.open(kept, os.O_CREAT | os.O_WRONLY), 17 << 20)),
                                 ('a binary', 'is no text', lambda: shutil.copy(directory + '/cart', kept)),
                                 ('a long line', '…', lambda: open(kept, 'w').write('x' * 10**6)),
                                 ('many lines', '5000 of 100000 lines', lambda: open(kept, 'w').write('y\n' * 10**5))):
            make()
            shown = click(browser, 'list')
            check(told in shown and 'secret' not in shown and len(shown) < 10**6, what, shown[:1000])
            os.rmdir(kept) if os.path.isdir(kept) else os.unlink(kept)
        check(not browser.value("document.documentElement.dataset.error || document.documentElement.dataset.hacked"), 'an error on the page',
              browser.value("document.documentElement.dataset.error"))
    finally:
        browser.close()


def main():
    directory, proto = sys.argv[1:]
    store, uploads, symbols = directory + '/fleet.sqlite', directory + '/in', directory + '/symbols'
    run('init', '--store=' + store)
    program, source, ident, calls = build(directory)
    for host in range(3):
        put(uploads, window(f'web-{host:02}', 0, ident, calls, 10**8 + host, (1, 0.5, 0.3)[host]))
    loaded, messages = load(store, uploads)
    check(loaded['loaded'] == 3, loaded, messages)
    with open(directory + '/secret', 'w') as out:
        out.write('secret')

    # the program has a symbol table and no debug information, which is in a file of its own
    tool('strip', '--strip-debug', '-o', program + '.bare', program)
    tool('objcopy', '--only-keep-debug', program, program + '.debug')
    for file in ('.bare', '.debug'):
        run('symbols', 'put', '--symbols=' + symbols, program + file)
    run('load', '--store=' + store, '--once', '--in=' + uploads, '--symbols=' + symbols)
    sums(store, symbols, source, ident)
    # debug information without the list of the addresses of its units, as of clang
    tool('objcopy', '--remove-section=.debug_aranges', program + '.debug', program + '.unlisted')
    for file in ('.bare', '.unlisted'):
        run('symbols', 'put', f'--symbols={symbols}.unlisted', program + file)
    check(query(store, 'lines', f'--symbols={symbols}.unlisted') == query(store, 'lines', '--symbols=' + symbols), 'unlisted units')
    server = answers(store, symbols)
    try:
        profiles(server, directory, proto, source)
        page(server, directory, symbols, source, ident)
    finally:
        server.close()
    sys.exit(bool(failures))


main()
