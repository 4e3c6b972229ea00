/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/page/hosts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/host/summary.h"
#include "decoder/show/print.h"

#define MOST_HOSTS 100u /* hosts in the table */

static uint32_t nr_hosts(const struct syt_html *h)
{
	return syt_hosts_nr(h->order->places.trace);
}

void syt_html_put_hosts(struct syt_html *h)
{
	uint32_t nr = nr_hosts(h);

	if (nr < 2)
		return;
	syt_json_begin(&h->j, "hosts", '[');
	for (uint32_t n = 0; n < nr; n++)
		syt_json_string(&h->j, NULL, h->order->places.trace->hosts->all[n].name);
	syt_json_end(&h->j);
}

void syt_html_put_host_of(struct syt_html *h, const struct syt_thread *t)
{
	const struct syt_trace_data *trace = h->order->places.trace;

	if (nr_hosts(h) > 1)
		syt_json_u64(&h->j, "host",
		             syt_hosts_of(trace->hosts, (uint32_t)(t->image - trace->images)));
}

/* Writes the text in h->words as a cell of the column TITLE, which a narrow screen shows before the text. */
static void put_cell(struct syt_html *h, const char *title, bool is_number)
{
	struct syt_out *out = h->j.out;
	char *text = syt_out_take(&h->words);

	syt_out_printf(out, "<td%s data-title=\"%s\">", is_number ? " class=\"number\"" : "",
	               title);
	syt_out_xml(out, text, strlen(text));
	syt_out_string(out, "</td>");
	free(text);
}

static void put_limit(struct syt_html *h, const char *title, double ns)
{
	if (isfinite(ns))
		syt_print_span(&h->words, (uint64_t)ceil(ns));
	else
		syt_out_string(&h->words, "unknown");
	put_cell(h, title, true);
}

static void put_row(struct syt_html *h, uint32_t host)
{
	const struct syt_trace_data *t = h->order->places.trace;
	const struct syt_host_summary s = syt_host_summary_of(t, host);

	syt_out_string(h->j.out, "<tr>");
	syt_out_safe(&h->words, s.name);
	put_cell(h, "host", false);
	syt_out_string(&h->words, s.clock);
	put_cell(h, "clock", false);
	if (s.is_reference) {
		syt_out_string(&h->words, "reference");
	} else if (s.component) {
		syt_out_string(&h->words, "joined by ");
		syt_out_safe(&h->words, t->hosts->all[s.by].name);
	} else {
		syt_out_string(&h->words, "apart: placed by wall clock, no order is certain");
	}
	put_cell(h, "placed", false);
	if (s.component && !s.is_reference) {
		put_limit(h, "early", s.early_ns);
		put_limit(h, "late", s.late_ns);
	} else {
		syt_out_string(h->j.out, "<td></td><td></td>");
	}
	syt_out_string(h->j.out, "</tr>\n");
}

void syt_html_hosts_table(struct syt_html *h)
{
	uint32_t nr = nr_hosts(h);

	if (nr < 2)
		return;
	syt_out_string(h->j.out,
	               "<h2>The hosts</h2>\n<p class=\"hint\">The true time of an event lies "
	               "between its time minus early and its time plus late, by the clock of the "
	               "reference. A time between events of two hosts has an error, such as "
	               "43 us ±22.</p>\n<table class=\"cards hosts\"><thead><tr>"
	               "<th scope=\"col\">host</th><th scope=\"col\">clock</th>"
	               "<th scope=\"col\">placed</th><th scope=\"col\" class=\"number\">early</th>"
	               "<th scope=\"col\" class=\"number\">late</th></tr></thead><tbody>\n");
	for (uint32_t n = 0; n < nr && n < MOST_HOSTS; n++)
		put_row(h, n);
	syt_out_string(h->j.out, "</tbody></table>\n");
	if (nr > MOST_HOSTS)
		syt_out_printf(h->j.out,
		               "<p class=\"hint\">%u more hosts: syntrace-decode clocks</p>\n",
		               nr - MOST_HOSTS);
}
