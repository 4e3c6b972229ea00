/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Searches any sorted data by bisection over index numbers. */
#ifndef SYT_BASE_BISECT_H
#define SYT_BASE_BISECT_H

#include <stdbool.h>

/*
 * Evaluates to the first number I_ from LOW_ up to, not including, HIGH_ for which the expression
 * IS_BEFORE_ (it uses I_) is false. Evaluates to HIGH_ if there is none, and to LOW_ if the range
 * is empty. IS_BEFORE_ must be false for all numbers after the first number for which it is false.
 *
 *	first = SYT_BISECT(i, 0, nr, all[i].at < t);
 */
#define SYT_BISECT(i_, low_, high_, is_before_)                                                    \
	__extension__({                                                                            \
		__typeof__((low_) + (high_)) bisect_low = (low_), bisect_high = (high_);           \
		while (bisect_low < bisect_high) {                                                 \
			const __typeof__(bisect_low) i_ =                                          \
				bisect_low + (bisect_high - bisect_low) / 2;                       \
			if (is_before_)                                                            \
				bisect_low = i_ + 1;                                               \
			else                                                                       \
				bisect_high = i_;                                                  \
		}                                                                                  \
		bisect_low;                                                                        \
	})

/*
 * The same number as SYT_BISECT(), found from the index NEAR_ in steps that double: a search takes a time that depends on the
 * distance of the result from NEAR_, and looks at elements near it. NEAR_ may be any number.
 */
#define SYT_BISECT_NEAR(i_, low_, high_, near_, is_before_)                                        \
	__extension__({                                                                            \
		__typeof__((low_) + (high_)) near_low = (low_), near_high = (high_),               \
					     near_step = 1;                                        \
		bool near_is_up = true;                                                            \
		for (__typeof__(near_low) i_ = (near_) < near_low    ? near_low                    \
		                               : (near_) < near_high ? (near_)                     \
		                                                     : near_high - 1;              \
		     near_low < near_high;                                                         \
		     i_ = near_is_up ? near_low + near_step : near_high - near_step) {             \
			bool near_is_before = (is_before_);                                        \
			if (near_step == 1)                                                        \
				near_is_up = near_is_before;                                       \
			if (near_is_before)                                                        \
				near_low = i_ + 1;                                                 \
			else                                                                       \
				near_high = i_;                                                    \
			near_step *= 2;                                                            \
			if (near_is_before != near_is_up || near_high - near_low <= near_step)     \
				break;                                                             \
		}                                                                                  \
		SYT_BISECT(i_, near_low, near_high, is_before_);                                   \
	})

#endif
