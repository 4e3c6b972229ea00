/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Exporters write a trace in formats of other tools. An exporter is a row in decoder/export/exporters.def, a source
 * file in this directory, and one struct syt_exporter named syt_exporter_NAME. All exporters use the same
 * happens-before order, leaf tasks and steps (decoder/export/pass.h). Exporters keep data that grow with the number
 * of events only in the store (base/store.h). An exporter also writes the coverage as a JSON line, if its format
 * has space for text. */
#ifndef SYT_DECODER_EXPORTER_H
#define SYT_DECODER_EXPORTER_H

#include "base/out.h"
#include "decoder/export/selection.h"
#include "decoder/order/task.h"
#include "decoder/read/symbol.h"

/* The times that a profile sums up. */
enum syt_what {
	SYT_WHAT_WAIT,      /* the time inside of all calls that acquire something */
	SYT_WHAT_CONTENTION /* waits for locks, and the call paths to blame for them */
};

/* The facts of a window that the trace does not tell. A text that is NULL comes from the trace. */
struct syt_window_names {
	const char *host, *service, *version;
	double p_host, p_time; /* probabilities in (0, 1] of the host and of the instant */
};

/* The input of every exporter. */
struct syt_export {
	const struct syt_order *order;
	const struct syt_tasks *tasks;
	/* labels of the leaf tasks (call paths where they begin and end); NULL without stacks */
	struct syt_labels *labels;
	struct syt_symbols *symbols;
	bool has_stacks;     /* false: the output does not depend on the symbols of this machine */
	enum syt_what what;  /* times that a profile sums up */
	struct syt_out *out; /* output, written from front to end */
	const char *path;    /* name of the empty file, for formats that need a file name */
	struct syt_selection selection; /* part of the trace; only timelines can be a part */
	struct syt_window_names window;
};

struct syt_exporter {
	const char *name;
	const char *suffix; /* suffix of file names, with the dot */
	bool is_file;       /* the exporter writes to `path`, not to `out` */
	bool is_directory;  /* the exporter writes to `path`, an empty directory */
	bool is_profile;    /* the output is a profile: a sum over time of `what` */
	bool is_timeline;   /* the output can be a part of the trace */
	bool is_window; /* the output is the last period of a paused trace, and has the names `window` */
	bool is_compressed; /* the format is always compressed with gzip */
	/* Writes the trace. Returns 0, or -1 after a message (syt_warn). */
	int (*run)(struct syt_export *x);
};

/* Numbers for the calls, call stacks and modules of all process images, and marks for names that are written
 * once. */
struct syt_ids {
	/* [index in trace->images]: number of the image's first call, first stack, first module */
	uint64_t *calls, *stacks, *modules;
	uint64_t nr_calls, nr_stacks, nr_modules;
	/* marks by number; has_module has one more element per image, and the index of has_object is an object */
	bool *has_call, *has_stack, *has_module, *has_object;
};

void syt_ids_open(struct syt_ids *n, const struct syt_order *o);
void syt_ids_close(struct syt_ids *n);

/* Sets MARKS[NUMBER]. Returns true if it was not set before. */
static inline bool syt_ids_mark(bool *marks, uint64_t number)
{
	bool is_first = !marks[number];

	marks[number] = true;
	return is_first;
}

#define EXPORTER(name_, summary_) extern const struct syt_exporter syt_exporter_##name_;
#include "decoder/export/exporters.def"
#undef EXPORTER

/* Return the exporter with this name, or the exporter for the suffix of a file name, also with ".gz" or ".tar.gz"
 * after it; NULL: there is none. */
const struct syt_exporter *syt_exporter_find(const char *name);
const struct syt_exporter *syt_exporter_of_file(const char *path);
/* Returns the length of PATH without ".gz" or ".tar.gz" at its end. */
size_t syt_exporter_stem(const char *path);
/* Returns the exporter with this number, from 0; NULL after the last exporter. */
const struct syt_exporter *syt_exporter_at(size_t number);

#endif
