/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Starts and ends the recording of a process image. Constructors of libraries that were loaded earlier make
 * calls before this constructor. Destructors make calls after the recorded end. The wrappers work at any time,
 * because no state is destroyed. */
#include <string.h>

#include "preload/blind-spot.h"
#include "preload/env.h"
#include "preload/wrap.h"
#include "runtime/sample.h"
#include "runtime/session.h"

/* Records the end of the process. exit() calls this function, and so does a return from main. All exit
 * handlers of the program run before this handler, because it was registered first. */
static void end(int status, void *arg)
{
	struct syt_frame f;
	struct syt_event e = {.call = SYT_CALL_process_end, .result = status & 0xff};

	(void)arg;
	if (syt_enter(&f, NULL)) {
		syt_stamp_in(&f);
		syt_leave_in(&f, &e);
	}
	syt_session_end(SYT_STATE_EXITED, (uint32_t)status & 0xff);
}

__attribute__((constructor)) static void start(int argc, char **argv, char **envp)
{
	(void)argc;
	(void)argv;
	syt_real_resolve();
	syt_target_init();
	syt_environ_init();
	syt_session_start(envp);
	if (syt_sample_is_on())
		syt_real_sample(true);
	syt_session_obey();
	syt_env_hide(envp);
	if (syt_is_recording()) {
		syt_blind_spot_loaded();
		SYT_REAL(own_on_exit)(end, NULL);
	}
}
