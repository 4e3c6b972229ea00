/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds the TCP connections between two clocks, or between two network namespaces of one boot, and pairs their
 * sockets.
 *
 * The local address of one end is the remote address of the other end. Sockets of one network namespace are paired
 * later, by decoder/match/pair.h, and a socket with a candidate in its own namespace has no candidate elsewhere.
 * Loopback and link-local addresses are valid within one namespace only.
 *
 * Several hosts may use one private address, and a host uses its ports again. If an address has several candidates,
 * a pair needs evidence: its roles (connecting and accepting end), its byte totals (no end received more bytes than
 * the other end sent) and its lifetimes leave one candidate for each of the two ends. Lifetimes on two clocks are
 * comparable only if the clocks are joined already.
 *
 * The definitions of the dumps name the sockets. decoder/host/message.h adds the facts from their events.
 */
#ifndef SYT_DECODER_CONNECT_H
#define SYT_DECODER_CONNECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/read/image.h"

/* Returns true if the socket address of an IP socket is valid beyond its network namespace: neither loopback nor link-local. */
bool syt_host_is_global(const uint8_t *address, uint32_t bytes);

/* One end of a connection: a socket, which several process images may share. */
struct syt_host_end {
	uint64_t key;           /* equal for both ends of a connection */
	uint64_t local, remote; /* hashes of the addresses (format/address.h) */
	uint64_t netns;
	uint32_t clock; /* index of the clock */
	uint32_t image,
		object; /* index of a process image that uses the socket, and its number of the object */
	uint32_t peer; /* index of the other end, or SYT_NONE */
	bool is_listening; /* a listening socket, which is no end, but whose reports and accept calls count */
	uint64_t sent_before,
		received_before; /* positions in the stream at the begin of the recording */
	bool is_known;           /* events of this end were read; the members below are valid */
	bool has_connected, has_accepted;
	bool is_whole; /* the totals contain all bytes: no event is missing, and all positions are certain */
	uint64_t sent, received; /* position in the stream after the last byte */
	uint64_t sure;           /* positions of sends are certain up to this one */
	syt_time first, last;    /* first begin and last end of an event */
};

struct syt_host_ends {
	uint32_t nr;
	struct syt_host_end *all; /* sorted by key, then the listening sockets */
	uint32_t nr_images;
	uint32_t **
		of_image; /* [image][object]: index of the end, or SYT_NONE; NULL: the image has none */
};

/* Finds the sockets in the definitions of LOADINGS that may have their other end on another clock or in another
 * network namespace, and the listening sockets of their process images. CLOCK[n] is the index of the clock of loading n, BOOT[n] the index of its boot. */
void syt_host_ends_find(struct syt_host_ends *ends, struct syt_loading *const *loadings, size_t nr,
                        const uint32_t *clock, const uint32_t *boot);
void syt_host_ends_close(struct syt_host_ends *ends);

/* Returns true if the event at FIRST, on the clock A, may be earlier than the event at LAST on the clock B. */
typedef bool syt_may_precede(void *context, uint32_t a, syt_time first, uint32_t b, syt_time last);

/* Pairs the ends. MAY_PRECEDE may be NULL: two clocks are not comparable. Returns the number of new pairs. */
uint32_t syt_host_ends_pair(struct syt_host_ends *ends, syt_may_precede *may_precede,
                            void *context);

#endif
