/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Loading and unloading of libraries. The recorder must forget the call stacks of a library that is unloaded. A
 * library loaded with RTLD_DEEPBIND or into another namespace finds libc's functions before the wrappers. Calls
 * of this library are not recorded, and the dump says so. */
#include "preload/omp-real.h"
#include "preload/wrap.h"
#include "runtime/module.h"
#include "runtime/session.h"

#define NR_NOTED 64u

/* Called by preload/dl-entry.S only, before the real functions. */
void syt_dlopen(const char *file, int mode);
void syt_dlmopen(Lmid_t space, const char *file, int mode);

/* Notes in the dump, once for each library, that calls of the library FILE cannot be recorded. The note is made
 * before the library is loaded, even if loading then fails. Only the first NR_NOTED libraries get a note. */
static void note(const char *file)
{
	static uint64_t noted[NR_NOTED];
	uint64_t key = 14695981039346656037u;
	int err = errno;

	for (const char *c = file; *c; c++)
		key = (key ^ (unsigned char)*c) * 1099511628211u;
	key += !key;
	for (unsigned i = 0; i < NR_NOTED; i++) {
		uint64_t old = 0;

		if (__atomic_compare_exchange_n(&noted[i], &old, key, false, __ATOMIC_RELAXED,
		                                __ATOMIC_RELAXED)) {
			syt_session_blind(SYT_BLIND_DEEPBIND, file);
			break;
		}
		if (old == key)
			break;
	}
	errno = err;
}

void syt_dlopen(const char *file, int mode)
{
	struct syt_frame f;

	if (file && (mode & RTLD_DEEPBIND) && SYT_ENTER(&f))
		note(file);
}

void syt_dlmopen(Lmid_t space, const char *file, int mode)
{
	struct syt_frame f;

	if (space == LM_ID_BASE)
		syt_dlopen(file, mode);
	else if (file && SYT_ENTER(&f))
		note(file);
}

SYT_EXPORT int dlclose(void *handle)
{
	SYT_ENTER_OR_FORWARD(SYT_ENTER, f, dlclose, (handle));
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
