/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Steps on objects that carry tokens, or one message at a time. A token has no content; a channel of
 * tokens has one sender and one receiver, which count the tokens.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/oracle/carry.h"

struct message {
	long type;
	struct word word;
};

static void give(struct object *o, struct log_entry *e)
{
	o->giver = write_name(e).slot;
	o->given_by[o->nr_given++] = write_name(e).seq;
}

static void taken(struct object *o, struct log_entry *e, unsigned nr)
{
	while (nr--)
		write_source(e, (struct call_name){o->giver, o->given_by[o->nr_taken++]},
		             LOG_BY_TOKEN, LOG_SURE);
	e->flags |= LOG_EXACT;
}

static void gate_send(struct object *o, unsigned number, unsigned how)
{
	struct log_entry *e = write_begin(LOG_pthread_mutex_lock, number);

	write_end(e, pthread_mutex_lock(&o->gate.mutex));
	e->serial = ++o->section.serial;
	write_source(e, o->section.last, LOG_BY_LOCK, LOG_SURE);
	o->gate.filled++;
	if (how % 2) {
		e = write_begin(LOG_pthread_cond_signal, number);
		e->serial = o->section.serial;
		e->mate = number + 1;
		write_end(e, pthread_cond_signal(&o->gate.cond));
	}
	e = write_begin(LOG_pthread_mutex_unlock, number);
	e->serial = o->section.serial;
	o->section.last = write_name(e);
	write_end(e, pthread_mutex_unlock(&o->gate.mutex));
	if (how % 2)
		return;
	e = write_begin(LOG_pthread_cond_signal, number);
	write_end(e, pthread_cond_signal(&o->gate.cond));
}

static void gate_receive(struct object *o, unsigned number)
{
	struct log_entry *e = write_begin(LOG_pthread_mutex_lock, number);

	write_end(e, pthread_mutex_lock(&o->gate.mutex));
	e->serial = ++o->section.serial;
	write_source(e, o->section.last, LOG_BY_LOCK, LOG_SURE);
	while (!o->gate.filled) {
		e = write_begin(LOG_pthread_cond_wait, number);
		e->serial = o->section.serial;
		e->mate = number + 1;
		o->section.last = write_name(e);
		write_end(e, pthread_cond_wait(&o->gate.cond, &o->gate.mutex));
		e->serial_after = ++o->section.serial;
		write_source(e, o->section.last, LOG_BY_LOCK, LOG_SURE);
	}
	o->gate.filled--;
	e = write_begin(LOG_pthread_mutex_unlock, number);
	e->serial = o->section.serial;
	o->section.last = write_name(e);
	write_end(e, pthread_mutex_unlock(&o->gate.mutex));
}

/* ---- a futex ---- */

/* A futex wake is known to have happened before the receiver continued only if it woke the receiver
 * (judge_tokens.c). */
static void futex_send(struct object *o, unsigned number)
{
	struct log_entry *e = write_begin(LOG_futex_wake, number);

	__atomic_fetch_add(&o->word, 1, __ATOMIC_SEQ_CST);
	write_end(e, syscall(SYS_futex, &o->word, FUTEX_WAKE, 1, NULL, NULL, 0));
}

static void futex_receive(struct object *o, unsigned number)
{
	struct log_entry *e;

	while (!__atomic_load_n(&o->word, __ATOMIC_SEQ_CST)) {
		e = write_begin(LOG_futex_wait, number);
		write_end(e, syscall(SYS_futex, &o->word, FUTEX_WAIT, 0, NULL, NULL, 0));
	}
	__atomic_fetch_sub(&o->word, 1, __ATOMIC_SEQ_CST);
}

/* ---- several tokens at once ---- */

static void semset_change(struct object *o, unsigned number, int by)
{
	struct sembuf op = {.sem_op = (short)by};
	struct log_entry *e;
	long rv;

	do {
		e = write_begin(by > 0 ? LOG_semop_post : LOG_semop, number);
		for (int n = 0; n < by; n++)
			give(o, e);
		rv = write_end(e, semop(o->semaphore, &op, 1));
	} while (rv < 0 && errno == EINTR);
	must(rv == 0, "semop");
	if (by < 0)
		taken(o, e, (unsigned)-by);
}

/* ---- pipes that are passed on ---- */

/* The pipe's writing end stays open, so that the recorder knows the other end of the reading end. */
static void pass_send(struct object *o, unsigned number)
{
	char room[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = {0};
	struct word w;
	struct iovec v = {&w, sizeof(w)};
	struct msghdr m = {.msg_iov = &v,
	                   .msg_iovlen = 1,
	                   .msg_control = room,
	                   .msg_controllen = sizeof(room)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	struct log_entry *e;
	int fds[2];
	long rv;

	must(pipe2(fds, O_CLOEXEC) == 0, "pipe2");
	carry_send_by(fds[1], &w, 1, number, 0, false);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fds[0], sizeof(int));
	do {
		e = write_begin(LOG_sendmsg, number);
		carry_fill(&w, 1, e, 0);
		rv = write_end(e, sendmsg(o->fds[0], &m, 0));
	} while (rv < 0 && errno == EINTR);
	must(rv == sizeof(w), "sendmsg");
}

static void pass_receive(struct object *o, unsigned number)
{
	char room[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
	struct word w;
	struct iovec v = {&w, sizeof(w)};
	struct msghdr m = {.msg_iov = &v,
	                   .msg_iovlen = 1,
	                   .msg_control = room,
	                   .msg_controllen = sizeof(room)};
	struct log_entry *e;
	int fd;
	long rv;

	do {
		e = write_begin(LOG_recvmsg, number);
		rv = write_end(e, recvmsg(o->fds[1], &m, MSG_CMSG_CLOEXEC));
	} while (rv < 0 && errno == EINTR);
	must(rv == sizeof(w) && CMSG_FIRSTHDR(&m), "recvmsg");
	carry_follow(e, &w, 1, LOG_SURE);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	do
		rv = carry_receive_by(fd, &w, 1, &e, number, 0, false);
	while (rv < 0 && errno == EINTR);
	must(rv == sizeof(w), "a passed pipe");
	carry_follow(e, &w, 1, LOG_SURE);
	close(fd);
}

/* ---- signals that are waited for ---- */

static void signal_send(unsigned number)
{
	struct log_entry *e = write_begin(LOG_sigqueue, number);
	struct call_name name = write_name(e);
	union sigval v = {.sival_ptr = (void *)((uintptr_t)name.slot << 32 | name.seq)};

	must(write_end(e, sigqueue(getpid(), world_signal(number), v)) == 0, "sigqueue");
}

static void signal_receive(unsigned number)
{
	struct log_entry *e;
	siginfo_t info;
	sigset_t set;
	long rv;

	sigemptyset(&set);
	sigaddset(&set, world_signal(number));
	do {
		e = write_begin(LOG_sigwaitinfo, number);
		rv = write_end(e, sigwaitinfo(&set, &info));
	} while (rv < 0 && errno == EINTR);
	must(rv == world_signal(number), "sigwaitinfo");
	uintptr_t v = (uintptr_t)info.si_value.sival_ptr;

	write_source(e, (struct call_name){(uint32_t)(v >> 32), (uint32_t)v}, LOG_BY_BYTES,
	             LOG_SURE);
	e->flags |= LOG_EXACT;
}

/* ---- steps ---- */

static void send_one(struct object *o, unsigned number, unsigned type, unsigned how)
{
	struct log_entry *e;
	struct message m = {.type = 1};
	long rv;

	switch (type) {
	case CHANNEL_EVENTFD:
		e = write_begin(LOG_eventfd_write, number);
		give(o, e);
		write_end(e, eventfd_write(o->fds[0], 1));
		break;
	case CHANNEL_SEM:
	case CHANNEL_NAMED:
		e = write_begin(LOG_sem_post, number);
		give(o, e);
		write_end(e, sem_post(type == CHANNEL_SEM ? &o->sem : world_named(number)));
		break;
	case CHANNEL_FUTEX:
		futex_send(o, number);
		break;
	case CHANNEL_PASS:
		pass_send(o, number);
		break;
	case CHANNEL_SIGNAL:
		signal_send(number);
		break;
	case CHANNEL_GATE:
		gate_send(o, number, how);
		break;
	case CHANNEL_SYSV:
		do {
			e = write_begin(LOG_msgsnd, number);
			carry_fill(&m.word, 1, e, 0);
			rv = write_end(e, msgsnd(o->queue, &m, sizeof(m.word), 0));
		} while (rv < 0 && errno == EINTR);
		must(rv == 0, "msgsnd");
		break;
	default:
		while (carry_queue_send(o, number, 0, false) < 0)
			must(errno == EINTR, "mq_send");
		break;
	}
}

static void receive_sysv(struct object *o, unsigned number)
{
	struct message m;
	struct log_entry *e;
	long rv;

	do {
		e = write_begin(LOG_msgrcv, number);
		rv = write_end(e, msgrcv(o->queue, &m, sizeof(m.word), 0, 0));
	} while (rv < 0 && errno == EINTR);
	must(rv == (long)sizeof(m.word), "msgrcv");
	carry_follow(e, &m.word, 1, LOG_SURE);
}

static void receive_sem(struct object *o, unsigned number, sem_t *s)
{
	struct log_entry *e;
	long rv;

	do {
		e = write_begin(LOG_sem_wait, number);
		rv = write_end(e, sem_wait(s));
	} while (rv < 0 && errno == EINTR);
	taken(o, e, 1);
}

static void receive_units(const struct plan_step *s, struct object *o)
{
	/* a read takes all bytes, including bytes for later steps */
	static __thread uint32_t wanted[PLAN_OBJECTS];
	struct log_entry *e, *ready;
	eventfd_t value;

	wanted[s->object] += s->count;
	while (o->nr_taken < wanted[s->object]) {
		ready = carry_await(o->fds[1], s->object, s->how);
		e = write_begin(LOG_eventfd_read, s->object);
		if (write_end(e, eventfd_read(o->fds[1], &value)) < 0)
			continue;
		taken(o, e, (unsigned)value);
		carry_explain(ready, e);
	}
}

static void receive_one(struct object *o, unsigned number, unsigned type)
{
	switch (type) {
	case CHANNEL_SEM:
		receive_sem(o, number, &o->sem);
		break;
	case CHANNEL_NAMED:
		receive_sem(o, number, world_named(number));
		break;
	case CHANNEL_SYSV:
		receive_sysv(o, number);
		break;
	case CHANNEL_GATE:
		gate_receive(o, number);
		break;
	case CHANNEL_FUTEX:
		futex_receive(o, number);
		break;
	case CHANNEL_PASS:
		pass_receive(o, number);
		break;
	case CHANNEL_SIGNAL:
		signal_receive(number);
		break;
	default:
		while (carry_queue_receive(o, number, false, LOG_SURE) < 0)
			must(errno == EINTR, "mq_receive");
	}
}

void token_send(const struct plan_step *s, struct object *o)
{
	if (the_plan.objects[s->object].type == CHANNEL_SEMSET) {
		semset_change(o, s->object, s->count);
		return;
	}
	for (unsigned n = 0; n < s->count; n++)
		send_one(o, s->object, the_plan.objects[s->object].type, s->how);
}

void token_receive(const struct plan_step *s, struct object *o)
{
	unsigned type = the_plan.objects[s->object].type;

	if (type == CHANNEL_EVENTFD) {
		receive_units(s, o);
		return;
	}
	if (type == CHANNEL_SEMSET) {
		semset_change(o, s->object, -(int)s->count);
		return;
	}
	for (unsigned n = 0; n < s->count; n++)
		receive_one(o, s->object, type);
}
