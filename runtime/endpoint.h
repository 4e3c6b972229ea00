/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * File descriptors and the endpoints behind them.
 *
 * An endpoint is the object behind an fd: a socket, a pipe, a file. A process-private table maps fds to
 * endpoints; fork copies the table. The byte counters of an endpoint live in the trace's shared file
 * (struct syt_endpoint_slot), so offsets stay absolute when several processes hold the endpoint. An fd
 * whose opening was not seen gets an endpoint at its first use (adoption).
 *
 * A wrapper takes a struct syt_endpoint before the real call and keeps it during the call. The struct still
 * describes the old endpoint if another thread closes the fd during the call and the number is reused.
 * Facts that cannot be known then are reported as unknown, never guessed.
 *
 * All functions are lock-free, may run in any thread and in signal handlers, and use no libc call and no
 * errno. They make system calls when an endpoint is opened, first seen, bound, connected or closed, but not
 * at each send or receive.
 */
#ifndef SYT_RUNTIME_ENDPOINT_H
#define SYT_RUNTIME_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

#define SYT_ENDPOINT_WRITER 1u    /* the fd can write to the pipe */
#define SYT_ENDPOINT_SEMAPHORE 2u /* eventfd: a read takes one unit (EFD_SEMAPHORE) */
#define SYT_ENDPOINT_INET 4u      /* AF_INET or AF_INET6 */
#define SYT_ENDPOINT_NAMED 8u     /* the dump contains the socket's addresses */
#define SYT_ENDPOINT_PACKETS 16u  /* SOCK_SEQPACKET: messages, but with an end-of-file */

/* An endpoint without a kernel name: an eventfd, epoll instance, timerfd or signalfd. */
struct syt_endpoint_anon {
	uint8_t kind;      /* enum syt_kind */
	uint8_t flags;     /* SYT_ENDPOINT_* */
	uint64_t identity; /* assigned by syntrace, unique in the trace */
};

/* An endpoint (socket, pipe, file) as seen through one fd at one moment. All members are zero (kind OTHER,
 * object 0) if the fd has no endpoint. */
struct syt_endpoint {
	/* the endpoint's byte counters in the shared file, or NULL */
	struct syt_endpoint_slot *slot;
	uint64_t word;   /* the fd table's entry: identifies this endpoint until the process ends */
	uint64_t remote; /* syt_address_hash (format/address.h) of the connected peer, 0: none */
	union {
		uint64_t facts; /* the members below in one word */
		struct {
			/* number of the endpoint among all that used this slot of counters in turn */
			uint16_t generation;
			/* UDP: a send is split into datagrams of this size, 0: not split */
			uint16_t segment;
			uint8_t kind;  /* enum syt_kind */
			uint8_t flags; /* SYT_ENDPOINT_WRITER ... */
		};
	};
	uint32_t object; /* id in the dump; 0: no definition, in a deep pause */
};

/* Positions of members in `facts`. Code in registers reads them there, because the compiler would keep a union in
 * memory. */
#define SYT_FACTS_SEGMENT_SHIFT 16
#define SYT_FACTS_KIND_SHIFT 32
#define SYT_FACTS_FLAGS_SHIFT 40
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&
                       offsetof(struct syt_endpoint, segment) -
                                       offsetof(struct syt_endpoint, facts) ==
                               SYT_FACTS_SEGMENT_SHIFT / 8 &&
                       offsetof(struct syt_endpoint, kind) - offsetof(struct syt_endpoint, facts) ==
                               SYT_FACTS_KIND_SHIFT / 8 &&
                       offsetof(struct syt_endpoint, flags) -
                                       offsetof(struct syt_endpoint, facts) ==
                               SYT_FACTS_FLAGS_SHIFT / 8,
               "the members of `facts`");

static inline uint16_t syt_facts_generation(uint64_t facts)
{
	return (uint16_t)facts;
}

static inline uint16_t syt_facts_segment(uint64_t facts)
{
	return (uint16_t)(facts >> SYT_FACTS_SEGMENT_SHIFT);
}

static inline uint8_t syt_facts_kind(uint64_t facts)
{
	return (uint8_t)(facts >> SYT_FACTS_KIND_SHIFT);
}

/* Gets the endpoint of FD, or adopts an unknown one. Returns false, with E zero, if FD is not open. */
bool syt_endpoint_get(int fd, struct syt_endpoint *e);

/* Records the file FD. ST is the result of fstat for FD, so an unknown regular file needs no further system
 * call. */
struct stat;
void syt_endpoint_file(int fd, const struct stat *st);

/* Writes the path of the regular file E, which is or was open as FD, to the dump as the name of its object.
 * Each file is named once, unless the program uses many files. */
void syt_endpoint_name_file(int fd, const struct syt_endpoint *e);

/* Records that FD was just returned by a call that creates an endpoint. Asks the kernel for the endpoint's
 * properties. */
void syt_endpoint_open(int fd, struct syt_endpoint *e);
/* Like syt_endpoint_open() for socket(DOMAIN, TYPE, ...). */
void syt_endpoint_open_socket(int fd, int domain, int type, struct syt_endpoint *e);
/* Like syt_endpoint_open() for FD accepted by LISTENER, a struct that was filled before the real accept.
 * FD's socket has the protocol and type of LISTENER. REMOTE is the peer's address if the call returned it,
 * else NULL. */
void syt_endpoint_accepted(int fd, const struct syt_endpoint *listener, const void *remote,
                           uint32_t remote_bytes, struct syt_endpoint *e);
/* Like syt_endpoint_open() for an eventfd, timerfd, signalfd or epoll instance (KIND). */
void syt_endpoint_open_anon(int fd, enum syt_kind kind, uint64_t initial, unsigned flags,
                            struct syt_endpoint *e);
/* Records a socketpair, whose two sockets are each other's peers. */
void syt_endpoint_open_pair(const int fds[2], struct syt_endpoint e[2]);
/* Records a pipe: both fds refer to one object, and fds[1] is the fd that writes. */
void syt_endpoint_open_pipe(const int fds[2], struct syt_endpoint *e);

/* Records a socket's addresses after they became known or changed (bind, connect). REMOTE is the address
 * given to connect for a connection not yet established, else NULL. Updates E. */
void syt_endpoint_named(int fd, const void *remote, uint32_t remote_bytes, struct syt_endpoint *e);
/* Records that FD is a listening socket from now on, which is a new object. Updates E. */
void syt_endpoint_listen(int fd, struct syt_endpoint *e);

/* Records that a send through FD is split into datagrams of BYTES from now on; 0: not split. */
void syt_endpoint_split(int fd, uint16_t bytes);

/* Learns the counters of E, which FD had before the call, if they are stale (runtime/endpoint_record.h). Updates E. */
void syt_endpoint_learn(int fd, struct syt_endpoint *e);
/* Makes the counters of all endpoints of this process stale: the calling thread has returned from calls that a deep pause did not
 * count. */
void syt_endpoint_stale(void);

/* Gets the System V message queue ID, which has no fd. Returns false, with E zero, if there is none. */
bool syt_endpoint_sysv_queue(int id, struct syt_endpoint *e);
/* Records that the System V message queue E was removed. */
void syt_endpoint_sysv_remove(const struct syt_endpoint *e);

/* Returns the number of messages that the message queue E contains now, plus one; 0: unknown. ID is the fd,
 * or the id of a System V message queue. */
uint64_t syt_endpoint_waiting(const struct syt_endpoint *e, int id);

/* Records after dup, dup2 or F_DUPFD that TO refers to the same endpoint as FROM, a struct that was filled
 * before the real call. */
void syt_endpoint_dup(const struct syt_endpoint *from, int to);

/* Forgets FD; call it before the real close, because the number can be reused before close returns. Fills
 * E with FD's endpoint. Returns true if FD was the last fd of this process for the endpoint. */
bool syt_endpoint_close(int fd, struct syt_endpoint *e);

/* Forgets FD, which was closed or replaced without a wrapper. */
void syt_endpoint_forget(int fd);

/* Removes and returns the fd table's entry of FD before a dup2 onto FD; 0: there was no entry. After the
 * dup2, syt_endpoint_release() drops the old endpoint (as syt_endpoint_close() does), or
 * syt_endpoint_reattach() puts the entry back if the dup2 failed. */
uint64_t syt_endpoint_detach(int fd, struct syt_endpoint *e);
bool syt_endpoint_release(uint64_t word);
void syt_endpoint_reattach(int fd, uint64_t word);

/* Returns true and fills A if FD is known and its endpoint has no kernel name. */
bool syt_endpoint_anon(int fd, struct syt_endpoint_anon *a);
/* Records that FD, which was inherited through an exec, refers to endpoint A, if the kernel says that FD is
 * of the same kind. */
void syt_endpoint_take_over(int fd, const struct syt_endpoint_anon *a);

/* Returns the lowest known fd in [FD, LAST], or -1. */
int syt_endpoint_next(int fd, unsigned last);

/* Records that the thread with the number THREAD received from E last. Only recorders with a sampler use this. */
void syt_endpoint_note_reader(const struct syt_endpoint *e, uint32_t thread);
/* Returns 1 + the number of bytes (units) received from E so far. Returns 0 if another thread than THREAD, or a thread of another process,
 * may have received last, or if the number is unknown. */
uint64_t syt_endpoint_reader_position(const struct syt_endpoint *e, uint32_t thread);

/* Returns the key of the marks of data that are sent to E (IS_OUT) or received from it: the two ends of a connection have equal
 * keys. Returns 0 if the other end is unknown. */
uint64_t syt_endpoint_mark_key(const struct syt_endpoint *e, bool is_out);

/* Records that an urgent (out-of-band) byte was sent or received on E; the byte counters do not include it. */
void syt_endpoint_urgent(const struct syt_endpoint *e);

/* Returns true if this process still holds the endpoint that WORD identifies. */
bool syt_endpoint_is_alive(uint64_t word);

/* Copies the endpoint that WORD identifies to E. Returns false if this process does not hold it any more. */
bool syt_endpoint_of(uint64_t word, struct syt_endpoint *e);

/* Returns the object id of the endpoint that WORD identifies if this process still holds it, else 0. */
uint32_t syt_endpoint_object(uint64_t word);

/* Called in a forked child: counts every inherited fd as one more reference to its endpoint, and makes the
 * child define the objects again in its own dump. */
void syt_endpoint_fork_child(void);

/* syt_endpoint_leave(): the process image ends, so other processes no longer compare their fds with its
 * fds. syt_endpoint_stay(): the exec failed, so the image continues. */
void syt_endpoint_leave(void);
void syt_endpoint_stay(void);

#endif
