/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * decoder/analysis/exchange.h, request.h and path_sum.h. The first tests use histories made by
 * hand. Then servers run at random, which know the parts of each request.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "decoder/analysis/request.h"
#include "decoder/analysis/path_sum.h"
#include "tests/lib/random.h"
#include "tests/unit/order-check.h"

#define NS 16u /* of a syt_time */
#define NR_THREADS 3u

static struct syt_builder *b;
static uint32_t server, client; /* processes */
static uint32_t own, peer;      /* a connection's ends: the server's, the client's */
static uint32_t epoll;          /* the server's */
static struct syt_order order;
static struct syt_requests requests;

static struct syt_endpoint_info inet(const char *local, unsigned lport, const char *remote,
                                     unsigned rport)
{
	struct syt_endpoint_info e = {.domain = AF_INET, .type = SOCK_STREAM};
	struct sockaddr_in a = {.sin_family = AF_INET};

	a.sin_port = htons((uint16_t)lport);
	inet_pton(AF_INET, local, &a.sin_addr);
	memcpy(e.local, &a, sizeof(a));
	e.local_bytes = sizeof(a);
	a.sin_port = htons((uint16_t)rport);
	inet_pton(AF_INET, remote, &a.sin_addr);
	memcpy(e.remote, &a, sizeof(a));
	e.remote_bytes = rport ? sizeof(a) : 0;
	return e;
}

static uint32_t stream(uint32_t image, uint64_t cookie, unsigned local, unsigned remote)
{
	uint32_t o = syt_builder_object(b, image, SYT_KIND_STREAM, cookie, 0, SYT_OBJECT_SHARED);

	syt_builder_endpoint(b, image, o, inet("127.0.0.1", local, "127.0.0.1", remote));
	return o;
}

/* Makes a server with port 80 and a client with port 5000. */
static void start(void)
{
	b = syt_builder_create();
	server = syt_builder_image(b, 100);
	client = syt_builder_image(b, 200);
	for (unsigned i = 0; i < NR_THREADS; i++) {
		syt_builder_thread(b, server);
		syt_builder_thread(b, client);
	}
	own = stream(server, 11, 80, 5000);
	peer = stream(client, 12, 5000, 80);
	epoll = syt_builder_object(b, server, SYT_KIND_EPOLL, 0x2000, 0, 0);
}

static void accepts(uint32_t image, uint32_t thread, uint32_t o, syt_time at)
{
	syt_builder_event(b, image, thread,
	                  (struct syt_made){SYT_SHAPE_ACCEPT, o, .out = at * NS, .result = 5});
}

static void moves(uint32_t image, uint32_t thread, enum syt_shape shape, uint32_t o, syt_time in,
                  syt_time out, uint64_t offset, uint64_t bytes)
{
	syt_builder_event(b, image, thread,
	                  (struct syt_made){shape, o, .in = in * NS, .out = out * NS,
	                                    .result = (int64_t)bytes, .offset = offset,
	                                    .bytes = bytes});
}

/* Adds a call that reports the connection by the only epoll instance. */
static void reports(uint32_t thread, uint32_t o, syt_time in, syt_time out)
{
	syt_builder_event(b, server, thread,
	                  (struct syt_made){SYT_SHAPE_READY, epoll, .in = in * NS, .out = out * NS,
	                                    .result = 1, .ready = {{o, SYT_READY_IN}}});
}

static void on(uint32_t thread, enum syt_shape shape, uint32_t o, syt_time in, syt_time out)
{
	syt_builder_event(b, server, thread,
	                  (struct syt_made){shape, o, .in = in * NS, .out = out * NS});
}

static void look(void)
{
	assert_int_equal(syt_order_open(&order, syt_builder_trace(b)), 0);
	syt_requests_open(&requests, &order);
}

static void end(void)
{
	syt_requests_close(&requests);
	syt_order_close(&order);
	syt_builder_destroy(b);
}

/* Checks the parts of the request, such as "sent 10-40 answered by 1, reported 50-60 closed unsure". */
static void expect(const char *expected)
{
	char *text;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	for (uint64_t i = 0; i < requests.nr; i++) {
		const struct syt_request_info *r = &requests.all[i];

		fprintf(f, "%s%s %u-%u %s", i ? ", " : "",
		        syt_request_begin_word((enum syt_request_begin)r->begin_is),
		        (unsigned)(r->begin / NS), (unsigned)(r->end / NS),
		        syt_request_end_word((enum syt_request_end)r->end_is));
		if (r->end_is != SYT_REQUEST_OPEN)
			fprintf(f, " by %u", r->ended.thread);
		fprintf(f, "%s%s", r->flags & SYT_REQUEST_INNER ? " inner" : "",
		        r->flags & SYT_REQUEST_UNSURE ? " unsure" : "");
	}
	fclose(f);
	assert_string_equal(text, expected);
	free(text);
}

static void client_is_traced(void **state)
{
	(void)state;
	start();
	accepts(server, 0, own, 5);
	moves(client, 0, SYT_SHAPE_SEND, peer, 10, 11, 0, 3);
	moves(client, 0, SYT_SHAPE_SEND, peer, 14, 15, 3, 3); /* more bytes of the same request */
	moves(server, 0, SYT_SHAPE_RECV, own, 20, 21, 0, 6);
	moves(server, 1, SYT_SHAPE_SEND, own, 30, 35, 0, 4); /* by another thread */
	moves(client, 0, SYT_SHAPE_RECV, peer, 16, 36, 0, 4);
	look();
	expect("sent 10-35 answered by 1");
	assert_int_equal(requests.all[0].received_at, 21 * NS);
	assert_int_equal(requests.median, 25 * NS);
	assert_int_equal(requests.longest, 25 * NS);
	end();
}

static void client_is_not_traced(void **state)
{
	(void)state;
	start();
	accepts(server, 0, own, 5);
	reports(0, own, 6, 10);
	moves(server, 1, SYT_SHAPE_RECV, own, 20, 21, 0, 6);
	moves(server, 1, SYT_SHAPE_RECV, own, 22, 23, 6, 6); /* the rest of it */
	moves(server, 1, SYT_SHAPE_SEND, own, 30, 31, 0, 4);
	moves(server, 1, SYT_SHAPE_SEND, own, 32, 39, 4, 4); /* the rest of the answer */
	moves(server, 1, SYT_SHAPE_RECV, own, 40, 50, 12, 6);
	moves(server, 1, SYT_SHAPE_SEND, own, 60, 61, 8, 4);
	look();
	expect("reported 10-39 answered by 1, received 50-61 answered by 1");
	assert_int_equal(requests.all[0].x.nr_receives, 2);
	assert_int_equal(requests.all[0].x.nr_sends, 2);
	assert_int_equal(requests.all[0].x.bytes_received, 12);
	assert_int_equal(requests.all[0].x.first_answer, 30 * NS);
	end();
}

/* A report of readiness no longer counts after a receive that found no bytes. */
static void report_is_stale(void **state)
{
	(void)state;
	start();
	accepts(server, 0, own, 5);
	reports(0, own, 6, 10);
	syt_builder_event(b, server, 0,
	                  (struct syt_made){SYT_SHAPE_RECV, own, .in = 12 * NS, .out = 13 * NS,
	                                    .result = -1, .err = 11});
	moves(server, 0, SYT_SHAPE_RECV, own, 20, 21, 0, 6);
	moves(server, 0, SYT_SHAPE_SEND, own, 30, 31, 0, 4);
	look();
	expect("received 21-31 answered by 0");
	end();
}

static void who_never_answers(void **state)
{
	(void)state;
	start();
	uint32_t other = stream(server, 13, 80, 5001);

	accepts(server, 0, own, 5);
	accepts(server, 0, other, 6);
	moves(server, 0, SYT_SHAPE_SEND, own, 7, 8, 0, 9); /* a greeting answers no request */
	moves(server, 0, SYT_SHAPE_RECV, own, 20, 21, 0, 6);
	moves(server, 1, SYT_SHAPE_RECV, other, 22, 23, 0, 6);
	on(0, SYT_SHAPE_CLOSE, own, 30, 31);
	look();
	expect("received 21-31 closed by 0, received 23-0 open");
	assert_int_equal(requests.nr_counted, 0);
	assert_int_equal(requests.nr_of_end[SYT_REQUEST_CLOSED], 1);
	assert_int_equal(requests.nr_of_end[SYT_REQUEST_OPEN], 1);
	end();
}

/* A process that serves asks another process: the time belongs to its own request. */
static void servers_ask_each_other(void **state)
{
	(void)state;
	start();
	uint32_t front = stream(client, 20, 8080, 7000);

	accepts(client, 0, front, 2);
	accepts(server, 0, own, 5);
	moves(client, 0, SYT_SHAPE_RECV, front, 8, 9, 0, 1);
	moves(client, 0, SYT_SHAPE_SEND, peer, 10, 11, 0, 3);
	moves(server, 0, SYT_SHAPE_RECV, own, 12, 13, 0, 3);
	moves(server, 0, SYT_SHAPE_SEND, own, 20, 21, 0, 4);
	moves(client, 0, SYT_SHAPE_RECV, peer, 12, 22, 0, 4);
	moves(client, 0, SYT_SHAPE_SEND, front, 23, 24, 0, 4);
	look();
	expect("received 9-24 answered by 3, sent 10-21 answered by 0 inner");
	assert_int_equal(requests.nr_counted, 1);
	assert_int_equal(requests.nr_inner, 1);
	assert_int_equal(requests.by_length[0], 0);
	end();
}

/* The first events are overwritten: the accept, and earlier requests, if any. */
static void beginnings_are_missing(void **state)
{
	(void)state;
	start();
	uint32_t listening =
		syt_builder_object(b, server, SYT_KIND_LISTEN, 14, 0, SYT_OBJECT_SHARED);

	syt_builder_endpoint(b, server, listening, inet("0.0.0.0", 80, "0.0.0.0", 0));
	on(0, SYT_SHAPE_PAUSE, 0, 1, 2);
	moves(server, 0, SYT_SHAPE_RECV, own, 20, 21, 0, 3);
	moves(server, 0, SYT_SHAPE_SEND, own, 30, 31, 0, 4);
	moves(server, 0, SYT_SHAPE_RECV, own, 40, 41, 3, 3);
	moves(server, 0, SYT_SHAPE_SEND, own, 50, 51, 4, 4);
	syt_builder_trace(b);
	syt_builder_drop(b, server, 0, 1);
	look();
	expect("received 21-31 answered by 0 unsure, received 41-51 answered by 0");
	assert_int_equal(requests.nr_listened, 1);
	assert_int_equal(requests.nr_counted, 1);
	end();
}

/* The asking process is also a server, as its listening address shows. */
static void inner_without_accepts(void **state)
{
	(void)state;
	start();
	uint32_t front = stream(client, 20, 8080, 7000);
	const uint32_t listening[] = {
		syt_builder_object(b, server, SYT_KIND_LISTEN, 14, 0, SYT_OBJECT_SHARED),
		syt_builder_object(b, client, SYT_KIND_LISTEN, 15, 0, SYT_OBJECT_SHARED)};

	syt_builder_endpoint(b, server, listening[0], inet("127.0.0.1", 80, "0.0.0.0", 0));
	syt_builder_endpoint(b, client, listening[1], inet("0.0.0.0", 8080, "0.0.0.0", 0));
	moves(client, 0, SYT_SHAPE_RECV, front, 8, 9, 0, 1);
	moves(client, 0, SYT_SHAPE_SEND, peer, 10, 11, 0, 3);
	moves(server, 0, SYT_SHAPE_RECV, own, 12, 13, 0, 3);
	moves(server, 0, SYT_SHAPE_SEND, own, 20, 21, 0, 4);
	moves(client, 0, SYT_SHAPE_RECV, peer, 12, 22, 0, 4);
	moves(client, 0, SYT_SHAPE_SEND, front, 23, 24, 0, 4);
	look();
	expect("received 9-24 answered by 3 unsure, sent 10-21 answered by 0 inner unsure");
	assert_int_equal(requests.nr_listened, 2);
	end();
}

/* The process that connects is the client. */
static void connections_made_are_not_requests(void **state)
{
	(void)state;
	start();
	moves(client, 0, SYT_SHAPE_SEND, peer, 10, 11, 0, 3);
	moves(client, 0, SYT_SHAPE_RECV, peer, 12, 22, 0, 4);
	moves(client, 0, SYT_SHAPE_SEND, peer, 23, 24, 3, 3);
	look();
	expect("");
	assert_int_equal(requests.nr, 0);
	end();
}

static void it_may_have_waited_unseen(void **state)
{
	(void)state;
	start();
	uint32_t other = stream(server, 13, 80, 5001);
	struct syt_request_queue q;
	uint64_t longest;

	accepts(server, 0, own, 5);
	accepts(server, 0, other, 6);
	reports(0, own, 10, 11);
	moves(server, 0, SYT_SHAPE_RECV, own, 12, 13, 0, 3);
	on(0, SYT_SHAPE_PAUSE, 0, 14, 64); /* meanwhile the other request arrives */
	moves(server, 0, SYT_SHAPE_SEND, own, 65, 66, 0, 4);
	reports(0, other, 70, 71);
	moves(server, 0, SYT_SHAPE_RECV, other, 72, 73, 0, 3);
	moves(server, 0, SYT_SHAPE_SEND, other, 74, 75, 0, 4);
	moves(server, 0, SYT_SHAPE_RECV, own, 100, 200100, 3, 3); /* waited for */
	moves(server, 0, SYT_SHAPE_SEND, own, 200200, 200300, 4, 4);
	look();
	expect("reported 11-66 answered by 0, reported 71-75 answered by 0, "
	       "received 200100-200300 answered by 0");
	assert_false(syt_request_queued(&requests, &requests.all[2], &q));
	assert_true(syt_request_queued(&requests, &requests.all[1], &q));
	assert_int_equal(q.from, 11 * NS); /* the readiness call before did not report it */
	assert_int_equal(
		syt_request_meanwhile(&requests, &requests.all[1], q.from, 71 * NS, &longest), 1);
	assert_int_equal(longest, 0);
	/* the server waited for the first request from the accept on */
	assert_true(syt_request_queued(&requests, &requests.all[0], &q));
	assert_int_equal(q.from, 5 * NS);
	end();
}

/*
 * A request that waits for a lock reports the lock and the duration; a wait for a wake-up is no
 * wait for a lock.
 */
static void lock_is_the_cause(void **state)
{
	(void)state;
	start();
	uint32_t m = syt_builder_object(b, server, SYT_KIND_MUTEX, 0x1000, 0, 0);
	struct syt_labels *labels;
	struct syt_request_cause c;
	struct syt_cpu_times times;
	struct syt_path_sum sum;
	struct syt_path path;

	accepts(server, 0, own, 5);
	on(1, SYT_SHAPE_LOCK, m, 8, 8);
	moves(server, 0, SYT_SHAPE_RECV, own, 9, 10, 0, 3);
	on(0, SYT_SHAPE_LOCK, m, 20, 62);
	on(1, SYT_SHAPE_PAUSE, 0, 12, 55);
	on(1, SYT_SHAPE_UNLOCK, m, 60, 60);
	on(0, SYT_SHAPE_UNLOCK, m, 65, 65);
	moves(server, 0, SYT_SHAPE_SEND, own, 70, 71, 0, 4);
	look();
	expect("received 10-71 answered by 0");
	labels = syt_labels_create(&order.places, NULL, 0);
	assert_int_equal(syt_path_open(&path, &order, requests.all[0].begin, requests.all[0].ended),
	                 0);
	syt_cpu_times_open(&times, &order.places);
	syt_path_sum_open(&sum, &path, &times, labels, NULL);
	c = syt_request_cause_of(&path, &sum);
	assert_non_null(c.lock);
	assert_int_equal(c.lock_wait, 42 * NS);
	assert_int_equal(order.edges.all[c.lock->edge].from.thread, 1);
	syt_path_sum_close(&sum);
	syt_cpu_times_close(&times);
	syt_path_close(&path);
	syt_labels_destroy(labels);
	end();
}

/* ---- at random ---- */

#define NR_CONNECTIONS 5u
#define NR_EXCHANGES 12u

struct known {
	syt_time begin, end;
	uint32_t nr_receives, nr_sends;
};

static int by_begin(const void *a_, const void *b_)
{
	const struct known *a = a_, *c = b_;

	return a->begin < c->begin ? -1 : a->begin > c->begin;
}

/* Each connection has a thread, and all threads share a clock without equal times. */
static unsigned make_at_random(struct syt_random *random, struct known *known)
{
	unsigned nr = 0, left = NR_CONNECTIONS * NR_EXCHANGES;
	unsigned step[NR_CONNECTIONS] = {0}, in_step[NR_CONNECTIONS] = {0};
	struct known now[NR_CONNECTIONS] = {{0}};
	uint64_t in_bytes[NR_CONNECTIONS] = {0}, out_bytes[NR_CONNECTIONS] = {0};
	uint32_t o[NR_CONNECTIONS];
	syt_time t = 10;

	b = syt_builder_create();
	server = syt_builder_image(b, 100);
	for (unsigned i = 0; i < NR_CONNECTIONS; i++) {
		syt_builder_thread(b, server);
		o[i] = stream(server, 11 + i, 80, 5000 + i);
		accepts(server, i, o[i], t++);
	}
	while (left) {
		unsigned i = (unsigned)syt_random_below(random, NR_CONNECTIONS);
		bool is_send = step[i] % 2;

		if (step[i] == 2 * NR_EXCHANGES)
			continue;
		moves(server, i, is_send ? SYT_SHAPE_SEND : SYT_SHAPE_RECV, o[i], t, t + 1,
		      is_send ? out_bytes[i] : in_bytes[i], 1);
		*(is_send ? &out_bytes[i] : &in_bytes[i]) += 1;
		if (!is_send && !in_step[i])
			now[i] = (struct known){.begin = t + 1};
		now[i].nr_receives += !is_send;
		now[i].nr_sends += is_send;
		now[i].end = t + 1;
		t += 2;
		in_step[i]++;
		if (syt_random_below(random, 3))
			continue;
		in_step[i] = 0;
		if (step[i]++ % 2) {
			known[nr++] = now[i];
			left--;
		}
	}
	return nr;
}

static void at_random(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 50; seed++) {
		struct syt_random random = {seed};
		struct known known[NR_CONNECTIONS * NR_EXCHANGES];
		unsigned nr = make_at_random(&random, known);

		qsort(known, nr, sizeof(*known), by_begin);
		look();
		assert_int_equal(requests.nr, nr);
		assert_int_equal(requests.nr_counted, nr);
		for (unsigned i = 0; i < nr; i++) {
			const struct syt_request_info *r = &requests.all[i];

			assert_int_equal(r->begin, known[i].begin * NS);
			assert_int_equal(r->end, known[i].end * NS);
			assert_int_equal(r->x.nr_receives, known[i].nr_receives);
			assert_int_equal(r->x.nr_sends, known[i].nr_sends);
		}
		for (unsigned i = 1; i < nr; i++) {
			const struct syt_request_info *a = &requests.all[requests.by_length[i - 1]],
						      *c = &requests.all[requests.by_length[i]];

			assert_true(a->end - a->begin >= c->end - c->begin);
		}
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(client_is_traced),
		cmocka_unit_test(client_is_not_traced),
		cmocka_unit_test(report_is_stale),
		cmocka_unit_test(who_never_answers),
		cmocka_unit_test(servers_ask_each_other),
		cmocka_unit_test(beginnings_are_missing),
		cmocka_unit_test(inner_without_accepts),
		cmocka_unit_test(connections_made_are_not_requests),
		cmocka_unit_test(it_may_have_waited_unseen),
		cmocka_unit_test(lock_is_the_cause),
		cmocka_unit_test(at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
