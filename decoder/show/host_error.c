/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/show/host_error.h"

#include <math.h>
#include <stdlib.h>

#include "decoder/host/join.h"
#include "decoder/show/print.h"

struct syt_host_error syt_host_error_of(const struct syt_places *p, struct syt_place from,
                                        syt_time begin, struct syt_place to, syt_time end)
{
	const struct syt_hosts *h = p->trace->hosts;
	syt_time there, back, most;
	uint32_t a, b;

	if (!h || from.thread == SYT_NONE || to.thread == SYT_NONE)
		return (struct syt_host_error){0};
	a = syt_hosts_of(h, syt_place_image_idx(p, from));
	b = syt_hosts_of(h, syt_place_image_idx(p, to));
	if (a == b)
		return (struct syt_host_error){0};
	there = syt_hosts_needed(h, a, begin, b);
	back = syt_hosts_needed(h, b, end, a);
	most = there > back ? there : back;
	return (struct syt_host_error){true, most == UINT64_MAX ? most : SYT_TIME_NS(most)};
}

struct syt_host_error syt_host_error_of_request(const struct syt_places *p,
                                                const struct syt_request_info *r)
{
	return syt_host_error_of(p, r->begun, r->begin, r->ended, r->end);
}

struct syt_host_error syt_host_error_of_receipt(const struct syt_places *p,
                                                const struct syt_request_info *r)
{
	return syt_host_error_of(p, r->begun, r->begin, r->x.received, r->received_at);
}

void syt_host_error_put(struct syt_out *out, uint64_t ns, struct syt_host_error e)
{
	double unit_ns = (double)syt_print_span_unit(ns), value = (double)e.ns / unit_ns;
	double scale = 1;
	int digits = 0;

	if (!e.is_between)
		return;
	if (e.ns == UINT64_MAX) {
		syt_out_string(out, " ±?");
		return;
	}
	/* a whole number from 10 on, otherwise two digits */
	for (; value * scale < 10 && scale < unit_ns; digits++)
		scale *= 10;
	syt_out_printf(out, " ±%.*f", digits, ceil(value * scale) / scale);
}

void syt_host_error_put_span(struct syt_out *out, uint64_t ns, struct syt_host_error e)
{
	syt_print_span(out, ns);
	syt_host_error_put(out, ns, e);
}

void syt_host_error_cell(struct syt_table *t, uint64_t ns, struct syt_host_error e)
{
	struct syt_out words;
	char *text;

	if (!e.is_between) {
		syt_table_span(t, ns);
		return;
	}
	syt_out_open(&words, -1, false);
	syt_host_error_put_span(&words, ns, e);
	text = syt_out_take(&words);
	syt_table_cell(t, "%s", text);
	free(text);
}

void syt_host_error_json(struct syt_json *j, const char *key, struct syt_host_error e)
{
	if (!e.is_between)
		return;
	if (e.ns == UINT64_MAX)
		syt_json_null(j, key);
	else
		syt_json_u64(j, key, e.ns);
}
