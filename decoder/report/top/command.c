/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command top shows the locks of a running program, again and again (doc/reports.md, "Live view"). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "decoder/command/command.h"
#include "decoder/read/number.h"
#include "decoder/report/top/print.h"

#define INTERVAL_DEFAULT_NS UINT64_C(2000000000)
#define READ_MOST_NS UINT64_C(400000000) /* time for reading events before each screen */
#define NR_STACKS 200u /* number of locks, by the order, whose call stacks a look reads */

struct options {
	uint64_t interval_ns, limit;
	struct syt_option_number rounds;
	struct syt_top_order order;
};

static void parse_interval(void *field, const char *name, const char *arg, struct argp_state *state)
{
	if (!syt_span_parse(arg, strlen(arg), field))
		argp_error(state, "--%s takes a time from 1us to 86400s, as in 500ms, not '%s'",
		           name, arg);
}

static void parse_rounds(void *field, const char *name, const char *arg, struct argp_state *state)
{
	struct syt_option_number *n = field;

	n->is_given = syt_number_parse(arg, &n->value) && n->value;
	if (!n->is_given)
		argp_error(state, "--%s takes a number of at least 1, not '%s'", name, arg);
}

static void parse_sort(void *field, const char *name, const char *arg, struct argp_state *state)
{
	struct syt_top_order *order = field;
	bool is_total = !strncmp(arg, "total-", 6);

	for (unsigned k = 0; k < SYT_NR_TOP_KEYS; k++)
		if (!strcmp(arg + (is_total ? 6 : 0), syt_top_words[k].name)) {
			*order = (struct syt_top_order){(enum syt_top_key)k, is_total};
			return;
		}
	argp_error(state,
	           "--%s takes waited, waits, longest, held or acquired, or one of these words "
	           "after total-, not '%s'",
	           name, arg);
}

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"interval", 'i', "TIME", 0, "show the locks again every TIME, for example 500ms (default: 2s)", 0}, AT(interval_ns), parse_interval},
	{{"rounds", 'n', "N", 0, "end after showing the locks N times (default: when the last recorded process has ended)", 0}, AT(rounds), parse_rounds},
	{{"sort", 's', "COLUMN", 0, "sort by waited, waits, longest, held or acquired, in the last interval; or by total-waited and so on (default: waited)", 0},
	 AT(order), parse_sort},
	SYT_OPTION_LIMIT(AT(limit), "show at most N locks (default: as many as fit on the screen; 10 in text that is not on a terminal; all in JSON)"),
	SYT_OPTION_END,
};
/* clang-format on */

static const struct options defaults = {.interval_ns = INTERVAL_DEFAULT_NS,
                                        .limit = SYT_LIMIT_AUTO};

struct top {
	struct syt_command *command;
	const struct options *options;
	struct syt_screen screen;
	struct syt_top_locks locks;
	struct syt_symbols *symbols;
	bool is_drawn; /* a screen is drawn, so the next one may take longer */
	uint64_t nr_rounds;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void show(struct top *t, bool is_screen)
{
	struct syt_command *c = t->command;
	uint64_t limit = t->options->limit;
	bool is_text = c->format == SYT_FORMAT_TEXT;
	const struct syt_top_view v = {
		.locks = &t->locks,
		.symbols = is_screen && !t->is_drawn ? NULL : t->symbols,
		.limit = is_screen && limit == SYT_LIMIT_AUTO ? 0 : syt_limit_of(limit, is_text),
		.out = c->out,
	};

	if (is_screen) {
		syt_top_draw(&v, &t->screen);
	} else if (is_text) {
		if (t->nr_rounds)
			syt_out_char(c->out, '\n');
		syt_top_text(&v);
	} else {
		syt_top_json(&v);
	}
	syt_out_flush(c->out);
}

/* Draws a screen. The first screen is drawn without names, which may take seconds, and then with names. */
static void show_screen(struct top *t)
{
	show(t, true);
	if (t->is_drawn || t->locks.tail.is_behind)
		return;
	t->is_drawn = true;
	show(t, true);
}

/* Sorts as the key demands. Returns false for the key q. */
static bool heed(struct top *t, int key)
{
	for (unsigned k = 0; k < SYT_NR_TOP_KEYS; k++)
		if (tolower(key) == syt_top_words[k].key)
			t->locks.order =
				(struct syt_top_order){(enum syt_top_key)k, isupper(key) != 0};
	return key != 'q' && key != 'Q';
}

/* Waits until the time UNTIL. Meanwhile, draws a terminal's screen again after a key or another size. Returns false
 * if the view ends. */
static bool rest(struct top *t, uint64_t until)
{
	for (;;) {
		int key = syt_screen_wait(&t->screen, until);

		if (key == SYT_SCREEN_TIMEOUT)
			return true;
		if (key == SYT_SCREEN_END || (key > 0 && !heed(t, key)))
			return false;
		show_screen(t);
	}
}

static enum syt_exit view(struct top *t)
{
	const struct options *o = t->options;
	bool is_screen = t->screen.is_terminal;

	for (;;) {
		uint64_t until = 0;

		if (!syt_top_look(&t->locks, is_screen ? READ_MOST_NS : 0))
			return t->nr_rounds ? SYT_EXIT_OK : SYT_EXIT_UNREADABLE;
		if (is_screen)
			show_screen(t);
		else
			show(t, false);
		if (!t->locks.tail.is_behind) {
			t->nr_rounds++;
			if (!syt_tail_is_live(&t->locks.tail) ||
			    (o->rounds.is_given && t->nr_rounds >= o->rounds.value))
				return SYT_EXIT_OK;
			until = now_ns() + o->interval_ns;
		}
		if (t->command->out->is_closed || !rest(t, until))
			return SYT_EXIT_OK;
	}
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	struct top t = {.command = c,
	                .options = o,
	                .locks = {.interval_ns = o->interval_ns,
	                          .order = o->order,
	                          .nr_wanted = NR_STACKS}};
	enum syt_exit status;
	bool was_screen;

	if (c->nr_inputs != 1) {
		syt_warn("the verb top takes exactly one trace directory");
		return SYT_EXIT_USAGE;
	}
	if (!syt_top_open(&t.locks, c->inputs[0]))
		return SYT_EXIT_UNREADABLE;
	t.symbols = t.locks.tail.symbols = syt_symbols_create(c->has_debuginfod);
	syt_screen_open(&t.screen, c->format == SYT_FORMAT_TEXT);
	was_screen = t.screen.is_terminal;
	status = view(&t);
	syt_screen_close(&t.screen);
	if (status == SYT_EXIT_OK && !syt_tail_has_read(&t.locks.tail))
		status = SYT_EXIT_UNREADABLE;
	/* the last screen stays as text on the terminal */
	if (was_screen && t.locks.tail.nr_images && !c->out->is_closed) {
		t.nr_rounds = 0;
		show(&t, false);
	}
	c->has_loss = t.locks.nr_gaps || t.locks.nr_lost;
	syt_symbols_destroy(t.symbols);
	syt_top_close(&t.locks);
	return status;
}

const struct syt_report syt_report_top = {
	.name = "top",
	.summary = "the waits for each lock and the lock holders, shown again and again while the "
		   "program runs",
	.doc = "Shows the locks of a program that is being recorded: the time that threads waited "
	       "for and held each lock in the last interval and in total, the threads that wait "
	       "now, and the holder. On a terminal, the view fits the screen; the keys w (waited), "
	       "n (number of waits), m (longest), h (held) and a (acquired) sort by the last "
	       "interval, the same keys in upper case sort by the total, and q quits.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.defaults = &defaults,
	.options_bytes = sizeof(struct options),
	.run = run,
	.reads_itself = syt_always,
	.is_live = true,
	.args_doc = "[DIR]",
};
