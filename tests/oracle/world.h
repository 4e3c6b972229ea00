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

#define WORLD_UNITS 1024 /* maximum number of tokens that a channel counts */
#define WORLD_ROUNDS 2

/* The data that a lock protects. */
struct section {
	struct call_name last; /* the last release of the lock by a writer */
	/* [slot]: sequence number of this reader's latest release since then */
	uint32_t readers[LOG_SLOTS];
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
	/* for barriers, the arrivals of each round; for channels of tokens, the sender of each token */
	struct call_name arrived[WORLD_ROUNDS][PLAN_ROLES];
	uint32_t given_by[WORLD_UNITS];     /* seq */
	uint32_t nr_given, nr_taken, giver; /* the slot */
	uint32_t word;                      /* a futex */
	char name[256];                     /* name of a named semaphore or of a file */
	int fds[2];                         /* fd for writing, fd for reading */
	int queue;                          /* System V */
	bool has_queue, has_semaphore;
	int semaphore;
	char address[108];
	unsigned address_bytes;
};

/* The first word sent over a connection names its write call; these members name the connect and the
 * close. */
struct connection {
	uint32_t connect, close; /* seq */
};

struct world {
	struct object objects[PLAN_OBJECTS];
	/* connections, by the number of connects that the slot has made */
	struct connection connections[LOG_SLOTS][64];
	uint32_t nr_connects[LOG_SLOTS];
	uint32_t heirs[PLAN_PROCESSES]; /* the log slot for the process's next image (exec) */
	struct call_name exec[PLAN_PROCESSES];
	struct call_name spawned_by[LOG_SLOTS];
	uint32_t nr_over; /* processes that have ended, each on its host */
};

/* A unit of sent data: the name of the writing call, and padding. */
struct word {
	uint32_t slot, seq, extra, magic;
};
#define WORD_MAGIC 0x64726f77u

extern struct world *the_world;
extern struct plan the_plan;

/* Returns the object with this number; a private object is the process's own. */
struct object *world_object(unsigned number);

/* Maps the log and the shared objects, which are in the file PATH. If NEW, initializes them. */
void world_open(const char *path, uint64_t seed, bool is_new);
/*
 * Initializes the shared objects, or the private objects of the process, except the inherited ones.
 */
void world_make_objects(bool is_private);
/* Makes the ends of the objects between hosts that belong to PROCESS, whose host has the address OWN. Waits for the other
 * hosts. */
void world_join_hosts(unsigned process, const char *own);
/* Initializes the objects that forked processes inherit. */
void world_make_inherited(void);
/* Returns the address of a named semaphore in this process. */
sem_t *world_named(unsigned number);
/* Returns an fd with the calling thread's own open file description of a file to lock. */
int world_file(unsigned number);
/* Returns the signal of a channel. */
int world_signal(unsigned number);
/* Returns the semaphore for OP_FAULT_POST, whose page can be made inaccessible. */
sem_t *world_fault_sem(void);
void world_close_page(void);
/* Makes the page of that semaphore accessible. Returns false if AT does not lie in the page. */
bool world_open_page(const void *at);
void world_remove(void);

void must(bool condition, const char *what);

/* Functions that perform the steps of a plan are in locks.c, tokens.c and channels.c. */
void lock_step(const struct plan_step *s);
void channel_step(const struct plan_step *s);
/* Waits, with its mutex, for the condition variable until it is cancelled. */
void lock_await_cancel(unsigned number);
/* Locks a robust mutex and does not unlock it before the thread ends. */
void lock_forever(unsigned number);
/* Do the work of the signal handlers. */
void lock_handler(void);
void channel_handler(void);
void token_send(const struct plan_step *s, struct object *o);
void token_receive(const struct plan_step *s, struct object *o);
/* Do the work of short threads and processes. */
void channel_shout(unsigned object);

#endif
