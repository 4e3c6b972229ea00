/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace(1): chooses the verb.  An argument that is not a verb is a program to record.
 */
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "base/err.h"
#include "tool/say.h"
#include "tool/verbs.h"

static const struct verb {
	const char *name;
	const struct syt_launcher_verb *verb;
	const char *what;
} verbs[] = {
#define VERB(name_, what_) {#name_, &syt_verb_##name_, what_},
#include "settings/launcher-verbs.def"
#undef VERB
};

#define NR_VERBS (sizeof(verbs) / sizeof(*verbs))

static void usage(FILE *to)
{
	fputs("Usage: syntrace VERB [OPTION...] ...\n"
	      "  or:  syntrace [--] PROGRAM [ARGUMENT...]     the same as syntrace record -- "
	      "PROGRAM...\n"
	      "\n",
	      to);
	for (size_t i = 0; i < NR_VERBS; i++)
		fprintf(to, "  %-10s %s\n", verbs[i].name, verbs[i].what);
	fputs("\n  -?, --help     print this text; syntrace VERB --help prints the options of a "
	      "verb\n  -V, --version  print the version\n\nUse syntrace-decode(1) to read a "
	      "trace.\n",
	      to);
}

int main(int argc, char **argv)
{
	syt_err_open("syntrace", SYT_STATUS_TOOL, "");
	if (argc < 2) {
		usage(stderr);
		return SYT_STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?") || !strcmp(argv[1], "-h")) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts(PACKAGE_STRING);
		return 0;
	}
	for (size_t i = 0; i < NR_VERBS; i++) {
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].verb->main(argc - 1, argv + 1);
	}
	if (!strcmp(argv[1], "--") && argc > 2)
		return syt_record_command(argc - 2, argv + 2);
	if (argv[1][0] == '-') {
		syt_warn("unknown option %s; see syntrace --help", argv[1]);
		return SYT_STATUS_USAGE;
	}
	return syt_record_command(argc - 1, argv + 1);
}
