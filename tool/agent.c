/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace agent: records windows of the services of a host, as the policy of the fleet says (doc/fleet.md, "The agent"). The
 * agent may be killed at any time: the recorder ends a window itself, and the spool remembers the slots that have begun. */
#define _GNU_SOURCE
#include "tool/options.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/rest.h"
#include "tool/agent_policy.h"
#include "tool/agent_spool.h"
#include "tool/agent_window.h"
#include "tool/directory.h"
#include "tool/pause.h"
#include "tool/verbs.h"

#define FIRST_S 0.1         /* length of the first window of a service */
#define SHORTEST_S 0.001    /* length of the shortest window */
#define MOST_EVENTS 2000000 /* of a window */
#define GROWTH 10           /* a window is at most this many times as long as the one before */
#define IDLE_CPUS 0.1       /* a service that uses less counts as one that uses this */
#define WATCH_S 10
#define LATE_S 60 /* the agent makes no window this long after its instant */
#define LOOK_S 10 /* longest time between two looks at the policy and the services */
#define NR_FAILURES 2
#define REST_S 86400
#define SPOOL_BYTES (UINT64_C(256) << 20)

struct options {
	const char *traces, *spool, *host, *policy, *to;
	bool is_once;
	unsigned long nr_windows;
	double length_s;
	uint64_t spool_bytes;
};

struct agent {
	const struct options *o;
	struct syt_spool spool;
	struct syt_policy policy;
	const char *host;
	/* length of the windows in this slot, and the shortest one that a trace allows in the next slot */
	double length_s, next_s;
};

static int64_t now_s(double *fraction)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (fraction)
		*fraction = 1e-9 * (double)t.tv_nsec;
	return t.tv_sec;
}

/* ---- services and traces ---- */

static bool is_folder(const struct dirent *e)
{
	/* the lines of the state and of the policy separate words by spaces */
	return e->d_name[0] != '.' && !strpbrk(e->d_name, " \t\n\r\v\f");
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the sorted names of the entries of the directory PATH, which the caller frees with free_names(). */
static char **names_in(const char *path, size_t *nr)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char **names = NULL;
	size_t room = 0;

	*nr = 0;
	while (d && (e = readdir(d)))
		if (is_folder(e))
			*SYT_ADD(names, *nr, room) = syt_asprintf("%s", e->d_name);
	if (d)
		closedir(d);
	if (*nr)
		qsort(names, *nr, sizeof(*names), compare);
	return names;
}

static void free_names(char **names, size_t nr)
{
	for (size_t n = 0; n < nr; n++)
		free(names[n]);
	free(names);
}

/* Makes a pause of the trace deep. Pauses a trace whose agent was killed in a window, if its processes have not looked at the time
 * since. Returns whether the trace is paused. */
static bool is_paused(struct syt_live *l)
{
	uint64_t deadline_ns = __atomic_load_n(&l->trace->deadline_ns, __ATOMIC_SEQ_CST);
	uint32_t control = __atomic_load_n(&l->trace->control, __ATOMIC_SEQ_CST);

	if (control != l->trace->unpaused ? !(control & SYT_CONTROL_DEEP)
	                                  : deadline_ns && deadline_ns < syt_pause_now().from_ns) {
		syt_pause(l, true);
		syt_live_unlock(l);
	}
	return __atomic_load_n(&l->trace->control, __ATOMIC_SEQ_CST) != l->trace->unpaused;
}

/* Opens the trace NAME of SERVICE, if processes record into it and it is paused. */
static bool open_trace(const struct agent *a, const char *service, const char *name,
                       struct syt_live *l, double *cpus)
{
	char *dir = syt_asprintf("%s/%s/%s", a->o->traces, service, name),
	     *file = syt_asprintf("%s/" SYT_TRACE_NAME, dir);
	bool is_open = !access(file, F_OK);
	unsigned nr = 0;

	if (is_open) {
		is_open = syt_live_open_directory(l, dir);
		if (is_open) {
			*cpus = syt_live_cpus(l, &nr);
			is_open = nr && is_paused(l);
		}
		if (!is_open)
			syt_live_close(l);
	}
	free(file);
	free(dir);
	return is_open;
}

/* Returns the version of SERVICE: the first line of the file `version` of its folder, or else the build-id of L. */
static char *version_of(const struct agent *a, const char *service, const struct syt_live *l)
{
	char *path = syt_asprintf("%s/%s/version", a->o->traces, service), text[256], *id;

	syt_file_text(path, text, sizeof(text));
	free(path);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = 0;
	if (*text)
		return syt_asprintf("%s", text);
	id = syt_live_build_id(l);
	return id ? id : syt_asprintf("unknown");
}

/* ---- one window ---- */

/* Makes a window of the trace L. Returns the reason of a failure, or NULL. */
static const char *make(struct agent *a, struct syt_live *l, const struct syt_window_order *o,
                        struct syt_window_made *made)
{
	syt_window_make(l, o, made);
	if (*made->id && !syt_spool_put(&a->spool, SYT_WINDOW_NAME, made->id))
		made->failure = "the window cannot be kept";
	if (made->failure)
		syt_warn("%s: %s", o->service, made->failure);
	return made->failure;
}

/* Sets the length of the next windows of V after a window that was MADE for a service that uses CPUS. Returns whether the
 * window took twice its budget. */
static bool adapt(struct agent *a, struct syt_spool_service *v, const struct syt_window_made *made,
                  double cpus)
{
	double allowed_s = a->policy.budget * a->policy.period_s * fmax(cpus, IDLE_CPUS),
	       next_s = made->length_s * fmin(allowed_s / fmax(made->cost_s, 1e-9), GROWTH);

	if (made->nr_events)
		next_s = fmin(next_s, made->length_s * MOST_EVENTS / (double)made->nr_events);
	a->next_s = fmin(a->next_s, next_s);
	v->length_s = fmax(a->next_s, SHORTEST_S);
	return made->cost_s > 2 * allowed_s;
}

/* Counts a failure of the service V. */
static void count_failure(struct syt_spool_service *v)
{
	if (++v->nr_failures < NR_FAILURES)
		return;
	syt_warn("%s %s: %d windows failed, so the next one is in a day", v->name, v->version,
	         NR_FAILURES);
	v->nr_failures = 0;
	v->rest_until_s = now_s(NULL) + REST_S;
}

/* Forgets the failures and the rates of another version. */
static void set_version(struct agent *a, struct syt_spool_service *v, const char *version)
{
	if (!strcmp(v->version, version))
		return;
	free(v->version);
	v->version = syt_asprintf("%s", version);
	v->nr_failures = 0;
	v->rest_until_s = 0;
	v->length_s = 0;
	a->length_s = FIRST_S;
}

/* Makes a window of the trace L in the present slot. Returns the result of the slot. */
static const char *make_in_slot(struct agent *a, const char *service, struct syt_live *l,
                                double cpus)
{
	char *version = version_of(a, service, l);
	struct syt_spool_service *v = syt_spool_service(&a->spool, service);
	struct syt_window_order o = {.host = a->host,
	                             .service = service,
	                             .version = version,
	                             .p_host = a->policy.p_host,
	                             .period_s = a->policy.period_s,
	                             .watch_s = fmin(WATCH_S, a->policy.period_s / 4),
	                             .work = a->spool.work};
	struct syt_window_made made;
	const char *result = "skipped";

	set_version(a, v, version);
	o.length_s = fmin(a->length_s, a->policy.length_s);
	if (!syt_spool_begin_slot(&a->spool, service, version, now_s(NULL)))
		goto end;
	if (v->rest_until_s <= now_s(NULL) && !syt_policy_stops(&a->policy, service, version)) {
		result = "ok";
		if (!make(a, l, &o, &made) && adapt(a, v, &made, cpus)) {
			syt_warn("%s: the window took %.3f s of CPU time, twice its budget",
			         service, made.cost_s);
			made.failure = "twice the budget";
		}
		if (made.failure) {
			result = "failed";
			count_failure(v);
		} else {
			v->nr_failures = 0;
		}
	}
	syt_spool_end_slot(&a->spool, result);
end:
	free(version);
	return result;
}

/* Makes windows of all traces of SERVICE, in the present slot. */
static void make_slot(struct agent *a, const char *service)
{
	char *folder = syt_asprintf("%s/%s", a->o->traces, service);
	size_t nr;
	char **traces = names_in(folder, &nr);
	double cpus, length_s = syt_spool_service(&a->spool, service)->length_s;
	struct syt_live l;

	a->length_s = length_s > 0 ? length_s : FIRST_S;
	a->next_s = INFINITY;
	for (size_t n = 0; n < nr; n++)
		if (open_trace(a, service, traces[n], &l, &cpus)) {
			make_in_slot(a, service, &l, cpus);
			syt_live_close(&l);
		}
	free_names(traces, nr);
	free(folder);
}

/* ---- all windows ---- */

/* Makes the window of SERVICE if its instant has come. Returns the seconds until the next event of the service. */
static double look_at(struct agent *a, const char *service)
{
	struct syt_spool_service *v = syt_spool_service(&a->spool, service);
	double period_s = a->policy.period_s, fraction, now, at_s;
	bool is_chosen;
	uint64_t slot;

	now = (double)now_s(&fraction);
	slot = (uint64_t)(now / period_s);
	now += fraction;
	if (v->slot == slot + 1)
		return (double)v->slot * period_s - now;
	is_chosen = syt_policy_chooses(&a->policy, a->host, service, slot, &at_s);
	at_s += (double)slot * period_s - now;
	if (is_chosen && at_s > 0)
		return at_s;
	v->slot = slot + 1;
	if (is_chosen && at_s > -LATE_S)
		make_slot(a, service);
	return 0;
}

/* Makes windows for ever. */
static void run_always(struct agent *a)
{
	char *path = a->o->policy ? syt_asprintf("%s", a->o->policy)
	                          : syt_asprintf("%s/policy", a->o->spool);
	bool has_policy = true;

	for (;;) {
		double next_s = LOOK_S;
		bool had_policy = has_policy;
		size_t nr = 0;
		char **services = NULL;

		has_policy = syt_policy_read(&a->policy, path, now_s(NULL), !had_policy);
		if (had_policy && !has_policy)
			syt_warn("%s is missing, wrong or older than %d s: no windows until there "
			         "is a new one",
			         path, SYT_POLICY_AGE_S);
		if (has_policy)
			services = names_in(a->o->traces, &nr);
		for (size_t n = 0; n < nr; n++)
			next_s = fmin(next_s, look_at(a, services[n]));
		free_names(services, nr);
		syt_policy_clear(&a->policy);
		if (a->o->to)
			syt_spool_deliver(&a->spool, a->o->to, a->host);
		if (next_s > 0)
			syt_rest(fmax(next_s, 0.01));
	}
}

/* Makes windows of all traces of SERVICE, as many as --windows says. */
static bool run_service(struct agent *a, const char *service)
{
	char *folder = syt_asprintf("%s/%s", a->o->traces, service), *version;
	struct syt_window_order o = {.host = a->host,
	                             .service = service,
	                             .length_s = a->o->length_s,
	                             .p_host = 1,
	                             .work = a->spool.work};
	struct syt_window_made made;
	bool is_done = true;
	struct syt_live l;
	double cpus;
	size_t nr;
	char **traces = names_in(folder, &nr);

	for (unsigned long w = 0; w < a->o->nr_windows; w++)
		for (size_t n = 0; n < nr; n++)
			if (open_trace(a, service, traces[n], &l, &cpus)) {
				o.version = version = version_of(a, service, &l);
				is_done = !make(a, &l, &o, &made) && is_done;
				free(version);
				syt_live_close(&l);
			}
	free_names(traces, nr);
	free(folder);
	return is_done;
}

static bool run_once(struct agent *a)
{
	size_t nr;
	char **services = names_in(a->o->traces, &nr);
	bool is_done = true;

	for (size_t n = 0; n < nr; n++)
		is_done = run_service(a, services[n]) && is_done;
	free_names(services, nr);
	return (!a->o->to || syt_spool_deliver(&a->spool, a->o->to, a->host)) && is_done;
}

static int run(void *options)
{
	const struct options *o = options;
	struct agent a = {.o = o, .host = o->host};
	char name[256] = "";
	bool is_done = syt_spool_open(&a.spool, o->spool, o->spool_bytes);

	if (!a.host) {
		gethostname(name, sizeof(name) - 1);
		a.host = name;
	}
	if (is_done && access(o->traces, R_OK | X_OK)) {
		syt_warn_errno("%s", o->traces);
		is_done = false;
	}
	if (is_done) {
		if (o->is_once)
			is_done = run_once(&a);
		else
			run_always(&a);
	}
	syt_spool_close(&a.spool);
	return is_done ? 0 : SYT_STATUS_UNREADABLE;
}

/* ---- options ---- */

enum {
	KEY_TRACES = 256,
	KEY_SPOOL,
	KEY_SPOOL_SIZE,
	KEY_HOST,
	KEY_POLICY,
	KEY_TO,
	KEY_ONCE,
	KEY_WINDOWS,
	KEY_LENGTH
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_TRACES:
		o->traces = argument;
		return 0;
	case KEY_SPOOL:
		o->spool = argument;
		return 0;
	case KEY_SPOOL_SIZE:
		if (!syt_parse_size(argument, &o->spool_bytes) || !o->spool_bytes)
			argp_error(state, "--spool-size takes a size, not '%s'", argument);
		return 0;
	case KEY_HOST:
		o->host = argument;
		if (!*argument || *argument == '.' || strchr(argument, '/') ||
		    strlen(argument) > 255)
			argp_error(state, "--host takes the name of a folder, not '%s'", argument);
		return 0;
	case KEY_POLICY:
		o->policy = argument;
		return 0;
	case KEY_TO:
		o->to = argument;
		if (strstr(argument, "://"))
			argp_error(
				state,
				"--to takes a directory; 'syntrace-fleet push' uploads to a URL");
		return 0;
	case KEY_ONCE:
		o->is_once = true;
		return 0;
	case KEY_WINDOWS:
		if (!syt_parse_count(argument, 1000000, &o->nr_windows))
			argp_error(state, "--windows takes a number from 1 on, not '%s'", argument);
		return 0;
	case KEY_LENGTH:
		if (!syt_parse_number(argument, SHORTEST_S, 60, &o->length_s))
			argp_error(state, "--length takes 0.001 to 60 seconds, not '%s'", argument);
		return 0;
	case ARGP_KEY_END:
		if (!o->traces || !o->spool)
			argp_error(state, "the agent needs --traces=DIR and --spool=DIR");
		if (!o->is_once && (o->nr_windows || o->length_s > 0))
			argp_error(state, "--windows and --length need --once");
		if (o->is_once && o->policy)
			argp_error(state, "--once takes no --policy");
		o->nr_windows = o->nr_windows ? o->nr_windows : 1;
		o->length_s = o->length_s > 0 ? o->length_s : FIRST_S;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option option_rows[] = {
	{"traces", KEY_TRACES, "DIR", SYT_OPTION_NOT_OF_PROJECT,
         "the traces of the services, DIR/SERVICE/TRACE; the file DIR/SERVICE/version has the "
         "version of the service",
         0},
	{"spool", KEY_SPOOL, "DIR", SYT_OPTION_NOT_OF_PROJECT,
         "keep windows and the state of the agent in DIR", 0},
	{"spool-size", KEY_SPOOL_SIZE, "SIZE", SYT_OPTION_NOT_OF_PROJECT,
         "drop the oldest windows if all have more than SIZE bytes (default: 256M)", 0},
	{"host", KEY_HOST, "NAME", SYT_OPTION_NOT_OF_PROJECT,
         "name of the host in the windows (default: the name of this machine)", 0},
	{"policy", KEY_POLICY, "FILE", SYT_OPTION_NOT_OF_PROJECT,
         "the policy of the fleet (default: the file policy in the spool)", 0},
	{"to", KEY_TO, "DIR", SYT_OPTION_NOT_OF_PROJECT, "move the windows to DIR/HOST/", 0},
	{"once", KEY_ONCE, NULL, SYT_OPTION_NOT_OF_PROJECT,
         "record windows now, without a policy, and end", 0},
	{"windows", KEY_WINDOWS, "N", SYT_OPTION_NOT_OF_PROJECT,
         "with --once, record N windows of each trace (default: 1)", 0},
	{"length", KEY_LENGTH, "SECONDS", SYT_OPTION_NOT_OF_PROJECT,
         "with --once, record for SECONDS in each window (default: 0.1)", 0},
	{0},
};
static const struct argp argp = {
	.options = option_rows,
	.parser = parse,
	.doc = "Record short windows of the services of this host, and keep one window file of "
	       "each "
	       "for the store of a fleet. The services are started by 'syntrace record --paused'.\v"
	       "Exit status: 0, 2 for wrong usage, 4 if a window cannot be recorded or kept.",
};

const struct syt_launcher_verb syt_verb_agent = {
	.run = run,
	.argp = &argp,
	.options_bytes = sizeof(struct options),
	.defaults = &(const struct options){.spool_bytes = SPOOL_BYTES},
	.usage = SYT_STATUS_USAGE,
};
