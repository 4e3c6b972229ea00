/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The plan of a program of the oracle, made from a seed, the same in all its processes.
 *
 * A plan is one sequence of steps, each of one role (a thread of a process). One thread could carry
 * it out in this order without ever waiting for a later step. Each role takes its own steps in this
 * order. No role waits for ever: a role that waits without a time limit is the only taker at this
 * object, and one other role gives there, so the token cannot be taken away. Every other wait is
 * timed.
 */
#ifndef SYT_TESTS_ORACLE_PLAN_H
#define SYT_TESTS_ORACLE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#define PLAN_PROCESSES 4
#define PLAN_THREADS 4 /* number of threads of a process, including the main thread */
#define PLAN_ROLES (PLAN_PROCESSES * PLAN_THREADS)
#define PLAN_STEPS 4096
#define PLAN_OBJECTS 40

enum plan_kind {
	PLAN_MUTEX,
	PLAN_RWLOCK,
	PLAN_SPIN,
	PLAN_COND, /* a condition variable, used with the mutex that precedes it in the plan */
	PLAN_SEM,  /* used by anybody */
	PLAN_BARRIER,
	PLAN_ONCE,
	PLAN_FILE,    /* that is locked */
	PLAN_CHANNEL, /* a channel from one role to another role */
	PLAN_CROWD,   /* a channel on which any role sends and any role receives */
	PLAN_PORT,    /* a listening socket; any role connects, one role accepts */
};

enum plan_channel {
	CHANNEL_PIPE,
	CHANNEL_SOCKETPAIR,
	CHANNEL_TCP,
	CHANNEL_EVENTFD,
	CHANNEL_QUEUE,
	CHANNEL_SYSV,
	CHANNEL_PACKET, /* SOCK_SEQPACKET */
	CHANNEL_DATAGRAM,
	CHANNEL_SEM,
	CHANNEL_GATE, /* a mutex, a condition variable and a number */
	CHANNEL_FUTEX,
	CHANNEL_NAMED, /* semaphore */
	CHANNEL_UDP,
	CHANNEL_SIGNAL, /* within a process */
	CHANNEL_SEMSET, /* a System V semaphore that moves several tokens at once */
	CHANNEL_PASS,   /* a pipe is passed on for each word */
	NR_CHANNELS
};

struct plan_object {
	uint8_t kind; /* enum plan_kind */
	/* for mutexes the type; for channels enum plan_channel; for ports 1 for TCP */
	uint8_t type;
	bool is_private;   /* each process has its own */
	bool is_inherited; /* the object is made before the fork, so the child has a copy of it */
	uint8_t from, to;  /* roles; ports: to */
	uint8_t initial;   /* initial tokens of a semaphore; count of a barrier */
	uint16_t members;  /* barrier: bits of roles */
};

enum plan_op {
	OP_LOCK,
	OP_CANCEL, /* a short thread is cancelled while it waits for this object */
	OP_DIE,    /* a short thread ends while it holds this lock */
	OP_NESTED, /* this lock and the lock whose number is the argument */
	OP_READ_LOCK,
	OP_WRITE_LOCK,
	OP_SPIN,
	OP_FILE,
	OP_COND_WAIT,
	OP_COND_SIGNAL,
	OP_COND_BROADCAST,
	OP_POST,
	OP_FAULT_POST, /* a signal handler runs in the middle of a post */
	OP_TAKE,
	OP_BARRIER,
	OP_ONCE,
	OP_SEND,
	OP_RECEIVE,
	OP_CROWD_SEND,
	OP_CROWD_RECEIVE,
	OP_CONNECT,
	OP_ACCEPT,
	OP_THREAD, /* a short thread, joined */
	OP_FORK,   /* a short process, reaped */
	OP_SPAWN,  /* a short process with its own process image (posix_spawn) */
	OP_REST,
	OP_NOISE, /* many calls that the log does not contain */
};

struct plan_step {
	uint8_t role, op, object;
	uint8_t how;    /* a random number that selects a variant of the step */
	uint16_t count; /* words, tokens */
};

struct plan {
	/* each process runs on its own host: only TCP between hosts, everything else within a process */
	bool has_hosts;
	unsigned nr_processes, nr_threads[PLAN_PROCESSES];
	bool is_execed[PLAN_PROCESSES];    /* the process replaces its image at once */
	unsigned alarm_us[PLAN_PROCESSES]; /* interval of the alarm signal; 0: no alarm */
	unsigned nr_objects;
	struct plan_object objects[PLAN_OBJECTS];
	unsigned crowd, tokens; /* objects that signal handlers use */
	unsigned fault;         /* the semaphore that OP_FAULT_POST posts */
	unsigned nr_steps;
	struct plan_step steps[PLAN_STEPS];
};

/* Makes the plan of SEED, for one host or one host per process. NOISE is the approximate number of unlogged calls between the
 * steps. */
void plan_make(struct plan *p, uint64_t seed, unsigned noise, bool has_hosts);

static inline unsigned plan_process(unsigned role)
{
	return role / PLAN_THREADS;
}

/* Returns true if the two ends of the object are made by the processes of its roles. */
static inline bool plan_is_between_hosts(const struct plan *p, const struct plan_object *o)
{
	return p->has_hosts && !o->is_private && (o->kind == PLAN_PORT || o->kind == PLAN_CHANNEL);
}

#endif
