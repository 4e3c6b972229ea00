/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/words.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "decoder/show/coverage_print.h"

#define REPLACEMENT "\xef\xbf\xbd" /* the character U+FFFD in UTF-8 */

char *syt_words_clean(const char *text)
{
	const unsigned char *p = (const unsigned char *)(text ? text : "");
	const unsigned char *end = p + strlen((const char *)p);
	char *clean = syt_alloc((size_t)(end - p) + 1, 3), *to = clean;

	while (p < end) {
		uint32_t code;
		unsigned n = syt_utf8(p, end, &code);

		if (n && code >= 0x20 && (code < 0x7f || code > 0x9f)) {
			memcpy(to, p, n);
			to += n;
		} else {
			memcpy(to, REPLACEMENT, 3);
			to += 3;
		}
		p += n ? n : 1;
	}
	*to = 0;
	return clean;
}

char *syt_words_coverage(const struct syt_order *o)
{
	struct syt_out out;
	char *text;

	/* the whole line stays in the output buffer, which is larger than any line of coverage */
	syt_out_open(&out, -1, false);
	syt_coverage_json(&out, o);
	text = syt_strndup(out.buffer, out.used ? out.used - 1 : 0);
	free(out.buffer);
	return text;
}

static const char *call_at(const struct syt_places *p, uint32_t thread, uint32_t row)
{
	const char *name = syt_place_call(p, (struct syt_place){thread, row})->name;

	return name ? name : "?";
}

char *syt_words_task(const struct syt_export *x, const struct syt_task *t)
{
	const struct syt_places *p = &x->order->places;
	char *text, *clean;

	if (x->labels)
		text = syt_asprintf("%s -> %s",
		                    syt_label_short(syt_label_own_begin(x->labels, t->label), 2),
		                    syt_label_short(syt_label_own_end(x->labels, t->label), 2));
	else
		text = syt_asprintf("%s -> %s", call_at(p, t->thread, t->begin),
		                    call_at(p, t->thread, t->end));
	clean = syt_words_clean(text);
	free(text);
	return clean;
}

size_t syt_words_frames(const struct syt_export *x, const struct syt_image *i, uint32_t stack,
                        const char ***frames, size_t *room)
{
	size_t nr = 0;

	for (; stack; stack = i->stacks[stack].parent) {
		const struct syt_location *l = syt_symbol_locate(x->symbols, i, stack);

		for (uint32_t n = 0; !l->is_recorder && n < (l->nr_symbols ? l->nr_symbols : 1);
		     n++) {
			const char *fn = l->nr_symbols ? l->symbols[n].fn : NULL;

			syt_grow(frames, room, nr + 1, sizeof(**frames));
			(*frames)[nr++] = fn ? fn : l->label;
		}
	}
	return nr;
}

char *syt_words_path(const struct syt_export *x, uint32_t image, uint32_t stack)
{
	const struct syt_image *i = &x->order->places.trace->images[image];
	const char **frames = NULL;
	size_t room = 0, bytes, nr = syt_words_frames(x, i, stack, &frames, &room);
	char *path, *clean;
	FILE *f = syt_memstream(&path, &bytes);

	while (nr-- > 0) {
		syt_label_put_name(f, frames[nr]);
		if (nr)
			putc(';', f);
	}
	fclose(f);
	free(frames);
	clean = syt_words_clean(path);
	free(path);
	return clean;
}

char *syt_words_object(const struct syt_export *x, uint32_t object)
{
	return syt_words_clean(syt_object_title_of(&x->order->objects, object));
}

char *syt_words_process(const struct syt_image *i)
{
	return i->exe ? syt_words_clean(i->exe) : syt_asprintf("process %u", i->file.pid);
}

char *syt_words_thread(const struct syt_thread *t)
{
	const char *name = syt_thread_name(t);

	return name ? syt_words_clean(name) : syt_asprintf("thread %u", t->tid);
}

void syt_words_edge(const struct syt_order *o, const struct syt_edge *e, char *text, size_t bytes)
{
	char id[SYT_NODE_TEXT];

	syt_order_node_text(o, e->from, id, sizeof(id));
	snprintf(text, bytes, "%s %s %s%s%s", id, syt_edge_kind_text(e->kind),
	         syt_edge_class_text(e->class), e->flags & SYT_EDGE_AMBIGUOUS ? " ambiguous" : "",
	         e->flags & SYT_EDGE_INFERRED ? " inferred-ends" : "");
}
