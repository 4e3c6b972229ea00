/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Wrappers for the lock of a stdio stream that the program locks directly. Locking inside libc's functions is
 * not recorded. The lock of a stream is recursive. The wrapper of ftrylockfile is generated from a CALL row of
 * format/calls.def. */
#include "preload/wrap.h"

SYT_EXPORT void flockfile(FILE *f)
{
	SYT_ENTER_OR_FORWARD_VOID(SYT_ENTER_IDLE, frame, flockfile, (f));
	struct syt_event e = {.call = SYT_CALL_flockfile, .object = SYT_OBJECT_STDIO(f)};
	syt_capture(&frame);
	if (SYT_REAL(ftrylockfile)(f) != 0) {
		syt_block(&frame, &e);
		SYT_REAL(flockfile)(f);
	}
	syt_stamp_out(&frame);
	syt_leave_out(&frame, &e);
}

SYT_EXPORT void funlockfile(FILE *f)
{
	SYT_ENTER_OR_FORWARD_VOID(SYT_ENTER_IDLE, frame, funlockfile, (f));
	struct syt_event e = {.call = SYT_CALL_funlockfile, .object = SYT_OBJECT_STDIO(f)};
	syt_stamp_in(&frame);
	SYT_REAL(funlockfile)(f);
	syt_leave_in(&frame, &e);
}
