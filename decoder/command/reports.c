/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include <stdlib.h>

#include "base/compare.h"
#include "decoder/analysis/cause.h"
#include "decoder/command/command.h"

const struct syt_report *const syt_reports[SYT_NR_REPORTS] = {
#define REPORT(name_) &syt_report_##name_,
#include "decoder/command/reports.def"
#undef REPORT
};

static int worst_first(const void *a_, const void *b_)
{
	const struct syt_finding *a = a_, *b = b_;

	SYT_ORDER_BY(tone);
	SYT_ORDER_BY(source->rank);
	return 0;
}

size_t syt_findings_gather(struct syt_finding all[SYT_NR_REPORTS], struct syt_order *order,
                           const struct syt_view *v, struct syt_html *page)
{
	static const struct syt_edges_wanted wanted[SYT_NR_FINDING_EDGES] = {
		[SYT_FINDING_EDGES_ALL] = {SYT_EDGES_ALL, SYT_EDGES_ALL},
		[SYT_FINDING_EDGES_BUT_LOCKS] = {SYT_EDGES_BUT_LOCKS, SYT_EDGES_ALL},
		[SYT_FINDING_EDGES_CAUSAL] = {SYT_EDGES_ALL, 1u << SYT_CLASS_CAUSAL},
	};
	struct syt_causes causes;
	struct syt_blamer blamer;
	struct syt_view view = *v;
	size_t nr = 0;

	syt_causes_open(&causes, order);
	syt_blamer_prepare(&blamer, order, v->labels);
	view.blamer = &blamer;
	if (!v->causes)
		view.causes = &causes;
	for (unsigned edges = 0; edges < SYT_NR_FINDING_EDGES; edges++) {
		syt_edges_narrow(&order->edges, wanted[edges]);
		if (edges != SYT_FINDING_EDGES_ALL) /* the critical path asks for no waits */
			syt_blamer_see_edges(&blamer);
		for (unsigned i = 0; i < SYT_NR_REPORTS; i++) {
			const struct syt_finding_source *source = &syt_reports[i]->finding;

			if (!source->find || source->edges != edges)
				continue;
			all[nr] = (struct syt_finding){.source = source,
			                               .verb = syt_reports[i]->name};
			source->find(&view, &all[nr], page);
			if (all[nr].text)
				nr++;
		}
	}
	syt_blamer_close(&blamer);
	syt_causes_close(&causes);
	qsort(all, nr, sizeof(*all), worst_first);
	return nr;
}

void syt_findings_begin_page(struct syt_html *page)
{
	for (unsigned i = 0; i < SYT_NR_REPORTS; i++)
		if (syt_reports[i]->finding.begin_page)
			syt_reports[i]->finding.begin_page(page);
}

void syt_findings_end_page(struct syt_html *page)
{
	for (unsigned i = 0; i < SYT_NR_REPORTS; i++)
		if (syt_reports[i]->finding.end_page)
			syt_reports[i]->finding.end_page(page);
}
