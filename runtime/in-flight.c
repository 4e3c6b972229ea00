/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/in-flight.h"

#include "runtime/self.h"

/* Returns the calling thread's entries for calls in progress; NULL if F was entered in another process or
 * thread. */
static inline struct syt_in_flight *entries(const struct syt_frame *f)
{
	struct syt_self *s = syt_self_tls;

	if (*syt_alive != f->alive || (f->alive & SYT_ALIVE_MASK) != SYT_ALIVE || !s || s->borrower)
		return NULL;
	return s->slot.shared->in_flight;
}

/* Returns the first free entry. Returns SYT_NR_IN_FLIGHT if no entry is free, or if OBJECT already has an
 * entry, from a call that this call interrupts or from a call that was left by a jump. */
static __attribute__((noinline)) uint8_t find(const struct syt_in_flight *m, uint32_t object,
                                              bool is_out)
{
	uint8_t first = SYT_NR_IN_FLIGHT;

	for (uint8_t i = 0; i < SYT_NR_IN_FLIGHT; i++) {
		if (m[i].object == object && m[i].is_out == is_out)
			return SYT_NR_IN_FLIGHT;
		if (!m[i].object && first == SYT_NR_IN_FLIGHT)
			first = i;
	}
	return first;
}

uint8_t syt_in_flight_begin(const struct syt_frame *f, const struct syt_endpoint *e, bool is_out)
{
	struct syt_in_flight *m = entries(f);
	uint8_t entry = 0;
	uint64_t counter;

	if (!m || !e->slot)
		return SYT_NR_IN_FLIGHT;
	if (__builtin_expect(m[0].object != 0, 0))
		entry = find(m, e->object, is_out);
	counter = __atomic_load_n(is_out ? &e->slot->tx : &e->slot->rx, __ATOMIC_RELAXED);
	if (entry == SYT_NR_IN_FLIGHT || counter >> 48 != e->generation)
		return SYT_NR_IN_FLIGHT;
	m[entry].position = counter & SYT_ENDPOINT_COUNT;
	m[entry].is_out = is_out;
	SYT_ORDERED();
	m[entry].object = e->object;
	SYT_ORDERED();
	return entry;
}

void syt_in_flight_end(const struct syt_frame *f, const struct syt_endpoint *e, uint8_t entry)
{
	struct syt_in_flight *m;

	if (entry >= SYT_NR_IN_FLIGHT)
		return;
	m = entries(f);
	SYT_ORDERED();
	/* if a coroutine moved to another thread during the call, ENTRY now belongs to another call */
	if (m && m[entry].object == e->object)
		m[entry].object = 0;
}
