/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Comparison functions of qsort(), bsearch() and syt_sort(). Each line SYT_ORDER_BY() of a function
 * returns if the two values of its member differ.
 *
 *	SYT_COMPARATOR(by_queue, struct send)
 *	{
 *		SYT_ORDER_BY(queue);
 *		SYT_ORDER_BY(in);
 *		return syt_place_compare(a->place, b->place);
 *	}
 */
#ifndef SYT_BASE_COMPARE_H
#define SYT_BASE_COMPARE_H

/* The head of a static function NAME_, which compares two elements *a and *b of TYPE_. */
#define SYT_COMPARATOR(name_, type_)                                                               \
	static int name_##_typed(const type_ *a, const type_ *b);                                  \
	static int name_(const void *a_, const void *b_)                                           \
	{                                                                                          \
		return name_##_typed(a_, b_);                                                      \
	}                                                                                          \
	static int name_##_typed(const type_ *a, const type_ *b)

/* Evaluates to a number less than 0, 0, or greater than 0 if OF_A_ is less than, equal to, or
 * greater than OF_B_. */
#define SYT_COMPARE(of_a_, of_b_) (((of_a_) > (of_b_)) - ((of_a_) < (of_b_)))

#define SYT_ORDER(of_a_, of_b_)                                                                    \
	do {                                                                                       \
		if ((of_a_) != (of_b_))                                                            \
			return (of_a_) < (of_b_) ? -1 : 1;                                         \
	} while (0)

/* Returns from the comparison function if the member differs in *a and *b. */
#define SYT_ORDER_BY(member_) SYT_ORDER(a->member_, b->member_)

#endif
