/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/report/page/page.h: the parts of the page share what they need of the whole trace. */
#include "decoder/analysis/request.h"
#include "decoder/report/page/page.h"
#include "tests/unit/report-check.h"

#define NR_REQUESTS 40u

/* The linker gives these functions the calls of the originals (-Wl,--wrap). */
void __real_syt_requests_open(struct syt_requests *r, const struct syt_order *o);
void __wrap_syt_requests_open(struct syt_requests *r, const struct syt_order *o);
static unsigned nr_opened;

void __wrap_syt_requests_open(struct syt_requests *r, const struct syt_order *o)
{
	nr_opened++;
	__real_syt_requests_open(r, o);
}

static void moves(enum syt_shape shape, uint32_t o, syt_time at, uint64_t offset)
{
	made(0, (struct syt_made){shape, o, .in = at, .out = at + 5, .result = 10, .offset = offset,
	                          .bytes = 10});
}

/* Returns the page of a server that answered NR requests. The decoder may use NR_WORKERS threads. */
static char *page_of(unsigned nr, unsigned nr_workers)
{
	struct syt_symbols *symbols = syt_symbols_create(false);
	struct syt_html_content content;
	struct syt_trace_data trace;
	struct syt_out out;
	uint32_t o;
	char *text;

	start(1);
	o = syt_builder_object(b, p, SYT_KIND_STREAM, 11, 0, SYT_OBJECT_SHARED);
	made(0, (struct syt_made){SYT_SHAPE_ACCEPT, o, .out = 5, .result = 5});
	for (unsigned i = 0; i < nr; i++) {
		moves(SYT_SHAPE_RECV, o, 100 * i + 10, 10 * i);
		moves(SYT_SHAPE_SEND, o, 100 * i + 50, 10 * i);
	}
	trace = *syt_builder_trace(b);
	trace.nr_workers = nr_workers;
	assert_int_equal(syt_order_open(&order, &trace), 0);
	syt_out_open(&out, -1, false);
	nr_opened = 0;
	syt_html_write(&out, &order, symbols, &content);
	text = syt_out_take(&out);
	syt_out_close(&out);
	syt_order_close(&order);
	syt_symbols_destroy(symbols);
	syt_builder_destroy(b);
	return text;
}

static void requests_are_found_once(void **state)
{
	char *text = page_of(NR_REQUESTS, 1);

	(void)state;
	assert_non_null(strstr(text, "\"counted\":40,"));   /* the list of critical-path */
	assert_non_null(strstr(text, "\"clustered\":40,")); /* the clusters of requests */
	assert_int_equal(nr_opened, 1);
	free(text);
}

/* The model is made beside the other parts. */
static void threads_change_nothing(void **state)
{
	char *one = page_of(NR_REQUESTS, 1), *two = page_of(NR_REQUESTS, 2);

	(void)state;
	assert_non_null(strstr(one, "<section id=\"model\""));
	assert_string_equal(one, two);
	free(one);
	free(two);
}

static void no_request(void **state)
{
	char *text = page_of(0, 1);

	(void)state;
	assert_non_null(strstr(text, "\"requests\":null"));
	assert_non_null(strstr(text, "\"extents\":null"));
	assert_int_equal(nr_opened, 1);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_found_once),
		cmocka_unit_test(threads_change_nothing),
		cmocka_unit_test(no_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
