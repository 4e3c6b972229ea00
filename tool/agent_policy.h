/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The policy of a fleet (doc/fleet.md, "The agent"): how often windows are recorded, and where they are stopped. */
#ifndef SYT_TOOL_AGENT_POLICY_H
#define SYT_TOOL_AGENT_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYT_POLICY_AGE_S 3600 /* an older policy permits no windows */

struct syt_policy {
	double p_host;   /* probability that a host records a service in a slot */
	double period_s; /* length of a slot */
	double length_s; /* longest window */
	double budget;   /* share of the CPU time of a service that windows may cost */
	uint64_t seed;
	bool is_stopped; /* no windows at all */
	size_t nr_stops, room;
	char **stops; /* "SERVICE VERSION" */
};

/* Reads the file PATH. Returns false if it does not exist or is too old at the time NOW_S of the day, or if a line is
 * wrong, after a message unless IS_QUIET. syt_policy_clear() frees P in any case. */
bool syt_policy_read(struct syt_policy *p, const char *path, int64_t now_s, bool is_quiet);
void syt_policy_clear(struct syt_policy *p);

bool syt_policy_stops(const struct syt_policy *p, const char *service, const char *version);

/* Returns whether HOST records SERVICE in the slot number SLOT, and the instant in the slot in *AT_S. Depends on nothing but
 * the arguments and the policy: an agent that starts again makes the same choice. */
bool syt_policy_chooses(const struct syt_policy *p, const char *host, const char *service,
                        uint64_t slot, double *at_s);

#endif
