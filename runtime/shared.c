/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the shared mapping of an address, so that a process-shared object has one name in all processes of the
 * trace. The table is a short array of intervals: programs have few shared mappings with locks in them, and
 * each object is looked up once. Lock-free; fork copies it. */
#include "runtime/object.h"
#include "runtime/session.h"

#define NR_MAPS 1024u

enum { FREE, BUSY, USED };

static struct shared_map {
	uint32_t state;
	uintptr_t start, end;
	uint64_t identity, offset; /* trace-wide name of the byte at `start` */
} maps[NR_MAPS];

static uint32_t nr_maps; /* number of entries of the table that were ever used */
static uint32_t epoch;

uint32_t syt_shared_epoch(void)
{
	return __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);
}

static uint64_t mix(uint64_t v)
{
	v = (v ^ v >> 31) * UINT64_C(0x7fb5d329728ea185);
	v = (v ^ v >> 27) * UINT64_C(0x81dadef4bc2dd44d);
	return v ^ v >> 33;
}

uint64_t syt_shared_identity(void)
{
	struct syt_trace *t = syt_trace_shared();

	return t ? __atomic_add_fetch(&t->next_identity, 1, __ATOMIC_RELAXED) : 0;
}

static void add(uintptr_t start, uintptr_t end, uint64_t identity, uint64_t offset)
{
	for (uint32_t i = 0; i < NR_MAPS; i++) {
		uint32_t state = FREE;

		if (__atomic_load_n(&maps[i].state, __ATOMIC_RELAXED) != FREE ||
		    !__atomic_compare_exchange_n(&maps[i].state, &state, BUSY, false,
		                                 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		maps[i].start = start;
		maps[i].end = end;
		maps[i].identity = identity;
		maps[i].offset = offset;
		__atomic_store_n(&maps[i].state, USED, __ATOMIC_RELEASE);
		uint32_t n = __atomic_load_n(&nr_maps, __ATOMIC_RELAXED);

		while (n < i + 1 &&
		       !__atomic_compare_exchange_n(&nr_maps, &n, i + 1, true, __ATOMIC_RELEASE,
		                                    __ATOMIC_RELAXED))
			;
		return;
	}
	/* the table is full: the recorder knows that objects in this mapping are shared, but not with which
	 * process */
}

void syt_shared_map(const void *address, uint64_t bytes, uint64_t identity, uint64_t offset)
{
	syt_shared_unmap(address, bytes);
	if (identity)
		add((uintptr_t)address, (uintptr_t)address + bytes, identity, offset);
}

unsigned syt_shared_take(const void *address, uint64_t bytes, struct syt_shared_piece *pieces,
                         unsigned nr)
{
	uintptr_t start = (uintptr_t)address, end = start + bytes;
	uint32_t n = __atomic_load_n(&nr_maps, __ATOMIC_ACQUIRE);
	unsigned nr_taken = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct shared_map *m = &maps[i];
		uint32_t used = USED;

		if (m->end <= start || m->start >= end ||
		    !__atomic_compare_exchange_n(&m->state, &used, BUSY, false, __ATOMIC_ACQUIRE,
		                                 __ATOMIC_RELAXED))
			continue;

		struct shared_map old = *m;
		uintptr_t from = old.start > start ? old.start : start;
		uintptr_t to = old.end < end ? old.end : end;

		__atomic_store_n(&m->state, FREE, __ATOMIC_RELEASE);
		__atomic_fetch_add(&epoch, 1, __ATOMIC_RELEASE);
		if (old.start < start)
			add(old.start, start, old.identity, old.offset);
		if (old.end > end)
			add(end, old.end, old.identity, old.offset + (end - old.start));
		if (nr_taken < nr)
			pieces[nr_taken++] =
				(struct syt_shared_piece){from - start, to - from, old.identity,
			                                  old.offset + (from - old.start)};
	}
	return nr_taken;
}

void syt_shared_unmap(const void *address, uint64_t bytes)
{
	syt_shared_take(address, bytes, NULL, 0);
}

uint64_t syt_shared_find(const volatile void *address, uint16_t *flags)
{
	uintptr_t a = (uintptr_t)address;
	uint32_t n = __atomic_load_n(&nr_maps, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++) {
		const struct shared_map *m = &maps[i];

		if (__atomic_load_n(&m->state, __ATOMIC_ACQUIRE) == USED && a >= m->start &&
		    a < m->end) {
			uint64_t name = mix(m->identity) + m->offset + (a - m->start);

			if (flags)
				*flags |= m->identity >> 63
				                  ? SYT_OBJECT_SHARED
				                  : SYT_OBJECT_SHARED | SYT_OBJECT_IN_TRACE;
			return name ? name : 1;
		}
	}
	return 0;
}
