/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/known.h"

#include <stdlib.h>

#include "base/counts.h"
#include "base/err.h"

void syt_known_open(struct syt_known *k, const struct syt_places *places)
{
	const struct syt_trace_data *t = places->trace;
	struct syt_counts of_pid = {0}, of_tid = {0};

	k->images = syt_calloc(t->nr_images, sizeof(bool));
	k->threads = syt_calloc(places->nr_threads, sizeof(bool));
	for (uint32_t n = 0; n < t->nr_images; n++) {
		uint32_t pid = t->images[n].file.pid;

		k->images[n] = !(*syt_counts_at(&of_pid, pid, 0))++ && pid;
	}
	for (uint32_t n = 0; n < places->nr_threads; n++) {
		const struct syt_thread *thread = places->threads[n];
		const struct syt_image *image = thread->image;

		k->threads[n] = !(*syt_counts_at(&of_tid, image->file.pid, thread->tid))++ &&
		                thread->tid && k->images[image - t->images];
	}
	syt_counts_fini(&of_pid);
	syt_counts_fini(&of_tid);
}

void syt_known_close(struct syt_known *k)
{
	free(k->images);
	free(k->threads);
}
