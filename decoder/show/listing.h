/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Listings: one table of columns makes the text table and the JSON lines of a report.
 *
 *	static const struct syt_column lock_columns[] = {
 *		{"LOCK", "object", &syt_column_object, offsetof(struct lock, object)},
 *		{">WAITS", "waits", &syt_column_u64, offsetof(struct lock, nr_waits)},
 *	};
 *	static const struct syt_listing locks = SYT_LISTING("lock", lock_columns);
 *
 *	syt_listing_begin(&l, &locks, view);
 *	syt_listing_row(&l, &lock, NULL);
 *	syt_listing_end(&l);
 *
 * The order of the columns is the order of the JSON members, which is a contract: a column may be added, never renamed.
 * One thread at a time.
 */
#ifndef SYT_DECODER_SHOW_LISTING_H
#define SYT_DECODER_SHOW_LISTING_H

#include "base/json.h"
#include "base/table.h"
#include "decoder/order/label.h"
#include "decoder/order/order.h"

#define SYT_VIEW_PATH_PARTS 3u /* functions of a call path that text shows, the call included */

/* The output of a report: its results, its format and its limits. */
struct syt_view {
	struct syt_out *out;
	const struct syt_order *order;
	struct syt_labels *labels;
	struct syt_symbols *symbols;
	const void *report;         /* the analysis, e.g. struct syt_contention */
	uint64_t limit;             /* rows of each listing; 0: no limit */
	unsigned least_thousandths; /* of the threads' time: a row with this share stands out */
	bool is_json, has_stacks, has_colors;
	const char *object; /* pattern (fnmatch) of the names of objects to list; NULL: all */
};

/* One value of one row. */
struct syt_cell {
	const struct syt_view *view;
	const void *row, *parent; /* as given to syt_listing_row() */
	const void *field;        /* in the row, or in its parent, at the column's offset */
};

#define SYT_CELL_NONE UINT64_MAX /* no number: null in JSON, an empty cell in a table */

/* The type of a column's values. Each member number, ns, word and is serves both formats; text and
 * json take precedence. */
struct syt_column_type {
	uint64_t (*number)(const struct syt_cell *c);
	uint64_t (*ns)(const struct syt_cell *c);      /* a table shows 0 as an empty cell */
	const char *(*word)(const struct syt_cell *c); /* NULL: null, or an empty cell */
	bool (*is)(const struct syt_cell *c);          /* a table shows "yes" or an empty cell */
	double (*percent)(const struct syt_cell *c);   /* in tables only */
	bool is_optional;                              /* JSON has no member instead of null */
	void (*text)(struct syt_table *t, const struct syt_cell *c);
	void (*json)(struct syt_json *j, const char *key, const struct syt_cell *c);
};

/*
 * Define the type NAME of a column by an expression of the cell c and its row r, a const ROW *.
 *
 *	SYT_COLUMN_NUMBER(mean_size, struct lock, r->nr ? r->bytes / r->nr : 0);
 */
#define SYT_COLUMN_NUMBER(name_, row_, value_)                                                     \
	SYT_COLUMN_OF(static, name_, number, uint64_t, false, row_, value_)
#define SYT_COLUMN_NS(name_, row_, value_)                                                         \
	SYT_COLUMN_OF(static, name_, ns, uint64_t, false, row_, value_)
#define SYT_COLUMN_WORD(name_, row_, value_)                                                       \
	SYT_COLUMN_OF(static, name_, word, const char *, false, row_, value_)
#define SYT_COLUMN_BOOL(name_, row_, value_)                                                       \
	SYT_COLUMN_OF(static, name_, is, bool, false, row_, value_)
#define SYT_COLUMN_PERCENT(name_, row_, value_)                                                    \
	SYT_COLUMN_OF(static, name_, percent, double, false, row_, value_)
/* The same, with is_optional. */
#define SYT_COLUMN_NUMBER_IF(name_, row_, value_)                                                  \
	SYT_COLUMN_OF(static, name_, number, uint64_t, true, row_, value_)
#define SYT_COLUMN_NS_IF(name_, row_, value_)                                                      \
	SYT_COLUMN_OF(static, name_, ns, uint64_t, true, row_, value_)
#define SYT_COLUMN_WORD_IF(name_, row_, value_)                                                    \
	SYT_COLUMN_OF(static, name_, word, const char *, true, row_, value_)

#define SYT_COLUMN_OF(storage_, name_, member_, type_, is_optional_, row_, value_)                 \
	static type_ name_##_value(const struct syt_cell *c)                                       \
	{                                                                                          \
		const row_ *r = c->row;                                                            \
		(void)r;                                                                           \
		return value_;                                                                     \
	}                                                                                          \
	storage_ const struct syt_column_type name_ = {.member_ = name_##_value,                   \
	                                               .is_optional = is_optional_}

/*
 * Defines the type NAME of an array of uint64_t in the row: a JSON object with a member for each i
 * below NR, WORD: VALUE, both expressions of i and of the array `all`.
 */
#define SYT_COLUMN_EACH(name_, nr_, word_, value_)                                                 \
	static void name_##_json(struct syt_json *j, const char *key, const struct syt_cell *c)    \
	{                                                                                          \
		const uint64_t *all = c->field;                                                    \
		syt_json_begin(j, key, '{');                                                       \
		for (unsigned i = 0; i < (nr_); i++)                                               \
			syt_json_u64(j, word_, value_);                                            \
		syt_json_end(j);                                                                   \
	}                                                                                          \
	static const struct syt_column_type name_ = {.json = name_##_json}

#define SYT_OF_PARENT ((size_t)1 << 31)

struct syt_column {
	const char *title; /* ">TITLE": to the right; "~TITLE": wrapped; NULL: only in JSON */
	const char *key;   /* NULL: only in text */
	const struct syt_column_type *type;
	size_t at; /* offset of the field; with SYT_OF_PARENT: in the parent, not in the row */
};

struct syt_listing {
	const char *type; /* "type" of the JSON lines */
	const struct syt_column *columns;
	size_t nr_columns;
};

/* clang-format off */
#define SYT_LISTING(type_, columns_) {type_, columns_, sizeof(columns_) / sizeof((columns_)[0])}
/* clang-format on */

/* A listing that is being written. */
struct syt_listing_writer {
	const struct syt_listing *listing;
	const struct syt_view *view;
	struct syt_table *table; /* NULL in JSON */
	uint64_t nr;             /* rows */
};

void syt_listing_begin(struct syt_listing_writer *w, const struct syt_listing *l,
                       const struct syt_view *v);
/* Writes a row. PARENT may be NULL, if no column needs it. Returns false once the limit is reached. */
bool syt_listing_row(struct syt_listing_writer *w, const void *row, const void *parent);
void syt_listing_end(struct syt_listing_writer *w);

/* Writes NR rows, STRIDE bytes apart, at most view->limit of them. */
void syt_listing_all(const struct syt_listing *l, const struct syt_view *v, const void *rows,
                     size_t nr, size_t stride, const void *parent);

/* Writes the members of one row into an open object of J. */
void syt_listing_members(const struct syt_listing *l, const struct syt_view *v, struct syt_json *j,
                         const void *row, const void *parent);

/* Prints one row, regardless of the limit. In text, prints a table of one row. */
void syt_listing_one(const struct syt_listing *l, const struct syt_view *v, const void *row,
                     const void *parent);

/* Returns whether view->object names OBJECT (trace-wide). */
bool syt_view_shows(const struct syt_view *v, uint32_t object);

/* Returns the innermost parts of a call path, enough to differ from all others; "" for SYT_NONE. */
const char *syt_view_path(const struct syt_view *v, uint32_t side);

/* Writes the lines of WRITE to V->out, wrapped. */
void syt_view_put_wrapped(const struct syt_view *v,
                          void (*write)(struct syt_out *out, const struct syt_view *v));

/*
 * Write parts of sentences. path: the call path in colour. call: "recv in ask (client.c:12), called
 * from serve". thread: "redis-server (thread bio_lazy_free)", "redis-server (main thread)", or "a
 * thread" for SYT_NONE. object: with its name. event: "0.0.5 read in serve of redis-server (main
 * thread)".
 */
void syt_view_put_path(const struct syt_view *v, struct syt_out *out, uint32_t side);
void syt_view_put_call(const struct syt_view *v, struct syt_out *out, uint32_t side);
void syt_view_put_thread(const struct syt_view *v, struct syt_out *out, uint32_t thread);
void syt_view_put_object(const struct syt_view *v, struct syt_out *out, uint32_t object);
void syt_view_put_event(const struct syt_view *v, struct syt_out *out, struct syt_place at);

/* Prints the line TITLE, unless it is NULL, and the call stack of the event AT. Prints no text if
 * AT's thread is SYT_NONE. */
void syt_view_put_stack(const struct syt_view *v, struct syt_out *out, const char *title,
                        struct syt_place at);

/* Types that several reports share. A field of SYT_NONE or NULL is null in JSON. */
extern const struct syt_column_type syt_column_u32, syt_column_u64, syt_column_size,
	syt_column_bool;
extern const struct syt_column_type syt_column_count; /* uint64_t; 0: an empty cell */
extern const struct syt_column_type syt_column_hex;   /* uint64_t */
extern const struct syt_column_type syt_column_ns;    /* uint64_t, nanoseconds */
extern const struct syt_column_type syt_column_chars; /* char[], a text inside of the row */
/* A field without a value (SYT_NONE, 0, NULL, "") has an empty cell and no member in JSON. */
extern const struct syt_column_type syt_column_u32_if, syt_column_u64_if, syt_column_string_if,
	syt_column_object_if;
extern const struct syt_column_type syt_column_time; /* syt_time */
extern const struct syt_column_type
	syt_column_length; /* two fields of type syt_time: begin and end */
extern const struct syt_column_type syt_column_string;      /* const char * */
extern const struct syt_column_type syt_column_object;      /* trace-wide index, uint32_t */
extern const struct syt_column_type syt_column_object_name; /* the same; no member without a name */
extern const struct syt_column_type syt_column_process; /* P of the object's process, uint32_t */
extern const struct syt_column_type
	syt_column_path; /* a call path (decoder/order/label.h), uint32_t */
/* a label of view->labels, uint32_t: whole in JSON; its begin and its end, cut, in text */
extern const struct syt_column_type syt_column_label, syt_column_label_begin, syt_column_label_end;
extern const struct syt_column_type syt_column_thread; /* trace-wide thread, uint32_t, as "P.T" */
extern const struct syt_column_type syt_column_named_thread; /* the same; text: "P.T NAME" */
extern const struct syt_column_type syt_column_thread_index, syt_column_thread_process,
	syt_column_pid, syt_column_tid;                     /* of the thread, uint32_t */
extern const struct syt_column_type syt_column_thread_name; /* the same; no member without a name */
extern const struct syt_column_type syt_column_place;       /* struct syt_place, as "P.T.N" */
extern const struct syt_column_type syt_column_stack; /* call stack, only with view->has_stacks */

/* struct syt_spread: an object in JSON, five columns of text */
extern const struct syt_column_type syt_column_spread, syt_column_spread_mean;

/* clang-format off */
/* The members of a thread in JSON. */
#define SYT_THREAD_MEMBERS(at_) \
	{NULL, "process", &syt_column_thread_process, at_}, \
	{NULL, "thread", &syt_column_thread_index, at_}, \
	{NULL, "pid", &syt_column_pid, at_}, \
	{NULL, "tid", &syt_column_tid, at_}, \
	{NULL, "name", &syt_column_thread_name, at_}

#define SYT_SPREAD_COLUMNS(title_, key_, at_) \
	{NULL, key_, &syt_column_spread, at_}, \
	{title_, NULL, &syt_column_time, (at_) + offsetof(struct syt_spread, total)}, \
	{">MEAN", NULL, &syt_column_spread_mean, at_}, \
	{">P50", NULL, &syt_column_time, (at_) + offsetof(struct syt_spread, p50)}, \
	{">P99", NULL, &syt_column_time, (at_) + offsetof(struct syt_spread, p99)}, \
	{">LONGEST", NULL, &syt_column_time, (at_) + offsetof(struct syt_spread, max)}
/* clang-format on */

#endif
