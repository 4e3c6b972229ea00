/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A trace in a form that can be mutated. It is small and uncompressed, and has no checksums, sizes
 * and positions; these are made when the recipe is laid out as the files of a trace directory. So
 * the fuzzer changes a definition or an event, and not a checksum that then rejects the whole
 * input.
 *
 * A recipe is a sequence of items: a tag, the number of payload bytes (16 bits, little-endian), the
 * payload. Unknown tags are skipped. A payload that ends early consists of the available bytes. So
 * any bytes are a recipe.
 */
#ifndef SYT_TESTS_FUZZ_RECIPE_H
#define SYT_TESTS_FUZZ_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

#define SYT_RECIPE_FILES_MAX 6u
#define SYT_RECIPE_FILE_BYTES (UINT32_C(1) << 20) /* of one file, before its holes */
#define SYT_RECIPE_ITEM_MAX UINT16_MAX
#define SYT_RECIPE_HEAD 3u /* bytes in front of a payload */

enum syt_recipe_tag {
	SYT_RECIPE_IMAGE =
		'i', /* a dump begins: its struct syt_file from trace_id on; a missing rest is 0 */
	SYT_RECIPE_META = 'm',   /* a definition: its type in 16 bits, its payload */
	SYT_RECIPE_STACKS = 's', /* first id, struct syt_recipe_frame... */
	SYT_RECIPE_SLOT = 'o',   /* a slot begins: struct syt_recipe_slot */
	SYT_RECIPE_BLOCK = 'b',  /* a sealed block of the slot: struct syt_recipe_block, events */
	SYT_RECIPE_LANE = 'l',   /* the content of a lane of the slot: the same */
	SYT_RECIPE_PEERS = 'e',  /* the file `peers`; checksums are set */
	SYT_RECIPE_PATCH = 'p',  /* damage to the dump: struct syt_recipe_patch, bytes */
	SYT_RECIPE_CUT = 'c',    /* the dump's length in 64 bits: shorter, or longer by a hole */
	SYT_RECIPE_VERBS = 'v',  /* which command lines: bits, in 32 */
};

struct syt_recipe_frame {
	uint32_t parent;
	uint16_t module;
	uint64_t offset;
} __attribute__((packed));

struct syt_recipe_slot {
	uint32_t tid, thread;
	uint64_t overwritten, dropped, sealed;
} __attribute__((packed));

struct syt_recipe_block {
	uint8_t lane, codec;
	uint32_t thread, nr_events;
	uint64_t first_seq, first_ticks;
	struct syt_clock_pair cal;
} __attribute__((packed));

struct syt_recipe_patch {
	uint8_t is_summed; /* checksums are set right behind it */
	uint32_t offset;
} __attribute__((packed));

struct syt_recipe_item {
	uint8_t tag;
	uint32_t nr;
	const uint8_t *data;
};

struct syt_recipe_file {
	char name[32];
	uint8_t *data; /* of this module's, until the next recipe is laid out */
	size_t nr;
	uint64_t length; /* of the file: cut, or with a hole behind its data */
};

/* The item at *AT, which moves behind it; false at END. */
bool syt_recipe_next(const uint8_t **at, const uint8_t *end, struct syt_recipe_item *item);

/* The files that the recipe makes; VERBS: its command lines, all bits when it names none. Not for
 * several threads at once. */
unsigned syt_recipe_lay_out(const uint8_t *recipe, size_t nr,
                            struct syt_recipe_file files[SYT_RECIPE_FILES_MAX], uint32_t *verbs);

/* Sets checksums right wherever something that looks like a header or a record stands in DATA, which
 * is the whole of a dump (its header page, too) or, WHOLE false, a part of one. */
void syt_recipe_sum(uint8_t *data, size_t nr, bool whole);

#endif
