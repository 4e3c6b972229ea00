/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* decoder/request/workload*.c: models are learnt, saved, read and applied. Damaged models are rejected with line and column. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/store.h"
#include "decoder/request/distance.h"
#include "decoder/request/workload.h"
#include "tests/lib/random.h"

/* ---- populations ---- */

enum { NGINX, SHOP, REDIS, NR_COMPONENTS };
static const char *const components[NR_COMPONENTS] = {"nginx", "shop", "redis"};

/* The kinds of requests: strings with a letter for each symbol, and the CPU time of `shop`. */
#define NR_KINDS 5u
static const struct kind {
	const char *text;
	uint64_t cpu_ns, sent;
} kinds[NR_KINDS] = {{"rgqasw", 10000000, 200},
                     {"rgqaqasw", 25000000, 900},
                     {"rgcsw", 400000000, 120},
                     {"rgqaqaqalsw", 50000000, 60},
                     {"rsw", 2000000, 4000}};

/* Returns a number near MIDDLE: most are within 20 %. */
static uint64_t near(struct syt_random *r, uint64_t middle)
{
	double sum = 0;

	for (int i = 0; i < 6; i++)
		sum += (double)syt_random_below(r, 1000) / 1000 - 0.5;
	return (uint64_t)((double)middle * exp(0.15 * sum));
}

static uint32_t component(struct syt_population *p, unsigned c)
{
	return syt_text_set_add(&p->components, components[c], strlen(components[c]));
}

static int by_component(const void *a, const void *b)
{
	const struct syt_work_part *one = a, *other = b;

	return one->component < other->component ? -1 : one->component > other->component;
}

/* Adds a request of a kind, with the letters TEXT instead of its own. */
static uint64_t add_text(struct syt_population *p, struct syt_random *r, const struct kind *k,
                         const char *text, uint64_t factor)
{
	struct syt_work_part parts[NR_COMPONENTS] = {{0}};
	unsigned nr_parts = strchr(text, 'q') ? NR_COMPONENTS : NR_COMPONENTS - 1;
	uint32_t steps[100], nr = 0;

	for (; text[nr]; nr++) {
		char symbol[32];
		int bytes = snprintf(symbol, sizeof(symbol), "shop: f;g \\ %c", text[nr]);

		steps[nr] = syt_text_set_add(&p->symbols, symbol, (size_t)bytes);
	}
	for (unsigned i = 0; i < NR_COMPONENTS; i++)
		parts[i].component = component(p, i);
	parts[NGINX].amounts[SYT_RESOURCE_CPU] = SYT_AMOUNT_UNKNOWN;
	parts[NGINX].amounts[SYT_RESOURCE_SENT] = near(r, k->sent);
	parts[SHOP].amounts[SYT_RESOURCE_CPU] = factor * near(r, k->cpu_ns);
	parts[SHOP].amounts[SYT_RESOURCE_SENT] = near(r, k->sent);
	parts[SHOP].amounts[SYT_RESOURCE_FILE_CALLS] = strchr(text, 'l') ? 1 : 0;
	parts[REDIS].amounts[SYT_RESOURCE_RECEIVED] = 20;
	qsort(parts, nr_parts, sizeof(*parts), by_component);
	return syt_population_add(p, syt_population_behaviour(p, steps, nr), parts, nr_parts);
}

static void add_requests(struct syt_population *p, uint64_t seed, unsigned nr)
{
	struct syt_random r = {seed};

	for (unsigned i = 0; i < nr; i++) {
		const struct kind *k = &kinds[syt_random_below(&r, NR_KINDS)];

		add_text(p, &r, k, k->text, 1);
	}
}

/* ---- files ---- */

static char path[64];
static int file = -1;

/* Makes a file with TEXT at `path`. */
static void put_file(const char *text, size_t bytes)
{
	if (file >= 0)
		close(file);
	file = memfd_create("model", MFD_CLOEXEC);
	assert_int_equal(write(file, text, bytes), bytes);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
}

static char *read_file(void)
{
	static char text[1u << 20];
	ssize_t bytes = pread(file, text, sizeof(text) - 1, 0);

	assert_true(bytes > 0);
	text[bytes] = '\0';
	return syt_asprintf("%s", text);
}

static char *save(const struct syt_workload *w)
{
	struct syt_out o;

	put_file("", 0);
	syt_out_open(&o, file, false);
	assert_true(syt_workload_save(w, &o));
	assert_int_equal(syt_out_close(&o), 0);
	return read_file();
}

/* ---- learning ---- */

static void test_split(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 3000; i += 3)
		assert_int_equal(syt_workload_is_calibration(i) +
		                         syt_workload_is_calibration(i + 1) +
		                         syt_workload_is_calibration(i + 2),
		                 1);
}

static void test_learn(void **state)
{
	struct syt_population p = {.nr_members = 0};
	struct syt_workload w;

	(void)state;
	add_requests(&p, 1, 900);
	syt_workload_learn(&w, &p);
	assert_int_equal(w.nr_requests, 900);
	assert_int_equal(w.nr_behaviours, NR_KINDS);
	assert_int_equal(w.nr_once, 0);
	assert_int_equal(w.nr_clusters, NR_KINDS);
	assert_int_equal(w.nr_learnt, NR_KINDS);
	assert_int_equal(w.calibration.kinds[SYT_ODD_STRUCTURE].total, 300);
	assert_int_equal(w.calibration.kinds[SYT_ODD_AMOUNT].total, 300);
	assert_int_equal(w.calibration.kinds[SYT_ODD_CPU].total, 300);
	assert_int_equal(w.calibration.joint.total, 300);
	assert_int_equal(w.automaton.states[0].visits, 600);
	assert_string_equal(w.known.components.all[0], "nginx");
	for (uint32_t i = 0; i < w.nr_clusters; i++) {
		const struct syt_workload_part *shop = &w.parts[w.clusters[i].first_part + 2];
		const struct syt_member *m = &w.known.members[i];
		uint32_t nr = w.known.behaviours[m->behaviour].nr, k = 0;

		while (strlen(kinds[k].text) != nr)
			k++;
		shop -= w.clusters[i].nr_parts < NR_COMPONENTS;
		assert_string_equal(w.known.components.all[shop->component], "shop");
		assert_true(fabs(shop->norms[SYT_RESOURCE_CPU].median -
		                 syt_amount_log(SYT_RESOURCE_CPU, kinds[k].cpu_ns)) < 0.05);
		assert_in_range(shop->norms[SYT_RESOURCE_CPU].mad * 1000, 40, 110);
		assert_true(w.parts[w.clusters[i].first_part].norms[SYT_RESOURCE_CPU].median < 0);
	}
	syt_workload_close(&w);
	syt_population_close(&p);
}

static void test_unseen(void **state)
{
	struct syt_population p = {.nr_members = 0};
	struct syt_random r = {1};
	struct syt_workload w;

	(void)state;
	add_requests(&p, 1, 98);
	add_text(&p, &r, &kinds[0], "xyz", 1);
	add_text(&p, &r, &kinds[0], "zyx", 1);
	syt_workload_learn(&w, &p);
	assert_true(syt_workload_unseen(&w) == 0.02);
	syt_workload_close(&w);
	syt_population_close(&p);
	syt_workload_learn(&w, &p);
	assert_true(syt_workload_unseen(&w) == 0);
	syt_workload_close(&w);
}

/* ---- saving ---- */

static void test_save(void **state)
{
	struct syt_population p = {.nr_members = 0};
	struct syt_workload w, again;
	char *text, *other;

	(void)state;
	add_requests(&p, 1, 900);
	syt_workload_learn(&w, &p);
	text = save(&w);
	assert_true(syt_workload_read(&again, path));
	other = save(&again);
	assert_string_equal(text, other);
	assert_non_null(strstr(text, "\nsymbol\tshop: f;g \\x5c a\n"));
	syt_workload_close(&again);
	syt_workload_close(&w);
	free(other);
	free(text);
	syt_population_close(&p);
	/* an empty model */
	syt_workload_learn(&w, &p);
	text = save(&w);
	assert_string_equal(text, "syntrace-workload 1\nrequests\t0\t0\t0\t0\nstate\t0\t0\n");
	assert_true(syt_workload_read(&again, path));
	syt_workload_close(&again);
	syt_workload_close(&w);
	free(text);
}

/* The numbers of symbols, components and behaviours do not affect a model. */
static void test_numbers(void **state)
{
	struct syt_population p = {.nr_members = 0}, other = {.nr_members = 0};
	struct syt_workload w;
	char *expected, *text;

	(void)state;
	for (unsigned i = NR_COMPONENTS; i--;)
		component(&other, i);
	for (const char *c = "wlacsqgrx"; *c; c++) {
		char symbol[32];
		int bytes = snprintf(symbol, sizeof(symbol), "shop: f;g \\ %c", *c);

		syt_text_set_add(&other.symbols, symbol, (size_t)bytes);
	}
	add_requests(&p, 1, 300);
	add_requests(&other, 1, 300);
	syt_workload_learn(&w, &p);
	expected = save(&w);
	syt_workload_close(&w);
	syt_workload_learn(&w, &other);
	text = save(&w);
	assert_string_equal(text, expected);
	free(text);
	free(expected);
	syt_workload_close(&w);
	syt_population_close(&p);
	syt_population_close(&other);
}

/* ---- damaged models ---- */

#define BEGIN "syntrace-workload 1\nrequests\t9\t1\t0\t0\n"
static bool read_model(void)
{
	struct syt_workload w;
	char *before, *after;

	if (!syt_workload_read(&w, path))
		return false;
	before = read_file();
	after = save(&w);
	assert_string_equal(after, before);
	free(before);
	free(after);
	syt_workload_close(&w);
	return true;
}

static bool read_strings(void)
{
	struct syt_population p = {.nr_members = 0};
	bool is_good = syt_population_read_strings(&p, path);

	syt_population_close(&p);
	return is_good;
}

static bool read_labels(void)
{
	struct syt_request_labels l;
	bool is_good = syt_request_labels_read(&l, path);

	syt_request_labels_close(&l);
	return is_good;
}

/* Checks that READ accepts TEXT, or that it prints MESSAGE. */
static void check_message(bool (*read)(void), const char *text, const char *message)
{
	int messages = memfd_create("messages", MFD_CLOEXEC), old = dup(2);
	char printed[400] = "";
	bool is_good;

	put_file(text, strlen(text));
	dup2(messages, 2);
	is_good = read();
	dup2(old, 2);
	assert_true(pread(messages, printed, sizeof(printed) - 1, 0) >= 0);
	close(messages);
	close(old);
	if (is_good != !message || (message && !strstr(printed, message)))
		fail_msg("%.100s: %s", text, printed);
}

#define NAMES                                                                                      \
	BEGIN "symbol\ta\nsymbol\tb\ncomponent\tc\t0.000000\t1.500000\t0.000000\t0.000000\t0."     \
	      "000000\n"
#define WORK                                                                                       \
	"\t-\t5\t0\t0\t0\t-\t1.000000\t0.000000\t0.000000\t0.000000\t-\t0.500000\t0.000000\t0."    \
	"000000\t0.000000\n"
#define END "state\t0\t0\n"

static void test_damaged(void **state)
{
	static const struct {
		const char *text, *message; /* message: NULL if the model is right */
	} cases[] = {
		{BEGIN END, NULL},
		{NAMES END, NULL},
		{NAMES "cluster\t6\t0 1\nwork\t0" WORK "cluster\t3\t\nbehaviour\t6\t0 1\n" END,
	         NULL},
		{NAMES "state\t9\t0\nto\t0\t1\t4\nto\t1\t0\t5\nstate\t4\t4\n", NULL},
		{NAMES END "structure-score\t0\t7\nstructure-score\t8\t1\nwork-score\t3\t8\n",
	         NULL},
		{"", ":1:1: the file is not a model"},
		{"syntrace-workload 2\n", ":1:1: the file is not a model"},
		{"syntrace-workload 1\n", "the model has no state"},
		{"syntrace-workload 1\n" END, ":2:1: the line is not in its place"},
		{BEGIN, "the model has no state"},
		{BEGIN BEGIN, ":3:1: unknown word"},
		{BEGIN "requests\t9\t1\t0\t0\n", ":3:1: the line is not in its place"},
		{BEGIN END "symbol\ta\n", ":4:1: the line is not in its place"},
		{"syntrace-workload 1\nrequests\t-9\t1\t0\n", ":2:10: expected a number"},
		{"syntrace-workload 1\nrequests\tnan\t1\t0\n", ":2:10: expected a number"},
		{"syntrace-workload 1\nrequests\t9\t10\t0\n", "the number is too large"},
		{"syntrace-workload 1\nrequests\t09\t1\t0\n", "begins with 0"},
		{"syntrace-workload 1\nrequests\t99999999999999999999999\t1\t0\n", "too large"},
		{"syntrace-workload 1\nrequests\t9\t1\t0\t0\t\n", "expected the end of the line"},
		{"syntrace-workload 1\nrequests\t9 1\t0\n", ":2:11: expected a tab"},
		{BEGIN "symbol\tb\nsymbol\ta\n", "the names are not sorted"},
		{BEGIN "symbol\ta\nsymbol\ta\n", "the names are not sorted"},
		{BEGIN "symbol\ta\\x0\n", ":3:9: a byte is not escaped"},
		{BEGIN "symbol\ta\\x00\n", ":3:9: a byte is not escaped"},
		{BEGIN "symbol\ta\\x41\n", ":3:9: a byte is not escaped"},
		{BEGIN "symbol\ta\\x0A\n", ":3:9: a byte is not escaped"},
		{BEGIN "symbol\ta\x7f\n", ":3:9: a byte is not escaped"},
		{BEGIN "component\tc\t1.5\n", "expected six decimals"},
		{BEGIN "component\tc\t1\n", "expected a point"},
		{BEGIN "component\tc\tinf\n", "expected a number"},
		{BEGIN "component\tc\t1000.000000\n", "the number is too large"},
		{NAMES "cluster\t6\t0 2\n", "the number is too large"},
		{NAMES "cluster\t6\t0  1\n", "expected a number"},
		{NAMES "cluster\t6\n", "expected a tab"},
		{NAMES "cluster\t6\t0\ncluster\t7\t1\n", "the clusters are not sorted"},
		{NAMES "work\t0" WORK, "the work belongs to no cluster"},
		{NAMES "cluster\t6\t0\nwork\t1" WORK, "the number is too large"},
		{NAMES "cluster\t6\t0\nwork\t0" WORK "work\t0" WORK,
	         "the components are not sorted"},
		{NAMES "behaviour\t1\t0\n", "the behaviour is too rare"},
		{NAMES "behaviour\t2\t0 1\nbehaviour\t2\t0\n", "the behaviours are not sorted"},
		{NAMES "to\t0\t0\t1\n", "the transition belongs to no state"},
		{NAMES "state\t1\t2\n", "the number is too large"},
		{NAMES "state\t2\t1\nto\t0\t0\t2\n", "the number is too large"},
		{NAMES "state\t2\t1\nto\t0\t1\t1\n",
	         ":7:1: the model has no state with this number"},
		{NAMES "state\t3\t1\nto\t0\t0\t1\n", "the sum of its ends"},
		{NAMES "state\t3\t1\nto\t0\t0\t1\nto\t0\t0\t1\n", "the transitions are not sorted"},
		{NAMES "state\t3\t1\nto\t0\t0\t0\n", "no request took the transition"},
		{NAMES END "work-score\t5\t1\nwork-score\t5\t1\n", "the scores are not sorted"},
		{NAMES END "work-score\t5\t0\n", "no request has the score"},
		{NAMES END "work-score\t5\t1\nstructure-score\t5\t1\n", "not in its place"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_message(read_model, cases[i].text, cases[i].message);
}

static void test_damaged_strings(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", NULL},
		{"a b\n\n \tc  a", NULL},
		{"a\nb \x01\n", ":2:3: the line contains a control character"},
		{"a\nb \xff\n", ":2:3: the line contains invalid UTF-8"},
		{"a b\r\n", ":1:4: the line contains a control character"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_message(read_strings, cases[i].text, cases[i].message);
}

static void test_damaged_labels(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", NULL},
		{"# comment\n\n1\ta\n18446744073709551615\tb\tc", NULL},
		{"1\ta\n2 b\n", ":2:4: the line is not a number, a tab and a label"},
		{"1\ta\n\tb\n", ":2:1: the line does not begin with the number of a request"},
		{"0\ta\n", ":1:1: the line does not begin with the number of a request"},
		{"-1\ta\n", ":1:1: the line does not begin with the number of a request"},
		{"nan\ta\n", ":1:1: the line does not begin with the number of a request"},
		{"18446744073709551616\ta\n", ":1:1: the line does not begin with the number"},
		{"1\ta\n12\t\n", ":2:4: the label is empty"},
		{"1\ta\n2\tb\x7f\xc0\n", ":2:5: the line contains invalid UTF-8"},
		{"1\ta\n2\tb\x01\n", ":2:4: the line contains a control character"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_message(read_labels, cases[i].text, cases[i].message);
}

/* Files beyond a limit: the message names the place where the limit is exceeded. */
static void test_limits(void **state)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	(void)state;
	for (unsigned i = 0; i <= SYT_WORKLOAD_STEPS; i++)
		fputs("a ", f);
	fclose(f);
	check_message(read_strings, text, ":1:200001: the line has too many symbols");
	free(text);
	f = open_memstream(&text, &bytes);
	for (unsigned i = 0; i <= SYT_WORKLOAD_SYMBOLS; i++)
		fprintf(f, "%06u %06u\n", i, i);
	fclose(f);
	check_message(read_strings, text, ":100001:1: the file has too many different symbols");
	for (char *at = text; (at = strchr(at, ' '));)
		*at = '\t';
	text[5] = '1'; /* 0 is the number of no request */
	check_message(read_labels, text, ":100001:8: the file has too many different labels");
	free(text);
}

/* ---- scores ---- */

static struct syt_workload_score score(const struct syt_workload *w, const struct syt_population *p,
                                       uint64_t member)
{
	struct syt_workload_scorer s;
	struct syt_workload_score x;

	syt_workload_scorer_open(&s, w, p);
	x = syt_workload_score(&s, member, false);
	syt_workload_scorer_close(&s);
	return x;
}

/* The four faults of a shop, in a population with other numbers. */
static void test_faults(void **state)
{
	struct syt_population p = {.nr_members = 0}, run = {.nr_members = 0};
	struct syt_random r = {4};
	struct syt_workload learnt, w;
	struct syt_workload_score x;

	(void)state;
	add_requests(&p, 1, 3000);
	syt_workload_learn(&learnt, &p);
	free(save(&learnt));
	assert_true(syt_workload_read(&w, path));
	add_text(&run, &r, &kinds[0], "rgqasw", 1);
	add_text(&run, &r, &kinds[0], "rgzqasw", 1);      /* a sleep */
	add_text(&run, &r, &kinds[0], "rgqasfw", 1);      /* a file read */
	add_text(&run, &r, &kinds[0], "rgqaqaqaqasw", 1); /* one more query: two more steps */
	add_text(&run, &r, &kinds[0], "rgqasw", 100);     /* a computation */
	x = score(&w, &run, 0);
	assert_true(x.is_learnt && !x.structure.score);
	assert_true(x.rank.p > 0.01);
	assert_int_equal(w.known.behaviours[w.known.members[x.cluster].behaviour].nr, 6);
	x = score(&w, &run, 1);
	assert_int_equal(x.structure.step, 2);
	assert_int_equal(x.structure.change, SYT_ODD_EXTRA);
	assert_true(x.rank.p == 1.0 / 1001 && x.rank.kind == SYT_ODD_STRUCTURE);
	assert_int_equal(x.nearest, score(&w, &run, 0).nearest);
	x = score(&w, &run, 2);
	assert_int_equal(x.structure.step, 5);
	assert_true(x.rank.p == 1.0 / 1001 && x.rank.kind == SYT_ODD_STRUCTURE);
	x = score(&w, &run, 3);
	assert_true(x.structure.score && x.rank.p == 1.0 / 1001 &&
	            x.rank.kind == SYT_ODD_STRUCTURE);
	x = score(&w, &run, 4);
	assert_int_equal(x.structure.score, 0);
	assert_true(x.rank.p == 1.0 / 1001 && x.rank.kind == SYT_ODD_CPU);
	assert_string_equal(run.components.all[x.component], "shop");
	assert_int_equal(x.resource, SYT_RESOURCE_CPU);
	/* the model in memory gives the same scores */
	for (uint64_t i = 0; i < run.nr_members; i++) {
		struct syt_workload_score y = score(&learnt, &run, i);

		x = score(&w, &run, i);
		assert_true(x.work == y.work && x.structure.score == y.structure.score &&
		            x.distance == y.distance && x.nearest == y.nearest);
	}
	syt_workload_close(&learnt);
	syt_workload_close(&w);
	syt_population_close(&p);
	syt_population_close(&run);
}

/* p is uniform for the requests of an unchanged workload. */
static void test_uniform(void **state)
{
	unsigned nr_low[11] = {0}, nr = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct syt_population p = {.nr_members = 0}, run = {.nr_members = 0};
		struct syt_workload_scorer s;
		struct syt_workload w;
		uint64_t *order;

		add_requests(&p, seed, 900);
		add_requests(&run, seed + 1000, 500);
		syt_workload_learn(&w, &p);
		syt_workload_scorer_open(&s, &w, &run);
		order = syt_workload_order(&run);
		for (uint64_t i = 0; i < run.nr_members; i++, nr++) {
			struct syt_workload_score x = syt_workload_score(&s, order[i], false);

			assert_true(x.cluster != SYT_WORKLOAD_NONE && !x.structure.score);
			for (unsigned k = 1; k <= 10; k++)
				nr_low[k] += x.rank.p <= k / 10.0;
		}
		syt_workload_scorer_close(&s);
		syt_workload_close(&w);
		syt_population_close(&p);
		syt_population_close(&run);
		syt_store_free(order);
	}
	for (unsigned k = 1; k <= 10; k++) {
		print_message("p <= %.1f: %.4f\n", k / 10.0, (double)nr_low[k] / nr);
		assert_true((double)nr_low[k] / nr < k / 10.0 + 0.01);
		/* no amount exceeds its median by much in a quarter of the requests: all structures are equal, and p = 1 */
		if (k <= 6)
			assert_true((double)nr_low[k] / nr > k / 10.0 - 0.01);
	}
}

/* Adds a run. Its CPU times differ from those of other runs by up to 30 %, as on a machine with another load. */
static void add_run(struct syt_population *p, struct syt_random *r, unsigned nr, bool is_declared)
{
	uint64_t percent = 70 + syt_random_below(r, 61);

	if (is_declared)
		syt_population_begin_run(p);
	while (nr--) {
		struct kind k = kinds[syt_random_below(r, NR_KINDS)];

		k.cpu_ns = k.cpu_ns * percent / 100;
		add_text(p, r, &k, k.text, 1);
	}
}

enum { NR_OF_RUN = 300, ONE_IN = 20, NR_ROUNDS = 100 };

/* Returns the share of the requests of new runs that are findings of models of NR_RUNS runs. */
static double share_of_new_runs(unsigned nr_runs, bool is_declared)
{
	struct syt_random r = {77};
	unsigned nr = 0;

	for (unsigned round = 0; round < NR_ROUNDS; round++) {
		struct syt_population p = {.nr_members = 0}, run = {.nr_members = 0};
		struct syt_workload_scorer s;
		struct syt_workload w;

		for (unsigned i = 0; i < nr_runs; i++)
			add_run(&p, &r, NR_OF_RUN, is_declared);
		add_run(&run, &r, NR_OF_RUN, true);
		syt_workload_learn(&w, &p);
		assert_int_equal(w.calibration.joint.total,
		                 nr_runs * NR_OF_RUN / (is_declared ? 1 : 3));
		syt_workload_scorer_open(&s, &w, &run);
		for (uint64_t i = 0; i < run.nr_members; i++)
			nr += syt_workload_score(&s, i, false).rank.p * ONE_IN <= 1;
		syt_workload_scorer_close(&s);
		syt_workload_close(&w);
		syt_population_close(&p);
		syt_population_close(&run);
	}
	return (double)nr / NR_OF_RUN / NR_ROUNDS;
}

/* The calibration of a model of several runs contains the variation between runs. Requests of the runs themselves are more alike:
 * if the model does not know the runs, there are too many findings. */
static void test_runs(void **state)
{
	(void)state;
	for (unsigned nr_runs = 3; nr_runs <= 6; nr_runs += 3) {
		double share = share_of_new_runs(nr_runs, true);
		double without = share_of_new_runs(nr_runs, false);

		print_message("%u runs: %.4f findings, %.4f without runs\n", nr_runs, share,
		              without);
		assert_true(share < 1.2 / ONE_IN && share > 0.2 / ONE_IN);
		assert_true(without > share);
	}
}

/* A request whose CPU time is near that of one request of the model: the amounts of this one say nothing about the usual amounts. */
static void test_load(void **state)
{
	struct syt_population p = {.nr_members = 0}, run = {.nr_members = 0};
	struct syt_random r = {79};
	struct kind k = {"rsw", 300000, 0};
	struct syt_workload_score x;
	struct syt_workload w;

	(void)state;
	for (unsigned i = 0; i < 900; i++) {
		if (i % 300 == 0)
			syt_population_begin_run(&p);
		k.sent = 100 + syt_random_below(&r, 300);
		add_text(&p, &r, &k, k.text, 1);
	}
	k.sent = 60;
	add_text(&p, &r, &k, k.text, 100);
	syt_workload_learn(&w, &p);
	assert_true(w.nr_clusters > 1);
	k.sent = 200;
	add_text(&run, &r, &k, k.text, 100);
	x = score(&w, &run, 0);
	assert_int_equal(w.clusters[x.nearest].count, 1);
	assert_true(x.odd.scores[SYT_ODD_CPU] > 10000 && x.rank.p == 1.0 / 902);
	assert_true(x.odd.scores[SYT_ODD_AMOUNT] < 2000);
	syt_workload_close(&w);
	syt_population_close(&p);
	syt_population_close(&run);
}

/* If one run has most of the requests, a model of the other runs knows too little. */
static void test_unequal_runs(void **state)
{
	struct syt_population p = {.nr_members = 0};
	struct syt_random r = {78};
	struct syt_workload w;

	(void)state;
	add_run(&p, &r, 900, true);
	add_run(&p, &r, 90, true);
	syt_workload_learn(&w, &p);
	assert_int_equal(w.calibration.joint.total, 330);
	syt_workload_close(&w);
	add_run(&p, &r, 390, true);
	syt_workload_learn(&w, &p);
	assert_int_equal(w.calibration.joint.total, 1380);
	syt_workload_close(&w);
	syt_population_close(&p);
}

/* Bounds and caches do not affect the nearest cluster. */
static void test_nearest(void **state)
{
	struct syt_population p = {.nr_members = 0}, run = {.nr_members = 0};
	struct syt_random r = {9};
	struct syt_workload_scorer s;
	struct syt_workload w;

	(void)state;
	for (unsigned i = 0; i < 600; i++) {
		char text[40] = "";
		unsigned nr = (unsigned)syt_random_below(&r, 12);

		for (unsigned j = 0; j < nr; j++)
			text[j] = "qgl"[syt_random_below(&r, 3)];
		add_text(i % 2 ? &p : &run, &r, &kinds[i % NR_KINDS], text, 1);
	}
	syt_workload_learn(&w, &p);
	syt_workload_scorer_open(&s, &w, &run);
	for (uint64_t i = 0; i < run.nr_members; i++) {
		struct syt_workload_score x = syt_workload_score(&s, i, false);
		struct syt_workload_score y = score(&w, &run, i);

		assert_true(x.nearest == y.nearest && x.distance == y.distance);
		assert_true((x.cluster == SYT_WORKLOAD_NONE) == (x.distance > 0.25));
	}
	syt_workload_scorer_close(&s);
	syt_workload_close(&w);
	syt_population_close(&p);
	syt_population_close(&run);
}

/* The text of the learnt model shrinks to the limits: long strings lose their ends. */
static void test_long(void **state)
{
	struct syt_population p = {.nr_members = 0};
	uint32_t *steps = syt_calloc(SYT_WORKLOAD_STEPS + 5, sizeof(*steps)), symbol, behaviour;
	struct syt_workload w, again;
	struct syt_out o;

	(void)state;
	symbol = syt_text_set_add(&p.symbols, "a", 1);
	assert_int_equal(symbol, 0);
	behaviour = syt_population_behaviour(&p, steps, SYT_WORKLOAD_STEPS + 5);
	for (unsigned i = 0; i < 30; i++)
		syt_population_add(&p, behaviour, NULL, 0);
	syt_workload_learn(&w, &p);
	assert_int_equal(w.nr_learnt, 0);
	assert_int_equal(w.automaton.nr_left_out, 1);
	put_file("", 0);
	syt_out_open(&o, file, false);
	assert_true(syt_workload_save(&w, &o));
	assert_int_equal(syt_out_close(&o), 0);
	assert_true(syt_workload_read(&again, path));
	assert_int_equal(again.known.behaviours[0].nr, SYT_WORKLOAD_STEPS);
	syt_workload_close(&again);
	syt_workload_close(&w);
	syt_population_close(&p);
	free(steps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),          cmocka_unit_test(test_learn),
		cmocka_unit_test(test_unseen),         cmocka_unit_test(test_save),
		cmocka_unit_test(test_numbers),        cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_faults),         cmocka_unit_test(test_uniform),
		cmocka_unit_test(test_runs),           cmocka_unit_test(test_load),
		cmocka_unit_test(test_unequal_runs),   cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_long),           cmocka_unit_test(test_damaged_strings),
		cmocka_unit_test(test_damaged_labels), cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
