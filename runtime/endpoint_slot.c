/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Two processes that first use one endpoint at the same moment must agree on one slot (byte counters in the
 * shared file). Each claims a free slot, writes the key into it, and then searches for the key in other slots.
 * At least one process sees the slot of the other process. The process with the lower slot index then waits for
 * the process with the higher index. The process with the higher index withdraws its slot if it has seen the
 * lower slot; otherwise it completes its slot. Claiming a slot raises its generation, so a successful
 * compare-and-swap of `state` also proves that the key read before belonged to that state. */
#include "runtime/endpoint_slot.h"

#include "format/event.h"
#include "format/slot.h"
#include "runtime/session.h"
#include "runtime/sys.h"

#define GROUP (SYT_PAGE_BYTES / (uint32_t)sizeof(struct syt_endpoint_slot))
#define NR_GROUPS (SYT_NR_ENDPOINT_SLOTS / GROUP)

#define NR_TRIES 64
#define NR_SPINS 4000

/* One bit for each page of slots; 1: the page is known to have disk space. */
static uint64_t populated[NR_GROUPS / 64];

static inline void pause_cpu(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#else
	__asm__ volatile("yield");
#endif
}

static inline uint64_t load(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

static inline bool swap(uint64_t *p, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(p, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static inline uint64_t tagged(uint64_t state, uint64_t count)
{
	return state >> 32 << 48 | count;
}

/* Returns the page of slots for KEY after making sure that it has disk space. Returns NULL if the disk is
 * full: writing to the page would kill the program. */
static struct syt_endpoint_slot *group_of(uint64_t key)
{
	struct syt_trace *t = syt_trace_shared();
	uint32_t group = (uint32_t)((key >> 3) / GROUP % NR_GROUPS);
	uint64_t bit = UINT64_C(1) << (group % 64);

	if (!t)
		return NULL;

	struct syt_endpoint_slot *slots = &t->endpoints[group * GROUP];

	if (__atomic_load_n(&populated[group / 64], __ATOMIC_RELAXED) & bit)
		return slots;

	if (!syt_sys_back(slots, SYT_PAGE_BYTES))
		return NULL;
	__atomic_fetch_or(&populated[group / 64], bit, __ATOMIC_RELAXED);
	return slots;
}

/* Returns the place in the page to search as number I for KEY. Consecutive identities use different cache
 * lines. */
static inline uint32_t place(uint64_t key, uint32_t i)
{
	uint32_t n = ((uint32_t)(key >> 3) + i) % GROUP;

	return n * 2 % GROUP + n * 2 / GROUP;
}

static uint64_t wait_unclaimed(struct syt_endpoint_slot *s)
{
	uint64_t state = load(&s->state);

	for (int i = 0; i < NR_SPINS && state & SYT_ENDPOINT_CLAIMED; i++) {
		pause_cpu();
		state = load(&s->state);
	}
	return state;
}

/* Finds a slot with KEY, other than EXCEPT. Stores the slot's state in *STATE, which is read before the
 * slot's key. */
static struct syt_endpoint_slot *find(struct syt_endpoint_slot *slots, uint64_t key,
                                      const struct syt_endpoint_slot *except, uint64_t *state)
{
	for (uint32_t i = 0; i < GROUP; i++) {
		struct syt_endpoint_slot *s = &slots[place(key, i)];

		if (s == except)
			continue;
		*state = load(&s->state);
		if (load(&s->key) == key)
			return s;
	}
	return NULL;
}

/* Finds a slot without references: preferably one that was never used, else the first on the search
 * path, which was probably released longest ago. */
static struct syt_endpoint_slot *find_free(struct syt_endpoint_slot *slots, uint64_t key,
                                           uint64_t *state)
{
	struct syt_endpoint_slot *room = NULL;

	for (uint32_t i = 0; i < GROUP; i++) {
		struct syt_endpoint_slot *s = &slots[place(key, i)];
		uint64_t now = load(&s->state);

		if (now & (SYT_ENDPOINT_REFS | SYT_ENDPOINT_CLAIMED))
			continue;
		if (!room || !load(&s->key)) {
			room = s;
			*state = now;
			if (!load(&s->key))
				break;
		}
	}
	return room;
}

/* Claims the slot S with a compare-and-swap of *STATE that raises the generation. On success the slot
 * belongs to the caller until it stores a new state. */
static bool claim(struct syt_endpoint_slot *s, uint64_t *state)
{
	uint64_t mine = ((*state >> 32) + 1) << 32 | SYT_ENDPOINT_CLAIMED;

	if (!swap(&s->state, *state, mine))
		return false;
	*state = mine;
	return true;
}

static void fill(struct syt_endpoint_slot *s, uint64_t key, uint64_t tx, uint64_t rx,
                 uint64_t state)
{
	__atomic_store_n(&s->tx, tagged(state, tx), __ATOMIC_RELAXED);
	__atomic_store_n(&s->rx, tagged(state, rx), __ATOMIC_RELAXED);
	__atomic_store_n(&s->key, key, __ATOMIC_SEQ_CST);
}

/* Returns true if MINE, claimed and filled, is the only slot of KEY. */
static bool is_only_slot(struct syt_endpoint_slot *slots, uint64_t key,
                         struct syt_endpoint_slot *mine)
{
	for (;;) {
		uint64_t state;
		struct syt_endpoint_slot *other = find(slots, key, mine, &state);

		if (!other)
			return true;
		if (!(state & SYT_ENDPOINT_CLAIMED) || other < mine)
			return false;
		if (wait_unclaimed(other) & SYT_ENDPOINT_CLAIMED)
			return false; /* the other process was killed while it claimed its slot */
	}
}

static bool join(struct syt_endpoint_slot *s, uint64_t *state)
{
	if (*state & SYT_ENDPOINT_CLAIMED) {
		wait_unclaimed(s);
		return false;
	}
	if (!swap(&s->state, *state, *state + 1))
		return false;
	*state += 1;
	return true;
}

static void withdraw(struct syt_endpoint_slot *s, uint64_t state)
{
	__atomic_store_n(&s->key, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&s->state, state >> 32 << 32, __ATOMIC_SEQ_CST);
}

struct syt_endpoint_slot *syt_endpoint_slot_take(uint64_t key, bool is_birth, uint64_t tx,
                                                 uint64_t rx, uint64_t flags, uint64_t *state)
{
	struct syt_endpoint_slot *slots = group_of(key);

	for (int i = 0; slots && i < NR_TRIES; i++) {
		struct syt_endpoint_slot *s = find(slots, key, NULL, state);

		if (s && !is_birth) {
			if (join(s, state))
				return s;
			continue;
		}
		if (!s)
			s = find_free(slots, key, state);
		if (!s)
			break;
		if (*state & SYT_ENDPOINT_CLAIMED) {
			wait_unclaimed(s);
			continue;
		}
		if (!claim(s, state))
			continue;
		fill(s, key, tx, rx, *state);
		if (is_birth || is_only_slot(slots, key, s)) {
			*state = (*state & ~SYT_ENDPOINT_CLAIMED) | flags | 1;
			__atomic_store_n(&s->state, *state, __ATOMIC_SEQ_CST);
			return s;
		}
		withdraw(s, *state);
	}
	return NULL;
}

/* Adds REFS (1, 0 or -1) references and FLAG to the slot's state. Returns false if GENERATION does not own
 * the slot. */
static bool change(struct syt_endpoint_slot *slot, uint16_t generation, int refs, uint64_t flag)
{
	for (;;) {
		uint64_t state = load(&slot->state), to = state | flag;

		if (syt_endpoint_generation(state) != generation || state & SYT_ENDPOINT_CLAIMED)
			return false;
		if (refs > 0 || state & SYT_ENDPOINT_REFS)
			to += (uint64_t)(int64_t)refs;
		if (swap(&slot->state, state, to))
			return true;
	}
}

bool syt_endpoint_slot_ref(struct syt_endpoint_slot *slot, uint16_t generation)
{
	return change(slot, generation, 1, 0);
}

bool syt_endpoint_slot_drop(struct syt_endpoint_slot *slot, uint16_t generation)
{
	return change(slot, generation, -1, 0);
}

void syt_endpoint_slot_set_unknown(struct syt_endpoint_slot *slot, uint16_t generation)
{
	change(slot, generation, 0, SYT_ENDPOINT_UNKNOWN);
}

/* Stores VALUE in COUNTER, which belongs to the stale generation of STATE. Returns false if it cannot become part of the next
 * generation. Of several threads, the first one stores its value. */
static bool put_learned(uint64_t *counter, uint64_t state, uint64_t value)
{
	uint64_t next = state + (UINT64_C(1) << 32), was = load(counter);

	if (value <= SYT_ENDPOINT_COUNT && was == tagged(state, was & SYT_ENDPOINT_COUNT))
		swap(counter, was, tagged(next, value));
	was = load(counter);
	return was == tagged(next, was & SYT_ENDPOINT_COUNT);
}

uint16_t syt_endpoint_slot_learn(struct syt_endpoint_slot *slot, uint64_t state, uint64_t tx,
                                 uint64_t rx, bool is_known)
{
	uint64_t next = ((state >> 32) + 1) << 32, now = load(&slot->state);

	is_known =
		is_known && put_learned(&slot->tx, state, tx) && put_learned(&slot->rx, state, rx);
	/* only the number of references and the flag BESIDE may have changed */
	while (now >> 32 == state >> 32 && now & SYT_ENDPOINT_STALE) {
		uint64_t to = next | ((uint32_t)now & ~SYT_ENDPOINT_STALE);

		if (is_known)
			to &= ~SYT_ENDPOINT_UNKNOWN;
		if (swap(&slot->state, now, to)) {
			syt_slot_tag(&slot->tx, to);
			syt_slot_tag(&slot->rx, to);
			break;
		}
		now = load(&slot->state);
	}
	return syt_endpoint_generation(load(&slot->state));
}

uint64_t syt_endpoint_slot_no_offset(struct syt_endpoint_slot *slot, uint16_t generation)
{
	uint64_t state = slot ? load(&slot->state) : 0;

	if (!(state & SYT_ENDPOINT_LEARNED) || state & SYT_ENDPOINT_STALE ||
	    syt_endpoint_generation(state) == generation)
		return SYT_EVENT_NOOFFSET;
	syt_endpoint_slot_set_unknown(slot, syt_endpoint_generation(state));
	return SYT_EVENT_NOOFFSET | SYT_EVENT_UNCOUNTED;
}

void syt_endpoint_slot_urgent(struct syt_endpoint_slot *slot, uint16_t generation)
{
	change(slot, generation, 0, SYT_ENDPOINT_BESIDE);
}

uint64_t syt_endpoint_slot_count_rare(struct syt_endpoint_slot *slot, uint16_t generation,
                                      uint64_t was, uint64_t nr)
{
	/* the sum of a complete counter would not fit */
	if (was >> 48 == generation && nr)
		syt_endpoint_slot_set_unknown(slot, generation);
	return 0;
}

bool syt_endpoint_slot_is_complete(const struct syt_endpoint_slot *slot, uint16_t generation)
{
	uint64_t state = load(&slot->state);

	return syt_endpoint_generation(state) == generation && (state & SYT_ENDPOINT_REFS) == 1 &&
	       !(state & (SYT_ENDPOINT_CLAIMED | SYT_ENDPOINT_UNKNOWN | SYT_ENDPOINT_BESIDE));
}
