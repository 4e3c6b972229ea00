/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/order/verify.c, decoder/order/task.c, decoder/order/graph.c, decoder/report/stat/object_summary.c */
#include "decoder/order/graph.h"
#include "decoder/report/stat/object_summary.h"
#include "tests/unit/order-check.h"

static struct syt_builder *b;
static uint32_t p, m;

/* T 1 waits for T 0's mutex from 12 to 25. */
static void contended(void)
{
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	syt_builder_thread(b, p);
	syt_builder_thread(b, p);
	m = syt_builder_object(b, p, SYT_KIND_MUTEX, 0x1000, 0, 0);
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_LOCK, m, .out = 160, .cpu = 5});
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_INFO, m, .out = 170});
	syt_builder_event(b, p, 0, (struct syt_made){SYT_SHAPE_UNLOCK, m, .in = 320, .cpu = 12});
	syt_builder_event(b, p, 1, (struct syt_made){SYT_SHAPE_LOCK, m, .in = 192, .out = 400});
	syt_builder_event(b, p, 1, (struct syt_made){SYT_SHAPE_UNLOCK, m, .in = 480});
}

static void tasks_run_between_points(void **state)
{
	struct syt_places places;
	struct syt_tasks t;

	(void)state;
	contended();
	assert_int_equal(syt_places_open(&places, syt_builder_trace(b)), 0);
	struct syt_labels *labels = syt_labels_create(&places, NULL, 0);

	syt_tasks_open(&t, &places, labels);
	assert_int_equal(t.nr, 2);
	assert_int_equal(t.all[0].begin, 0);
	assert_int_equal(t.all[0].end, 2); /* an event of shape INFO is no synchronization event */
	assert_int_equal(syt_task_begin(&t, &t.all[0]), 160);
	assert_int_equal(syt_task_span(&t, &t.all[0]), 160);
	assert_int_equal(syt_task_cpu(&t, &t.all[0]), 7);
	assert_int_equal(syt_task_cpu(&t, &t.all[1]), SYT_CPU_UNKNOWN);
	assert_int_equal(syt_task_begin(&t, &t.all[1]), 400); /* the wait belongs to no leaf task */
	assert_int_equal(t.all[0].label, t.all[1].label);
	assert_string_equal(syt_label_begin(labels, 0), "lock");
	assert_string_equal(syt_label_end(labels, 0), "unlock");
	assert_int_equal(syt_task_before(&t, (struct syt_place){0, 2}), 0);
	assert_int_equal(syt_task_after(&t, (struct syt_place){1, 0}), 1);
	assert_int_equal(syt_task_after(&t, (struct syt_place){0, 2}), SYT_NO_TASK);
	syt_tasks_close(&t);
	syt_labels_destroy(labels);
	syt_places_close(&places);
	syt_builder_destroy(b);
}

static void arcs_join_tasks(void **state)
{
	struct syt_order o;
	struct syt_tasks t;
	struct syt_graph single, sums;
	bool keep[2] = {true, false};

	(void)state;
	contended();
	assert_int_equal(syt_order_open(&o, syt_builder_trace(b)), 0);
	struct syt_labels *labels = syt_labels_create(&o.places, NULL, 0);

	syt_tasks_open(&t, &o.places, labels);
	syt_graph_open(&single, &o, &t, labels, true);
	assert_int_equal(single.nr_nodes, 2);
	assert_int_equal(single.nr_arcs, 1);
	assert_int_equal(single.arcs[0].from, 0);
	assert_int_equal(single.arcs[0].to, 1);
	assert_int_equal(single.arcs[0].class, SYT_CLASS_RUN_AFTER);
	syt_graph_aggregate(&sums, &single, syt_labels_nr(labels));
	assert_int_equal(sums.nr_nodes, 1);
	assert_int_equal(sums.nodes[0].nr, 2);
	assert_int_equal(sums.nodes[0].total_ns, 10 + 5);
	assert_int_equal(sums.nr_arcs, 1);
	syt_graph_near(&single, 1, false, 10, keep);
	assert_false(keep[0]);
	syt_graph_near(&single, 1, true, 10, keep);
	assert_true(keep[0]);
	keep[1] = false;
	syt_graph_select(&single, keep);
	assert_int_equal(single.nr_nodes, 1);
	assert_int_equal(single.nr_left_arcs, 1);
	syt_graph_close(&sums);
	syt_graph_close(&single);
	syt_tasks_close(&t);
	syt_labels_destroy(labels);
	syt_order_close(&o);
	syt_builder_destroy(b);
}

static void objects_are_summed_up(void **state)
{
	struct syt_object_summary *s;
	struct syt_order o;
	uint32_t nr;

	(void)state;
	contended();
	assert_int_equal(syt_order_open(&o, syt_builder_trace(b)), 0);
	s = syt_object_summaries(&o, SYT_SORT_WAIT, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(s[0].nr_threads, 2);
	assert_int_equal(s[0].nr_waits, 1);
	assert_int_equal(s[0].wait_ns, (400 - 192) / 16);
	assert_int_equal(s[0].longest.thread, 1);
	free(s);
	syt_order_close(&o);
	syt_builder_destroy(b);
}

static void backward_edges_and_cycles_are_found(void **state)
{
	struct syt_places places;
	struct syt_edges e;
	struct syt_verdict v;

	(void)state;
	b = syt_builder_create();
	p = syt_builder_image(b, 100);
	syt_builder_thread(b, p);
	syt_builder_thread(b, p);
	for (uint32_t t = 0; t < 2; t++)
		/* all events have the same time, so only the happens-before edges order them */
		for (unsigned i = 0; i < 2; i++)
			syt_builder_event(b, p, t, (struct syt_made){SYT_SHAPE_LOCK, 0, .in = 10});
	assert_int_equal(syt_places_open(&places, syt_builder_trace(b)), 0);
	syt_edges_open(&e, &places);
	assert_true(syt_edges_add(
		&e, (struct syt_edge){.from = {0, 1}, .to = {1, 0}, .kind = SYT_EDGE_MUTEX}));
	assert_true(syt_verify(&e, &v));
	assert_true(syt_edges_add(
		&e, (struct syt_edge){.from = {1, 1}, .to = {0, 0}, .kind = SYT_EDGE_MUTEX}));
	assert_false(syt_verify(&e, &v));
	assert_int_equal(v.nr_backward, 0);
	assert_true(v.nr_in_cycles > 0 && v.has_example);
	syt_edges_close(&e);
	syt_places_close(&places);
	syt_builder_destroy(b);

	contended();
	assert_int_equal(syt_places_open(&places, syt_builder_trace(b)), 0);
	syt_edges_open(&e, &places);
	assert_false(syt_edges_add(
		&e, (struct syt_edge){.from = {1, 1}, .to = {0, 0}, .kind = SYT_EDGE_MUTEX}));
	assert_int_equal(e.nr, 0);
	assert_false(syt_verify(&e, &v));
	assert_int_equal(v.nr_backward, 1);
	syt_edges_close(&e);
	syt_places_close(&places);
	syt_builder_destroy(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_run_between_points),
		cmocka_unit_test(arcs_join_tasks),
		cmocka_unit_test(objects_are_summed_up),
		cmocka_unit_test(backward_edges_and_cycles_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
