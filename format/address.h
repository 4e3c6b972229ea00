/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Computes a hash of a socket address. The recorder stores the hash with a datagram, and the decoder compares it
 * with the addresses of endpoints. Both therefore use this function. Addresses have the layout of Linux: a
 * little-endian family, then the data of the family. */
#ifndef SYT_FORMAT_ADDRESS_H
#define SYT_FORMAT_ADDRESS_H

#include <stdint.h>

#define SYT_AF_UNIX 1u
#define SYT_AF_INET 2u
#define SYT_AF_INET6 10u
#define SYT_AF_NETLINK 16u

#define SYT_ADDRESS_STEP(h_, byte_) (((h_) ^ (byte_)) * UINT64_C(0x100000001b3))

static inline uint64_t syt_address_mix(uint64_t h, const uint8_t *p, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		h = SYT_ADDRESS_STEP(h, p[i]);
	return h;
}

/* Returns the hash of the address family, address and port, which is never 0. An IPv4-mapped IPv6 address has the
 * hash of its IPv4 address. Returns 0 if SOCKADDR contains no address. */
static inline uint64_t syt_address_hash(const void *sockaddr, uint32_t bytes)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	const uint8_t *p = (const uint8_t *)sockaddr;
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	uint32_t family, same = 0;

	if (!p || bytes <= 2)
		return 0;
	family = p[0] | (uint32_t)p[1] << 8;
	if (family == SYT_AF_INET6 && bytes >= 24) {
		while (same < 12 && p[8 + same] == mapped[same])
			same++;
		h = syt_address_mix(h, p + 2, 2);
		h = same == 12 ? syt_address_mix(h ^ SYT_AF_INET, p + 20, 4)
		               : syt_address_mix(h ^ SYT_AF_INET6, p + 8, 16);
	} else if (family == SYT_AF_INET && bytes >= 8) {
		/* the most frequent family: these steps are syt_address_mix() without its loop */
		h = SYT_ADDRESS_STEP(SYT_ADDRESS_STEP(h, p[2]), p[3]) ^ SYT_AF_INET;
		h = SYT_ADDRESS_STEP(SYT_ADDRESS_STEP(h, p[4]), p[5]);
		h = SYT_ADDRESS_STEP(SYT_ADDRESS_STEP(h, p[6]), p[7]);
	} else {
		/* a unix socket path may end with a NUL, have bytes after the NUL, or have no NUL */
		if (family == SYT_AF_UNIX && p[2])
			for (uint32_t i = 2; i < bytes; i++)
				if (!p[i])
					bytes = i;
		h = syt_address_mix(h ^ family, p + 2, bytes - 2);
	}
	h ^= h >> 32;
	return h ? h : 1;
}

#endif
