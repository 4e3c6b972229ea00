/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/events/stack_text.h"

#include <stdlib.h>

#include "base/err.h"
#include "decoder/show/print.h"

#define TEXT_MAX (UINT32_C(64) << 10) /* a longer text is formatted each time */
#define BLOCK_BYTES (UINT32_C(1) << 20)
#define NR_BLOCKS_MAX 64u

struct text {
	const char *bytes; /* NULL: the text was not formatted yet */
	uint32_t nr;
};

struct syt_stack_texts {
	const struct syt_trace_data *trace;
	struct syt_symbols *symbols;
	struct text **of_image; /* [image][stack]: the text of a call stack */
	char *blocks[NR_BLOCKS_MAX];
	unsigned nr_blocks;
	uint32_t used; /* used bytes of the last block */
};

struct syt_stack_texts *syt_stack_texts_create(const struct syt_trace_data *trace,
                                               struct syt_symbols *symbols)
{
	struct syt_stack_texts *t = syt_calloc(1, sizeof(*t));

	t->trace = trace;
	t->symbols = symbols;
	t->of_image = syt_calloc(trace->nr_images, sizeof(*t->of_image));
	return t;
}

void syt_stack_texts_destroy(struct syt_stack_texts *t)
{
	if (!t)
		return;
	for (uint32_t n = 0; n < t->trace->nr_images; n++)
		free(t->of_image[n]);
	for (unsigned n = 0; n < t->nr_blocks; n++)
		free(t->blocks[n]);
	free(t->of_image);
	free(t);
}

/* Returns space for NR bytes, or NULL if all blocks are full. */
static char *reserve(struct syt_stack_texts *t, uint32_t nr)
{
	if (!t->nr_blocks || nr > BLOCK_BYTES - t->used) {
		if (t->nr_blocks == NR_BLOCKS_MAX)
			return NULL;
		t->blocks[t->nr_blocks++] = syt_alloc(BLOCK_BYTES, 1);
		t->used = 0;
	}
	t->used += nr;
	return t->blocks[t->nr_blocks - 1] + t->used - nr;
}

static void make(struct syt_stack_texts *t, struct syt_out *o, const struct syt_image *image,
                 uint32_t stack, bool is_json)
{
	struct syt_json j = {.out = o};

	if (is_json)
		syt_json_stack(&j, NULL, t->symbols, image, stack);
	else
		syt_print_stack(o, t->symbols, image, stack, "        ");
}

void syt_stack_texts_put(struct syt_stack_texts *t, struct syt_out *o,
                         const struct syt_image *image, uint32_t stack, bool is_json)
{
	struct text **of_image = &t->of_image[image - t->trace->images], *text;
	uint64_t written;
	size_t before;
	char *bytes;

	if (!*of_image)
		*of_image = syt_calloc(image->nr_stacks, sizeof(**of_image));
	text = &(*of_image)[stack];
	if (text->bytes) {
		syt_out_bytes(o, text->bytes, text->nr);
		return;
	}
	/* copies the text from the buffer of the output, unless a flush removed a part */
	if (SYT_OUT_BYTES - o->used < TEXT_MAX)
		syt_out_flush(o);
	before = o->used;
	written = o->written;
	make(t, o, image, stack, is_json);
	if (o->written != written || o->used - before > TEXT_MAX)
		return;
	bytes = reserve(t, (uint32_t)(o->used - before));
	if (!bytes)
		return;
	memcpy(bytes, o->buffer + before, o->used - before);
	*text = (struct text){bytes, (uint32_t)(o->used - before)};
}
