/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * For comparison functions of qsort: each row returns if it decides the order.
 *
 *	const struct send *a = a_, *b = b_;
 *
 *	SYT_ORDER_BY(queue);
 *	SYT_ORDER_BY(in);
 *	return syt_place_compare(a->place, b->place);
 */
#ifndef SYT_BASE_COMPARE_H
#define SYT_BASE_COMPARE_H

#define SYT_ORDER(of_a_, of_b_)                                                                    \
	do {                                                                                       \
		if ((of_a_) != (of_b_))                                                            \
			return (of_a_) < (of_b_) ? -1 : 1;                                         \
	} while (0)

/* By a member of *a and *b. */
#define SYT_ORDER_BY(member_) SYT_ORDER(a->member_, b->member_)

#endif
