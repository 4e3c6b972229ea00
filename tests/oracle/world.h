/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * State that the processes of an oracle's program share: its sync objects, and the data that they
 * protect, which name the last holder. It follows the log in its file. Forked processes map it at
 * the same address, a new process image at any address.
 */
#ifndef SYT_TESTS_ORACLE_WORLD_H
#define SYT_TESTS_ORACLE_WORLD_H

#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>

#include "tests/oracle/plan.h"
#include "tests/oracle/write.h"

#define WORLD_UNITS 1024 /* tokens that a channel counts */
#define WORLD_ROUNDS 2

/* The data that a lock protects. */
struct section {
	struct call_name last;       /* the release that came last, of a writer's lock */
	uint32_t readers[LOG_SLOTS]; /* [slot]: the seq of its latest release since then */
	uint64_t serial;
};

struct object {
	union {
		pthread_mutex_t mutex;
		pthread_rwlock_t rwlock;
		pthread_spinlock_t spin;
		pthread_cond_t cond;
		sem_t sem;
		pthread_barrier_t barrier;
		pthread_once_t once;
		struct {
			pthread_mutex_t mutex;
			pthread_cond_t cond;
			unsigned filled;
		} gate;
	};
	struct section section;
	/* barriers: the arrivals, by round; channels of tokens: the giver of each */
	struct call_name arrived[WORLD_ROUNDS][PLAN_ROLES];
	uint32_t given_by[WORLD_UNITS];     /* seq */
	uint32_t nr_given, nr_taken, giver; /* the slot */
	uint32_t word;                      /* a futex */
	char name[256];                     /* a named semaphore's, a file's */
	int fds[2];                         /* written to, read from */
	int queue;                          /* System V */
	bool has_queue, has_semaphore;
	int semaphore;
	char address[108];
	unsigned address_bytes;
};

/* A connection's first word names its write; these name its connect and close. */
struct connection {
	uint32_t connect, close; /* seq */
};

struct world {
	struct object objects[PLAN_OBJECTS];
	struct connection connections[LOG_SLOTS][64]; /* by the count of the slot's connects */
	uint32_t nr_connects[LOG_SLOTS];
	uint32_t heirs[PLAN_PROCESSES]; /* the slot of an image that is to come */
	struct call_name exec[PLAN_PROCESSES];
	struct call_name spawned_by[LOG_SLOTS];
};

/* A unit of sent data: the name of the writing call, and padding. */
struct word {
	uint32_t slot, seq, extra, magic;
};
#define WORD_MAGIC 0x64726f77u

extern struct world *the_world;
extern struct plan the_plan;

/* The object under this number, the process' own if it is private. */
struct object *world_object(unsigned number);

/* Maps the log and the world in the file; NEW: makes them. */
void world_open(const char *path, uint64_t seed, bool is_new);
/*
 * Initializes the shared objects, or the private objects of the process, except the inherited ones.
 */
void world_make_objects(bool is_private);
/* Initializes the objects that forked processes inherit. */
void world_make_inherited(void);
/* Returns the address of a named semaphore in this process. */
sem_t *world_named(unsigned number);
/* The calling thread's own description of a file that is locked. */
int world_file(unsigned number);
/* Returns the signal of a channel. */
int world_signal(unsigned number);
/* Returns the semaphore for OP_FAULT_POST, whose page can be made inaccessible. */
sem_t *world_fault_sem(void);
void world_close_page(void);
/* Opens it; false: AT does not lie in it. */
bool world_open_page(const void *at);
void world_remove(void);

void must(bool condition, const char *what);

/* Steps: locks.c, tokens.c, channels.c. */
void lock_step(const struct plan_step *s);
void channel_step(const struct plan_step *s);
/* Waits, with its mutex, for the condition variable until it is cancelled. */
void lock_await_cancel(unsigned number);
/* Takes a robust mutex, and leaves it so. */
void lock_forever(unsigned number);
/* The work of signal handlers. */
void lock_handler(void);
void channel_handler(void);
void token_send(const struct plan_step *s, struct object *o);
void token_receive(const struct plan_step *s, struct object *o);
/* The work of short threads and processes. */
void channel_shout(unsigned object);

#endif
