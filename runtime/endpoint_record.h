/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The endpoints that this process holds: one record per endpoint, for any number of fds.
 *
 * A word identifies a record: sequence << 25 | writer << 24 | index of the record. Sequences are never
 * reused, so a word identifies one endpoint for ever. A record belongs to one word until the process has
 * closed the endpoint.
 *
 * In a deep pause, calls that move bytes are not counted. After it, `syntrace resume` makes the counters of all endpoints stale,
 * and so does each thread for the endpoints of its process, when it has returned from its last uncounted call. The next
 * recorded call on a stale endpoint asks the kernel for the positions before it moves bytes, as at an adoption. The positions are
 * known only if no other process holds the endpoint, because a call of that process may still be in progress: each process
 * has a reference to the endpoints of its uncounted calls before these calls begin. If it is unknown, it stays so until
 * the endpoint is stale again. The decoder uses no event that began before the threads of the process have
 * returned. A recorded call that lasts while another thread learns the positions gets the flag SYT_EVENT_UNCOUNTED.
 *
 * Only runtime/ uses these functions. They are lock-free and may run in any thread and in signal handlers.
 */
#ifndef SYT_RUNTIME_ENDPOINT_RECORD_H
#define SYT_RUNTIME_ENDPOINT_RECORD_H

#include "runtime/endpoint.h"
#include "runtime/endpoint_probe.h"

#define SYT_WORD_INDEX_BITS 24
#define SYT_WORD_INDEX ((UINT64_C(1) << SYT_WORD_INDEX_BITS) - 1)
#define SYT_WORD_WRITER (UINT64_C(1) << SYT_WORD_INDEX_BITS)
#define SYT_WORD_SEQUENCE_SHIFT (SYT_WORD_INDEX_BITS + 1)

/* The parts of a word `life`: sequence << 24 | number of this process's fds that refer to the endpoint. */
#define SYT_LIFE_SHIFT 24
#define SYT_LIFE_REFS ((UINT64_C(1) << SYT_LIFE_SHIFT) - 1)

#define SYT_RECORDS_PER_CHUNK 512u
#define SYT_NR_RECORD_CHUNKS 2048u

struct syt_endpoint_record {
	/* The members that each call reads: one cache line. */
	uint64_t life;
	/* number of forks << 32 | object id in the dump that this process wrote then */
	uint64_t object;
	uint64_t remote; /* hash of the connected peer's address */
	struct syt_endpoint_slot *slot;
	union {
		uint64_t facts; /* as in struct syt_endpoint, with the next members */
		struct {
			uint16_t generation, segment;
			uint8_t kind, flags;
		};
	};

	uint8_t class;
	uint64_t identity;
	uint16_t object_flags; /* SYT_OBJECT_* */
	uint32_t object_generation;
	int32_t fd;    /* an fd that once referred to the endpoint */
	uint32_t next; /* index + 1 of the next free record */
	uint32_t reader; /* with a sampler: 1 + number of the thread that received last; 0: none */
	struct syt_inet inet;
	/* sockets: the keys of marks of received and sent data, the same for both ends of a connection; 0: unknown */
	uint64_t inbox, outbox;
} __attribute__((aligned(64)));

extern struct syt_endpoint_record *syt_endpoint_records[SYT_NR_RECORD_CHUNKS]
	__attribute__((visibility("hidden")));
/* number of forks since the first process image */
extern uint32_t syt_endpoint_epoch __attribute__((visibility("hidden")));

/* Returns the endpoint record that WORD identifies, or NULL if WORD is invalid. */
static inline struct syt_endpoint_record *syt_endpoint_record_of(uint64_t word)
{
	uint32_t i = (uint32_t)(word & SYT_WORD_INDEX);
	struct syt_endpoint_record *c;

	if (i / SYT_RECORDS_PER_CHUNK >= SYT_NR_RECORD_CHUNKS)
		return NULL;
	c = __atomic_load_n(&syt_endpoint_records[i / SYT_RECORDS_PER_CHUNK], __ATOMIC_ACQUIRE);
	return c ? &c[i % SYT_RECORDS_PER_CHUNK] : NULL;
}

/* Returns true if the record R belongs to the endpoint that WORD identifies. */
static inline bool syt_endpoint_record_is_of(const struct syt_endpoint_record *r, uint64_t word)
{
	return r && __atomic_load_n(&r->life, __ATOMIC_ACQUIRE) >> SYT_LIFE_SHIFT ==
	                    word >> SYT_WORD_SEQUENCE_SHIFT;
}

/* Makes a record with one reference and defines an object for FD's endpoint, which P describes. Returns the
 * record's word, or 0 on failure. */
uint64_t syt_endpoint_record_add(int fd, struct syt_probe *p, bool is_birth, unsigned flags);

/* Returns the word of the endpoint that P describes if this process already holds it by another fd without
 * a dup: it came back through a socket, or a FIFO was opened twice. Returns 0 if the endpoint is new. */
uint64_t syt_endpoint_record_find(const struct syt_probe *p);

/* Copies the endpoint of WORD to E. Returns false if no fd refers to the endpoint any more. FD, if >= 0,
 * refers to the endpoint. */
bool syt_endpoint_record_read(uint64_t word, int fd, struct syt_endpoint *e);

/* Sets the flag of E that its word contains. */
static inline void syt_endpoint_mark_writer(struct syt_endpoint *e)
{
	_Static_assert(SYT_ENDPOINT_WRITER == 1, "the writer's bit of a word becomes this flag");
	e->facts |= (e->word & SYT_WORD_WRITER) << (SYT_FACTS_FLAGS_SHIFT - SYT_WORD_INDEX_BITS);
}

/* Does syt_endpoint_record_read() for WORD, which the fd table once contained, if this process has defined the endpoint's
 * object. E lacks the flag SYT_ENDPOINT_WRITER (syt_endpoint_mark_writer). Otherwise it returns false and leaves E
 * undefined. The record was complete before the fd table contained WORD, so only later changes matter: one look at `life`,
 * after the members, finds them. */
static inline __attribute__((always_inline)) bool syt_endpoint_record_peek(uint64_t word,
                                                                           struct syt_endpoint *e)
{
	uint32_t i = (uint32_t)(word & SYT_WORD_INDEX);
	/* a word of the fd table has a record, and no chunk of records is ever unmapped */
	const struct syt_endpoint_record *r =
		__atomic_load_n(&syt_endpoint_records[i / SYT_RECORDS_PER_CHUNK],
	                        __ATOMIC_ACQUIRE) +
		i % SYT_RECORDS_PER_CHUNK;
	uint64_t object = __atomic_load_n(&r->object, __ATOMIC_ACQUIRE);

	if (__builtin_expect(object >> 32 != syt_endpoint_epoch, 0))
		return false;
	e->slot = __atomic_load_n(&r->slot, __ATOMIC_RELAXED);
	e->word = word;
	e->remote = __atomic_load_n(&r->remote, __ATOMIC_RELAXED);
	e->object = (uint32_t)object;
	e->facts = __atomic_load_n(&r->facts, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	/* the number of references may have changed, but not the sequence */
	return __builtin_expect(__atomic_load_n(&r->life, __ATOMIC_ACQUIRE) >> SYT_LIFE_SHIFT ==
	                                word >> SYT_WORD_SEQUENCE_SHIFT,
	                        1);
}

/* Counts one more fd that refers to WORD's endpoint. Returns false if the endpoint is gone. */
bool syt_endpoint_record_hold(uint64_t word);
/* Counts one fd less that refers to WORD's endpoint. Returns true if it was the last fd of this process. */
bool syt_endpoint_record_drop(uint64_t word);

/* Returns true if more than one fd refers to the endpoint. */
bool syt_endpoint_record_has_others(uint64_t word);

/* Returns an fd that once referred to WORD's endpoint, or -1. */
int syt_endpoint_record_fd(uint64_t word);
/* Returns the id of the object of WORD's endpoint in this process' dump; 0: the endpoint is gone. FD, if >=
 * 0, refers to the endpoint. */
uint32_t syt_endpoint_record_object(uint64_t word, int fd);

/* Returns the properties of WORD's endpoint; domain 0: the endpoint is no internet socket, or gone. */
struct syt_inet syt_endpoint_record_inet(uint64_t word);

/* If WORD's endpoint has no name in the kernel (eventfd etc.), fills A and returns true. */
bool syt_endpoint_record_anon(uint64_t word, struct syt_endpoint_anon *a);

/* Writes the addresses of E's socket, which P contains, to the dump, and updates E. */
void syt_endpoint_record_name(struct syt_endpoint *e, struct syt_probe *p);

/* Records that the sockets A and B (words) are each other's peers. */
void syt_endpoint_record_pair(uint64_t a, uint64_t b);
/* Returns true if the dump needs a name for E's object, and assumes that it gets one. */
bool syt_endpoint_record_needs_name(const struct syt_endpoint *e);
/* Records that a send through WORD's endpoint is split into datagrams of BYTES. */
void syt_endpoint_record_split(uint64_t word, uint16_t bytes);
/* Records that WORD's socket, which P describes, is a listening socket from now on. */
void syt_endpoint_record_listen(uint64_t word, const struct syt_probe *p);

/* Does syt_endpoint_learn() and syt_endpoint_stale(). */
void syt_endpoint_record_learn(int fd, struct syt_endpoint *e);
void syt_endpoint_record_stale(void);

/* syt_endpoint_record_leave(): the process image ends, so other processes ignore its fds.
 * syt_endpoint_record_stay(): the exec failed, so the image continues. */
void syt_endpoint_record_leave(void);
void syt_endpoint_record_stay(void);

/* Called in a forked child: counts every record as one more reference to its endpoint, and makes the child
 * define the objects again. */
void syt_endpoint_record_fork_child(void);

#endif
