/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/call.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
	const char *name;
	uint8_t shape, kind;
};

/* clang-format off */
static struct row table[] = {
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) \
	{#name_, SYT_SHAPE_##shape_, SYT_KIND_##kind_},
#define HAND(name_, shape_, kind_) {#name_, SYT_SHAPE_##shape_, SYT_KIND_##kind_},
#define MARK(name_, shape_, kind_) {#name_, SYT_SHAPE_##shape_, SYT_KIND_##kind_},
#include "format/calls.def"
};

static const struct {
	const char *text;
	bool stamp_in;
} shapes[] = {
#define IN true
#define OUT false
#define SHAPE(name_, text_, stamp_, unsampled_) {text_, stamp_},
#include "format/shapes.def"
#undef SHAPE
#undef IN
#undef OUT
};

static const char *const kinds[] = {
#define KIND(name_, text_) text_,
#include "format/kinds.def"
#undef KIND
};
/* clang-format on */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

static void sort_table(void)
{
	qsort(table, sizeof(table) / sizeof(table[0]), sizeof(table[0]), by_name);
}

/* Returns the row of the call NAME, or NULL. */
static const struct row *find_row(const char *name)
{
	static pthread_once_t sorted = PTHREAD_ONCE_INIT;
	struct row key = {.name = name};

	pthread_once(&sorted, sort_table);
	return bsearch(&key, table, sizeof(table) / sizeof(table[0]), sizeof(table[0]), by_name);
}

enum syt_shape syt_call_shape(const char *name)
{
	const struct row *row = find_row(name);

	return row ? row->shape : SYT_SHAPE_INFO;
}

void syt_call_resolve(struct syt_call_info *info, char *name, uint8_t shape, uint8_t kind)
{
	const struct row *row = find_row(name);

	if (row) {
		shape = row->shape;
		kind = row->kind;
	}
	info->name = name;
	info->shape = shape < SYT_NR_SHAPES ? shape : SYT_SHAPE_INFO;
	info->kind = kind < SYT_NR_KINDS ? kind : SYT_KIND_OTHER;
	info->stamp_in = shapes[info->shape].stamp_in;
}

bool syt_call_may_wait_for_ever(const struct syt_call_info *c)
{
	static const char *const limits[] = {"try", "timed", "clock", "test_"};

	for (unsigned i = 0; c->name && i < sizeof(limits) / sizeof(*limits); i++)
		if (strstr(c->name, limits[i]))
			return false;
	return true;
}

static bool kind_orders(enum syt_kind kind)
{
	return kind != SYT_KIND_FILE && kind != SYT_KIND_OTHER;
}

bool syt_row_is_point(const struct syt_image *i, const struct syt_row *r, const struct syt_extra *x)
{
	switch (syt_row_call(i, r)->shape) {
	case SYT_SHAPE_INFO:
	case SYT_SHAPE_BLOCK:
	case SYT_SHAPE_INIT:
	case SYT_SHAPE_DESTROY:
	case SYT_SHAPE_OPEN:
	case SYT_SHAPE_DUP:
	case SYT_SHAPE_LISTEN:
	case SYT_SHAPE_EPOLL_CTL:
	case SYT_SHAPE_TASK_GROUP:
	case SYT_SHAPE_SIGNAL_SENDING:
		return false;
	case SYT_SHAPE_SIGNAL_SEND: /* kill() with signal 0 only tests whether the target exists */
		return r->object != SYT_NONE;
	case SYT_SHAPE_TRANSFER:
		if (x && x->object2 != SYT_NONE && kind_orders(i->objects[x->object2].kind))
			return true;
		/* fall through */
	case SYT_SHAPE_SEND:
	case SYT_SHAPE_RECV:
	case SYT_SHAPE_CLOSE:
	case SYT_SHAPE_SHUTDOWN:
		return r->object != SYT_NONE && kind_orders(i->objects[r->object].kind);
	default:
		return true;
	}
}

const char *syt_shape_text(unsigned shape)
{
	return shape < SYT_NR_SHAPES ? shapes[shape].text : "unknown";
}

const char *syt_kind_text(unsigned kind)
{
	return kind < SYT_NR_KINDS ? kinds[kind] : "unknown";
}

int syt_object_text(const struct syt_object_info *info, char *text, size_t bytes)
{
	return snprintf(text, bytes, "%s:0x%" PRIx64 "#%" PRIu32, syt_kind_text(info->kind),
	                info->identity, info->generation);
}
