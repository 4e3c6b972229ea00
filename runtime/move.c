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

void syt_move_end_units(const struct syt_moving *m, const void *fp, uint32_t call, bool is_out,
                        uint64_t nr, int64_t result, uint64_t bytes, uint64_t flags, uint64_t peer)
{
	syt_move_end_units_body(m, fp, call, is_out, nr, result, bytes, flags, peer);
}

bool syt_ready_begin(struct syt_moving *m, const void *fp, uint32_t call, int ep)
{
	return syt_ready_begin_body(m, fp, call, ep);
}

bool syt_poll_begin(struct syt_moving *m, const void *fp, uint32_t call)
{
	return syt_poll_begin_body(m, fp, call);
}

void syt_ready_end(const struct syt_moving *m, const void *fp, uint64_t out, uint32_t call,
                   struct syt_ready ready)
{
	syt_ready_end_body(m, fp, out, call, ready);
}

__attribute__((cold)) void syt_move_end_rare(const struct syt_moving *m, const void *fp,
                                             uint64_t out, bool is_release, struct syt_event *e)
{
	struct syt_frame f = syt_move_frame(m, fp);

	e->object = m->endpoint.object;
	f.out = out;
	if (is_release)
		syt_leave_in(&f, e);
	else
		syt_leave_out(&f, e);
	syt_in_flight_end(&f, &m->endpoint, syt_move_note(m));
}
