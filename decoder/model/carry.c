/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/carry.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/store.h"
#include "decoder/order/order.h"

struct carry {
	struct syt_model_input *in;
	bool *has_arrived;
	const uint32_t *before;
	const bool *sends;
	const struct syt_place *reported;
	/* [leaf]: the first leaf of the turn of an event loop that contains the leaf; SYT_NONE: the thread acts for work that
	 * arrived, or waits for no readiness */
	uint32_t *turn;
	uint32_t *
		wait; /* [leaf]: the row of the last wait for readiness, if the leaf is in a turn */
	uint32_t *
		last_use; /* [leaf]: the last leaf of its thread, up to this one, that uses a connection */
	bool *is_put; /* [leaf]: the leaf is the source of a hand-off */
	uint32_t *
		nr_found; /* [label]: number of turns that begin with the label and with a ready connection */
};

static bool is_handoff(const struct carry *c, uint32_t leaf)
{
	return c->has_arrived[leaf] && c->in->leaves[leaf].kind == SYT_EDGE_HANDOFF;
}

/* Returns the row of the last wait for readiness inside of the leaf, or SYT_NONE. */
static uint32_t wait_inside(const struct syt_model_input *in, uint32_t leaf)
{
	const struct syt_task *tasks = &in->tasks->all[in->leaves[leaf].task];

	for (uint64_t n = syt_model_leaf_tasks(in, leaf); n > 1; n--) {
		struct syt_place at = {tasks[n - 1].thread, tasks[n - 1].begin};

		if (syt_place_call(&in->order->places, at)->shape == SYT_SHAPE_READY)
			return at.row;
	}
	return SYT_NONE;
}

/* Returns true if an event loop can wait for the readiness of the work that an edge of this kind brings. */
static bool is_data(uint8_t kind)
{
	return kind == SYT_EDGE_STREAM || kind == SYT_EDGE_DATAGRAM || kind == SYT_EDGE_CONNECT ||
	       kind == SYT_EDGE_EOF;
}

/* Finds the turns and the last uses of connections. A turn begins after a wait for readiness, and after a hand-off in the
 * same turn. */
static void find_turns(struct carry *c)
{
	const struct syt_model_input *in = c->in;
	uint32_t wait = SYT_NONE, first = 0, last_use = SYT_NONE;

	SYT_EACH(i, 0, in->nr_leaves)
		if (is_handoff(c, i))
			c->is_put[in->leaves[i].start] = true;
	SYT_EACH(i, 0, in->nr_leaves) {
		uint32_t inside;

		if (!i || in->leaves[i].thread != in->leaves[i - 1].thread) {
			wait = last_use = SYT_NONE;
			first = i;
		}
		if (c->before[i] != SYT_NONE)
			last_use = i;
		c->last_use[i] = last_use;
		/* a turn may begin with an item from a queue; take_use() decides whether the item began it */
		if (c->has_arrived[i] && !is_data(in->leaves[i].kind) &&
		    !(is_handoff(c, i) && i == first))
			wait = SYT_NONE;
		c->turn[i] = wait == SYT_NONE ? SYT_NONE : first;
		c->wait[i] = wait;
		inside = wait_inside(in, i);
		if (inside != SYT_NONE)
			wait = inside;
		else if (
			!i ||
			!c->is_put
				 [i -
		                  1]) /* the event that ends a hand-off begins the leaf behind it */
			continue;
		first = i + 1;
	}
}

static syt_time begin_of(const struct syt_model_input *in, uint32_t leaf)
{
	struct syt_place at = {in->leaves[leaf].thread, in->leaves[leaf].arrived};

	return syt_place_row(&in->order->places, at)->out;
}

/* Returns true if the wait for readiness before the turn that begins with the leaf FIRST found the connection that the leaf
 * USE uses, or found no file descriptor ready. */
static bool is_found(const struct carry *c, uint32_t first, uint32_t use)
{
	struct syt_place wait = {c->in->leaves[first].thread, c->wait[first]};

	return (c->reported[use].thread == wait.thread && c->reported[use].row == wait.row) ||
	       !syt_place_extra(&c->in->order->places, wait)->nr_ready;
}

/* Returns true if the item that arrived at the leaf FIRST is not the connection that the leaf USE uses: the sender of the
 * item used another connection before it. */
static bool is_other_item(const struct carry *c, uint32_t first, uint32_t use)
{
	return c->last_use[c->in->leaves[first].start] != c->before[use];
}

/* Returns true if the wait for readiness alone began the turn of the leaf USE with the leaf LEAF, no item from a queue and no
 * other work. */
static bool is_free(const struct carry *c, uint32_t leaf, uint32_t use)
{
	if (is_handoff(c, leaf))
		return is_found(c, leaf, use) || is_other_item(c, leaf, use);
	return !c->has_arrived[leaf] && c->before[leaf] == SYT_NONE &&
	       c->in->leaves[leaf].start == SYT_NONE &&
	       c->in->labels[c->in->leaves[leaf].label].turn != SYT_TURN_ACCEPT;
}

/* Tells the miner which labels begin the turns of an event loop: most of their leaves follow a wait for readiness. */
static void mark_turns(const struct carry *c)
{
	struct syt_model_input *in = c->in;
	uint32_t *nr = syt_calloc(in->nr_labels, sizeof(*nr));

	SYT_EACH(i, 0, in->nr_leaves)
		nr[in->leaves[i].label]++;
	for (uint32_t i = 0; i < in->nr_labels; i++)
		if (c->nr_found[i] && 2 * (uint64_t)c->nr_found[i] >= nr[i])
			in->labels[i].turn = SYT_TURN_READY;
	free(nr);
}

/* The leaf USE is the first use of a connection after the thread took an item at the leaf TAKEN. */
static void take_use(const struct carry *c, uint32_t taken, uint32_t use)
{
	struct syt_model_leaf *leaves = c->in->leaves;
	uint32_t put = leaves[taken].start, first = c->turn[put];
	uint32_t from = c->has_arrived[use] ? leaves[use].start : c->before[use];

	if (first != SYT_NONE && is_free(c, first, use) &&
	    begin_of(c->in, from) <= begin_of(c->in, first)) {
		/* the event loop found the connection ready */
		struct syt_model_inner arc = {from, first, SYT_ARC_CONNECTION, true};

		c->nr_found[leaves[first].label]++;
		if (is_handoff(c, first)) {
			struct syt_model_inner item = {leaves[first].start, first, SYT_EDGE_HANDOFF,
			                               true};

			*SYT_STORE_ADD(c->in->inner, c->in->nr_inner, c->in->room_inner) = item;
			c->has_arrived[first] = false;
			leaves[first].start = SYT_NONE;
			leaves[first].kind = SYT_EDGE_PROGRAM;
			leaves[first].is_inferred = false;
		}
		if (c->has_arrived[use]) {
			leaves[first].start = from;
			leaves[first].kind = leaves[use].kind;
			leaves[first].is_inferred = true;
		} else {
			*SYT_STORE_ADD(c->in->inner, c->in->nr_inner, c->in->room_inner) = arc;
		}
	} else if (!(from >= first && from <= put) && !c->sends[use]) {
		return; /* another cause than the item in the queue */
	}
	leaves[use].start = use - 1;
	leaves[use].kind = SYT_EDGE_PROGRAM;
	leaves[use].is_inferred = false;
}

void syt_model_carry(struct syt_model_input *in, bool *has_arrived, const uint32_t *before,
                     const bool *sends, const struct syt_place *reported)
{
	struct carry c = {.in = in,
	                  .has_arrived = has_arrived,
	                  .before = before,
	                  .sends = sends,
	                  .reported = reported};
	uint32_t taken = SYT_NONE; /* the leaf that took an item, before the use of a connection */

	c.turn = syt_store_alloc(in->nr_leaves, sizeof(*c.turn));
	c.wait = syt_store_alloc(in->nr_leaves, sizeof(*c.wait));
	c.last_use = syt_store_alloc(in->nr_leaves, sizeof(*c.last_use));
	c.is_put = syt_store_alloc(in->nr_leaves, sizeof(*c.is_put));
	c.nr_found = syt_calloc(in->nr_labels, sizeof(*c.nr_found));
	find_turns(&c);
	SYT_EACH(i, 0, in->nr_leaves) {
		if (!i || in->leaves[i].thread != in->leaves[i - 1].thread)
			taken = SYT_NONE;
		if (is_handoff(&c, i)) {
			taken = i;
		} else if (before[i] != SYT_NONE) {
			if (taken != SYT_NONE)
				take_use(&c, taken, i);
			taken = SYT_NONE;
		}
		if (wait_inside(in, i) != SYT_NONE)
			taken = SYT_NONE;
	}
	mark_turns(&c);
	free(c.nr_found);
	syt_store_free(c.turn);
	syt_store_free(c.wait);
	syt_store_free(c.last_use);
	syt_store_free(c.is_put);
}
