/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/check/check_hosts.c: a sound placement of two simulated hosts, and each way in which a placement contradicts itself or
 * the events. */
#include "decoder/host/certain.h"
#include "decoder/host/join.h"
#include "tests/unit/host-network.h"
#include "tests/unit/invariant-check.h"

#define DURATION (600 * SIM_SECOND)

/* A trace with an edge between two hosts, and the placement of the hosts. */
static struct {
	struct net n;
	struct syt_order order;
	struct syt_trace_data *trace;
	struct syt_hosts hosts;
	struct syt_host_info all[2];
	uint32_t of_image[2];
	struct syt_edge edge;
} s;

static void make(void)
{
	struct syt_host_options options = {.reference = SYT_HOST_NONE};
	uint32_t q;

	s.n = net_create(2, 3);
	net_talk(&s.n, 0, 1,
	         &(struct sim_traffic){SIM_QUIET, SIM_QUIET, 0, DURATION, SIM_SECOND, 0});
	net_place(&s.n, &options);
	assert_int_equal(s.n.p->nr_components, 1);
	start(1);
	q = syt_builder_image(b, 200);
	syt_builder_thread(b, q);
	on(0, SYT_SHAPE_LOCK, 0, 1000, 1000);
	syt_builder_event(b, q, 0, (struct syt_made){SYT_SHAPE_LOCK, .in = 2000, .out = 2000});
	s.trace = syt_builder_trace(b);
	s.of_image[0] = 0;
	s.of_image[1] = 1;
	snprintf(s.all[0].name, sizeof(s.all[0].name), "web");
	snprintf(s.all[1].name, sizeof(s.all[1].name), "db");
	s.hosts = (struct syt_hosts){.nr = 2,
	                             .nr_images = 2,
	                             .all = s.all,
	                             .of_image = s.of_image,
	                             .placement = s.n.p,
	                             .certain = syt_certain_create(s.n.p)};
	assert_int_equal(syt_order_open(&s.order, s.trace), 0);
	s.trace->hosts = &s.hosts;
	assert_int_equal(s.order.edges.nr, 0);
	s.edge = (struct syt_edge){.from = {0, 0}, .to = {1, 0}, .object = SYT_NONE};
	s.order.edges.all = &s.edge;
	s.order.edges.nr = 1;
}

/* Checks the trace and destroys it. WHAT is the violation, or NULL. */
static void judge(const char *what)
{
	const struct syt_invariant *i = syt_invariants;
	struct syt_check c;

	while (strcmp(i->name, "hosts"))
		i++;
	syt_check_run(&c, i, &s.order, 1);
	assert_false(c.is_void);
	assert_int_equal(c.nr_checked, 1);
	assert_int_equal(c.nr_violations, what ? 1 : 0);
	if (what)
		assert_string_equal(c.findings[0].what, what);
	syt_check_close(&c);
	s.trace->hosts = NULL;
	s.order.edges.all = NULL;
	s.order.edges.nr = 0;
	syt_order_close(&s.order);
	syt_certain_destroy(s.hosts.certain);
	syt_builder_destroy(b);
	net_free(&s.n);
}

static void sound(void **state)
{
	(void)state;
	make();
	judge(NULL);
}

static void backward_edge(void **state)
{
	(void)state;
	make();
	s.edge = (struct syt_edge){.from = {1, 0}, .to = {0, 0}, .object = SYT_NONE};
	judge("on the joined time axis, the first event is after the second event, which it "
	      "precedes");
}

static void refused_edge(void **state)
{
	(void)state;
	make();
	s.order.edges.nr_defects = 1;
	s.order.edges.first_defect =
		(struct syt_edge){.from = {1, 0}, .to = {0, 0}, .object = SYT_NONE};
	judge("on the joined time axis, the first event is after the second event, which it "
	      "precedes");
}

static void falling_clock(void **state)
{
	struct syt_host_clock *clock;

	(void)state;
	make();
	clock = &s.n.p->clocks[1];
	clock->slopes[0] = -clock->slopes[0];
	judge("the clock map of host db does not increase");
}

/* The map of a host does not meet the axis at the end of a segment. */
static void broken_clock(void **state)
{
	(void)state;
	make();
	s.n.p->clocks[0].local_ns[0] += 50;
	judge("the clock map of host web does not increase");
}

static void wrong_bound(void **state)
{
	(void)state;
	make();
	s.n.p->pair_segments[0].bounds_ns[0] = 10;
	judge("the offset between the hosts web and db is outside of its bounds in segment 0");
}

static void one_host(void **state)
{
	const struct syt_invariant *i = syt_invariants;
	struct syt_order o;
	struct syt_check c;

	(void)state;
	while (strcmp(i->name, "hosts"))
		i++;
	start(1);
	on(0, SYT_SHAPE_LOCK, 0, 10, 20);
	assert_int_equal(syt_order_open(&o, syt_builder_trace(b)), 0);
	syt_check_run(&c, i, &o, 1);
	assert_true(c.is_void);
	assert_int_equal(c.nr_checked, 0);
	syt_check_close(&c);
	syt_order_close(&o);
	syt_builder_destroy(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound),        cmocka_unit_test(backward_edge),
		cmocka_unit_test(refused_edge), cmocka_unit_test(falling_clock),
		cmocka_unit_test(broken_clock), cmocka_unit_test(wrong_bound),
		cmocka_unit_test(one_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
