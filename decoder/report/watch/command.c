/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command watch reports slow calls and long holds of locks during the recording. */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "decoder/report/watch/alarm.h"
#include "decoder/report/watch/online.h"
#include "decoder/command/command.h"
#include "decoder/read/number.h"

#define INTERVAL_DEFAULT_NS UINT64_C(100000000)
#define RULE_DEFAULT "100ms"
#define WINDOW_DEFAULT_NS UINT64_C(5000000000)
#define ONE_IN 100u

struct options {
	struct syt_alarm_rule *rules;
	size_t nr_rules, room_rules;
	uint64_t interval_ns, every_ns, window_ns, one_in;
	const char *against;
	bool stays;
};

static uint64_t span_of(const char *option, const char *text, size_t bytes,
                        struct argp_state *state)
{
	uint64_t ns;

	if (!syt_span_parse(text, bytes, &ns))
		argp_error(state, "--%s takes a time from 1us to 86400s, as in 50ms, not '%s'",
		           option, text);
	return ns;
}

/* Adds the alarm rule that an option --slow or --hold defines. */
static void add_rule(void *field, const char *name, const char *arg, struct argp_state *state)
{
	struct options *o = field;
	bool is_slow = !strcmp(name, "slow");
	const char *colon = is_slow ? strchr(arg, ':') : NULL;
	size_t bytes = colon ? (size_t)(colon - arg) : strlen(arg);
	struct syt_alarm_rule r = {.kind = is_slow ? SYT_ALARM_SLOW : SYT_ALARM_HOLD,
	                           .ns = span_of(name, arg, bytes, state),
	                           .call = colon ? colon + 1 : NULL};

	if (colon && !*r.call)
		argp_error(state,
		           "--slow takes TIME or TIME:CALL, but the name of the call is missing in "
		           "'%s'",
		           arg);
	syt_grow(&o->rules, &o->room_rules, o->nr_rules + 1, sizeof(*o->rules));
	o->rules[o->nr_rules++] = r;
}

static void parse_span(void *field, const char *name, const char *arg, struct argp_state *state)
{
	*(uint64_t *)field = span_of(name, arg, strlen(arg), state);
}

/* clang-format off */
#define AT(member_) offsetof(struct options, member_)
static const struct syt_option option_rows[] = {
	{{"slow", 0, "TIME[:CALL]", 0, "report calls that take longer than TIME (50us, 50ms, 5s). CALL is the name of the reported function, in which * and ? "
	  "match any characters. Without CALL, report calls that wait for a lock, for free space to send, for a connection, for a file, or "
	  "for other threads at a barrier or in an OpenMP team (repeatable)", 0},
	 0, add_rule},
	{{"hold", 0, "TIME", 0, "report locks that are held for longer than TIME", 0}, 0, add_rule},
	{{"against", 0, "MODEL", 0, "report requests that depart from MODEL, a file of workload --save, and a changed mix of requests", 0}, AT(against), syt_parse_text},
	{{"one-in", 0, "N", 0, "a request departs if at most one in N like requests is as odd (default: 100)", 0}, AT(one_in), syt_parse_limit},
	{{"window", 0, "TIME", 0, "compare requests by the events of the last TIME before them (default: 5s)", 0}, AT(window_ns), parse_span},
	{{"interval", 0, "TIME", 0, "read new events from the trace every TIME (default: 100ms)", 0}, AT(interval_ns), parse_span},
	{{"every", 0, "TIME", 0, "report at most one slow call or long-held lock every TIME, and print how many were left out", 0}, AT(every_ns), parse_span},
	{{"stay", 0, NULL, 0, "continue to watch after the last process of the trace has ended", 0}, AT(stays), syt_parse_true},
	SYT_OPTION_END,
};
/* clang-format on */

static const struct options defaults = {
	.interval_ns = INTERVAL_DEFAULT_NS, .window_ns = WINDOW_DEFAULT_NS, .one_in = ONE_IN};

static void check(void *options_, struct argp_state *state)
{
	struct options *o = options_;

	if (o->nr_rules || o->against)
		return;
	add_rule(o, "slow", RULE_DEFAULT, state);
	add_rule(o, "hold", RULE_DEFAULT, state);
}

struct watch {
	struct syt_command *command;
	const struct options *options;
	struct syt_symbols *symbols;
	struct syt_online *online; /* NULL without --against */
	struct syt_symbols
		*symbols_of_requests; /* its symbols, whose images live as long as a window */
	uint64_t told_ns;             /* time of the last printed alarm, or 0 if there is none */
	uint64_t nr_not_told;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool wants(void *context, bool is_over)
{
	struct watch *w = context;
	bool may = !w->options->every_ns || !w->told_ns ||
	           now_ns() - w->told_ns >= w->options->every_ns;

	w->nr_not_told += !may && is_over;
	return may;
}

/* Flushes the alarm that was printed. */
static void end_alarm(struct watch *w)
{
	syt_out_flush(w->command->out);
	w->told_ns = now_ns();
	w->nr_not_told = 0;
}

static void tell(void *context, const struct syt_alarm *a)
{
	struct watch *w = context;
	struct syt_command *c = w->command;

	if (c->format == SYT_FORMAT_JSONL)
		syt_alarm_json(c->out, w->symbols, a, w->nr_not_told);
	else
		syt_alarm_text(c->out, w->symbols, a, w->nr_not_told);
	end_alarm(w);
}

static void tell_odd(void *context, const struct syt_odd_alarm *a)
{
	struct watch *w = context;
	struct syt_command *c = w->command;

	if (c->format == SYT_FORMAT_JSONL)
		syt_alarm_odd_json(c->out, a, w->nr_not_told);
	else
		syt_alarm_odd_text(c->out, a, w->nr_not_told);
	end_alarm(w);
}

static void tell_shift(void *context, const struct syt_shift *s)
{
	struct watch *w = context;
	struct syt_command *c = w->command;

	if (c->format == SYT_FORMAT_JSONL)
		syt_alarm_shift_json(c->out, s);
	else
		syt_alarm_shift_text(c->out, s);
	end_alarm(w);
}

/* Sleeps until the next look at the trace. Returns false if the reader of the output has closed it. */
static bool rest(const struct options *o)
{
	struct pollfd reader = {.fd = STDOUT_FILENO};
	struct timespec t = {(time_t)(o->interval_ns / 1000000000),
	                     (long)(o->interval_ns % 1000000000)};

	return ppoll(&reader, 1, &t, NULL) <= 0 || !(reader.revents & (POLLERR | POLLHUP));
}

/* Returns the clock of the image that was read last. */
static struct syt_online_clock clock_of(const struct syt_tail *t)
{
	struct syt_online_clock clock = {0, 1};

	for (size_t n = 0; n < t->nr_images; n++)
		if (t->images[n]->has_begun && t->images[n]->now > clock.ticks)
			clock = (struct syt_online_clock){t->images[n]->now,
			                                  t->images[n]->ns_per_tick};
	return clock;
}

/* Follows the trace to its end. */
static enum syt_exit follow(struct watch *w, struct syt_tail *tail, const struct syt_tail_eye *eye)
{
	const struct options *o = w->options;
	const struct syt_online_eye online = {w, wants, tell_odd, tell_shift};
	bool is_live;

	do {
		if (!syt_tail_look(tail, eye))
			return SYT_EXIT_UNREADABLE;
		is_live = syt_tail_is_live(tail);
		if (w->online)
			syt_online_look(w->online, tail->dir, clock_of(tail), !is_live && !o->stays,
			                &online);
	} while (!w->command->out->is_closed && (o->stays || is_live) && rest(o));
	return SYT_EXIT_OK;
}

static enum syt_exit run(struct syt_command *c)
{
	const struct options *o = c->options;
	struct watch w = {.command = c, .options = o};
	struct syt_alarms alarms = {.rules = o->rules,
	                            .nr_rules = o->nr_rules,
	                            .wants = wants,
	                            .tell = tell,
	                            .context = &w};
	struct syt_tail_eye eye = syt_alarms_eye(&alarms);
	enum syt_exit status = SYT_EXIT_OK;
	struct syt_tail tail;

	if (c->nr_inputs != 1) {
		syt_warn("the verb watch takes exactly one trace directory");
		return SYT_EXIT_USAGE;
	}
	if (!syt_tail_open(&tail, c->inputs[0]))
		return SYT_EXIT_UNREADABLE;
	w.symbols = tail.symbols = syt_symbols_create(c->has_debuginfod);
	if (o->against && !(w.online = syt_online_create(
				    o->against, o->window_ns, o->one_in,
				    w.symbols_of_requests = syt_symbols_create(c->has_debuginfod))))
		status = SYT_EXIT_UNREADABLE;
	tail.skips_events = !o->nr_rules;
	if (status == SYT_EXIT_OK)
		status = follow(&w, &tail, &eye);
	if (status == SYT_EXIT_OK && !syt_tail_has_read(&tail))
		status = SYT_EXIT_UNREADABLE;
	if (w.online && syt_online_sample(w.online) < 0.995)
		syt_warn("--against compared the requests in %.0f %% of the events",
		         100 * syt_online_sample(w.online));
	syt_online_destroy(w.online);
	if (w.symbols_of_requests)
		syt_symbols_destroy(w.symbols_of_requests);
	syt_symbols_destroy(w.symbols);
	syt_alarms_fini(&tail);
	syt_tail_close(&tail);
	return status;
}

static void fini(void *options)
{
	free(((struct options *)options)->rules);
}

const struct syt_report syt_report_watch = {
	.name = "watch",
	.summary = "slow calls and locks that are held for long, reported while the program still "
		   "runs",
	.doc = "Reads a trace while the program is still being recorded. Reports calls that take "
	       "longer than the time of --slow, and locks that are held for longer than the time "
	       "of --hold, also before the call returns or the lock is released. Without --slow "
	       "and --hold, both times are 100ms.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.options = option_rows,
	.defaults = &defaults,
	.check = check,
	.options_bytes = sizeof(struct options),
	.run = run,
	.reads_itself = syt_always,
	.is_live = true,
	.args_doc = "[DIR]",
	.fini = fini,
};
