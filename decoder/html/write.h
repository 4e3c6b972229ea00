/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The data shared by the parts that write the page. */
#ifndef SYT_DECODER_HTML_WRITE_H
#define SYT_DECODER_HTML_WRITE_H

#include "base/json.h"
#include "decoder/html/longest.h"
#include "decoder/order/label.h"
#include "decoder/order/order.h"

/* Small numbers for the used elements of a large range, from 1 in order of first use. */
struct syt_numbers {
	size_t room, nr, room_used;
	uint32_t *of;   /* [element]: number of the element; 0: no number yet */
	uint32_t *used; /* [number - 1]: the element with this number */
};

void syt_numbers_close(struct syt_numbers *n);

/* The size of a page: threads drawn, waits and edges kept, and the rest. */
struct syt_html_content {
	uint64_t nr_threads, nr_waits, nr_edges; /* drawn, kept, kept */
	uint64_t nr_threads_left_out, nr_waits_left_out, nr_edges_left_out;
};

struct syt_html {
	struct syt_order *order;
	struct syt_labels *labels;
	struct syt_symbols *symbols;
	struct syt_html_content *content;
	struct syt_json j;
	struct syt_out words; /* buffer for a sentence on its way into the JSON */
	struct syt_numbers stacks, calls,
		objects;      /* the elements are label sides, calls, objects */
	uint32_t *first_call; /* [image]: the number of its first call */
	uint32_t nr_drawn;
	uint32_t *drawn;  /* trace-wide threads, by their row in the page */
	uint32_t *row_of; /* [trace-wide thread]: row in the page, or SYT_NONE */
	uint64_t length_ns;
	uint64_t nr_kept;
	struct syt_html_span *kept; /* the kept waits, sorted by thread, then by time */
	uint64_t nr_edges;          /* number of edges in the trace */
	uint64_t stack_bytes, nr_stacks_left_out;
};

/* Returns the time from the begin of the trace to AT, in ns. */
uint64_t syt_html_at(const struct syt_html *h, syt_time at);

/* Returns the number in the page of the call path SIDE; 0: no call path, or the text of the call stacks is full. */
uint64_t syt_html_stack(struct syt_html *h, uint32_t side);
uint64_t syt_html_call(struct syt_html *h, uint32_t image, uint32_t call);
/* Returns the object's number, or -1 for SYT_NONE. */
int64_t syt_html_object(struct syt_html *h, uint32_t object);

/* Writes "mutex:0x55..#0 (name)" of a trace-wide object into h->words. */
void syt_html_words_object(struct syt_html *h, uint32_t object);
/* Writes the contents of h->words as a member and empties h->words. */
void syt_html_put_words(struct syt_html *h, const char *key);
void syt_html_put_thread(struct syt_html *h, const char *key, uint32_t thread);

#endif
