/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The outputs of the verb model. */
#ifndef SYT_DECODER_REPORT_MODEL_VIEW_H
#define SYT_DECODER_REPORT_MODEL_VIEW_H

#include "base/out.h"
#include "decoder/model/model.h"
#include "decoder/report/model/digest.h"
#include "decoder/show/finding.h"
#include "decoder/show/host_error.h"

#define SYT_MODEL_SHOWN 6u /* number of tasks in the text, unless the user gives another number */

struct syt_model_view {
	struct syt_out *out;
	const struct syt_model *m;
	struct syt_model_digest *digest; /* NULL: JSON, or a model without a trace */
	const bool *
		is_shown; /* [task]: the user asked for this task, or for a task that contains it */
	uint32_t task;    /* the task that the user asked for; SYT_NONE: all tasks */
	uint64_t depth;   /* number of layers that the text shows below a task */
	uint64_t limit;   /* number of tasks and instances in the text; 0: all */
	bool has_instances;
	bool is_limited;  /* the user gave the limit */
	bool is_overview; /* the text shows a few lines for each task */
	uint32_t *signs;  /* the signs that the text has to explain; NULL: no text */
};

void syt_model_text(const struct syt_model_view *v);
void syt_model_json(const struct syt_model_view *v);
/* Draw the tasks as rectangles inside rectangles: as DOT for graphviz, or as SVG. */
void syt_model_dot(const struct syt_model_view *v);
void syt_model_svg(const struct syt_model_view *v);

/* Prints the leaf tasks and the arcs between them, by label, as the verb graph does. The function finds the leaf tasks in
 * the trees of the model alone. It removes edges from ORDER. */
void syt_model_expand(const struct syt_model_view *v, struct syt_order *order,
                      struct syt_labels *labels, bool is_json);

/* Returns the kind of the arc by which most occurrences of PART start, and whether this arc is inferred. */
struct syt_model_arc syt_model_view_start(const struct syt_model *m, uint32_t task,
                                          struct syt_model_what part);

/* Returns the sentences about the hidden hand-offs of KIND, from malloc, with untrusted text; or NULL if there are none. */
char *syt_model_hidden_text(const struct syt_model_input *in, enum syt_hidden kind);
/* Writes the numbers of hidden hand-offs in a picture, without untrusted text. Writes no text if there are none. */
void syt_model_put_hidden_short(struct syt_out *out, const struct syt_model_input *in);

/* Return the error of the length S of an instance, and the largest error of the instances of TASK. */
struct syt_host_error syt_model_error(const struct syt_model *m, struct syt_model_span s);
struct syt_host_error syt_model_task_error(const struct syt_model *m, uint32_t task);

/* Writes the model into PAGE. Without a page, the function does nothing. */
void syt_model_begin_page(struct syt_html *page);
void syt_model_end_page(struct syt_html *page);

#endif
