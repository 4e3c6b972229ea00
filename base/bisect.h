/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Searches any sorted data by bisection over index numbers. */
#ifndef SYT_BASE_BISECT_H
#define SYT_BASE_BISECT_H

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

#endif
