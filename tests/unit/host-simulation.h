/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Simulates the clocks of hosts and the messages between them. The true times are known exactly. */
#ifndef SYT_TESTS_UNIT_HOST_SIMULATION_H
#define SYT_TESTS_UNIT_HOST_SIMULATION_H

#include <math.h>
#include <stdint.h>

#include "tests/lib/random.h"

#define SIM_SECOND 1e9
#define SIM_US 1e3

/* The clock shows offset + t + drift t + a swing: its rate changes by SWING sin(2 pi t / PERIOD). */
struct sim_clock {
	int64_t offset_ns;
	double drift, swing, period_ns;
};

static inline int64_t sim_read(const struct sim_clock *c, double t)
{
	double w = c->period_ns > 0 ? 2 * 3.14159265358979323846 / c->period_ns : 0;

	return c->offset_ns + (int64_t)llround(t) +
	       (int64_t)llround(c->drift * t + (w > 0 ? c->swing / w * (1 - cos(w * t)) : 0));
}

static inline double sim_uniform(struct syt_random *r)
{
	return ((double)(syt_random_u64(r) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double sim_between(struct syt_random *r, double least, double most)
{
	return least + (most - least) * sim_uniform(r);
}

/* A random clock: an offset of up to a day and a drift of up to 30 ppm. */
static inline struct sim_clock sim_clock(struct syt_random *r)
{
	return (struct sim_clock){.offset_ns = (int64_t)sim_between(r, 0, 86400 * SIM_SECOND),
	                          .drift = sim_between(r, -30e-6, 30e-6)};
}

/* The delay of a message: FLOOR, noise (the absolute value of a normal variable), with the probability BUSY an exponential
 * delay, and with the probability RESENT another 200 ms. */
struct sim_way {
	double floor_ns, noise_ns, busy, busy_ns, resent;
};

static inline double sim_delay(struct syt_random *r, const struct sim_way *w)
{
	double delay = w->floor_ns + w->noise_ns * fabs(sqrt(-2 * log(sim_uniform(r))) *
	                                                cos(6.283185307179586 * sim_uniform(r)));

	if (sim_uniform(r) < w->busy)
		delay -= w->busy_ns * log(sim_uniform(r));
	return delay + (sim_uniform(r) < w->resent ? 0.2 * SIM_SECOND : 0);
}

/* Typical ways: 40 us with little noise, an idle host that is busy now and then, and a loaded host. */
#define SIM_STEADY ((struct sim_way){40 * SIM_US, SIM_US, 0, 0, 0})
#define SIM_QUIET ((struct sim_way){40 * SIM_US, SIM_US, 0.03, 15 * SIM_US, 0})
#define SIM_LOADED ((struct sim_way){40 * SIM_US, SIM_US, 1, 90 * SIM_US, 0})
/* The ways of the table in doc/clocks.md, chosen by their E_r: 2 us between quiet hosts, 66 us between loaded ones. */
#define SIM_TABLE_QUIET ((struct sim_way){40 * SIM_US, 0, 1, 3.3 * SIM_US, 0})
#define SIM_TABLE_LOADED ((struct sim_way){40 * SIM_US, SIM_US, 1, 110 * SIM_US, 0})

/* Two hosts that exchange messages: requests from begin to end, one per interval, and their answers. ANSWER_NS: mean of the
 * time to the answer, which is exponential; 0: 20 to 60 us. */
struct sim_traffic {
	struct sim_way to, back;
	double begin_ns, end_ns, interval_ns, answer_ns;
};

/* Calls SENT(context, is_answer, true time of sending, true time of receiving) for each message. */
static inline void sim_exchange(struct syt_random *r, const struct sim_traffic *t,
                                void (*sent)(void *, int, double, double), void *context)
{
	for (double at = t->begin_ns; at < t->end_ns; at += t->interval_ns) {
		double send = at + sim_between(r, 0, t->interval_ns / 10),
		       arrival = send + sim_delay(r, &t->to);
		double answer =
			arrival + (t->answer_ns > 0 ? -t->answer_ns * log(sim_uniform(r))
		                                    : sim_between(r, 20 * SIM_US, 60 * SIM_US));

		sent(context, 0, send, arrival);
		sent(context, 1, answer, answer + sim_delay(r, &t->back));
	}
}

static inline double sim_median(double *all, unsigned nr)
{
	for (unsigned i = 1; i < nr; i++)
		for (unsigned k = i; k && all[k] < all[k - 1]; k--) {
			double swap = all[k];

			all[k] = all[k - 1];
			all[k - 1] = swap;
		}
	return all[nr / 2];
}

#endif
