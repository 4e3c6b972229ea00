/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/err.h"
#include "decoder/model/mine.h"
#include "decoder/model/refine.h"

int syt_model_open(struct syt_model *m, const struct syt_model_input *in,
                   const struct syt_model_options *options)
{
	struct syt_model_forest forest = {0};

	if (in->nr_leaves >= SYT_NONE / 2) {
		syt_warn("the model would have too many leaves: %u, at most %u", in->nr_leaves,
		         SYT_NONE / 2 - 1);
		return -1;
	}
	syt_mine(&forest, in, options->least);
	syt_refine_prune(&forest, in, options->least);
	syt_refine_functions(&forest, in);
	syt_refine_prune(&forest, in, options->least);
	syt_refine_inline(&forest, in, options->least);
	syt_model_build(m, in, options, &forest);
	return 0;
}
