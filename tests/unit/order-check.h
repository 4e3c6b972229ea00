/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Functions that check happens-before edges, for the tests of ordering. Tests with cmocka include this
 * file. */
#ifndef SYT_TESTS_UNIT_ORDER_CHECK_H
#define SYT_TESTS_UNIT_ORDER_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/order/order.h"
#include "decoder/order/verify.h"
#include "tests/lib/trace-builder.h"

/* Checks that a branch of O with the WANTED edges has the same edges as an order that was opened for them. */
static inline void check_branch(const struct syt_order *o, struct syt_edges_wanted wanted)
{
	struct syt_order opened, branch;

	assert_int_equal(syt_order_open_for(&opened, o->places.trace, wanted), 0);
	assert_int_equal(syt_order_branch(&branch, o, wanted), 0);
	assert_true(branch.is_branch && (!branch.edges.nr || branch.edges.all != o->edges.all));
	assert_int_equal(branch.edges.nr, opened.edges.nr);
	for (uint64_t i = 0; i < opened.edges.nr; i++) {
		const struct syt_edge *a = &opened.edges.all[i], *e = &branch.edges.all[i];

		assert_int_equal(syt_place_compare(a->from, e->from), 0);
		assert_int_equal(syt_place_compare(a->to, e->to), 0);
		assert_true(a->kind == e->kind && a->class == e->class && a->flags == e->flags &&
		            a->object == e->object && a->bytes == e->bytes);
	}
	assert_int_equal(branch.edges.nr_rounds, opened.edges.nr_rounds);
	syt_order_close(&branch);
	syt_order_close(&opened);
}

/* Returns all happens-before edges of a trace as lines "from>to kind[*]\n"; * means ambiguous. The
 * caller frees the text. */
static inline char *edges_of(struct syt_builder *b, struct syt_coverage *coverage)
{
	struct syt_order o;
	struct syt_verdict v;
	char *text;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	assert_int_equal(syt_order_open(&o, syt_builder_trace(b)), 0);
	assert_true(syt_verify(&o.edges, &v));
	check_branch(&o, (struct syt_edges_wanted){SYT_EDGES_BUT_LOCKS, SYT_EDGES_ALL});
	check_branch(&o, (struct syt_edges_wanted){SYT_EDGES_ALL, 1u << SYT_CLASS_CAUSAL});
	for (uint64_t i = 0; i < o.edges.nr; i++) {
		const struct syt_edge *e = &o.edges.all[i];
		char from[SYT_NODE_TEXT], to[SYT_NODE_TEXT];

		syt_order_node_text(&o, e->from, from, sizeof(from));
		syt_order_node_text(&o, e->to, to, sizeof(to));
		fprintf(f, "%s>%s %s%s", from, to, syt_edge_kind_text(e->kind),
		        e->flags & SYT_EDGE_AMBIGUOUS ? "*" : "");
		if (e->bytes)
			fprintf(f, " %llu", (unsigned long long)e->bytes);
		if (e->class == SYT_CLASS_RUN_AFTER)
			fputs(" run-after", f);
		fputc('\n', f);
	}
	fclose(f);
	if (coverage)
		*coverage = o.coverage;
	assert_int_equal(o.coverage.defects, 0);
	assert_int_equal(o.coverage.acquires, o.coverage.attributed + o.coverage.unneeded +
	                                              syt_coverage_unattributed(&o.coverage));
	assert_int_equal(o.coverage.bytes_received,
	                 o.coverage.bytes_matched + syt_coverage_bytes_unmatched(&o.coverage));
	syt_order_close(&o);
	return text;
}

/* Checks that the happens-before edges of B are exactly EXPECTED, in order of time, and destroys B. */
static inline void expect_edges_and(struct syt_builder *b, const char *expected,
                                    struct syt_coverage *coverage)
{
	char *text = edges_of(b, coverage);

	assert_string_equal(text, expected);
	free(text);
	syt_builder_destroy(b);
}

static inline void expect_edges(struct syt_builder *b, const char *expected)
{
	expect_edges_and(b, expected, NULL);
}

#endif
