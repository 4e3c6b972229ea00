/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The gates of the wrappers of semaphores and condition variables: what a wrapper does first if recording is paused or sampled. A
 * gate makes a call that the sampler skips, records its ghost, and returns from the wrapper. It forwards a call in a pause. In other
 * cases, the wrapper goes on.
 */
#ifndef SYT_PRELOAD_GATE_H
#define SYT_PRELOAD_GATE_H

#include "preload/quick.h"
#include "preload/slow-leave.h"
#include "runtime/skip.h"

/* The release NAME_ of OBJECT_, which is in memory at ADDRESS_, by REAL_. A release that may be kept marks the object. */
#define SYT_GATE_OF_RELEASE(name_, object_, address_, real_)                                       \
	if (__builtin_expect(syt_control() != 0, 0)) {                                             \
		struct syt_skip k_;                                                                \
                                                                                                   \
		if (syt_skip_begin_ghost(&k_, SYT_FP, SYT_CALL_##name_, false)) {                  \
			uint32_t ghost_ = (object_);                                               \
			int rv_;                                                                   \
                                                                                                   \
			k_.in = syt_plain_stamp_in();                                              \
			rv_ = real_;                                                               \
			syt_slow_leave_ghost(&k_, SYT_FP, SYT_CALL_##name_, ghost_,                \
			                     SYT_GHOST_RELEASE, rv_);                              \
			return rv_;                                                                \
		}                                                                                  \
		if (!SYT_PLAIN_MAY_RELEASE(name_, object_, address_))                              \
			return real_;                                                              \
	}

/* The acquire NAME_ of OBJECT_ by TRY_ and REAL_, as for SYT_ACQUIRE(). */
#define SYT_GATE_OF_ACQUIRE(name_, object_, try_, busy_, real_)                                    \
	if (__builtin_expect(syt_control() != 0, 0)) {                                             \
		struct syt_skip k_;                                                                \
                                                                                                   \
		if (syt_skip_begin_ghost(&k_, SYT_FP, SYT_CALL_##name_, false)) {                  \
			uint32_t ghost_ = (object_);                                               \
			int rv_ = try_;                                                            \
                                                                                                   \
			if (rv_ == (busy_)) {                                                      \
				k_.in = syt_skip_wait(&k_, SYT_CALL_##name_, ghost_, 0);           \
				rv_ = real_;                                                       \
			} else if (rv_ == SYT_NOT_TRIED) {                                         \
				rv_ = real_;                                                       \
			}                                                                          \
			syt_slow_leave_ghost(&k_, SYT_FP, SYT_CALL_##name_, ghost_,                \
			                     SYT_GHOST_TAKE, rv_);                                 \
			return rv_;                                                                \
		}                                                                                  \
		if (!syt_control_allows(SYT_FP, syt_control(), SYT_CALL_##name_))                  \
			return real_;                                                              \
	}

/* Records the end of the call K, which returned RV. */
static inline void syt_slow_leave_ghost(const struct syt_skip *k, const void *fp, uint32_t call,
                                        uint32_t object, enum syt_skip_ghost kind, int rv)
{
	if (__builtin_expect(rv == 0, 1))
		syt_skip_end_ghost(k, fp, call, object, 0, kind);
	else
		syt_slow_leave_failed(k, fp, call, object, kind == SYT_GHOST_RELEASE, rv);
}

#endif
