/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The stop rule of a fleet (doc/fleet.md, "The stop rule"): reads the results of slots that the agents uploaded, and adds a
 * line to the policy for each version whose windows fail too often. Trusts no byte of an upload.
 */
#ifndef SYT_FLEET_STOP_H
#define SYT_FLEET_STOP_H

#include <stdint.h>

/* Reads HOST/state of each host in the directory IN, and appends lines to the file POLICY, unless the file does not exist.
 * NOW_S is the time of the day. Returns 0, or -1 after a message. */
int syt_fleet_stop(const char *in, const char *policy, int64_t now_s);

#endif
