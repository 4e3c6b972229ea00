# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""Programs with planted tasks, and the judge of their models.

planted.py generate SEED              prints a C program that a random grammar describes
planted.py judge LOG TASKS MODEL      compares a model (--instances) with the log of the program

A program has kinds of tasks. A task of a kind executes operations in a thread of a first pool, then (most kinds) in a
thread of a second pool. Some sequences of operations are shared subtasks of several kinds. Each operation takes and
releases a mutex of its own. In a few percent of the gaps between operations, a thread executes noise. In half of the
programs, each kind has its own functions; in the other half, one loop calls all operations.

The program logs for each operation its thread and its task. Therefore the judge knows the task of each leaf task. The judge
ignores noise and the operations of queues; a model may put them anywhere.
"""
import collections
import json
import random
import re
import sys

PRELUDE = r'''
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct log { int task, op; };
struct job { int kind, task; };
static struct log *logs[16];
static int nr_logged[16], tids[16];
static __thread int me;
static __thread unsigned state;

static unsigned rnd(unsigned below)
{
	state = state * 1103515245u + 12345u;
	return (state >> 16) % below;
}
/* Computes for some microseconds, so that the second pool sometimes waits for the first. */
static void compute(void)
{
	struct timespec t;
	long end;

	clock_gettime(CLOCK_MONOTONIC, &t);
	for (end = t.tv_sec * 1000000000L + t.tv_nsec + (long)rnd(60) * 1000; t.tv_sec * 1000000000L + t.tv_nsec < end;)
		clock_gettime(CLOCK_MONOTONIC, &t);
}
static void note(int task, int op)
{
	logs[me][nr_logged[me]++] = (struct log){task, op};
}
static void begin(int number, unsigned seed)
{
	me = number;
	state = seed * 7919u + (unsigned)number * 104729u;
	tids[me] = gettid();
	logs[me] = malloc(sizeof(struct log) * 400000);
	if (!logs[me])
		abort();
}
'''

# The queues between the pools: one with several senders and several receivers, or one for each pair of threads. If several
# threads send to one socket at the same time, the decoder cannot know the order of their messages.
QUEUES = {
    'cond': r'''
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_filled = PTHREAD_COND_INITIALIZER;
static struct job queue[400000];
static int queue_head, queue_tail;
static __attribute__((noinline)) void push(struct job j)
{
	pthread_mutex_lock(&queue_lock);
	queue[queue_tail++] = j;
	pthread_cond_signal(&queue_filled);
	pthread_mutex_unlock(&queue_lock);
}
static __attribute__((noinline)) struct job pop(void)
{
	struct job j;

	pthread_mutex_lock(&queue_lock);
	while (queue_head == queue_tail)
		pthread_cond_wait(&queue_filled, &queue_lock);
	j = queue[queue_head++];
	pthread_mutex_unlock(&queue_lock);
	return j;
}
static void queue_open(void) {}
''',
    'socket': r'''
static int ends[NR_B][2];
static __attribute__((noinline)) void push(struct job j)
{
	if (write(ends[me % NR_B][1], &j, sizeof(j)) != sizeof(j))
		abort();
}
static __attribute__((noinline)) struct job pop(void)
{
	struct job j;

	if (read(ends[me - NR_A][0], &j, sizeof(j)) != sizeof(j))
		abort();
	return j;
}
static void queue_open(void)
{
	for (int i = 0; i < NR_B; i++)
		if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends[i]))
			abort();
}
''',
}

MAIN = r'''
static void *first(void *arg)
{
	begin((int)(long)arg, SEED);
	for (int n = 0; n < NR_TASKS; n++) {
		struct job j = {(int)rnd(NR_KINDS), 0};

		j.task = j.kind * 10000000 + me * 1000000 + n;
		run_a(j);
		if (has_b[j.kind])
			push(j);
		compute();
	}
	return NULL;
}
static void *second(void *arg)
{
	begin((int)(long)arg, SEED);
	for (struct job j; (j = pop()).kind >= 0;)
		run_b(j);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t threads[NR_A + NR_B];
	FILE *f = fopen(argv[argc - 1], "w");

	queue_open();
	for (long i = 0; i < NR_A + NR_B; i++)
		pthread_create(&threads[i], NULL, i < NR_A ? first : second, (void *)i);
	for (int i = 0; i < NR_A; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < NR_B; i++)
		me = i, push((struct job){-1, 0});
	for (int i = NR_A; i < NR_A + NR_B; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < NR_A + NR_B; i++)
		for (int n = 0; n < nr_logged[i]; n++)
			fprintf(f, "%d %d %d\n", tids[i], logs[i][n].task, logs[i][n].op);
	return fclose(f);
}
'''


class Grammar:
    """Kinds of tasks: an item is an operation (a number), a shared subtask (a name), or a loop over one operation
    (a number and the least and largest number of turns)."""

    def __init__(self, seed):
        self.random = r = random.Random(seed)
        self.nr_ops = 0
        self.shared = {'shared_%d' % i: self.ops(2, 4) for i in range(r.randint(1, 3))}
        self.kinds = []
        for _ in range(r.randint(2, 5)):
            a = self.items()
            self.kinds.append((a, self.items() if r.random() < 0.75 else []))
        self.is_loop = seed % 2 == 1
        self.noise = r.choice([1, 2, 3])
        self.queue = r.choice(sorted(QUEUES))

    def ops(self, least, most):
        nr = self.random.randint(least, most)
        self.nr_ops += nr
        return list(range(self.nr_ops - nr, self.nr_ops))

    def items(self):
        """An operation of the kind itself comes first, so that a task begins at a known place."""
        items = self.ops(1, 2)
        for _ in range(self.random.randint(0, 2)):
            if self.random.random() < 0.5:
                items.append(self.random.choice(sorted(self.shared)))
            if self.random.random() < 0.2:
                least = self.random.randint(0, 3)
                items.append((self.ops(1, 1)[0], least, least + self.random.randint(1, 3)))
            items += self.ops(1, 2)
        return items

    def text(self, item, is_flat):
        """The statements of an item."""
        if isinstance(item, tuple):
            op, least, most = item
            return '\t\tfor (unsigned i = %d + rnd(%d); i > 0; i--) {\n%s\t\t}\n' % (
                least, most - least + 1, self.text(op, is_flat))
        if item not in self.shared:
            return '\t\tgap(); op_%d(j.task);\n' % item
        if not is_flat:
            return '\t\t%s(j);\n' % item
        return ''.join(self.text(op, is_flat) for op in self.shared[item])


def generate(seed):
    g = Grammar(seed)
    put = sys.stdout.write
    put('/* kinds: %s; shared: %s; loop: %s; noise: %d %%; queue: %s */' %
        (g.kinds, g.shared, g.is_loop, g.noise, g.queue))
    put(PRELUDE)
    nr_a = g.random.randint(1, 3)
    nr_b = g.random.randint(1, 3) if g.queue == 'cond' else nr_a
    put('enum { SEED = %d, NR_KINDS = %d, NR_A = %d, NR_B = %d, NR_TASKS = 400 };\n' % (seed, len(g.kinds), nr_a, nr_b))
    put('static const int has_b[] = {%s};\n' % ', '.join('%d' % bool(b) for _, b in g.kinds))
    put(QUEUES[g.queue])
    function = 'static __attribute__((noinline)) void %s(%s)\n{\n%s}\n'
    locked = '\tstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n%s' \
             '\tpthread_mutex_lock(&m);\n\tpthread_mutex_unlock(&m);\n'
    for i in range(3):
        put(function % ('noise_%d' % i, 'void', locked % ''))
    put('static inline __attribute__((always_inline)) void gap(void)\n{\n\tif (rnd(100) >= %d)\n\t\treturn;\n' % g.noise)
    put('\tswitch (rnd(3)) {\n\tcase 0: noise_0(); break;\n\tcase 1: noise_1(); break;\n\tdefault: noise_2();\n\t}\n}\n')
    for i in range(g.nr_ops):
        put(function % ('op_%d' % i, 'int task', locked % ('\tnote(task, %d);\n' % i)))
    for side in (0, 1):
        name = 'run_' + 'ab'[side]
        body = '\tswitch (j.kind) {\n'
        if not g.is_loop:
            for shared, ops in g.shared.items() if side == 0 else ():
                put(function % (shared, 'struct job j', ''.join(g.text(op, False) for op in ops)))
            for k, kind in enumerate(g.kinds):
                text = ''.join(g.text(item, False) for item in kind[side])
                put(function % ('kind_%d_%s' % (k, 'ab'[side]), 'struct job j', text + '\t\t(void)j;\n'))
        for k, kind in enumerate(g.kinds):
            text = '\t\tkind_%d_%s(j);\n' % (k, 'ab'[side])
            if g.is_loop:
                text = ''.join(g.text(item, True) for item in kind[side])
            body += '\tcase %d:\n%s\t\tbreak;\n' % (k, text)
        put(function % (name, 'struct job j', body + '\t}\n'))
    put(MAIN)


def lines(path):
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def owners(log, tasks):
    """The planted task of each leaf task, by its id."""
    logged, seen, owner = collections.defaultdict(list), collections.defaultdict(list), {}
    with open(log, encoding='utf-8') as file:
        for line in file:
            tid, task, op = map(int, line.split())
            logged[tid] += [(task, op, 'lock'), (task, op, 'unlock')]
    for line in tasks:
        found = line['type'] == 'task' and re.search(r'\bop_(\d+);pthread_mutex_(\w+)$', line['label'].split(' -> ')[0])
        if found:
            # by number: the clock may give two events of a thread one time
            seen[line['tid']].append((int(line['id'].split('.')[2]), line['id'], int(found[1]), found[2]))
    for tid, entries in logged.items():
        there = sorted(seen[tid])
        if [e[1:] for e in entries] != [t[2:] for t in there]:
            sys.exit('FAILED: the leaf tasks of thread %d are not the logged operations' % tid)
        for entry, leaf in zip(entries, there):
            owner[leaf[1]] = entry
    return owner


def judge(log, tasks, model):
    owner = owners(log, lines(tasks))
    planted = collections.defaultdict(set)
    for leaf, (task, _, _) in owner.items():
        planted[task].add(leaf)
    kind_of = {task: task // 10000000 for task in planted}

    # the most leaf tasks of a planted task in one instance without leaf tasks of another planted task; the tasks of
    # the model that have an instance with all of its leaf tasks
    most, whole = collections.Counter(), collections.defaultdict(set)
    for line in lines(model):
        if line['type'] != 'instance':
            continue
        of = [owner[leaf][0] for leaf in line['leaf_tasks'] if leaf in owner]
        if not of or len(set(of)) > 1:
            continue
        most[of[0]] = max(most[of[0]], len(of))
        if len(of) == len(planted[of[0]]):
            whole[of[0]].add(line['task'])
    nr_found = sum(most.values())

    # the counts: planted tasks of a kind that are instances of one task of the model
    nr_counted, report = 0, []
    for kind in sorted(set(kind_of.values())):
        of_kind = [task for task in planted if kind_of[task] == kind]
        found = collections.Counter(name for task in of_kind for name in sorted(whole[task]))
        task, nr = found.most_common(1)[0] if found else (None, 0)
        nr_counted += nr
        report.append('%d of %d: %s' % (nr, len(of_kind), task))
    leaves, counts = 100 * nr_found / len(owner), 100 * nr_counted / len(planted)
    print('%.1f %% of %d leaf tasks, %.1f %% of %d tasks (%s)' %
          (leaves, len(owner), counts, len(planted), '; '.join(report)))
    return leaves, counts


def main():
    if sys.argv[1] == 'generate':
        generate(int(sys.argv[2]))
    else:
        judge(*sys.argv[2:])


main()
