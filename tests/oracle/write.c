/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "tests/oracle/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct log_file *the_log;
__thread uint32_t my_slot __attribute__((tls_model("initial-exec"))) = LOG_SLOTS;

static __thread uint32_t knows[LOG_SLOTS], may_know[LOG_SLOTS];
static __thread struct call_name born_by;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct log_entry *entry_of(struct call_name name)
{
	return &the_log->slots[name.slot].entries[name.seq - 1];
}

static void learn(uint32_t *what, const uint32_t *theirs, struct call_name from)
{
	for (unsigned n = 0; n < LOG_SLOTS; n++)
		if (theirs[n] > what[n])
			what[n] = theirs[n];
	if (from.seq > what[from.slot])
		what[from.slot] = from.seq;
}

uint32_t write_new_slot(void)
{
	uint32_t slot = __atomic_fetch_add(&the_log->nr_slots, 1, __ATOMIC_RELAXED);

	if (slot >= LOG_SLOTS)
		abort();
	return slot;
}

void write_start(uint32_t slot, struct call_name parent)
{
	struct log_slot *s = &the_log->slots[slot];

	my_slot = slot;
	s->pid = (uint32_t)getpid();
	s->tid = (uint32_t)gettid();
	memset(knows, 0, sizeof(knows));
	memset(may_know, 0, sizeof(may_know));
	born_by = parent;
	if (parent.seq) {
		learn(knows, entry_of(parent)->knows, parent);
		learn(may_know, entry_of(parent)->may_know, parent);
	}
}

struct log_entry *write_begin(enum log_call call, unsigned object)
{
	static __thread struct log_entry nowhere;
	int err = errno;

	if (my_slot == LOG_SLOTS)
		return &nowhere;
	struct log_slot *s = &the_log->slots[my_slot];
	/* one instruction: a signal handler takes the next one */
	uint32_t n = __atomic_fetch_add(&s->nr, 1, __ATOMIC_RELAXED);

	if (n >= LOG_ENTRIES) {
		s->is_full = 1;
		abort();
	}
	struct log_entry *e = &s->entries[n];

	e->call = (uint16_t)call;
	e->object = (uint16_t)(object + 1);
	memcpy(e->knows, knows, sizeof(knows));
	memcpy(e->may_know, may_know, sizeof(may_know));
	e->knows[my_slot] = e->may_know[my_slot] = n + 1;
	if (born_by.seq) {
		e->sources[e->nr_sources++] = (struct log_source){
			.slot = (uint16_t)born_by.slot, .seq = born_by.seq, .why = LOG_BY_LIFE};
		born_by.seq = 0;
	}
	e->begin_ns = now_ns();
	__atomic_store_n(&e->state, 1, __ATOMIC_RELEASE);
	errno = err;
	return e;
}

void write_source(struct log_entry *e, struct call_name source, enum log_why why,
                  enum log_sureness sureness)
{
	if (my_slot == LOG_SLOTS || !source.seq)
		return;
	for (unsigned n = 0; n < e->nr_sources; n++)
		if (e->sources[n].slot == source.slot && e->sources[n].seq == source.seq &&
		    e->sources[n].why == why)
			return;
	if (e->nr_sources == LOG_SOURCES)
		abort();
	e->sources[e->nr_sources] = (struct log_source){.slot = (uint16_t)source.slot,
	                                                .why = (uint8_t)why,
	                                                .sureness = (uint8_t)sureness,
	                                                .seq = source.seq};
	__atomic_store_n(&e->nr_sources, (uint8_t)(e->nr_sources + 1), __ATOMIC_RELEASE);
	if (sureness != LOG_HIDDEN)
		learn(may_know, entry_of(source)->may_know, source);
	if (sureness == LOG_SURE)
		learn(knows, entry_of(source)->knows, source);
}

long write_end(struct log_entry *e, long result)
{
	int err = errno;

	if (my_slot == LOG_SLOTS)
		return result;
	e->end_ns = now_ns();
	e->result = result;
	__atomic_store_n(&e->state, 2, __ATOMIC_RELEASE);
	errno = err;
	return result;
}

struct call_name write_name(const struct log_entry *e)
{
	if (my_slot == LOG_SLOTS)
		return (struct call_name){0, 0};
	return (struct call_name){my_slot, (uint32_t)(e - the_log->slots[my_slot].entries) + 1};
}
