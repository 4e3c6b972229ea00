/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What the kernel says of a file descriptor.  Raw system calls only, no fd opened; asked at birth,
 * adoption and naming.  Inside of runtime/ only; any thread, signal handlers included.
 */
#ifndef SYT_RUNTIME_ENDPOINT_PROBE_H
#define SYT_RUNTIME_ENDPOINT_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "runtime/endpoint_slot.h"

/* What is so of a socket of the internet's families for all of its life, and of what it accepts.
 * Domain 0: it is none. */
struct syt_inet {
	uint64_t netns;
	uint16_t domain, type, protocol;
};

struct syt_probe {
	uint64_t identity;
	int id;         /* fd, or of a System V message queue */
	uint8_t kind;   /* enum syt_kind */
	uint8_t class;  /* enum syt_endpoint_class; 0: `identity` names it only loosely (files) */
	bool is_writer; /* pipe: the fd was opened for writing */
	bool is_inet;
	uint16_t segment;              /* UDP: what a send is split into, 0: it is one datagram */
	struct syt_meta_endpoint meta; /* without object; addresses only when they were asked for */
	uint8_t local[SYT_ADDRESS_BYTES], remote[SYT_ADDRESS_BYTES];
};

/* What FD is. 0, or -errno: -EBADF when it is not open. Class 0 and identity 0: the kernel has no
 * name for it. */
int syt_probe(int fd, struct syt_probe *p);

/* The same of FD, of which ST says that it is a regular file. False: that does not tell what it is. */
struct stat;
bool syt_probe_file(int fd, const struct stat *st, struct syt_probe *p);

/* The same of FD, an open socket of which KNOWN is known: only its name is asked for. */
int syt_probe_inet(int fd, const struct syt_inet *known, struct syt_probe *p);

/* What is known of FD, which was just made by a socket() with these arguments. */
struct syt_inet syt_probe_birth(int fd, int domain, int type);

/* Adds both addresses of a socket. */
void syt_probe_addresses(int fd, struct syt_probe *p);
/* The same of one of the internet; its peer's is REMOTE, at most SYT_ADDRESS_BYTES. */
void syt_probe_local(int fd, const void *remote, uint32_t remote_bytes, struct syt_probe *p);

/* The System V message queue ID. 0, or -errno. */
int syt_probe_sysv_queue(int id, struct syt_probe *p);

/* What waits in a pipe (bytes) or a message queue (messages); false: nobody tells. */
bool syt_probe_pending(const struct syt_probe *p, uint64_t *nr);

/* endpoint_tcp.c: how many bytes the program, whoever it was then, has sent and received on the TCP
 * connection FD since its birth. False: it is none, or that cannot be known now. */
bool syt_probe_totals(int fd, const struct syt_probe *p, uint64_t *tx, uint64_t *rx);

/* How many bytes the TCP connection FD has moved that SLOT, of nobody else, has not counted; one is
 * none.  False: none, or that cannot be known. LOOKS: how often it is looked at, if it seems so. */
bool syt_probe_unrecorded(int fd, const struct syt_endpoint_slot *slot, unsigned looks,
                          uint64_t *tx, uint64_t *rx);

#endif
