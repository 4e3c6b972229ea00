/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/thinning.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/store.h"

#define FIRST_INTERVAL_NS UINT64_C(10000000)
#define LEAST_MESSAGES 1024u
#define BYTES_PER_MESSAGE                                                                          \
	96u /* with the hash table, which is at most half full and grows by doubling */

#define NONE UINT32_MAX
#define RATE_INVERSE 1000 /* 1 / SYT_HOST_RATE_MAX */

/* A kept message. Those of an interval form a list in the order of time. */
struct kept {
	struct syt_host_message m;
	uint32_t next; /* index; NONE: last */
};

/* The messages of one direction between two hosts in an interval. */
struct interval {
	uint32_t first;
	uint32_t nr; /* messages, kept or not */
};

struct syt_thinning {
	struct kept *all; /* an unused one has equal hosts */
	struct interval *intervals;
	size_t room, room_intervals;
	uint64_t nr, nr_intervals, nr_kept, nr_max, interval_ns, nr_refused;
	uint32_t unused;       /* list of unused elements */
	struct syt_hash index; /* of the intervals */
	struct syt_host_message *messages;
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
	t->unused = NONE;
	return t;
}

void syt_thinning_destroy(struct syt_thinning *t)
{
	syt_hash_close(&t->index);
	syt_store_free(t->all);
	syt_store_free(t->intervals);
	syt_store_free(t->messages);
	syt_store_free(t->pairs);
	syt_store_free(t);
}

static uint64_t interval_of(uint64_t interval_ns, const struct syt_host_message *m)
{
	return (uint64_t)(syt_host_message_at(m) + SYT_HOST_TIME_MAX) / interval_ns;
}

/* ---- the hull of an interval ---- */

static int64_t delay_of(const struct syt_host_message *m)
{
	return m->receive_ns - m->send_ns;
}

/* The differences of two messages. Products of two such numbers fit. */
struct step {
	__int128 x, d;
};

static struct step step_of(const struct syt_host_message *a, const struct syt_host_message *b)
{
	return (struct step){(__int128)syt_host_message_at(b) - syt_host_message_at(a),
	                     (__int128)delay_of(b) - delay_of(a)};
}

/* Returns true if no line can touch B, which is at or right of A: A is lower, and the slope from A to B is too large. */
static bool hides_right(const struct syt_host_message *a, const struct syt_host_message *b)
{
	const struct step s = step_of(a, b);

	return s.d * RATE_INVERSE >= s.x;
}

/* Returns true if no line can touch A, which is at or left of B. */
static bool hides_left(const struct syt_host_message *a, const struct syt_host_message *b)
{
	const struct step s = step_of(a, b);

	return -s.d * RATE_INVERSE >= s.x;
}

/* Returns by how much B is above the line from A to C, times the time from A to C. */
static __int128 height(const struct syt_host_message *a, const struct syt_host_message *b,
                       const struct syt_host_message *c)
{
	const struct step ab = step_of(a, b), ac = step_of(a, c);

	return ab.d * ac.x - ac.d * ab.x;
}

static uint32_t take(struct syt_thinning *t, const struct syt_host_message *m, uint32_t next)
{
	uint32_t i = t->unused;

	if (i != NONE) {
		t->unused = t->all[i].next;
		t->all[i] = (struct kept){*m, next};
	} else {
		i = (uint32_t)t->nr;
		*SYT_STORE_ADD(t->all, t->nr, t->room) = (struct kept){*m, next};
	}
	t->nr_kept++;
	return i;
}

static void give_back(struct syt_thinning *t, uint32_t i)
{
	t->all[i] = (struct kept){.next = t->unused};
	t->unused = i;
	t->nr_kept--;
}

/* Removes the vertex whose loss lowers the hull least. */
static void trim(struct syt_thinning *t, const uint32_t *list, unsigned nr)
{
	unsigned least = 1;
	double least_loss = INFINITY;

	for (unsigned i = 1; i + 1 < nr; i++) {
		const struct syt_host_message *a = &t->all[list[i - 1]].m,
					      *c = &t->all[list[i + 1]].m;
		const double loss =
			-(double)height(a, &t->all[list[i]].m, c) / (double)step_of(a, c).x;

		if (loss < least_loss) {
			least_loss = loss;
			least = i;
		}
	}
	t->all[list[least - 1]].next = list[least + 1];
	give_back(t, list[least]);
}

/* Inserts a message into the hull of its interval, unless no line can touch it. */
static void insert(struct syt_thinning *t, struct interval *in, const struct syt_host_message *m)
{
	uint32_t list[SYT_HOST_VERTICES_MAX + 1];
	const int64_t at = syt_host_message_at(m);
	unsigned nr = 0, left = 0, keep_left, right, nr_list = 0;

	for (uint32_t i = in->first; i != NONE; i = t->all[i].next) {
		left += syt_host_message_at(&t->all[i].m) < at;
		list[nr++] = i;
	}
#define AT(i_) (&t->all[list[i_]].m)
	right = left; /* first message that is not before M */
	if (right < nr && !step_of(m, AT(right)).x && delay_of(AT(right)) == delay_of(m)) {
		if (m->connection < AT(right)->connection)
			*AT(right) = *m;
		return;
	}
	if ((left && hides_right(AT(left - 1), m)) || (right < nr && hides_left(m, AT(right))) ||
	    (left && right < nr && height(AT(left - 1), m, AT(right)) >= 0))
		return;
	keep_left = left;
	while (keep_left &&
	       (hides_left(AT(keep_left - 1), m) ||
	        (keep_left > 1 && height(AT(keep_left - 2), AT(keep_left - 1), m) >= 0)))
		give_back(t, list[--keep_left]);
	while (right < nr && (hides_right(m, AT(right)) ||
	                      (right + 1 < nr && height(m, AT(right), AT(right + 1)) >= 0)))
		give_back(t, list[right++]);
	left = take(t, m, right < nr ? list[right] : NONE);
	if (keep_left)
		t->all[list[keep_left - 1]].next = left;
	else
		in->first = left;
	if (keep_left + 1 + (nr - right) <= SYT_HOST_VERTICES_MAX)
		return;
	for (uint32_t i = in->first; i != NONE; i = t->all[i].next)
		list[nr_list++] = i;
	trim(t, list, nr_list);
#undef AT
}

static void put(struct syt_thinning *t, const struct syt_host_message *m, uint32_t nr)
{
	const uint64_t interval = interval_of(t->interval_ns, m);
	const uint32_t hash = syt_hash_words((uint64_t)m->from << 32 | m->to, interval);
	uint32_t i = SYT_HASH_FIND(
		&t->index, hash, k,
		t->all[t->intervals[k].first].m.from == m->from &&
			t->all[t->intervals[k].first].m.to == m->to &&
			interval_of(t->interval_ns, &t->all[t->intervals[k].first].m) == interval);

	if (i == SYT_HASH_NONE) {
		i = syt_hash_add(&t->index, hash, t->nr_intervals);
		*SYT_STORE_ADD(t->intervals, t->nr_intervals, t->room_intervals) =
			(struct interval){.first = NONE};
	}
	insert(t, &t->intervals[i], m);
	t->intervals[i].nr =
		t->intervals[i].nr > UINT32_MAX - nr ? UINT32_MAX : t->intervals[i].nr + nr;
}

/* Stores the number of messages of each interval in its first message, and 0 in the others. */
static void store_numbers(struct syt_thinning *t)
{
	SYT_EACH(i, 0, t->nr)
		t->all[i].m.nr = 0;
	SYT_EACH(i, 0, t->nr_intervals)
		t->all[t->intervals[i].first].m.nr = t->intervals[i].nr;
}

/* Doubles the interval. Messages move to lower places only. If that leaves too many messages because there are too many
 * pairs, the interval grows until each pair has one interval per direction. */
static void shrink(struct syt_thinning *t)
{
	const uint64_t nr = t->nr;

	store_numbers(t);
	t->interval_ns *= 2;
	syt_hash_close(&t->index);
	memset(&t->index, 0, sizeof(t->index));
	t->nr = t->nr_intervals = t->nr_kept = 0;
	t->unused = NONE;
	SYT_EACH(i, 0, nr) {
		const struct syt_host_message m = t->all[i].m;

		if (m.from != m.to)
			put(t, &m, m.nr);
	}
}

void syt_thinning_add(struct syt_thinning *t, uint32_t from, uint32_t to, int64_t send_ns,
                      int64_t receive_ns, uint32_t connection)
{
	const struct syt_host_message m = {.send_ns = send_ns,
	                                   .receive_ns = receive_ns,
	                                   .from = from,
	                                   .to = to,
	                                   .connection = connection};

	if (from == to || send_ns > SYT_HOST_TIME_MAX || send_ns < -SYT_HOST_TIME_MAX ||
	    receive_ns > SYT_HOST_TIME_MAX || receive_ns < -SYT_HOST_TIME_MAX) {
		t->nr_refused++;
		return;
	}
	put(t, &m, 1);
	while (t->nr_kept > t->nr_max && t->interval_ns < (uint64_t)SYT_HOST_TIME_MAX * 2)
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
	uint64_t nr_kept = 0;

	*nr = 0;
	syt_hash_close(&t->index);
	memset(&t->index, 0, sizeof(t->index));
	store_numbers(t);
	t->messages = syt_store_alloc(t->nr_kept, sizeof(*t->messages));
	SYT_EACH(i, 0, t->nr)
		if (t->all[i].m.from != t->all[i].m.to)
			t->messages[nr_kept++] = t->all[i].m;
	syt_store_free(t->all);
	syt_store_free(t->intervals);
	t->all = NULL;
	t->intervals = NULL;
	syt_sort(t->messages, nr_kept, sizeof(*t->messages), by_pair);
	SYT_EACH(i, 0, nr_kept) {
		const struct syt_host_message *m = &t->messages[i];
		struct syt_host_pair *p = *nr ? &t->pairs[*nr - 1] : NULL;
		const unsigned back = m->from > m->to;

		if (!p || p->hosts[0] != lower(m) || p->hosts[1] != higher(m)) {
			p = SYT_STORE_ADD(t->pairs, *nr, room);
			*p = (struct syt_host_pair){.hosts = {lower(m), higher(m)},
			                            .interval_ns = t->interval_ns};
		}
		if (!p->nr[back]++)
			p->messages[back] = m;
	}
	return t->pairs;
}

double syt_host_message_between(const struct syt_host_pair *p, const struct syt_host_message *a,
                                const struct syt_host_message *b, double at)
{
	const struct step s = step_of(a, b);

	if (interval_of(p->interval_ns, a) != interval_of(p->interval_ns, b) || s.x <= 0)
		return INFINITY;
	return (double)delay_of(a) +
	       (double)s.d * ((at - (double)syt_host_message_at(a)) / (double)s.x);
}

uint64_t syt_thinning_interval_ns(const struct syt_thinning *t)
{
	return t->interval_ns;
}

uint64_t syt_thinning_nr_refused(const struct syt_thinning *t)
{
	return t->nr_refused;
}
