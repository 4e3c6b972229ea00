/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Unloading: what call stacks remember of a library must not outlive it. */
#include "preload/omp-real.h"
#include "preload/wrap.h"
#include "runtime/module.h"

SYT_EXPORT int dlclose(void *handle)
{
	struct syt_frame f;

	if (!SYT_ENTER(&f))
		return SYT_REAL(dlclose)(handle);
	struct syt_event e = {.call = SYT_CALL_dlclose};
	syt_stamp_in(&f);
	syt_module_closing();
	int rv = SYT_REAL(dlclose)(handle);
	syt_module_closed();
	syt_omp_forget();
	e.result = rv;
	syt_leave_out(&f, &e);
	return rv;
}
