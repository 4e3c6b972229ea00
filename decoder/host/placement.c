/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/host/placement.h"

#include "base/bisect.h"
#include "base/store.h"

void syt_placement_clear(struct syt_placement *p)
{
	for (uint32_t i = 0; i < p->nr_hosts; i++) {
		syt_store_free(p->clocks[i].local_ns);
		syt_store_free(p->clocks[i].slopes);
		syt_store_free(p->clocks[i].places);
		p->clocks[i] = (struct syt_host_clock){.component = SYT_HOST_NONE};
	}
	for (uint32_t i = 0; i < p->nr_components; i++)
		syt_store_free(p->components[i].knots_ns);
	syt_store_free(p->components);
	p->components = NULL;
	p->nr_components = 0;
	p->nr_pair_segments = 0;
	p->nr_backward = 0;
}

void syt_placement_free(struct syt_placement *p)
{
	syt_placement_clear(p);
	syt_store_free(p->clocks);
	syt_store_free(p->pair_segments);
	syt_store_free(p->states);
	syt_store_free(p->nr_dropped);
	syt_store_free(p->dropped);
	syt_store_free(p);
}

int64_t syt_host_joined(const struct syt_placement *p, uint32_t host, int64_t local_ns)
{
	const struct syt_host_clock *clock = &p->clocks[host];
	const struct syt_host_component *c;
	uint32_t k;
	__int128 joined;

	if (clock->component == SYT_HOST_NONE)
		return local_ns;
	c = &p->components[clock->component];
	k = SYT_BISECT(i, 0u, c->nr_segments - 1, clock->local_ns[i + 1] <= local_ns);
	joined = c->knots_ns[k] +
	         (((__int128)local_ns - clock->local_ns[k]) * clock->slopes[k] >> 40);
	return joined > INT64_MAX ? INT64_MAX : joined < INT64_MIN ? INT64_MIN : (int64_t)joined;
}

uint32_t syt_host_segment(const struct syt_host_component *c, int64_t joined_ns)
{
	return SYT_BISECT(i, 0u, c->nr_segments - 1, c->knots_ns[i + 1] <= joined_ns);
}
