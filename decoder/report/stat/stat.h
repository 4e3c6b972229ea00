/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The parts of the report stat. */
#ifndef SYT_DECODER_REPORT_STAT_STAT_H
#define SYT_DECODER_REPORT_STAT_STAT_H

#include "decoder/command/command.h"
#include "decoder/report/stat/object_summary.h"
#include "decoder/report/stat/summary.h"

struct syt_stat_options {
	bool has_objects, has_modules;
	enum syt_object_sort sort;
	uint64_t limit; /* maximum number of listed objects; 0: all */
	bool has_begun; /* the identity of the first process image was printed already */
};

void syt_stat_text_identity(struct syt_out *o, const struct syt_image *i);
/* Prints the numbers of recorded, decoded and lost events, the blind spots, notes and leaf tasks. */
void syt_stat_text_events(struct syt_out *o, const struct syt_image *i,
                          const struct syt_image_summary *s);

void syt_stat_json_process(struct syt_out *out, const struct syt_image *i);
void syt_stat_json_tasks(struct syt_out *out, const struct syt_image *i,
                         const struct syt_leaves *leaves);
void syt_stat_json_blind(struct syt_out *out, const struct syt_image *i);

void syt_stat_list_calls(const struct syt_view *v, const struct syt_image *i,
                         const struct syt_image_summary *s);
void syt_stat_list_threads(const struct syt_view *v, const struct syt_image *i,
                           const struct syt_image_summary *s);
void syt_stat_list_modules(const struct syt_view *v, const struct syt_image *i);
void syt_stat_list_objects(const struct syt_view *v, enum syt_object_sort by);

/* Prints the hosts, if the trace has several. */
void syt_stat_hosts(const struct syt_command *c);

/* Prints the parts of the report that need the order of the whole trace: objects and coverage. */
enum syt_exit syt_stat_order(struct syt_command *c);

/* Returns "running or killed", "exited" or "replaced by exec". Sets *STATUS to the exit status, or -1. */
const char *syt_stat_state(const struct syt_image *i, int *status);
const char *syt_stat_clock(const struct syt_image *i);
/* The JSON name and the text of each reason to lose an event (enum syt_loss). */
extern const struct syt_stat_loss {
	const char *name, *text;
} syt_stat_losses[SYT_NR_LOSSES];

#endif
