/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command syntrace(1) runs the verb of its first argument. Any other first argument is a program to record. */
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "base/err.h"
#include "settings/nearest.h"
#include "tool/launch.h"
#include "tool/options.h"
#include "tool/program.h"
#include "tool/verbs.h"

const struct syt_verb_row syt_verbs[] = {
#define VERB(name_, what_) {#name_, &syt_verb_##name_, what_},
#include "settings/launcher-verbs.def"
#undef VERB
	{NULL, NULL, NULL},
};

static const struct syt_verb_row *find(const char *name)
{
	const struct syt_verb_row *v = syt_verbs;

	while (v->name && strcmp(name, v->name))
		v++;
	return v->name ? v : NULL;
}

static void usage(FILE *to)
{
	fputs("Usage: syntrace VERB [OPTION...] ...\n  or:  syntrace [--] PROGRAM "
	      "[ARGUMENT...]     short for 'syntrace record -- PROGRAM...'\n\n",
	      to);
	for (const struct syt_verb_row *v = syt_verbs; v->name; v++)
		fprintf(to, "  %-10s %s\n", v->name, v->what);
	fputs("\n  -h, --help     print this text; syntrace help VERB prints the options of a "
	      "verb\n  -V, --version  print the version\n\nUse syntrace-decode(1) to read a "
	      "trace.\n",
	      to);
}

static struct syt_nearest_name nearest_of(const char *name)
{
	struct syt_nearest_name nearest = {.wanted = name};

	for (const struct syt_verb_row *v = syt_verbs; v->name; v++)
		syt_nearest_try(&nearest, v->name);
	return nearest;
}

/* Returns true, after a message, if there is no program NAME but a verb with a similar name. */
static bool is_misspelt(const char *name)
{
	const struct syt_nearest_name nearest = nearest_of(name);
	struct syt_program *p = nearest.name ? syt_program_create(name) : NULL;
	bool is_missing = p && p->is_missing;

	if (is_missing)
		syt_warn("cannot run %s; did you mean 'syntrace %s'?", p->error, nearest.name);
	if (p)
		syt_program_destroy(p);
	return is_missing;
}

/* Prints the list of verbs, or the options of the verb NAME if it is not NULL. Returns the exit status. */
static int help(char *name)
{
	char *argv[] = {name, (char *)"--help", NULL};
	const struct syt_verb_row *verb = name ? find(name) : NULL;

	if (verb)
		return syt_verb_run(verb, 2, argv);
	if (name) {
		const struct syt_nearest_name nearest = nearest_of(name);
		char *hint = syt_nearest_text(&nearest);

		syt_die(SYT_STATUS_USAGE, "no verb '%s'%s", name, hint);
	}
	usage(stdout);
	return 0;
}

int main(int argc, char **argv)
{
	const char *first = argc > 1 ? argv[1] : "";
	const struct syt_verb_row *verb = find(first);

	syt_err_open("syntrace", SYT_STATUS_TOOL, "");
	if (argc < 2) {
		usage(stderr);
		return SYT_STATUS_USAGE;
	}
	if (!strcmp(first, "help"))
		return help(argv[2]);
	if (!strcmp(first, "--help") || !strcmp(first, "-?") || !strcmp(first, "-h"))
		return help(NULL);
	if (!strcmp(first, "--version") || !strcmp(first, "-V")) {
		puts(PACKAGE_STRING);
		return 0;
	}
	if (verb)
		return syt_launch_end(syt_verb_run(verb, argc - 1, argv + 1));
	if (first[0] == '-' && (strcmp(first, "--") || argc == 2)) {
		syt_warn("unknown option %s; see syntrace help", first);
		return SYT_STATUS_USAGE;
	}
	if (strcmp(first, "--") && is_misspelt(first))
		return SYT_STATUS_NOT_FOUND;
	return syt_launch_end(syt_verb_run(find("record"), argc, argv));
}
