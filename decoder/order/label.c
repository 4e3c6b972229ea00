/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/order/label.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/counts.h"
#include "base/err.h"

struct pair {
	uint32_t begin, end; /* numbers of two call paths; end SYT_NONE for a barrier round */
};

/* A call path that by_stack contains. */
struct known {
	uint64_t where; /* process image and call */
	uint32_t stack;
	uint32_t number; /* the call path plus 1; 0: no entry */
};
#define NR_KNOWN 256u

struct syt_labels {
	const struct syt_places *places;
	struct syt_symbols *symbols;
	bool begin_at_signals;
	uint32_t depth; /* number of innermost stack frames used, at most SYT_MOST_FRAMES */
	/* hash tables whose values are an index plus 1 */
	struct syt_counts by_stack; /* (process image and call, call stack) -> call path */
	struct syt_counts by_text;  /* hash of a call path's text -> call path */
	struct syt_counts by_sides; /* (call paths at begin and end) -> label */
	char **sides;
	char **own; /* [side]: the text without functions of the language's library; may be the same pointer */
	struct syt_label_example *examples; /* [call path]: a call stack with this text */
	size_t nr_examples, room_examples;
	size_t nr_sides, room_sides, nr_own, room_own;
	struct pair *labels;
	size_t nr_labels, room_labels;
	struct known *known; /* [NR_KNOWN]: call paths that were looked up lately, by call stack */
	struct syt_place last; /* END of the last syt_label_of() call, often the next BEGIN */
	uint32_t last_side;
	char *distinguished; /* result of the last syt_label_distinguish() */
};

void syt_label_put_name(FILE *f, const char *name)
{
	for (; *name; name++)
		putc(*name == ';' ? ':' : *name, f);
}

static void put_location(const struct syt_location *at, syt_label_frame *put, void *arg)
{
	for (uint32_t i = at->nr_symbols; i-- > 1;)
		if (at->symbols[i].fn)
			put(arg, at->symbols[i].fn, at, &at->symbols[i]);
	put(arg, at->label, at, at->nr_symbols ? &at->symbols[0] : NULL);
}

/* Calls PUT for each component of the call path OF in IMAGE, the outermost first. */
static void walk(struct syt_labels *l, const struct syt_image *image, struct syt_label_key of,
                 syt_label_frame *put, void *arg)
{
	uint32_t *frames = syt_alloc(SYT_MOST_FRAMES, sizeof(*frames));
	uint32_t nr = 0, stack = of.stack;
	const char *call = image->calls[of.call].name;

	while (stack && stack < image->nr_stacks && nr < l->depth) {
		if (l->begin_at_signals && image->stacks[stack].offset & SYT_STACK_SIGNAL)
			break;
		if (!syt_symbol_locate(l->symbols, image, stack)->is_recorder)
			frames[nr++] = stack;
		if (image->stacks[stack].offset & SYT_STACK_TRUNCATED)
			break;
		stack = image->stacks[stack].parent;
	}
	if (nr &&
	    (nr == SYT_MOST_FRAMES || image->stacks[frames[nr - 1]].offset & SYT_STACK_TRUNCATED))
		put(arg, "...", NULL, NULL);
	while (nr)
		put_location(syt_symbol_locate(l->symbols, image, frames[--nr]), put, arg);
	put(arg, call ? call : "?", NULL, NULL);
	free(frames);
}

/* The text of a call path that is being written, and the text without the functions of the language's library. */
struct side_text {
	FILE *f, *own;
	bool is_begun;
	unsigned nr_own;
};

static void write_component(void *arg, const char *name, const struct syt_location *at,
                            const struct syt_symbol *symbol)
{
	struct side_text *t = arg;

	if (t->is_begun)
		fputc(';', t->f);
	syt_label_put_name(t->f, name);
	t->is_begun = true;
	if (at && syt_symbol_is_library(name, symbol))
		return;
	if (t->nr_own++)
		fputc(';', t->own);
	syt_label_put_name(t->own, name);
}

/* Returns the call path OF in IMAGE. *OWN gets the text without the functions of the language's library; the innermost
 * function remains if all of them belong to the library. */
static char *write_side(struct syt_labels *l, const struct syt_image *image,
                        struct syt_label_key of, char **own)
{
	char *text = NULL;
	size_t bytes, own_bytes;
	struct side_text t = {.f = syt_memstream(&text, &bytes),
	                      .own = syt_memstream(own, &own_bytes)};

	walk(l, image, of, write_component, &t);
	fclose(t.f);
	fclose(t.own);
	if (t.nr_own == 1) {
		free(*own);
		*own = syt_asprintf("%s", syt_label_short(text, 2));
	}
	return text;
}

/* Returns the number of the call path TEXT, and keeps or frees TEXT and OWN. Two texts with equal 128-bit hashes count as
 * the same text. */
static uint32_t side_of_text(struct syt_labels *l, char *text, char *own)
{
	XXH128_hash_t h = XXH3_128bits(text, strlen(text));
	uint64_t *side = syt_counts_at(&l->by_text, h.low64, h.high64);

	if (*side) {
		free(text);
		free(own);
		return (uint32_t)*side - 1;
	}
	if (!strcmp(own, text)) {
		free(own);
		own = text;
	}
	*SYT_ADD(l->own, l->nr_own, l->room_own) = own;
	*SYT_ADD(l->sides, l->nr_sides, l->room_sides) = text;
	*side = l->nr_sides;
	return (uint32_t)*side - 1;
}

static uint32_t find_side(struct syt_labels *l, uint32_t image_idx, struct syt_label_key of,
                          uint64_t where)
{
	uint64_t *number = syt_counts_at(&l->by_stack, where, of.stack);

	if (!*number) {
		char *own;
		char *text = write_side(l, &l->places->trace->images[image_idx], of, &own);
		uint32_t side = side_of_text(l, text, own);

		*number = UINT64_C(1) + side;
		if (side == l->nr_examples)
			*SYT_ADD(l->examples, l->nr_examples, l->room_examples) =
				(struct syt_label_example){image_idx, of.stack, of.call};
	}
	return (uint32_t)*number - 1;
}

uint32_t syt_label_side_of(struct syt_labels *l, uint32_t image_idx, struct syt_label_key of)
{
	uint64_t where = (uint64_t)image_idx << 32 | of.call;
	struct known *k = &l->known[(of.stack ^ of.call) % NR_KNOWN];

	if (k->where != where || k->stack != of.stack || !k->number)
		*k = (struct known){where, of.stack, find_side(l, image_idx, of, where) + 1};
	return k->number - 1;
}

uint32_t syt_label_side(struct syt_labels *l, struct syt_place at)
{
	const struct syt_row *r = syt_place_row(l->places, at);

	return syt_label_side_of(l, syt_place_image_idx(l->places, at),
	                         (struct syt_label_key){r->call, r->stack});
}

struct syt_label_example syt_label_side_example(const struct syt_labels *l, uint32_t side)
{
	return l->examples[side];
}

void syt_label_side_frames(struct syt_labels *l, uint32_t side, syt_label_frame *put, void *arg)
{
	struct syt_label_example e = l->examples[side];

	walk(l, &l->places->trace->images[e.image], (struct syt_label_key){e.call, e.stack}, put,
	     arg);
}

const char *syt_label_side_text(const struct syt_labels *l, uint32_t side)
{
	return l->sides[side];
}

struct syt_labels *syt_labels_create(const struct syt_places *places, struct syt_symbols *symbols,
                                     uint32_t depth)
{
	struct syt_labels *l = syt_calloc(1, sizeof(*l));

	l->depth = depth && depth < SYT_MOST_FRAMES ? depth : SYT_MOST_FRAMES;
	l->known = syt_calloc(NR_KNOWN, sizeof(*l->known));
	l->places = places;
	l->symbols = symbols;
	l->last.thread = SYT_NONE;
	return l;
}

void syt_labels_begin_at_signals(struct syt_labels *l)
{
	l->begin_at_signals = true;
}

void syt_labels_destroy(struct syt_labels *l)
{
	for (size_t i = 0; i < l->nr_sides; i++) {
		if (l->own[i] != l->sides[i])
			free(l->own[i]);
		free(l->sides[i]);
	}
	free(l->own);
	free(l->sides);
	free(l->examples);
	free(l->known);
	free(l->labels);
	syt_counts_fini(&l->by_stack);
	syt_counts_fini(&l->by_text);
	syt_counts_fini(&l->by_sides);
	free(l->distinguished);
	free(l);
}

static uint32_t label(struct syt_labels *l, struct pair p)
{
	uint64_t *number = syt_counts_at(&l->by_sides, p.begin, p.end);

	if (!*number) {
		*SYT_ADD(l->labels, l->nr_labels, l->room_labels) = p;
		*number = l->nr_labels;
	}
	return (uint32_t)*number - 1;
}

uint32_t syt_label_of(struct syt_labels *l, struct syt_place begin, struct syt_place end)
{
	bool is_last = begin.thread == l->last.thread && begin.row == l->last.row;
	struct pair p = {is_last ? l->last_side : syt_label_side(l, begin), SYT_NONE};

	if (end.thread != SYT_NONE) {
		p.end = syt_label_side(l, end);
		l->last = end;
		l->last_side = p.end;
	}
	return label(l, p);
}

uint32_t syt_label_between(struct syt_labels *l, uint32_t image, struct syt_label_key begin,
                           struct syt_label_key end)
{
	uint32_t from = syt_label_side_of(l, image, begin);

	return label(l, (struct pair){from, syt_label_side_of(l, image, end)});
}

uint32_t syt_labels_nr(const struct syt_labels *l)
{
	return (uint32_t)l->nr_labels;
}

const char *syt_label_begin(const struct syt_labels *l, uint32_t label)
{
	return l->sides[l->labels[label].begin];
}

const char *syt_label_end(const struct syt_labels *l, uint32_t label)
{
	return l->labels[label].end == SYT_NONE ? NULL : l->sides[l->labels[label].end];
}

const char *syt_label_own_begin(const struct syt_labels *l, uint32_t label)
{
	return l->own[l->labels[label].begin];
}

const char *syt_label_own_end(const struct syt_labels *l, uint32_t label)
{
	return l->labels[label].end == SYT_NONE ? NULL : l->own[l->labels[label].end];
}

void syt_label_text(const struct syt_labels *l, uint32_t label, struct syt_out *out,
                    void (*put)(struct syt_out *out, const char *text))
{
	const char *end = syt_label_end(l, label);

	put(out, end ? "" : "barrier ");
	put(out, syt_label_begin(l, label));
	if (end) {
		put(out, " -> ");
		put(out, end);
	}
}

const char *syt_label_distinguish(struct syt_labels *l, uint32_t side, unsigned components)
{
	free(l->distinguished);
	l->distinguished = syt_distinguish(l->own, l->nr_own, l->own[side], components);
	return l->distinguished ? l->distinguished : syt_label_short(l->own[side], components);
}
