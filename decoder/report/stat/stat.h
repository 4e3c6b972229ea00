/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The parts of stat: what it selects, and its two ways of printing. */
#ifndef SYT_DECODER_REPORT_STAT_STAT_H
#define SYT_DECODER_REPORT_STAT_STAT_H

#include <stdbool.h>

#include "decoder/command/command.h"
#include "decoder/report/stat/object_summary.h"

struct syt_stat_options {
	bool has_objects, has_modules;
	enum syt_object_sort sort;
	uint64_t limit; /* of objects; 0: none */
	bool has_begun; /* the first process has been introduced */
};

void syt_stat_text_identity(struct syt_out *o, const struct syt_image *i);
void syt_stat_text(struct syt_command *c);
void syt_stat_json(struct syt_command *c);
/* What needs the order of the whole trace: objects and coverage, in the command's format. */
enum syt_exit syt_stat_order(struct syt_command *c);

/* ---- what both say ---- */

/* "running or killed", "exited", "replaced by exec"; *STATUS: the exit status, or -1. */
const char *syt_stat_state(const struct syt_image *i, int *status);
const char *syt_stat_clock(const struct syt_image *i);
/* Of enum syt_loss: text for people, and the name in JSON; NULL when out of range. */
const char *syt_stat_loss(unsigned loss);
const char *syt_stat_loss_name(unsigned loss);

#endif
