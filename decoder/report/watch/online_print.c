/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include <inttypes.h>

#include "decoder/report/requests/odd.h"
#include "decoder/report/watch/online.h"
#include "decoder/show/place_json.h"
#include "decoder/show/print.h"

static const struct syt_request_info *request_of(const struct syt_odd_alarm *a)
{
	return &a->judge->g->requests.all[a->request];
}

static const struct syt_thread *receiver_of(const struct syt_odd_alarm *a)
{
	return a->judge->g->order->places.threads[request_of(a)->x.received.thread];
}

void syt_alarm_odd_text(struct syt_out *o, const struct syt_odd_alarm *a, uint64_t since)
{
	const struct syt_thread *t = receiver_of(a);

	syt_out_string(o, "odd: ");
	syt_out_flush(o);
	syt_out_string(o, "request to ");
	syt_out_safe(o, syt_image_program(t->image));
	syt_out_printf(o, " (pid %" PRIu32 "), received in ", t->image->file.pid);
	syt_print_id(o, t, request_of(a)->x.received.row);
	syt_out_string(o, a->is_over ? ", which took " : ", which has no answer for ");
	syt_print_span(o, a->ns);
	syt_out_string(o, ": ");
	syt_odd_reason(o, a->judge, a->request);
	if (since)
		syt_out_printf(o, " (%" PRIu64 " other alarms left out before)", since);
	syt_out_char(o, '\n');
}

void syt_alarm_odd_json(struct syt_out *o, const struct syt_odd_alarm *a, uint64_t since)
{
	const struct syt_request_info *info = request_of(a);
	const struct syt_order *order = a->judge->g->order;
	const struct syt_thread *t = receiver_of(a);
	struct syt_json j = {.out = o};

	syt_json_begin_line(&j, "alarm");
	syt_json_string(&j, SYT_KEY("kind", "alarm_kind"), "odd");
	syt_json_bool(&j, "over", a->is_over);
	syt_json_u64(&j, "time_ns", a->ns);
	syt_json_u64(&j, "since_ns", SYT_TIME_NS(info->begin));
	syt_json_place(&j, "received", &order->places, info->x.received);
	syt_json_object_of(&j, "connection", order, info->object);
	syt_odd_json(&j, a->judge, a->request);
	syt_json_key(&j, "sample");
	syt_out_printf(o, "%.3f", a->sample);
	syt_json_u64(&j, "process", t->image->index);
	syt_json_u64(&j, "pid", t->image->file.pid);
	syt_json_u64(&j, SYT_KEY("thread", "thread_index"), t->index);
	syt_json_u64(&j, "tid", t->tid);
	syt_json_u64(&j, "not_told", since);
	syt_json_end_line(&j);
}

void syt_alarm_shift_text(struct syt_out *o, const struct syt_shift *s)
{
	syt_out_printf(o,
	               "shift: the mix of requests has shifted: %.1f %% of the last %u requests "
	               "changed their cluster (probability by chance %.1g)\n",
	               100 * s->variation, SYT_ONLINE_SHIFT_REQUESTS, s->p);
}

void syt_alarm_shift_json(struct syt_out *o, const struct syt_shift *s)
{
	struct syt_json j = {.out = o};

	syt_json_begin_line(&j, "alarm");
	syt_json_string(&j, SYT_KEY("kind", "alarm_kind"), "shift");
	syt_json_u64(&j, "requests", SYT_ONLINE_SHIFT_REQUESTS);
	syt_json_u64(&j, "degrees", s->degrees);
	syt_json_key(&j, "g");
	syt_out_printf(o, "%.6f", s->g);
	syt_json_key(&j, "p");
	syt_out_printf(o, "%.6g", s->p);
	syt_json_key(&j, "variation");
	syt_out_printf(o, "%.6f", s->variation);
	syt_json_end_line(&j);
}
