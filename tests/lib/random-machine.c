/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "tests/lib/random-machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NR_LOCKS 3u /* two mutexes, one rwlock */
/* the second semaphore is used as a lock; the third moves several tokens at once */
#define NR_SEMS 3u
#define NR_STREAMS 2u
#define QUEUE NR_STREAMS /* as an object of send and recv */
#define NR_PRIORITIES 3u
#define NR_FUTEXES 2u
#define PATIENCE 60u /* number of attempts until a blocked call times out */

enum phase { IDLE, STARTED, WAITING, COUNTING, ENDING };

struct thread {
	enum phase phase;
	enum syt_shape shape;
	unsigned object;          /* index among its family */
	bool has_lock, is_writer; /* the thread holds the lock `object`; it holds it as writer */
	unsigned holds, left;     /* steps inside of a critical section; calls until the barrier */
	unsigned nr_tries;
	bool was_woken, is_timed_out;
	unsigned futex; /* futex for which the thread waits, plus one */
	uint64_t stalled_until;
	struct syt_made e;
	struct clock now;
	uint32_t nr_events;
	struct truth truths[MOST_EVENTS];
};

struct message {
	struct source by;
	struct clock clock;
	uint64_t begin, end; /* byte positions of the message in the stream */
};

static struct {
	uint64_t seed, time;
	bool has_zero, has_only_streams;
	struct syt_builder *b;
	uint32_t locks[NR_LOCKS], sems[NR_SEMS], queue, cond, barrier, ends[NR_STREAMS][2],
		futexes[NR_FUTEXES];
	struct thread threads[NR_THREADS];
	struct {
		int writer; /* thread plus one */
		unsigned nr_readers;
		struct clock write, reads;
		struct source last;
		bool has_last;
		uint32_t nr_since;
		struct source since[NR_THREADS * 4];
	} lock[NR_LOCKS];
	struct {
		uint64_t given, taken, initial;
		uint32_t nr; /* posts */
		struct message tokens[NR_THREADS * MOST_EVENTS];
		struct clock takers; /* of all tokens */
	} sem[NR_SEMS];
	bool waits[NR_THREADS];
	struct {
		unsigned arrived, round;
		/* vector clock of all arrivals, and of the arrivals in the last round */
		struct clock clock, left;
	} bar;
	struct {
		uint64_t sent, received, counted_out, counted_in;
		uint32_t nr;
		struct message messages[NR_THREADS * MOST_EVENTS];
	} stream[NR_STREAMS];
	struct {
		uint64_t counted_out, counted_in;
		uint32_t nr;
		struct {
			struct message m; /* entry after the last message: length of the queue */
			unsigned priority;
			bool is_taken;
		} messages[NR_THREADS * MOST_EVENTS];
	} q;
} M;

uint64_t machine_random(uint64_t n)
{
	M.seed ^= M.seed << 13;
	M.seed ^= M.seed >> 7;
	M.seed ^= M.seed << 17;
	return (M.seed >> 11) % n;
}

static void join_clock(struct clock *to, const struct clock *from)
{
	for (unsigned i = 0; i < NR_THREADS; i++)
		if (to->of[i] < from->of[i])
			to->of[i] = from->of[i];
}

static struct truth *truth_of(unsigned t)
{
	return &M.threads[t].truths[M.threads[t].nr_events];
}

static void add_source(unsigned t, struct source s)
{
	struct truth *truth = truth_of(t);

	bool is_lock = truth->kind == SYT_EDGE_MUTEX || truth->kind == SYT_EDGE_RWLOCK;

	/* The order within a thread implies the happens-before edge if the thread takes its own lock again. */
	if ((s.thread != t || !is_lock) && truth->nr < MOST_SOURCES)
		truth->sources[truth->nr++] = s;
}

static struct source self(unsigned t)
{
	return (struct source){t, M.threads[t].nr_events};
}

/* ---- effects: true when the call took effect ---- */

static bool take_lock(unsigned t, unsigned l, bool is_writer)
{
	struct thread *th = &M.threads[t];

	if (M.lock[l].writer || (is_writer && M.lock[l].nr_readers))
		return false;
	truth_of(t)->kind = l < 2 ? SYT_EDGE_MUTEX : SYT_EDGE_RWLOCK;
	if (M.lock[l].has_last)
		add_source(t, M.lock[l].last);
	join_clock(&th->now, &M.lock[l].write);
	if (is_writer) {
		for (uint32_t i = 0; i < M.lock[l].nr_since; i++)
			add_source(t, M.lock[l].since[i]);
		join_clock(&th->now, &M.lock[l].reads);
		M.lock[l].nr_since = 0;
		M.lock[l].writer = (int)t + 1;
	} else {
		M.lock[l].nr_readers++;
	}
	return true;
}

static void free_lock(unsigned t, unsigned l)
{
	if (M.lock[l].writer) {
		M.lock[l].writer = 0;
		M.lock[l].last = self(t);
		M.lock[l].has_last = true;
		M.lock[l].nr_since = 0;
		M.lock[l].write = M.threads[t].now;
		return;
	}
	M.lock[l].nr_readers--;
	for (uint32_t i = 0; i < M.lock[l].nr_since; i++)
		if (M.lock[l].since[i].thread == t)
			M.lock[l].since[i--] = M.lock[l].since[--M.lock[l].nr_since];
	M.lock[l].since[M.lock[l].nr_since++] = self(t);
	join_clock(&M.lock[l].reads, &M.threads[t].now);
}

static bool take_token(unsigned t, unsigned s)
{
	uint64_t n = M.sem[s].taken, end = n + M.threads[t].e.count;

	if (end > M.sem[s].initial + M.sem[s].given)
		return false;
	M.sem[s].taken = end;
	truth_of(t)->kind = SYT_EDGE_SEM;
	for (uint32_t i = 0; i < M.sem[s].nr; i++) {
		const struct message *token = &M.sem[s].tokens[i];

		if (token->begin >= end || n >= token->end)
			continue;
		if (s != 1 || token->by.thread != t) /* the second semaphore is used as a lock */
			add_source(t, token->by);
		join_clock(&M.threads[t].now, &token->clock);
	}
	join_clock(&M.sem[s].takers, &M.threads[t].now);
	return true;
}

static void give_token(unsigned t, unsigned s)
{
	uint64_t begin = M.sem[s].initial + M.sem[s].given, nr = M.threads[t].e.count;

	M.sem[s].tokens[M.sem[s].nr++] =
		(struct message){self(t), M.threads[t].now, begin, begin + nr};
	M.sem[s].given += nr;
}

static bool find_zero(unsigned t, unsigned s)
{
	if (M.sem[s].taken != M.sem[s].initial + M.sem[s].given)
		return false;
	truth_of(t)->kind = SYT_EDGE_SEM;
	join_clock(&M.threads[t].now, &M.sem[s].takers);
	return true;
}

static void put_message(unsigned t)
{
	M.q.messages[M.q.nr].m =
		(struct message){self(t), M.threads[t].now, 0, M.threads[t].e.bytes};
	M.q.messages[M.q.nr++].priority = (unsigned)M.threads[t].e.arg;
}

static bool take_message(unsigned t)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < M.q.nr; i++)
		if (!M.q.messages[i].is_taken &&
		    (best == UINT32_MAX || M.q.messages[i].priority > M.q.messages[best].priority))
			best = i;
	if (best == UINT32_MAX)
		return false;
	M.q.messages[best].is_taken = true;
	truth_of(t)->kind = SYT_EDGE_QUEUE;
	add_source(t, M.q.messages[best].m.by);
	join_clock(&M.threads[t].now, &M.q.messages[best].m.clock);
	M.threads[t].e.bytes = M.q.messages[best].m.end;
	M.threads[t].e.arg = M.q.messages[best].priority;
	return true;
}

static void wake(unsigned t, bool is_all)
{
	unsigned first = (unsigned)machine_random(NR_THREADS);

	for (unsigned i = 0; i < NR_THREADS; i++) {
		unsigned w = (first + i) % NR_THREADS;

		if (!M.waits[w])
			continue;
		M.waits[w] = false;
		M.threads[w].was_woken = true;
		truth_of(w)->kind = SYT_EDGE_COND;
		add_source(w, self(t));
		join_clock(&M.threads[w].now, &M.threads[t].now);
		if (!is_all)
			return;
	}
}

/* Wakes at most NR of the threads that wait for futex F with one of T's bits. Returns the number of
 * woken threads. */
static unsigned wake_futex(unsigned t, unsigned f, unsigned nr)
{
	unsigned first = (unsigned)machine_random(NR_THREADS), n = 0;
	uint64_t bitset = M.threads[t].e.arg;

	for (unsigned i = 0; i < NR_THREADS && n < nr; i++) {
		unsigned w = (first + i) % NR_THREADS;
		struct thread *waiter = &M.threads[w];

		if (waiter->futex != f + 1 ||
		    (bitset && waiter->e.arg && !(bitset & waiter->e.arg)))
			continue;
		waiter->futex = 0;
		waiter->was_woken = true;
		truth_of(w)->kind = SYT_EDGE_FUTEX;
		add_source(w, self(t));
		join_clock(&waiter->now, &M.threads[t].now);
		n++;
	}
	return n;
}

static unsigned move_waiters(unsigned from, unsigned to, unsigned nr)
{
	unsigned n = 0;

	for (unsigned w = 0; w < NR_THREADS && n < nr; w++) {
		if (M.threads[w].futex != from + 1)
			continue;
		M.threads[w].futex = to + 1;
		n++;
	}
	return n;
}

static bool receive(unsigned t, unsigned s, uint64_t most)
{
	uint64_t there = M.stream[s].sent - M.stream[s].received;
	uint64_t begin = M.stream[s].received, end = begin + (most < there ? most : there);

	if (!there)
		return false;
	M.stream[s].received = end;
	truth_of(t)->kind = SYT_EDGE_STREAM;
	for (uint32_t i = 0; i < M.stream[s].nr; i++) {
		const struct message *m = &M.stream[s].messages[i];

		if (m->begin < end && begin < m->end) {
			add_source(t, m->by);
			join_clock(&M.threads[t].now, &m->clock);
		}
	}
	M.threads[t].e.bytes = end - begin;
	return true;
}

/* ---- the life of one call ---- */

/* Notes the byte counter at the begin of thread T's current call, as the recorder does. */
static void note(unsigned t)
{
	struct thread *th = &M.threads[t];

	truth_of(t)->begin = M.time;
	if (th->object < NR_STREAMS && th->shape == SYT_SHAPE_SEND)
		truth_of(t)->position = M.stream[th->object].counted_out;
	if (th->object < NR_STREAMS && th->shape == SYT_SHAPE_RECV)
		truth_of(t)->position = M.stream[th->object].counted_in;
}

static void choose(unsigned t)
{
	struct thread *th = &M.threads[t];

	th->nr_tries = 0;
	th->was_woken = th->is_timed_out = false;
	memset(truth_of(t), 0, sizeof(struct truth));
	truth_of(t)->kind = SYT_NR_EDGE_KINDS;
	th->e = (struct syt_made){.in = ++M.time}; /* a thread never reads the same time twice */
	th->now.of[t] = th->nr_events + 1;
	if (M.has_only_streams) {
		th->shape = machine_random(2) ? SYT_SHAPE_SEND : SYT_SHAPE_RECV;
		th->object = (unsigned)machine_random(NR_STREAMS);
	} else if (th->has_lock && !th->holds--) {
		th->shape = SYT_SHAPE_UNLOCK;
		th->has_lock = false;
	} else if (th->has_lock) {
		bool may_wait = th->object == 0 && th->is_writer;
		uint64_t what = machine_random(may_wait ? 3 : 2);

		th->shape = what == 0   ? SYT_SHAPE_COND_SIGNAL
		            : what == 1 ? SYT_SHAPE_COND_BROADCAST
		                        : SYT_SHAPE_COND_WAIT;
		if (what == 1 && machine_random(2))
			th->shape = SYT_SHAPE_COND_SIGNAL;
	} else if (!th->left) {
		th->shape = SYT_SHAPE_BARRIER_WAIT;
		th->left = 10;
	} else {
		static const enum syt_shape shapes[] = {
			SYT_SHAPE_LOCK,       SYT_SHAPE_RDLOCK,      SYT_SHAPE_SEM_POST,
			SYT_SHAPE_SEM_WAIT,   SYT_SHAPE_SEND,        SYT_SHAPE_RECV,
			SYT_SHAPE_LOCK,       SYT_SHAPE_COND_SIGNAL, SYT_SHAPE_FUTEX_WAIT,
			SYT_SHAPE_FUTEX_WAIT, SYT_SHAPE_FUTEX_WAKE,  SYT_SHAPE_FUTEX_REQUEUE,
		};

		th->left--;
		th->shape = shapes[machine_random(12)];
		th->object = th->shape == SYT_SHAPE_RDLOCK ? 2
		             : th->shape == SYT_SHAPE_LOCK ? (unsigned)machine_random(NR_LOCKS)
		                                           : (unsigned)machine_random(3);
		th->e.count = 1;
		if (th->shape == SYT_SHAPE_SEM_POST || th->shape == SYT_SHAPE_SEM_WAIT) {
			th->object = machine_random(2) ? 0 : 2;
			if (th->shape == SYT_SHAPE_SEM_WAIT && machine_random(3) == 0)
				th->object = 1; /* and posts it in the next call */
			else if (th->shape == SYT_SHAPE_SEM_WAIT && th->object == 2 &&
			         machine_random(3) == 0 && M.has_zero)
				th->shape = SYT_SHAPE_SEM_ZERO;
			if (th->object == 2)
				th->e.count = 1 + machine_random(3);
		}
		if (th->shape == SYT_SHAPE_SEND && th->object == QUEUE)
			th->e.arg = machine_random(NR_PRIORITIES);
		th->is_writer = th->shape == SYT_SHAPE_LOCK;
		if (th->shape == SYT_SHAPE_FUTEX_WAIT || th->shape == SYT_SHAPE_FUTEX_WAKE ||
		    th->shape == SYT_SHAPE_FUTEX_REQUEUE)
			th->object %= NR_FUTEXES;
		if ((th->shape == SYT_SHAPE_FUTEX_WAIT || th->shape == SYT_SHAPE_FUTEX_WAKE) &&
		    machine_random(3) == 0)
			th->e.arg = 1 + machine_random(3);
	}
	th->phase = STARTED;
	note(t);
}

/* Tries to perform the effect of thread T's current call. Returns false if the call must still wait. */
static bool effect(unsigned t)
{
	struct thread *th = &M.threads[t];
	unsigned o = th->object;

	switch (th->shape) {
	case SYT_SHAPE_LOCK:
	case SYT_SHAPE_RDLOCK:
		if (!take_lock(t, o, th->is_writer))
			return false;
		th->has_lock = true;
		th->holds = (unsigned)machine_random(3);
		return true;
	case SYT_SHAPE_UNLOCK:
		free_lock(t, o);
		return true;
	case SYT_SHAPE_SEM_POST:
		give_token(t, o);
		return true;
	case SYT_SHAPE_SEM_WAIT:
		return take_token(t, o);
	case SYT_SHAPE_SEM_ZERO:
		return find_zero(t, o);
	case SYT_SHAPE_COND_SIGNAL:
	case SYT_SHAPE_COND_BROADCAST:
		wake(t, th->shape == SYT_SHAPE_COND_BROADCAST);
		return true;
	case SYT_SHAPE_COND_WAIT:
		free_lock(t, 0);
		M.waits[t] = true;
		th->phase = WAITING;
		return false;
	case SYT_SHAPE_BARRIER_WAIT:
		truth_of(t)->kind = SYT_EDGE_BARRIER;
		truth_of(t)->round = M.bar.round + 1;
		join_clock(&M.bar.clock, &th->now);
		if (++M.bar.arrived == NR_THREADS) {
			M.bar.arrived = 0;
			M.bar.round++;
			M.bar.left = M.bar.clock;
			th->e.result = -1; /* PTHREAD_BARRIER_SERIAL_THREAD */
			join_clock(&th->now, &M.bar.left);
			return true;
		}
		th->phase = WAITING;
		return false;
	case SYT_SHAPE_FUTEX_WAIT:
		th->futex = o + 1;
		th->phase = WAITING;
		return false;
	case SYT_SHAPE_FUTEX_WAKE:
		th->e.result = wake_futex(t, o, 1 + (unsigned)machine_random(2));
		if (th->e.arg == 0 && machine_random(4) == 0) {
			th->e.object2 = M.futexes[!o];
			th->e.result += wake_futex(t, !o, 1);
		}
		return true;
	case SYT_SHAPE_FUTEX_REQUEUE:
		th->e.object2 = M.futexes[!o];
		th->e.count = machine_random(2);
		th->e.result = wake_futex(t, o, (unsigned)th->e.count);
		if ((uint64_t)th->e.result == th->e.count) /* the others only then */
			th->e.result += move_waiters(o, !o, (unsigned)machine_random(3));
		return true;
	case SYT_SHAPE_SEND:
		th->e.bytes = 1 + machine_random(20);
		th->phase = COUNTING;
		if (o == QUEUE) {
			put_message(t);
			return true;
		}
		M.stream[o].messages[M.stream[o].nr++] = (struct message){
			self(t), th->now, M.stream[o].sent, M.stream[o].sent + th->e.bytes};
		M.stream[o].sent += th->e.bytes;
		return true;
	case SYT_SHAPE_RECV:
		if (o == QUEUE ? !take_message(t) : !receive(t, o, 1 + machine_random(30)))
			return false;
		th->phase = COUNTING;
		return true;
	default:
		abort();
	}
}

/* Returns true if thread T, which waits for a condition variable or a barrier, may continue. */
static bool wake_up(unsigned t)
{
	struct thread *th = &M.threads[t];
	uint32_t nr;
	enum syt_edge_kind kind;

	if (th->shape == SYT_SHAPE_BARRIER_WAIT) {
		if (M.bar.round < truth_of(t)->round)
			return false;
		join_clock(&th->now, &M.bar.left);
		return true;
	}
	if (!th->was_woken && ++th->nr_tries > PATIENCE) {
		M.waits[t] = false;
		th->futex = 0;
		th->is_timed_out = true;
	}
	if (!th->was_woken && !th->is_timed_out)
		return false;
	if (th->shape == SYT_SHAPE_FUTEX_WAIT)
		return true;
	/*
	 * the sources of the wake-up belong to the event; the sources of the mutex are added after
	 * them
	 */
	nr = truth_of(t)->nr;
	kind = truth_of(t)->kind;
	if (!take_lock(t, 0, true))
		return false;
	truth_of(t)->nr = nr;
	truth_of(t)->kind = kind;
	return true;
}

static void finish(unsigned t, bool has_failed)
{
	struct thread *th = &M.threads[t];
	struct syt_made *e = &th->e;
	bool is_release = th->shape == SYT_SHAPE_UNLOCK || th->shape == SYT_SHAPE_SEM_POST ||
	                  th->shape == SYT_SHAPE_COND_SIGNAL ||
	                  th->shape == SYT_SHAPE_COND_BROADCAST;
	bool is_quick = th->nr_tries == 0 &&
	                (th->shape == SYT_SHAPE_LOCK || th->shape == SYT_SHAPE_RDLOCK ||
	                 th->shape == SYT_SHAPE_SEM_WAIT || th->shape == SYT_SHAPE_SEM_ZERO ||
	                 th->shape == SYT_SHAPE_RECV);

	e->shape = th->shape;
	e->out = is_release ? 0 : M.time;
	if (is_quick)
		e->in = 0;
	else if (th->shape == SYT_SHAPE_SEM_WAIT || th->shape == SYT_SHAPE_SEM_ZERO)
		e->flags = SYT_EVENT_BLOCKED;
	switch (th->shape) {
	case SYT_SHAPE_COND_WAIT:
		e->object2 = M.locks[0];
		e->result = th->is_timed_out ? ETIMEDOUT : 0;
		/* fall through */
	case SYT_SHAPE_COND_SIGNAL:
	case SYT_SHAPE_COND_BROADCAST:
		e->object = M.cond;
		break;
	case SYT_SHAPE_FUTEX_WAIT:
		e->result = th->is_timed_out ? -1 : 0;
		e->err = th->is_timed_out ? ETIMEDOUT : 0;
		/* fall through */
	case SYT_SHAPE_FUTEX_WAKE:
	case SYT_SHAPE_FUTEX_REQUEUE:
		e->object = M.futexes[th->object];
		break;
	case SYT_SHAPE_BARRIER_WAIT:
		e->object = M.barrier;
		e->count = NR_THREADS;
		break;
	case SYT_SHAPE_SEM_POST:
	case SYT_SHAPE_SEM_WAIT:
	case SYT_SHAPE_SEM_ZERO:
		e->object = M.sems[th->object];
		break;
	case SYT_SHAPE_SEND:
	case SYT_SHAPE_RECV:
		e->object = th->object == QUEUE ? M.queue
		                                : M.ends[th->object][th->shape == SYT_SHAPE_RECV];
		e->result = (int64_t)e->bytes;
		break;
	default:
		e->object = M.locks[th->object];
		break;
	}
	if (has_failed) {
		e->result = th->shape == SYT_SHAPE_LOCK || th->shape == SYT_SHAPE_RDLOCK ? ETIMEDOUT
		                                                                         : -1;
		e->err = EAGAIN;
		truth_of(t)->nr = 0;
		truth_of(t)->kind = SYT_NR_EDGE_KINDS;
	}
	truth_of(t)->before = th->now;
	syt_builder_event(M.b, 0, t, *e);
	th->nr_events++;
	th->phase = IDLE;
	if (th->shape == SYT_SHAPE_SEM_WAIT && th->object == 1 && !has_failed) {
		/* a token of the semaphore that is used as a lock is given back at once */
		choose(t);
		th->shape = SYT_SHAPE_SEM_POST;
		th->object = 1;
		th->e.arg = 0;
		th->e.count = 1;
	}
}

static void step(unsigned t)
{
	struct thread *th = &M.threads[t];
	unsigned o = th->object;

	switch (th->phase) {
	case IDLE:
		choose(t);
		break;
	case STARTED:
		if (effect(t)) {
			if (th->phase == STARTED)
				th->phase = ENDING;
		} else if (th->phase == STARTED && !th->nr_tries++) {
			/* the non-blocking try failed, so the call's begin is stamped now */
			th->e.in = M.time;
		} else if (th->phase == STARTED && th->nr_tries > PATIENCE) {
			finish(t, true);
		}
		break;
	case WAITING:
		if (wake_up(t))
			th->phase = ENDING;
		break;
	case COUNTING:
		if (o == QUEUE) {
			th->e.offset =
				th->shape == SYT_SHAPE_SEND ? M.q.counted_out++ : M.q.counted_in++;
		} else if (th->shape == SYT_SHAPE_SEND) {
			th->e.offset = M.stream[o].counted_out;
			M.stream[o].counted_out += th->e.bytes;
		} else {
			th->e.offset = M.stream[o].counted_in;
			M.stream[o].counted_in += th->e.bytes;
		}
		th->phase = ENDING;
		break;
	case ENDING:
		finish(t, false);
		break;
	}
}

/* Returns true if thread T has no processor now. */
static bool is_stalled(unsigned t)
{
	if (M.threads[t].stalled_until > M.time)
		return true;
	if (!machine_random(20))
		M.threads[t].stalled_until = M.time + machine_random(300);
	return false;
}

struct syt_builder *machine_run(uint64_t seed, uint64_t nr_steps, unsigned how)
{
	bool is_killed = how & MACHINE_KILLED;

	memset(&M, 0, sizeof(M));
	M.has_zero = !(how & MACHINE_NO_ZERO);
	M.has_only_streams = how & MACHINE_STREAMS;
	M.seed = seed * 2654435769u + 88172645463325252u;
	M.time = 1000;
	M.b = syt_builder_create();
	syt_builder_image(M.b, 100);
	for (unsigned t = 0; t < NR_THREADS; t++) {
		syt_builder_thread(M.b, 0);
		M.threads[t].left = 10;
	}
	for (unsigned i = 0; i < NR_LOCKS; i++)
		M.locks[i] = syt_builder_object(M.b, 0, i < 2 ? SYT_KIND_MUTEX : SYT_KIND_RWLOCK, i,
		                                0, 0);
	for (unsigned i = 0; i < NR_SEMS; i++) {
		M.sem[i].initial = i == 1;
		M.sems[i] = syt_builder_object(M.b, 0, SYT_KIND_SEM, i, 0, 0);
		syt_builder_event(
			M.b, 0, 0,
			(struct syt_made){SYT_SHAPE_INIT, M.sems[i], .out = 10 + i, .arg = i == 1});
		M.threads[0].nr_events++;
	}
	M.queue = syt_builder_object(M.b, 0, SYT_KIND_QUEUE, 1, 0, 0);
	M.cond = syt_builder_object(M.b, 0, SYT_KIND_COND, 1, 0, 0);
	M.barrier = syt_builder_object(M.b, 0, SYT_KIND_BARRIER, 1, 0, 0);
	for (unsigned i = 0; i < NR_FUTEXES; i++)
		M.futexes[i] = syt_builder_object(M.b, 0, SYT_KIND_FUTEX, i, 0, 0);
	for (unsigned i = 0; i < NR_STREAMS; i++)
		for (unsigned k = 0; k < 2; k++)
			M.ends[i][k] = syt_builder_object(M.b, 0, SYT_KIND_STREAM, 2 * i + k, 0, 0);
	for (unsigned i = 0; i < NR_STREAMS; i++)
		syt_builder_endpoint(M.b, 0, M.ends[i][0],
		                     (struct syt_endpoint_info){.peer_object = M.ends[i][1]});
	for (uint64_t i = 0; i < nr_steps; i++) {
		unsigned t;

		M.time += 1 + machine_random(3);
		t = (unsigned)machine_random(NR_THREADS);
		if (!M.has_only_streams || !is_stalled(t))
			step(t);
	}
	for (uint64_t i = 0; i < 4000 && !is_killed; i++) {
		unsigned t = (unsigned)machine_random(NR_THREADS);

		M.time += 1 + machine_random(3);
		M.threads[t].holds = 0; /* a thread that holds a lock releases it */
		if (M.threads[t].phase != IDLE || M.threads[t].has_lock)
			step(t);
	}
	return M.b;
}

uint32_t machine_nr_events(uint32_t thread)
{
	return M.threads[thread].nr_events;
}

const struct truth *machine_truth(uint32_t thread, uint32_t event)
{
	return &M.threads[thread].truths[event];
}
