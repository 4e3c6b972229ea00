/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Binary search over numbers, for any sorted data. */
#ifndef SYT_BASE_BISECT_H
#define SYT_BASE_BISECT_H

/*
 * The first I_ of [LOW_, HIGH_) for which IS_BEFORE_ is false, or HIGH_ if there is none; LOW_ if
 * the range is empty. The expression IS_BEFORE_ uses I_, and must stay false after the first number
 * for which it is false.
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
