/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Message queues of POSIX and System V. The field `offset` of a send or receive event is the ordinal of the
 * message. The field `arg` is the priority or the type by which the queue sorts messages. The events that open,
 * close or remove a queue carry the number of queued messages, so the decoder detects untraced users. The
 * descriptor of a POSIX queue is an fd; preload/fd.c closes it. */
#include "preload/io.h"

#include <stdarg.h>

#include "runtime/object.h"
#include "runtime/peek.h"
#include "runtime/sysv.h"

/* ---- POSIX ---- */

static mqd_t opened(struct syt_io *x, mqd_t rv, const char *name)
{
	if (rv >= 0) {
		syt_endpoint_forget(rv);
		/* the queue may have existed before and contain messages */
		syt_endpoint_get(rv, &x->endpoint);
		x->event.object = x->endpoint.object;
		x->event.count = syt_endpoint_waiting(&x->endpoint, rv);
		syt_object_name(x->endpoint.object, name);
	}
	return syt_io_leave_out_int(x, rv);
}

SYT_EXPORT mqd_t mq_open(const char *name, int flags, ...)
{
	struct syt_io x;
	mode_t mode = 0;
	struct mq_attr *attributes = NULL;

	if (flags & O_CREAT) {
		va_list rest;

		va_start(rest, flags);
		mode = va_arg(rest, mode_t);
		attributes = va_arg(rest, struct mq_attr *);
		va_end(rest);
	}
	if (!SYT_IO_ENTER(&x, mq_open))
		return SYT_REAL(mq_open)(name, flags, mode, attributes);
	syt_io_stamp_in(&x);
	return opened(&x, SYT_REAL(mq_open)(name, flags, mode, attributes), name);
}

SYT_EXPORT mqd_t __mq_open_2(const char *name, int flags)
{
	SYT_IO_ENTER_OR_FORWARD(x, __mq_open_2, (name, flags));
	syt_io_stamp_in(&x);
	return opened(&x, SYT_REAL(__mq_open_2)(name, flags), name);
}

SYT_EXPORT int mq_unlink(const char *name)
{
	SYT_IO_ENTER_OR_FORWARD(x, mq_unlink, (name));
	return syt_io_leave_out_int(&x, SYT_REAL(mq_unlink)(name));
}

SYT_EXPORT int mq_notify(mqd_t queue, const struct sigevent *how)
{
	SYT_IO_ENTER_OR_FORWARD(x, mq_notify, (queue, how));
	syt_io_begin_out(&x, queue);
	return syt_io_leave_out_int(&x, SYT_REAL(mq_notify)(queue, how));
}

#define MQ_SEND(name_, more_params_, more_args_)                                                   \
	SYT_EXPORT int name_(mqd_t queue, const char *message, size_t bytes,                       \
	                     unsigned priority UNPACK more_params_)                                \
	{                                                                                          \
		SYT_IO_ENTER_OR_FORWARD(x, name_,                                                  \
		                        (queue, message, bytes, priority UNPACK more_args_));      \
		syt_io_begin_in(&x, queue);                                                        \
		x.event.arg = priority;                                                            \
		syt_io_mark_send(&x);                                                              \
		int rv = SYT_REAL(name_)(queue, message, bytes, priority UNPACK more_args_);       \
		syt_io_sent(&x, &(struct syt_moved){.result = rv, .bytes = bytes, .messages = 1}); \
		return rv;                                                                         \
	}

/* Defines the wrapper of a receive, which asks the kernel for the message's priority even if the program
 * passes NULL. */
#define MQ_RECEIVE(name_, more_params_, more_args_)                                                \
	SYT_EXPORT ssize_t name_(mqd_t queue, char *message, size_t bytes,                         \
	                         unsigned *priority UNPACK more_params_)                           \
	{                                                                                          \
		struct syt_io x;                                                                   \
		unsigned unwanted = 0;                                                             \
                                                                                                   \
		if (!SYT_IO_ENTER(&x, name_))                                                      \
			return SYT_REAL(name_)(queue, message, bytes, priority UNPACK more_args_); \
		syt_io_begin_out(&x, queue);                                                       \
		if (!priority)                                                                     \
			priority = &unwanted;                                                      \
		ssize_t rv = SYT_REAL(name_)(queue, message, bytes, priority UNPACK more_args_);   \
		if (rv >= 0)                                                                       \
			x.event.arg = *priority;                                                   \
		syt_io_received(&x, &(struct syt_moved){                                           \
					    .result = rv, .bytes = (uint64_t)rv, .messages = 1});  \
		return rv;                                                                         \
	}
#define UNPACK(...) __VA_OPT__(, ) __VA_ARGS__

/* clang-format off */
MQ_SEND(mq_send, (), ())
MQ_SEND(mq_timedsend, (const struct timespec *limit), (limit))
MQ_RECEIVE(mq_receive, (), ())
MQ_RECEIVE(mq_timedreceive, (const struct timespec *restrict limit), (limit))
/* clang-format on */

/* ---- System V ---- */

/* Begins the recording of a call on the System V queue ID, which is not an fd. */
static void begin(struct syt_io *x, int id)
{
	syt_endpoint_sysv_queue(id, &x->endpoint);
	x->event.object = x->endpoint.object;
	if (!x->is_recorded)
		return;
	syt_capture(&x->frame);
	syt_stamp_wait(&x->frame, &x->event);
}

SYT_EXPORT int msgget(key_t key, int flags)
{
	SYT_IO_ENTER_OR_FORWARD(x, msgget, (key, flags));
	syt_io_stamp_in(&x);
	int rv = SYT_REAL(msgget)(key, flags);
	if (rv >= 0) {
		syt_endpoint_sysv_queue(rv, &x.endpoint);
		x.event.object = x.endpoint.object;
		x.event.count = syt_endpoint_waiting(&x.endpoint, rv);
		syt_sysv_name(x.event.object, key, -1);
	}
	return syt_io_leave_out_int(&x, rv);
}

SYT_EXPORT int msgctl(int id, int command, struct msqid_ds *info)
{
	struct syt_io x;

	if (command != IPC_RMID || !SYT_IO_ENTER(&x, msgctl))
		return SYT_REAL(msgctl)(id, command, info);
	begin(&x, id);
	x.event.count = syt_endpoint_waiting(&x.endpoint, id);
	int rv = SYT_REAL(msgctl)(id, command, info);
	if (rv == 0)
		syt_endpoint_sysv_remove(&x.endpoint);
	return syt_io_leave_in_int(&x, rv);
}

SYT_EXPORT int msgsnd(int id, const void *message, size_t bytes, int flags)
{
	long type = 0;

	SYT_IO_ENTER_OR_FORWARD(x, msgsnd, (id, message, bytes, flags));
	/* reads the type before the call, because afterwards the receiver may have freed the message */
	syt_peek(&type, message, sizeof(type));
	begin(&x, id);
	x.event.arg = type > 0 ? (uint64_t)type : 0;
	syt_io_mark_send(&x);
	int rv = SYT_REAL(msgsnd)(id, message, bytes, flags);
	/* the type was unreadable, so the ordinal of the message is unknown */
	if (rv == 0 && type <= 0)
		x.event.flags |= SYT_EVENT_NOOFFSET;
	syt_io_sent(&x, &(struct syt_moved){.result = rv, .bytes = bytes, .messages = 1});
	return rv;
}

SYT_EXPORT ssize_t msgrcv(int id, void *message, size_t bytes, long type, int flags)
{
	SYT_IO_ENTER_OR_FORWARD(x, msgrcv, (id, message, bytes, type, flags));
	begin(&x, id);
	ssize_t rv = SYT_REAL(msgrcv)(id, message, bytes, type, flags);
	if (rv >= 0)
		__builtin_memcpy(&x.event.arg, message, sizeof(long));
	syt_io_received(&x, &(struct syt_moved){.result = rv,
	                                        .bytes = (uint64_t)rv,
	                                        .messages = 1,
	                                        .flags = flags & MSG_COPY ? MSG_PEEK : 0});
	return rv;
}
