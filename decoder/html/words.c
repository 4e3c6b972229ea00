/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Gives numbers to the calls and objects of the HTML page, and writes sentences for the page. */
#include <inttypes.h>
#include <stdlib.h>

#include "decoder/html/write.h"
#include "decoder/read/call.h"

#define MOST_NAME 200u /* largest number of bytes of an object's name */

/* ---- numbers ---- */

bool syt_numbers_has(const struct syt_numbers *n, uint32_t element)
{
	return element < n->room && n->of[element];
}

uint32_t syt_numbers_of(struct syt_numbers *n, uint32_t element)
{
	if (element >= n->room) /* the new elements of the array are zeros */
		syt_store_grow(&n->of, &n->room, n->room, (uint64_t)element + 1, sizeof(*n->of));
	if (!n->of[element]) {
		syt_store_grow(&n->used, &n->room_used, n->nr, n->nr + 1, sizeof(*n->used));
		n->used[n->nr++] = element;
		n->of[element] = (uint32_t)n->nr;
	}
	return n->of[element];
}

void syt_numbers_close(struct syt_numbers *n)
{
	syt_store_free(n->of);
	syt_store_free(n->used);
	memset(n, 0, sizeof(*n));
}

/* ---- parts of the page ---- */

uint64_t syt_html_at(const struct syt_html *h, syt_time at)
{
	syt_time begin = h->order->places.trace->begin;
	uint64_t ns = at > begin ? SYT_TIME_NS(at - begin) : 0;

	return ns < h->length_ns ? ns : h->length_ns;
}

struct syt_requests *syt_html_requests(struct syt_html *h)
{
	if (!h->has_requests)
		syt_requests_open(&h->requests, h->order);
	h->has_requests = true;
	return &h->requests;
}

void syt_html_close(struct syt_html *h)
{
	syt_requests_close(&h->requests);
	free(h->model);
	syt_html_stacks_close(&h->stacks);
	syt_numbers_close(&h->calls);
	syt_numbers_close(&h->objects);
	syt_labels_destroy(h->labels);
	syt_store_free(h->kept);
	syt_store_free(h->row_of);
	free(h->drawn);
	free(h->first_call);
	free(h->words.buffer);
}

uint64_t syt_html_call(struct syt_html *h, uint32_t image, uint32_t call)
{
	return syt_numbers_of(&h->calls, h->first_call[image] + call) - 1;
}

int64_t syt_html_object(struct syt_html *h, uint32_t object)
{
	return object == SYT_NONE ? -1 : (int64_t)syt_numbers_of(&h->objects, object) - 1;
}

void syt_html_words_object(struct syt_html *h, uint32_t object)
{
	const char *title = syt_object_title_of(&h->order->objects, object);

	syt_out_safe_bytes(&h->words, title, strnlen(title, MOST_NAME));
}

void syt_html_put_words(struct syt_html *h, const char *key)
{
	char *text = syt_out_take(&h->words);

	syt_json_string(&h->j, key, text);
	free(text);
}

void syt_html_put_thread(struct syt_html *h, const char *key, uint32_t thread)
{
	const struct syt_thread *t = h->order->places.threads[thread];

	syt_out_printf(&h->words, "%" PRIu32 ".%" PRIu32, t->image->index, t->index);
	syt_html_put_words(h, key);
}
