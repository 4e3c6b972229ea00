/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/watch/alarm.h"

#include <inttypes.h>

#include "decoder/analysis/own_frame.h"
#include "decoder/show/print.h"

static const struct syt_image *image_of(const struct syt_alarm *a)
{
	return &a->image->loading.image;
}

static const struct syt_thread *thread_of(const struct syt_alarm *a)
{
	const struct syt_image *i = image_of(a);

	return a->thread < i->nr_threads ? &i->threads[a->thread] : NULL;
}

static void print_fact(struct syt_out *o, const struct syt_alarm *a)
{
	const struct syt_image *i = image_of(a);
	const char *call = i->calls[a->call].name;

	/* flushes before the names, for a program that copies the trace now: reading symbols may take long */
	if (a->kind == SYT_ALARM_SLOW) {
		syt_out_string(o, a->is_over ? "slow: " : "blocked: ");
		syt_out_safe(o, call);
		syt_out_flush(o);
		if (a->object != SYT_NONE) {
			syt_out_string(o, " of ");
			syt_print_object(o, i, a->object);
		}
		syt_out_string(o, a->is_over ? " took " : " has not returned for ");
	} else {
		syt_out_string(o, "hold: ");
		syt_out_flush(o);
		if (a->object != SYT_NONE)
			syt_print_object(o, i, a->object);
		else
			syt_out_string(o, "a lock");
		syt_out_string(o, a->is_over ? " was held for " : " has been held for ");
	}
	syt_print_span(o, a->ns);
}

static void print_thread(struct syt_out *o, const struct syt_alarm *a)
{
	const struct syt_thread *t = thread_of(a);
	const char *program = syt_image_program(image_of(a));

	syt_out_string(o, a->kind == SYT_ALARM_SLOW ? " in thread " : " by thread ");
	if (t && syt_thread_name(t)) {
		syt_out_safe(o, syt_thread_name(t));
		syt_out_printf(o, " (%" PRIu32 ".%" PRIu32 ")", image_of(a)->index, a->thread);
	} else {
		syt_out_printf(o, "%" PRIu32 ".%" PRIu32, image_of(a)->index, a->thread);
	}
	if (program) {
		syt_out_string(o, " of ");
		syt_out_safe(o, program);
	}
	syt_out_printf(o, " (pid %" PRIu32 ", tid %" PRIu32 ")%s", image_of(a)->file.pid,
	               t ? t->tid : 0, a->has_ended ? ", which has ended" : "");
}

void syt_alarm_text(struct syt_out *o, struct syt_symbols *symbols, const struct syt_alarm *a,
                    uint64_t since)
{
	const struct syt_image *i = image_of(a);
	const char *function;

	print_fact(o, a);
	print_thread(o, a);
	function = syt_own_frame_of(symbols, i, a->stack);
	if (a->kind == SYT_ALARM_HOLD) {
		syt_out_string(o, ", taken by ");
		syt_out_safe(o, i->calls[a->call].name);
	}
	if (function) {
		syt_out_string(o, a->kind == SYT_ALARM_HOLD ? " in " : ", in ");
		syt_out_safe(o, function);
	}
	if (since)
		syt_out_printf(o, " (%" PRIu64 " other alarms left out before)", since);
	syt_out_char(o, '\n');
}

void syt_alarm_json(struct syt_out *o, struct syt_symbols *symbols, const struct syt_alarm *a,
                    uint64_t since)
{
	const struct syt_image *i = image_of(a);
	const struct syt_thread *t = thread_of(a);
	struct syt_json j = {.out = o};

	syt_json_begin_line(&j, "alarm");
	syt_json_string(&j, SYT_KEY("kind", "alarm_kind"),
	                a->kind == SYT_ALARM_SLOW ? "slow" : "hold");
	syt_json_bool(&j, "over", a->is_over);
	syt_json_u64(&j, "time_ns", a->ns);
	syt_json_u64(&j, "since_ns", a->at_ns);
	syt_json_string(&j, "call", i->calls[a->call].name);
	syt_json_object(&j, "object", i, a->object);
	syt_json_string(&j, "function", syt_own_frame_of(symbols, i, a->stack));
	syt_json_u64(&j, "process", i->index);
	syt_json_u64(&j, "pid", i->file.pid);
	syt_json_u64(&j, SYT_KEY("thread", "thread_index"), a->thread);
	syt_json_u64(&j, "tid", t ? t->tid : 0);
	syt_json_string(&j, SYT_KEY("name", "thread_name"), t ? syt_thread_name(t) : NULL);
	syt_json_bool(&j, "thread_ended", a->has_ended);
	syt_json_u64(&j, "not_told", since);
	syt_json_end_line(&j);
}
