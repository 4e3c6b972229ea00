/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/history/coverage.h"

#define TEXT(name_, text_) text_,
#define NAME(name_, text_) #name_,

const char *syt_reason_text(enum syt_reason reason)
{
	static const char *const texts[] = {SYT_REASONS(TEXT)};

	return texts[reason];
}

const char *syt_reason_name(enum syt_reason reason)
{
	static const char *const names[] = {SYT_REASONS(NAME)};

	return names[reason];
}

static uint64_t sum(const uint64_t *of_reasons)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < SYT_NR_REASONS; i++)
		all += of_reasons[i];
	return all;
}

uint64_t syt_coverage_unattributed(const struct syt_coverage *c)
{
	return sum(c->unattributed);
}

uint64_t syt_coverage_bytes_unmatched(const struct syt_coverage *c)
{
	return sum(c->bytes_unmatched);
}

void syt_coverage_of_object(struct syt_coverage *c, const uint64_t *before, uint32_t object)
{
	for (unsigned i = 0; i < SYT_NR_REASONS; i++) {
		uint64_t bytes = c->bytes_unmatched[i] - before[i];

		if (bytes > c->most[i].bytes) {
			c->most[i].bytes = bytes;
			c->most[i].object = object;
		}
	}
}

void syt_coverage_edges(struct syt_coverage *c, const struct syt_edges *e)
{
	for (unsigned i = 0; i < SYT_NR_EDGE_KINDS; i++) {
		c->edges[i] += e->nr_of_kind[i];
		c->edges_ambiguous[i] += e->nr_ambiguous[i];
	}
	c->defects += e->nr_defects;
}

void syt_coverage_add(struct syt_coverage *c, const struct syt_coverage *more)
{
	c->acquires += more->acquires;
	c->attributed += more->attributed;
	c->unneeded += more->unneeded;
	c->ambiguous += more->ambiguous;
	c->bytes_received += more->bytes_received;
	c->bytes_matched += more->bytes_matched;
	for (unsigned i = 0; i < SYT_NR_REASONS; i++) {
		c->unattributed[i] += more->unattributed[i];
		c->bytes_unmatched[i] += more->bytes_unmatched[i];
		if (more->most[i].bytes > c->most[i].bytes)
			c->most[i] = more->most[i];
	}
}
