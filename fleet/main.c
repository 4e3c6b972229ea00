/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command syntrace-fleet(1) keeps the windows of many hosts in a store, and answers questions about them. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "base/err.h"
#include "fleet/load.h"
#include "fleet/sql.h"

enum status { STATUS_OK, STATUS_FINDINGS, STATUS_USAGE, STATUS_FAILED = 4 };

struct options {
	const char *store, *in, *loaded, *argument;
	bool is_once, is_json;
};

enum key { KEY_STORE = 256, KEY_IN, KEY_LOADED, KEY_ONCE };

#define OPTION_STORE                                                                               \
	{                                                                                          \
		"store", KEY_STORE, "FILE", 0, "the store, an SQLite database", 0                  \
	}
#define OPTION_FORMAT                                                                              \
	{                                                                                          \
		"format", 'f', "FORMAT", 0, "print the output as text, jsonl (default: text)", 0   \
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
	case KEY_ONCE:
		o->is_once = true;
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
			argp_error(state, "which store? use --store=FILE");
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

static int run_load(struct options *o)
{
	/* beside the uploads, so that a web server can publish the lists and not the uploads */
	char *loaded =
		o->loaded ? syt_asprintf("%s", o->loaded) : syt_asprintf("%s/../loaded", o->in);
	struct syt_fleet_store s;
	struct syt_fleet_loaded nr = {0};
	int status = syt_fleet_store_open(&s, o->store);

	if (!status)
		status = syt_fleet_load(&s, o->in, loaded, &nr);
	syt_fleet_store_close(&s);
	free(loaded);
	printf("{\"v\":1,\"type\":\"load\",\"loaded\":%llu,\"duplicates\":%llu,\"rejected\":%llu}"
	       "\n",
	       (unsigned long long)nr.nr_loaded, (unsigned long long)nr.nr_duplicates,
	       (unsigned long long)nr.nr_rejected);
	return status ? STATUS_FAILED : STATUS_OK;
}

static int run_check(struct options *o)
{
	struct syt_fleet_store s;
	int status = syt_fleet_store_open(&s, o->store);

	if (!status)
		status = syt_fleet_store_check(&s);
	syt_fleet_store_close(&s);
	return status < 0 ? STATUS_FAILED : status ? STATUS_FINDINGS : STATUS_OK;
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

/* clang-format off */
static const struct argp_option init_rows[] = {OPTION_STORE, {0}};
static const struct argp_option load_rows[] = {
	OPTION_STORE,
	{"in", KEY_IN, "DIR", 0, "the directory of the uploads, DIR/HOST/ID.jsonl.gz", 0},
	{"loaded", KEY_LOADED, "DIR", 0, "write the ids of loaded windows to DIR/HOST (default: the directory loaded beside that of the uploads)", 0},
	{"once", KEY_ONCE, NULL, 0, "load the files that are there now, and end", 0},
	{0}};
static const struct argp_option sql_rows[] = {OPTION_STORE, OPTION_FORMAT, {0}};
/* clang-format on */

static const struct verb {
	const char *name, *what;
	struct argp argp;
	bool has_argument;
	int (*run)(struct options *o);
} verbs[] = {
	{"init",
         "create a store",
         {init_rows, parse, "",
          "Creates the tables of a store. Does nothing if the file is a store already.", 0, 0, 0},
         false,
         run_init},
	{"load",
         "load window files into the store",
         {load_rows, parse, "",
          "Loads window files (syntrace-decode export --to=window) into the store. Each window is "
          "loaded once. A file that is wrong moves to DIR/.rejected/. The last line of the output "
          "has the numbers of loaded, duplicate and rejected windows.",
          0, 0, 0},
         false,
         run_load},
	{"check",
         "check that no window is in the store twice",
         {init_rows, parse, "",
          "Checks that each window is in the store once and whole. The exit status is 1 if not.", 0,
          0, 0},
         false,
         run_check},
	{"sql",
         "run an SQL query",
         {sql_rows, parse, "QUERY",
          "Prints the rows of one SELECT on the tables of the store. Other statements are refused.",
          0, 0, 0},
         true,
         run_sql},
};

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
	fputs("Usage: syntrace-fleet VERB --store=FILE [OPTION...]\n\n", to);
	for (size_t n = 0; n < NR_VERBS; n++)
		fprintf(to, "  %-6s %s\n", verbs[n].name, verbs[n].what);
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
	if (v->has_argument != (o.argument != NULL) ||
	    (v->run == run_load && (!o.in || !o.is_once))) {
		syt_warn("%s: see syntrace-fleet %s --help",
		         v->run == run_load ? "load takes --once and --in=DIR" : "wrong arguments",
		         v->name);
		status = STATUS_USAGE;
	} else {
		status = v->run(&o);
	}
	free(argv[1]);
	if (fflush(stdout) || ferror(stdout))
		status = STATUS_FAILED;
	return status;
}
