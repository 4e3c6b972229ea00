/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Appends definitions to META chunks and stack nodes to STACKS chunks of the dump. A compare-and-swap on the
 * chunk's `used` reserves the bytes. A new chunk follows a full chunk. If two threads add a new chunk at once,
 * the loser's chunk stays empty. */
#include "runtime/meta.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/arena.h"
#include "runtime/dump.h"
#include "runtime/forked.h"

#define CHUNK_BYTES SYT_PAGE_BYTES /* populated by one call: 2 us, or 50 us (ring.c) */
#define CHUNK_MAX_BYTES 65536u     /* bytes of a chunk for a long text */
#define META_ROOM (CHUNK_MAX_BYTES - sizeof(struct syt_chunk))
/* The first chunks. Most processes are small and short, and pages cost more than anything else. The
 * table of calls takes half of the first chunk. */
#define FIRST_META_BYTES 8192u
#define FIRST_STACKS_BYTES 4096u
_Static_assert(FIRST_META_BYTES + FIRST_STACKS_BYTES <= SYT_ARENA_FIRST_BYTES,
               "needs no populating");

SYT_FORKED static struct syt_chunk *meta_chunk, *stack_chunk;

/* If the file has no room for the chunk, the next append tries again. */
void syt_meta_begin(void)
{
	meta_chunk = syt_arena_chunk(SYT_CHUNK_META, 0, 0, FIRST_META_BYTES, FIRST_META_BYTES);
	stack_chunk =
		syt_arena_chunk(SYT_CHUNK_STACKS, 0, 1, FIRST_STACKS_BYTES, FIRST_STACKS_BYTES);
}

void syt_lost(enum syt_loss why, uint64_t nr)
{
	if (syt_arena.base)
		__atomic_fetch_add(&syt_arena_file()->lost[why], nr, __ATOMIC_RELAXED);
}

void syt_unseen_tcp(void)
{
	if (syt_arena.base)
		__atomic_fetch_add(&syt_arena_file()->nr_unseen_tcp, 1, __ATOMIC_RELAXED);
}

/* Reserves N units of UNIT bytes in the chunk *CURRENT. Returns the chunk and stores the index of the first
 * unit in *AT, or returns NULL. */
static struct syt_chunk *reserve(struct syt_chunk **current, enum syt_chunk_type type, uint64_t n,
                                 uint64_t unit, uint64_t *at)
{
	if (!syt_arena.base || n > META_ROOM / unit)
		return NULL;
	for (;;) {
		struct syt_chunk *c = __atomic_load_n(current, __ATOMIC_ACQUIRE);
		uint64_t room = c ? (c->bytes - sizeof(*c)) / unit : 0;
		uint64_t used = c ? __atomic_load_n(&c->used, __ATOMIC_RELAXED) : room;

		while (used + n <= room) {
			if (__atomic_compare_exchange_n(&c->used, &used, used + n, true,
			                                __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
				*at = used;
				return c;
			}
		}

		uint64_t first = type == SYT_CHUNK_STACKS ? (c ? c->first + room : 1) : 0;
		uint64_t least =
			(sizeof(*c) + n * unit + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES;
		struct syt_chunk *grown = syt_arena_chunk(type, 0, first, least, least);

		if (!grown)
			return NULL;
		__atomic_compare_exchange_n(current, &c, grown, false, __ATOMIC_ACQ_REL,
		                            __ATOMIC_ACQUIRE);
	}
}

void syt_meta_append(enum syt_meta_type type, const void *fixed, size_t fixed_bytes,
                     const void *tail1, size_t tail1_bytes, const void *tail2, size_t tail2_bytes)
{
	uint64_t bytes = sizeof(struct syt_meta) + fixed_bytes + tail1_bytes + tail2_bytes;
	uint64_t at;
	struct syt_chunk *c =
		reserve(&meta_chunk, SYT_CHUNK_META, (bytes + 7) & ~UINT64_C(7), 1, &at);

	if (!c) {
		syt_lost(SYT_LOSS_META, 1);
		return;
	}

	struct syt_meta *m = (struct syt_meta *)((uint8_t *)(c + 1) + at);

	/* the length is stored before all other fields, so that readers can skip a record that is never
	 * completed */
	__atomic_store_n(&m->bytes, (uint32_t)bytes, __ATOMIC_RELEASE);
	uint8_t *p = (uint8_t *)(m + 1);

	memcpy(p, fixed, fixed_bytes);
	if (tail1_bytes)
		memcpy(p + fixed_bytes, tail1, tail1_bytes);
	if (tail2_bytes)
		memcpy(p + fixed_bytes + tail1_bytes, tail2, tail2_bytes);
	m->checksum = XXH32(p, bytes - sizeof(*m), type);
	m->type = (uint16_t)type;
	__atomic_store_n(&m->magic, SYT_META_MAGIC, __ATOMIC_RELEASE);
}

void syt_meta_text(enum syt_text what, uint32_t subject, const char *text, size_t bytes)
{
	struct syt_meta_text t = {.what = what, .subject = subject};
	size_t room = META_ROOM - sizeof(struct syt_meta) - sizeof(t);

	syt_meta_append(SYT_META_TEXT, &t, sizeof(t), text, bytes < room ? bytes : room, NULL, 0);
}

uint32_t syt_meta_stack(uint32_t parent, uint16_t module, uint64_t offset)
{
	uint64_t at;
	struct syt_chunk *c =
		reserve(&stack_chunk, SYT_CHUNK_STACKS, 1, sizeof(struct syt_stack_node), &at);

	if (!c || c->first + at > UINT32_MAX) {
		syt_lost(SYT_LOSS_STACKS, 1);
		return 0;
	}

	struct syt_stack_node *node = (struct syt_stack_node *)(c + 1) + at;

	node->parent = parent;
	node->module = module;
	node->offset = offset;
	node->check = syt_stack_check(parent, module, offset);
	return (uint32_t)(c->first + at);
}
