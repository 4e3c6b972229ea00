/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * File descriptors and the endpoints behind them.
 *
 * A process-private table maps fd -> endpoint; fork copies it.  Byte counters of an endpoint live
 * in the trace's shared file (struct syt_endpoint_slot), so that offsets stay absolute when several
 * processes hold the endpoint.  An fd that was not seen being opened is adopted at first use.
 *
 * A wrapper takes a struct syt_endpoint before the real call and keeps it over the call: it stays
 * what it was when another thread closes the fd meanwhile and the number is used again.  What
 * cannot be known then is said to be unknown, never guessed.
 *
 * Lock-free; any thread, signal handlers included; no libc call, no errno.  System calls are made
 * at birth, adoption, naming and close, and never in the steady state.
 */
#ifndef SYT_RUNTIME_ENDPOINT_H
#define SYT_RUNTIME_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

#define SYT_ENDPOINT_WRITER 1u    /* the fd can write to the pipe */
#define SYT_ENDPOINT_SEMAPHORE 2u /* eventfd: a read takes one unit (EFD_SEMAPHORE) */
#define SYT_ENDPOINT_INET 4u      /* AF_INET or AF_INET6 */
#define SYT_ENDPOINT_NAMED 8u     /* its addresses are defined */
#define SYT_ENDPOINT_PACKETS 16u  /* SOCK_SEQPACKET: messages, but with an end-of-file */

/* What the kernel has no name for: an eventfd, epoll instance, timerfd or signalfd. */
struct syt_endpoint_anon {
	uint8_t kind;      /* enum syt_kind */
	uint8_t flags;     /* SYT_ENDPOINT_* */
	uint64_t identity; /* the trace's own name */
};

/* An endpoint as seen through one fd at one moment. All zero (kind OTHER, object 0) when there is
 * none. */
struct syt_endpoint {
	struct syt_endpoint_slot *slot; /* its counters, NULL when it has none */
	uint64_t word; /* the fd table's entry: names this endpoint until the end of the process */
	uint64_t remote; /* syt_address_hash (format/address.h) of the connected peer, 0: none */
	uint32_t object;
	uint16_t generation; /* of the slot */
	uint8_t kind;        /* enum syt_kind */
	uint8_t flags;       /* SYT_ENDPOINT_WRITER ... */
	uint16_t segment;    /* bytes of the datagrams that a send is split into, 0: it is one */
};

/* The endpoint behind FD, adopted when unknown. False, and E zero, when FD is not open. */
bool syt_endpoint_get(int fd, struct syt_endpoint *e);

/* ST says what FD is: a regular file that is not known yet needs not be asked. */
struct stat;
void syt_endpoint_file(int fd, const struct stat *st);

/* FD was just returned by a call that creates an endpoint: what the kernel knows of it is asked. */
void syt_endpoint_open(int fd, struct syt_endpoint *e);
/* The same for socket(DOMAIN, TYPE, ...). */
void syt_endpoint_open_socket(int fd, int domain, int type, struct syt_endpoint *e);
/* The same for what LISTENER, as taken before the real call, has accepted: it is what that is, and
 * its addresses are known. REMOTE: the peer's, where the call has told it; or NULL. */
void syt_endpoint_accepted(int fd, const struct syt_endpoint *listener, const void *remote,
                           uint32_t remote_bytes, struct syt_endpoint *e);
/* The same for what has no identity in the kernel: KIND EVENTFD, TIMERFD, SIGNALFD or EPOLL. */
void syt_endpoint_open_anon(int fd, enum syt_kind kind, uint64_t initial, unsigned flags,
                            struct syt_endpoint *e);
/* The two ends of a socketpair are each other's peer. */
void syt_endpoint_open_pair(const int fds[2], struct syt_endpoint e[2]);
/* A pipe's two fds are one object; fds[1] writes. */
void syt_endpoint_open_pipe(const int fds[2], struct syt_endpoint *e);

/* A socket's addresses are known now or have changed (bind, connect). REMOTE: what connect was
 * given, for a connection that does not stand yet; or NULL. Renews E. */
void syt_endpoint_named(int fd, const void *remote, uint32_t remote_bytes, struct syt_endpoint *e);
/* FD listens from now on: an object of its own. Renews E. */
void syt_endpoint_listen(int fd, struct syt_endpoint *e);

/* What is sent through FD is split into datagrams of BYTES from now on; 0: it is not. */
void syt_endpoint_split(int fd, uint16_t bytes);

/* The System V message queue ID, which no fd refers to. False, and E zero, when there is none. */
bool syt_endpoint_sysv_queue(int id, struct syt_endpoint *e);
/* It was removed. */
void syt_endpoint_sysv_remove(const struct syt_endpoint *e);

/* How many messages wait in E, a message queue, at this moment, plus one; 0: nobody tells. ID: fd,
 * or of a System V message queue. */
uint64_t syt_endpoint_waiting(const struct syt_endpoint *e, int id);

/* TO refers to what FROM, as taken before the real call, refers to (dup family). */
void syt_endpoint_dup(const struct syt_endpoint *from, int to);

/*
 * Before the real close: the number can be used again before close returns.  Fills E with what FD
 * referred to.  True when no fd of this process refers to it any more.
 */
bool syt_endpoint_close(int fd, struct syt_endpoint *e);

/* FD may be something else from now on, closed or replaced where no wrapper saw it. */
void syt_endpoint_forget(int fd);

/* The fd table's entry is taken out before a dup2 onto FD; then the old endpoint is let go (as by
 * syt_endpoint_close), or put back when the call failed. 0: there was none. */
uint64_t syt_endpoint_detach(int fd, struct syt_endpoint *e);
bool syt_endpoint_release(uint64_t word);
void syt_endpoint_reattach(int fd, uint64_t word);

/* FD refers to A; false: to something else, or that is not known. */
bool syt_endpoint_anon(int fd, struct syt_endpoint_anon *a);
/* FD, which this process met by an exec, refers to A, if it is of that kind. */
void syt_endpoint_take_over(int fd, const struct syt_endpoint_anon *a);

/* The lowest known fd in [FD, LAST], or -1. */
int syt_endpoint_next(int fd, unsigned last);

/* BYTES (or messages, or units) went out of / into E: returns the offset of the first, and sets
 * *KNOWN to false when offsets of this endpoint are not known. */
uint64_t syt_endpoint_sent(const struct syt_endpoint *e, uint64_t bytes, bool *known);
uint64_t syt_endpoint_received(const struct syt_endpoint *e, uint64_t bytes, bool *known);

/* An urgent byte went out of or into E, beside the stream. */
void syt_endpoint_urgent(const struct syt_endpoint *e);

/* Whether this process still holds the endpoint that WORD names. */
bool syt_endpoint_is_alive(uint64_t word);

/* The object of the endpoint that WORD names, if it still lives, else 0. */
uint32_t syt_endpoint_object(uint64_t word);

/* In a forked child: every inherited fd is one more reference, and objects are defined anew. */
void syt_endpoint_fork_child(void);

/* The image ends: others need not reckon with its fds, and they prove nothing. It goes on after
 * all. */
void syt_endpoint_leave(void);
void syt_endpoint_stay(void);

#endif
