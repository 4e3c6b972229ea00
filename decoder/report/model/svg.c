/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The model as SVG: rectangles inside rectangles.
 *
 * The layout reads like a sequence of work. A part lies below the part that started it in the same thread, and to the
 * right of the part that started it from another thread. Each column of a task is therefore one thread of work.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "decoder/report/model/boxes.h"

/* lengths in pixels */
#define CHAR_TENTHS 67u /* width of a character, in tenths */
#define LINE 15u        /* height of a line of text */
#define PAD 8u          /* between a rectangle and its contents */
#define BELOW 26u       /* between two parts of one column, for an arrow */
#define BESIDE 96u      /* between two columns, for an arrow with its text */
#define STEP 20u /* a part in the next column begins at least this much lower than its start */
#define LEGEND 49u
#define MOST_COLUMNS 64u /* maximum width of a text, in characters */

struct place {
	uint32_t x, y, wide, high; /* x and y: relative to the picture, at the end */
	uint32_t text_high;
	uint32_t column;
	uint32_t above; /* the part above in the same column, or SYT_NONE */
	char *text;
};

/* Measures the text of a rectangle. */
static void measure(struct place *p)
{
	uint32_t columns = 0, nr = 1;

	for (const char *line = p->text, *end; line; line = end) {
		unsigned n;

		end = strchr(line, '\n');
		n = syt_out_columns(line, end ? (size_t)(end++ - line) : strlen(line));
		columns = n > columns ? n : columns;
		nr += !!end;
	}
	columns = columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
	p->wide = columns * CHAR_TENTHS / 10 + 2 * PAD;
	p->text_high = nr * LINE;
	p->high = p->text_high + PAD;
}

/* Finds the order in which the parts of BOX are placed: each part follows the part that started it. ORDER gets the parts.
 * START[part - first] gets the arc that starts most occurrences of the part, or NULL. */
static void order_parts(const struct syt_model_boxes *b, const struct syt_model_box *box,
                        uint32_t *order, const struct syt_model_line **start)
{
	uint32_t *stack = syt_alloc(box->nr, sizeof(*stack)), nr = 0;
	bool *is_placed = syt_calloc(box->nr, sizeof(*is_placed));

	for (size_t i = box->first_line; i < box->first_line + box->nr_lines; i++) {
		const struct syt_model_line *l = &b->lines[i], **s = &start[l->to - box->first];

		if (l->arc->is_start && l->from != l->to &&
		    (!*s || l->arc->count > (*s)->arc->count))
			*s = l;
	}
	/* at first the parts without a start; then the parts whose starts form a cycle */
	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t top = 0; top < box->nr; top++) {
			uint32_t nr_stack = 0;

			if (is_placed[top] || (!pass && start[top]))
				continue;
			if (pass)
				start[top] = NULL;
			is_placed[top] = true;
			stack[nr_stack++] = top;
			while (nr_stack) {
				uint32_t part = stack[--nr_stack];

				order[nr++] = box->first + part;
				for (uint32_t i = box->nr; i-- > 0;) {
					if (is_placed[i] || !start[i] ||
					    start[i]->from != box->first + part)
						continue;
					is_placed[i] = true;
					stack[nr_stack++] = i;
				}
			}
		}
	}
	free(stack);
	free(is_placed);
}

/* Returns true if an arc of BOX bends around the right side of a part. */
static bool has_bend(const struct syt_model_boxes *b, const struct syt_model_box *box,
                     const struct place *places)
{
	for (size_t i = box->first_line; i < box->first_line + box->nr_lines; i++) {
		const struct syt_model_line *l = &b->lines[i];

		if (places[l->from].column == places[l->to].column &&
		    places[l->to].above != l->from)
			return true;
	}
	return false;
}

/* Places the parts of BOX in columns, relative to BOX, and sets the size of BOX. */
static void arrange(const struct syt_model_boxes *b, uint32_t box, struct place *places)
{
	const struct syt_model_box *at = &b->all[box];
	struct place *p = &places[box];
	/* of each column: its left end, its width, the part at its end */
	uint32_t *left = syt_calloc(at->nr, sizeof(*left)),
		 *wide = syt_calloc(at->nr, sizeof(*wide));
	uint32_t *last = syt_alloc(at->nr, sizeof(*last)),
		 *order = syt_alloc(at->nr, sizeof(*order));
	const struct syt_model_line **starts =
		syt_calloc(at->nr, sizeof(const struct syt_model_line *));
	uint32_t nr_columns = 0, x = PAD;

	order_parts(b, at, order, starts);
	for (uint32_t i = 0; i < at->nr; i++) {
		const struct syt_model_line *start = starts[order[i] - at->first];
		struct place *c = &places[order[i]];

		c->y = p->text_high + PAD;
		if (start) {
			c->column = places[start->from].column + start->arc->is_across;
			if (start->arc->is_across)
				c->y = places[start->from].y + STEP;
		}
		if (c->column >= nr_columns)
			last[nr_columns++] = SYT_NONE;
		c->above = last[c->column];
		if (c->above != SYT_NONE &&
		    places[c->above].y + places[c->above].high + BELOW > c->y)
			c->y = places[c->above].y + places[c->above].high + BELOW;
		last[c->column] = order[i];
		wide[c->column] = c->wide > wide[c->column] ? c->wide : wide[c->column];
		p->high = c->y + c->high + PAD > p->high ? c->y + c->high + PAD : p->high;
	}
	for (uint32_t i = 0; i < nr_columns; i++) {
		left[i] = x;
		x += wide[i] + (i + 1 < nr_columns || has_bend(b, at, places) ? BESIDE : PAD);
	}
	for (uint32_t i = at->first; i < at->first + at->nr; i++)
		places[i].x = left[places[i].column];
	p->wide = x > p->wide ? x : p->wide;
	free(left);
	free(wide);
	free(last);
	free(order);
	free(starts);
}

static void put_xml_lines(struct syt_out *out, const struct place *p, bool is_task)
{
	uint32_t y = p->y + LINE;

	for (const char *line = p->text, *end; line; line = end, y += LINE) {
		size_t bytes, most = syt_out_fitting(line, MOST_COLUMNS);

		end = strchr(line, '\n');
		bytes = end ? (size_t)(end++ - line) : strlen(line);
		syt_out_printf(out, "<text x=\"%" PRIu32 "\" y=\"%" PRIu32 "\"%s>", p->x + PAD, y,
		               is_task && line == p->text ? " class=\"name\"" : "");
		syt_out_xml(out, line, most < bytes ? most : bytes);
		syt_out_string(out, most < bytes ? "…</text>\n" : "</text>\n");
	}
}

/* Writes a line of the picture: the path, and the text at (X, Y). */
static void put_path(struct syt_out *out, const struct syt_model_arc *a, const int64_t d[8])
{
	int64_t x = (d[0] + 3 * d[2] + 3 * d[4] + d[6]) / 8,
		y = (d[1] + 3 * d[3] + 3 * d[5] + d[7]) / 8;

	syt_out_printf(out,
	               "<path class=\"%s%s%s\" d=\"M%" PRId64 " %" PRId64 "C%" PRId64 " %" PRId64
	               " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
	               "\"/>\n<text class=\"arc%s\" x=\"%" PRId64 "\" y=\"%" PRId64 "\">",
	               a->is_start ? "start" : "inner", a->is_across ? " across" : "",
	               a->is_inferred ? " inferred" : "", d[0], d[1], d[2], d[3], d[4], d[5], d[6],
	               d[7], a->is_inferred ? " inferred" : "", x + 3, y - 3);
	syt_model_line_text(out, a);
	syt_out_string(out, "</text>\n");
}

static void put_line(struct syt_out *out, const struct place *places,
                     const struct syt_model_line *l)
{
	const struct place *a = &places[l->from], *b = &places[l->to];
	int64_t ax = a->x, ay = a->y + LINE, bx = b->x, by = b->y + LINE, bend;

	if (l->from == l->to) { /* a loop at the right side */
		ax += a->wide;
		put_path(out, l->arc,
		         (int64_t[]){ax, ay - 6, ax + 34, ay - 16, ax + 34, ay + 16, ax, ay + 6});
	} else if (b->column > a->column) {
		ax += a->wide;
		put_path(out, l->arc,
		         (int64_t[]){ax, ay, ax + 40, ay, bx - 40, by - 4, bx, by - 4});
	} else if (b->column < a->column) {
		bx += b->wide;
		put_path(out, l->arc,
		         (int64_t[]){ax, ay + 4, ax - 40, ay + 4, bx + 40, by, bx, by});
	} else if (b->above == l->from) {
		ax = bx += 24;
		ay = a->y + a->high;
		by = b->y;
		put_path(out, l->arc, (int64_t[]){ax, ay, ax, ay + 8, bx, by - 8, bx, by});
	} else { /* past other parts of the column, on the right; upwards further to the right */
		ax += a->wide;
		bx += b->wide;
		bend = (ax > bx ? ax : bx) + (by > ay ? 34 : 64);
		put_path(out, l->arc,
		         (int64_t[]){ax, ay + 4, bend, ay + 4, bend, by - 4, bx, by - 4});
	}
}

static void put_picture(const struct syt_model_view *v, const struct syt_model_boxes *b,
                        const struct place *places, uint32_t wide, uint32_t high)
{
	static const char *const classes[2][2] = {{"", " class=\"most\""},
	                                          {" class=\"task\"", " class=\"task most\""}};
	struct syt_out *out = v->out;

	syt_out_printf(
		out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32 "\" height=\"%" PRIu32
		"\" viewBox=\"0 0 %" PRIu32 " %" PRIu32 "\" role=\"img\">\n"
		"<title>Tasks of the program, and the parts of the tasks</title>\n"
		"<style>\n"
		"svg { color-scheme: light dark; --back: #fff; --text: #1b1f26; --line: #5a6472; "
		"--leaf: #fff; --task: #0b57b51a; --inferred: #a85400; --most: #b3261e; "
		"background: var(--back); }\n"
		"@media (prefers-color-scheme: dark) { svg { --back: #14171c; --text: #e4e7ec; "
		"--line: #a3adba; --leaf: #1d2128; --task: #6cb0ff1a; --inferred: #ffb15c; --most: "
		"#ff8a80; } }\n"
		"text { font: 11px ui-monospace, monospace; fill: var(--text); }\n"
		".name { font-weight: bold; }\n"
		".arc { font-size: 10px; fill: var(--line); paint-order: stroke; stroke: "
		"var(--back); stroke-width: 3px; }\n"
		".arc.inferred { fill: var(--inferred); }\n"
		"rect { stroke: var(--line); fill: var(--leaf); }\n"
		"rect.task { fill: var(--task); }\n"
		"rect.most { stroke: var(--most); stroke-width: 2.5px; }\n"
		"path { fill: none; stroke: var(--text); marker-end: url(#head); }\n"
		"path.inner { stroke: var(--line); stroke-width: 0.7px; }\n"
		"path.across { stroke-dasharray: 6 4; }\n"
		"path.inferred { stroke: var(--inferred); }\n"
		"#head path { fill: var(--line); stroke: none; marker-end: none; }\n"
		"</style>\n"
		"<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
		"markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" "
		"orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n"
		"<text x=\"%u\" y=\"%u\">Solid: within a thread; dashed: to another thread; thin: "
		"not the start of a part; ? and orange: inferred.</text>\n"
		"<text x=\"%u\" y=\"%u\">Red: a part that takes at least half of the time of the "
		"task around it. Times on average.",
		wide, high, wide, high, PAD, LINE + 4, PAD, 2 * LINE + 4);
	syt_out_char(out, ' ');
	syt_model_boxes_left(out, b);
	if (v->m->in->nr_hidden)
		syt_out_printf(out, "</text>\n<text x=\"%u\" y=\"%u\">", PAD, 3 * LINE + 4);
	syt_model_put_hidden_short(out, v->m->in);
	syt_out_string(out, "</text>\n");
	for (uint32_t i = 0; i < b->nr && !out->is_closed; i++) {
		const struct place *p = &places[i];
		bool is_most = syt_model_box_share(v, &b->all[i]) >= SYT_MODEL_MOST;

		syt_out_printf(out, "<g><title>");
		syt_out_xml(out, p->text, strcspn(p->text, "\n"));
		syt_out_printf(out,
		               "</title><rect rx=\"5\"%s x=\"%" PRIu32 "\" y=\"%" PRIu32
		               "\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\"/>\n",
		               classes[b->all[i].what.is_task][is_most], p->x, p->y, p->wide,
		               p->high);
		put_xml_lines(out, p, b->all[i].what.is_task);
		syt_out_string(out, "</g>\n");
	}
	for (size_t i = 0; i < b->nr_lines && !out->is_closed; i++)
		put_line(out, places, &b->lines[i]);
	syt_out_string(out, "</svg>\n");
}

void syt_model_svg(const struct syt_model_view *v)
{
	uint32_t wide = 155 * CHAR_TENTHS / 10, y = LEGEND + (v->m->in->nr_hidden ? LINE : 0);
	struct syt_model_boxes b;
	struct place *places;
	struct syt_out words;

	syt_out_open(&words, -1, false);
	syt_model_boxes_open(&b, v);
	places = syt_calloc(b.nr, sizeof(*places));
	for (uint32_t i = b.nr; i-- > 0;) {
		syt_model_box_text(&words, v, &b.all[i]);
		places[i].text = syt_out_take(&words);
		measure(&places[i]);
		if (b.all[i].nr)
			arrange(&b, i, places);
	}
	for (uint32_t i = 0; i < b.nr; i++) {
		struct place *p = &places[i];

		if (b.all[i].up != SYT_NONE) {
			p->x += places[b.all[i].up].x;
			p->y += places[b.all[i].up].y;
			continue;
		}
		p->x = PAD;
		p->y = y;
		y += p->high + BELOW;
		wide = p->x + p->wide + PAD > wide ? p->x + p->wide + PAD : wide;
	}
	put_picture(v, &b, places, wide, y);
	for (uint32_t i = 0; i < b.nr; i++)
		free(places[i].text);
	free(places);
	syt_model_boxes_close(&b);
	syt_out_close(&words);
}
