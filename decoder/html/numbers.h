/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Small numbers for the used elements of a large range, from 1 in order of first use. */
#ifndef SYT_DECODER_NUMBERS_H
#define SYT_DECODER_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

struct syt_numbers {
	size_t room, nr, room_used;
	uint32_t *of;   /* [element]: its number; 0: none yet */
	uint32_t *used; /* [number - 1]: element */
};

uint32_t syt_numbers_of(struct syt_numbers *n, uint32_t element);
/* Returns true if ELEMENT has a number. */
int syt_numbers_has(const struct syt_numbers *n, uint32_t element);
void syt_numbers_close(struct syt_numbers *n);

#endif
