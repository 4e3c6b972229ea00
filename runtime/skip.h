/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The short form of calls that a sampler skips and that need their wrapper: the countdown of the call's site decides, as in the
 * entry of other calls (preload/fast-entry.S). A call on a stream notes its endpoint before the real call and counts its bytes
 * after it. Such a call leaves no record. The wrappers contain the functions inline, because calls would cost as much. Calls on
 * semaphores and condition variables, and datagrams, leave a ghost.
 *
 * In an unusual case the functions return false and do nothing. The wrapper then takes the long way (preload/io.h): at the end
 * of a countdown, in a kept turn, in a signal handler that interrupts a decision, if another call moved the counter
 * meanwhile, or if a mark may keep the call.
 */
#ifndef SYT_RUNTIME_SKIP_H
#define SYT_RUNTIME_SKIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/clock.h"
#include "runtime/endpoint_peek.h"
#include "runtime/endpoint_slot.h"
#include "runtime/in-flight.h"
#include "runtime/mark.h"
#include "runtime/plain-body.h"
#include "runtime/quick-site.h"
#include "runtime/self.h"

/* The state of the calling thread if the sampler may skip its calls: its turn is not kept, and it takes no decision now. Else
 * NULL. */
extern __thread struct syt_self *syt_sample_skips __attribute__((visibility("hidden")));
/* The table in which the short entries look, of this thread or without sites. */
extern __thread struct syt_sampling *syt_sample_sites __attribute__((visibility("hidden")));

/* Reads syt_sample_skips again after the real call, as syt_self_now() does. */
static SYT_ALWAYS_INLINE struct syt_self *syt_skip_self(void)
{
#if defined(__x86_64__)
	struct syt_self *s;

	__asm__ volatile("movq syt_sample_skips@gottpoff(%%rip), %0\n\t"
	                 "movq %%fs:(%0), %0"
	                 : "=r"(s)
	                 :
	                 : "memory");
	return s;
#else
	return NULL;
#endif
}

/* Does syt_skip_find() for a site that is not at its place in `quick`. */
struct syt_site *syt_skip_look(struct syt_sampling *shared, uint32_t number);

/* Returns the site of CALL with the frame FP of the thread S if its countdown skips the call, else NULL. The call begins a turn
 * if it is at the head. IS_WAIT: the call always waits; if it becomes the head, the countdown does not skip it. The number
 * of a forked child is 0, as in the short entry. */
static SYT_ALWAYS_INLINE struct syt_site *syt_skip_find(struct syt_self *s, const void *fp,
                                                        uint32_t call, bool is_wait)
{
	struct syt_sampling *shared = s->sample.shared;
	uint32_t number = ((uint32_t)((const uintptr_t *)fp)[1] * SYT_SITE_PC +
	                   (uint32_t)(uintptr_t)fp + 8 + call * SYT_SITE_CALL) *
	                  *(const volatile uint32_t *)&syt_alive[1];
	struct syt_site *site = (struct syt_site *)((char *)shared + SYT_QUICK_NONE_AT +
	                                            8 * shared->quick[(uint8_t)number]);
	struct syt_sample *t = &s->sample;
	bool is_head = __builtin_expect(t->head.fp == (uintptr_t)fp, 0) &&
	               t->head.pc == ((const uintptr_t *)fp)[1];

	if (__builtin_expect(site->tag != (uint16_t)(number >> 8) || !site->countdown, 0)) {
		site = syt_skip_look(shared, number);
		if (!site)
			return NULL;
	}
	/* only the head counts down to a decision */
	if (__builtin_expect(t->sampler.options.at_root, 0) && is_head != (site->drawn != 0))
		return NULL;
	if (is_wait && !is_head) {
		uintptr_t pc = ((const uintptr_t *)fp)[1];

		/* the rule of a wait that may become the head */
		if (!t->head.pc || (uintptr_t)fp > t->head.fp ||
		    (t->latest.fp == (uintptr_t)fp && t->latest.pc == pc))
			return NULL;
		t->latest = (struct syt_call_site){pc, (uintptr_t)fp};
	}
	if (__builtin_expect(is_head, 0)) {
		t->nr = 1;
		t->nr_seen = shared->left_out;
		t->since = 0; /* the clock is not read */
		t->latest.pc = 0;
	}
	return site;
}

/* Counts a call of SITE that leaves no record. FROM: the time before the call; 0: now. */
static SYT_ALWAYS_INLINE void syt_skip_count(struct syt_self *s, struct syt_site *site,
                                             uint64_t from)
{
	struct syt_sampling *shared = s->sample.shared;

	if (__builtin_expect(!shared->left_out, 0)) {
		shared->gap_from = from ? from : syt_clock_release();
		SYT_ORDERED();
		syt_sample_sites = shared;
	}
	site->countdown--;
	SYT_ORDERED();
	shared->left_out++;
}

/* Counts a call of SITE that gets a record. The count of calls that are left out is right at each moment. */
static SYT_ALWAYS_INLINE void syt_skip_count_recorded(struct syt_self *s, struct syt_site *site)
{
	struct syt_sampling *shared = s->sample.shared;
	struct syt_site_count *count = &shared->counts[site - shared->sites.all];

	if (__builtin_expect(count->run == site->countdown, 1))
		count->run--;
	else
		syt_sample_end_run(shared, site);
	SYT_ORDERED();
	site->countdown--;
	SYT_ORDERED();
	count->run = site->countdown;
	s->sample.nr++;
}

/* A skipped call in progress on an endpoint with counters (`slot`), on a file, or on a semaphore or condition variable. */
struct syt_skip {
	struct syt_self *self; /* identifies the thread; nothing reads its state by this pointer */
	struct syt_site *site;
	uint16_t tag;                 /* of the site */
	uint32_t alive; /* of a call that becomes a ghost: *syt_alive before the call */
	struct syt_endpoint endpoint; /* without the flag SYT_ENDPOINT_WRITER */
	uint64_t was; /* the endpoint's counter before the call, with its generation */
	uint64_t in;  /* of a call that becomes a ghost: 0 if it did not wait */
};

#define SYT_SKIP_COUNTED                                                                           \
	(1u << SYT_KIND_STREAM | 1u << SYT_KIND_PIPE | 1u << SYT_KIND_EVENTFD |                    \
	 1u << SYT_KIND_DGRAM)

/* Begins CALL of the wrapper's frame FP, which sends to FD (IS_OUT) or receives from it. Returns false if the wrapper must take
 * the long way. */
static SYT_ALWAYS_INLINE bool syt_skip_begin(struct syt_skip *k, const void *fp, uint32_t call,
                                             int fd, bool is_out)
{
	struct syt_self *s = syt_skip_self();
	struct syt_in_flight *note;
	uint8_t kind;

	if (!s || !(k->site = syt_skip_find(s, fp, call, false)) ||
	    !syt_endpoint_peek(fd, &k->endpoint))
		return false;
	kind = syt_facts_kind(k->endpoint.facts);
	if (__builtin_expect(SYT_SKIP_COUNTED >> kind & 1 && k->endpoint.slot, 1)) {
		uint64_t generation = (uint64_t)syt_facts_generation(k->endpoint.facts) << 48;

		note = s->slot.shared->in_flight;
		k->was = __atomic_load_n(is_out ? &k->endpoint.slot->tx : &k->endpoint.slot->rx,
		                         __ATOMIC_RELAXED);
		if (__builtin_expect(
			    (k->was ^ generation) > SYT_ENDPOINT_COUNT / 2 || note->object ||
				    __atomic_load_n(&k->endpoint.slot->state, __ATOMIC_RELAXED) &
					    SYT_ENDPOINT_UNKNOWN,
			    0))
			return false;
		note->position = k->was ^ generation;
		note->is_out = is_out;
		SYT_ORDERED();
		note->object = k->endpoint.object;
		SYT_ORDERED();
	} else if (kind != SYT_KIND_FILE) {
		return false;
	}
	k->self = s;
	k->tag = k->site->tag;
	k->in = syt_clock_release();
	return true;
}

/* Returns true if a mark may tell of data that are received from the endpoint WORD. */
static SYT_ALWAYS_INLINE bool syt_skip_may_be_marked(uint64_t word)
{
	const struct syt_endpoint_record *r = syt_endpoint_record_of(word);

	if (__builtin_expect(r->class != SYT_CLASS_SOCKET || !syt_mark_table, 0))
		return syt_mark_may_end(&(struct syt_endpoint){.slot = r->slot, .word = word});
	return syt_mark_may_be(__atomic_load_n(&r->inbox, __ATOMIC_RELAXED));
}

/* Returns true if the call K still counts at its site: a signal handler may have taken the entry. */
static SYT_ALWAYS_INLINE bool syt_skip_is_valid(const struct syt_skip *k, const struct syt_self *s)
{
	return __builtin_expect(s && s == k->self && k->site->tag == k->tag && k->site->countdown,
	                        1);
}

/* Does syt_endpoint_note_reader(). */
static SYT_ALWAYS_INLINE void syt_skip_note_reader(const struct syt_skip *k, uint32_t thread)
{
	struct syt_endpoint_record *r = syt_endpoint_record_of(k->endpoint.word);

	if (syt_endpoint_record_is_of(r, k->endpoint.word))
		__atomic_store_n(&r->reader, thread + 1, __ATOMIC_RELAXED);
}

/* Ends the call K, which moved NR bytes (eventfd: units), less than 2^32. HAS_FAILED: it returned -1. Returns false if the call needs a
 * record. */
static SYT_ALWAYS_INLINE bool syt_skip_end(const struct syt_skip *k, bool is_out, uint64_t nr,
                                           bool has_failed)
{
	struct syt_endpoint_slot *slot = k->endpoint.slot;
	struct syt_self *s = syt_skip_self();

	if (!syt_skip_is_valid(k, s))
		return false;
	if (slot) {
		uint64_t *counter = is_out ? &slot->tx : &slot->rx, was = k->was;

		if (!is_out && nr && s->sample.sampler.options.hops &&
		    syt_skip_may_be_marked(k->endpoint.word))
			return false;
		if (nr ? !__atomic_compare_exchange_n(counter, &was, was + nr, false,
		                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)
		       : !has_failed && __atomic_load_n(counter, __ATOMIC_RELAXED) != was)
			return false;
		if (!is_out && nr)
			syt_skip_note_reader(k, s->thread);
		syt_in_flight_remove(s->slot.shared->in_flight, k->endpoint.object);
	}
	syt_skip_count(s, k->site, k->in);
	return true;
}

/* Ends CALL of the frame FP with the state K, which moved one datagram of BYTES (not 0), with a ghost that has FLAGS and
 * PEER. Returns false, and does nothing, in an unusual case. */
bool syt_skip_datagram(const struct syt_skip *k, const void *fp, uint32_t call, bool is_out,
                       uint64_t bytes, uint64_t flags, uint64_t peer);

/* A call on a semaphore or a condition variable that returned 0. Of a wait for a condition variable, the countdown skips only
 * those that do not become the head of the loop. */
enum syt_skip_ghost { SYT_GHOST_RELEASE, SYT_GHOST_TAKE, SYT_GHOST_COND_WAIT };

/* Begins CALL of the wrapper's frame FP, which becomes a ghost. IS_WAIT: as for syt_skip_find(). Returns false if the wrapper must
 * take the long way. */
static SYT_ALWAYS_INLINE bool syt_skip_begin_ghost(struct syt_skip *k, const void *fp,
                                                   uint32_t call, bool is_wait)
{
	struct syt_self *s = syt_skip_self();

	if (!s || s->sample.has_budget || !(k->site = syt_skip_find(s, fp, call, is_wait)))
		return false;
	k->self = s;
	k->tag = k->site->tag;
	k->alive = *syt_alive;
	k->in = 0;
	return true;
}

/* Notes in the dump that the call K waits. Returns the time. */
uint64_t syt_skip_wait(const struct syt_skip *k, uint32_t call, uint32_t object, uint32_t object2);
/* Records the end of the call K. */
void syt_skip_end_ghost(const struct syt_skip *k, const void *fp, uint32_t call, uint32_t object,
                        uint32_t object2, enum syt_skip_ghost kind);

/* What the wrapper of a readiness call does: it goes the long way; it forwards the call, which is counted; or it calls
 * syt_skip_end_ready() if no descriptor has a mark. */
enum syt_skip_ready { SYT_SKIP_NOT, SYT_SKIP_FORWARD, SYT_SKIP_LOOK };

static SYT_ALWAYS_INLINE enum syt_skip_ready syt_skip_begin_ready(struct syt_skip *k,
                                                                  const void *fp, uint32_t call)
{
	struct syt_self *s = syt_skip_self();

	if (!s || !(k->site = syt_skip_find(s, fp, call, true)))
		return SYT_SKIP_NOT;
	if (!s->sample.sampler.options.hops) {
		syt_skip_count(s, k->site, 0);
		return SYT_SKIP_FORWARD;
	}
	k->self = s;
	k->tag = k->site->tag;
	k->in = syt_clock_release();
	return SYT_SKIP_LOOK;
}

/* Ends the call K. Returns false if it needs a record. */
static SYT_ALWAYS_INLINE bool syt_skip_end_ready(const struct syt_skip *k)
{
	struct syt_self *s = syt_skip_self();

	if (!syt_skip_is_valid(k, s))
		return false;
	syt_skip_count(s, k->site, k->in);
	return true;
}

/* Notes that CALL of the frame FP, which began in the short form, was not selected, and gets a record. */
void syt_skip_records(const void *fp, uint32_t call);

#endif
