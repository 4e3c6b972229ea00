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

uint8_t syt_in_flight_find(const struct syt_in_flight *m, uint32_t object, bool is_out)
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
	uint8_t entry;

	if (!m || !e->slot)
		return SYT_NR_IN_FLIGHT;
	entry = syt_in_flight_find(m, e->object, is_out);
	return entry < SYT_NR_IN_FLIGHT && syt_in_flight_note_first(&m[entry], e, is_out)
	               ? entry
	               : SYT_NR_IN_FLIGHT;
}

void syt_in_flight_end(const struct syt_frame *f, const struct syt_endpoint *e, uint8_t entry)
{
	struct syt_in_flight *m;

	if (entry >= SYT_NR_IN_FLIGHT)
		return;
	m = entries(f);
	if (m)
		syt_in_flight_remove(&m[entry], e->object);
}
