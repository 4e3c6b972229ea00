/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "preload/slow-leave.h"

#include "preload/wrap.h"
#include "runtime/skip.h"

void syt_slow_leave_in(const void *fp, uint32_t alive, uint64_t in, uint32_t call, uint32_t object,
                       int64_t rv)
{
	struct syt_frame f = {.fp = fp, .in = in, .alive = alive};
	struct syt_event e = {.call = call, .object = object};

	syt_result(&e, rv);
	syt_leave_in(&f, &e);
}

void syt_slow_leave_out(const void *fp, struct syt_entered entered, uint64_t in, uint32_t call,
                        uint32_t object, int64_t rv)
{
	struct syt_frame f = syt_plain_frame(fp, entered, in);
	struct syt_event e = {.call = call, .object = object};

	syt_stamp_out(&f);
	f.blocked = in != 0;
	syt_result(&e, rv);
	syt_leave_out(&f, &e);
}

void syt_slow_leave_failed(const struct syt_skip *k, const void *fp, uint32_t call, uint32_t object,
                           bool is_release, int64_t rv)
{
	syt_skip_records(fp, call);
	if (is_release)
		syt_slow_leave_in(fp, k->alive, k->in, call, object, rv);
	else
		syt_slow_leave_out(fp, (struct syt_entered){k->alive, 0}, k->in, call, object, rv);
}
