/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The verbs of syntrace(1), one file each; their names are in settings/launcher-verbs.def. */
#ifndef SYT_TOOL_VERBS_H
#define SYT_TOOL_VERBS_H

#include <argp.h>
#include <stddef.h>

struct syt_launcher_verb {
	int (*main)(int argc, char **argv); /* argv[0] is the verb; the result is the exit status */
	const struct argp *argp;
	size_t options_bytes;        /* size of the options, the input of its parser */
	void (*fini)(void *options); /* frees memory of the parser; may be NULL */
};

#define VERB(name_, what_) extern const struct syt_launcher_verb syt_verb_##name_;
#include "settings/launcher-verbs.def"
#undef VERB

/* `syntrace CMD...`: record into the default directory. argv[0] is the tool's name. */
int syt_record_command(int argc, char **argv);

#endif
