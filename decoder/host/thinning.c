/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/thinning.h"

#include <stdbool.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/store.h"

#define FIRST_INTERVAL_NS UINT64_C(10000000)
#define LEAST_MESSAGES 1024u
#define BYTES_PER_MESSAGE                                                                          \
	64u /* with the hash table, which is at most half full and grows by doubling */

struct syt_thinning {
	struct syt_host_message *all;
	size_t room;
	uint64_t nr, nr_max, interval_ns, nr_refused;
	struct syt_hash index;
	struct syt_host_pair *pairs;
};

struct syt_thinning *syt_thinning_create(uint64_t limit_bytes)
{
	struct syt_thinning *t = syt_store_alloc(1, sizeof(*t));

	t->nr_max = limit_bytes / BYTES_PER_MESSAGE;
	if (t->nr_max < LEAST_MESSAGES)
		t->nr_max = LEAST_MESSAGES;
	if (t->nr_max > SYT_HASH_NONE / 2)
		t->nr_max = SYT_HASH_NONE / 2;
	t->interval_ns = FIRST_INTERVAL_NS;
	return t;
}

void syt_thinning_destroy(struct syt_thinning *t)
{
	syt_hash_close(&t->index);
	syt_store_free(t->all);
	syt_store_free(t->pairs);
	syt_store_free(t);
}

static uint64_t interval_of(const struct syt_thinning *t, const struct syt_host_message *m)
{
	return (uint64_t)(syt_host_message_at(m) + SYT_HOST_TIME_MAX) / t->interval_ns;
}

/* Returns true if A is kept rather than B. */
static bool is_better(const struct syt_host_message *a, const struct syt_host_message *b)
{
	const int64_t delay_a = a->receive_ns - a->send_ns, delay_b = b->receive_ns - b->send_ns;

	if (delay_a != delay_b)
		return delay_a < delay_b;
	return a->send_ns != b->send_ns ? a->send_ns < b->send_ns : a->connection < b->connection;
}

static void put(struct syt_thinning *t, const struct syt_host_message *m)
{
	const uint64_t interval = interval_of(t, m);
	const uint32_t hash = syt_hash_words((uint64_t)m->from << 32 | m->to, interval);
	const uint32_t i = SYT_HASH_FIND(&t->index, hash, k,
	                                 t->all[k].from == m->from && t->all[k].to == m->to &&
	                                         interval_of(t, &t->all[k]) == interval);
	uint32_t nr;

	if (i == SYT_HASH_NONE) {
		syt_hash_add(&t->index, hash, t->nr);
		*SYT_STORE_ADD(t->all, t->nr, t->room) = *m;
		return;
	}
	nr = t->all[i].nr > UINT32_MAX - m->nr ? UINT32_MAX : t->all[i].nr + m->nr;
	if (is_better(m, &t->all[i]))
		t->all[i] = *m;
	t->all[i].nr = nr;
}

/* Doubles the interval. Two intervals become one, so the messages move to lower places only. If that leaves too many
 * messages because there are too many pairs, the interval grows until each pair has one message per direction. */
static void shrink(struct syt_thinning *t)
{
	const uint64_t nr = t->nr;

	t->interval_ns *= 2;
	syt_hash_close(&t->index);
	memset(&t->index, 0, sizeof(t->index));
	t->nr = 0;
	SYT_EACH(i, 0, nr) {
		const struct syt_host_message m = t->all[i];

		put(t, &m);
	}
}

void syt_thinning_add(struct syt_thinning *t, uint32_t from, uint32_t to, int64_t send_ns,
                      int64_t receive_ns, uint32_t connection)
{
	const struct syt_host_message m = {.send_ns = send_ns,
	                                   .receive_ns = receive_ns,
	                                   .from = from,
	                                   .to = to,
	                                   .connection = connection,
	                                   .nr = 1};

	if (from == to || send_ns > SYT_HOST_TIME_MAX || send_ns < -SYT_HOST_TIME_MAX ||
	    receive_ns > SYT_HOST_TIME_MAX || receive_ns < -SYT_HOST_TIME_MAX) {
		t->nr_refused++;
		return;
	}
	put(t, &m);
	while (t->nr > t->nr_max && t->interval_ns < (uint64_t)SYT_HOST_TIME_MAX * 2)
		shrink(t);
}

static uint32_t lower(const struct syt_host_message *m)
{
	return m->from < m->to ? m->from : m->to;
}

static uint32_t higher(const struct syt_host_message *m)
{
	return m->from < m->to ? m->to : m->from;
}

SYT_COMPARATOR(by_pair, struct syt_host_message)
{
	SYT_ORDER(lower(a), lower(b));
	SYT_ORDER(higher(a), higher(b));
	SYT_ORDER_BY(from);
	SYT_ORDER(syt_host_message_at(a), syt_host_message_at(b));
	return 0;
}

const struct syt_host_pair *syt_thinning_end(struct syt_thinning *t, uint64_t *nr)
{
	size_t room = 0;

	*nr = 0;
	syt_hash_close(&t->index);
	memset(&t->index, 0, sizeof(t->index));
	syt_sort(t->all, t->nr, sizeof(*t->all), by_pair);
	SYT_EACH(i, 0, t->nr) {
		const struct syt_host_message *m = &t->all[i];
		struct syt_host_pair *p = *nr ? &t->pairs[*nr - 1] : NULL;
		const unsigned back = m->from > m->to;

		if (!p || p->hosts[0] != lower(m) || p->hosts[1] != higher(m)) {
			p = SYT_STORE_ADD(t->pairs, *nr, room);
			*p = (struct syt_host_pair){.hosts = {lower(m), higher(m)}};
		}
		if (!p->nr[back]++)
			p->messages[back] = m;
	}
	return t->pairs;
}

uint64_t syt_thinning_interval_ns(const struct syt_thinning *t)
{
	return t->interval_ns;
}

uint64_t syt_thinning_nr_refused(const struct syt_thinning *t)
{
	return t->nr_refused;
}
