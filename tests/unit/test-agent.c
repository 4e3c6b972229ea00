/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The choices of a policy, and the spool of the agent after each kind of sudden end. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "tool/agent_policy.h"
#include "tool/agent_spool.h"

static char dir[] = "/tmp/syntrace-test-agent.XXXXXX";

static char *below(const char *name)
{
	return syt_asprintf("%s/%s", dir, name);
}

static void put(const char *name, const char *text)
{
	char *path = below(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	free(path);
}

static bool exists(const char *name)
{
	char *path = below(name);
	bool is_there = !access(path, F_OK);

	free(path);
	return is_there;
}

/* ---- the policy ---- */

static bool read_policy(struct syt_policy *p, const char *text, int64_t now_s)
{
	char *path = below("policy");
	bool is_valid;

	put("policy", text);
	is_valid = syt_policy_read(p, path, now_s, true);
	free(path);
	return is_valid;
}

static void policy(void **state)
{
	struct syt_policy p;
	struct stat st;
	char *path = below("policy");

	(void)state;
	assert_true(read_policy(&p,
	                        "# the fleet\n\np_host 0.25\nperiod 60\nlength 0.5\nbudget 0.01\n"
	                        "seed 7\nlater 1\nstop cart 4.2 beta\nstop cart2 1\n",
	                        0));
	assert_true(p.p_host == 0.25 && p.period_s == 60 && p.length_s == 0.5);
	assert_true(p.budget == 0.01 && p.seed == 7);
	assert_true(syt_policy_stops(&p, "cart", "4.2 beta"));
	assert_false(syt_policy_stops(&p, "cart", "4.2"));
	assert_false(syt_policy_stops(&p, "cart", "1"));
	syt_policy_clear(&p);
	assert_true(read_policy(&p, "stop\n", 0));
	assert_true(p.p_host == 0.01 && syt_policy_stops(&p, "any", "1"));
	syt_policy_clear(&p);
	assert_int_equal(stat(path, &st), 0);
	assert_true(syt_policy_read(&p, path, st.st_mtime + SYT_POLICY_AGE_S, true));
	assert_false(syt_policy_read(&p, path, st.st_mtime + SYT_POLICY_AGE_S + 1, true));
	for (unsigned n = 0; n < 5; n++) {
		static const char *const wrong[] = {"p_host 0\n", "p_host 1.5\n", "period x\n",
		                                    "budget -1\n", "p_host\n"};

		assert_false(read_policy(&p, wrong[n], 0));
		syt_policy_clear(&p);
	}
	unlink(path);
	assert_false(syt_policy_read(&p, path, 0, true));
	free(path);
}

/* Two services are chosen with p_host, independently, at instants of the whole slot. */
static void choices(void **state)
{
	const struct syt_policy p = {.p_host = 0.05, .period_s = 100},
				other = {.p_host = 0.05, .period_s = 100, .seed = 1};
	const unsigned nr = 100000;
	unsigned nr_cart = 0, nr_both = 0, nr_other = 0;
	double sum = 0, squares = 0, at, again;

	(void)state;
	for (uint64_t slot = 0; slot < nr; slot++) {
		bool is_cart = syt_policy_chooses(&p, "web-1", "cart", slot, &at);

		nr_cart += is_cart;
		if (!is_cart)
			continue;
		assert_true(at >= 0 && at < 100);
		sum += at;
		squares += at * at;
		assert_true(syt_policy_chooses(&p, "web-1", "cart", slot, &again) && again == at);
		nr_both += syt_policy_chooses(&p, "web-2", "cart", slot, &again);
		nr_other += syt_policy_chooses(&other, "web-1", "cart", slot, &again);
	}
	/* 5000 with a standard deviation of 69, 250 with one of 15; the instants are uniform: 50, and 10000 / 12 */
	assert_in_range(nr_cart, 4650, 5350);
	assert_in_range(nr_both, 170, 330);
	assert_in_range(nr_other, 170, 330);
	assert_true(fabs(sum / nr_cart - 50) < 3);
	assert_true(fabs(squares / nr_cart - 10000. / 3) < 250);
}

/* ---- the spool ---- */

static const char *const ids[] = {
	"00000000000000000000000000000000", "11111111111111111111111111111111",
	"22222222222222222222222222222222", "33333333333333333333333333333333"};

static void open_spool(struct syt_spool *s, uint64_t most)
{
	char *path = below("spool");

	assert_true(syt_spool_open(s, path, most));
	free(path);
}

static bool has_window(unsigned n)
{
	char *name = syt_asprintf("spool/%s.jsonl.gz", ids[n]);
	bool is_there = exists(name);

	free(name);
	return is_there;
}

/* Puts a window of 100 bytes that is N seconds younger than the first one. */
static bool put_window(struct syt_spool *s, unsigned n)
{
	const struct timespec times[2] = {{1000 + n, 0}, {1000 + n, 0}};
	char text[101], *path;
	bool is_done;

	memset(text, 'x', 100);
	text[100] = 0;
	path = syt_asprintf("%s/w", s->work + strlen(dir) + 1);
	put(path, text);
	free(path);
	is_done = syt_spool_put(s, "w", ids[n]);
	path = syt_asprintf("%s/spool/%s.jsonl.gz", dir, ids[n]);
	utimensat(AT_FDCWD, path, times, 0);
	free(path);
	return is_done;
}

static void state_is_kept(void **state)
{
	struct syt_spool s, second;
	struct syt_spool_service *v;
	char *path = below("spool"), *killed;

	(void)state;
	open_spool(&s, 1000);
	assert_false(syt_spool_open(&second, path, 1000));
	syt_spool_close(&second);
	v = syt_spool_service(&s, "cart");
	free(v->version);
	v->version = syt_asprintf("4.2 beta");
	v->slot = 12345678901;
	v->nr_failures = 1;
	v->rest_until_s = 1999999999;
	v->length_s = 0.125;
	syt_spool_service(&s, "shop");
	assert_true(syt_spool_begin_slot(&s, "cart", "4.2 beta", 1000));
	assert_true(syt_spool_end_slot(&s, "failed"));
	assert_true(syt_spool_begin_slot(&s, "shop", "1", 1001));
	killed = below("spool/.work.killed");
	assert_int_equal(mkdir(killed, 0700), 0);
	put("spool/.work.killed/unfinished", "x");
	syt_spool_close(&s);
	/* the next agent */
	open_spool(&s, 1000);
	assert_false(exists("spool/.work.killed"));
	assert_int_equal(s.nr_services, 2);
	v = syt_spool_service(&s, "cart");
	assert_string_equal(v->version, "4.2 beta");
	assert_true(v->slot == 12345678901 && v->nr_failures == 1);
	assert_true(v->rest_until_s == 1999999999 && v->length_s == 0.125);
	assert_string_equal(syt_spool_service(&s, "shop")->version, "");
	assert_int_equal(s.nr_slots, 2);
	assert_string_equal(s.slots[0].result, "failed");
	assert_string_equal(s.slots[0].name, "cart 4.2 beta");
	assert_string_equal(s.slots[1].result, "skipped");
	/* slots of more than two hours ago are forgotten */
	assert_true(syt_spool_begin_slot(&s, "cart", "1", 1001 + SYT_SPOOL_SLOTS_S));
	assert_int_equal(s.nr_slots, 2);
	assert_string_equal(s.slots[0].name, "shop 1");
	syt_spool_close(&s);
	free(killed);
	free(path);
}

/* The oldest windows are dropped and counted once, also if the agent is killed between the count and the removal. */
static void drops(void **state)
{
	struct syt_spool s;
	char *text;

	(void)state;
	open_spool(&s, 250);
	assert_true(put_window(&s, 2) && put_window(&s, 1));
	assert_int_equal(s.nr_dropped, 0);
	assert_true(put_window(&s, 3));
	assert_false(has_window(1));
	assert_true(has_window(2) && has_window(3));
	assert_true(s.nr_dropped == 1 && s.dropped_bytes == 100);
	syt_spool_close(&s);
	text = syt_asprintf("dropped 2\ndropped_bytes 200\ndropping %s\n", ids[2]);
	put("spool/state", text);
	open_spool(&s, 250);
	assert_false(has_window(2));
	assert_true(has_window(3) && s.nr_dropped == 2 && s.dropped_bytes == 200);
	syt_spool_close(&s);
	open_spool(&s, 250);
	assert_true(has_window(3) && s.nr_dropped == 2);
	/* a window larger than the spool */
	syt_spool_close(&s);
	open_spool(&s, 50);
	assert_true(put_window(&s, 0));
	assert_true(has_window(3) && !has_window(0));
	assert_int_equal(s.nr_dropped, 3);
	syt_spool_close(&s);
	free(text);
}

static int make_directory(void **state)
{
	(void)state;
	strcpy(dir + sizeof(dir) - 7, "XXXXXX");
	return !mkdtemp(dir);
}

static int remove_directory(void **state)
{
	(void)state;
	syt_spool_remove(dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(policy, make_directory, remove_directory),
		cmocka_unit_test(choices),
		cmocka_unit_test_setup_teardown(state_is_kept, make_directory, remove_directory),
		cmocka_unit_test_setup_teardown(drops, make_directory, remove_directory),
	};

	syt_err_open("test-agent", 1, "");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
