/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Each request to `syntrace record` is a separate entry, claimed by a compare-and-swap. If a process is killed
 * while it writes a request, only this entry is lost. */
#include "runtime/request.h"

#include <linux/futex.h>
#include <stdbool.h>

#include "runtime/session.h"
#include "runtime/sys.h"

#define NR_NEAR 16u /* number of entries to try before the request is dropped */

/* Returns whether the request entries in the shared file have disk space: without it a store would kill the
 * program. */
static bool is_backed(struct syt_trace *t)
{
	static uint32_t known;

	if (__atomic_load_n(&known, __ATOMIC_RELAXED))
		return true;
	if (!syt_sys_back(&t->answerer,
	                  offsetof(struct syt_trace, marks) - offsetof(struct syt_trace, answerer)))
		return false;
	__atomic_store_n(&known, 1, __ATOMIC_RELAXED);
	return true;
}

static struct syt_request *claim(struct syt_trace *t)
{
	uint32_t first = __atomic_fetch_add(&t->bell, 1, __ATOMIC_SEQ_CST);

	for (uint32_t i = 0; i < NR_NEAR; i++) {
		struct syt_request *r = &t->requests[(first + i) % SYT_NR_REQUESTS];
		uint32_t state = SYT_REQUEST_FREE;

		if (__atomic_compare_exchange_n(&r->state, &state, SYT_REQUEST_BUSY, false,
		                                __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return r;
	}
	return NULL;
}

void syt_request_peer(int fd, const struct syt_meta_endpoint *m)
{
	struct syt_trace *t = syt_trace_shared();
	struct syt_request *r;

	if (!t || !__atomic_load_n(&t->answerer, __ATOMIC_RELAXED) || !m->cookie || !is_backed(t))
		return;
	r = claim(t);
	if (!r)
		return;
	r->pid = (uint32_t)SYT_SYS_0(SYS_getpid);
	r->fd = (uint32_t)fd;
	r->cookie = m->cookie;
	r->inode = m->inode;
	r->netns = m->netns;
	__atomic_store_n(&r->state, SYT_REQUEST_POSTED, __ATOMIC_SEQ_CST);
	/* `syntrace record` sets is_asleep and then checks for requests once more before it sleeps */
	if (__atomic_load_n(&t->is_asleep, __ATOMIC_SEQ_CST) &&
	    __atomic_exchange_n(&t->is_asleep, 0, __ATOMIC_SEQ_CST)) {
		__atomic_fetch_add(&t->bell, 1, __ATOMIC_SEQ_CST);
		SYT_SYS_3(SYS_futex, &t->bell, FUTEX_WAKE, 1);
	}
}
