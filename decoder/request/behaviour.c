/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/behaviour.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "decoder/analysis/call_path.h"
#include "decoder/analysis/call_rule.h"
#include "decoder/analysis/own_frame.h"
#include "decoder/request/disguised_lock.h"

/* A step in a linked list. Lists are joined without a copy, because an answer can lie in thousands of brackets. */
struct node {
	struct syt_request_step step;
	uint32_t next; /* the next node of the string, or SYT_NONE */
};

/* The string of a segment. */
struct string {
	uint32_t first, last; /* nodes; SYT_NONE: the string is empty */
};

/* A segment, and the segment whose event gave the work; both by their position in the request. */
struct child {
	uint32_t parent, child;
	struct syt_place from;
};

/* What is known of a call path. */
struct path {
	uint32_t symbol; /* number of the symbol plus 1; 0: not known yet */
	bool is_allocator;
};

struct syt_behaviours {
	const struct syt_extents *e;
	const struct syt_places *places;
	struct syt_symbols *symbols;
	struct syt_text_set *set;
	bool *is_disguised; /* [object]: part of a lock in disguise */
	struct syt_call_paths *paths;
	size_t nr_paths, room_paths;
	struct path *path;    /* [number of the call path] */
	uint32_t open, close; /* symbols of the brackets */
	/* The present request. It may be as long as the trace, so these arrays are in the store (base/store.h). */
	uint32_t nr_nodes, nr_children, nr_steps;
	size_t room_nodes, room_children, room_strings, room_steps, room_numbers;
	struct node *nodes;
	struct child *children;
	struct string *strings;
	struct syt_request_step *steps;
	uint32_t *numbers;
};

struct syt_behaviours *syt_behaviours_create(const struct syt_extents *e,
                                             struct syt_symbols *symbols, struct syt_text_set *set)
{
	struct syt_behaviours *b = syt_calloc(1, sizeof(*b));

	b->e = e;
	b->places = &e->order->places;
	b->symbols = symbols;
	b->set = set;
	b->is_disguised = syt_disguised_locks(e->order);
	b->paths = syt_call_paths_create(b->places, symbols);
	syt_call_paths_begin_at_components(b->paths);
	b->open = syt_text_set_add(set, "[", 1);
	b->close = syt_text_set_add(set, "]", 1);
	return b;
}

void syt_behaviours_destroy(struct syt_behaviours *b)
{
	syt_call_paths_destroy(b->paths);
	free(b->is_disguised);
	free(b->path);
	syt_store_free(b->nodes);
	syt_store_free(b->children);
	syt_store_free(b->strings);
	syt_store_free(b->steps);
	syt_store_free(b->numbers);
	free(b);
}

/* ---- symbols ---- */

#define SHORT_PARTS 3u

const char *syt_symbol_short(const char *text)
{
	const char *at = text + strlen(text);

	for (unsigned nr = SHORT_PARTS; at > text; at--)
		if (at[-1] == ';' && !--nr)
			return at;
	return strchr(text, ':') ? strchr(text, ':') + 1 : text;
}

/* Returns the number of the symbol of the call path TEXT. A blank would end the symbol in a file of strings. */
static uint32_t add_symbol(struct syt_behaviours *b, const char *text)
{
	char *copy = syt_strndup(text, strlen(text)), *colon = strstr(copy, ": ");
	uint32_t symbol;

	if (colon)
		memmove(colon + 1, colon + 2, strlen(colon + 2) + 1);
	for (char *c = copy; *c; c++)
		if (*c == ' ')
			*c = '_';
	symbol = syt_text_set_add(b->set, copy, strlen(copy));
	free(copy);
	return symbol;
}

static const struct path *path_of(struct syt_behaviours *b, struct syt_place at)
{
	uint32_t number = syt_call_path_of(b->paths, at);
	struct path *path;

	while (b->nr_paths <= number)
		*SYT_ADD(b->path, b->nr_paths, b->room_paths) = (struct path){0};
	path = &b->path[number];
	if (!path->symbol) {
		path->symbol = add_symbol(b, syt_call_path_text(b->paths, number)) + 1;
		path->is_allocator =
			syt_own_frame_is_allocator(b->symbols, syt_place_image(b->places, at),
		                                   syt_place_row(b->places, at)->stack);
	}
	return path;
}

static enum syt_kind kind_at(const struct syt_behaviours *b, struct syt_place at)
{
	uint32_t object = syt_place_row(b->places, at)->object;

	return object == SYT_NONE ? SYT_KIND_OTHER
	                          : syt_place_image(b->places, at)->objects[object].kind;
}

/* Returns true if the call at AT is one of a lock in disguise. */
static bool is_disguised(const struct syt_behaviours *b, struct syt_place at)
{
	uint32_t object = syt_object_of(&b->e->order->objects, syt_place_image_idx(b->places, at),
	                                syt_place_row(b->places, at)->object);

	return object != SYT_NONE && b->is_disguised[object];
}

static bool is_lock(uint8_t shape)
{
	return shape == SYT_SHAPE_LOCK || shape == SYT_SHAPE_RDLOCK;
}

/* Returns true if the program alone decides how often the call at AT occurs. */
static bool has_symbol(struct syt_behaviours *b, struct syt_place at, uint8_t shape)
{
	enum syt_kind kind = kind_at(b, at);
	const struct syt_row *r = syt_place_row(b->places, at);

	if (is_disguised(b, at))
		return false;
	switch (shape) {
	case SYT_SHAPE_UNLOCK:
	case SYT_SHAPE_ACCEPT:
	case SYT_SHAPE_DUP:
	case SYT_SHAPE_READY:
	case SYT_SHAPE_EPOLL_CTL:
	case SYT_SHAPE_SIGNAL_RECV:
	case SYT_SHAPE_TIMER_SET:
		return false;
	case SYT_SHAPE_CLOSE:
	case SYT_SHAPE_SHUTDOWN:
		return kind != SYT_KIND_STREAM && syt_call_rule_of(b->places, at);
	case SYT_SHAPE_SEND:
	case SYT_SHAPE_RECV:
	case SYT_SHAPE_TRANSFER:
		if (kind == SYT_KIND_FILE)
			return r->result >= 0;
		break;
	case SYT_SHAPE_PAUSE:
		return true;
	case SYT_SHAPE_BLOCK:
		return r->result >= 0 && kind == SYT_KIND_FILE &&
		       !syt_call_opens_file(syt_place_call(b->places, at));
	default:
		break;
	}
	return syt_call_rule_of(b->places, at) != SYT_CALL_RULE_NONE;
}

/* Returns true if the call at AT continues the call at LAST: timing decides into how many calls a transfer is divided. */
static bool continues(const struct syt_behaviours *b, struct syt_place last, struct syt_place at)
{
	const struct syt_row *r = syt_place_row(b->places, at), *before;
	uint8_t shape = syt_place_call(b->places, at)->shape;
	enum syt_kind kind = kind_at(b, at);

	if (last.thread != at.thread)
		return false;
	before = syt_place_row(b->places, last);
	if (r->object != before->object || syt_place_call(b->places, last)->shape != shape)
		return false;
	if (kind == SYT_KIND_FILE)
		return r->stack == before->stack;
	return shape == SYT_SHAPE_RECV && (kind == SYT_KIND_STREAM || kind == SYT_KIND_PIPE);
}

/* ---- strings of segments ---- */

static void append(struct syt_behaviours *b, struct string *s, struct string more)
{
	if (more.first == SYT_NONE)
		return;
	if (s->first == SYT_NONE)
		s->first = more.first;
	else
		b->nodes[s->last].next = more.first;
	s->last = more.last;
}

static void append_step(struct syt_behaviours *b, struct string *s, struct syt_request_step step)
{
	uint32_t n = b->nr_nodes;

	*SYT_STORE_ADD(b->nodes, b->nr_nodes, b->room_nodes) = (struct node){step, SYT_NONE};
	append(b, s, (struct string){n, n});
}

static int compare_strings(const struct syt_behaviours *b, uint32_t one, uint32_t other)
{
	for (; one != SYT_NONE && other != SYT_NONE;
	     one = b->nodes[one].next, other = b->nodes[other].next) {
		uint32_t x = b->nodes[one].step.symbol, y = b->nodes[other].step.symbol;

		if (x != y)
			return strcmp(b->set->all[x], b->set->all[y]);
	}
	return (one != SYT_NONE) - (other != SYT_NONE);
}

static int by_text(const void *a_, const void *b_, void *behaviours)
{
	const struct child *a = a_, *b = b_;
	const struct syt_behaviours *all = behaviours;
	int order =
		compare_strings(all, all->strings[a->child].first, all->strings[b->child].first);

	return order ? order : SYT_COMPARE(a->child, b->child);
}

/* Appends the strings of the NR children, which got their work from one event, in brackets. */
static void append_children(struct syt_behaviours *b, struct string *s, struct child *all,
                            size_t nr, const uint32_t *segments)
{
	if (nr > 1)
		qsort_r(all, nr, sizeof(*all), by_text, b);
	for (size_t i = 0; i < nr; i++) {
		uint32_t segment = segments[all[i].child];
		struct syt_request_step bracket = {{SYT_NONE, 0}, b->open, segment};

		if (b->strings[all[i].child].first == SYT_NONE)
			continue;
		append_step(b, s, bracket);
		append(b, s, b->strings[all[i].child]);
		bracket.symbol = b->close;
		append_step(b, s, bracket);
	}
}

static int by_source(const void *a_, const void *b_)
{
	const struct child *a = a_, *b = b_;

	SYT_ORDER_BY(parent);
	SYT_ORDER(syt_place_compare(a->from, b->from), 0);
	return SYT_COMPARE(a->child, b->child);
}

/* Returns how many of the NR children, at least one, got their work from the same event as the first one. */
static size_t nr_of_event(const struct child *all, size_t nr)
{
	size_t n = 1;

	while (n < nr && !syt_place_compare(all[n].from, all[0].from))
		n++;
	return n;
}

struct children {
	struct child *all;
	size_t nr;
};

/* Appends the events of PIECE, and the children C of these events. LAST is the last event with a symbol. */
static void append_piece(struct syt_behaviours *b, struct string *s, const struct syt_piece *piece,
                         struct children c, struct syt_place *last, const uint32_t *segments)
{
	for (uint32_t row = piece->first; row < piece->end; row++) {
		struct syt_place at = {piece->thread, row};
		uint8_t shape = syt_place_call(b->places, at)->shape;

		if (has_symbol(b, at, shape)) {
			const struct path *path = path_of(b, at);

			if (!(is_lock(shape) && path->is_allocator) && !continues(b, *last, at)) {
				append_step(b, s,
				            (struct syt_request_step){at, path->symbol - 1,
				                                      piece->segment});
				*last = at;
			} else if (!is_lock(shape)) {
				*last = at;
			}
		}
		while (c.nr && syt_place_compare(c.all->from, at) < 0) {
			c.all++;
			c.nr--;
		}
		if (c.nr && !syt_place_compare(c.all->from, at)) {
			append_children(b, s, c.all, nr_of_event(c.all, c.nr), segments);
			*last = (struct syt_place){SYT_NONE, 0};
		}
	}
}

/* Makes the string of the segment with the position I in the request, from the strings of its children C. */
static struct string string_of(struct syt_behaviours *b, const uint32_t *segments, uint32_t i,
                               struct children c)
{
	const struct syt_extents *e = b->e;
	struct string s = {SYT_NONE, SYT_NONE};
	struct syt_place last = {SYT_NONE, 0};
	uint32_t segment = segments[i];

	for (uint32_t n = e->first_of_segment[segment]; n < e->first_of_segment[segment + 1]; n++)
		append_piece(b, &s, &e->pieces[e->by_segment[n]], c, &last, segments);
	return s;
}

/* Returns the position of SEGMENT among the NR sorted SEGMENTS, or SYT_NONE. */
static uint32_t position(const uint32_t *segments, uint32_t nr, uint32_t segment)
{
	uint32_t low = 0;

	for (uint32_t high = nr; low < high;) {
		uint32_t middle = low + (high - low) / 2;

		if (segments[middle] < segment)
			low = middle + 1;
		else
			high = middle;
	}
	return low < nr && segments[low] == segment ? low : SYT_NONE;
}

static void find_children(struct syt_behaviours *b, const uint32_t *segments, uint32_t nr)
{
	b->nr_children = 0;
	for (uint32_t i = 0; i < nr; i++) {
		const struct syt_request_segment *s = &b->e->segments[segments[i]];
		uint32_t parent =
			s->parent == SYT_NONE ? SYT_NONE : position(segments, nr, s->parent);

		if (parent != SYT_NONE)
			*SYT_STORE_ADD(b->children, b->nr_children, b->room_children) =
				(struct child){parent, i, s->from};
	}
	if (b->nr_children)
		syt_sort(b->children, b->nr_children, sizeof(*b->children), by_source);
}

const struct syt_request_step *syt_behaviours_steps(struct syt_behaviours *b, uint64_t r,
                                                    uint32_t *nr)
{
	const uint32_t *segments = b->e->by_request + b->e->first_of_request[r];
	uint32_t nr_segments = b->e->first_of_request[r + 1] - b->e->first_of_request[r];
	size_t end;

	b->nr_nodes = b->nr_steps = *nr = 0;
	if (!nr_segments)
		return NULL;
	find_children(b, segments, nr_segments);
	syt_store_grow(&b->strings, &b->room_strings, 0, nr_segments, sizeof(*b->strings));
	end = b->nr_children;
	/* children come after their parents */
	for (uint32_t i = nr_segments; i--;) {
		size_t first = end;

		while (first && b->children[first - 1].parent == i)
			first--;
		b->strings[i] = string_of(b, segments, i,
		                          (struct children){b->children + first, end - first});
		end = first;
	}
	for (uint32_t n = b->strings[0].first; n != SYT_NONE; n = b->nodes[n].next) {
		syt_store_look();
		*SYT_STORE_ADD(b->steps, b->nr_steps, b->room_steps) = b->nodes[n].step;
	}
	*nr = b->nr_steps;
	return b->steps;
}

const uint32_t *syt_behaviours_symbols(struct syt_behaviours *b, uint64_t r, uint32_t *nr)
{
	const struct syt_request_step *steps = syt_behaviours_steps(b, r, nr);

	syt_store_grow(&b->numbers, &b->room_numbers, 0, (uint64_t)*nr + 1, sizeof(*b->numbers));
	for (uint32_t i = 0; i < *nr; i++)
		b->numbers[i] = steps[i].symbol;
	return b->numbers;
}
