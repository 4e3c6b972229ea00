/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Calls that wait until fds are ready. After the real call, the wrapper reads the ready fds from the program's
 * own arrays, which it never changes. */
#include "preload/io.h"
#include "preload/syscall.h"
#include "runtime/move-body.h"
#include "runtime/peek.h"
#include "runtime/watch.h"

struct waiter {
	struct syt_io io;
	struct syt_ready ready[SYT_NR_READY];
};

/* Begins a wrapper: declares the struct waiter W_ and begins the recording, or forwards the call and
 * returns. */
#define WAITER_ENTER_OR_FORWARD(w_, name_, args_)                                                  \
	struct waiter w_;                                                                          \
	if (!SYT_IO_ENTER_IDLE(&w_.io, name_)) {                                                   \
		return SYT_REAL(name_) args_;                                                      \
	}

static void begin_wait(struct waiter *w)
{
	w->io.event.ready = w->ready;
	if (!w->io.is_recorded)
		return;
	syt_capture(&w->io.frame);
	syt_stamp_wait(&w->io.frame, &w->io.event);
}

static void add_ready(struct waiter *w, uint32_t object, uint32_t events)
{
	struct syt_event *e = &w->io.event;

	e->count++;
	if (e->nr_ready == SYT_NR_READY) {
		e->flags |= SYT_EVENT_CAPPED;
		return;
	}
	w->ready[e->nr_ready++] = (struct syt_ready){.object = object, .events = events};
}

/* Ends the recording of a wait for fds. Returns true if the wrapper must record the ready fds. */
static bool end_wait(struct waiter *w, int rv)
{
	if (!w->io.is_recorded)
		return false;
	syt_stamp_out(&w->io.frame);
	return rv > 0;
}

/* Converts POLL* or EPOLL* bits, which have the same values, to SYT_READY_* bits. */
static uint32_t ready_bits(uint32_t events)
{
	return (events & EPOLLIN ? SYT_READY_IN : 0) | (events & EPOLLOUT ? SYT_READY_OUT : 0) |
	       (events & EPOLLERR ? SYT_READY_ERR : 0) | (events & EPOLLHUP ? SYT_READY_HUP : 0) |
	       (events & EPOLLPRI ? SYT_READY_PRI : 0) |
	       (events & EPOLLRDHUP ? SYT_READY_RDHUP : 0);
}

/* ---- epoll ---- */

/* Makes and records an epoll_ctl. CALL holds the arguments of syscall(), or is NULL. */
static int epoll_ctl_recorded(struct syt_io *x, const struct syt_syscall *call, int ep,
                              int operation, int fd, struct epoll_event *event)
{
	struct syt_endpoint watched;
	uint64_t data;

	syt_endpoint_get(fd, &watched);
	syt_io_begin_in(x, ep);
	x->event.object2 = watched.object;
	x->event.arg = (uint64_t)operation;
	bool is_set = (operation == EPOLL_CTL_ADD || operation == EPOLL_CTL_MOD) &&
	              x->endpoint.kind == SYT_KIND_EPOLL && event &&
	              syt_peek(&data, &event->data, sizeof(data));
	if (is_set)
		syt_watch_begin(&x->endpoint, &watched, data);
	int rv = call ? (int)syt_syscall_forward(call)
	              : SYT_REAL(epoll_ctl)(ep, operation, fd, event);
	if (is_set && rv == 0)
		syt_watch_commit(&x->endpoint, &watched, data);
	else if (is_set)
		syt_watch_undo(&x->endpoint, &watched, data);
	else if (operation == EPOLL_CTL_DEL && rv == 0)
		syt_watch_end(&x->endpoint, &watched);
	return syt_io_leave_in_int(x, rv);
}

SYT_EXPORT int epoll_ctl(int ep, int operation, int fd, struct epoll_event *event)
{
	SYT_IO_ENTER_OR_FORWARD(x, epoll_ctl, (ep, operation, fd, event));
	return epoll_ctl_recorded(&x, NULL, ep, operation, fd, event);
}

long syt_syscall_epoll_ctl(const struct syt_syscall *r)
{
	struct syt_io x;

	if (!syt_io_enter(&x, r->fp, SYT_CALL_epoll_ctl))
		return syt_syscall_forward(r);
	return epoll_ctl_recorded(&x, r, (int)r->a[0], (int)r->a[1], (int)r->a[2],
	                          (struct epoll_event *)r->a[3]);
}

/* Begins the recording of CALL on the epoll instance EP, if the short form (runtime/move.h) does not cover it. Returns
 * false as syt_io_enter() does. */
static bool begin_epoll(struct waiter *w, const void *fp, uint32_t call, int ep)
{
	if (!syt_io_enter_idle(&w->io, fp, call))
		return false;
	syt_endpoint_get(ep, &w->io.endpoint);
	w->io.event.object = w->io.endpoint.object;
	begin_wait(w);
	return true;
}

static void end_epoll(struct waiter *w, int rv, const struct epoll_event *events)
{
	if (w->io.is_recorded && rv > 0)
		for (int i = 0; i < rv; i++)
			add_ready(w, syt_watch_object(w->io.endpoint.word, events[i].data.u64),
			          ready_bits(events[i].events));
	syt_io_leave_out(&w->io, rv);
}

/* Ends the recording of the call M, which found not one descriptor ready but RV, at the time OUT. */
static __attribute__((noinline)) void end_epoll_many(const struct syt_moving *m, const void *fp,
                                                     uint64_t out, uint32_t call, int ep, int rv,
                                                     const struct epoll_event *events)
{
	struct waiter w;

	syt_io_continue(&w.io, fp, call, ep, m);
	w.io.event.ready = w.ready;
	w.io.frame.out = out;
	end_epoll(&w, rv, events);
}

static inline struct syt_ready ready_of(const struct syt_moving *m, const struct epoll_event *event)
{
	return (struct syt_ready){syt_watch_object(m->endpoint.word, event->data.u64),
	                          ready_bits(event->events)};
}

/* The body of a wrapper. FP_ is its frame, REAL_ the real call of CALL_ on the epoll instance EP_, which stores to
 * EVENTS_. */
#define EPOLL_BODY(fp_, call_, ep_, real_, events_)                                                \
	struct syt_moving m;                                                                       \
	struct waiter w;                                                                           \
	int rv;                                                                                    \
                                                                                                   \
	if (__builtin_expect(SYT_READY_BEGIN(&m, (fp_), (call_), (ep_)), 1)) {                     \
		rv = (int)real_;                                                                   \
		uint64_t out = syt_plain_stamp_out();                                              \
		if (__builtin_expect(rv == 1, 1)) {                                                \
			SYT_READY_END(&m, (fp_), out, (call_), ready_of(&m, (events_)));           \
			return rv;                                                                 \
		}                                                                                  \
		struct syt_moving copy = m;                                                        \
		end_epoll_many(&copy, (fp_), out, (call_), (ep_), rv, (events_));                  \
		return rv;                                                                         \
	}                                                                                          \
	if (!begin_epoll(&w, (fp_), (call_), (ep_)))                                               \
		return (int)real_;                                                                 \
	rv = (int)real_;                                                                           \
	if (w.io.is_recorded)                                                                      \
		syt_stamp_out(&w.io.frame);                                                        \
	end_epoll(&w, rv, (events_));                                                              \
	return rv

#define EPOLL(name_, params_, args_)                                                               \
	SYT_EXPORT int name_ params_                                                               \
	{                                                                                          \
		EPOLL_BODY(SYT_FP, SYT_CALL_##name_, ep, SYT_REAL(name_) args_, events);           \
	}

/* clang-format off */
EPOLL(epoll_wait, (int ep, struct epoll_event *events, int nr, int limit), (ep, events, nr, limit))
EPOLL(epoll_pwait, (int ep, struct epoll_event *events, int nr, int limit, const sigset_t *set),
      (ep, events, nr, limit, set))
EPOLL(epoll_pwait2, (int ep, struct epoll_event *events, int nr, const struct timespec *limit, const sigset_t *set),
      (ep, events, nr, limit, set))
/* clang-format on */

static int epoll_syscall(const struct syt_syscall *r, enum syt_call call)
{
	EPOLL_BODY(r->fp, call, (int)r->a[0], syt_syscall_forward(r),
	           (const struct epoll_event *)r->a[1]);
}

#define EPOLL_SYSCALL(name_)                                                                       \
	long syt_syscall_##name_(const struct syt_syscall *r)                                      \
	{                                                                                          \
		return epoll_syscall(r, SYT_CALL_##name_);                                         \
	}

EPOLL_SYSCALL(epoll_wait)
EPOLL_SYSCALL(epoll_pwait)
EPOLL_SYSCALL(epoll_pwait2)

/* ---- poll ---- */

static int end_poll(struct waiter *w, int rv, const struct pollfd *fds, nfds_t nr)
{
	struct syt_endpoint e;

	if (end_wait(w, rv))
		for (nfds_t i = 0; i < nr && w->io.event.count < (uint64_t)rv; i++)
			if (fds[i].revents) {
				syt_endpoint_get(fds[i].fd, &e);
				add_ready(w, e.object, ready_bits((uint16_t)fds[i].revents));
			}
	return syt_io_leave_out_int(&w->io, rv);
}

#define POLL(name_, params_, args_)                                                                \
	SYT_EXPORT int name_ params_                                                               \
	{                                                                                          \
		WAITER_ENTER_OR_FORWARD(w, name_, args_);                                          \
		begin_wait(&w);                                                                    \
		return end_poll(&w, SYT_REAL(name_) args_, fds, nr);                               \
	}

/* clang-format off */
POLL(poll, (struct pollfd *fds, nfds_t nr, int limit), (fds, nr, limit))
POLL(__poll_chk, (struct pollfd *fds, nfds_t nr, int limit, size_t room), (fds, nr, limit, room))
POLL(ppoll, (struct pollfd *fds, nfds_t nr, const struct timespec *limit, const sigset_t *set),
     (fds, nr, limit, set))
POLL(__ppoll_chk, (struct pollfd *fds, nfds_t nr, const struct timespec *limit, const sigset_t *set, size_t room),
     (fds, nr, limit, set, room))
/* clang-format on */

/* ---- select ---- */

/* Returns word I of a set of fds. Some programs use sets larger than fd_set. */
static unsigned long word_of(const fd_set *set, int i)
{
	return set ? ((const unsigned long *)set)[i] : 0;
}

static int end_select(struct waiter *w, int rv, int nr, const fd_set *in, const fd_set *out,
                      const fd_set *bad)
{
	const int bits = 8 * (int)sizeof(unsigned long);
	struct syt_endpoint e;

	for (int i = 0, is_listed = end_wait(w, rv); is_listed && i * bits < nr; i++) {
		unsigned long r = word_of(in, i), o = word_of(out, i), b = word_of(bad, i);

		for (unsigned long any = r | o | b; any; any &= any - 1) {
			int bit = __builtin_ctzl(any);
			unsigned long mask = 1ul << bit;

			if (i * bits + bit >= nr)
				break;
			syt_endpoint_get(i * bits + bit, &e);
			add_ready(w, e.object,
			          (r & mask ? SYT_READY_IN : 0) | (o & mask ? SYT_READY_OUT : 0) |
			                  (b & mask ? SYT_READY_PRI : 0));
		}
	}
	return syt_io_leave_out_int(&w->io, rv);
}

SYT_EXPORT int select(int nr, fd_set *in, fd_set *out, fd_set *bad, struct timeval *limit)
{
	WAITER_ENTER_OR_FORWARD(w, select, (nr, in, out, bad, limit));
	begin_wait(&w);
	return end_select(&w, SYT_REAL(select)(nr, in, out, bad, limit), nr, in, out, bad);
}

SYT_EXPORT int pselect(int nr, fd_set *in, fd_set *out, fd_set *bad, const struct timespec *limit,
                       const sigset_t *set)
{
	WAITER_ENTER_OR_FORWARD(w, pselect, (nr, in, out, bad, limit, set));
	begin_wait(&w);
	return end_select(&w, SYT_REAL(pselect)(nr, in, out, bad, limit, set), nr, in, out, bad);
}
