/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The matching rules of all kinds of objects. A new rule needs a row here and a file match_KIND.c. */
#include "decoder/match/match.h"

#include "format/address.h"

/* Matches the data that the socket OBJECT receives over its connection. */
static void match_connection(struct syt_match *m, uint32_t object)
{
	syt_match_stream(m, m->objects->all[object].peer, object);
}

/* Matches a pipe: data written into the object is read from the same object. */
static void match_pipe(struct syt_match *m, uint32_t object)
{
	syt_match_stream(m, object, object);
}

static void match_datagram(struct syt_match *m, uint32_t object)
{
	const struct syt_object *o = &m->objects->all[object];
	const struct syt_endpoint_info *e = o->info->endpoint;

	/* a unix socket with a known peer loses no datagrams */
	if (o->peer != SYT_NONE && e && e->domain == SYT_AF_UNIX)
		match_connection(m, object);
	else
		syt_match_datagram(m, object);
}

/* Does nothing: the readiness of signalfds needs the edges of all signals, and syt_match_signalfds() matches it
 * later. */
static void match_later(struct syt_match *m, uint32_t object)
{
	(void)m;
	(void)object;
}

/* clang-format off */
static void (*const rules[SYT_NR_KINDS])(struct syt_match *m, uint32_t object) = {
	[SYT_KIND_MUTEX] = syt_match_mutex,
	[SYT_KIND_RWLOCK] = syt_match_rwlock,
	[SYT_KIND_SPIN] = syt_match_mutex,
	[SYT_KIND_COND] = syt_match_cond,
	[SYT_KIND_SEM] = syt_match_sem,
	[SYT_KIND_BARRIER] = syt_match_barrier,
	[SYT_KIND_ONCE] = syt_match_once,
	[SYT_KIND_STREAM] = match_connection,
	[SYT_KIND_PIPE] = match_pipe,
	[SYT_KIND_DGRAM] = match_datagram,
	[SYT_KIND_LISTEN] = syt_match_listen,
	[SYT_KIND_EVENTFD] = match_pipe,
	[SYT_KIND_TIMERFD] = syt_match_timer,
	[SYT_KIND_SIGNALFD] = match_later,
	[SYT_KIND_FUTEX] = syt_match_pi, /* syt_match_futexes() matches other futex waits */
	[SYT_KIND_QUEUE] = syt_match_queue,
	[SYT_KIND_SIGNAL] = syt_match_signal,
	[SYT_KIND_STDIO] = syt_match_mutex,
	[SYT_KIND_TEAM] = syt_match_team,
	[SYT_KIND_FLOCK] = syt_match_filelock,
	[SYT_KIND_RECORD] = syt_match_filelock,
	[SYT_KIND_TIMER] = syt_match_timer,
};
/* clang-format on */

void syt_match_object(struct syt_match *m, uint32_t object)
{
	enum syt_kind kind = m->objects->all[object].info->kind;

	if (kind < SYT_NR_KINDS && rules[kind])
		rules[kind](m, object);
	else
		syt_match_unseen(m, object, SYT_REASON_KERNEL);
}
