/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Steps on objects that carry bytes: from one thread to another, between any threads, and over
 * connections that are made for one word.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/oracle/carry.h"

#define MOST_WORDS 32

static bool is_socket(unsigned type)
{
	return type == CHANNEL_SOCKETPAIR || type == CHANNEL_TCP || type == CHANNEL_PACKET ||
	       type == CHANNEL_DATAGRAM || type == CHANNEL_UDP;
}

static bool is_packets(unsigned type)
{
	return type == CHANNEL_PACKET || type == CHANNEL_DATAGRAM || type == CHANNEL_UDP;
}

static bool is_of_bytes(unsigned type)
{
	return type == CHANNEL_PIPE || is_socket(type);
}

static void send_words(const struct plan_step *s, struct object *o, unsigned type)
{
	struct word words[MOST_WORDS];
	unsigned left = s->count;

	while (left) {
		unsigned nr = is_packets(type) ? 1 : left;
		long rv = carry_send_by(o->fds[0], words, nr, s->object, s->how, is_socket(type));

		if (rv < 0) {
			must(errno == EINTR, "send");
			continue;
		}
		left -= (unsigned)rv / (unsigned)sizeof(*words);
	}
}

/* Peeks at the words that the next receive takes. */
static void peek(int fd, unsigned number, unsigned nr, unsigned type)
{
	struct word words[MOST_WORDS];
	struct log_entry *e = write_begin(LOG_recv, number);
	long rv = write_end(e, recv(fd, words, nr * sizeof(*words), MSG_PEEK));

	if (rv > 0)
		carry_follow(e, words, (unsigned)rv / (unsigned)sizeof(*words),
		             type == CHANNEL_UDP ? LOG_SHARED : LOG_SURE);
}

static void receive_words(const struct plan_step *s, struct object *o, unsigned type)
{
	struct word words[MOST_WORDS];
	unsigned left = s->count, how = s->how;
	struct log_entry *e;

	for (; left; how = how * 5 + 1) {
		struct log_entry *ready = carry_await(o->fds[1], s->object, how);
		unsigned nr = 1 + how % 7;

		nr = is_packets(type) ? 1 : nr < left ? nr : left;
		if (is_socket(type) && how % 11 == 3)
			peek(o->fds[1], s->object, nr, type);
		long rv = carry_receive_by(o->fds[1], words, nr, &e, s->object, how / 8,
		                           is_socket(type));

		if (rv < 0) {
			must(errno == EINTR, "receive");
			continue;
		}
		must(rv > 0 && rv % (long)sizeof(*words) == 0, "whole words");
		carry_follow(e, words, (unsigned)rv / (unsigned)sizeof(*words),
		             type == CHANNEL_UDP ? LOG_SHARED : LOG_SURE);
		carry_explain(ready, e);
		left -= (unsigned)rv / (unsigned)sizeof(*words);
	}
}

/* ---- crowds: no call blocks ---- */

static void crowd_send(unsigned number, unsigned how)
{
	const struct object *o = world_object(number);
	unsigned type = the_plan.objects[number].type;
	struct word w;

	if (type == CHANNEL_QUEUE)
		carry_queue_send(o, number, how % 3, how & 8);
	else
		carry_send_by(o->fds[0], &w, 1, number, how, is_socket(type));
}

static void crowd_receive(unsigned number, unsigned how, unsigned count)
{
	const struct object *o = world_object(number);
	unsigned type = the_plan.objects[number].type;
	struct word words[MOST_WORDS];
	struct log_entry *e;

	if (type == CHANNEL_QUEUE) {
		carry_queue_receive(o, number, how & 8, LOG_SHARED);
		return;
	}
	if (how % 4 == 0) {
		struct pollfd p = {.fd = o->fds[1], .events = POLLIN};

		e = write_begin(LOG_poll, number);
		write_end(e, poll(&p, 1, 1));
	}
	long rv = carry_receive_by(o->fds[1], words, is_packets(type) ? 1 : count, &e, number,
	                           how / 4, is_socket(type));

	if (rv > 0)
		carry_follow(e, words, (unsigned)rv / (unsigned)sizeof(*words), LOG_SHARED);
}

void channel_shout(unsigned object)
{
	crowd_send(object, 0);
}

/* Makes calls that no other code makes, so that they differ from the calls they interrupt. */
void channel_handler(void)
{
	const struct object *o = world_object(the_plan.crowd);
	struct word w;
	struct iovec v = {&w, sizeof(w)};
	struct log_entry *e = write_begin(LOG_writev, the_plan.crowd);

	e->flags |= LOG_HANDLER;
	carry_fill(&w, 1, e, 0);
	write_end(e, writev(o->fds[0], &v, 1));
}

/* ---- connections ---- */

static void connect_to(unsigned number)
{
	const struct object *o = world_object(number);
	const struct sockaddr *address = (const void *)o->address;
	uint32_t count = the_world->nr_connects[my_slot]++ % 64;
	struct connection *c = &the_world->connections[my_slot][count];
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct word w;
	struct log_entry *e;

	must(fd >= 0, "socket");
	e = write_begin(LOG_connect, number);
	c->connect = write_name(e).seq;
	must(write_end(e, connect(fd, address, o->address_bytes)) == 0, "connect");
	e = write_begin(LOG_write, number);
	carry_fill(&w, 1, e, count);
	must(write_end(e, write(fd, &w, sizeof(w))) == sizeof(w), "write");
	e = write_begin(LOG_close, number);
	c->close = write_name(e).seq;
	write_end(e, close(fd));
}

static void accept_from(unsigned number)
{
	/* the addresses of a TCP connection identify its ends */
	enum log_sureness sureness = the_plan.objects[number].type ? LOG_SURE : LOG_HIDDEN;
	struct log_entry *accepted, *e;
	struct word w;
	long rv;
	int fd;

	do {
		accepted = write_begin(LOG_accept, number);
		fd = (int)write_end(accepted, accept(world_object(number)->fds[1], NULL, NULL));
	} while (fd < 0 && errno == EINTR);
	must(fd >= 0, "accept");
	do {
		e = write_begin(LOG_read, number);
		rv = write_end(e, read(fd, &w, sizeof(w)));
	} while (rv < 0 && errno == EINTR);
	must(rv == sizeof(w), "first word");
	carry_follow(e, &w, 1, sureness);
	const struct connection *c = &the_world->connections[w.slot][w.extra];

	write_source(accepted, (struct call_name){w.slot, c->connect}, LOG_BY_CONNECT, sureness);
	accepted->flags |= LOG_EXACT;
	do {
		e = write_begin(LOG_read, number);
		rv = write_end(e, read(fd, &w, sizeof(w)));
	} while (rv < 0 && errno == EINTR);
	must(rv == 0, "end of file");
	write_source(e,
	             (struct call_name){(uint32_t)(c - the_world->connections[0]) / 64, c->close},
	             LOG_BY_CLOSE, sureness);
	close(fd);
}

void channel_step(const struct plan_step *s)
{
	const struct plan_object *p = &the_plan.objects[s->object];
	struct object *o = world_object(s->object);

	switch (s->op) {
	case OP_SEND:
		if (is_of_bytes(p->type))
			send_words(s, o, p->type);
		else
			token_send(s, o);
		break;
	case OP_RECEIVE:
		if (is_of_bytes(p->type))
			receive_words(s, o, p->type);
		else
			token_receive(s, o);
		break;
	case OP_CROWD_SEND:
		for (unsigned n = 0; n < s->count; n++)
			crowd_send(s->object, s->how);
		break;
	case OP_CROWD_RECEIVE:
		crowd_receive(s->object, s->how, s->count);
		break;
	case OP_CONNECT:
		connect_to(s->object);
		break;
	case OP_ACCEPT:
		accept_from(s->object);
		break;
	default:
		break;
	}
}
