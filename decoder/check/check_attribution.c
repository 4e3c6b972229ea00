/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Attribution: the numbers of the coverage line add up. Every acquire is attributed (a happens-before edge ends
 * there), unneeded, or unattributed for exactly one reason. Every received byte is matched to its send, or
 * unmatched for exactly one reason. Every happens-before edge has one kind. */
#include "decoder/check/check.h"

static void expect(struct syt_check *c, const char *what, uint64_t expected, uint64_t found)
{
	if (expected != found)
		syt_check_numbers(c, what, SYT_NONE, SYT_NOWHERE, SYT_NOWHERE, expected, found);
}

static enum syt_excuse excuse_of(enum syt_reason reason)
{
	switch (reason) {
	case SYT_REASON_OVERWRITTEN:
		return SYT_EXCUSE_OVERWRITTEN;
	case SYT_REASON_UNTRACED_PEER:
	case SYT_REASON_UNTRACED_WRITER:
		return SYT_EXCUSE_UNTRACED;
	case SYT_REASON_BEFORE:
		return SYT_EXCUSE_BEFORE;
	case SYT_REASON_NO_OFFSET:
		return SYT_EXCUSE_NO_OFFSET;
	case SYT_REASON_NO_RELEASE:
	case SYT_REASON_UNRETURNED:
		return SYT_EXCUSE_UNENDED;
	case SYT_REASON_FOREIGN:
		return SYT_EXCUSE_FOREIGN;
	case SYT_REASON_PRESHARED:
		return SYT_EXCUSE_PRESHARED;
	case SYT_REASON_TOO_MANY:
		return SYT_EXCUSE_TOO_MANY;
	case SYT_REASON_KERNEL:
		return SYT_EXCUSE_KERNEL;
	case SYT_REASON_NOT_SAMPLED:
		return SYT_EXCUSE_NOT_SAMPLED;
	default:
		return SYT_EXCUSE_UNCERTAIN;
	}
}

void syt_check_attribution(struct syt_check *c)
{
	const struct syt_coverage *v = &c->order->coverage;
	uint64_t of_kinds = 0;

	for (unsigned i = 0; i < SYT_NR_EDGE_KINDS; i++)
		of_kinds += v->edges[i];
	c->nr_checked = v->acquires;
	expect(c,
	       "the number of acquires is not the sum of attributed, unneeded and unattributed "
	       "acquires",
	       v->acquires, v->attributed + v->unneeded + syt_coverage_unattributed(v));
	expect(c, "the number of received bytes is not the sum of matched and unmatched bytes",
	       v->bytes_received, v->bytes_matched + syt_coverage_bytes_unmatched(v));
	expect(c, "the sum of the edges of each kind is not the number of all edges",
	       c->order->edges.nr, of_kinds);
	for (unsigned i = 0; i < SYT_NR_REASONS; i++)
		syt_check_excuse(c, excuse_of((enum syt_reason)i), v->unattributed[i]);
	syt_check_sum(c, "attributed", v->attributed);
	syt_check_sum(c, "unneeded", v->unneeded);
	syt_check_sum(c, "unattributed", syt_coverage_unattributed(v));
	syt_check_sum(c, "bytes_received", v->bytes_received);
	syt_check_sum(c, "bytes_matched", v->bytes_matched);
	syt_check_sum(c, "bytes_unmatched", syt_coverage_bytes_unmatched(v));
}
