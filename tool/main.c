/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The command syntrace(1) runs the verb of its first argument. Any other first argument is a program to record. */
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "base/err.h"
#include "tool/launch.h"
#include "tool/options.h"
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
	fputs("\n  -?, --help     print this text; syntrace VERB --help prints the options of a "
	      "verb\n  -V, --version  print the version\n\nUse syntrace-decode(1) to read a "
	      "trace.\n",
	      to);
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
	if (!strcmp(first, "--help") || !strcmp(first, "-?") || !strcmp(first, "-h")) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(first, "--version") || !strcmp(first, "-V")) {
		puts(PACKAGE_STRING);
		return 0;
	}
	if (verb)
		return syt_launch_end(syt_verb_run(verb, argc - 1, argv + 1));
	if (first[0] == '-' && (strcmp(first, "--") || argc == 2)) {
		syt_warn("unknown option %s; see syntrace --help", first);
		return SYT_STATUS_USAGE;
	}
	return syt_launch_end(syt_verb_run(find("record"), argc, argv));
}
