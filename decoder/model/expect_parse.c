/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Parses expectations. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/lines.h"
#include "decoder/model/expect.h"

#define MOST_VALUE UINT64_C(1000000000000000000)
#define MOST_DIGITS 9u /* maximum number of digits behind the point of a number */

/* The rest of a line. */
struct rest {
	const char *begin, *p, *end; /* of the line */
	struct syt_expect_error *error;
};

/* A word of the line. `is_quoted`: a text in quotes, which is no operator. */
struct word {
	const char *p;
	size_t bytes;
	bool is_quoted;
};

static bool complain_at(const struct rest *r, const char *p, const char *message)
{
	r->error->message = message;
	r->error->column = (uint32_t)(p - r->begin) + 1;
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip_blanks(struct rest *r)
{
	while (r->p < r->end && is_blank(*r->p))
		r->p++;
}

static bool is_word(const struct word *w, const char *text)
{
	return !w->is_quoted && w->bytes == strlen(text) && !memcmp(w->p, text, w->bytes);
}

/* Returns the end of the text in quotes at P, behind its last quote; NULL if it has none. */
static const char *quote_end(const char *p, const char *end)
{
	for (p++; p < end; p++) {
		if (*p == '"')
			return p + 1;
		p += *p == '\\' && p + 1 < end;
	}
	return NULL;
}

/* Reads the next word into W; an empty word ends the line. Returns false after a mistake. */
static bool next_word(struct rest *r, struct word *w)
{
	skip_blanks(r);
	*w = (struct word){.p = r->p};
	if (r->p < r->end && *r->p == '"') {
		const char *end = quote_end(r->p, r->end);

		if (!end)
			return complain_at(r, r->p, "the quote has no end");
		if (end < r->end && !is_blank(*end))
			return complain_at(r, end, "expected a blank after the quote");
		w->is_quoted = true;
		r->p = end;
	} else {
		while (r->p < r->end && !is_blank(*r->p))
			r->p++;
	}
	w->bytes = (size_t)(r->p - w->p);
	return true;
}

/* Returns the name in the text from BEGIN to END: without the quotes, if it has quotes. */
static char *name_of(const char *begin, const char *end)
{
	char *name, *to;

	if (begin == end || *begin != '"')
		return syt_strndup(begin, (size_t)(end - begin));
	to = name = syt_alloc((size_t)(end - begin), 1);
	for (const char *p = begin + 1; p < end - 1; p++) {
		p += *p == '\\' && p + 1 < end - 1;
		*to++ = *p;
	}
	*to = '\0';
	return name;
}

/* ---- numbers ---- */

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit times[] = {
	{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {NULL, 0}};
static const struct unit sizes[] = {
	{"", 1},          {"B", 1},           {"KB", 1000},        {"KiB", 1024}, {"MB", 1000000},
	{"MiB", 1048576}, {"GB", 1000000000}, {"GiB", 1073741824}, {NULL, 0}};
static const struct unit numbers[] = {{"", 1}, {NULL, 0}};
static const struct unit percents[] = {{"%", 1000000}, {NULL, 0}};

static const struct unit *units_of(enum syt_expect_what what)
{
	switch (what) {
	case SYT_EXPECT_LATENCY:
	case SYT_EXPECT_RAN:
	case SYT_EXPECT_CPU:
	case SYT_EXPECT_WAIT:
		return times;
	case SYT_EXPECT_SENT:
	case SYT_EXPECT_RECEIVED:
		return sizes;
	case SYT_EXPECT_COUNT:
	case SYT_EXPECT_BEFORE:
	case SYT_EXPECT_THREADS:
		break;
	}
	return numbers;
}

/* A number without its unit: DIGITS divided by 10 to the power of POINT. */
struct decimal {
	uint64_t digits;
	unsigned point;
};

/* Reads the digits at r->p, up to "..", a unit or a blank. */
static bool read_digits(struct rest *r, struct decimal *d)
{
	const char *begin = r->p;
	bool has_point = false;

	*d = (struct decimal){0, 0};
	for (; r->p < r->end; r->p++) {
		if (*r->p == '.' && !has_point && r->p + 1 < r->end && r->p[1] != '.' &&
		    r->p > begin) {
			has_point = true;
			continue;
		}
		if (*r->p < '0' || *r->p > '9')
			break;
		if (d->point == MOST_DIGITS)
			return complain_at(r, r->p, "the number has too many digits");
		if (d->digits > MOST_VALUE / 10)
			return complain_at(r, begin, "the number is too large");
		d->digits = 10 * d->digits + (uint64_t)(*r->p - '0');
		d->point += has_point;
	}
	if (r->p == begin || r->p[-1] == '.')
		return complain_at(r, r->p, "expected a number");
	return true;
}

/* Reads the unit at r->p. A unit ends at a blank or at "..". Returns NULL after a mistake. */
static const struct unit *read_unit(struct rest *r, const struct unit *units)
{
	const char *end = r->p;

	while (end < r->end && !is_blank(*end) && *end != '.')
		end++;
	for (const struct unit *u = units; u->name; u++) {
		if ((size_t)(end - r->p) == strlen(u->name) &&
		    !memcmp(u->name, r->p, (size_t)(end - r->p))) {
			r->p = end;
			return u;
		}
	}
	complain_at(r, r->p,
	            units == times ? "expected a time: a number with ns, us, ms or s"
	            : units == sizes
	                    ? "expected bytes: a number with B, KB, KiB, MB, MiB, GB or GiB"
	            : units == percents ? "expected '%'"
	                                : "expected a number without a unit");
	return NULL;
}

/* Multiplies D by the factor of U. AT is the begin of the number. */
static bool scale(struct rest *r, const char *at, struct decimal d, const struct unit *u,
                  uint64_t *value)
{
	uint64_t power = 1;

	for (unsigned i = 0; i < d.point; i++)
		power *= 10;
	if (d.digits > MOST_VALUE / u->factor)
		return complain_at(r, at, "the number is too large");
	if (d.digits * u->factor % power)
		return complain_at(r, at, "the number has too many digits");
	*value = d.digits * u->factor / power;
	return true;
}

/* Reads a value with its unit, or a range: "5ms", "5 ms", "1..3", "1..3 ms". A zero needs no unit. */
static bool read_values(struct rest *r, const struct unit *units, bool allows_range,
                        uint64_t *least, uint64_t *most)
{
	const struct unit *first = NULL, *unit;
	const char *at[2] = {r->p, r->p};
	struct decimal d[2];
	bool is_range;

	if (!read_digits(r, &d[0]))
		return false;
	if (r->p < r->end && !is_blank(*r->p) && *r->p != '.' && !(first = read_unit(r, units)))
		return false;
	is_range = r->end - r->p >= 2 && r->p[0] == '.' && r->p[1] == '.';
	d[1] = d[0];
	if (is_range) {
		if (!allows_range)
			return complain_at(r, r->p, "a range follows '='");
		r->p += 2;
		at[1] = r->p;
		if (!read_digits(r, &d[1]))
			return false;
	}
	unit = first;
	if (is_range || !unit) {
		const char *behind = r->p;

		skip_blanks(r);
		/* the word "in" is no unit */
		if (r->p == r->end || (r->p > behind && *r->p == 'i'))
			r->p = behind;
		unit = !d[1].digits && (r->p == r->end || is_blank(*r->p)) ? &numbers[0]
		                                                           : read_unit(r, units);
		if (!unit)
			return false;
	}
	if (!scale(r, at[0], d[0], first ? first : unit, least) ||
	    !scale(r, at[1], d[1], unit, most))
		return false;
	return *least <= *most || complain_at(r, at[1], "the range ends before it begins");
}

/* ---- lines ---- */

/* Reads "in P %", or the end of the line. */
static bool read_share(struct rest *r, struct syt_expectation *x)
{
	struct word w;
	uint64_t share;

	x->share = SYT_EXPECT_ALL;
	if (!next_word(r, &w))
		return false;
	if (!w.bytes)
		return true;
	if (!is_word(&w, "in"))
		return complain_at(r, w.p, "expected 'in P %', or the end of the line");
	skip_blanks(r);
	const char *at = r->p;

	if (!read_values(r, percents, false, &share, &share))
		return false;
	if (!share || share > SYT_EXPECT_ALL)
		return complain_at(r, at, "expected a percentage above 0, up to 100");
	x->share = (uint32_t)share;
	skip_blanks(r);
	return r->p == r->end || complain_at(r, r->p, "expected the end of the line");
}

/* Sets the measure of X to the NAME of BYTES. Returns false if NAME is no measure. An unknown kind of wait is a mistake. */
static bool read_measure(struct rest *r, const char *name, size_t bytes, struct syt_expectation *x,
                         bool *is_wrong)
{
	static const char *const names[] = {
		[SYT_EXPECT_LATENCY] = "latency",   [SYT_EXPECT_RAN] = "ran",
		[SYT_EXPECT_CPU] = "cpu",           [SYT_EXPECT_SENT] = "sent",
		[SYT_EXPECT_RECEIVED] = "received", [SYT_EXPECT_THREADS] = "threads",
		[SYT_EXPECT_WAIT] = "wait"};

	for (unsigned i = SYT_EXPECT_LATENCY; i <= SYT_EXPECT_WAIT; i++) {
		if (bytes == strlen(names[i]) && !memcmp(name, names[i], bytes)) {
			x->what = (enum syt_expect_what)i;
			x->wait = SYT_NR_WAITS_KINDS;
			return true;
		}
	}
	if (bytes < 5 || memcmp(name, "wait:", 5) != 0)
		return false;
	x->what = SYT_EXPECT_WAIT;
	for (x->wait = 0; x->wait < SYT_NR_WAITS_KINDS; x->wait++) {
		const char *kind = syt_waits_kinds[x->wait].word;

		if (bytes - 5 == strlen(kind) && !memcmp(name + 5, kind, bytes - 5))
			return true;
	}
	*is_wrong = true;
	return complain_at(r, name + 5, "unknown kind of wait");
}

/* Reads the bounds after the operator OP, or the range in OP itself. */
static bool read_bounds(struct rest *r, const struct word *op, struct syt_expectation *x)
{
	const struct unit *units = units_of(x->what);
	bool is_equal = is_word(op, "="),
	     is_range = op->bytes > 2 && *op->p != '<' && *op->p != '>';
	uint64_t least, most;
	const char *at;

	if (is_range)
		r->p = op->p;
	skip_blanks(r);
	at = r->p;
	if (!read_values(r, units, is_equal || is_range, &least, &most))
		return false;
	x->least = 0;
	x->most = UINT64_MAX;
	if (is_equal || is_range) {
		x->least = least;
		x->most = most;
	} else if (*op->p == '<') {
		if (op->bytes == 1 && !most)
			return complain_at(r, at, "no value is less than 0");
		x->most = most - (op->bytes == 1);
	} else {
		x->least = least + (op->bytes == 1);
	}
	return true;
}

static bool is_operator(const struct word *w)
{
	static const char *const all[] = {"=", "<", "<=", ">", ">=", "before"};
	const char *dots = memmem(w->p, w->bytes, "..", 2);

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (is_word(w, all[i]))
			return true;
	return !w->is_quoted && dots && dots > w->p && *w->p >= '0' && *w->p <= '9';
}

/* Reads the words from r->p up to an operator, or up to "in" or the end for IS_LAST. */
static bool read_name(struct rest *r, bool is_last, const char **begin, const char **end,
                      struct word *op)
{
	const char *before;

	skip_blanks(r);
	*begin = *end = r->p;
	for (;;) {
		before = r->p;
		if (!next_word(r, op))
			return false;
		if (!op->bytes ||
		    (*end > *begin && (is_last ? is_word(op, "in") : is_operator(op))))
			break;
		if (*end > *begin && (op->is_quoted || **begin == '"'))
			return complain_at(r, op->p,
			                   is_last ? "expected 'in P %', or the end of the line"
			                           : "expected an operator: = < <= > >= before");
		*end = r->p;
	}
	if (is_last)
		r->p = before;
	if (*begin == *end || (*end - *begin == 2 && **begin == '"'))
		return complain_at(r, *begin, "expected a name");
	return true;
}

static bool read_subject(struct rest *r, struct syt_expectation *x)
{
	const char *begin, *end, *colon;

	skip_blanks(r);
	begin = end = r->p;
	if (*begin == '"') {
		end = colon = quote_end(begin, r->end);
		if (!end)
			return complain_at(r, begin, "the quote has no end");
	} else {
		for (colon = begin; colon < r->end; colon++)
			if (*colon == ':' && (colon + 1 == r->end || is_blank(colon[1])))
				break;
		for (end = colon; end > begin && is_blank(end[-1]); end--)
			;
	}
	if (colon == r->end || *colon != ':')
		return complain_at(r, colon, "expected ': ' and a test after the name of a task");
	if (end == begin || (end - begin == 2 && *begin == '"'))
		return complain_at(r, begin, "expected the name of a task, or *");
	r->p = colon + 1;
	if (end - begin != 1 || *begin != '*')
		x->subject = name_of(begin, end);
	return true;
}

static bool read_line(struct rest *r, struct syt_expectation *x)
{
	const char *begin, *end;
	bool is_wrong = false;
	struct word op;

	if (!read_subject(r, x) || !read_name(r, false, &begin, &end, &op))
		return false;
	if (!op.bytes)
		return complain_at(r, op.p, "expected an operator: = < <= > >= before");
	if (is_word(&op, "before")) {
		x->what = SYT_EXPECT_BEFORE;
		x->least = x->most = true;
		x->name = name_of(begin, end);
		if (!read_name(r, true, &begin, &end, &op))
			return false;
		x->later = name_of(begin, end);
		return read_share(r, x);
	}
	if (!read_measure(r, begin, (size_t)(end - begin), x, &is_wrong)) {
		if (is_wrong)
			return false;
		x->what = SYT_EXPECT_COUNT;
		x->name = name_of(begin, end);
	}
	return read_bounds(r, &op, x) && read_share(r, x);
}

/* Returns the end of the line from BEGIN to END without its comment and the blanks before it. */
static const char *without_comment(const char *begin, const char *end)
{
	for (const char *p = begin; p < end; p++) {
		const char *quote =
			*p == '"' && (p == begin || is_blank(p[-1])) ? quote_end(p, end) : NULL;

		if (quote)
			p = quote - 1;
		else if (*p == '#' && (p == begin || is_blank(p[-1])))
			end = p;
	}
	while (end > begin && is_blank(end[-1]))
		end--;
	return end;
}

static void free_expectation(struct syt_expectation *x)
{
	free(x->text);
	free(x->subject);
	free(x->name);
	free(x->later);
}

/* Parses the line from BEGIN to END. */
static bool add_line(struct syt_expect *e, const char *begin, const char *end,
                     struct syt_expect_error *error)
{
	struct syt_expectation x = {.line = error->line};
	struct rest r = {.begin = begin, .p = begin, .error = error};
	const char *mistake, *message;

	if (end - begin > (ptrdiff_t)SYT_LINE_MOST)
		return complain_at(&r, begin + SYT_LINE_MOST, "the line is too long");
	mistake = syt_line_mistake(begin, end, &message);
	if (mistake)
		return complain_at(&r, mistake, message);
	r.end = without_comment(begin, end);
	skip_blanks(&r);
	if (r.p == r.end)
		return true;
	x.text = syt_strndup(r.p, (size_t)(r.end - r.p));
	if (!read_line(&r, &x)) {
		free_expectation(&x);
		return false;
	}
	*SYT_ADD(e->all, e->nr, e->room) = x;
	return true;
}

bool syt_expect_parse(struct syt_expect *e, const char *text, size_t bytes,
                      struct syt_expect_error *error)
{
	const char *end = text + bytes;

	memset(e, 0, sizeof(*e));
	*error = (struct syt_expect_error){NULL, 0, 0};
	for (const char *line = text, *next; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		next = newline ? newline + 1 : end;
		error->line++;
		error->column = 1;
		if (error->line > SYT_LINES_MOST)
			error->message = "the file has too many lines";
		else if ((size_t)(next - text) > SYT_LINES_BYTES)
			complain_at(&(struct rest){.begin = line, .error = error},
			            text + SYT_LINES_BYTES, SYT_LINES_TOO_LARGE);
		else
			add_line(e, line, newline ? newline : end, error);
		if (error->message) {
			syt_expect_close(e);
			return false;
		}
	}
	return true;
}

bool syt_expect_read(struct syt_expect *e, const char *path)
{
	FILE *f = fopen(path, "re");
	struct syt_expect_error error;
	char *text = NULL;
	size_t bytes = 0, room = 0;
	bool is_good = true;

	memset(e, 0, sizeof(*e));
	if (!f) {
		syt_warn_errno("%s", path);
		return false;
	}
	while (bytes <= SYT_LINES_BYTES) {
		size_t more;

		syt_grow(&text, &room, bytes + 65536, 1);
		more = fread(text + bytes, 1, room - bytes, f);
		bytes += more;
		if (more)
			continue;
		if (ferror(f)) {
			syt_warn_errno("%s", path);
			is_good = false;
		}
		break;
	}
	if (is_good && !syt_expect_parse(e, text, bytes, &error)) {
		syt_warn("%s:%" PRIu32 ":%" PRIu32 ": %s", path, error.line, error.column,
		         error.message);
		is_good = false;
	}
	free(text);
	fclose(f);
	return is_good;
}

void syt_expect_close(struct syt_expect *e)
{
	for (size_t i = 0; i < e->nr; i++)
		free_expectation(&e->all[i]);
	free(e->all);
	memset(e, 0, sizeof(*e));
}
