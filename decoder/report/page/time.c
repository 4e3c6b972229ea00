/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the timeline of the HTML page. Like decoder/report/waits/waits.c, it walks through the events of each
 * thread once, so the waits of a thread are disjoint. The report waits classifies each wait; this file combines the
 * kinds of waits into a few states. */
#include <stdlib.h>

#include "base/err.h"
#include "base/sort.h"
#include "decoder/report/page/page.h"
#include "decoder/analysis/classify.h"

/* maximum size in bytes of the levels (shares of each state per time bucket) of all threads together */
#define LEVEL_BYTES (UINT64_C(4) << 20)
#define MOST_BUCKETS 1024u
#define LEAST_BUCKETS 64u
#define KEPT_OF_ALL 50000u   /* number of waits in the page: the longest of all threads */
#define KEPT_BY_PLACE 50000u /* number of waits: the longest of each thread per stretch of time */

/* clang-format off */
#define STATES(STATE) \
	STATE(RUNNING, "running", "between calls, on a CPU or off it")                           \
	STATE(LOCK,    "lock",    "waiting for a lock")                                 \
	STATE(SYNC,    "sync",    "waiting for a wake-up by another thread")      \
	STATE(DATA,    "data",    "waiting for a message, or for free space to send")          \
	STATE(READY,   "ready",   "waiting for a ready file descriptor")                 \
	STATE(TIMER,   "timer",   "waiting for time to pass")                            \
	STATE(THREAD,  "thread",  "waiting for the end of a thread or child process")    \
	STATE(OTHER,   "other",   "in another call")

enum state {
#define STATE(name_, word_, text_) STATE_##name_,
	STATES(STATE)
#undef STATE
	NR_STATES
};
/* clang-format on */

static enum state state_of(enum syt_waits_kind kind)
{
	static const unsigned char of[SYT_NR_WAITS_KINDS] = {
		[SYT_WAITS_FOR_LOCK] = STATE_LOCK,     [SYT_WAITS_FOR_PRODUCER] = STATE_SYNC,
		[SYT_WAITS_FOR_MESSAGE] = STATE_DATA,  [SYT_WAITS_FOR_READINESS] = STATE_READY,
		[SYT_WAITS_FOR_ROOM] = STATE_DATA,     [SYT_WAITS_FOR_PEERS] = STATE_SYNC,
		[SYT_WAITS_FOR_TIMER] = STATE_TIMER,   [SYT_WAITS_FOR_CHILD] = STATE_THREAD,
		[SYT_WAITS_FOR_THREAD] = STATE_THREAD, [SYT_WAITS_FOR_FILE] = STATE_OTHER,
		[SYT_WAITS_FOR_CALL] = STATE_OTHER,    [SYT_WAITS_FOR_TEAM] = STATE_SYNC,
		[SYT_WAITS_FOR_ONCE] = STATE_SYNC,
	};

	return (enum state)of[kind];
}

struct walk {
	struct syt_html *h;
	struct syt_blamer blamer;
	struct syt_services services;
	uint64_t nr_buckets, nr_stretches;
	syt_time begin; /* begin of the trace */
	/* lengths of a bucket and of a stretch, the two divisions of the trace's time */
	syt_time bucket, stretch;
	syt_time (*spent)[NR_STATES]; /* [bucket]: time of the present thread in each state */
	syt_time *lived;              /* [bucket]: time in which the present thread existed */
	struct syt_html_span *best;   /* [stretch of time]: longest wait of the present thread */
	struct syt_longest longest;
	uint64_t nr_by_place;
	size_t room_by_place;
	struct syt_html_span *by_place;
	uint64_t nr_waits;
};

/* ---- one thread ---- */

/* Adds the time from FROM to TO to SUMS, which has a sum per bucket. The sums are STRIDE syt_time apart. */
static void spend(const struct walk *w, syt_time *sums, size_t stride, syt_time from, syt_time to)
{
	while (from < to) {
		uint64_t n = (from - w->begin) / w->bucket;
		syt_time rest =
			w->bucket -
			(from - w->begin) % w->bucket; /* time from FROM to the end of the bucket */

		if (n >= w->nr_buckets)
			return;
		if (rest > to - from)
			rest = to - from;
		sums[n * stride] += rest;
		from += rest;
	}
}

static void keep(struct walk *w, struct syt_html_span s)
{
	uint64_t last = (s.to - 1 - w->begin) / w->stretch;

	w->nr_waits++;
	spend(w, &w->spent[0][s.state], NR_STATES, s.from, s.to);
	syt_longest_add(&w->longest, s);
	for (uint64_t n = (s.from - w->begin) / w->stretch; n <= last && n < w->nr_stretches; n++)
		if (s.to - s.from > w->best[n].to - w->best[n].from)
			w->best[n] = s;
}

static syt_time walk_rows(struct walk *w, uint32_t number)
{
	const struct syt_places *p = &w->h->order->places;
	const struct syt_thread *t = p->threads[number];
	struct syt_wait_reason why;
	syt_time at = w->begin;

	SYT_EACH(row, 0, t->nr_rows) {
		struct syt_place of = {number, row};
		const struct syt_row *r = syt_place_row(p, of);
		struct syt_html_span s = {.thread = number, .row = row};

		s.from = r->in > at ? r->in : at;
		s.to = r->out > s.from ? r->out : s.from;
		at = s.to;
		if (s.from == s.to || !syt_wait_classify(&why, &w->blamer, &w->services, of))
			continue;
		s.state = (uint8_t)state_of(why.kind);
		keep(w, s);
	}
	return at;
}

static void walk_thread(struct walk *w, uint32_t number)
{
	const struct syt_thread *t = w->h->order->places.threads[number];
	syt_time begin = t->nr_rows ? syt_thread_row(t, 0)->in : t->waiting.since, end;

	memset(w->spent, 0, w->nr_buckets * sizeof(*w->spent));
	memset(w->lived, 0, w->nr_buckets * sizeof(*w->lived));
	memset(w->best, 0, w->nr_stretches * sizeof(*w->best));
	end = walk_rows(w, number);
	if (end < begin)
		end = begin;
	if (t->waiting.since && syt_order_thread_end(w->h->order, number) > end &&
	    t->waiting.since < syt_order_thread_end(w->h->order, number)) {
		struct syt_html_span s = {.thread = number,
		                          .row = SYT_NONE,
		                          .to = syt_order_thread_end(w->h->order, number)};

		s.from = t->waiting.since > end ? t->waiting.since : end;
		s.state = (uint8_t)state_of(syt_wait_classify_unended(t->image, &t->waiting).kind);
		keep(w, s);
		end = s.to;
	}
	spend(w, w->lived, 1, begin > w->begin ? begin : w->begin, end);
	for (uint64_t n = 0; n < w->nr_stretches; n++) {
		if (!w->best[n].to)
			continue;
		syt_store_grow(&w->by_place, &w->room_by_place, w->nr_by_place, w->nr_by_place + 1,
		               sizeof(*w->by_place));
		w->by_place[w->nr_by_place++] = w->best[n];
	}
}

/* ---- levels ---- */

static void put_base64(struct syt_out *out, const uint8_t *bytes, size_t nr)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t n = 0; n < nr; n += 3) {
		uint32_t three = (uint32_t)bytes[n] << 16 |
		                 (n + 1 < nr ? (uint32_t)bytes[n + 1] << 8 : 0) |
		                 (n + 2 < nr ? bytes[n + 2] : 0);

		syt_out_char(out, digits[three >> 18]);
		syt_out_char(out, digits[three >> 12 & 63]);
		syt_out_char(out, n + 1 < nr ? digits[three >> 6 & 63] : '=');
		syt_out_char(out, n + 2 < nr ? digits[three & 63] : '=');
	}
}

/* Writes the shares of the buckets in which the thread existed. Returns the first of them. */
static uint64_t put_level(struct walk *w)
{
	uint8_t *bytes = syt_calloc(w->nr_buckets, NR_STATES);
	uint64_t first = 0, end = w->nr_buckets;

	while (first < end && !w->lived[first])
		first++;
	while (end > first && !w->lived[end - 1])
		end--;
	for (uint64_t n = first; n < end; n++) {
		syt_time running = w->lived[n];

		for (unsigned s = 1; s < NR_STATES; s++) {
			running -= w->spent[n][s] < running ? w->spent[n][s] : running;
			bytes[n * NR_STATES + s] =
				(uint8_t)((double)w->spent[n][s] * 255 / (double)w->bucket);
		}
		bytes[n * NR_STATES] = (uint8_t)((double)running * 255 / (double)w->bucket);
	}
	syt_json_open_string(&w->h->j, NULL);
	put_base64(w->h->j.out, bytes + first * NR_STATES, (end - first) * NR_STATES);
	syt_json_close_string(&w->h->j);
	free(bytes);
	return first;
}

static void put_states(struct syt_json *j)
{
	static const struct {
		const char *word, *text;
	} states[] = {
#define STATE(name_, word_, text_) {word_, text_},
		STATES(STATE)
#undef STATE
	};

	syt_json_begin(j, "states", '[');
	for (unsigned n = 0; n < NR_STATES; n++) {
		syt_json_begin(j, NULL, '{');
		syt_json_string(j, "name", states[n].word);
		syt_json_string(j, "title", states[n].text);
		syt_json_end(j);
	}
	syt_json_end(j);
}

/* ---- the waits in the page ---- */

static uint64_t clamp(uint64_t v, uint64_t least, uint64_t most)
{
	return v < least ? least : v > most ? most : v;
}

/* Combines the longest waits of all threads and the longest wait in each stretch of time of each thread, without
 * duplicates. */
static void take_kept(struct walk *w)
{
	struct syt_html *h = w->h;
	uint64_t nr, nr_all = 0;
	struct syt_html_span *all = syt_longest_take(&w->longest, &nr);

	h->kept = syt_store_alloc(nr + w->nr_by_place, sizeof(*h->kept));
	if (nr)
		memcpy(h->kept, all, nr * sizeof(*all));
	if (w->nr_by_place)
		memcpy(h->kept + nr, w->by_place, w->nr_by_place * sizeof(*all));
	nr += w->nr_by_place;
	syt_sort(h->kept, nr, sizeof(*h->kept), syt_html_span_compare);
	for (uint64_t n = 0; n < nr; n++)
		if (!nr_all || syt_html_span_compare(&h->kept[nr_all - 1], &h->kept[n]))
			h->kept[nr_all++] = h->kept[n];
	h->nr_kept = nr_all;
	h->content->nr_waits = nr_all;
	h->content->nr_waits_left_out = w->nr_waits - nr_all;
	syt_store_free(all);
	syt_store_free(w->by_place);
}

enum column { AT, LENGTH, CALL, STACK, OBJECT, STATE_COLUMN, EVENT, NR_COLUMNS };

static int64_t value(struct syt_html *h, const struct syt_html_span *s, enum column column,
                     uint64_t *last)
{
	const struct syt_places *p = &h->order->places;
	const struct syt_thread *t = p->threads[s->thread];
	uint32_t image = (uint32_t)(t->image - p->trace->images);
	bool is_over = s->row != SYT_NONE;
	const struct syt_row *r = is_over ? syt_thread_row(t, s->row) : NULL;
	uint64_t at = syt_html_at(h, s->from), before = *last;

	switch (column) {
	case AT:
		*last = at;
		return (int64_t)(at - before);
	case LENGTH:
		return (int64_t)(syt_html_at(h, s->to) - at);
	case CALL:
		return (int64_t)syt_html_call(h, image, is_over ? r->call : t->waiting.call);
	case STACK:
		return (int64_t)syt_html_stack(
			h,
			is_over ? syt_label_side(h->labels, (struct syt_place){s->thread, s->row})
				: syt_label_side_of(h->labels, image,
		                                    (struct syt_label_key){t->waiting.call,
		                                                           t->waiting.stack}));
	case OBJECT:
		return syt_html_object(h, syt_object_of(&h->order->objects, image,
		                                        is_over ? r->object : t->waiting.object));
	case STATE_COLUMN:
		return s->state;
	default:
		return is_over ? (int64_t)(t->base + s->row) : -1;
	}
}

static void put_slices(struct syt_html *h)
{
	static const char *const names[] = {"at",     "length", "call", "stack",
	                                    "object", "state",  "event"};
	uint64_t first = 0, next;

	syt_json_begin(&h->j, "slices", '[');
	for (uint32_t row = 0; row < h->nr_drawn; row++, first = next) {
		for (next = first; next < h->nr_kept && h->kept[next].thread == h->drawn[row];)
			next++;
		syt_json_begin(&h->j, NULL, '{');
		for (unsigned c = 0; c < NR_COLUMNS; c++) {
			uint64_t last = 0;

			syt_json_begin(&h->j, names[c], '[');
			for (uint64_t n = first; n < next; n++)
				syt_json_i64(&h->j, NULL,
				             value(h, &h->kept[n], (enum column)c, &last));
			syt_json_end(&h->j);
		}
		syt_json_end(&h->j);
	}
	syt_json_end(&h->j);
}

void syt_html_put_time(struct syt_html *h)
{
	uint64_t nr_threads = h->nr_drawn ? h->nr_drawn : 1;
	struct walk w = {
		.h = h,
		.begin = h->order->places.trace->begin,
		.nr_buckets =
			clamp(LEVEL_BYTES / NR_STATES / nr_threads, LEAST_BUCKETS, MOST_BUCKETS),
		.nr_stretches = clamp(KEPT_BY_PLACE / nr_threads, 1, MOST_BUCKETS),
	};
	uint64_t *first = syt_calloc(nr_threads, sizeof(*first)); /* [row]: its first bucket */

	w.bucket = (h->length_ns / w.nr_buckets + 1) << SYT_TIME_SHIFT;
	w.stretch = (h->length_ns / w.nr_stretches + 1) << SYT_TIME_SHIFT;
	w.spent = syt_calloc(w.nr_buckets, sizeof(*w.spent));
	w.lived = syt_calloc(w.nr_buckets, sizeof(*w.lived));
	w.best = syt_calloc(w.nr_stretches, sizeof(*w.best));
	syt_longest_open(&w.longest, KEPT_OF_ALL);
	syt_blamer_open(&w.blamer, h->order, h->labels);
	syt_services_open(&w.services, h->order);
	put_states(&h->j);
	syt_json_begin(&h->j, "level", '{');
	syt_json_u64(&h->j, "buckets", w.nr_buckets);
	syt_json_u64(&h->j, "width", SYT_TIME_NS(w.bucket));
	syt_json_begin(&h->j, "rows", '[');
	for (uint32_t row = 0; row < h->nr_drawn; row++) {
		walk_thread(&w, h->drawn[row]);
		first[row] = put_level(&w);
	}
	syt_json_end(&h->j);
	syt_json_begin(&h->j, "first", '[');
	for (uint32_t row = 0; row < h->nr_drawn; row++)
		syt_json_u64(&h->j, NULL, first[row]);
	syt_json_end(&h->j);
	syt_json_end(&h->j);
	syt_services_close(&w.services);
	syt_blamer_close(&w.blamer);
	free(w.spent);
	free(w.lived);
	free(w.best);
	free(first);
	take_kept(&w);
	put_slices(h);
	syt_json_u64(&h->j, "leftOut", h->content->nr_waits_left_out);
}
