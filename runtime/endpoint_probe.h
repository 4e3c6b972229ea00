/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Asks the kernel for the properties of a file descriptor when it is opened, first seen, bound or connected.
 * Uses only raw system calls and opens no fd. Only runtime/ calls these functions, in any thread and in signal
 * handlers. */
#ifndef SYT_RUNTIME_ENDPOINT_PROBE_H
#define SYT_RUNTIME_ENDPOINT_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "runtime/endpoint_slot.h"

/* The constant properties of an internet socket (AF_INET, AF_INET6); an accepted socket has the properties
 * of its listener. Domain 0: not an internet socket. */
struct syt_inet {
	uint64_t netns;
	uint16_t domain, type, protocol;
};

struct syt_probe {
	uint64_t identity;
	int id;         /* fd number, or id of a System V message queue */
	uint8_t kind;   /* enum syt_kind */
	uint8_t class;  /* enum syt_endpoint_class; 0: `identity` is not unique (files) */
	bool is_writer; /* the fd is the end of a pipe for writing */
	bool is_inet;
	uint16_t segment; /* UDP: a send is split into datagrams of this size, 0: not split */
	/* the member `object` is not set; the addresses are set if requested */
	struct syt_meta_endpoint meta;
	uint8_t local[SYT_ADDRESS_BYTES], remote[SYT_ADDRESS_BYTES];
};

/* Describes FD in P. Returns 0 or -errno (-EBADF: not open). If the kernel has no name for FD's endpoint,
 * class and identity are 0. */
int syt_probe(int fd, struct syt_probe *p);

/* Describes the regular file FD in P from ST. Returns false if ST does not identify FD's file. */
struct stat;
bool syt_probe_file(int fd, const struct stat *st, struct syt_probe *p);

/* Describes FD, an open socket with the properties KNOWN: asks the kernel only for its cookie. */
int syt_probe_inet(int fd, const struct syt_inet *known, struct syt_probe *p);

/* Returns the properties of FD, which socket() just made with these arguments. */
struct syt_inet syt_probe_birth(int fd, int domain, int type);

/* Adds the local and the remote address of the socket FD to P. */
void syt_probe_addresses(int fd, struct syt_probe *p);
/* Adds both addresses of an internet socket to P; REMOTE, of at most SYT_ADDRESS_BYTES, is the peer's
 * address. */
void syt_probe_local(int fd, const void *remote, uint32_t remote_bytes, struct syt_probe *p);

/* Describes the System V message queue ID. Returns 0 or -errno. */
int syt_probe_sysv_queue(int id, struct syt_probe *p);

/* Stores in *NR the number of unread bytes in a pipe, or of messages in a queue. Returns false if unknown. */
bool syt_probe_pending(const struct syt_probe *p, uint64_t *nr);

/* endpoint_tcp.c: gets the number of bytes that programs have sent and received on the TCP connection FD
 * since its birth. The count includes bytes of other processes. Returns false if FD is not a TCP connection
 * or the numbers are unknown now. */
bool syt_probe_totals(int fd, const struct syt_probe *p, uint64_t *tx, uint64_t *rx);

/* Gets the number of bytes that the TCP connection FD has moved but that no wrapper has counted in SLOT. No
 * other process may hold the connection. A difference of one byte is ignored, because TCP counts a FIN as
 * one byte. Returns false if there is no difference or it is unknown. The numbers are read up to LOOKS
 * times before a difference is reported. */
bool syt_probe_unrecorded(int fd, const struct syt_endpoint_slot *slot, unsigned looks,
                          uint64_t *tx, uint64_t *rx);

#endif
