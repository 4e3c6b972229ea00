/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/match/channel.c, match_stream.c, match_eof.c, match_ready.c, match_listen.c, match_datagram.c,
 * pair.c */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "format/address.h"
#include "tests/unit/order-check.h"

static struct syt_builder *b;
static uint32_t p, q;       /* two processes */
static uint32_t in_p, in_q; /* the connection's ends */

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

/* The socket is an IPv6 socket with IPv4-mapped addresses. */
static struct syt_endpoint_info mapped(struct syt_endpoint_info v4)
{
	struct syt_endpoint_info e = {.domain = AF_INET6, .type = SOCK_STREAM};
	struct sockaddr_in l, r;
	struct sockaddr_in6 a = {.sin6_family = AF_INET6};

	memcpy(&l, v4.local, sizeof(l));
	memcpy(&r, v4.remote, sizeof(r));
	a.sin6_addr.s6_addr[10] = a.sin6_addr.s6_addr[11] = 0xff;
	a.sin6_port = l.sin_port;
	memcpy(&a.sin6_addr.s6_addr[12], &l.sin_addr, 4);
	memcpy(e.local, &a, sizeof(a));
	a.sin6_port = r.sin_port;
	memcpy(&a.sin6_addr.s6_addr[12], &r.sin_addr, 4);
	memcpy(e.remote, &a, sizeof(a));
	e.local_bytes = e.remote_bytes = sizeof(a);
	return e;
}

/* Two processes of two threads each, and one TCP connection between them. */
static void start(void)
{
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	q = syt_builder_image(b, 200);
	for (unsigned i = 0; i < 2; i++) {
		syt_builder_thread(b, p);
		syt_builder_thread(b, q);
	}
	in_p = syt_builder_object(b, p, SYT_KIND_STREAM, 11, 0, SYT_OBJECT_SHARED);
	in_q = syt_builder_object(b, q, SYT_KIND_STREAM, 12, 0, SYT_OBJECT_SHARED);
	syt_builder_endpoint(b, p, in_p, inet("127.0.0.1", 5000, "127.0.0.1", 80));
	syt_builder_endpoint(b, q, in_q, mapped(inet("127.0.0.1", 80, "127.0.0.1", 5000)));
}

static void sends(uint32_t image, uint32_t thread, uint32_t object, syt_time in, syt_time out,
                  uint64_t offset, uint64_t bytes)
{
	syt_builder_event(b, image, thread,
	                  (struct syt_made){SYT_SHAPE_SEND, object, .in = in, .out = out,
	                                    .result = (int64_t)bytes, .offset = offset,
	                                    .bytes = bytes});
}

static void receives(uint32_t image, uint32_t thread, uint32_t object, syt_time in, syt_time out,
                     uint64_t offset, uint64_t bytes)
{
	syt_builder_event(b, image, thread,
	                  (struct syt_made){SYT_SHAPE_RECV, object, .in = in, .out = out,
	                                    .result = (int64_t)bytes, .offset = offset,
	                                    .bytes = bytes});
}

static void every_byte_has_its_sender(void **state)
{
	struct syt_coverage c;

	(void)state;
	start();
	sends(p, 0, in_p, 10, 12, 0, 100);
	sends(p, 0, in_p, 20, 22, 100, 50);
	sends(p, 0, in_p, 30, 32, 150, 50);
	receives(q, 0, in_q, 13, 15, 0, 60);   /* a part */
	receives(q, 0, in_q, 23, 35, 60, 120); /* the rest, all of the second, some of the third */
	receives(q, 0, in_q, 36, 38, 180, 20);
	sends(q, 0, in_q, 40, 42, 0, 7);
	receives(p, 0, in_p, 33, 45, 0, 7);
	expect_edges_and(b,
	                 "0.0.0>1.0.0 stream 60\n"
	                 "0.0.0>1.0.1 stream 40\n"
	                 "0.0.1>1.0.1 stream 50\n"
	                 "0.0.2>1.0.1 stream 30\n"
	                 "0.0.2>1.0.2 stream 20\n"
	                 "1.0.3>0.0.3 stream 7\n",
	                 &c);
	assert_int_equal(c.bytes_received, 207);
	assert_int_equal(c.bytes_matched, 207);
}

/*
 * The receiver may have the urgent byte in its stream or not: the positions behind it are unknown.
 */
static void positions_after_an_urgent_byte_are_unknown(void **state)
{
	struct syt_coverage c;

	(void)state;
	start();
	sends(p, 0, in_p, 10, 12, 0, 10);
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_SEND, in_p, .in = 13, .out = 14, .result = 3,
	                                    .offset = 10, .bytes = 2, .flags = SYT_EVENT_URGENT});
	sends(p, 0, in_p, 20, 22, 12, 2);
	receives(q, 0, in_q, 13, 15, 0, 10);
	receives(q, 0, in_q, 16, 17, 10, 2);
	/* receives the urgent byte, which precedes byte 12 in the stream */
	receives(q, 0, in_q, 18, 19, 12, 1);
	receives(q, 0, in_q, 23, 25, 13, 2);
	expect_edges_and(b, "0.0.0>1.0.0 stream 10\n0.0.1>1.0.1 stream 2\n", &c);
	assert_int_equal(c.bytes_unmatched[SYT_REASON_UNCERTAIN], 3);
}

/*
 * The counters of the receiver were learned again while one receive was in progress: the positions of the others may be wrong.
 */
static void a_receive_during_which_positions_were_learned_leaves_no_edges(void **state)
{
	(void)state;
	for (unsigned flags = 0; flags <= SYT_EVENT_UNCOUNTED; flags += SYT_EVENT_UNCOUNTED) {
		start();
		sends(p, 0, in_p, 10, 12, 0, 10);
		sends(p, 0, in_p, 20, 22, 10, 10);
		receives(q, 0, in_q, 23, 25, 0, 10);
		syt_builder_event(b, q, 1,
		                  (struct syt_made){SYT_SHAPE_RECV, in_q, .in = 13, .out = 27,
		                                    .result = 10, .bytes = 10,
		                                    .flags = SYT_EVENT_NOOFFSET | flags});
		expect_edges(b, flags ? "" : "0.0.0>1.0.0 stream 10\n");
	}
}

/*
 * A process ended before its send was counted: the other positions are certain up to the begin of
 * this send.
 */
static void a_send_that_never_returned_shifts_later_positions(void **state)
{
	struct syt_coverage c;

	(void)state;
	start();
	sends(p, 0, in_p, 10, 12, 0, 100);
	syt_builder_moving(b, p, in_p, 100, true); /* 50 bytes */
	/* recorded as 100 to 130, in fact bytes 150 to 180 */
	sends(p, 1, in_p, 20, 22, 100, 30);
	receives(q, 0, in_q, 13, 15, 0, 60);
	/* receives 40 bytes of the first send and 10 of the unrecorded send */
	receives(q, 0, in_q, 23, 24, 60, 50);
	receives(q, 0, in_q, 25, 26, 110, 40);
	receives(q, 0, in_q, 27, 28, 150, 30);
	expect_edges_and(b, "0.0.0>1.0.0 stream 60\n0.0.0>1.0.1 stream 40\n", &c);
	assert_int_equal(c.bytes_unmatched[SYT_REASON_UNRETURNED], 80);
	assert_int_equal(c.unattributed[SYT_REASON_UNRETURNED], 2);
}

/* After the last send, received bytes beyond its begin do not come from an untraced writer. */
static void a_send_that_never_returned_leaves_edges_before_it(void **state)
{
	struct syt_coverage c;

	(void)state;
	start();
	sends(p, 0, in_p, 10, 12, 0, 100);
	syt_builder_moving(b, p, in_p, 100, true);
	receives(q, 0, in_q, 13, 15, 0, 100);
	receives(q, 0, in_q, 23, 25, 100, 71);
	expect_edges_and(b, "0.0.0>1.0.0 stream 100\n", &c);
	assert_int_equal(c.bytes_unmatched[SYT_REASON_UNRETURNED], 71);
}

/* A receive that never returned shifts the positions of later receives, unless the receiver had already
 * taken all sent bytes. */
static void a_receive_that_never_returned_shifts_later_positions(void **state)
{
	struct syt_coverage c;

	for (unsigned has_taken = 0; has_taken < 2; has_taken++) {
		start();
		sends(p, 0, in_p, 10, 12, 0, 100);
		receives(q, 0, in_q, 13, 15, 0, 60);
		syt_builder_moving(b, q, in_q, 60, false);
		receives(q, 1, in_q, 20, 21, 60, 40 - 30 * has_taken);
		sends(p, 0, in_p, 30, 32, 100, 10);
		receives(q, 1, in_q, 33, 34, 100 - 30 * has_taken, 10);
		if (has_taken)
			expect_edges_and(b, "0.0.0>1.0.0 stream 60\n", &c);
		else
			expect_edges_and(b,
			                 "0.0.0>1.0.0 stream 60\n"
			                 "0.0.0>1.1.0 stream 40\n"
			                 "0.0.1>1.1.1 stream 10\n",
			                 &c);
		assert_int_equal(c.bytes_unmatched[SYT_REASON_UNRETURNED], 20 * has_taken);
	}
	(void)state;
}

/* One receive took all sent bytes, and then another receive took more bytes and never returned. */
static void a_receive_that_has_caught_up_does_not_affect_later_ones(void **state)
{
	struct syt_coverage c;

	(void)state;
	start();
	sends(p, 0, in_p, 10, 12, 0, 100);
	/* this receive in progress waits for later bytes */
	syt_builder_moving(b, q, in_q, 0, false);
	receives(q, 0, in_q, 13, 15, 0, 100);
	sends(p, 0, in_p, 20, 22, 100, 40);
	sends(p, 0, in_p, 23, 24, 140, 30);
	/* recorded as 100 to 130, in fact bytes 140 to 170 */
	receives(q, 0, in_q, 26, 27, 100, 30);
	expect_edges_and(b, "0.0.0>1.0.0 stream 100\n", &c);
	assert_int_equal(c.bytes_unmatched[SYT_REASON_UNRETURNED], 30);
}

/* The kernel reported the number of bytes sent before the trace, so these bytes do not prove an
 * untraced writer. */
static void bytes_from_before_tracing_have_no_sender(void **state)
{
	struct syt_endpoint_info e = inet("127.0.0.1", 5001, "127.0.0.1", 80);
	struct syt_coverage c;
	uint32_t from, to;

	(void)state;
	start();
	from = syt_builder_object(b, p, SYT_KIND_STREAM, 21, 0,
	                          SYT_OBJECT_SHARED | SYT_OBJECT_ADOPTED);
	to = syt_builder_object(b, q, SYT_KIND_STREAM, 22, 0, SYT_OBJECT_SHARED);
	e.tx = 100;
	syt_builder_endpoint(b, p, from, e);
	syt_builder_endpoint(b, q, to, inet("127.0.0.1", 80, "127.0.0.1", 5001));
	receives(q, 0, to, 10, 12, 0, 60);
	sends(p, 0, from, 20, 22, 100, 5);
	receives(q, 0, to, 23, 25, 60, 45);
	expect_edges_and(b, "0.0.0>1.0.1 stream 5\n", &c);
	assert_int_equal(c.bytes_unmatched[SYT_REASON_BEFORE], 100);
}

static void overwritten_sends_leave_their_bytes_unmatched(void **state)
{
	struct syt_coverage c;

	(void)state;
	start();
	sends(p, 0, in_p, 10, 12, 0, 100);
	sends(p, 0, in_p, 20, 22, 100, 50);
	receives(q, 0, in_q, 13, 25, 0, 150);
	syt_builder_trace(b);
	syt_builder_drop(b, p, 0, 1);
	expect_edges_and(b, "0.0.1>1.0.0 stream 50\n", &c);
	assert_int_equal(c.bytes_matched, 50);
	assert_int_equal(c.bytes_unmatched[SYT_REASON_OVERWRITTEN], 100);
}

/* Thread 0 sends first, but thread 1 counts its bytes first. The positions of two sends that overlap may be swapped, so
 * q receives the bytes at the position of thread 1 before thread 1 sends. */
static void swapped_sends(syt_time at, uint64_t offset)
{
	sends(p, 0, in_p, at, at + 30, offset + 10, 10);
	receives(q, 0, in_q, at + 5, at + 6, offset, 10);
	sends(p, 1, in_p, at + 10, at + 15, offset, 10);
	receives(q, 0, in_q, at + 16, at + 17, offset + 10, 10);
}

/* The window begins between two sends that overlap. */
static void a_send_beside_an_overwritten_one_is_no_contradiction(void **state)
{
	struct syt_coverage c;

	(void)state;
	start();
	swapped_sends(10, 0);
	sends(p, 0, in_p, 50, 52, 20, 10);
	receives(q, 0, in_q, 53, 55, 20, 10);
	syt_builder_trace(b);
	syt_builder_drop(b, p, 0, 1);
	expect_edges_and(b, "0.0.1>1.0.2 stream 10\n", &c);
	assert_int_equal(c.bytes_matched, 10);
	assert_int_equal(c.bytes_unmatched[SYT_REASON_OVERWRITTEN], 20);
}

/* The trace is complete until 40. A send of thread 0 after 40 is missing, and overlaps both sends of thread 1. */
static void sends_beside_a_later_one(void)
{
	start();
	sends(p, 0, in_p, 10, 12, 0, 10);
	receives(q, 0, in_q, 13, 15, 0, 10);
	sends(p, 1, in_p, 30, 65, 10, 10);
	receives(q, 0, in_q, 66, 67, 10, 10); /* perhaps the bytes of thread 0 */
	receives(q, 0, in_q, 68, 69, 20, 10); /* surely the bytes of thread 0 */
	sends(p, 1, in_p, 70, 75, 20, 10);
}

/* The window ends between sends that overlap: the reader or `syntrace snapshot` copied the events of thread 0 before those of
 * the other threads. */
static void a_send_beside_a_later_one_is_no_contradiction(void **state)
{
	struct syt_coverage c;

	(void)state;
	sends_beside_a_later_one();
	syt_builder_trace(b)->read_at = 40;
	expect_edges_and(b, "0.0.0>1.0.0 stream 10\n", &c);
	assert_int_equal(c.bytes_unmatched[SYT_REASON_UNTRACED_WRITER], 0);

	sends_beside_a_later_one();
	syt_builder_pause(b, p, 40);
	syt_builder_pause(b, q, 40);
	expect_edges_and(b, "0.0.0>1.0.0 stream 10\n", &c);
	assert_int_equal(c.bytes_unmatched[SYT_REASON_UNTRACED_WRITER], 0);
}

static void an_untraced_writer_leaves_no_edges(void **state)
{
	struct syt_coverage c;

	(void)state;
	start();
	sends(p, 0, in_p, 10, 12, 0, 100);
	receives(q, 0, in_q, 13, 25, 0, 100);
	receives(q, 0, in_q, 33, 35, 100, 10); /* more than was sent */
	expect_edges_and(b, "", &c);
	assert_int_equal(c.bytes_unmatched[SYT_REASON_UNTRACED_WRITER], 110);

	start();
	sends(p, 0, in_p, 10, 12, 0, 100);
	sends(p, 0, in_p, 40, 42, 100, 100);
	receives(q, 0, in_q, 13, 25, 0, 110); /* before the second was sent */
	expect_edges_and(b, "", &c);
	assert_int_equal(c.bytes_unmatched[SYT_REASON_UNTRACED_WRITER], 110);
}

/* A traced process made the pipe, and no write to the pipe was recorded, so its heirs write by unrecorded calls. A
 * pipe that an untraced process made may have an untraced writer. */
static void a_pipe_without_a_writer_has_an_unseen_writer(void **state)
{
	struct syt_coverage c;
	uint32_t mine, foreign;

	(void)state;
	start();
	mine = syt_builder_object(b, q, SYT_KIND_PIPE, 71, 0, SYT_OBJECT_SHARED);
	foreign = syt_builder_object(b, q, SYT_KIND_PIPE, 72, 0,
	                             SYT_OBJECT_SHARED | SYT_OBJECT_ADOPTED);
	receives(q, 0, mine, 13, 15, 0, 100);
	receives(q, 0, mine, 16, 17, 100, 11);
	receives(q, 0, foreign, 23, 25, 0, 7);
	expect_edges_and(b, "", &c);
	assert_int_equal(c.unattributed[SYT_REASON_UNSEEN_WRITER], 2);
	assert_int_equal(c.bytes_unmatched[SYT_REASON_UNSEEN_WRITER], 111);
	assert_int_equal(c.most[SYT_REASON_UNSEEN_WRITER].bytes, 111);
	assert_int_equal(c.unattributed[SYT_REASON_UNTRACED_PEER], 1);
	assert_int_equal(c.bytes_unmatched[SYT_REASON_UNTRACED_PEER], 7);
}

/* On a netlink socket, the kernel answers from port 0, and other senders from their own ports. */
static void answers_of_the_kernel_have_no_untraced_sender(void **state)
{
	static const uint8_t kernel[12] = {AF_NETLINK}, other[12] = {AF_NETLINK, [4] = 9};
	struct syt_endpoint_info e = {.domain = AF_NETLINK, .type = SOCK_RAW};
	const uint8_t *from[] = {kernel, other, NULL};
	struct syt_coverage c;
	uint32_t r;

	(void)state;
	start();
	r = syt_builder_object(b, q, SYT_KIND_DGRAM, 61, 0, SYT_OBJECT_SHARED);
	syt_builder_endpoint(b, q, r, e);
	for (unsigned i = 0; i < 3; i++)
		syt_builder_event(b, q, 0,
		                  (struct syt_made){SYT_SHAPE_RECV, r, .in = 10 + 2 * i,
		                                    .out = 11 + 2 * i, .result = 36, .bytes = 36,
		                                    .peer = syt_address_hash(from[i], 12)});
	expect_edges_and(b, "", &c);
	assert_int_equal(c.unattributed[SYT_REASON_KERNEL], 2);
	assert_int_equal(c.unattributed[SYT_REASON_UNTRACED_PEER], 1);
}

static void overlapping_writers_are_ambiguous(void **state)
{
	(void)state;
	start();
	sends(p, 0, in_p, 10, 20, 0, 10);
	sends(p, 1, in_p, 15, 25, 10, 10);
	sends(p, 0, in_p, 30, 32, 20, 10);
	receives(q, 0, in_q, 21, 27, 0, 10);
	receives(q, 0, in_q, 28, 35, 10, 20);
	expect_edges(b, "0.0.0>1.0.0 stream* 10\n"
	                "0.1.0>1.0.0 stream*\n"
	                "0.0.0>1.0.1 stream*\n"
	                "0.1.0>1.0.1 stream* 10\n"
	                "0.0.1>1.0.1 stream 10\n");
}

static void overlapping_readers_are_ambiguous(void **state)
{
	(void)state;
	start();
	sends(p, 0, in_p, 10, 12, 0, 10);
	sends(p, 0, in_p, 14, 15, 10, 10);
	receives(q, 0, in_q, 20, 30, 0, 10);
	receives(q, 1, in_q, 21, 29, 10, 10);
	expect_edges(b, "0.0.0>1.1.0 stream*\n"
	                "0.0.1>1.1.0 stream* 10\n"
	                "0.0.0>1.0.0 stream* 10\n"
	                "0.0.1>1.0.0 stream*\n");
	/* only one send fits both receives, so the edges are certain */
	start();
	sends(p, 0, in_p, 10, 12, 0, 20);
	receives(q, 0, in_q, 20, 30, 0, 10);
	receives(q, 1, in_q, 21, 29, 10, 10);
	expect_edges(b, "0.0.0>1.1.0 stream 10\n0.0.0>1.0.0 stream 10\n");
}

static void peeking_consumes_no_bytes(void **state)
{
	struct syt_coverage c;

	(void)state;
	start();
	sends(p, 0, in_p, 10, 12, 0, 10);
	syt_builder_event(b, q, 0,
	                  (struct syt_made){SYT_SHAPE_RECV, in_q, .out = 15, .result = 4,
	                                    .bytes = 4, .flags = SYT_EVENT_PEEK});
	receives(q, 0, in_q, 16, 18, 0, 10);
	expect_edges_and(b, "0.0.0>1.0.0 stream 4\n0.0.0>1.0.1 stream 10\n", &c);
	assert_int_equal(c.bytes_received, 10);
}

static void ports_used_again_pair_by_time(void **state)
{
	uint32_t p2, q2;

	(void)state;
	start();
	p2 = syt_builder_object(b, p, SYT_KIND_STREAM, 21, 0, SYT_OBJECT_SHARED);
	q2 = syt_builder_object(b, q, SYT_KIND_STREAM, 22, 0, SYT_OBJECT_SHARED);
	syt_builder_endpoint(b, p, p2, inet("127.0.0.1", 5000, "127.0.0.1", 80));
	syt_builder_endpoint(b, q, q2, inet("127.0.0.1", 80, "127.0.0.1", 5000));
	sends(p, 0, in_p, 10, 12, 0, 5);
	receives(q, 0, in_q, 11, 15, 0, 5);
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_CLOSE, in_p, .in = 20, .arg = 1});
	syt_builder_event(b, q, 0, (struct syt_made){SYT_SHAPE_CLOSE, in_q, .in = 20, .arg = 1});
	sends(p, 0, p2, 110, 112, 0, 5);
	receives(q, 0, q2, 111, 115, 0, 5);
	expect_edges(b, "0.0.0>1.0.0 stream 5\n0.0.2>1.0.2 stream 5\n");
}

static void accepted_after_the_client_has_gone(void **state)
{
	uint32_t listener;

	(void)state;
	start();
	listener = syt_builder_object(b, q, SYT_KIND_LISTEN, 900, 0, SYT_OBJECT_SHARED);
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_CONNECT, in_p, .in = 5, .out = 6});
	sends(p, 0, in_p, 10, 12, 0, 5);
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_CLOSE, in_p, .in = 20, .out = 21, .arg = 1});
	syt_builder_event(b, q, 0,
	                  (struct syt_made){SYT_SHAPE_ACCEPT, in_q, .out = 30, .result = 7,
	                                    .object2 = listener});
	receives(q, 0, in_q, 31, 35, 0, 5);
	expect_edges(b, "0.0.0>1.0.0 connect\n0.0.1>1.0.1 stream 5\n");
}

static void other_network_namespaces_are_other_connections(void **state)
{
	struct syt_endpoint_info other = inet("127.0.0.1", 80, "127.0.0.1", 5000);
	struct syt_coverage c;

	(void)state;
	start();
	other.netns = 99;
	syt_builder_endpoint(b, q, in_q, other);
	sends(p, 0, in_p, 10, 12, 0, 5);
	receives(q, 0, in_q, 11, 15, 0, 5);
	expect_edges_and(b, "", &c);
	assert_int_equal(c.bytes_unmatched[SYT_REASON_UNTRACED_PEER], 5);
}

static void end_of_file(void **state)
{
	(void)state;
	start();
	sends(p, 0, in_p, 10, 12, 0, 5);
	receives(q, 0, in_q, 11, 15, 0, 5);
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_SHUTDOWN, in_p, .in = 20, .arg = SHUT_WR});
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_CLOSE, in_p, .in = 22, .arg = 1});
	syt_builder_event(b, q, 0,
	                  (struct syt_made){SYT_SHAPE_RECV, in_q, .in = 16, .out = 30,
	                                    .flags = SYT_EVENT_EOF});
	expect_edges(b, "0.0.0>1.0.0 stream 5\n0.0.1>1.0.1 eof\n");

	start(); /* two processes held the pipe, so both closes are needed; a third process reads */
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_CLOSE, in_p, .in = 20, .arg = 1});
	uint32_t r = syt_builder_image(b, 300);
	uint32_t in_r = syt_builder_object(b, r, SYT_KIND_STREAM, 11, 0, SYT_OBJECT_SHARED);

	syt_builder_thread(b, r);
	syt_builder_event(b, r, 0, (struct syt_made){SYT_SHAPE_CLOSE, in_r, .in = 25});
	syt_builder_event(b, r, 0, (struct syt_made){SYT_SHAPE_EXIT, 0, .in = 28});
	syt_builder_event(b, q, 0,
	                  (struct syt_made){SYT_SHAPE_RECV, in_q, .in = 16, .out = 30,
	                                    .flags = SYT_EVENT_EOF});
	expect_edges(b, "0.0.0>1.0.0 eof\n2.0.1>1.0.0 eof\n");
}

static void reports(uint32_t thread, uint32_t object, unsigned events, syt_time in, syt_time out)
{
	syt_builder_event(b, q, thread,
	                  (struct syt_made){SYT_SHAPE_READY, 0, .in = in, .out = out, .result = 1,
	                                    .ready = {{object, events}}});
}

static void readable_through_the_first_unread_byte(void **state)
{
	(void)state;
	start();
	sends(p, 0, in_p, 10, 12, 0, 10);
	reports(0, in_q, SYT_READY_IN, 5, 15);
	receives(q, 0, in_q, 16, 18, 0, 4);
	sends(p, 0, in_p, 20, 22, 10, 10);
	reports(0, in_q, SYT_READY_IN, 23, 25); /* still the first one */
	receives(q, 0, in_q, 26, 28, 4, 6);
	reports(0, in_q, SYT_READY_IN, 29, 30);
	receives(q, 0, in_q, 31, 32, 10, 10);
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_CLOSE, in_p, .in = 40, .arg = 1});
	reports(0, in_q, SYT_READY_IN | SYT_READY_RDHUP, 33, 45);
	expect_edges(b, "0.0.0>1.0.0 ready\n"
	                "0.0.0>1.0.1 stream 4\n"
	                "0.0.0>1.0.2 ready\n"
	                "0.0.0>1.0.3 stream 6\n"
	                "0.0.1>1.0.4 ready\n"
	                "0.0.1>1.0.5 stream 10\n"
	                "0.0.2>1.0.6 ready\n");
}

/* A signal handler sends in the middle of the thread's own send. */
static void a_handlers_send_overlaps(void **state)
{
	(void)state;
	start();
	sends(p, 0, in_p, 5, 8, 0, 10);
	sends(p, 0, in_p, 10, 50, 20, 10);
	sends(p, 0, in_p, 20, 25, 10, 10);
	receives(q, 0, in_q, 55, 60, 0, 10);
	receives(q, 0, in_q, 65, 70, 10, 20);
	expect_edges(b, "0.0.0>1.0.0 stream 10\n"
	                "0.0.1>1.0.1 stream* 10\n"
	                "0.0.2>1.0.1 stream* 10\n");
}

static void readiness_beside_another_reader_is_uncertain(void **state)
{
	struct syt_coverage c;

	(void)state;
	start();
	sends(p, 0, in_p, 10, 12, 0, 10);
	sends(p, 0, in_p, 13, 14, 10, 10);
	reports(0, in_q, SYT_READY_IN, 15, 25);
	receives(q, 1, in_q, 18, 20, 0, 10);
	expect_edges_and(b, "0.0.0>1.1.0 stream 10\n", &c);
	assert_int_equal(c.unattributed[SYT_REASON_UNCERTAIN], 1);
}

/*
 * FROM has sent 100 bytes, and the buffer is full. TO, in the same process, receives 20 bytes NR times
 * before FROM is reported to be writable.
 */
static void full_and_read(uint32_t from, uint32_t to, unsigned nr)
{
	sends(q, 0, from, 10, 12, 0, 100);
	syt_builder_event(b, q, 0,
	                  (struct syt_made){SYT_SHAPE_SEND, from, .in = 13, .out = 14, .result = -1,
	                                    .err = EAGAIN});
	for (unsigned i = 0; i < nr; i++)
		receives(q, 1, to, 20 + 2 * i, 21 + 2 * i, 20 * i, 20);
	reports(0, from, SYT_READY_OUT, 15, 35);
}

/* Defines both ends of a socketpair. */
static void start_pair(uint32_t *ends)
{
	struct syt_endpoint_info e = {.domain = AF_UNIX, .type = SOCK_STREAM};

	start();
	for (unsigned i = 0; i < 2; i++)
		ends[i] = syt_builder_object(b, q, SYT_KIND_STREAM, 21 + i, 0, SYT_OBJECT_SHARED);
	for (unsigned i = 0; i < 2; i++) {
		e.peer_object = ends[1 - i];
		syt_builder_endpoint(b, q, ends[i], e);
	}
}

static void writable_when_a_reader_made_space(void **state)
{
	uint32_t ends[2], pipe;

	(void)state;
	start_pair(ends);
	full_and_read(ends[0], ends[1], 1);
	expect_edges(b, "1.0.0>1.1.0 stream 20\n1.1.0>1.0.2 ready\n");

	start_pair(ends);
	full_and_read(ends[0], ends[1], 2); /* one of the two receives made enough space */
	expect_edges(b, "1.0.0>1.1.0 stream 20\n1.0.0>1.1.1 stream 20\n"
	                "1.1.0>1.0.2 ready*\n1.1.1>1.0.2 ready*\n");

	start();
	pipe = syt_builder_object(b, q, SYT_KIND_PIPE, 500, 0, SYT_OBJECT_SHARED);
	full_and_read(pipe, pipe, 1);
	expect_edges(b, "1.0.0>1.1.0 stream 20\n1.1.0>1.0.2 ready\n");
}

/* A peek makes no space; and the kernel of a TCP receiver takes the bytes that it acknowledges. */
static void space_may_appear_without_a_reader(void **state)
{
	struct syt_coverage c;
	uint32_t ends[2];

	(void)state;
	start_pair(ends);
	full_and_read(ends[0], ends[1], 0);
	syt_builder_event(b, q, 1,
	                  (struct syt_made){SYT_SHAPE_RECV, ends[1], .in = 16, .out = 17,
	                                    .result = 1, .bytes = 1, .flags = SYT_EVENT_PEEK});
	expect_edges_and(b, "1.0.0>1.1.0 stream 1\n", &c);
	assert_int_equal(c.unattributed[SYT_REASON_KERNEL], 1);

	start();
	full_and_read(in_q, in_p, 0);
	receives(p, 0, in_p, 20, 22, 0, 50);
	expect_edges_and(b, "1.0.0>0.0.0 stream 50\n", &c);
	assert_int_equal(c.unattributed[SYT_REASON_KERNEL], 1);
}

static void pipes_and_eventfds_are_one_object_for_both_ends(void **state)
{
	uint32_t pipe_p, pipe_q, event;

	(void)state;
	start();
	pipe_p = syt_builder_object(b, p, SYT_KIND_PIPE, 500, 0, SYT_OBJECT_SHARED);
	pipe_q = syt_builder_object(b, q, SYT_KIND_PIPE, 500, 0, SYT_OBJECT_SHARED);
	event = syt_builder_object(b, p, SYT_KIND_EVENTFD, 3, 0, SYT_OBJECT_SHARED);
	sends(p, 0, pipe_p, 10, 12, 0, 8);
	receives(q, 0, pipe_q, 5, 15, 0, 8);
	syt_builder_event(
		b, p, 0,
		(struct syt_made){SYT_SHAPE_CLOSE, pipe_p, .in = 20, .flags = SYT_EVENT_WRITER});
	syt_builder_event(b, q, 0,
	                  (struct syt_made){SYT_SHAPE_RECV, pipe_q, .in = 16, .out = 30,
	                                    .flags = SYT_EVENT_EOF});
	sends(p, 0, event, 40, 41, 0, 1);
	sends(p, 0, event, 42, 43, 1, 1);
	receives(p, 1, event, 44, 45, 0, 2);
	expect_edges(b, "0.0.0>1.0.0 stream 8\n0.0.1>1.0.1 eof\n"
	                "0.0.2>0.1.0 stream 1\n0.0.3>0.1.0 stream 1\n");
}

static void transfer_receives_and_sends(void **state)
{
	uint32_t pipe;

	(void)state;
	start();
	pipe = syt_builder_object(b, p, SYT_KIND_PIPE, 500, 0, SYT_OBJECT_SHARED);
	sends(p, 1, pipe, 10, 12, 0, 8);
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_TRANSFER, in_p, .in = 15, .out = 18,
	                                    .result = 8, .object2 = pipe, .bytes = 8});
	receives(q, 0, in_q, 20, 22, 0, 8);
	expect_edges(b, "0.1.0>0.0.0 stream 8\n0.0.0>1.0.0 stream 8\n");
}

static void connections_and_their_listener(void **state)
{
	uint32_t listener;

	(void)state;
	start();
	listener = syt_builder_object(b, q, SYT_KIND_LISTEN, 900, 0, SYT_OBJECT_SHARED);
	syt_builder_event(b, p, 0,
	                  (struct syt_made){SYT_SHAPE_CONNECT, in_p, .in = 10, .out = 12,
	                                    .result = -1, .err = EINPROGRESS});
	reports(0, listener, SYT_READY_IN, 5, 15);
	syt_builder_event(b, q, 0,
	                  (struct syt_made){SYT_SHAPE_ACCEPT, in_q, .out = 20, .result = 7,
	                                    .object2 = listener});
	expect_edges(b, "0.0.0>1.0.0 ready\n0.0.0>1.0.1 connect\n");
}

static struct syt_endpoint_info unix_end(bool is_accepted, uint32_t peer_pid)
{
	struct syt_endpoint_info e = {.domain = AF_UNIX, .type = SOCK_STREAM, .peer_pid = peer_pid};
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "/run/x"};

	memcpy(is_accepted ? e.local : e.remote, &a, sizeof(a));
	*(is_accepted ? &e.local_bytes : &e.remote_bytes) = sizeof(a);
	return e;
}

/* Makes two connections of unix sockets, and sends three bytes over the second connection. */
static void connect_two(void)
{
	uint32_t c[2], s[2], listener;

	start();
	listener = syt_builder_object(b, q, SYT_KIND_LISTEN, 900, 0, SYT_OBJECT_SHARED);
	for (unsigned i = 0; i < 2; i++) {
		c[i] = syt_builder_object(b, p, SYT_KIND_STREAM, 31 + i, 0, SYT_OBJECT_SHARED);
		s[i] = syt_builder_object(b, q, SYT_KIND_STREAM, 41 + i, 0, SYT_OBJECT_SHARED);
		syt_builder_endpoint(b, p, c[i], unix_end(false, 0));
		syt_builder_endpoint(b, q, s[i], unix_end(true, 100));
		syt_builder_event(b, p, 0,
		                  (struct syt_made){SYT_SHAPE_CONNECT, c[i], .in = 10 + 10 * i,
		                                    .out = 12 + 10 * i});
	}
	for (unsigned i = 0; i < 2; i++)
		syt_builder_event(b, q, 0,
		                  (struct syt_made){SYT_SHAPE_ACCEPT, s[i], .out = 30 + 10 * i,
		                                    .result = 7, .object2 = listener});
	sends(p, 0, c[1], 50, 52, 0, 3);
	receives(q, 0, s[1], 53, 55, 0, 3);
}

static void unix_connections_are_accepted_in_order(void **state)
{
	(void)state;
	connect_two();
	expect_edges(b, "0.0.0>1.0.0 connect\n0.0.1>1.0.1 connect\n0.0.2>1.0.2 stream 3\n");
}

/* The event of the first accept is lost. The second accept did not get the first connection. */
static void unix_connections_stay_unpaired_when_accepts_are_missing(void **state)
{
	(void)state;
	connect_two();
	syt_builder_trace(b);
	syt_builder_drop(b, q, 0, 1);
	expect_edges(b, "");
}

static uint32_t connect_at(uint32_t thread, unsigned i, syt_time in, syt_time out)
{
	uint32_t c = syt_builder_object(b, p, SYT_KIND_STREAM, 31 + i, 0, SYT_OBJECT_SHARED);

	syt_builder_endpoint(b, p, c, unix_end(false, 0));
	syt_builder_event(b, p, thread,
	                  (struct syt_made){SYT_SHAPE_CONNECT, c, .in = in, .out = out});
	return c;
}

static uint32_t accept_at(uint32_t thread, unsigned i, uint32_t listener, syt_time in, syt_time out)
{
	uint32_t s = syt_builder_object(b, q, SYT_KIND_STREAM, 41 + i, 0, SYT_OBJECT_SHARED);

	syt_builder_endpoint(b, q, s, unix_end(true, 100));
	syt_builder_event(b, q, thread,
	                  (struct syt_made){SYT_SHAPE_ACCEPT, s, .in = in, .out = out, .result = 7,
	                                    .object2 = listener});
	return s;
}

/* Which of two connects that overlap was accepted first is open, and of two accepts that overlap,
 * which was first; when all have been accepted it is certain again. */
static void unix_connections_that_overlap_are_not_guessed(void **state)
{
	uint32_t listener;

	(void)state;
	start();
	listener = syt_builder_object(b, q, SYT_KIND_LISTEN, 900, 0, SYT_OBJECT_SHARED);
	connect_at(0, 0, 10, 14);
	connect_at(1, 1, 12, 16);
	accept_at(0, 0, listener, 20, 21);
	accept_at(0, 1, listener, 22, 23);
	connect_at(0, 2, 30, 31);
	accept_at(0, 2, listener, 40, 41);
	connect_at(0, 3, 50, 51);
	connect_at(0, 4, 52, 53);
	accept_at(0, 3, listener, 60, 64);
	accept_at(1, 4, listener, 62, 66);
	connect_at(1, 5, 70, 71);
	accept_at(1, 5, listener, 80, 81);
	expect_edges(b, "0.0.1>1.0.2 connect\n0.1.1>1.1.1 connect\n");
}

/* Makes two connects that overlap, and two accepts: S[i] is the i-th accepted connection. */
static void two_that_overlap(uint32_t *c, uint32_t *s)
{
	uint32_t listener;

	start();
	listener = syt_builder_object(b, q, SYT_KIND_LISTEN, 900, 0, SYT_OBJECT_SHARED);
	for (unsigned i = 0; i < 2; i++)
		c[i] = connect_at(i, i, 10 + i, 14 + i);
	for (unsigned i = 0; i < 2; i++)
		s[i] = accept_at(0, i, listener, 20 + 2 * i, 21 + 2 * i);
}

/* A byte is received after the send, which leaves one way to pair sends and receives. */
static void unix_connections_that_overlap_are_paired_by_their_traffic(void **state)
{
	struct syt_coverage v;
	uint32_t c[2], s[2];

	(void)state;
	two_that_overlap(c, s);
	sends(p, 0, c[0], 30, 31, 0, 5);
	receives(q, 0, s[1], 32, 33, 0, 5); /* only one client has sent bytes before this receive */
	sends(p, 1, c[1], 34, 35, 0, 5);
	receives(q, 0, s[0], 36, 37, 0, 5);
	expect_edges_and(b,
	                 "0.1.0>1.0.0 connect\n"
	                 "0.0.0>1.0.1 connect\n"
	                 "0.0.1>1.0.2 stream 5\n"
	                 "0.1.1>1.0.3 stream 5\n",
	                 &v);
	assert_int_equal(v.pairs_inferred, 2);
}

/* Only the servers' sends show the pairing of the sockets, and only one of the ends has sent bytes. */
static void unix_connections_are_paired_by_the_other_direction_too(void **state)
{
	uint32_t c[2], s[2];

	(void)state;
	two_that_overlap(c, s);
	sends(q, 0, s[0], 30, 31, 0, 2);
	receives(p, 1, c[1], 32, 33, 0, 2);
	expect_edges(b, "0.1.0>1.0.0 connect\n"
	                "0.0.0>1.0.1 connect\n"
	                "1.0.2>0.1.1 stream 2\n");
}

static void unix_connections_with_the_same_traffic_stay_unpaired(void **state)
{
	struct syt_coverage v;
	uint32_t c[2], s[2];

	(void)state;
	two_that_overlap(c, s);
	for (unsigned i = 0; i < 2; i++)
		sends(p, i, c[i], 30, 31, 0, 5);
	for (unsigned i = 0; i < 2; i++)
		receives(q, 0, s[i], 32 + 2 * i, 33 + 2 * i, 0, 5);
	expect_edges_and(b, "", &v);
	assert_int_equal(v.unattributed[SYT_REASON_UNPAIRED], 4); /* the accepts, too */
	assert_int_equal(v.bytes_unmatched[SYT_REASON_UNPAIRED], 10);
}

/* More bytes were received than sent: there is an unseen writer, and the rest proves no pairing. */
static void unix_connections_with_unseen_traffic_stay_unpaired(void **state)
{
	uint32_t c[2], s[2];

	(void)state;
	two_that_overlap(c, s);
	sends(p, 0, c[0], 30, 31, 0, 5);
	receives(q, 0, s[1], 32, 33, 0, 5);
	receives(q, 0, s[0], 36, 37, 0, 6);
	expect_edges(b, "");
}

/* A process that was killed may have sent bytes that it could not record. */
static void unix_connections_of_a_killed_client_may_have_had_more_traffic(void **state)
{
	uint32_t c[2], s[2];

	(void)state;
	two_that_overlap(c, s);
	sends(p, 0, c[0], 30, 31, 0, 5);
	receives(q, 0, s[1], 32, 33, 0, 5);
	syt_builder_trace(b)->images[p].file.state = SYT_STATE_RUNNING;
	expect_edges(b, "");
	/* or a process that has ended in the middle of a send on the other connection */
	two_that_overlap(c, s);
	sends(p, 0, c[0], 30, 31, 0, 5);
	syt_builder_moving(b, p, c[1], 0, true);
	receives(q, 0, s[1], 32, 33, 0, 5);
	expect_edges(b, "");
}

/* A connection made before listen() was called belongs to an earlier listener. */
static void unix_connections_to_an_earlier_listener_are_not_taken(void **state)
{
	uint32_t listener;

	(void)state;
	start();
	listener = syt_builder_object(b, q, SYT_KIND_LISTEN, 900, 0, SYT_OBJECT_SHARED);
	connect_at(0, 0, 10, 14);
	syt_builder_event(b, q, 0,
	                  (struct syt_made){SYT_SHAPE_LISTEN, listener, .in = 20, .out = 21});
	connect_at(0, 1, 30, 31);
	accept_at(0, 1, listener, 40, 41);
	expect_edges(b, "0.0.1>1.0.1 connect\n");
}

static void distinguishable_datagrams_are_paired(void **state)
{
	struct syt_endpoint_info from = inet("0.0.0.0", 4000, "0.0.0.0", 0);
	struct syt_endpoint_info to = inet("0.0.0.0", 53, "0.0.0.0", 0);
	struct syt_endpoint_info as_from = inet("127.0.0.1", 4000, "0.0.0.0", 0);
	struct syt_endpoint_info as_to = inet("127.0.0.1", 53, "0.0.0.0", 0);
	uint64_t source = syt_address_hash(as_from.local, as_from.local_bytes);
	uint64_t target = syt_address_hash(as_to.local, as_to.local_bytes);
	uint32_t s, r;
	struct syt_coverage c;

	(void)state;
	start();
	from.type = to.type = SOCK_DGRAM;
	s = syt_builder_object(b, p, SYT_KIND_DGRAM, 61, 0, SYT_OBJECT_SHARED);
	r = syt_builder_object(b, q, SYT_KIND_DGRAM, 62, 0, SYT_OBJECT_SHARED);
	syt_builder_endpoint(b, p, s, from);
	syt_builder_endpoint(b, q, r, to);
	static const struct {
		uint64_t bytes;
		syt_time at;
	} sent[] = {{10, 10}, {20, 12}, {20, 30}, {20, 32}}, received[] = {{20, 20}, {20, 40}};

	for (unsigned i = 0; i < 4; i++)
		syt_builder_event(
			b, p, 0,
			(struct syt_made){SYT_SHAPE_SEND, s, .in = sent[i].at,
		                          .out = sent[i].at + 1, .result = (int64_t)sent[i].bytes,
		                          .bytes = sent[i].bytes, .offset = i, .peer = target});
	for (unsigned i = 0; i < 2; i++)
		syt_builder_event(b, q, 0,
		                  (struct syt_made){SYT_SHAPE_RECV, r, .in = received[i].at,
		                                    .out = received[i].at + 1,
		                                    .result = (int64_t)received[i].bytes,
		                                    .bytes = received[i].bytes, .peer = source});
	/* the first datagram was lost; the second receive may have returned either of the last two
	 * datagrams */
	expect_edges_and(b,
	                 "0.0.1>1.0.0 datagram 20\n"
	                 "0.0.2>1.0.1 datagram* 20\n"
	                 "0.0.3>1.0.1 datagram* 20\n",
	                 &c);
	assert_int_equal(c.bytes_matched, 40);
}

/*
 * One of the earlier datagrams is there when R is reported and peeked; the later datagram cannot
 * be.
 */
static void readiness_and_peeking_follow_the_datagrams_that_may_be_first(void **state)
{
	struct syt_endpoint_info from = inet("127.0.0.1", 4000, "127.0.0.1", 0);
	struct syt_endpoint_info to = inet("127.0.0.1", 53, "127.0.0.1", 0);
	uint64_t source = syt_address_hash(from.local, from.local_bytes);
	uint64_t target = syt_address_hash(to.local, to.local_bytes);
	uint32_t s, r;

	(void)state;
	start();
	from.type = to.type = SOCK_DGRAM;
	s = syt_builder_object(b, p, SYT_KIND_DGRAM, 61, 0, SYT_OBJECT_SHARED);
	r = syt_builder_object(b, q, SYT_KIND_DGRAM, 62, 0, SYT_OBJECT_SHARED);
	syt_builder_endpoint(b, p, s, from);
	syt_builder_endpoint(b, q, r, to);
	for (unsigned i = 0; i < 3; i++)
		syt_builder_event(b, p, 0,
		                  (struct syt_made){SYT_SHAPE_SEND, s, .in = 10 + 10 * i,
		                                    .out = 11 + 10 * i, .result = 8, .bytes = 8,
		                                    .offset = i, .peer = target});
	reports(0, r, SYT_READY_IN, 22, 25);
	syt_builder_event(b, q, 0,
	                  (struct syt_made){SYT_SHAPE_RECV, r, .in = 26, .out = 27, .result = 8,
	                                    .bytes = 8, .flags = SYT_EVENT_PEEK, .peer = source});
	syt_builder_event(b, q, 0,
	                  (struct syt_made){SYT_SHAPE_RECV, r, .in = 35, .out = 36, .result = 8,
	                                    .bytes = 8, .peer = source});
	expect_edges(b, "0.0.0>1.0.0 ready*\n0.0.1>1.0.0 ready*\n"
	                "0.0.0>1.0.1 datagram* 8\n0.0.1>1.0.1 datagram* 8\n"
	                "0.0.0>1.0.2 datagram* 8\n0.0.1>1.0.2 datagram* 8\n"
	                "0.0.2>1.0.2 datagram* 8\n");
}

/* A receive that filled its buffer may have cut a longer datagram off. */
static void datagrams_that_filled_the_buffer_may_be_longer(void **state)
{
	struct syt_endpoint_info from = inet("127.0.0.1", 4000, "127.0.0.1", 0);
	struct syt_endpoint_info to = inet("127.0.0.1", 53, "127.0.0.1", 0);
	uint64_t source = syt_address_hash(from.local, from.local_bytes);
	uint64_t target = syt_address_hash(to.local, to.local_bytes);
	uint32_t s, r;

	(void)state;
	start();
	from.type = to.type = SOCK_DGRAM;
	s = syt_builder_object(b, p, SYT_KIND_DGRAM, 61, 0, SYT_OBJECT_SHARED);
	r = syt_builder_object(b, q, SYT_KIND_DGRAM, 62, 0, SYT_OBJECT_SHARED);
	syt_builder_endpoint(b, p, s, from);
	syt_builder_endpoint(b, q, r, to);
	for (unsigned i = 0; i < 3; i++)
		syt_builder_event(b, p, 0,
		                  (struct syt_made){SYT_SHAPE_SEND, s, .in = 10 + 2 * i,
		                                    .out = 11 + 2 * i, .result = 10 - 4 * (int)i,
		                                    .bytes = 10 - 4 * i, .offset = i,
		                                    .peer = target});
	syt_builder_event(b, q, 0,
	                  (struct syt_made){SYT_SHAPE_RECV, r, .in = 20, .out = 21, .result = 6,
	                                    .bytes = 6, .flags = SYT_EVENT_FULL, .peer = source});
	expect_edges(b, "0.0.0>1.0.0 datagram* 6\n0.0.1>1.0.0 datagram* 6\n");
}

static void datagrams_of_a_socketpair_keep_their_order(void **state)
{
	struct syt_endpoint_info e = {.domain = AF_UNIX, .type = SOCK_DGRAM};
	uint32_t s, r;

	(void)state;
	start();
	s = syt_builder_object(b, p, SYT_KIND_DGRAM, 61, 0, SYT_OBJECT_SHARED);
	r = syt_builder_object(b, p, SYT_KIND_DGRAM, 62, 0, SYT_OBJECT_SHARED);
	e.peer_object = r;
	syt_builder_endpoint(b, p, s, e);
	e.peer_object = s;
	syt_builder_endpoint(b, p, r, e);
	sends(p, 0, s, 10, 11, 0, 20);
	sends(p, 0, s, 12, 13, 1, 20);
	receives(p, 1, r, 14, 15, 0, 20);
	receives(p, 1, r, 16, 17, 1, 20);
	expect_edges(b, "0.0.0>0.1.0 datagram 20\n0.0.1>0.1.1 datagram 20\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_has_its_sender),
		cmocka_unit_test(a_handlers_send_overlaps),
		cmocka_unit_test(overwritten_sends_leave_their_bytes_unmatched),
		cmocka_unit_test(a_send_beside_an_overwritten_one_is_no_contradiction),
		cmocka_unit_test(a_send_beside_a_later_one_is_no_contradiction),
		cmocka_unit_test(an_untraced_writer_leaves_no_edges),
		cmocka_unit_test(a_pipe_without_a_writer_has_an_unseen_writer),
		cmocka_unit_test(answers_of_the_kernel_have_no_untraced_sender),
		cmocka_unit_test(overlapping_writers_are_ambiguous),
		cmocka_unit_test(overlapping_readers_are_ambiguous),
		cmocka_unit_test(peeking_consumes_no_bytes),
		cmocka_unit_test(ports_used_again_pair_by_time),
		cmocka_unit_test(accepted_after_the_client_has_gone),
		cmocka_unit_test(other_network_namespaces_are_other_connections),
		cmocka_unit_test(end_of_file),
		cmocka_unit_test(readable_through_the_first_unread_byte),
		cmocka_unit_test(readiness_beside_another_reader_is_uncertain),
		cmocka_unit_test(writable_when_a_reader_made_space),
		cmocka_unit_test(space_may_appear_without_a_reader),
		cmocka_unit_test(pipes_and_eventfds_are_one_object_for_both_ends),
		cmocka_unit_test(transfer_receives_and_sends),
		cmocka_unit_test(connections_and_their_listener),
		cmocka_unit_test(unix_connections_are_accepted_in_order),
		cmocka_unit_test(unix_connections_stay_unpaired_when_accepts_are_missing),
		cmocka_unit_test(unix_connections_that_overlap_are_not_guessed),
		cmocka_unit_test(unix_connections_that_overlap_are_paired_by_their_traffic),
		cmocka_unit_test(unix_connections_are_paired_by_the_other_direction_too),
		cmocka_unit_test(unix_connections_with_the_same_traffic_stay_unpaired),
		cmocka_unit_test(unix_connections_with_unseen_traffic_stay_unpaired),
		cmocka_unit_test(unix_connections_of_a_killed_client_may_have_had_more_traffic),
		cmocka_unit_test(unix_connections_to_an_earlier_listener_are_not_taken),
		cmocka_unit_test(distinguishable_datagrams_are_paired),
		cmocka_unit_test(readiness_and_peeking_follow_the_datagrams_that_may_be_first),
		cmocka_unit_test(datagrams_of_a_socketpair_keep_their_order),
		cmocka_unit_test(datagrams_that_filled_the_buffer_may_be_longer),
		cmocka_unit_test(positions_after_an_urgent_byte_are_unknown),
		cmocka_unit_test(a_receive_during_which_positions_were_learned_leaves_no_edges),
		cmocka_unit_test(a_send_that_never_returned_shifts_later_positions),
		cmocka_unit_test(a_send_that_never_returned_leaves_edges_before_it),
		cmocka_unit_test(a_receive_that_never_returned_shifts_later_positions),
		cmocka_unit_test(a_receive_that_has_caught_up_does_not_affect_later_ones),
		cmocka_unit_test(bytes_from_before_tracing_have_no_sender),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
