/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/move-body.h"

bool syt_move_begin(struct syt_moving *m, const void *fp, uint32_t call, int fd, bool is_out)
{
	return syt_move_begin_body(m, fp, call, fd, is_out);
}

bool syt_move_end(const struct syt_moving *m, const void *fp, uint32_t call, bool is_out,
                  uint64_t bytes)
{
	return syt_move_end_body(m, fp, call, is_out, bytes);
}

bool syt_ready_begin(struct syt_moving *m, const void *fp, uint32_t call, int ep)
{
	return syt_ready_begin_body(m, fp, call, ep);
}

void syt_ready_end(const struct syt_moving *m, const void *fp, uint64_t out, uint32_t call,
                   struct syt_ready ready)
{
	syt_ready_end_body(m, fp, out, call, ready);
}

__attribute__((cold)) void syt_move_end_rare(const struct syt_moving *m, const void *fp,
                                             uint64_t out, uint32_t call, bool is_out,
                                             uint64_t bytes, uint64_t offset, bool is_known)
{
	struct syt_frame f = syt_move_frame(m, fp);
	struct syt_event e = {
		.call = call,
		.object = m->endpoint.object,
		.result = (int64_t)bytes,
		.bytes = bytes,
		.offset = offset,
		.flags = is_known ? 0 : SYT_EVENT_NOOFFSET,
	};

	f.out = out;
	if (is_out)
		syt_leave_in(&f, &e);
	else
		syt_leave_out(&f, &e);
	syt_in_flight_end(&f, &m->endpoint, syt_move_note(m));
}

__attribute__((cold)) void syt_ready_end_rare(const struct syt_moving *m, const void *fp,
                                              uint64_t out, uint32_t call, struct syt_ready ready)
{
	struct syt_frame f = syt_move_frame(m, fp);
	struct syt_event e = {
		.call = call,
		.object = m->endpoint.object,
		.result = 1,
		.count = 1,
		.nr_ready = 1,
		.ready = &ready,
	};

	f.out = out;
	syt_leave_out(&f, &e);
}
