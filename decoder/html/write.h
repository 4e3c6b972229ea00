/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Data and functions that all parts of the HTML page's writer share. */
#ifndef SYT_DECODER_HTML_WRITE_H
#define SYT_DECODER_HTML_WRITE_H

#include "base/counts.h"
#include "base/json.h"
#include "decoder/analysis/request.h"
#include "decoder/html/longest.h"
#include "decoder/order/label.h"
#include "decoder/order/order.h"

/* Small numbers for those elements of a large index range that the page uses, from 1 in order of first use. */
struct syt_numbers {
	size_t room, nr, room_used;
	uint32_t *of;   /* [element]: small number of the element; 0: it has no number yet */
	uint32_t *used; /* [number - 1]: the element with this small number */
};

void syt_numbers_close(struct syt_numbers *n);
bool syt_numbers_has(const struct syt_numbers *n, uint32_t element);
/* Returns the number of ELEMENT, which gets the next number if it has none. */
uint32_t syt_numbers_of(struct syt_numbers *n, uint32_t element);

/* A function or call of a call stack, with its place: "file.c:12", or "" if it is unknown. */
struct syt_html_frame {
	char *name, *place;
};

/* The call stacks of the page. Equal frames of all stacks have one number. */
struct syt_html_stacks {
	struct syt_numbers sides;
	struct syt_counts by_text; /* hash of a frame's name and place -> number of the frame + 1 */
	struct syt_html_frame *frames;
	size_t nr_frames, room_frames;
	/* frames of all stacks, the outermost first; [stack]: end of its frames */
	uint32_t *path;
	size_t *ends;
	size_t nr_path, room_path, nr_ends, room_ends;
	uint64_t bytes; /* number of bytes that the page needs for frames and stacks */
};

struct syt_model_section;

/* The contents of a page: numbers of the threads, waits and edges that it shows, and of those left out. */
struct syt_html_content {
	uint64_t nr_threads, nr_waits, nr_edges; /* threads, waits and edges that the page shows */
	uint64_t nr_threads_left_out, nr_waits_left_out, nr_edges_left_out;
};

struct syt_html {
	struct syt_order *order;
	struct syt_labels *labels;
	struct syt_symbols *symbols;
	struct syt_html_content *content;
	struct syt_json j;
	struct syt_out words; /* buffer for a sentence that becomes a JSON string */
	struct syt_html_stacks stacks;
	struct syt_numbers calls, objects;
	uint32_t *first_call; /* [image]: trace-wide number of its first call */
	uint32_t nr_drawn;
	uint32_t *drawn;  /* [row in the page]: trace-wide index of the thread */
	uint32_t *row_of; /* [trace-wide index of a thread]: its row in the page, or SYT_NONE */
	uint64_t length_ns;
	uint64_t nr_kept;
	struct syt_html_span *kept; /* waits that the page shows, sorted by thread, then by time */
	uint64_t nr_edges;          /* number of edges in the trace */
	uint64_t nr_stacks_left_out;
	/* the requests that servers in the trace received; several parts of the page read them */
	struct syt_requests requests;
	bool has_requests; /* `requests` is open */
	struct syt_model_section
		*tasks; /* the section with the tasks, which another thread makes */
	char *model;    /* HTML of this section; NULL: there are no tasks */
};

void syt_html_stacks_close(struct syt_html_stacks *s);
/* Frees the members of H. */
void syt_html_close(struct syt_html *h);

/* Returns the requests of the trace. The first call finds them. */
struct syt_requests *syt_html_requests(struct syt_html *h);

/* Returns the time from the begin of the trace to AT, in ns. */
uint64_t syt_html_at(const struct syt_html *h, syt_time at);

/* Returns the page's number for the call path SIDE. Returns 0 if there is no call path, or if the page has no space
 * for more call stacks. */
uint64_t syt_html_stack(struct syt_html *h, uint32_t side);
/* Writes the names and places of all frames, and the frames of each stack, as members of the page's data. */
void syt_html_put_stacks(struct syt_html *h);
uint64_t syt_html_call(struct syt_html *h, uint32_t image, uint32_t call);
/* Returns the page's number for OBJECT, or -1 for SYT_NONE. */
int64_t syt_html_object(struct syt_html *h, uint32_t object);

/* Writes the name of OBJECT (an index in the whole trace) into h->words, as "mutex:0x55..#0 (name)". */
void syt_html_words_object(struct syt_html *h, uint32_t object);
/* Writes the text in h->words as a JSON member named KEY, and empties h->words. */
void syt_html_put_words(struct syt_html *h, const char *key);
void syt_html_put_thread(struct syt_html *h, const char *key, uint32_t thread);

#endif
