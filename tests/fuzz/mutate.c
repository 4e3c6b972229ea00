/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "tests/fuzz/mutate.h"

#include <string.h>

#include "format/event.h"
#include "tests/fuzz/recipe.h"
#include "tests/lib/random.h"

#define EVENTS_MAX 512u /* of one block that are changed; longer ones lose the others */
#define ITEMS_MAX 1024u
#define SCRATCH (EVENTS_MAX * SYT_EVENT_MAX)

struct events {
	uint32_t nr;
	struct syt_event all[EVENTS_MAX + 1];
	struct syt_ready ready[EVENTS_MAX + 1][SYT_NR_READY];
};

/* Of the changed block, and of another block, the source of values. */
static struct events mine, others;
static uint8_t scratch[SCRATCH];

/* ---- events ---- */

static void decode(struct events *e, const uint8_t *raw, size_t nr, uint64_t first)
{
	static struct syt_predictor predictor;
	struct syt_cursor c = {raw, raw + nr, 0};

	syt_predictor_init(&predictor, first);
	for (e->nr = 0; e->nr < EVENTS_MAX && c.p < c.end; e->nr++) {
		e->all[e->nr].ready = e->ready[e->nr];
		if (syt_event_decode(&predictor, &c, &e->all[e->nr]) < 0)
			break;
	}
}

static size_t encode(const struct events *e, uint8_t *to, size_t room, uint64_t first,
                     uint32_t *nr_events)
{
	static struct syt_predictor predictor;
	uint8_t one[SYT_EVENT_MAX];
	size_t at = 0;

	syt_predictor_init(&predictor, first);
	for (*nr_events = 0; *nr_events < e->nr; ++*nr_events) {
		size_t nr =
			(size_t)(syt_event_encode(&predictor, one, &e->all[*nr_events], 0) - one);

		if (nr > room - at)
			break;
		memcpy(to + at, one, nr);
		at += nr;
	}
	return at;
}

static void copy_event(struct events *to, uint32_t n, const struct events *from, uint32_t k)
{
	struct syt_ready ready[SYT_NR_READY];
	struct syt_event e = from->all[k];

	memcpy(ready, from->ready[k], sizeof(ready));
	to->all[n] = e;
	to->all[n].ready = to->ready[n];
	memcpy(to->ready[n], ready, sizeof(ready));
}

static uint64_t odd_value(struct syt_random *r, uint64_t was)
{
	static const uint64_t odd[] = {0,
	                               1,
	                               2,
	                               3,
	                               0x7f,
	                               0x80,
	                               0xff,
	                               0xffff,
	                               INT32_MAX,
	                               UINT32_MAX,
	                               (uint64_t)UINT32_MAX + 1,
	                               INT64_MAX,
	                               (uint64_t)INT64_MAX + 1,
	                               UINT64_MAX - 1,
	                               UINT64_MAX};

	switch (syt_random_below(r, 6)) {
	case 0:
		return was + 1;
	case 1:
		return was - 1;
	case 2:
		return was + syt_random_below(r, 64) - 32;
	case 3:
		return syt_random_magnitude(r);
	case 4:
		return syt_random_below(r, 16);
	default:
		return odd[syt_random_below(r, sizeof(odd) / sizeof(odd[0]))];
	}
}

/* Replaces one member of an event by the member of another event, or by an unusual value. */
static void change_member(struct syt_random *r, struct syt_event *e, const struct syt_event *from)
{
	bool is_odd = syt_random_below(r, 2);

#define SET(member_)                                                                               \
	do {                                                                                       \
		e->member_ = (__typeof__(e->member_))(is_odd ? odd_value(r, (uint64_t)e->member_)  \
		                                             : (uint64_t)from->member_);           \
	} while (0)
	switch (syt_random_below(r, 16)) {
	case 0:
	case 1:
		SET(call);
		break;
	case 2:
		SET(stack);
		break;
	case 3:
	case 4:
		SET(object);
		break;
	case 5:
		SET(dur);
		break;
	case 6:
		SET(result);
		break;
	case 7:
		SET(err);
		break;
	case 8:
	case 9:
		SET(stamp);
		break;
	default:
		switch (1 + syt_random_below(r, SYT_NR_FIELDS - 1)) {
#define FIELD(name_, member_)                                                                      \
	case SYT_FIELD_##name_:                                                                    \
		SET(member_);                                                                      \
		break;
#include "format/fields.def"
#undef FIELD
		default:
			break;
		}
	}
#undef SET
	e->call &= UINT16_MAX;
}

static void change_ready(struct syt_random *r, struct syt_event *e, const struct syt_event *from)
{
	uint32_t n = e->nr_ready ? (uint32_t)syt_random_below(r, e->nr_ready) : 0;

	switch (syt_random_below(r, 4)) {
	case 0:
		e->nr_ready -= e->nr_ready > 0;
		break;
	case 1:
		if (e->nr_ready < SYT_NR_READY)
			e->ready[e->nr_ready++] =
				(struct syt_ready){from->object & 0xffffff, SYT_READY_IN, 0};
		break;
	case 2:
		if (e->nr_ready)
			e->ready[n].events = (uint32_t)syt_random_below(r, 64);
		break;
	default:
		if (e->nr_ready)
			e->ready[n].object = from->object & 0xffffff;
		break;
	}
}

static void change_events(struct syt_random *r, struct events *e, const struct events *from)
{
	if (!e->nr && !from->nr)
		return;
	uint32_t n = e->nr ? (uint32_t)syt_random_below(r, e->nr) : 0;
	uint32_t k = from->nr ? (uint32_t)syt_random_below(r, from->nr) : 0;
	uint64_t stamp;

	if (!from->nr)
		from = e;
	if (!e->nr) {
		copy_event(e, e->nr++, from, k);
		return;
	}
	switch (syt_random_below(r, 10)) {
	case 0: /* one is gone */
		for (e->nr--; n < e->nr; n++)
			copy_event(e, n, e, n + 1);
		break;
	case 1: /* one more, at its own time */
	case 2: /* or at another's */
		if (e->nr == EVENTS_MAX)
			break;
		stamp = e->all[n].stamp;
		for (uint32_t at = e->nr; at > n; at--)
			copy_event(e, at, e, at - 1);
		copy_event(e, n, from, k);
		if (syt_random_below(r, 2))
			e->all[n].stamp = stamp;
		e->nr++;
		break;
	case 3: /* another time */
		e->all[n].stamp = from->all[k].stamp + syt_random_below(r, 3) - 1;
		break;
	case 4: /* two change places */
		k = (uint32_t)syt_random_below(r, e->nr);
		stamp = e->all[n].stamp;
		e->all[n].stamp = e->all[k].stamp;
		e->all[k].stamp = stamp;
		break;
	case 5: /* the same call by another's hand */
		e->all[n].call = from->all[k].call;
		break;
	case 6:
		change_ready(r, &e->all[n], &from->all[k]);
		break;
	default:
		change_member(r, &e->all[n], &from->all[k]);
		break;
	}
}

static size_t change_raw(struct syt_random *r, uint8_t *raw, size_t nr, size_t room, uint64_t first,
                         uint32_t *nr_events)
{
	decode(&mine, raw, nr, first);
	for (uint64_t times = 1 + syt_random_below(r, 4); times; times--)
		change_events(r, &mine, syt_random_below(r, 2) && others.nr ? &others : &mine);
	return encode(&mine, raw, room, first, nr_events);
}

size_t syt_mutate_events(uint8_t *raw, size_t nr, size_t room, uint64_t first, uint32_t *nr_events,
                         unsigned seed)
{
	struct syt_random r = {seed};

	others.nr = 0;
	return change_raw(&r, raw, nr, room, first, nr_events);
}

/* ---- items ---- */

static uint32_t list_items(const uint8_t *data, size_t nr, struct syt_recipe_item *items)
{
	const uint8_t *at = data, *end = data + nr;
	uint32_t found = 0;

	while (found < ITEMS_MAX && syt_recipe_next(&at, end, &items[found]))
		found++;
	return found;
}

static size_t put_item(uint8_t *to, size_t at, size_t room, uint8_t tag, const void *payload,
                       size_t nr)
{
	if (nr > SYT_RECIPE_ITEM_MAX || room - at < SYT_RECIPE_HEAD + nr)
		return at;
	to[at] = tag;
	to[at + 1] = (uint8_t)nr;
	to[at + 2] = (uint8_t)(nr >> 8);
	if (nr)
		memcpy(to + at + SYT_RECIPE_HEAD, payload, nr);
	return at + SYT_RECIPE_HEAD + nr;
}

static bool is_block(const struct syt_recipe_item *i)
{
	return (i->tag == SYT_RECIPE_BLOCK || i->tag == SYT_RECIPE_LANE) &&
	       i->nr >= sizeof(struct syt_recipe_block);
}

/* The item's payload, changed, at scratch; returns its length. */
static size_t change_block(struct syt_random *r, const struct syt_recipe_item *items, uint32_t nr,
                           const struct syt_recipe_item *item)
{
	struct syt_recipe_block b, from = {0};
	const struct syt_recipe_item *other = &items[syt_random_below(r, nr)];
	uint32_t nr_events;
	size_t bytes;

	memcpy(&b, item->data, sizeof(b));
	others.nr = 0;
	if (is_block(other)) {
		memcpy(&from, other->data, sizeof(from));
		decode(&others, other->data + sizeof(from), other->nr - sizeof(from),
		       from.first_ticks);
	}
	switch (syt_random_below(r, 24)) {
	case 0:
		b.thread = (uint32_t)odd_value(r, b.thread);
		break;
	case 1:
		b.first_seq = odd_value(r, b.first_seq);
		break;
	case 2:
		b.first_ticks = odd_value(r, b.first_ticks);
		break;
	case 3:
		b.nr_events = (uint32_t)odd_value(r, b.nr_events);
		break;
	case 4:
		b.lane = (uint8_t)syt_random_below(r, 4);
		break;
	case 5:
		b.cal.ticks = odd_value(r, b.cal.ticks);
		break;
	case 6:
		b.cal.mono_ns = odd_value(r, b.cal.mono_ns);
		break;
	default:
		memcpy(scratch + sizeof(b), item->data + sizeof(b), item->nr - sizeof(b));
		bytes = change_raw(r, scratch + sizeof(b), item->nr - sizeof(b),
		                   SYT_RECIPE_ITEM_MAX - sizeof(b), b.first_ticks, &nr_events);
		b.nr_events = nr_events;
		memcpy(scratch, &b, sizeof(b));
		return sizeof(b) + bytes;
	}
	memcpy(scratch, &b, sizeof(b));
	memcpy(scratch + sizeof(b), item->data + sizeof(b), item->nr - sizeof(b));
	return item->nr;
}

/* A definition of a call that has none yet, or damage. */
static size_t invent(struct syt_random *r, uint8_t *tag)
{
	/* clang-format off */
	static const struct {
		const char *name;
		uint8_t shape, kind;
	} calls[] = {
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) \
		{#name_, SYT_SHAPE_##shape_, SYT_KIND_##kind_},
#define HAND(name_, shape_, kind_) {#name_, SYT_SHAPE_##shape_, SYT_KIND_##kind_},
#define MARK(name_, shape_, kind_) {#name_, SYT_SHAPE_##shape_, SYT_KIND_##kind_},
#include "format/calls.def"
	};
	/* clang-format on */
	uint64_t n = syt_random_below(r, sizeof(calls) / sizeof(calls[0]));
	struct syt_meta_call call = {
		.call = (uint16_t)syt_random_below(r, 700),
		.shape = calls[n].shape,
		.kind = calls[n].kind,
	};
	struct syt_recipe_patch patch = {(uint8_t)syt_random_below(r, 2),
	                                 (uint32_t)syt_random_below(r, 1 << 16)};
	uint16_t type = SYT_META_CALL;
	uint64_t length = syt_random_magnitude(r);
	uint32_t verbs = UINT32_C(1) << syt_random_below(r, 32);
	size_t at;

	switch (syt_random_below(r, 8)) {
	case 0:
		*tag = SYT_RECIPE_CUT;
		memcpy(scratch, &length, sizeof(length));
		return sizeof(length);
	case 1:
		*tag = SYT_RECIPE_VERBS;
		memcpy(scratch, &verbs, sizeof(verbs));
		return sizeof(verbs);
	case 2:
	case 3:
		*tag = SYT_RECIPE_PATCH;
		memcpy(scratch, &patch, sizeof(patch));
		at = sizeof(patch);
		for (uint64_t nr = 1 + syt_random_below(r, 8); nr; nr--)
			scratch[at++] = (uint8_t)syt_random_u64(r);
		return at;
	default:
		*tag = SYT_RECIPE_META;
		memcpy(scratch, &type, sizeof(type));
		memcpy(scratch + sizeof(type), &call, sizeof(call));
		at = sizeof(type) + sizeof(call);
		memcpy(scratch + at, calls[n].name, strlen(calls[n].name));
		return at + strlen(calls[n].name);
	}
}

size_t syt_mutate_recipe(uint8_t *data, size_t nr, size_t room, unsigned seed)
{
	static struct syt_recipe_item items[ITEMS_MAX];
	static uint8_t old[1 << 20];
	struct syt_random r = {seed};
	uint32_t nr_items;
	size_t at = 0;

	if (nr > sizeof(old) || !syt_random_below(&r, 12))
		return LLVMFuzzerMutate(data, nr, room);
	memcpy(old, data, nr);
	nr_items = list_items(old, nr, items);
	if (!nr_items)
		return LLVMFuzzerMutate(data, nr, room);

	uint32_t which = (uint32_t)syt_random_below(&r, nr_items);
	uint64_t how = syt_random_below(&r, 16);
	struct syt_recipe_item other = items[syt_random_below(&r, nr_items)];

	/* events matter most */
	for (unsigned tries = 0; how > 5 && tries < 64 && !is_block(&items[which]); tries++)
		which = (uint32_t)syt_random_below(&r, nr_items);
	for (uint32_t n = 0; n < nr_items; n++) {
		const struct syt_recipe_item *i = &items[n];
		uint8_t tag = i->tag;
		size_t bytes;

		if (n != which) {
			at = put_item(data, at, room, tag, i->data, i->nr);
			continue;
		}
		switch (how) {
		case 0: /* gone */
			break;
		case 1: /* there again, or another one */
			at = put_item(data, at, room, other.tag, other.data, other.nr);
			at = put_item(data, at, room, tag, i->data, i->nr);
			break;
		case 2:
			at = put_item(data, at, room, tag, i->data, i->nr);
			bytes = invent(&r, &tag);
			at = put_item(data, at, room, tag, scratch, bytes);
			break;
		default:
			if (is_block(i) && how > 5) {
				bytes = change_block(&r, items, nr_items, i);
			} else {
				memcpy(scratch, i->data, i->nr);
				bytes = LLVMFuzzerMutate(scratch, i->nr, i->nr + 16u);
			}
			at = put_item(data, at, room, tag, scratch, bytes);
			break;
		}
	}
	return at;
}

size_t syt_mutate_cross(const uint8_t *a, size_t nr_a, const uint8_t *b, size_t nr_b, uint8_t *to,
                        size_t room, unsigned seed)
{
	static struct syt_recipe_item of_a[ITEMS_MAX], of_b[ITEMS_MAX];
	struct syt_random r = {seed};
	uint32_t na = list_items(a, nr_a, of_a), nb = list_items(b, nr_b, of_b);
	size_t at = 0;

	if (!na || !nb)
		return 0;

	uint32_t where = (uint32_t)syt_random_below(&r, na);
	uint32_t from = (uint32_t)syt_random_below(&r, nb);
	uint32_t until = from + 1 + (uint32_t)syt_random_below(&r, nb - from);

	if (syt_random_below(&r, 2) && until > from + 4)
		until = from + 4;
	for (uint32_t n = 0; n < na; n++) {
		for (uint32_t k = from; n == where && k < until; k++)
			at = put_item(to, at, room, of_b[k].tag, of_b[k].data, of_b[k].nr);
		at = put_item(to, at, room, of_a[n].tag, of_a[n].data, of_a[n].nr);
	}
	return at;
}
