/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Collects the call stacks of the HTML page. Many call stacks begin with the same functions, so the page contains
 * each function and its place once, and a call stack is a list of their numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/err.h"
#include "decoder/html/write.h"

#define STACK_BYTES (UINT64_C(6) << 20) /* largest number of bytes of all call stacks in the page */
#define NUMBER_BYTES 5u /* typical number of bytes of a frame's number, with its comma */

/* Returns the place of a function as text, which the caller frees: "file.c:12", or "" if it is unknown. */
static char *place_of(const struct syt_symbol *symbol)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = syt_memstream(&text, &bytes);

	if (symbol && symbol->file)
		fprintf(f, "%s:%" PRIu32, symbol->file, symbol->line);
	fclose(f);
	return text;
}

static void add_frame(void *arg, const char *name, const struct syt_location *at,
                      const struct syt_symbol *symbol)
{
	struct syt_html_stacks *s = arg;
	char *place = place_of(symbol);
	size_t name_bytes = strlen(name), place_bytes = strlen(place);
	/* two hashes, so a frame with equal hashes is an equal frame */
	uint64_t *number = syt_counts_at(&s->by_text, XXH3_64bits(name, name_bytes),
	                                 XXH3_64bits(place, place_bytes));

	(void)at;
	if (*number) {
		free(place);
	} else {
		*SYT_ADD(s->frames, s->nr_frames, s->room_frames) =
			(struct syt_html_frame){syt_strndup(name, name_bytes), place};
		*number = s->nr_frames;
		s->bytes += name_bytes + place_bytes + sizeof("\"\",\"\",");
	}
	*SYT_ADD(s->path, s->nr_path, s->room_path) = (uint32_t)*number - 1;
	s->bytes += NUMBER_BYTES;
}

uint64_t syt_html_stack(struct syt_html *h, uint32_t side)
{
	struct syt_html_stacks *s = &h->stacks;

	if (side == SYT_NONE)
		return 0;
	if (!syt_numbers_has(&s->sides, side)) {
		if (s->bytes > STACK_BYTES) {
			h->nr_stacks_left_out++;
			return 0;
		}
		syt_label_side_frames(h->labels, side, add_frame, s);
		*SYT_ADD(s->ends, s->nr_ends, s->room_ends) = s->nr_path;
	}
	return syt_numbers_of(&s->sides, side);
}

void syt_html_put_stacks(struct syt_html *h)
{
	const struct syt_html_stacks *s = &h->stacks;
	size_t at = 0;

	syt_json_begin(&h->j, "names", '[');
	for (size_t n = 0; n < s->nr_frames; n++)
		syt_json_string(&h->j, NULL, s->frames[n].name);
	syt_json_end(&h->j);
	syt_json_begin(&h->j, "places", '[');
	for (size_t n = 0; n < s->nr_frames; n++)
		syt_json_string(&h->j, NULL, s->frames[n].place);
	syt_json_end(&h->j);
	syt_json_begin(&h->j, "stacks", '[');
	syt_json_begin(&h->j, NULL, '[');
	syt_json_end(&h->j);
	for (size_t n = 0; n < s->nr_ends; n++) {
		syt_json_begin(&h->j, NULL, '[');
		for (; at < s->ends[n]; at++)
			syt_json_u64(&h->j, NULL, s->path[at]);
		syt_json_end(&h->j);
	}
	syt_json_end(&h->j);
}

void syt_html_stacks_close(struct syt_html_stacks *s)
{
	for (size_t n = 0; n < s->nr_frames; n++) {
		free(s->frames[n].name);
		free(s->frames[n].place);
	}
	free(s->frames);
	free(s->path);
	free(s->ends);
	syt_counts_fini(&s->by_text);
	syt_numbers_close(&s->sides);
}
