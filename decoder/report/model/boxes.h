/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The model as boxes inside boxes: a task is a box that contains the boxes of its parts. The pictures draw these boxes. */
#ifndef SYT_DECODER_REPORT_MODEL_BOXES_H
#define SYT_DECODER_REPORT_MODEL_BOXES_H

#include "decoder/report/model/view.h"

#define SYT_MODEL_BOXES 2000u /* largest number of boxes in a picture */

struct syt_model_box {
	struct syt_model_what what;
	const struct syt_model_part *part; /* NULL: a box that no other box contains */
	uint32_t up;                       /* the box around this box, or SYT_NONE */
	/* the boxes inside are all[first] up to all[first + nr], the arcs between them lines[first_line] up to
	 * lines[first_line + nr_lines] */
	uint32_t first, nr;
	size_t first_line, nr_lines;
};

/* An arc between two boxes that lie in the same box. */
struct syt_model_line {
	uint32_t from, to; /* indices of boxes */
	const struct syt_model_arc *arc;
};

struct syt_model_boxes {
	uint32_t nr;
	struct syt_model_box *all; /* each box before the boxes inside of it */
	size_t nr_lines, room_lines;
	struct syt_model_line *lines;
	uint32_t nr_left;   /* number of tasks that the limits leave out */
	uint32_t nr_closed; /* number of boxes whose parts the limits leave out */
};

/* Makes the boxes of the tasks of V, down to the depth of V. */
void syt_model_boxes_open(struct syt_model_boxes *b, const struct syt_model_view *v);
void syt_model_boxes_close(struct syt_model_boxes *b);

/* Returns the share of the part BOX in the latency of the task around it, in percent. Returns 0 for a top task. */
double syt_model_box_share(const struct syt_model_view *v, const struct syt_model_box *box);
#define SYT_MODEL_MARKED 10.0 /* percent from which a share is printed */
#define SYT_MODEL_MOST 50.0   /* percent from which a part is highlighted */

/* Writes how many tasks and parts the limits leave out. */
void syt_model_boxes_left(struct syt_out *out, const struct syt_model_boxes *b);

/* Writes the text in the box BOX: lines that a newline separates. The first line is the name. */
void syt_model_box_text(struct syt_out *out, const struct syt_model_view *v,
                        const struct syt_model_box *box);
/* Writes the text beside an arc, which may be empty: "stream 3", "handoff ? 3". The question mark marks an inferred arc. */
void syt_model_line_text(struct syt_out *out, const struct syt_model_arc *arc);

#endif
