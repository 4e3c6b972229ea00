# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""The requests of a trace of schedules.c, by the names of its functions.

This module knows the program. It uses no rule by which the decoder finds the extent of a request, except the
happens-before edges of connections, thread creations and hand-offs.
"""
import collections
import itertools
import re
import sys

SYMBOLS = {'pthread_mutex_lock', 'pthread_cond_signal', 'send', 'recv', 'pread', 'write', 'usleep', 'pthread_create', 'pthread_join'}
# The edges that bring a request. Others come with one of them, or order locks.
BRINGS = {'stream', 'create', 'handoff'}


class Truth:
    def __init__(self, events, edges, clients):
        sys.setrecursionlimit(1000000)
        self.events = {e['id']: e for e in events if e['type'] == 'event'}
        for e in self.events.values():
            e['do'] = next((f['fn'] for f in e['stack'] if f.get('fn', '').startswith('do_')), None)
        self.brings = {e['to']: e['from'] for e in edges if e['type'] == 'edge' and e['kind'] in BRINGS}
        self.number_requests(clients)
        self.known, self.last_received = {}, {}
        for e in sorted(self.events, key=key):
            self.note_received(e)
        for e in self.events:
            self.work_of(e)

    def number_requests(self, clients):
        """The first events of requests. CLIENTS has the client of each connection."""
        self.first, numbers = {}, collections.Counter()
        for event in sorted(self.events, key=key):
            e = self.events[event]
            if e['do'] == 'do_receive' and e['result'] > 0:
                client = clients[e['object']]
                self.first[event] = '%d.%d' % (client, numbers[client])
                numbers[client] += 1

    def note_received(self, event):
        """Remembers for each answer of `loop` the query on the same connection."""
        e = self.events[event]
        if e['do'] == 'do_loop_receive':
            self.last_received[e['object']] = event
        elif e['do'] == 'do_loop_answer':
            self.brings[event] = self.last_received[e['object']]

    def previous(self, event):
        process, thread, number = event.rsplit('.', 2)
        before = '%s.%s.%d' % (process, thread, int(number) - 1)
        return before if before in self.events else None

    def taken(self, event):
        """The event that put the item into the queue from which the section with the lock EVENT takes one."""
        process, thread, number = event.rsplit('.', 2)
        for n in itertools.count(int(number)):
            at = '%s.%s.%d' % (process, thread, n)
            if at in self.brings or at not in self.events:
                return self.brings.get(at)
            if self.events[at]['call'] == 'pthread_mutex_unlock':
                return None

    def work_of(self, event):
        """The request for which the thread of EVENT works at EVENT, and the parent of this segment."""
        if event is None:
            return None, None
        if event not in self.known:
            self.known[event] = self.find(event)
        return self.known[event]

    def find(self, event):
        e = self.events[event]
        if event in self.first:
            return self.first[event], None
        if e['call'] in ('epoll_wait', 'accept', 'close') or e['do'] in ('do_receive', 'do_loop_receive', 'do_store_receive') and \
                e['result'] <= 0:
            return None, None
        if e['do'] == 'do_take' and e['call'] == 'pthread_mutex_lock':
            source = self.taken(event)
            return (self.work_of(source)[0], source) if source else (None, None)
        source = self.brings.get(event)
        if e['do'] == 'do_loop_answer':
            return self.work_of(source)
        before = self.work_of(self.previous(event))
        # the reply to a question, or the report of the helper, does not begin a segment in a thread that waits
        if not source or e['do'] in ('do_take', 'do_await') or e['call'] == 'recv' and 'ask' in e['do']:
            return before
        return self.work_of(source)[0], source

    def steps(self):
        """The steps of each request, like those that the decoder prints."""
        steps = collections.defaultdict(list)
        for event in self.events:
            request, parent = self.known[event]
            e = self.events[event]
            if request and e['do'] and e['call'] in SYMBOLS:
                steps[request].append({'event': event, 'parent': self.symbol_before(parent), 'symbol': self.symbol(e)})
        return steps

    def symbol_before(self, event):
        """The event itself, or the last one before it that has a symbol: an unlock has none."""
        while event and not (self.events[event]['do'] and self.events[event]['call'] in SYMBOLS):
            event = self.previous(event)
        return event

    @staticmethod
    def symbol(e):
        names = [f['fn'] for f in reversed(e['stack']) if re.match(r'(do_|ask_|use_|work|help|handle|serve|pass_|enqueue|store_|loop_)', f.get('fn', ''))]
        return ';'.join(names + [e['call']])


def key(event):
    return [int(n) for n in event.split('.')]
