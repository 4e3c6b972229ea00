/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/model/input.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/analysis/call_path.h"

const char *syt_arc_kind_text(uint8_t kind)
{
	return kind == SYT_ARC_CONNECTION ? "connection" : syt_edge_kind_text(kind);
}

void syt_model_input_close(struct syt_model_input *in)
{
	syt_store_free(in->leaves);
	syt_store_free(in->inner);
	for (uint32_t i = 0; i < in->nr_labels; i++) {
		free(in->labels[i].own);
		if (in->owns_texts)
			free((char *)(uintptr_t)in->labels[i].text);
	}
	free(in->labels);
	free(in->roles);
	free(in->hidden);
	if (in->paths)
		syt_call_paths_destroy(in->paths);
	memset(in, 0, sizeof(*in));
}

uint64_t syt_model_leaf_tasks(const struct syt_model_input *in, uint32_t leaf)
{
	uint32_t next = leaf + 1;

	if (!in->tasks)
		return 1;
	return (next < in->nr_leaves ? in->leaves[next].task : in->tasks->nr) -
	       in->leaves[leaf].task;
}
