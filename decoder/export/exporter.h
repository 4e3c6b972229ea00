/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Exporters to formats of other tools. An exporter is a row in decoder/export/exporters.def, a source file in this
 * directory, and one struct syt_exporter named syt_exporter_NAME. All exporters use the same order, tasks and steps
 * (decoder/export/pass.h). Data that grow with the number of events are only in the store. An exporter also writes
 * the line of type coverage, if its format has room for text.
 */
#ifndef SYT_DECODER_EXPORTER_H
#define SYT_DECODER_EXPORTER_H

#include "base/out.h"
#include "decoder/order/task.h"
#include "decoder/read/symbol.h"

/* The subject of a profile. */
enum syt_what {
	SYT_WHAT_WAIT,      /* all time inside of calls that acquire something */
	SYT_WHAT_CONTENTION /* waits for locks, and the call paths to blame */
};

/* The input of every exporter. */
struct syt_export {
	const struct syt_order *order;
	const struct syt_tasks *tasks;
	struct syt_labels *labels; /* labels of the tasks; NULL without stacks */
	struct syt_symbols *symbols;
	bool has_stacks;     /* false: no output depends on the symbols of this machine */
	enum syt_what what;  /* subject of a profile */
	struct syt_out *out; /* written from front to end */
	const char *path;    /* name of the empty file, for formats that need a file name */
};

struct syt_exporter {
	const char *name;
	const char *suffix; /* suffix of files, with the dot */
	bool is_file;       /* the exporter writes to `path`, not to `out` */
	bool is_directory;  /* the exporter writes to `path`, an empty directory */
	bool is_profile;    /* the output is a sum over time of `what` */
	/* Writes the trace. Returns 0, or -1 after it has reported the reason (syt_warn). */
	int (*run)(struct syt_export *x);
};

/* Numbers for the calls, call stacks and modules of all images, and marks for names that are written once. */
struct syt_ids {
	/* [index in trace->images]: number of the image's call 0, stack 0, module 0 */
	uint64_t *calls, *stacks, *modules;
	uint64_t nr_calls, nr_stacks, nr_modules;
	/* [number]; has_module has room for one more module per image, has_object is [object] */
	bool *has_call, *has_stack, *has_module, *has_object;
};

void syt_ids_open(struct syt_ids *n, const struct syt_order *o);
void syt_ids_close(struct syt_ids *n);

/* Sets MARKS[NUMBER]. Returns true the first time. */
static inline bool syt_ids_mark(bool *marks, uint64_t number)
{
	bool is_first = !marks[number];

	marks[number] = true;
	return is_first;
}

#define EXPORTER(name_, summary_) extern const struct syt_exporter syt_exporter_##name_;
#include "decoder/export/exporters.def"
#undef EXPORTER

/* Returns an exporter by its name, or by the suffix of a file name; NULL: none. */
const struct syt_exporter *syt_exporter_find(const char *name);
const struct syt_exporter *syt_exporter_of_file(const char *path);
/* Returns the exporter with this number, from 0; NULL after the last. */
const struct syt_exporter *syt_exporter_at(size_t number);

#endif
