/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * How a format of other tools plugs in: a row in decoder/export/exporters.def, a source there, and
 * one struct syt_exporter named syt_exporter_NAME.  It is fed by the same order, tasks and steps
 * (decoder/export/pass.h) as all others, and holds nothing that grows with the number of events
 * but in the store.
 *
 * A format says what is not known, too: the line of type coverage, wherever it has room for words.
 */
#ifndef SYT_DECODER_EXPORTER_H
#define SYT_DECODER_EXPORTER_H

#include "base/out.h"
#include "decoder/order/label.h"
#include "decoder/order/order.h"
#include "decoder/order/task.h"
#include "decoder/read/symbol.h"

/* What profiles are of. */
enum syt_what {
	SYT_WHAT_WAIT,      /* all time inside of calls that acquire something */
	SYT_WHAT_CONTENTION /* waits for locks, and whom they are charged to */
};

/* What every format gets. */
struct syt_export {
	const struct syt_order *order;
	const struct syt_tasks *tasks;
	struct syt_labels *labels; /* of the tasks; NULL without stacks */
	struct syt_symbols *symbols;
	bool has_stacks;     /* else nothing that depends on what symbols this machine has */
	enum syt_what what;  /* of profiles */
	struct syt_out *out; /* to be written to, front to end */
	const char *path;    /* for those who need more than that: it is there and empty */
};

struct syt_exporter {
	const char *name;
	const char *suffix; /* of files, with its dot */
	bool is_file;       /* writes to `path`, and not to `out`; */
	bool is_directory;  /* so does this, and `path` is an empty directory */
	bool is_profile;    /* a sum over time, of `what` */
	/* Writes. Returns 0, or -1 after it has said why (syt_warn). */
	int (*run)(struct syt_export *x);
};

#define EXPORTER(name_, summary_) extern const struct syt_exporter syt_exporter_##name_;
#include "decoder/export/exporters.def"
#undef EXPORTER

/* By its name, or by the end of a file's name; NULL when there is none. */
const struct syt_exporter *syt_exporter_find(const char *name);
const struct syt_exporter *syt_exporter_of_file(const char *path);
/* The one with this number, from 0; NULL behind the last. */
const struct syt_exporter *syt_exporter_at(size_t number);

#endif
