/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/problem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/err.h"

void syt_problems_init(struct syt_problems *p)
{
	memset(p, 0, sizeof(*p));
	pthread_mutex_init(&p->lock, NULL);
}

void syt_problems_fini(struct syt_problems *p)
{
	for (uint32_t i = 0; i < p->nr_kept; i++)
		free(p->kept[i].text);
	pthread_mutex_destroy(&p->lock);
}

static int by_byte(const void *a_, const void *b_)
{
	const struct syt_problem *a = a_, *b = b_;

	SYT_ORDER_BY(byte);
	return strcmp(a->text, b->text);
}

void syt_problem(struct syt_problems *p, uint64_t byte, const char *format, ...)
{
	struct syt_problem new = {.byte = byte};
	va_list args;

	va_start(args, format);
	if (vasprintf(&new.text, format, args) < 0)
		new.text = NULL;
	va_end(args);
	pthread_mutex_lock(&p->lock);
	p->nr++;
	if (new.text && p->nr_kept < SYT_PROBLEMS_KEPT) {
		p->kept[p->nr_kept++] = new;
	} else if (new.text) {
		uint32_t last = 0;

		for (uint32_t i = 1; i < p->nr_kept; i++)
			if (by_byte(&p->kept[i], &p->kept[last]) > 0)
				last = i;
		if (by_byte(&new, &p->kept[last]) < 0) {
			struct syt_problem old = p->kept[last];

			p->kept[last] = new;
			new = old;
		}
		free(new.text);
	}
	pthread_mutex_unlock(&p->lock);
}

void syt_problems_print(struct syt_problems *p, const char *file, unsigned limit)
{
	qsort(p->kept, p->nr_kept, sizeof(p->kept[0]), by_byte);
	uint32_t shown = p->nr_kept < limit ? p->nr_kept : limit;

	for (uint32_t i = 0; i < shown; i++)
		syt_warn("%s: %s", file, p->kept[i].text);
	if (p->nr > shown)
		syt_warn("%s: and %" PRIu64 " more problems like these", file, p->nr - shown);
}
