/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The verbs of syntrace(1), and the exit statuses of the verbs. */
#ifndef SYT_TOOL_VERBS_H
#define SYT_TOOL_VERBS_H

#include <argp.h>
#include <stddef.h>

/* Exit statuses of `syntrace record`, with the same meaning as those of env(1) and the shells. */
#define SYT_STATUS_TOOL 125      /* the tool failed before it ran the program */
#define SYT_STATUS_NOT_RUN 126   /* the program was found, but could not be run */
#define SYT_STATUS_NOT_FOUND 127 /* the program was not found */
/* exit status minus the number of the signal that ended the program */
#define SYT_STATUS_SIGNAL 128

/* Exit statuses of the verbs other than record. */
#define SYT_STATUS_BLIND 1 /* doctor: a part of the program cannot be recorded */
#define SYT_STATUS_USAGE 2
#define SYT_STATUS_UNREADABLE 4

struct syt_launcher_verb {
	int (*run)(void *options); /* runs the verb; returns the exit status, or minus a signal */
	const struct argp *argp;
	size_t options_bytes;        /* size of the options, which the parser fills */
	const void *defaults;        /* options before the parse; NULL: all zero */
	void (*fini)(void *options); /* frees memory of the options; may be NULL */
	unsigned argp_flags;
	int usage; /* exit status for wrong usage or an invalid configuration file */
};

/* The verbs in the order of --help. The last row has no name. */
extern const struct syt_verb_row {
	const char *name;
	const struct syt_launcher_verb *verb;
	const char *what; /* description of the verb in --help */
} syt_verbs[];

#define VERB(name_, what_) extern const struct syt_launcher_verb syt_verb_##name_;
#include "settings/launcher-verbs.def"
#undef VERB

#endif
