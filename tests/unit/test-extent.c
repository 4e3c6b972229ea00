/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/request/extent.h, against servers that run at random and know the request of each of their events.
 *
 * Process 0 accepts untraced clients. Its event loop puts requests into the queue of the workers, passes them on to
 * another server, or answers them. A helper takes parts of requests from a second queue. Process 1 is an event loop that
 * answers at the end of a turn. Process 2 has a thread for each connection. A further server is untraced.
 *
 * Each thread executes operations (enum op). An event loop makes the operations of its next turn when a readiness call
 * returns. A worker makes its operations when it takes an item.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "decoder/analysis/request.h"
#include "decoder/order/handoff.h"
#include "decoder/read/symbol.h"
#include "decoder/request/disguised_lock.h"
#include "decoder/request/extent.h"
#include "tests/lib/random.h"
#include "tests/unit/order-check.h"

#define NO_REQUEST 0u
#define SEVERAL UINT32_MAX

/* ---- the only part that depends on the tested interface ---- */

static struct syt_order order;
static struct syt_requests requests;

static struct syt_extents extents;

static void extents_open(struct syt_symbols *symbols)
{
	assert_int_equal(syt_extents_open(&extents, &order, &requests, NULL, symbols), 0);
}

static void extents_close(void)
{
	syt_extents_close(&extents);
}

/* Returns the number of the request for which the thread of AT works at AT: from 1; 0: none; SEVERAL. */
static uint64_t extents_at(struct syt_place at)
{
	uint32_t piece = syt_extents_piece(&extents, at), request;

	if (piece == SYT_NONE)
		return NO_REQUEST;
	request = extents.segments[extents.pieces[piece].segment].request;
	return request == SYT_EXTENT_SEVERAL ? SEVERAL : request + 1;
}

/* ---- the machine ---- */

#define NR_IMAGES 3u
#define NR_CLIENTS 4u
#define MOST_WORKERS 4u
#define MOST_ACTORS 48u
#define MOST_CONNECTIONS 32u
#define MOST_EVENTS 8192u
#define MOST_OPS 64u
#define MOST_REQUESTS 512u
#define NOTHING UINT32_MAX

/* The functions of process 0. Each call of a function has a call stack of its own: the return address differs. */
enum {
	IN_OTHER,
	IN_PUT,
	IN_TAKE,
	IN_PUT_PART,
	IN_TAKE_PART,
	IN_DONE,
	IN_AWAIT,
	IN_ENTER,
	IN_LEAVE,
	NR_FUNCTIONS
};
#define NR_STACKS (1u + NR_FUNCTIONS * SYT_NR_SHAPES)

enum op {
	OP_LOCK,   /* locks and unlocks mutex `arg` of the process */
	OP_QUERY,  /* sends a request on connection `arg` */
	OP_REPLY,  /* waits for the reply on connection `arg`, and receives it */
	OP_SERVE,  /* waits for a request on connection `arg`, and receives it */
	OP_ANSWER, /* sends the answer on connection `arg` */
	OP_PUT,    /* puts the present request into the queue of the workers; arg: its connection */
	OP_TAKE,   /* takes a request from there, and makes the operations for it */
	OP_PUT_PART, /* puts a part of the present request into the helper's queue */
	OP_AWAIT,    /* waits until the helper has handled this part */
	OP_HELP,     /* takes a part, handles it, and wakes the worker */
	OP_ENTER,    /* acquires a lock that consists of a mutex and a condition variable */
	OP_LEAVE,    /* releases it */
	OP_COME,     /* accepts a connection on which no request arrives */
	OP_GO,       /* receives the end of this connection, and closes it */
	OP_CREATE,   /* creates a thread for the present request */
	OP_JOIN,
	OP_END,   /* ends this created thread */
	OP_TURN,  /* the readiness call of an event loop; makes the operations of the turn */
	OP_AGAIN, /* executes the operations from the first one */
};

struct actor {
	uint32_t image, thread, request;
	struct {
		enum op op;
		uint32_t arg;
	} ops[MOST_OPS];
	uint32_t nr, pc;
	uint64_t since; /* begin of the call that blocks; 0: none */
	uint32_t first; /* first event of the section that takes an item */
	uint32_t database, store, untraced, created; /* connections, actor */
	bool is_done, has_ended;
};

enum state { IDLE, QUERY, SERVED, REPLY };

/* A connection from end 0 to end 1, which accepted it. Each message has 2 bytes. */
struct connection {
	uint32_t image[2], object[2]; /* object 0: this end is not traced */
	uint64_t sent[2], received[2];
	enum state state;
	uint32_t request;
};

struct item {
	uint32_t request, arg;
};

struct queue {
	uint32_t mutex, cond; /* objects */
	uint32_t put, take;   /* functions */
	struct item items[MOST_REQUESTS];
	uint32_t first, end;
	uint32_t nr_waiting, nr_signals;
	uint32_t sem; /* the semaphore that counts the items; 0: none */
	uint32_t nr_tokens;
};

/* A lock in disguise, as CPython has one. Each thread that takes the lock wakes the threads that passed it on. */
struct gate {
	uint32_t mutex, cond, passed_mutex, passed_cond; /* objects */
	uint32_t nr_waiting, nr_signals, nr_waits;
	bool is_taken;
};

static struct {
	struct syt_builder *b;
	struct syt_random random;
	struct syt_stack_node stacks[NR_STACKS];
	uint64_t time;
	struct actor actors[MOST_ACTORS];
	struct connection connections[MOST_CONNECTIONS];
	uint32_t nr_actors, nr_connections, nr_workers, nr_requests, nr_left;
	uint32_t epoll[NR_IMAGES], mutex[NR_IMAGES][2];
	uint32_t done_mutex[MOST_ACTORS], done_cond[MOST_ACTORS];
	struct queue queue, parts;
	struct gate gate;
	bool has_gate;
	uint32_t idle_connection; /* object; 0: none */
	uint32_t nr_ports;
	uint32_t nr_threads[NR_IMAGES], nr_events[NR_IMAGES][MOST_ACTORS];
	uint32_t truth[NR_IMAGES][MOST_ACTORS][MOST_EVENTS];
	struct {
		uint32_t thread, row;
	} begun[MOST_REQUESTS + 1]; /* first receive of a request, in process 0 */
} M;

static uint32_t below(uint32_t n)
{
	return (uint32_t)syt_random_below(&M.random, n);
}

static uint64_t now(void)
{
	return M.time += 1 + below(5);
}

/* Adds an event for the actor's present request. Here, the stack of E is a function. */
static void emit(struct actor *a, struct syt_made e)
{
	uint32_t n = M.nr_events[a->image][a->thread]++;

	assert_true(n < MOST_EVENTS);
	e.stack = a->image ? 0 : 1 + e.stack * SYT_NR_SHAPES + e.shape;
	M.truth[a->image][a->thread][n] = a->request;
	syt_builder_event(M.b, a->image, a->thread, e);
}

static void emit_on(struct actor *a, enum syt_shape shape, uint32_t object, uint32_t function)
{
	emit(a, (struct syt_made){shape, object, .in = now(), .stack = function});
}

static struct actor *add_actor(uint32_t image)
{
	struct actor *a = &M.actors[M.nr_actors++];

	assert_true(M.nr_actors <= MOST_ACTORS);
	*a = (struct actor){.image = image, .thread = syt_builder_thread(M.b, image)};
	M.nr_threads[image]++;
	return a;
}

static void add_op(struct actor *a, enum op op, uint32_t arg)
{
	assert_true(a->nr < MOST_OPS);
	a->ops[a->nr].op = op;
	a->ops[a->nr++].arg = arg;
}

static void add_locks(struct actor *a)
{
	for (uint32_t n = below(3); n; n--)
		add_op(a, OP_LOCK, below(2));
}

/* ---- connections ---- */

static struct syt_endpoint_info inet(unsigned local, unsigned remote)
{
	struct syt_endpoint_info e = {.domain = AF_INET, .type = SOCK_STREAM};
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	a.sin_port = htons((uint16_t)local);
	memcpy(e.local, &a, sizeof(a));
	a.sin_port = htons((uint16_t)remote);
	memcpy(e.remote, &a, sizeof(a));
	e.local_bytes = e.remote_bytes = sizeof(a);
	return e;
}

/*
 * Connects FROM (NULL: an untraced client) and TO (NULL: an untraced server), the actor that accepts. Returns the number
 * of the connection.
 */
static uint32_t add_connection(struct actor *from, struct actor *to)
{
	uint32_t n = M.nr_connections++;
	unsigned ports[2] = {5000 + n, to ? 80 + to->image : 99};
	struct connection *c = &M.connections[n];

	assert_true(n < MOST_CONNECTIONS);
	for (uint32_t end = 0; end < 2; end++) {
		const struct actor *a = end ? to : from;

		if (!a)
			continue;
		c->image[end] = a->image;
		c->object[end] = syt_builder_object(M.b, a->image, SYT_KIND_STREAM,
		                                    1000 + 2 * n + end, 0, SYT_OBJECT_SHARED);
		syt_builder_endpoint(M.b, a->image, c->object[end], inet(ports[end], ports[!end]));
	}
	if (from)
		emit_on(from, SYT_SHAPE_CONNECT, c->object[0], 0);
	if (to)
		emit(to,
		     (struct syt_made){SYT_SHAPE_ACCEPT, c->object[1], .out = now(), .result = 5});
	return n;
}

static void transmit(struct actor *a, struct connection *c, uint32_t end)
{
	uint64_t in = now();

	emit(a, (struct syt_made){SYT_SHAPE_SEND, c->object[end], .in = in, .out = in + 1,
	                          .result = 2, .offset = c->sent[end], .bytes = 2});
	M.time++;
	c->sent[end] += 2;
}

/* Receives a message, in one call or in two. */
static void receive(struct actor *a, struct connection *c, uint32_t end)
{
	uint32_t bytes = 1 + below(2);

	for (uint32_t left = 2; left; left -= bytes, bytes = left) {
		uint64_t out = now();

		emit(a, (struct syt_made){SYT_SHAPE_RECV, c->object[end],
		                          .in = a->since ? a->since : out - 1, .out = out,
		                          .result = bytes, .offset = c->received[end],
		                          .bytes = bytes});
		c->received[end] += bytes;
		a->since = 0;
	}
}

/* Lets the call of A block until IS_READY. Returns IS_READY. */
static bool block(struct actor *a, bool is_ready)
{
	if (!is_ready && !a->since)
		a->since = now();
	return is_ready;
}

static bool query(struct actor *a, struct connection *c)
{
	c->request = a->request;
	transmit(a, c, 0);
	c->state = QUERY;
	return true;
}

static bool take_reply(struct actor *a, struct connection *c)
{
	if (!block(a, c->state == REPLY))
		return false;
	a->request = c->request;
	receive(a, c, 0);
	c->state = IDLE;
	return true;
}

static bool serve(struct actor *a, struct connection *c)
{
	if (!block(a, c->state == QUERY))
		return false;
	if (!c->object[0]) {
		c->request = ++M.nr_requests;
		M.begun[c->request].thread = a->thread;
		M.begun[c->request].row = M.nr_events[0][a->thread];
	}
	a->request = c->request;
	receive(a, c, 1);
	c->state = SERVED;
	return true;
}

static bool answer(struct actor *a, struct connection *c)
{
	a->request = c->request;
	transmit(a, c, 1);
	c->state = c->object[0] ? REPLY : IDLE;
	return true;
}

/* ---- queues ---- */

static bool put(struct actor *a, struct queue *q, uint32_t arg)
{
	emit_on(a, SYT_SHAPE_LOCK, q->mutex, q->put);
	assert_true(q->end < MOST_REQUESTS);
	q->items[q->end++] = (struct item){a->request, arg};
	if (!q->sem) {
		emit_on(a, SYT_SHAPE_COND_SIGNAL, q->cond, q->put);
		q->nr_signals += q->nr_signals < q->nr_waiting;
	}
	emit_on(a, SYT_SHAPE_UNLOCK, q->mutex, q->put);
	if (q->sem)
		emit_on(a, SYT_SHAPE_SEM_POST, q->sem, q->put);
	q->nr_tokens++;
	return true;
}

/* Gives the events of A since it began to take ITEM to the request of ITEM, and ends the section. */
static bool take_first(struct actor *a, struct queue *q, struct item *item)
{
	*item = q->items[q->first++];
	a->request = item->request;
	for (uint32_t n = a->first; n < M.nr_events[a->image][a->thread]; n++)
		M.truth[a->image][a->thread][n] = a->request;
	emit_on(a, SYT_SHAPE_UNLOCK, q->mutex, q->take);
	return true;
}

static bool take_counted(struct actor *a, struct queue *q, struct item *item)
{
	uint64_t since = a->since;

	if (!block(a, q->nr_tokens > 0))
		return false;
	q->nr_tokens--;
	a->since = 0;
	a->first = M.nr_events[a->image][a->thread];
	emit(a, (struct syt_made){SYT_SHAPE_SEM_WAIT, q->sem, .in = since ? since : now(),
	                          .out = now(), .stack = q->take});
	emit_on(a, SYT_SHAPE_LOCK, q->mutex, q->take);
	return take_first(a, q, item);
}

/*
 * Returns false if the queue is empty. The whole section belongs to the request of the item. A thread that waits for an
 * item works on no request.
 */
static bool take(struct actor *a, struct queue *q, struct item *item)
{
	if (q->sem)
		return take_counted(a, q, item);
	if (a->since && !q->nr_signals)
		return false;
	a->request = NO_REQUEST;
	if (a->since) {
		emit(a, (struct syt_made){SYT_SHAPE_COND_WAIT, q->cond, .in = a->since,
		                          .out = now(), .object2 = q->mutex, .stack = q->take});
		q->nr_signals--;
		q->nr_waiting--;
	} else {
		a->first = M.nr_events[a->image][a->thread];
		emit_on(a, SYT_SHAPE_LOCK, q->mutex, q->take);
	}
	a->since = 0;
	if (q->first < q->end)
		return take_first(a, q, item);
	q->nr_waiting++;
	a->since = now();
	return false;
}

/* ---- a lock in disguise ---- */

/* The thread stays with its request, although a thread with another request wakes it. */
static bool enter_gate(struct actor *a)
{
	struct gate *g = &M.gate;

	if (a->since && !g->nr_signals)
		return false;
	if (a->since) {
		g->nr_waits++;
		emit(a, (struct syt_made){SYT_SHAPE_COND_WAIT, g->cond, .in = a->since,
		                          .out = now(), .object2 = g->mutex, .stack = IN_ENTER});
		g->nr_signals--;
		g->nr_waiting--;
	} else {
		emit_on(a, SYT_SHAPE_LOCK, g->mutex, IN_ENTER);
	}
	a->since = 0;
	if (g->is_taken) {
		g->nr_waiting++;
		a->since = now();
		return false;
	}
	g->is_taken = true;
	emit_on(a, SYT_SHAPE_LOCK, g->passed_mutex, IN_ENTER);
	emit_on(a, SYT_SHAPE_COND_SIGNAL, g->passed_cond, IN_ENTER);
	emit_on(a, SYT_SHAPE_UNLOCK, g->passed_mutex, IN_ENTER);
	emit_on(a, SYT_SHAPE_UNLOCK, g->mutex, IN_ENTER);
	return true;
}

static bool leave_gate(struct actor *a)
{
	struct gate *g = &M.gate;

	emit_on(a, SYT_SHAPE_LOCK, g->mutex, IN_LEAVE);
	g->is_taken = false;
	emit_on(a, SYT_SHAPE_COND_SIGNAL, g->cond, IN_LEAVE);
	g->nr_signals += g->nr_signals < g->nr_waiting;
	emit_on(a, SYT_SHAPE_UNLOCK, g->mutex, IN_LEAVE);
	return true;
}

/* ---- operations ---- */

static void add_question(struct actor *a, uint32_t connection)
{
	add_op(a, OP_QUERY, connection);
	add_op(a, OP_REPLY, connection);
	add_locks(a);
}

static void add_created(struct actor *a)
{
	if (M.nr_threads[0] >= 28)
		return;
	add_op(a, OP_CREATE, 0);
	if (below(2))
		add_locks(a);
	add_op(a, OP_JOIN, 0);
	add_locks(a);
}

/* Others have to wait during the question. */
static void add_gate(struct actor *a)
{
	add_op(a, OP_ENTER, 0);
	add_locks(a);
	add_question(a, a->untraced);
	add_op(a, OP_LEAVE, 0);
	add_locks(a);
}

/* Makes the operations of a worker for a request of the client's connection CLIENT. */
static void plan_request(struct actor *a, uint32_t client)
{
	a->nr = a->pc = 0;
	add_locks(a);
	for (uint32_t n = below(4); n; n--) {
		switch (below(5)) {
		case 0:
			add_question(a, a->store);
			break;
		case 1:
			add_question(a, a->database);
			break;
		case 2:
			add_question(a, a->untraced);
			break;
		case 3:
			add_op(a, OP_PUT_PART, 0);
			add_locks(a);
			add_op(a, OP_AWAIT, 0);
			add_locks(a);
			break;
		default:
			add_created(a);
		}
	}
	if (M.has_gate)
		add_gate(a);
	add_op(a, OP_ANSWER, client);
	add_locks(a);
	add_op(a, OP_TAKE, 0);
}

static bool take_request(struct actor *a)
{
	struct item item;

	if (!take(a, &M.queue, &item))
		return false;
	plan_request(a, item.arg);
	a->pc = UINT32_MAX; /* the next operation is the first one */
	return true;
}

static bool help(struct actor *a)
{
	struct item item;

	if (!take(a, &M.parts, &item))
		return false;
	if (below(2)) {
		emit_on(a, SYT_SHAPE_LOCK, M.mutex[0][0], 0);
		emit_on(a, SYT_SHAPE_UNLOCK, M.mutex[0][0], 0);
	}
	emit_on(a, SYT_SHAPE_LOCK, M.done_mutex[item.arg], IN_DONE);
	emit_on(a, SYT_SHAPE_COND_SIGNAL, M.done_cond[item.arg], IN_DONE);
	emit_on(a, SYT_SHAPE_UNLOCK, M.done_mutex[item.arg], IN_DONE);
	M.actors[item.arg].is_done = true;
	return true;
}

/* Waits at the actor's own condition variable. */
static bool await_helper(struct actor *a)
{
	uint32_t n = (uint32_t)(a - M.actors);

	if (a->since && !a->is_done)
		return false;
	if (a->since)
		emit(a, (struct syt_made){SYT_SHAPE_COND_WAIT, M.done_cond[n], .in = a->since,
		                          .out = now(), .object2 = M.done_mutex[n],
		                          .stack = IN_AWAIT});
	else
		emit_on(a, SYT_SHAPE_LOCK, M.done_mutex[n], IN_AWAIT);
	a->since = 0;
	if (!block(a, a->is_done))
		return false;
	a->is_done = false;
	emit_on(a, SYT_SHAPE_UNLOCK, M.done_mutex[n], IN_AWAIT);
	return true;
}

/* The new thread may use its creator's connections, because the creator only locks mutexes until the join. */
static bool create(struct actor *a)
{
	struct actor *made = add_actor(0);

	a->created = (uint32_t)(made - M.actors);
	emit(a, (struct syt_made){SYT_SHAPE_CREATE, .in = now(), .out = M.time + 1,
	                          .thread1 = made->thread + 1});
	M.time++;
	made->request = a->request;
	emit(made, (struct syt_made){SYT_SHAPE_THREAD_START, .in = now()});
	add_locks(made);
	if (below(2))
		add_question(made, a->database);
	add_op(made, OP_END, 0);
	return true;
}

static bool join(struct actor *a)
{
	struct actor *made = &M.actors[a->created];

	if (!block(a, made->has_ended))
		return false;
	emit(a, (struct syt_made){SYT_SHAPE_JOIN, .in = a->since ? a->since : now(), .out = now(),
	                          .thread1 = made->thread + 1});
	a->since = 0;
	return true;
}

static bool end_thread(struct actor *a)
{
	emit(a, (struct syt_made){SYT_SHAPE_THREAD_END, .in = now()});
	a->has_ended = true;
	return true;
}

static bool lock(struct actor *a, uint32_t n)
{
	emit_on(a, SYT_SHAPE_LOCK, M.mutex[a->image][n], 0);
	emit_on(a, SYT_SHAPE_UNLOCK, M.mutex[a->image][n], 0);
	return true;
}

/* ---- event loops ---- */

static bool come(struct actor *a)
{
	unsigned port = 10000 + M.nr_ports++;

	a->request = NO_REQUEST;
	M.idle_connection =
		syt_builder_object(M.b, a->image, SYT_KIND_STREAM, port, 0, SYT_OBJECT_SHARED);
	syt_builder_endpoint(M.b, a->image, M.idle_connection, inet(80 + a->image, port));
	emit(a, (struct syt_made){SYT_SHAPE_ACCEPT, M.idle_connection, .out = now(), .result = 5});
	return true;
}

static bool go(struct actor *a)
{
	a->request = NO_REQUEST;
	emit_on(a, SYT_SHAPE_RECV, M.idle_connection, 0);
	emit_on(a, SYT_SHAPE_CLOSE, M.idle_connection, 0);
	M.idle_connection = 0;
	return true;
}

/* Makes the operations of the event loop of process 0 for a client that sent a request. */
static void plan_client(struct actor *a, uint32_t client)
{
	static const enum op rest[] = {OP_PUT, OP_PUT, OP_PUT, OP_QUERY, OP_ANSWER};
	enum op op = rest[below(5)];

	add_op(a, OP_SERVE, client);
	add_locks(a);
	/* each client has a connection for requests that are passed on: its number follows */
	add_op(a, op, op == OP_QUERY ? client + NR_CLIENTS : client);
	add_locks(a);
}

static void plan_pass_back(struct actor *a, uint32_t connection)
{
	add_op(a, OP_REPLY, connection);
	add_locks(a);
	add_op(a, OP_ANSWER, connection - NR_CLIENTS);
	add_locks(a);
}

/* Makes the operations for the ready connections. The loop of process 1 answers all at the end. */
static void plan_turn(struct actor *a, const uint32_t *ready, uint32_t nr)
{
	bool is_there = M.idle_connection != 0;

	a->nr = 0;
	for (uint32_t i = 0; i < nr; i++) {
		if (!a->image && below(8) == 0) {
			add_op(a, is_there ? OP_GO : OP_COME, 0);
			is_there = !is_there;
		}
		if (!M.connections[ready[i]].object[0]) {
			plan_client(a, ready[i]);
		} else if (!a->image) {
			plan_pass_back(a, ready[i]);
		} else {
			add_op(a, OP_SERVE, ready[i]);
			add_locks(a);
		}
	}
	for (uint32_t i = 0; i < nr && a->image; i++)
		add_op(a, OP_ANSWER, ready[i]);
	add_op(a, OP_TURN, 0);
}

/* Returns the end of the connection that is ready for the event loop A, or NOTHING. */
static uint32_t ready_end(const struct actor *a, const struct connection *c)
{
	if (c->object[1] && c->image[1] == a->image && c->state == QUERY)
		return 1;
	/* of the connections that process 0 makes, the loop has those after its clients' */
	if (!a->image && c >= M.connections + NR_CLIENTS && c < M.connections + 2 * NR_CLIENTS &&
	    c->state == REPLY)
		return 0;
	return NOTHING;
}

static bool turn(struct actor *a)
{
	uint32_t ready[4], nr = 0, begin = below(M.nr_connections);
	struct syt_made e = {.shape = SYT_SHAPE_READY, .object = M.epoll[a->image]};

	for (uint32_t i = 0; i < M.nr_connections && nr < 4; i++) {
		uint32_t n = (begin + i) % M.nr_connections, end = ready_end(a, &M.connections[n]);

		if (end == NOTHING)
			continue;
		e.ready[nr] = (struct syt_ready){M.connections[n].object[end], SYT_READY_IN, 0};
		ready[nr++] = n;
	}
	a->request = NO_REQUEST;
	if (!block(a, nr > 0))
		return false;
	e.in = a->since ? a->since : now();
	e.out = now();
	e.result = nr;
	emit(a, e);
	a->since = 0;
	plan_turn(a, ready, nr);
	a->pc = UINT32_MAX;
	return true;
}

/* ---- a run ---- */

static bool execute(struct actor *a, enum op op, uint32_t arg)
{
	struct connection *c = &M.connections[arg];

	switch (op) {
	case OP_LOCK:
		return lock(a, arg);
	case OP_QUERY:
		return query(a, c);
	case OP_REPLY:
		return take_reply(a, c);
	case OP_SERVE:
		return serve(a, c);
	case OP_ANSWER:
		return answer(a, c);
	case OP_PUT:
		return put(a, &M.queue, arg);
	case OP_TAKE:
		return take_request(a);
	case OP_PUT_PART:
		return put(a, &M.parts, (uint32_t)(a - M.actors));
	case OP_AWAIT:
		return await_helper(a);
	case OP_HELP:
		return help(a);
	case OP_ENTER:
		return enter_gate(a);
	case OP_LEAVE:
		return leave_gate(a);
	case OP_COME:
		return come(a);
	case OP_GO:
		return go(a);
	case OP_CREATE:
		return create(a);
	case OP_JOIN:
		return join(a);
	case OP_END:
		return end_thread(a);
	case OP_TURN:
		return turn(a);
	case OP_AGAIN:
		a->pc = UINT32_MAX;
		return true;
	}
	return false;
}

/* Executes the next operation, unless it blocks. */
static void step(struct actor *a)
{
	if (a->pc < a->nr && execute(a, a->ops[a->pc].op, a->ops[a->pc].arg))
		a->pc++;
}

/* Lets an untraced process go on. */
static void step_outside(void)
{
	struct connection *c = &M.connections[below(M.nr_connections)];

	if (!c->object[0] && c->state == IDLE && M.nr_left) {
		c->state = QUERY;
		M.nr_left--;
	} else if (!c->object[1] && c->state == QUERY) {
		c->state = REPLY;
	}
}

static void make_queue(struct queue *q, uint32_t identity, uint32_t put, uint32_t take)
{
	q->mutex = syt_builder_object(M.b, 0, SYT_KIND_MUTEX, identity, 0, 0);
	q->cond = syt_builder_object(M.b, 0, SYT_KIND_COND, identity + 1, 0, 0);
	if (below(3) == 0)
		q->sem = syt_builder_object(M.b, 0, SYT_KIND_SEM, identity + 2, 0, 0);
	q->put = put;
	q->take = take;
}

static void make_objects(void)
{
	for (uint32_t i = 0; i < NR_IMAGES; i++) {
		syt_builder_image(M.b, 100 * (i + 1));
		M.epoll[i] = syt_builder_object(M.b, i, SYT_KIND_EPOLL, 0x2000, 0, 0);
		for (uint32_t k = 0; k < 2; k++)
			M.mutex[i][k] =
				syt_builder_object(M.b, i, SYT_KIND_MUTEX, 0x3000 + k, 0, 0);
	}
	M.gate.mutex = syt_builder_object(M.b, 0, SYT_KIND_MUTEX, 0x8000, 0, 0);
	M.gate.cond = syt_builder_object(M.b, 0, SYT_KIND_COND, 0x8001, 0, 0);
	M.gate.passed_mutex = syt_builder_object(M.b, 0, SYT_KIND_MUTEX, 0x8002, 0, 0);
	M.gate.passed_cond = syt_builder_object(M.b, 0, SYT_KIND_COND, 0x8003, 0, 0);
	make_queue(&M.queue, 0x4000, IN_PUT, IN_TAKE);
	make_queue(&M.parts, 0x5000, IN_PUT_PART, IN_TAKE_PART);
}

/* Makes a thread of process 2 for the connection from worker A, and sometimes lets it ask process 1. */
static void add_database(struct actor *a, struct actor *store)
{
	struct actor *database = add_actor(2);

	a->database = add_connection(a, database);
	add_op(database, OP_SERVE, a->database);
	add_locks(database);
	if (below(2))
		add_question(database, add_connection(database, store));
	add_op(database, OP_ANSWER, a->database);
	add_locks(database);
	add_op(database, OP_AGAIN, 0);
}

static void make_actors(void)
{
	struct actor *loop = add_actor(0), *store = add_actor(1), *helper = add_actor(0);

	for (uint32_t i = 0; i < NR_CLIENTS; i++)
		add_connection(NULL, loop);
	for (uint32_t i = 0; i < NR_CLIENTS; i++)
		add_connection(loop, i % 2 ? store : NULL);
	for (uint32_t i = 0; i < M.nr_workers; i++) {
		struct actor *a = add_actor(0);
		uint32_t n = (uint32_t)(a - M.actors);

		M.done_mutex[n] = syt_builder_object(M.b, 0, SYT_KIND_MUTEX, 0x6000 + n, 0, 0);
		M.done_cond[n] = syt_builder_object(M.b, 0, SYT_KIND_COND, 0x7000 + n, 0, 0);
		a->store = add_connection(a, store);
		a->untraced = add_connection(a, NULL);
		add_database(a, store);
		add_op(a, OP_TAKE, 0);
	}
	add_op(loop, OP_TURN, 0);
	add_op(store, OP_TURN, 0);
	add_op(helper, OP_HELP, 0);
	add_op(helper, OP_AGAIN, 0);
}

static struct syt_trace_data *run(uint64_t seed, uint32_t nr_requests, bool has_gate)
{
	struct syt_trace_data *trace;

	memset(&M, 0, sizeof(M));
	M.random.state = seed;
	M.time = 100;
	M.b = syt_builder_create();
	M.nr_workers = 1 + below(MOST_WORKERS);
	M.nr_left = nr_requests;
	M.has_gate = has_gate;
	make_objects();
	make_actors();
	/* ends when all is quiet: as many idle steps as no busy machine has */
	for (uint32_t quiet = 0; quiet < 2000; quiet++) {
		uint64_t before = M.time;

		if (below(3))
			step(&M.actors[below(M.nr_actors)]);
		else
			step_outside();
		if (M.time != before || M.nr_left)
			quiet = 0;
	}
	assert_int_equal(M.nr_requests, nr_requests);
	trace = syt_builder_trace(M.b);
	for (uint32_t i = 1; i < NR_STACKS; i++)
		M.stacks[i] = (struct syt_stack_node){.offset = 0x100 * i};
	trace->images[0].stacks = M.stacks;
	trace->images[0].nr_stacks = NR_STACKS;
	return trace;
}

/* ---- the comparison ---- */

static uint32_t own_number[4 * MOST_REQUESTS]; /* [number of the decoder]: number of the machine */

/* Finds the number of the machine for each request of the decoder. Inner exchanges are none. */
static void map_requests(void)
{
	uint32_t nr = 0;

	memset(own_number, 0, sizeof(own_number));
	assert_true(requests.nr < 4 * MOST_REQUESTS);
	for (uint64_t i = 0; i < requests.nr; i++) {
		struct syt_place at = requests.all[i].x.received;

		if (requests.all[i].flags & SYT_REQUEST_INNER)
			continue;
		for (uint32_t k = 1; k <= M.nr_requests; k++)
			if (at.thread == M.begun[k].thread && at.row == M.begun[k].row)
				own_number[i + 1] = k;
		assert_int_not_equal(own_number[i + 1], 0);
		nr++;
	}
	assert_int_equal(nr, M.nr_requests);
}

static void complain(uint64_t seed, const struct syt_place *at, uint32_t expected, uint64_t got)
{
	char text[SYT_NODE_TEXT];
	const struct syt_row *r = syt_place_row(&order.places, *at);

	syt_order_node_text(&order, *at, text, sizeof(text));
	print_message("seed %u: %s %s: request %u instead of %u\n", (unsigned)seed, text,
	              syt_row_call(syt_place_image(&order.places, *at), r)->name, (unsigned)got,
	              (unsigned)expected);
}

/* Compares all events. Returns the number of wrong ones. */
static uint32_t compare(uint64_t seed)
{
	uint32_t nr_wrong = 0, thread = 0;

	for (uint32_t image = 0; image < NR_IMAGES; image++) {
		for (uint32_t t = 0; t < M.nr_threads[image]; t++, thread++) {
			for (uint32_t row = 0; row < M.nr_events[image][t]; row++) {
				struct syt_place at = {thread, row};
				uint32_t expected = M.truth[image][t][row];
				uint64_t got = extents_at(at);

				if (got != NO_REQUEST && got != SEVERAL)
					got = own_number[got];
				if (got == expected)
					continue;
				if (nr_wrong++ < 8)
					complain(seed, &at, expected, got);
			}
		}
	}
	return nr_wrong;
}

/* Checks that the parts of the lock in disguise, and no other objects, are parts of such a lock. A lock for which no thread ever
 * waits is unknown. */
static void check_disguised(void)
{
	const uint32_t parts[] = {M.gate.mutex, M.gate.cond, M.gate.passed_mutex,
	                          M.gate.passed_cond};
	bool *is_part = syt_disguised_locks(&order);
	uint32_t nr = 0;

	for (uint32_t i = 0; i < order.objects.nr; i++)
		nr += is_part[i];
	assert_int_equal(nr, M.gate.nr_waits ? 4 : 0);
	for (unsigned i = 0; i < 4 && nr; i++)
		assert_true(is_part[syt_object_of(&order.objects, 0, parts[i] - 1)]);
	free(is_part);
}

/* Returns the number of wrong events. */
static uint32_t check(uint64_t seed, uint32_t nr_requests, bool has_gate)
{
	struct syt_symbols *symbols = syt_symbols_create(false);
	struct syt_verdict v;
	uint32_t nr_wrong;

	assert_int_equal(syt_order_open(&order, run(seed, nr_requests, has_gate)), 0);
	syt_requests_open(&requests, &order);
	map_requests();
	extents_open(symbols);
	assert_true(syt_verify(&order.edges, &v));
	nr_wrong = compare(seed);
	check_disguised();
	extents_close();
	syt_requests_close(&requests);
	syt_order_close(&order);
	syt_symbols_destroy(symbols);
	syt_builder_destroy(M.b);
	return nr_wrong;
}

#define NR_SEEDS 60u

static void at_random(void **state)
{
	uint32_t nr_wrong = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++)
		nr_wrong += check(seed, 200, false);
	assert_int_equal(nr_wrong, 0);
}

/* Threads that wait for a lock in disguise stay with their requests. */
static void with_a_lock_in_disguise(void **state)
{
	uint32_t nr_wrong = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++)
		nr_wrong += check(seed, 200, true);
	assert_int_equal(nr_wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_random),
		cmocka_unit_test(with_a_lock_in_disguise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
