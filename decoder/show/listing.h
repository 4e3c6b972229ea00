/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Listings: from one table of columns, this module writes both the text table and the JSON lines of a report.
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
 * The order of the columns is the order of the JSON members, on which other programs rely: a column may be added,
 * never renamed. Only one thread at a time may use this module.
 */
#ifndef SYT_DECODER_SHOW_LISTING_H
#define SYT_DECODER_SHOW_LISTING_H

#include "base/json.h"
#include "base/table.h"
#include "decoder/analysis/cpu_time.h"
#include "decoder/order/label.h"
#include "decoder/order/order.h"

#define SYT_VIEW_PATH_PARTS 3u /* functions of a call path in text, with the intercepted call */

struct syt_blamer;
struct syt_causes;
struct syt_perf;
struct syt_perf_sum;

/* The output of a report: the report's results, the output format and the limits. */
struct syt_view {
	struct syt_out *out;
	const struct syt_order *order;
	struct syt_labels *labels;
	struct syt_symbols *symbols;
	const struct syt_cpu_times
		*times;             /* set where critical paths are summed up, otherwise NULL */
	const void *report;         /* results of the analysis, for example struct syt_contention */
	uint64_t limit;             /* maximum number of rows of each listing; 0: no limit */
	unsigned least_thousandths; /* a row with this share of the threads' time stands out */
	bool is_json, has_stacks, has_colors;
	struct syt_perf *perf; /* samples of perf that name functions between calls, or NULL */
	const char *object;    /* pattern (fnmatch) for the names of objects to list; NULL: all */
	struct syt_blamer *blamer; /* of the reports of a page or of diagnose, otherwise NULL */
	/* receives the causes that a report finds for diagnose (decoder/analysis/cause.h); may be NULL */
	struct syt_causes *causes;
};

/* A cell: one value of one row. */
struct syt_cell {
	const struct syt_view *view;
	const void *row, *parent; /* the parameters of syt_listing_row() */
	const void *field; /* the value, at the column's offset in the row or in its parent */
};

#define SYT_CELL_NONE UINT64_MAX /* no number in the cell: null in JSON, an empty cell in a table */

/* The type of the values in a column. One function of number, ns, word and is serves both formats; if text or json
 * is set, it has precedence. */
struct syt_column_type {
	uint64_t (*number)(const struct syt_cell *c);
	uint64_t (*ns)(const struct syt_cell *c);      /* duration; 0: an empty cell in a table */
	const char *(*word)(const struct syt_cell *c); /* text; NULL: null, or an empty cell */
	bool (*is)(const struct syt_cell *c);          /* truth value: "yes" or an empty cell */
	double (*percent)(const struct syt_cell *c);   /* percentage, in tables only */
	/* if there is no value, JSON has no member instead of null */
	bool is_optional;
	void (*text)(struct syt_table *t, const struct syt_cell *c);
	void (*json)(struct syt_json *j, const char *key, const struct syt_cell *c);
};

/*
 * These macros define the column type NAME from an expression of the cell c and its row r, a const ROW *.
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
/* Defines a column type like SYT_COLUMN_NUMBER, but a cell without a value has no member in JSON. */
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

/* Defines the column type NAME for an array of uint64_t in the row. The value is a JSON object with one member
 * WORD: VALUE for each i below NR. NR, WORD and VALUE are expressions of i and of the array `all`. */
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
	/* title of the column, with the marks of base/table.h: ">TITLE" is aligned to the right; NULL: only in JSON */
	const char *title;
	const char *key; /* JSON key of the column; NULL: only in text */
	const struct syt_column_type *type;
	size_t at; /* offset of the value in the row or, with SYT_OF_PARENT, in the row's parent */
};

struct syt_listing {
	const char *type; /* value of the member "type" of the JSON lines */
	const struct syt_column *columns;
	size_t nr_columns;
};

/* clang-format off */
#define SYT_LISTING(type_, columns_) {type_, columns_, sizeof(columns_) / sizeof((columns_)[0])}
/* clang-format on */

/* State of a listing that is being written. */
struct syt_listing_writer {
	const struct syt_listing *listing;
	const struct syt_view *view;
	struct syt_table *table; /* table of the rows; NULL in JSON */
	uint64_t nr;             /* number of rows written so far */
};

void syt_listing_begin(struct syt_listing_writer *w, const struct syt_listing *l,
                       const struct syt_view *v);
/* Writes a row of the listing. PARENT may be NULL if no column uses it. Returns false at the limit of rows. */
bool syt_listing_row(struct syt_listing_writer *w, const void *row, const void *parent);
void syt_listing_end(struct syt_listing_writer *w);

/* Writes the NR rows at ROWS, which are STRIDE bytes apart, but at most view->limit of them. */
void syt_listing_all(const struct syt_listing *l, const struct syt_view *v, const void *rows,
                     size_t nr, size_t stride, const void *parent);

/* Writes the cells of one row as members of the JSON object that J has begun. */
void syt_listing_members(const struct syt_listing *l, const struct syt_view *v, struct syt_json *j,
                         const void *row, const void *parent);

/* Prints a listing of one row, even if the limit is 0 rows. As text, it is a table with one row. */
void syt_listing_one(const struct syt_listing *l, const struct syt_view *v, const void *row,
                     const void *parent);

/* Returns true if the name of OBJECT (an index in the whole trace) matches the pattern view->object. */
bool syt_view_shows(const struct syt_view *v, uint32_t object);

/* Returns the innermost functions of the call path SIDE: as many as are needed to differ from all other call paths.
 * Returns "" for SYT_NONE. */
const char *syt_view_path(const struct syt_view *v, uint32_t side);

/* Calls WRITE, breaks the lines of its output to the width of a page, and writes them to V->out. */
void syt_view_put_wrapped(const struct syt_view *v,
                          void (*write)(struct syt_out *out, const struct syt_view *v));

/* These functions write parts of sentences. put_path: the call path in colour. put_call: "recv in ask
 * (client.c:12), called from serve". put_thread: "redis-server (thread bio_lazy_free)", "redis-server (main
 * thread)", or "a thread" for SYT_NONE. put_object: the object with its name. put_event: "0.0.5 read in serve of
 * redis-server (main thread)". */
void syt_view_put_path(const struct syt_view *v, struct syt_out *out, uint32_t side);
void syt_view_put_call(const struct syt_view *v, struct syt_out *out, uint32_t side);
void syt_view_put_thread(const struct syt_view *v, struct syt_out *out, uint32_t thread);
void syt_view_put_object(const struct syt_view *v, struct syt_out *out, uint32_t object);
void syt_view_put_event(const struct syt_view *v, struct syt_out *out, struct syt_place at);

/* Returns the path of the regular file on which the call AT worked, or NULL. */
const char *syt_view_file(const struct syt_view *v, struct syt_place at);
/* Writes the call AT with the path SIDE like put_call, and the name of its file: "fsync of /var/lib/db in flush
 * (db.c:12)". */
void syt_view_put_call_on(const struct syt_view *v, struct syt_out *out, uint32_t side,
                          struct syt_place at);

/* Writes the functions with the most samples of perf: "; 840 samples of perf: 62 % hash_insert, 20 % memcpy". */
void syt_view_put_functions(struct syt_out *out, struct syt_perf_sum *sum);
/* Writes the functions that perf sampled while threads held the lock OBJECT that they had acquired by the call path
 * SIDE. */
void syt_view_put_held_functions(const struct syt_view *v, struct syt_out *out, uint32_t object,
                                 uint32_t side);

/* Writes the CPU share of a time between calls: " (80 % on a CPU, 20 % off the CPU)", or the bounds of the share. Writes
 * no text if the trace does not tell the share. */
void syt_view_put_cpu_use(struct syt_out *out, const struct syt_cpu_use *u);

/* Prints the line TITLE, unless it is NULL, and the call stack of the event AT. Prints no text if AT.thread is
 * SYT_NONE. */
void syt_view_put_stack(const struct syt_view *v, struct syt_out *out, const char *title,
                        struct syt_place at);

/* Column types that several reports use. A value of SYT_NONE or NULL is null in JSON. */
extern const struct syt_column_type syt_column_u32, syt_column_u64, syt_column_size,
	syt_column_bool;
extern const struct syt_column_type syt_column_count; /* value uint64_t; 0: an empty cell */
extern const struct syt_column_type syt_column_hex;   /* value uint64_t */
extern const struct syt_column_type syt_column_ns;    /* value uint64_t, nanoseconds */
extern const struct syt_column_type syt_column_chars; /* value char[], inside of the row */
/* For these types, a value SYT_NONE, 0, NULL or "" has an empty cell and no member in JSON. */
extern const struct syt_column_type syt_column_u32_if, syt_column_u64_if, syt_column_string_if,
	syt_column_object_if;
extern const struct syt_column_type syt_column_time; /* value syt_time, a length of time */
/* value syt_time, an instant of the trace; only in JSON, with --wall-clock also as wall-clock time */
extern const struct syt_column_type syt_column_instant;
extern const struct syt_column_type
	syt_column_length; /* two values of type syt_time, begin and end; shows their difference */
extern const struct syt_column_type syt_column_string; /* value const char * */
extern const struct syt_column_type syt_column_object; /* uint32_t, trace-wide object */
/* name of the object or thread; no member in JSON without a name */
extern const struct syt_column_type syt_column_object_name;
/* number (P) of the process image of the object with this trace-wide index, uint32_t */
extern const struct syt_column_type syt_column_process;
extern const struct syt_column_type
	syt_column_path; /* value uint32_t, a call path (decoder/order/label.h) */
/* value uint32_t, a label of a leaf task (the call paths where it begins and ends); JSON shows the whole label,
 * text only its begin and its end */
extern const struct syt_column_type syt_column_label, syt_column_label_begin, syt_column_label_end;
/* value uint32_t, trace-wide index of a thread, shown as "P.T" */
extern const struct syt_column_type syt_column_thread;
/* value uint32_t, trace-wide index of a thread; text shows "P.T NAME" */
extern const struct syt_column_type syt_column_named_thread;
extern const struct syt_column_type syt_column_thread_index, syt_column_thread_process,
	/* for a trace-wide index of a thread, uint32_t: its number T, its process image P, its pid, its tid */
	syt_column_pid, syt_column_tid;
/* name of the object or thread; no member in JSON without a name */
extern const struct syt_column_type syt_column_thread_name;
extern const struct syt_column_type syt_column_place; /* struct syt_place, as "P.T.N" */
extern const struct syt_column_type syt_column_stack; /* only with view->has_stacks */

/* value struct syt_cpu_use: the share as text, the bounds as an object in JSON; unknown: an empty cell, null */
extern const struct syt_column_type syt_column_cpu_use;

/* value struct syt_spread, a distribution: an object in JSON, five columns of text */
extern const struct syt_column_type syt_column_spread, syt_column_spread_mean;

/* clang-format off */
/* The members that describe a thread in JSON. */
#define SYT_THREAD_MEMBERS(at_) \
	{NULL, "process", &syt_column_thread_process, at_}, \
	{NULL, SYT_KEY("thread", "thread_index"), &syt_column_thread_index, at_}, \
	{NULL, "pid", &syt_column_pid, at_}, \
	{NULL, "tid", &syt_column_tid, at_}, \
	{NULL, SYT_KEY("name", "thread_name"), &syt_column_thread_name, at_}

#define SYT_SPREAD_COLUMNS(title_, key_, at_) \
	{NULL, key_, &syt_column_spread, at_}, \
	{title_, NULL, &syt_column_time, (at_) + offsetof(struct syt_spread, total)}, \
	{">?MEAN", NULL, &syt_column_spread_mean, at_}, \
	{">?P50", NULL, &syt_column_time, (at_) + offsetof(struct syt_spread, p50)}, \
	{">?P99", NULL, &syt_column_time, (at_) + offsetof(struct syt_spread, p99)}, \
	{">?LONGEST", NULL, &syt_column_time, (at_) + offsetof(struct syt_spread, max)}
/* clang-format on */

#endif
