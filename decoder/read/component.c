/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Names of components. A component is a program; in a trace of several hosts, it is a program on one host. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"
#include "decoder/read/image.h"

static int by_name(const void *a_, const void *b_)
{
	const struct syt_image *const *a = a_, *const *b = b_;
	int c = strcmp((*a)->file.host, (*b)->file.host);

	return c ? c : SYT_COMPARE((*a)->host, (*b)->host);
}

/* Returns for each of NR hosts whether another host has the same name. */
static bool *find_namesakes(const struct syt_trace_data *t, uint32_t nr)
{
	const struct syt_image **first = syt_calloc(nr, sizeof(*first));
	bool *is_shared = syt_calloc(nr, sizeof(*is_shared));

	for (uint32_t n = t->nr_images; n--;)
		first[t->images[n].host] = &t->images[n];
	qsort(first, nr, sizeof(*first), by_name);
	for (uint32_t n = 1; n < nr; n++)
		if (!strcmp(first[n - 1]->file.host, first[n]->file.host))
			is_shared[first[n - 1]->host] = is_shared[first[n]->host] = true;
	free(first);
	return is_shared;
}

void syt_components_name(struct syt_trace_data *t)
{
	uint32_t nr = 0;
	bool *is_shared;

	for (uint32_t n = 0; n < t->nr_images; n++)
		nr = t->images[n].host >= nr ? t->images[n].host + 1 : nr;
	if (nr < 2)
		return;
	is_shared = find_namesakes(t, nr);
	for (uint32_t n = 0; n < t->nr_images; n++) {
		struct syt_image *i = &t->images[n];
		const char *program = syt_image_program(i);

		i->component = is_shared[i->host] ? syt_asprintf("%s@%s#%" PRIu32, program,
		                                                 i->file.host, i->host)
		                                  : syt_asprintf("%s@%s", program, i->file.host);
	}
	free(is_shared);
}
