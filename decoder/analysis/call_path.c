/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/call_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/counts.h"
#include "base/err.h"
#include "decoder/order/label.h"

#define MOST_PARTS 8192u
#define LONGEST_LOOP 8u /* maximum length of a cycle of calling functions */

struct syt_call_paths {
	const struct syt_places *places;
	struct syt_labels *labels;
	struct syt_counts by_side; /* (process image, side) -> number of the call path, plus one */
	struct syt_counts by_text; /* 128-bit hash of a text -> number of the call path, plus one */
	char **texts;
	size_t nr, room;
	bool has_components; /* the texts begin with the component, not with the program */
};

struct part {
	const char *text;
	size_t bytes;
};

struct syt_call_paths *syt_call_paths_create(const struct syt_places *places,
                                             struct syt_symbols *symbols)
{
	struct syt_call_paths *p = syt_calloc(1, sizeof(*p));

	p->places = places;
	p->labels = syt_labels_create(places, symbols, 0);
	/* chance decides which function a signal interrupts */
	syt_labels_begin_at_signals(p->labels);
	return p;
}

void syt_call_paths_destroy(struct syt_call_paths *p)
{
	for (size_t i = 0; i < p->nr; i++)
		free(p->texts[i]);
	free(p->texts);
	syt_counts_fini(&p->by_side);
	syt_counts_fini(&p->by_text);
	syt_labels_destroy(p->labels);
	free(p);
}

void syt_call_paths_begin_at_components(struct syt_call_paths *p)
{
	p->has_components = true;
}

/* Returns the function name TEXT without the suffix of a compiler's copy of a function, or "?" for an address. */
static struct part trimmed(const char *text, size_t bytes)
{
	if (bytes > 2 && !memcmp(text, "0x", 2))
		return (struct part){"?", 1};
	return (struct part){text, syt_symbol_plain_bytes(text, bytes)};
}

static bool is_repeated(const struct part *end, unsigned nr)
{
	for (unsigned i = 1; i <= nr; i++) {
		const struct part *a = end - i, *b = a - nr;

		if (a->bytes != b->bytes || memcmp(a->text, b->text, a->bytes) != 0)
			return false;
	}
	return true;
}

/* Splits the call path SIDE into PARTS (function names), at most MOST_PARTS, and drops repeated cycles of calls.
 * Returns the number of function names in PARTS. */
static unsigned split(const char *side, struct part *parts)
{
	unsigned nr = 0;

	for (const char *end; *side && nr < MOST_PARTS; side = end + (*end == ';')) {
		end = strchrnul(side, ';');
		parts[nr++] = trimmed(side, (size_t)(end - side));
		for (unsigned loop = 1; loop <= LONGEST_LOOP && 2 * loop <= nr; loop++) {
			if (is_repeated(parts + nr, loop)) {
				nr -= loop;
				break;
			}
		}
	}
	return nr;
}

static void put(FILE *f, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c == 0x7f)
			fprintf(f, "\\x%02x", c);
		else
			fputc(c, f);
	}
}

static bool is_text(const struct part *p, const char *text)
{
	return p->bytes == strlen(text) && !memcmp(p->text, text, p->bytes);
}

#define MOST_STARTING 4u

/* Returns the number of outermost functions in which libc starts threads and programs. The functions that start
 * threads differ between versions of libc. */
static unsigned nr_starting(const struct part *parts, unsigned nr)
{
	static const char *const names[] = {
		"_start", "__libc_start_main",      "__clone3",    "__libc_start_main_impl",
		"clone",  "__libc_start_call_main", "start_thread"};
	static const char libc[] = "libc.so.6+0x"; /* if libc has no symbols for these functions */
	unsigned starting = 0;

	for (unsigned n = 0; n < MOST_STARTING && n + 1 < nr; n++) {
		bool is_start = n == starting && parts[n].bytes >= sizeof(libc) &&
		                !memcmp(parts[n].text, libc, sizeof(libc) - 1);

		for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			is_start |= is_text(&parts[n], names[i]);
		if (is_start)
			starting = n + 1;
	}
	return starting;
}

static char *write_path(const char *program, const char *side)
{
	struct part *parts = syt_alloc(MOST_PARTS, sizeof(*parts));
	const char *deleted = strstr(program, " (deleted)");
	unsigned nr = split(side, parts);
	char *text = NULL;
	size_t bytes;
	FILE *f = syt_memstream(&text, &bytes);

	put(f, program, deleted ? (size_t)(deleted - program) : strlen(program));
	fputs(": ", f);
	for (unsigned first = nr_starting(parts, nr), i = first; i < nr; i++) {
		if (i > first)
			fputc(';', f);
		put(f, parts[i].text, parts[i].bytes);
	}
	fclose(f);
	free(parts);
	return text;
}

/* Returns the number of the call path TEXT; keeps or frees TEXT. Texts with equal 128-bit hashes count as equal. */
static uint32_t path_of_text(struct syt_call_paths *p, char *text)
{
	XXH128_hash_t h = XXH3_128bits(text, strlen(text));
	uint64_t *number = syt_counts_at(&p->by_text, h.low64, h.high64);

	if (*number) {
		free(text);
		return (uint32_t)(*number - 1);
	}
	*SYT_ADD(p->texts, p->nr, p->room) = text;
	*number = p->nr;
	return (uint32_t)(p->nr - 1);
}

static uint32_t path_of_side(struct syt_call_paths *p, uint32_t image, uint32_t side)
{
	uint64_t *number = syt_counts_at(&p->by_side, image, side);

	if (!*number) {
		const struct syt_image *i = &p->places->trace->images[image];
		char *text = write_path(p->has_components ? syt_image_component(i)
		                                          : syt_image_program(i),
		                        syt_label_side_text(p->labels, side));

		*number = 1 + path_of_text(p, text);
	}
	return (uint32_t)(*number - 1);
}

uint32_t syt_call_path_of(struct syt_call_paths *p, struct syt_place at)
{
	return path_of_side(p, syt_place_image_idx(p->places, at), syt_label_side(p->labels, at));
}

uint32_t syt_call_path_at(struct syt_call_paths *p, uint32_t image, uint32_t stack, uint32_t call)
{
	struct syt_label_key key = {.call = call, .stack = stack};

	return path_of_side(p, image, syt_label_side_of(p->labels, image, key));
}

const char *syt_call_path_text(const struct syt_call_paths *p, uint32_t path)
{
	return p->texts[path];
}

uint32_t syt_call_path_find(const struct syt_call_paths *p, const char *text)
{
	XXH128_hash_t h = XXH3_128bits(text, strlen(text));
	uint64_t number = syt_counts_of(&p->by_text, h.low64, h.high64);

	return number ? (uint32_t)(number - 1) : SYT_NONE;
}

bool syt_call_path_has(const struct syt_call_paths *p, uint32_t path, const char *function)
{
	const char *colon = strstr(p->texts[path], ": ");
	size_t bytes = strlen(function);

	for (const char *part = colon ? colon + 2 : p->texts[path], *end; *part;
	     part = end + (*end == ';')) {
		end = strchrnul(part, ';');
		if ((size_t)(end - part) >= bytes && !memcmp(part, function, bytes) &&
		    (part + bytes == end || part[bytes] == '('))
			return *end == ';'; /* the last part is the intercepted call */
	}
	return false;
}
