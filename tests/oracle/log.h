/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The log that a program of the oracle writes, and that its judge reads (doc/oracle.md).
 *
 * The log is one file, mapped by every process of the program from the start. So writing to the log
 * needs no system call, and the log survives SIGKILL. A slot is a thread; its entries are its calls in
 * the order in which they began.
 */
#ifndef SYT_TESTS_ORACLE_LOG_H
#define SYT_TESTS_ORACLE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#define LOG_SLOTS 32
#define LOG_ENTRIES 2048 /* of a slot */
#define LOG_SOURCES 32   /* of an entry */
#define LOG_OBJECTS 64
#define LOG_MAGIC UINT64_C(0x656c6361726f7430)

/* The calls that the program writes into the log, as LOG_CALL(name). */
/* clang-format off */
#define LOG_CALLS(LOG_CALL) \
	LOG_CALL(pthread_create) LOG_CALL(pthread_join) LOG_CALL(fork) LOG_CALL(posix_spawn) LOG_CALL(waitpid) LOG_CALL(execv) \
	LOG_CALL(pthread_mutex_lock) LOG_CALL(pthread_mutex_trylock) LOG_CALL(pthread_mutex_timedlock) \
	LOG_CALL(pthread_mutex_unlock) \
	LOG_CALL(pthread_rwlock_rdlock) LOG_CALL(pthread_rwlock_wrlock) LOG_CALL(pthread_rwlock_tryrdlock) \
	LOG_CALL(pthread_rwlock_trywrlock) LOG_CALL(pthread_rwlock_unlock) \
	LOG_CALL(pthread_spin_lock) LOG_CALL(pthread_spin_unlock) \
	LOG_CALL(pthread_cond_wait) LOG_CALL(pthread_cond_timedwait) LOG_CALL(pthread_cond_signal) \
	LOG_CALL(pthread_cond_broadcast) \
	LOG_CALL(sem_post) LOG_CALL(sem_wait) LOG_CALL(sem_timedwait) LOG_CALL(sem_trywait) \
	LOG_CALL(pthread_barrier_wait) LOG_CALL(pthread_once) \
	LOG_CALL(write) LOG_CALL(send) LOG_CALL(sendmsg) LOG_CALL(writev) LOG_CALL(sendto) \
	LOG_CALL(read) LOG_CALL(recv) LOG_CALL(recvmsg) LOG_CALL(readv) LOG_CALL(recvfrom) \
	LOG_CALL(eventfd_write) LOG_CALL(eventfd_read) \
	LOG_CALL(poll) LOG_CALL(select) LOG_CALL(epoll_wait) \
	LOG_CALL(mq_send) LOG_CALL(mq_timedsend) LOG_CALL(mq_receive) LOG_CALL(mq_timedreceive) \
	LOG_CALL(msgsnd) LOG_CALL(msgrcv) \
	LOG_CALL(futex_wake) LOG_CALL(futex_wait) LOG_CALL(sigqueue) LOG_CALL(sigwaitinfo) \
	LOG_CALL(flock) LOG_CALL(fcntl_lock) LOG_CALL(semop) LOG_CALL(semop_post) \
	LOG_CALL(pthread_cancel) LOG_CALL(cond_cancelled) \
	LOG_CALL(connect) LOG_CALL(accept) LOG_CALL(close)
/* clang-format on */

#define LOG_ENUM(name_) LOG_##name_,
enum log_call { LOG_NO_CALL, LOG_CALLS(LOG_ENUM) LOG_NR_CALLS };
#undef LOG_ENUM

/* The reason why the program knows that one call happened before another. */
enum log_why {
	LOG_BY_LIFE, /* create, join, fork, reap, exec */
	LOG_BY_LOCK, /* the protected data names the last release of the lock */
	LOG_BY_TOKEN,
	LOG_BY_ROUND,
	LOG_BY_ONCE,
	LOG_BY_BYTES, /* the received bytes name their sender */
	/* the bytes that are read next were there when the fd was reported as ready */
	LOG_BY_READY,
	LOG_BY_CONNECT,
	LOG_BY_CLOSE,
	LOG_NR_WHYS
};

/* How certainly the decoder can find the source of an event. */
enum log_sureness {
	LOG_SURE,
	/* other calls used the object at the same time: several sources may be possible */
	LOG_SHARED,
	/* the source is unknown: a unix socket's peer, unless a process asks the kernel for it */
	LOG_HIDDEN,
};

struct log_source {
	uint16_t slot;
	uint8_t why;      /* enum log_why */
	uint8_t sureness; /* enum log_sureness */
	uint32_t seq;
};

#define LOG_EXACT 1u   /* by its object, this call happened after its named sources only */
#define LOG_HANDLER 2u /* made by a signal handler */

struct log_entry {
	uint32_t state;  /* 0: none; 1: begun; 2: done */
	uint16_t call;   /* enum log_call */
	uint16_t object; /* index in objects, plus one; 0: none */
	int64_t result;
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC before and after the call */
	/* number of the critical section that this call begins or ends, or of the barrier's round */
	uint64_t serial;
	/* wait for a condition: number of the critical section that it begins at its end */
	uint64_t serial_after;
	uint32_t mate; /* wait for a condition: object of the mutex, plus one */
	uint8_t flags; /* LOG_EXACT, LOG_HANDLER */
	uint8_t nr_sources;
	struct log_source sources[LOG_SOURCES];
	/* [slot]: the latest call of that thread that certainly happened before this call began */
	uint32_t knows[LOG_SLOTS];
	/* like knows, if the chain may pass through sources of sureness LOG_SHARED */
	uint32_t may_know[LOG_SLOTS];
};

struct log_slot {
	uint32_t tid, pid;
	uint32_t nr; /* number of entries begun; entry n has sequence number n + 1 */
	uint32_t is_full;
	struct log_entry entries[LOG_ENTRIES];
};

enum log_object_kind {
	LOG_IS_MUTEX = 1,
	LOG_IS_RWLOCK,
	LOG_IS_SPIN,
	LOG_IS_COND,
	LOG_IS_SEM,
	LOG_IS_BARRIER,
	LOG_IS_ONCE,
	LOG_IS_CHANNEL,
	LOG_IS_FUTEX,
};

struct log_object {
	uint32_t kind;       /* enum log_object_kind */
	uint32_t initial;    /* tokens */
	uint32_t is_private; /* each process has its own object under this number */
	uint32_t is_secret;  /* some users of the object do not log their calls */
};

struct log_file {
	uint64_t magic, seed;
	uint32_t nr_objects;
	uint32_t nr_slots; /* taken */
	uint32_t is_over;  /* true if the program was not killed */
	struct log_object objects[LOG_OBJECTS];
	struct log_slot slots[LOG_SLOTS];
};

#endif
