/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Carries one or more words from one call to another. */
#include "tests/oracle/carry.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

void carry_fill(struct word *words, unsigned nr, const struct log_entry *e, uint32_t extra)
{
	struct call_name name = write_name(e);

	for (unsigned n = 0; n < nr; n++)
		words[n] = (struct word){name.slot, name.seq, extra, WORD_MAGIC};
}

/* Adds the calls that sent the received WORDS as sources of the log entry E. */
void carry_follow(struct log_entry *e, const struct word *words, unsigned nr,
                  enum log_sureness sureness)
{
	for (unsigned n = 0; n < nr; n++) {
		must(words[n].magic == WORD_MAGIC, "a word");
		write_source(e, (struct call_name){words[n].slot, words[n].seq}, LOG_BY_BYTES,
		             sureness);
	}
	e->flags |= LOG_EXACT;
}

/* ---- bytes ---- */

long carry_send_by(int fd, struct word *words, unsigned nr, unsigned number, unsigned how,
                   bool is_socket)
{
	struct iovec v = {words, nr * sizeof(*words)};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	struct log_entry *e;

	switch (is_socket ? how % 3 : 0) {
	case 0:
		e = write_begin(LOG_write, number);
		carry_fill(words, nr, e, 0);
		return write_end(e, write(fd, words, v.iov_len));
	case 1:
		e = write_begin(LOG_send, number);
		carry_fill(words, nr, e, 0);
		return write_end(e, send(fd, words, v.iov_len, MSG_NOSIGNAL));
	default:
		e = write_begin(LOG_sendmsg, number);
		carry_fill(words, nr, e, 0);
		return write_end(e, sendmsg(fd, &m, MSG_NOSIGNAL));
	}
}

long carry_receive_by(int fd, struct word *words, unsigned nr, struct log_entry **e,
                      unsigned number, unsigned how, bool is_socket)
{
	struct iovec v = {words, nr * sizeof(*words)};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};

	switch (is_socket ? how % 4 : how % 2 * 3) {
	case 0:
		*e = write_begin(LOG_read, number);
		return write_end(*e, read(fd, words, v.iov_len));
	case 1:
		*e = write_begin(LOG_recv, number);
		return write_end(*e, recv(fd, words, v.iov_len, 0));
	case 2:
		*e = write_begin(LOG_recvmsg, number);
		return write_end(*e, recvmsg(fd, &m, 0));
	default:
		*e = write_begin(LOG_readv, number);
		return write_end(*e, readv(fd, &v, 1));
	}
}

long carry_queue_send(const struct object *o, unsigned number, unsigned priority, bool is_timed)
{
	struct timespec t;
	struct word w;
	struct log_entry *e = write_begin(is_timed ? LOG_mq_timedsend : LOG_mq_send, number);

	clock_gettime(CLOCK_REALTIME, &t);
	carry_fill(&w, 1, e, 0);
	return write_end(e, is_timed ? mq_timedsend(o->fds[0], (char *)&w, sizeof(w), priority, &t)
	                             : mq_send(o->fds[0], (char *)&w, sizeof(w), priority));
}

long carry_queue_receive(const struct object *o, unsigned number, bool is_timed,
                         enum log_sureness sureness)
{
	struct timespec t;
	struct word w;
	struct log_entry *e = write_begin(is_timed ? LOG_mq_timedreceive : LOG_mq_receive, number);

	clock_gettime(CLOCK_REALTIME, &t);
	long rv =
		write_end(e, is_timed ? mq_timedreceive(o->fds[1], (char *)&w, sizeof(w), NULL, &t)
	                              : mq_receive(o->fds[1], (char *)&w, sizeof(w), NULL));

	if (rv == (long)sizeof(w))
		carry_follow(e, &w, 1, sureness);
	return rv;
}

/* ---- readiness ---- */

static long epoll_once(int fd, unsigned how, struct log_entry **e, unsigned number)
{
	struct epoll_event event = {.events = EPOLLIN | (how & 1 ? EPOLLET : 0) |
	                                      (how & 2 ? EPOLLONESHOT : 0)};
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	must(epoll >= 0, "epoll_create1");
	must(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
	*e = write_begin(LOG_epoll_wait, number);
	long rv = write_end(*e, epoll_wait(epoll, &event, 1, -1));
	int err = errno;

	close(epoll);
	errno = err;
	return rv;
}

/* Waits until FD is readable; returns the log entry of the call that reported this, or NULL if no call
 * was made. */
struct log_entry *carry_await(int fd, unsigned number, unsigned how)
{
	struct log_entry *e = NULL;
	struct pollfd p;
	fd_set set;
	long rv;

	do {
		p = (struct pollfd){.fd = fd, .events = POLLIN};
		FD_ZERO(&set);
		FD_SET(fd, &set);
		switch (how % 6) {
		case 0:
			e = write_begin(LOG_poll, number);
			rv = write_end(e, poll(&p, 1, -1));
			break;
		case 1:
			e = write_begin(LOG_select, number);
			rv = write_end(e, select(fd + 1, &set, NULL, NULL, NULL));
			break;
		case 2:
			rv = epoll_once(fd, how / 6, &e, number);
			break;
		default:
			return NULL;
		}
	} while (rv < 0 && errno == EINTR);
	return e;
}

/* Adds the senders of the words that E received first as sources of READY, the call that reported the
 * words as readable. */
void carry_explain(struct log_entry *ready, const struct log_entry *e)
{
	if (!ready || !e->nr_sources)
		return;
	for (unsigned n = 0; n < e->nr_sources; n++) {
		const struct log_source *s = &e->sources[n];

		if (s->why != LOG_BY_BYTES && s->why != LOG_BY_TOKEN)
			continue;
		write_source(ready, (struct call_name){s->slot, s->seq}, LOG_BY_READY,
		             (enum log_sureness)s->sureness);
		ready->flags |= LOG_EXACT;
		return;
	}
}
