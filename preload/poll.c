/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Calls that wait until fds are ready. After the real call, the wrapper reads the ready fds from the program's
 * own arrays, which it never changes. */
#include "preload/io.h"
#include "preload/syscall.h"
#include "runtime/mark.h"
#include "runtime/move-body.h"
#include "runtime/peek.h"
#include "runtime/skip.h"
#include "runtime/watch.h"

struct waiter {
	struct syt_io io;
	struct syt_moving moving; /* the state of a call that the short form began */
	struct syt_ready ready[SYT_NR_READY];
};

/* Begins the recording of CALL, if the short form (runtime/move.h) does not cover it. EP is the epoll instance, or -1.
 * Returns false as syt_io_enter() does. */
static bool begin_unusual(struct waiter *w, const void *fp, uint32_t call, int ep)
{
	struct syt_event *e = &w->io.event;

	if (!syt_io_enter_idle(&w->io, fp, call))
		return false;
	syt_endpoint_get(ep, &w->io.endpoint);
	e->object = w->io.endpoint.object;
	e->ready = w->ready;
	if (w->io.is_recorded) {
		syt_capture(&w->io.frame);
		syt_stamp_wait(&w->io.frame, e);
	}
	return true;
}

/* Begins W for CALL, which the short form K skipped, but which needs a record. */
static __attribute__((noinline, cold)) void
begin_skipped(struct waiter *w, const struct syt_skip *k, const void *fp, uint32_t call, int ep)
{
	w->io = (struct syt_io){
		.frame = {.fp = fp, .in = k->in, .alive = *syt_alive},
		.is_recorded = true,
		.is_sampled = true,
	};
	syt_endpoint_get(ep, &w->io.endpoint);
	w->io.event = (struct syt_event){
		.call = call, .object = w->io.endpoint.object, .ready = w->ready};
	syt_skip_records(fp, call);
}

/* Ends the recording of CALL, which the short form began with M, which returned RV before the time OUT and which found no
 * descriptor ready. */
static __attribute__((noinline)) void end_none(const struct syt_moving *m, const void *fp,
                                               uint64_t out, uint32_t call, int rv)
{
	uint64_t err = rv < 0 ? (uint64_t)errno : 0;

	syt_move_end_fields(m, fp, out, call, false, rv, err, false, 0, 0, 0, 0);
}

/* Prepares W for the result RV of CALL, which the short form began with M and which found descriptors. */
static inline void begin_list(struct waiter *w, const struct syt_moving *m, uint32_t call, int rv)
{
	struct syt_event *e = &w->io.event;

	w->moving = *m;
	w->io.endpoint.word = m->endpoint.word;
	e->call = call;
	w->io.is_sampled = false;
	e->result = rv;
	e->offset = e->bytes = e->count = e->flags = e->peer = 0;
	e->nr_ready = 0;
	e->ready = w->ready;
}

static void add_ready(struct waiter *w, struct syt_ready ready)
{
	struct syt_event *e = &w->io.event;

	e->count++;
	if (e->nr_ready == SYT_NR_READY) {
		e->flags |= SYT_EVENT_CAPPED;
		return;
	}
	w->ready[e->nr_ready++] = ready;
}

/* Ends the recording of a call that the short form began and that returned before the time OUT. */
static __attribute__((noinline)) void end_list(struct waiter *w, const void *fp, uint64_t out)
{
	struct syt_event *e = &w->io.event;

	if (syt_event_is_ready(e))
		syt_ready_end(&w->moving, fp, out, e->call, w->ready[0]);
	else
		syt_move_end_list(&w->moving, fp, out, false, e);
}

/* The body of a wrapper. FP_ is its frame, REAL_ the real call of CALL_. BEGIN_ begins the short form with `m`. EP_ is the
 * epoll instance, or -1. ONE_ is the ready descriptor if there is one. LIST_ adds the ready descriptors to `w`. MARKED_ is true
 * if one of them may have a mark. */
#define WAIT_BODY(fp_, call_, ep_, begin_, real_, one_, list_, marked_)                            \
	struct syt_moving m;                                                                       \
	struct waiter w;                                                                           \
	int rv;                                                                                    \
                                                                                                   \
	if (__builtin_expect((begin_), 1)) {                                                       \
		rv = (int)real_;                                                                   \
		uint64_t out = syt_plain_stamp_out();                                              \
		if (__builtin_expect(rv == 1, 1)) {                                                \
			struct syt_ready ready = one_;                                             \
			SYT_READY_END(&m, (fp_), out, (call_), ready);                             \
		} else if (rv > 0) {                                                               \
			begin_list(&w, &m, (call_), rv);                                           \
			list_;                                                                     \
			end_list(&w, (fp_), out);                                                  \
		} else {                                                                           \
			w.moving = m;                                                              \
			end_none(&w.moving, (fp_), out, (call_), rv);                              \
		}                                                                                  \
		return rv;                                                                         \
	}                                                                                          \
	struct syt_skip k;                                                                         \
	enum syt_skip_ready skip = SYT_SKIP_NOT;                                                   \
	if (syt_control() == SYT_CONTROL_SAMPLED)                                                  \
		skip = syt_skip_begin_ready(&k, (fp_), (call_));                                   \
	if (skip == SYT_SKIP_FORWARD || syt_control_is_deep(syt_control()))                        \
		return (int)real_;                                                                 \
	if (skip == SYT_SKIP_NOT && !begin_unusual(&w, (fp_), (call_), (ep_)))                     \
		return (int)real_;                                                                 \
	rv = (int)real_;                                                                           \
	if (skip == SYT_SKIP_LOOK) {                                                               \
		if ((rv <= 0 || !(marked_)) && syt_skip_end_ready(&k))                             \
			return rv;                                                                 \
		struct syt_skip copy = k;                                                          \
		begin_skipped(&w, &copy, (fp_), (call_), (ep_));                                   \
	}                                                                                          \
	if (w.io.is_recorded) {                                                                    \
		syt_stamp_out(&w.io.frame);                                                        \
		if (rv > 0)                                                                        \
			list_;                                                                     \
	}                                                                                          \
	return syt_io_leave_out_int(&w.io, rv)

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

/* Returns the descriptor of EVENT of the epoll instance with the word EPOLL (struct syt_endpoint). */
static inline struct syt_ready ready_of(uint64_t epoll, const struct epoll_event *event)
{
	return (struct syt_ready){syt_watch_object(epoll, event->data.u64),
	                          ready_bits(event->events), 0};
}

/* Returns the descriptor E, which a call found ready for EVENTS. In a sampled process, it has the position of the reader. */
static struct syt_ready ready_endpoint(const struct syt_endpoint *e, uint32_t events, bool is_sampled)
{
	struct syt_ready ready = {.object = e->object, .events = events};

	if (__builtin_expect(is_sampled, 0) && events & SYT_READY_IN) {
		ready.position = syt_endpoint_reader_position(e, syt_self());
		syt_mark_ready(e);
	}
	return ready;
}

static void list_epoll(struct waiter *w, int rv, const struct epoll_event *events)
{
	struct syt_endpoint e;

	for (int i = 0; i < rv; i++)
		if (__builtin_expect(w->io.is_sampled, 0) &&
		    syt_watch_endpoint(w->io.endpoint.word, events[i].data.u64, &e))
			add_ready(w, ready_endpoint(&e, ready_bits(events[i].events), true));
		else
			add_ready(w, ready_of(w->io.endpoint.word, &events[i]));
}

/* Returns true if one of the first NR descriptors in EVENTS, which the epoll instance EP has found, may have a mark. */
static __attribute__((noinline)) bool is_marked_epoll(int ep, int nr,
                                                      const struct epoll_event *events)
{
	struct syt_endpoint e;

	if (!syt_endpoint_peek(ep, &e))
		return true;
	for (int i = 0; i < nr; i++) {
		uint64_t word =
			events[i].events & EPOLLIN ? syt_watch_word(e.word, events[i].data.u64) : 0;

		if (word && syt_skip_may_be_marked(word))
			return true;
	}
	return false;
}

/* The body of the wrapper of a wait on the epoll instance EP_, which stores to EVENTS_. */
#define EPOLL_BODY(fp_, call_, ep_, real_, events_)                                                \
	WAIT_BODY(fp_, call_, ep_, SYT_READY_BEGIN(&m, (fp_), (call_), (ep_)), real_,              \
	          ready_of(m.endpoint.word, (events_)), list_epoll(&w, rv, (events_)),             \
	          is_marked_epoll((ep_), rv, (events_)))

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

static struct syt_ready ready_fd(int fd, uint32_t bits, bool is_sampled)
{
	struct syt_endpoint e;

	syt_endpoint_get(fd, &e);
	return ready_endpoint(&e, bits, is_sampled);
}

static void list_poll(struct waiter *w, int rv, const struct pollfd *fds, nfds_t nr)
{
	for (nfds_t i = 0; i < nr && w->io.event.count < (uint64_t)rv; i++)
		if (fds[i].revents)
			add_ready(w, ready_fd(fds[i].fd, ready_bits((uint16_t)fds[i].revents),
			                      w->io.is_sampled));
}

/* Returns the first ready descriptor, or zeros if another thread has overwritten the array. */
static __attribute__((noinline)) struct syt_ready first_of_poll(const struct pollfd *fds, nfds_t nr)
{
	for (nfds_t i = 0; i < nr; i++)
		if (fds[i].revents)
			return ready_fd(fds[i].fd, ready_bits((uint16_t)fds[i].revents), false);
	return (struct syt_ready){0, 0, 0};
}

/* Returns true if data that are ready in FD may have a mark. */
static inline bool is_marked(int fd)
{
	struct syt_endpoint e;

	return !syt_endpoint_peek(fd, &e) || syt_skip_may_be_marked(e.word);
}

static __attribute__((noinline)) bool is_marked_poll(const struct pollfd *fds, nfds_t nr)
{
	for (nfds_t i = 0; i < nr; i++)
		if (fds[i].revents & POLLIN && is_marked(fds[i].fd))
			return true;
	return false;
}

#define POLL(name_, params_, args_)                                                                \
	SYT_EXPORT int name_ params_                                                               \
	{                                                                                          \
		WAIT_BODY(SYT_FP, SYT_CALL_##name_, -1,                                            \
		          SYT_POLL_BEGIN(&m, SYT_FP, SYT_CALL_##name_), SYT_REAL(name_) args_,     \
		          first_of_poll(fds, nr), list_poll(&w, rv, fds, nr),                      \
		          is_marked_poll(fds, nr));                                                \
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

#define BITS (8 * (int)sizeof(unsigned long))

/* Returns the first descriptor in one of the sets that is at least FD and below NR, or NR. Sets *FOUND to its bits. */
static int next_selected(int fd, int nr, const fd_set *in, const fd_set *out, const fd_set *bad,
                         uint32_t *found)
{
	while (fd < nr) {
		int i = fd / BITS;
		unsigned long r = word_of(in, i), o = word_of(out, i), b = word_of(bad, i);
		unsigned long any = (r | o | b) >> fd % BITS;

		if (any) {
			unsigned long mask;

			fd += __builtin_ctzl(any);
			mask = 1ul << fd % BITS;
			*found = (r & mask ? SYT_READY_IN : 0) | (o & mask ? SYT_READY_OUT : 0) |
			         (b & mask ? SYT_READY_PRI : 0);
			return fd < nr ? fd : nr;
		}
		fd = (i + 1) * BITS;
	}
	return nr;
}

static void list_select(struct waiter *w, int nr, const fd_set *in, const fd_set *out,
                        const fd_set *bad)
{
	uint32_t bits;

	for (int fd = 0; (fd = next_selected(fd, nr, in, out, bad, &bits)) < nr; fd++)
		add_ready(w, ready_fd(fd, bits, w->io.is_sampled));
}

/* Returns the first ready descriptor, or zeros if another thread has overwritten the sets. */
static __attribute__((noinline)) struct syt_ready
first_of_select(int nr, const fd_set *in, const fd_set *out, const fd_set *bad)
{
	uint32_t bits;
	int fd = next_selected(0, nr, in, out, bad, &bits);

	return fd < nr ? ready_fd(fd, bits, false) : (struct syt_ready){0, 0, 0};
}

static __attribute__((noinline)) bool is_marked_select(int nr, const fd_set *in)
{
	uint32_t bits;

	for (int fd = 0; (fd = next_selected(fd, nr, in, NULL, NULL, &bits)) < nr; fd++)
		if (is_marked(fd))
			return true;
	return false;
}

#define SELECT(name_, params_, args_)                                                              \
	SYT_EXPORT int name_ params_                                                               \
	{                                                                                          \
		WAIT_BODY(SYT_FP, SYT_CALL_##name_, -1,                                            \
		          SYT_POLL_BEGIN(&m, SYT_FP, SYT_CALL_##name_), SYT_REAL(name_) args_,     \
		          first_of_select(nr, in, outs, bad), list_select(&w, nr, in, outs, bad),  \
		          is_marked_select(nr, in));                                               \
	}

/* clang-format off */
SELECT(select, (int nr, fd_set *in, fd_set *outs, fd_set *bad, struct timeval *limit), (nr, in, outs, bad, limit))
SELECT(pselect, (int nr, fd_set *in, fd_set *outs, fd_set *bad, const struct timespec *limit, const sigset_t *set),
       (nr, in, outs, bad, limit, set))
/* clang-format on */
