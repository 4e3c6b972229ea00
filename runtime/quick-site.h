/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Constants for the short entry of a call that the sampler skips (preload/fast-entry.S), and for runtime/sample.c.
 *
 * The number of a site is computed from the address of the return address, the return address and the call:
 *
 *      ((return address) * SYT_SITE_PC + address + call * SYT_SITE_CALL) * syt_alive[1]        modulo 2^24
 *
 * syt_alive[1] is SYT_SITE_SPREAD while the short entry may count calls, else 0: in a forked child, and if tasks share
 * thread-local memory. The number then is 0, which no site has. Bits 0 to 7 of the number are the index in `quick` of struct
 * syt_sampling, bits 8 to 23 the tag of the site.
 */
#ifndef SYT_RUNTIME_QUICK_SITE_H
#define SYT_RUNTIME_QUICK_SITE_H

#define SYT_SITE_PC 0x5bd1e995
#define SYT_SITE_CALL 0x29c7f1
#define SYT_SITE_SPREAD 0x9e3779b1

/* Offsets in struct syt_sampling. Bytes behind SYT_QUICK_NONE_AT, before the first site, are 0: an entry that skips nothing. */
#define SYT_QUICK_NONE_AT -16
#define SYT_QUICK_COUNTDOWN_AT -14
#define SYT_QUICK_LEFT_OUT_AT 2088
#define SYT_QUICK_AT 3128

#endif
