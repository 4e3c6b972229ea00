/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace-decode watch: tells slow calls, and locks that are held for long, while they are recorded. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "decoder/report/watch/view.h"
#include "decoder/command/command.h"

enum { KEY_SLOW = 0x2e00, KEY_HOLD, KEY_INTERVAL, KEY_EVERY, KEY_STAY };

#define INTERVAL_DEFAULT_NS UINT64_C(100000000)
#define RULE_DEFAULT "100ms"

struct options {
	struct syt_alarm_rule *rules;
	size_t nr_rules, room_rules;
	uint64_t interval_ns, every_ns;
	bool stays;
};

static const struct argp_option watch_options[] = {
	{"slow", KEY_SLOW, "TIME[:CALL]", 0,
         "tell calls that take longer than TIME (50us, 50ms, 5s): calls named CALL, with * and ?; "
         "without CALL those that wait for a "
         "lock, for room to send, for a connection, for a file, or for the others of a barrier or "
         "team (repeatable)",
         0},
	{"hold", KEY_HOLD, "TIME", 0, "tell locks that are held for longer than TIME", 0},
	{"interval", KEY_INTERVAL, "TIME", 0, "look every TIME (default 100ms)", 0},
	{"every", KEY_EVERY, "TIME", 0,
         "tell at most one every TIME, and how many there were in between", 0},
	{"stay", KEY_STAY, NULL, 0, "do not end when no process records any more", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

static uint64_t parse_span(struct argp_state *state, const char *option, const char *text,
                           size_t bytes)
{
	uint64_t ns;

	if (!syt_alarm_span_parse(text, bytes, &ns))
		argp_error(state, "%s takes a time from 1us to 86400s, as in 50ms, not '%s'",
		           option, text);
	return ns;
}

static void add_rule(struct options *o, enum syt_alarm_kind kind, const char *text,
                     struct argp_state *state)
{
	const char *colon = kind == SYT_ALARM_SLOW ? strchr(text, ':') : NULL;
	struct syt_alarm_rule r = {.kind = kind, .call = colon ? colon + 1 : NULL};

	r.ns = parse_span(state, kind == SYT_ALARM_SLOW ? "--slow" : "--hold", text,
	                  colon ? (size_t)(colon - text) : strlen(text));
	if (colon && !*r.call)
		argp_error(state, "--slow: which call, in '%s'?", text);
	syt_grow(&o->rules, &o->room_rules, o->nr_rules + 1, sizeof(*o->rules));
	o->rules[o->nr_rules++] = r;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		o->interval_ns = INTERVAL_DEFAULT_NS;
		return 0;
	case KEY_SLOW:
		add_rule(o, SYT_ALARM_SLOW, arg, state);
		return 0;
	case KEY_HOLD:
		add_rule(o, SYT_ALARM_HOLD, arg, state);
		return 0;
	case KEY_INTERVAL:
		o->interval_ns = parse_span(state, "--interval", arg, strlen(arg));
		return 0;
	case KEY_EVERY:
		o->every_ns = parse_span(state, "--every", arg, strlen(arg));
		return 0;
	case KEY_STAY:
		o->stays = true;
		return 0;
	case ARGP_KEY_END:
		if (!o->nr_rules) {
			add_rule(o, SYT_ALARM_SLOW, RULE_DEFAULT, state);
			add_rule(o, SYT_ALARM_HOLD, RULE_DEFAULT, state);
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

struct watch {
	struct syt_command *command;
	const struct options *options;
	struct syt_symbols *symbols;
	uint64_t told_ns; /* when, or 0 */
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

static void tell(void *context, const struct syt_alarm *a)
{
	struct watch *w = context;
	struct syt_command *c = w->command;

	if (c->format == SYT_FORMAT_JSONL)
		syt_alarm_json(c->out, w->symbols, a, w->nr_not_told);
	else
		syt_alarm_text(c->out, w->symbols, a, w->nr_not_told);
	syt_out_flush(c->out);
	w->told_ns = now_ns();
	w->nr_not_told = 0;
}

/* False: nobody reads any more what is told. */
static bool rest(const struct options *o)
{
	struct pollfd reader = {.fd = STDOUT_FILENO};
	struct timespec t = {(time_t)(o->interval_ns / 1000000000),
	                     (long)(o->interval_ns % 1000000000)};

	return ppoll(&reader, 1, &t, NULL) <= 0 || !(reader.revents & (POLLERR | POLLHUP));
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
		syt_warn("watch takes one trace");
		return SYT_EXIT_USAGE;
	}
	if (!syt_tail_open(&tail, c->inputs[0]))
		return SYT_EXIT_UNREADABLE;
	w.symbols = syt_symbols_create(c->has_debuginfod);
	do {
		if (!syt_tail_look(&tail, &eye)) {
			status = SYT_EXIT_UNREADABLE;
			break;
		}
	} while (!c->out->is_closed && (o->stays || syt_tail_is_live(&tail)) && rest(o));
	syt_symbols_destroy(w.symbols);
	syt_alarms_fini(&tail);
	syt_tail_close(&tail);
	return status;
}

static void fini(void *options)
{
	free(((struct options *)options)->rules);
}

static const struct argp argp = {.options = watch_options, .parser = parse};

const struct syt_verb syt_verb_watch = {
	.name = "watch",
	.summary = "slow calls, and locks that are held for long, while they are recorded",
	.doc = "Follows a trace that is being recorded, and tells calls that take, and locks that "
	       "are held, longer than they may; also "
	       "calls that have not returned and locks that are still held. Without --slow and "
	       "--hold both are 100ms.",
	.formats = 1u << SYT_FORMAT_TEXT | 1u << SYT_FORMAT_JSONL,
	.argp = &argp,
	.options_bytes = sizeof(struct options),
	.run = run,
	.reads_itself = true,
	.args_doc = "DIR",
	.fini = fini,
};
