/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/watch/pace.h"

#define MOST_CREDIT_NS (SYT_PACE_SHARE * (double)SYT_PACE_PERIOD_NS)
#define FIRST_EVENT_NS 3000.0 /* guess of the CPU time per event */
/* Smaller windows consist mostly of the constant cost of an analysis. */
#define LEAST_EVENTS 10000u

void syt_pace_begin(struct syt_pace *p, uint64_t now_ns)
{
	*p = (struct syt_pace){
		.now_ns = now_ns, .next_ns = now_ns + SYT_PACE_STEP_NS, .event_ns = FIRST_EVENT_NS};
}

static void settle(struct syt_pace *p, uint64_t now_ns, uint64_t cpu_ns)
{
	p->credit_ns += SYT_PACE_SHARE * (double)(now_ns - p->now_ns);
	if (p->credit_ns > MOST_CREDIT_NS)
		p->credit_ns = MOST_CREDIT_NS;
	p->credit_ns -= (double)(cpu_ns - p->cpu_ns);
	p->now_ns = now_ns;
	p->cpu_ns = cpu_ns;
}

uint64_t syt_pace_due(struct syt_pace *p, uint64_t now_ns, uint64_t cpu_ns)
{
	settle(p, now_ns, cpu_ns);
	if (now_ns < p->next_ns || p->credit_ns < LEAST_EVENTS * p->event_ns)
		return 0;
	return (uint64_t)(p->credit_ns / p->event_ns);
}

uint64_t syt_pace_last(const struct syt_pace *p)
{
	return (uint64_t)(MOST_CREDIT_NS / p->event_ns);
}

void syt_pace_end(struct syt_pace *p, uint64_t now_ns, uint64_t begun_ns, uint64_t cpu_ns,
                  uint64_t nr_events, bool is_short)
{
	uint64_t rest =
		is_short ? SYT_PACE_PERIOD_NS
			 : (uint64_t)((double)(cpu_ns - begun_ns) * (1 / SYT_PACE_SHARE - 1));

	settle(p, now_ns, cpu_ns);
	p->event_ns = (double)(cpu_ns - begun_ns) /
	              (double)(nr_events > LEAST_EVENTS ? nr_events : LEAST_EVENTS);
	/* an analysis of the least window is always possible */
	if (p->event_ns > MOST_CREDIT_NS / LEAST_EVENTS)
		p->event_ns = MOST_CREDIT_NS / LEAST_EVENTS;
	p->next_ns = now_ns + (rest > SYT_PACE_STEP_NS ? rest : SYT_PACE_STEP_NS);
}
