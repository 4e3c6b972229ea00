/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A trace in a form that can be mutated. It is small and uncompressed, and has no checksums, sizes and
 * positions; these are made when the recipe is laid out as the files of a trace directory. So the
 * fuzzer changes a definition or an event, and not a checksum that then rejects the whole input.
 *
 * A recipe is a sequence of items: a tag, the number of payload bytes (16 bits, little-endian), the
 * payload. Unknown tags are skipped. A payload that ends early consists of the available bytes. So
 * every sequence of bytes is a valid recipe.
 */
#ifndef SYT_TESTS_FUZZ_RECIPE_H
#define SYT_TESTS_FUZZ_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

#define SYT_RECIPE_FILES_MAX 6u
/* maximum number of bytes of one file, without its holes */
#define SYT_RECIPE_FILE_BYTES (UINT32_C(1) << 20)
#define SYT_RECIPE_ITEM_MAX UINT16_MAX
#define SYT_RECIPE_HEAD 3u /* number of bytes (tag and length) in front of a payload */

enum syt_recipe_tag {
	SYT_RECIPE_IMAGE =
		/* a dump begins: the payload is its struct syt_file from trace_id on; missing bytes are
		 * 0 */
	'i',
	SYT_RECIPE_META = 'm',   /* a definition: its type in 16 bits, its payload */
	SYT_RECIPE_STACKS = 's', /* stack nodes: the first id, then struct syt_recipe_frame... */
	SYT_RECIPE_SLOT = 'o',   /* a slot begins: struct syt_recipe_slot */
	/* a compressed block of events in the slot: struct syt_recipe_block, events */
	SYT_RECIPE_BLOCK = 'b',
	/* the event buffer (lane) of the slot: struct syt_recipe_block, events */
	SYT_RECIPE_LANE = 'l',
	/* the image is sampled, and this is the struct syt_sampling of the slot; missing bytes are 0 */
	SYT_RECIPE_SAMPLING = 'a',
	SYT_RECIPE_PEERS = 'e', /* the content of the file `peers`, whose checksums are then set */
	/* damage of the dump: struct syt_recipe_patch, then the new bytes */
	SYT_RECIPE_PATCH = 'p',
	SYT_RECIPE_CUT = 'c',   /* the dump's length in 64 bits: shorter, or longer by a hole */
	SYT_RECIPE_VERBS = 'v', /* 32 bits that select the command lines to run */
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

/* added to the codec of events of SYT_EVENT_VERSION_CODED */
#define SYT_RECIPE_CODED 0x80u
/* added, too, for those of SYT_EVENT_VERSION_GHOSTS */
#define SYT_RECIPE_GHOSTS 0x40u

struct syt_recipe_block {
	uint8_t lane, codec;
	uint32_t thread, nr_events;
	uint64_t first_seq, first_ticks;
	struct syt_clock_pair cal;
} __attribute__((packed));

struct syt_recipe_patch {
	uint8_t is_summed; /* checksums are corrected after this damage */
	uint32_t offset;
} __attribute__((packed));

struct syt_recipe_item {
	uint8_t tag;
	uint32_t nr;
	const uint8_t *data;
};

struct syt_recipe_file {
	char name[32];
	uint8_t *data; /* belongs to recipe.c, valid until the next recipe is laid out */
	size_t nr;
	uint64_t length; /* length of the file, which may be cut or have a hole behind its data */
};

/* Reads the item at *AT and moves *AT behind the item. Returns false at END. */
bool syt_recipe_next(const uint8_t **at, const uint8_t *end, struct syt_recipe_item *item);

/* Makes the files of a recipe and returns their number. Stores the recipe's selection of command lines
 * in VERBS, all bits if it has none. Only one thread may call it. */
unsigned syt_recipe_lay_out(const uint8_t *recipe, size_t nr,
                            struct syt_recipe_file files[SYT_RECIPE_FILES_MAX], uint32_t *verbs);

/* Corrects the checksums of everything in DATA that looks like a header or a record. DATA is a whole
 * dump with its header page or, if WHOLE is false, a part of a dump. */
void syt_recipe_sum(uint8_t *data, size_t nr, bool whole);

#endif
