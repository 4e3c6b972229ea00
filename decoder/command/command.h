/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * How a verb plugs in: a row in decoder/command/verbs.def, and one struct syt_verb named syt_verb_NAME.
 *
 * main.c parses the options that all verbs share and, through the verb's own argp, the verb's;
 * reads the trace; opens the output (pager, colours); calls run; and turns its result and what was
 * lost into the exit status.
 */
#ifndef SYT_DECODER_COMMAND_COMMAND_H
#define SYT_DECODER_COMMAND_COMMAND_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "decoder/base/err.h"
#include "decoder/base/out.h"
#include "decoder/read/reader.h"
#include "decoder/read/symbol.h"
#include "decoder/read/trace.h"
#include "settings/settings.h"

enum syt_format {
	SYT_FORMAT_TEXT,
	SYT_FORMAT_JSONL,
	SYT_FORMAT_DOT,
	SYT_FORMAT_JSON,
	SYT_FORMAT_MARKDOWN,
	SYT_FORMAT_JUNIT
};

/* What every verb gets. */
struct syt_command {
	const struct syt_verb *verb;
	enum syt_format format; /* one of the verb's formats */
	const struct syt_trace_data *trace;
	struct syt_symbols *symbols;
	struct syt_out *out;
	void *options;  /* the verb's, options_bytes of them */
	const char *id; /* the event that a verb which takes one was given, "P.T.N", or NULL */
	bool fail_on_loss, has_debuginfod;
	/* for a verb that reads for itself, which has no trace and no symbols: */
	const char *const *inputs;
	size_t nr_inputs;
	const struct syt_read_options *read_options;
	struct syt_settings *settings; /* that the options were parsed with */
	bool has_loss;                 /* it sets this when something was lost or damaged */
};

struct syt_verb {
	const char *name;
	const char *summary; /* one line for the list of verbs */
	const char *doc;     /* for VERB --help */
	unsigned formats; /* bits 1 << SYT_FORMAT_*; text is the default where it is among them */
	/* The verb's own options; NULL when it has none. Its parser's `input` is the options, which
	 * start out as zeros (ARGP_KEY_INIT sets defaults).  After argp_error() it returns without harm: what
	 * comes from a configuration file is told with its place.  What stands for nothing given ends its help as
	 * "(default: VALUE)", which info --config prints. */
	const struct argp *argp;
	size_t options_bytes;
	bool takes_id; /* an event's id may stand before the traces */
	/* Prints what can be told before the events are decoded, of the first image; run() prints
	 * the rest. May be NULL; is not called when there is no image, or when a pager shows the
	 * output (messages about the trace would be written over it). C has no trace yet. */
	void (*begin)(struct syt_command *c, const struct syt_image *first);
	/* Prints. Returns SYT_EXIT_OK or _FINDINGS, or another status after it has said why
	 * (syt_warn). */
	enum syt_exit (*run)(struct syt_command *c);
	/* Its inputs are several traces, or other files: it reads them for itself, in run(). */
	bool reads_itself;
	const char *args_doc; /* what its inputs are; NULL: TRACE... */
	/* It neither looks at all rows nor at edges of locks: the trace may be a sparse one
	 * (decoder/read/sparse.h).  May be NULL: it does. */
	bool (*is_sparse)(const void *options);
	/* These options do without any trace: C has none then. May be NULL: it needs one. */
	bool (*needs_no_trace)(const void *options);
	void (*fini)(void *options); /* frees what parsing allocated; may be NULL */
};

#define VERB(name_) extern const struct syt_verb syt_verb_##name_;
#include "decoder/command/verbs.def"
#undef VERB

#endif
