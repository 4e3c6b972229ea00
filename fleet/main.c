/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command syntrace-fleet(1) keeps the windows of many hosts in a store, and answers questions about them. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "base/err.h"
#include "base/rest.h"
#include "fleet/load.h"
#include "fleet/names.h"
#include "fleet/push.h"
#include "fleet/query.h"
#include "fleet/serve.h"
#include "fleet/sql.h"
#include "fleet/stop.h"
#include "fleet/symbols.h"
#include "fleet/try.h"

enum status { STATUS_OK, STATUS_FINDINGS, STATUS_USAGE, STATUS_FAILED = 4 };

struct options {
	const char *store, *in, *loaded, *policy, *journal, *listen, *symbols, *source, *servers,
		*argument;
	char **files; /* of the verb symbols */
	int nr_files;
	double every_s;
	uint64_t roll_days, keep_days;
	bool is_once, is_json;
	struct syt_fleet_query query;
	struct syt_push_options push;
	struct syt_try_options trial;
};

enum key {
	KEY_STORE = 256,
	KEY_IN,
	KEY_LOADED,
	KEY_ONCE,
	KEY_BY,
	KEY_WHERE,
	KEY_SERVICE,
	KEY_FROM,
	KEY_TO,
	KEY_LIMIT,
	KEY_AGAINST,
	KEY_VERSION,
	KEY_SPOOL,
	KEY_HOST,
	KEY_POLICY,
	KEY_JOURNAL,
	KEY_CERTIFICATE,
	KEY_KEY,
	KEY_AUTHORITY,
	KEY_TOKEN,
	KEY_EVERY,
	KEY_TRACES,
	KEY_DIR,
	KEY_WINDOWS,
	KEY_LISTEN,
	KEY_SYMBOLS,
	KEY_SOURCE,
	KEY_DAYS,
	KEY_KEEP,
	KEY_DEBUGINFOD
};

#define OPTION_STORE                                                                               \
	{                                                                                          \
		"store", KEY_STORE, "STORE", 0,                                                    \
			"the store: an SQLite database, or clickhouse://HOST:PORT/DATABASE", 0     \
	}
#define OPTION_LISTEN                                                                              \
	{                                                                                          \
		"listen", KEY_LISTEN, "ADDRESS:PORT", 0,                                           \
			"serve the page there; port 0: any free port (default: " SYT_SERVE_LISTEN  \
			")",                                                                       \
			0                                                                          \
	}
#define OPTION_JOURNAL                                                                             \
	{                                                                                          \
		"journal", KEY_JOURNAL, "DIR", 0,                                                  \
			"the journal of the loader of a ClickHouse store", 0                       \
	}
#define OPTION_FORMAT                                                                              \
	{                                                                                          \
		"format", 'f', "FORMAT", 0, "print the output as text, jsonl (default: text)", 0   \
	}

#define TRY_DIR "./syntrace.fleet"
#define TRY_EVERY_S 10
#define EVERY_S 60
#define LOAD_EVERY_S 1
#define LOAD_EVERY_S_OF_SERVERS 10 /* each batch is a part that they merge */
#define STOP_EVERY_S 60
#define ROLL_DAYS 30
#define KEEP_DAYS 400
#define MOST_DAYS 100000
#define QUESTIONS "locks, waits, lines, versions, hosts, stability, health"

static void parse_every(double *every_s, const char *arg, struct argp_state *state)
{
	char *end;

	*every_s = strtod(arg, &end);
	if (end == arg || *end || !(*every_s >= 0.1 && *every_s <= 86400))
		argp_error(state, "--every takes seconds, not '%s'", arg);
}

static uint64_t parse_number(const char *name, const char *arg, struct argp_state *state)
{
	char *end;
	uint64_t nr = strtoull(arg, &end, 10);

	if (*arg < '0' || *arg > '9' || *end || !nr)
		argp_error(state, "%s takes a number from 1 on, not '%s'", name, arg);
	return nr;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case KEY_STORE:
		o->store = arg;
		return 0;
	case KEY_IN:
		o->in = arg;
		return 0;
	case KEY_LOADED:
		o->loaded = arg;
		return 0;
	case KEY_POLICY:
		o->policy = arg;
		return 0;
	case KEY_JOURNAL:
		o->journal = arg;
		return 0;
	case KEY_EVERY:
		parse_every(&o->every_s, arg, state);
		return 0;
	case KEY_ONCE:
		o->is_once = true;
		return 0;
	case KEY_DAYS:
		o->roll_days = parse_number("--days", arg, state);
		return 0;
	case KEY_KEEP:
		o->keep_days = parse_number("--keep", arg, state);
		return 0;
	case KEY_LISTEN:
		o->listen = arg;
		return 0;
	case KEY_SYMBOLS:
		o->symbols = arg;
		return 0;
	case KEY_DEBUGINFOD:
		o->servers = arg;
		return 0;
	case KEY_SOURCE:
		o->source = arg;
		return 0;
	case 'f':
		if (strcmp(arg, "text") != 0 && strcmp(arg, "jsonl") != 0)
			argp_error(state, "--format takes text or jsonl, not '%s'", arg);
		o->is_json = !strcmp(arg, "jsonl");
		return 0;
	case ARGP_KEY_ARG:
		if (o->argument || !*arg)
			argp_usage(state);
		o->argument = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->store)
			argp_error(state, "which store? use --store=STORE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Parses the options of the verb push, which uses no store. */
static error_t parse_push(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct syt_push_options *p = &o->push;

	switch (key) {
	case KEY_SPOOL:
		p->spool = arg;
		return 0;
	case KEY_HOST:
		p->host = arg;
		return 0;
	case KEY_TO:
		p->to = arg;
		return 0;
	case KEY_LOADED:
		p->loaded = arg;
		return 0;
	case KEY_POLICY:
		p->policy = arg;
		return 0;
	case KEY_CERTIFICATE:
		p->certificate = arg;
		return 0;
	case KEY_KEY:
		p->key = arg;
		return 0;
	case KEY_AUTHORITY:
		p->authority = arg;
		return 0;
	case KEY_TOKEN:
		p->token = arg;
		return 0;
	case KEY_EVERY:
		parse_every(&p->every_s, arg, state);
		return 0;
	case KEY_ONCE:
		p->is_once = true;
		return 0;
	case ARGP_KEY_END:
		if (!p->spool || !p->to)
			argp_error(state, "push needs --spool=DIR and --to=URL");
		p->every_s = p->every_s > 0 ? p->every_s : EVERY_S;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Parses the options of the verb symbols, which uses no store: put, and the files. */
static error_t parse_symbols(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (strcmp(arg, "put") != 0)
			argp_error(state, "symbols knows put, not '%s'", arg);
		o->argument = arg;
		o->files = state->argv + state->next;
		o->nr_files = state->argc - state->next;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (!o->symbols || !o->nr_files)
			argp_error(state, "symbols put needs --symbols=DIR and files");
		return 0;
	default:
		return parse(key, arg, state);
	}
}

/* Parses the options of the verb try, which has its own store. */
static error_t parse_try(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct syt_try_options *t = &o->trial;

	switch (key) {
	case KEY_TRACES:
		t->traces = arg;
		return 0;
	case KEY_DIR:
		t->dir = arg;
		return 0;
	case KEY_EVERY:
		parse_every(&t->every_s, arg, state);
		if (t->every_s < 1)
			argp_error(state, "--every takes seconds from 1 on");
		return 0;
	case KEY_LISTEN:
		t->listen = arg;
		return 0;
	case KEY_WINDOWS:
		t->nr_windows = parse_number("--windows", arg, state);
		return 0;
	case ARGP_KEY_END:
		if (!t->traces)
			argp_error(state, "which traces? use --traces=DIR");
		t->dir = t->dir ? t->dir : TRY_DIR;
		t->every_s = t->every_s > 0 ? t->every_s : TRY_EVERY_S;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the verbs ---- */

static int run_init(struct options *o)
{
	return syt_fleet_store_create(o->store) ? STATUS_FAILED : STATUS_OK;
}

/* Loads the files that are there now, and prints their numbers unless there are none and IS_QUIET. */
static int load_now(struct syt_fleet_store *s, const struct options *o, const char *loaded,
                    bool is_quiet)
{
	struct syt_fleet_loaded nr = {0};
	int status = syt_fleet_load(s, o->in, loaded, &nr);

	if (o->symbols && o->servers)
		syt_names_fetch(s, o->symbols, o->servers);
	if (o->symbols)
		status |= syt_names_update(s, o->symbols);

	if (!is_quiet || nr.nr_loaded || nr.nr_duplicates || nr.nr_rejected)
		printf("{\"v\":1,\"type\":\"load\",\"loaded\":%llu,\"duplicates\":%llu,"
		       "\"rejected\":%llu}\n",
		       (unsigned long long)nr.nr_loaded, (unsigned long long)nr.nr_duplicates,
		       (unsigned long long)nr.nr_rejected);
	fflush(stdout);
	return status;
}

/* Loads until the program is killed. A failure may pass: a full disk, or a store that another program locks. */
static void load_always(struct syt_fleet_store *s, const struct options *o, const char *loaded,
                        const char *policy)
{
	double usual_s = syt_fleet_store_is_clickhouse(o->store) ? LOAD_EVERY_S_OF_SERVERS
	                                                         : LOAD_EVERY_S,
	       every_s = o->every_s > 0 ? o->every_s : usual_s;
	time_t stop_at = 0;

	for (;;) {
		load_now(s, o, loaded, true);
		if (time(NULL) >= stop_at) {
			syt_fleet_stop(o->in, policy, time(NULL));
			stop_at = time(NULL) + STOP_EVERY_S;
		}
		syt_rest(every_s);
	}
}

static int run_load(struct options *o)
{
	/* beside the uploads, so that a web server can publish the lists and not the uploads */
	char *loaded =
		o->loaded ? syt_asprintf("%s", o->loaded) : syt_asprintf("%s/../loaded", o->in);
	char *policy =
		o->policy ? syt_asprintf("%s", o->policy) : syt_asprintf("%s/../policy", o->in);
	char *journal =
		o->journal ? syt_asprintf("%s", o->journal) : syt_asprintf("%s/../journal", o->in);
	struct syt_fleet_store s;
	int status = syt_fleet_store_open(&s, o->store, journal);

	if (!status && !o->is_once)
		load_always(&s, o, loaded, policy);
	if (!status)
		status = load_now(&s, o, loaded, false) | syt_fleet_stop(o->in, policy, time(NULL));
	syt_fleet_store_close(&s);
	free(journal);
	free(policy);
	free(loaded);
	return status ? STATUS_FAILED : STATUS_OK;
}

static int run_check(struct options *o)
{
	struct syt_fleet_store s;
	int status = syt_fleet_store_open(&s, o->store, NULL);

	if (!status)
		status = syt_fleet_store_check(&s);
	syt_fleet_store_close(&s);
	return status < 0 ? STATUS_FAILED : status ? STATUS_FINDINGS : STATUS_OK;
}

/* Stores the day DAYS before now in DAY. */
static void day_before(uint64_t days, char day[16])
{
	time_t t = time(NULL) - (time_t)(days < MOST_DAYS ? days : MOST_DAYS) * 86400;
	struct tm tm = {0};

	t = t > 0 ? t : 0;
	gmtime_r(&t, &tm);
	strftime(day, 16, "%Y-%m-%d", &tm);
}

static int run_roll(struct options *o)
{
	struct syt_fleet_store s;
	char before[16], keep[16];
	int status;

	if (syt_fleet_store_is_clickhouse(o->store) && !o->journal) {
		syt_warn("roll needs --journal=DIR, the journal of the loader of this store");
		return STATUS_USAGE;
	}
	day_before(o->roll_days ? o->roll_days : ROLL_DAYS, before);
	day_before(o->keep_days ? o->keep_days : KEEP_DAYS, keep);
	status = syt_fleet_store_open(&s, o->store, o->journal);
	if (!status)
		status = syt_fleet_store_roll(&s, before, keep);
	syt_fleet_store_close(&s);
	return status ? STATUS_FAILED : STATUS_OK;
}

static int run_sql(struct options *o)
{
	struct syt_fleet_store s;
	struct syt_out out;
	int status = syt_fleet_store_open_to_read(&s, o->store);

	syt_out_open(&out, STDOUT_FILENO, false);
	if (!status)
		status = syt_fleet_sql(&s, o->argument, &out, o->is_json);
	syt_fleet_store_close(&s);
	return syt_out_close(&out) || status ? STATUS_FAILED : STATUS_OK;
}

static int run_query(struct options *o)
{
	struct syt_fleet_query *q = &o->query;
	struct syt_fleet_store s;
	struct syt_out out;
	const char *problem;
	int status;

	q->question = o->argument;
	q->is_json = o->is_json;
	q->symbols = o->symbols;
	q->journal = o->journal;
	problem = syt_query_finish(q);
	if (problem) {
		syt_warn("%s", problem);
		return STATUS_USAGE;
	}
	if (!q->limit && !q->is_json)
		q->limit = 10;
	status = syt_fleet_store_open_to_read(&s, o->store);
	syt_out_open(&out, STDOUT_FILENO, false);
	syt_out_measure(&out);
	if (!status)
		status = syt_fleet_query(&s, q, &out);
	syt_fleet_store_close(&s);
	return syt_out_close(&out) || status ? STATUS_FAILED : STATUS_OK;
}

static int run_symbols(struct options *o)
{
	int status = 0;

	for (int n = 0; n < o->nr_files; n++) {
		int kept = syt_symbols_put(o->symbols, o->files[n], NULL, false);

		if (!kept && o->source)
			kept = syt_symbols_put_sources(o->symbols, o->files[n], o->source);
		status |= kept;
	}
	return status ? STATUS_FAILED : STATUS_OK;
}

static int run_serve(struct options *o)
{
	return syt_serve(o->store, o->symbols, o->journal, o->listen ? o->listen : SYT_SERVE_LISTEN)
	               ? STATUS_FAILED
	               : STATUS_OK;
}

static int run_push(struct options *o)
{
	char name[256] = "";

	if (!o->push.host) {
		gethostname(name, sizeof(name) - 1);
		o->push.host = name;
	}
	return syt_push(&o->push) ? STATUS_FAILED : STATUS_OK;
}

static int run_try(struct options *o)
{
	struct syt_out out;
	int status;

	syt_out_open(&out, STDOUT_FILENO, false);
	syt_out_measure(&out);
	status = syt_fleet_try(&o->trial, &out);
	return syt_out_close(&out) || status ? STATUS_FAILED : STATUS_OK;
}

/* clang-format off */
static const struct argp_option init_rows[] = {OPTION_STORE, {0}};
static const struct argp_option load_rows[] = {
	OPTION_STORE,
	{"in", KEY_IN, "DIR", 0, "the directory of the uploads, DIR/HOST/ID.jsonl.gz", 0},
	{"loaded", KEY_LOADED, "DIR", 0, "write the ids of loaded windows to DIR/HOST (default: the directory loaded beside that of the uploads)", 0},
	{"policy", KEY_POLICY, "FILE", 0, "stop versions whose windows fail in this policy (default: the file policy beside the directory of the uploads)", 0},
	{"journal", KEY_JOURNAL, "DIR", 0, "keep the batches that are being inserted into a ClickHouse store in DIR (default: the directory journal beside that of the uploads)", 0},
	{"every", KEY_EVERY, "SECONDS", 0, "time between two looks at the directory (default: 1; 10 for a ClickHouse store)", 0},
	{"once", KEY_ONCE, NULL, 0, "load the files that are there now, and end", 0},
	{"symbols", KEY_SYMBOLS, "DIR", 0, "name functions and variables by the files in DIR (syntrace-fleet symbols)", 0},
	{"debuginfod", KEY_DEBUGINFOD, "URLS", 0, "with --symbols, fetch missing files from these servers of debuginfod (none by default)", 0},
	{0}};
static const struct argp_option query_rows[] = {
	OPTION_STORE,
	OPTION_FORMAT,
	OPTION_JOURNAL,
	{"symbols", KEY_SYMBOLS, "DIR", 0, "find source lines by the files in DIR (syntrace-fleet symbols), for the question lines", 0},
	{"by", KEY_BY, "DIM[,DIM]", 0, "divide the answer by these dimensions (locks and waits): " SYT_QUERY_DIMENSIONS, 0},
	{"where", KEY_WHERE, "DIM=VALUE", 0, "only windows and facts with this value (repeatable)", 0},
	{"service", KEY_SERVICE, "NAME", 0, "short for --where=service=NAME", 0},
	{"from", KEY_FROM, "TIME", 0, "only windows that begin at TIME or later: 2026-11-24, 2026-11-24T13:05:00 (UTC), or ns since 1970", 0},
	{"to", KEY_TO, "TIME", 0, "only windows that begin before TIME", 0},
	{"limit", KEY_LIMIT, "N", 0, "at most N rows (default: 10 as text, all in JSON)", 0},
	{"against", KEY_AGAINST, "VERSION", 0, "the version before, of the question versions", 0},
	{"version", KEY_VERSION, "VERSION", 0, "the version after, of the question versions", 0},
	{0}};
static const struct argp_option push_rows[] = {
	{"spool", KEY_SPOOL, "DIR", 0, "the spool of syntrace agent", 0},
	{"to", KEY_TO, "URL", 0, "upload the windows to URL/HOST/ID.jsonl.gz", 0},
	{"host", KEY_HOST, "NAME", 0, "name of the host (default: the name of this machine)", 0},
	{"loaded", KEY_LOADED, "URL", 0, "fetch the ids of loaded windows from URL/HOST (default: the directory loaded beside that of the uploads)", 0},
	{"policy", KEY_POLICY, "URL", 0, "fetch the policy of the fleet from URL (default: the file policy beside the directory of the uploads)", 0},
	{"cert", KEY_CERTIFICATE, "FILE", 0, "the certificate of this host, in PEM", 0},
	{"key", KEY_KEY, "FILE", 0, "the key of the certificate, in PEM", 0},
	{"cacert", KEY_AUTHORITY, "FILE", 0, "trust the servers that the certificates in FILE sign (default: those of the system)", 0},
	{"token-file", KEY_TOKEN, "FILE", 0, "send the first line of FILE as a bearer token", 0},
	{"every", KEY_EVERY, "SECONDS", 0, "time between two rounds (default: 60)", 0},
	{"once", KEY_ONCE, NULL, 0, "make one round, and end", 0},
	{0}};
static const struct argp_option try_rows[] = {
	{"traces", KEY_TRACES, "DIR", 0, "the traces of the services, DIR/SERVICE/TRACE, as of syntrace agent", 0},
	{"dir", KEY_DIR, "DIR", 0, "keep the store and all other files in DIR (default: " TRY_DIR ")", 0},
	{"every", KEY_EVERY, "SECONDS", 0, "record a window in each slot of SECONDS (default: 10)", 0},
	{"windows", KEY_WINDOWS, "N", 0, "end when N windows are loaded", 0},
	OPTION_LISTEN,
	{0}};
static const struct argp_option symbols_rows[] = {
	{"symbols", KEY_SYMBOLS, "DIR", 0, "the directory of the files", 0},
	{"source", KEY_SOURCE, "DIR", 0, "keep also the sources of the files that are below DIR", 0},
	{0}};
static const struct argp_option serve_rows[] = {
	OPTION_STORE,
	OPTION_LISTEN,
	OPTION_JOURNAL,
	{"symbols", KEY_SYMBOLS, "DIR", 0, "show source lines by the files in DIR (syntrace-fleet symbols), and serve them at /buildid/, for gdb and other clients of debuginfod", 0},
	{0}};
static const struct argp_option roll_rows[] = {
	OPTION_STORE,
	{"days", KEY_DAYS, "N", 0, "sum up the days that ended N days ago or earlier (default: 30)", 0},
	{"keep", KEY_KEEP, "N", 0, "drop the days that ended N days ago or earlier (default: 400)", 0},
	OPTION_JOURNAL,
	{0}};
static const struct argp_option sql_rows[] = {OPTION_STORE, OPTION_FORMAT, {0}};
/* clang-format on */

/* Parses the options of the verb query, and passes on the others. */
static error_t parse_query(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	const char *problem = NULL;

	if (key == ARGP_KEY_ARG && !syt_query_is_question(arg))
		argp_error(state, "no question '%s': " QUESTIONS, arg);
	if (key < KEY_BY || key > KEY_VERSION)
		return parse(key, arg, state);
	for (const struct argp_option *row = query_rows; row->name; row++)
		if (row->key == key) {
			problem = syt_query_set(&o->query, row->name, arg);
			if (problem)
				argp_error(state, "'%s': --%s %s", arg, row->name, problem);
		}
	return 0;
}

/* clang-format off */
static const struct verb {
	const char *name, *what;
	struct argp argp;
	bool has_argument;
	int (*run)(struct options *o);
} verbs[] = {
	{"init", "create a store", {init_rows, parse, "", "Creates the tables of a store. Does nothing if they are there already.", 0, 0, 0}, false, run_init},
	{"load", "load window files into the store", {load_rows, parse, "", "Loads window files (syntrace-decode export --to=window) into the store. Each window is loaded once. A file that is wrong moves to DIR/.rejected/. The last line of the output has the numbers of loaded, duplicate and rejected windows.", 0, 0, 0}, false, run_load},
	{"push", "upload the windows of a host", {push_rows, parse_push, "", "Uploads the windows in the spool of syntrace agent, and its state, to a web server. A window stays in the spool until the server tells that it is loaded. Fetches the policy of the fleet.", 0, 0, 0}, false, run_push},
	{"check", "check that no window is in the store twice", {init_rows, parse, "", "Checks that each window is in the store once and whole. The exit status is 1 if not.", 0, 0, 0}, false, run_check},
	{"roll", "sum up old days", {roll_rows, parse, "", "Sums up old days, so that the store stays small, and drops very old ones. Windows of these days are rejected from then on. The last line of the output has the numbers of days.", 0, 0, 0}, false, run_roll},
	{"query", "answer a question", {query_rows, parse_query, "QUESTION", "Answers a question about the fleet: " QUESTIONS ".", 0, 0, 0}, true, run_query},
	{"symbols", "keep files that name functions", {symbols_rows, parse_symbols, "put FILE...", "Keeps programs, libraries and files with debug information, by build-id. load --symbols names functions and variables by them. A better file replaces a worse one.", 0, 0, 0}, true, run_symbols},
	{"serve", "show a store in a browser", {serve_rows, parse, "", "Serves a page that answers questions about the fleet, and profiles for pprof at /pprof/wait and /pprof/hold, until a signal ends it. The page is for this machine; a web server in front of it may admit others.", 0, 0, 0}, false, run_serve},
	{"try", "record, load and answer on this machine", {try_rows, parse_try, "", "Tries the fleet on one machine: runs syntrace agent, loads its windows into a store, prints the locks for which threads waited after each window, and serves the page of the store.", 0, 0, 0}, false, run_try},
	{"sql", "run an SQL query", {sql_rows, parse, "QUERY", "Prints the rows of one SELECT on the tables of the store. Other statements are refused.", 0, 0, 0}, true, run_sql},
};
/* clang-format on */

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static const struct verb *find(const char *name)
{
	for (size_t n = 0; n < NR_VERBS; n++)
		if (!strcmp(verbs[n].name, name))
			return &verbs[n];
	return NULL;
}

static int usage(FILE *to, int status)
{
	fputs("Usage: syntrace-fleet VERB [OPTION...]\n\n", to);
	for (size_t n = 0; n < NR_VERBS; n++)
		fprintf(to, "  %-8s %s\n", verbs[n].name, verbs[n].what);
	fputs("\n  -h, --help     print this text; syntrace-fleet VERB --help prints the options "
	      "of a verb\n"
	      "  -V, --version  print the version\n",
	      to);
	return status;
}

int main(int argc, char **argv)
{
	const char *first = argc > 1 ? argv[1] : "";
	const struct verb *v = find(first);
	struct options o = {0};
	int status;

	syt_err_open("syntrace-fleet", STATUS_FAILED, "");
	if (!strcmp(first, "--version") || !strcmp(first, "-V")) {
		puts(PACKAGE_STRING);
		return STATUS_OK;
	}
	if (!strcmp(first, "--help") || !strcmp(first, "-h") || !strcmp(first, "-?"))
		return usage(stdout, STATUS_OK);
	if (!v)
		return usage(stderr, STATUS_USAGE);
	argp_err_exit_status = STATUS_USAGE;
	argv[1] = syt_asprintf("syntrace-fleet %s", v->name);
	argp_parse(&v->argp, argc - 1, argv + 1, 0, NULL, &o);
	if (v->has_argument != (o.argument != NULL) || (v->run == run_load && !o.in)) {
		syt_warn("%s: see syntrace-fleet %s --help",
		         v->run == run_load ? "load takes --in=DIR" : "wrong arguments", v->name);
		status = STATUS_USAGE;
	} else {
		status = v->run(&o);
	}
	free(argv[1]);
	if (fflush(stdout) || ferror(stdout))
		status = STATUS_FAILED;
	return status;
}
