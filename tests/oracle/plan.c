/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "tests/oracle/plan.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/random.h"

struct making {
	bool is_inheriting;
	struct plan *p;
	struct syt_random r;
	unsigned pending[PLAN_OBJECTS]; /* words sent and not received yet, connects not accepted */
	unsigned nr_short;              /* short threads and processes */
	unsigned nr_sent[PLAN_OBJECTS];
};

static unsigned below(struct making *m, unsigned n)
{
	return (unsigned)syt_random_below(&m->r, n);
}

static bool is_role(const struct plan *p, unsigned role)
{
	return role / PLAN_THREADS < p->nr_processes &&
	       role % PLAN_THREADS < p->nr_threads[role / PLAN_THREADS];
}

static unsigned some_role(struct making *m)
{
	unsigned role;

	do
		role = below(m, PLAN_ROLES);
	while (!is_role(m->p, role));
	return role;
}

static unsigned add_object(struct making *m, struct plan_object o)
{
	m->p->objects[m->p->nr_objects] = o;
	return m->p->nr_objects++;
}

static void add_step(struct making *m, struct plan_step s)
{
	s.how = (uint8_t)below(m, 256);
	if (m->p->nr_steps < PLAN_STEPS)
		m->p->steps[m->p->nr_steps++] = s;
}

static unsigned nr_roles(const struct plan *p)
{
	unsigned nr = 0;

	for (unsigned role = 0; role < PLAN_ROLES; role++)
		nr += is_role(p, role);
	return nr;
}

/* Adds a channel from one role to another one. */
static void add_channel(struct making *m)
{
	struct plan_object o = {.kind = PLAN_CHANNEL,
	                        .type = (uint8_t)below(m, NR_CHANNELS),
	                        .from = (uint8_t)some_role(m)};

	do
		o.to = (uint8_t)some_role(m);
	while (o.to == o.from);
	/* a signal's target is known by its pid */
	if (o.type == CHANNEL_SIGNAL && plan_process(o.from) != plan_process(o.to))
		o.type = CHANNEL_UDP;
	if (m->p->has_hosts) {
		/* channels whose objects no other process needs and that leave nothing behind */
		static const uint8_t types[] = {CHANNEL_PIPE,    CHANNEL_SOCKETPAIR, CHANNEL_TCP,
		                                CHANNEL_EVENTFD, CHANNEL_QUEUE,      CHANNEL_PACKET,
		                                CHANNEL_UDP,     CHANNEL_PASS};

		o.is_private = plan_process(o.from) == plan_process(o.to);
		o.type = o.is_private ? types[o.type % sizeof(types)] : CHANNEL_TCP;
	}
	add_object(m, o);
}

/* Adds a barrier for some roles. With hosts, they are threads of one process. */
static void add_barrier(struct making *m)
{
	struct plan *p = m->p;
	struct plan_object barrier = {.kind = PLAN_BARRIER, .is_private = p->has_hosts};
	unsigned process = p->has_hosts ? below(m, p->nr_processes) : 0;

	for (unsigned role = 0; role < PLAN_ROLES; role++) {
		if (p->has_hosts && plan_process(role) != process)
			continue;
		if (is_role(p, role) && below(m, 3)) {
			barrier.members |= (uint16_t)(1u << role);
			barrier.initial++;
		}
	}
	if (barrier.initial)
		add_object(m, barrier);
}

static void make_objects(struct making *m)
{
	struct plan *p = m->p;

	for (unsigned n = p->has_hosts; n < 2; n++) {
		bool is_private = n == 1;

		add_object(m, (struct plan_object){.kind = PLAN_MUTEX,
		                                   .type = (uint8_t)below(m, 6),
		                                   .is_private = is_private});
		add_object(m, (struct plan_object){.kind = PLAN_COND, .is_private = is_private});
		add_object(m, (struct plan_object){.kind = PLAN_MUTEX,
		                                   .type = (uint8_t)below(m, 6),
		                                   .is_private = is_private});
		add_object(m, (struct plan_object){.kind = PLAN_RWLOCK,
		                                   .type = (uint8_t)below(m, 2),
		                                   .is_private = is_private});
		add_object(m, (struct plan_object){.kind = PLAN_SPIN, .is_private = is_private});
		add_object(m, (struct plan_object){.kind = PLAN_SEM,
		                                   .is_private = is_private,
		                                   .is_inherited = is_private && m->is_inheriting,
		                                   .initial = (uint8_t)below(m, 3)});
		add_object(m, (struct plan_object){.kind = PLAN_ONCE, .is_private = true});
	}
	if (!p->has_hosts)
		add_object(m,
		           (struct plan_object){.kind = PLAN_FILE, .type = (uint8_t)below(m, 2)});
	p->tokens =
		add_object(m, (struct plan_object){.kind = PLAN_SEM, .is_private = p->has_hosts});
	p->fault = add_object(m, (struct plan_object){.kind = PLAN_SEM, .is_private = true});
	add_barrier(m);
	p->crowd = add_object(m, (struct plan_object){.kind = PLAN_CROWD,
	                                              .type = CHANNEL_PIPE,
	                                              .is_private = p->has_hosts});
	for (unsigned n = below(m, 3); n; n--) {
		static const uint8_t types[] = {CHANNEL_PIPE, CHANNEL_SOCKETPAIR, CHANNEL_QUEUE,
		                                CHANNEL_DATAGRAM, CHANNEL_PACKET};

		add_object(m, (struct plan_object){.kind = PLAN_CROWD,
		                                   .type = types[below(m, sizeof(types))],
		                                   .is_private = p->has_hosts});
	}
	for (unsigned n = 1 + below(m, 2); n; n--)
		add_object(m, (struct plan_object){.kind = PLAN_PORT,
		                                   .type = (uint8_t)(below(m, 2) || p->has_hosts),
		                                   .to = (uint8_t)some_role(m)});
	for (unsigned n = nr_roles(p) < 2 ? 0 : 3 + below(m, 8); n; n--)
		add_channel(m);
}

static void receive(struct making *m, unsigned object, unsigned count)
{
	add_step(m, (struct plan_step){.role = m->p->objects[object].to,
	                               .op = OP_RECEIVE,
	                               .object = (uint8_t)object,
	                               .count = (uint16_t)count});
	m->pending[object] -= count;
}

static void step_on_channel(struct making *m, unsigned object)
{
	const struct plan_object *o = &m->p->objects[object];
	unsigned most = o->type == CHANNEL_QUEUE || o->type == CHANNEL_DATAGRAM ? 6 : 40;

	if (m->pending[object] && (m->pending[object] >= most || below(m, 2))) {
		receive(m, object, 1 + below(m, m->pending[object]));
		return;
	}
	unsigned count = 1 + below(m, o->type <= CHANNEL_TCP ? 8 : 2);

	if (m->nr_sent[object] + count > (o->type == CHANNEL_PASS ? 30 : 400))
		return;
	m->nr_sent[object] += count;
	m->pending[object] += count;
	add_step(m, (struct plan_step){.role = o->from,
	                               .op = OP_SEND,
	                               .object = (uint8_t)object,
	                               .count = (uint16_t)count});
}

static void step_on_port(struct making *m, unsigned object, unsigned role)
{
	const struct plan_object *o = &m->p->objects[object];

	if (m->pending[object] && (m->pending[object] > 6 || below(m, 2))) {
		add_step(m, (struct plan_step){
				    .role = o->to, .op = OP_ACCEPT, .object = (uint8_t)object});
		m->pending[object]--;
	} else if (m->nr_sent[object] < 40) {
		add_step(m, (struct plan_step){.role = (uint8_t)role,
		                               .op = OP_CONNECT,
		                               .object = (uint8_t)object});
		m->pending[object]++;
		m->nr_sent[object]++;
	}
}

static void step_on(struct making *m, unsigned object, unsigned role)
{
	static const uint8_t conds[] = {OP_COND_WAIT, OP_COND_WAIT, OP_COND_SIGNAL, OP_COND_SIGNAL,
	                                OP_COND_BROADCAST};
	const struct plan_object *o = &m->p->objects[object];
	struct plan_step s = {.role = (uint8_t)role, .object = (uint8_t)object, .count = 1};

	switch (o->kind) {
	case PLAN_MUTEX:
		s.op = below(m, 4) ? OP_LOCK : OP_NESTED;
		/* a thread that waits for a condition variable cannot give up its mutex */
		if (o->type == 4 && m->p->objects[object + 1].kind != PLAN_COND && !below(m, 8) &&
		    m->nr_short++ < 10)
			s.op = OP_DIE;
		break;
	case PLAN_RWLOCK:
		s.op = below(m, 3) ? OP_READ_LOCK : OP_WRITE_LOCK;
		break;
	case PLAN_SPIN:
		s.op = OP_SPIN;
		break;
	case PLAN_COND:
		s.op = conds[below(m, sizeof(conds))];
		if (!below(m, 12) && m->nr_short++ < 10)
			s.op = OP_CANCEL;
		break;
	case PLAN_SEM:
		s.op = object == m->p->fault ? OP_FAULT_POST : OP_POST;
		if (below(m, 2))
			s.op = OP_TAKE;
		break;
	case PLAN_FILE:
		s.op = OP_FILE;
		break;
	case PLAN_ONCE:
		s.op = OP_ONCE;
		break;
	case PLAN_BARRIER:
		if (below(m, 3))
			return;
		s.op = OP_BARRIER;
		for (unsigned n = 0; n < PLAN_ROLES; n++) {
			s.role = (uint8_t)n;
			if (o->members >> n & 1)
				add_step(m, s);
		}
		return;
	case PLAN_CROWD:
		s.op = below(m, 2) ? OP_CROWD_SEND : OP_CROWD_RECEIVE;
		s.count = (uint16_t)(1 + below(m, 4));
		break;
	case PLAN_PORT:
		step_on_port(m, object, role);
		return;
	default:
		step_on_channel(m, object);
		return;
	}
	add_step(m, s);
}

void plan_make(struct plan *p, uint64_t seed, unsigned noise, bool has_hosts)
{
	struct making m = {.p = p, .r = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1}};
	unsigned nr;

	memset(p, 0, sizeof(*p));
	m.is_inheriting = seed % 3 != 0; /* not drawn: older seeds keep their plans */
	p->has_hosts = has_hosts;
	p->nr_processes = 1 + below(&m, PLAN_PROCESSES);
	if (has_hosts)
		p->nr_processes = PLAN_PROCESSES;
	for (unsigned n = 0; n < p->nr_processes; n++) {
		p->nr_threads[n] = 1 + below(&m, PLAN_THREADS);
		p->is_execed[n] = n && !below(&m, 4) && !has_hosts;
		p->alarm_us[n] = below(&m, 2) ? 0 : 150 + below(&m, 2000);
	}
	if (p->nr_processes == 1)
		p->nr_threads[0] = 2 + below(&m, PLAN_THREADS - 1);
	make_objects(&m);
	nr = 100 + below(&m, 300);
	for (unsigned n = 0; n < nr; n++) {
		unsigned role = some_role(&m);
		struct plan_step s = {.role = (uint8_t)role};

		step_on(&m, below(&m, p->nr_objects), role);
		if (noise && !below(&m, 4)) {
			s.op = OP_NOISE;
			s.count = (uint16_t)below(&m, noise);
			add_step(&m, s);
		}
		switch (below(&m, 40)) {
		case 0:
		case 1:
			if (m.nr_short++ < 10) {
				/* a new image has no private objects */
				s.op = (uint8_t)(OP_THREAD + below(&m, has_hosts ? 2 : 3));
				add_step(&m, s);
			}
			break;
		case 2:
			s.op = OP_REST;
			add_step(&m, s);
			break;
		default:
			break;
		}
	}
	for (unsigned object = 0; object < p->nr_objects; object++) {
		while (m.pending[object]) {
			if (p->objects[object].kind == PLAN_CHANNEL) {
				receive(&m, object, m.pending[object]);
				continue;
			}
			add_step(&m, (struct plan_step){.role = p->objects[object].to,
			                                .op = OP_ACCEPT,
			                                .object = (uint8_t)object});
			m.pending[object]--;
		}
	}
}
