/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * prctl: what names the thread, and what takes system calls or the clock away, which the recorder
 * must know before it comes into force.  All other operations pass by.
 */
#include <stdarg.h>
#include <sys/prctl.h>

#include "preload/wrap.h"
#include "runtime/confine.h"
#include "runtime/thread.h"

#include <linux/seccomp.h>

#define NAME_BYTES 16u /* of a thread's name, with NUL */

/* The kernel has just read it: it looks at no byte after the last. */
static void set_name(const char *from)
{
	char name[NAME_BYTES];
	unsigned n = 0;

	while (n < NAME_BYTES - 1 && from[n]) {
		name[n] = from[n];
		n++;
	}
	name[n] = 0;
	syt_thread_name(syt_self(), name);
}

static bool is_confinement(int option, unsigned long value, enum syt_confine *how)
{
	if (option == PR_SET_SECCOMP && value == SECCOMP_MODE_STRICT)
		*how = SYT_CONFINE_STRICT;
	else if (option == PR_SET_SECCOMP && value == SECCOMP_MODE_FILTER)
		*how = SYT_CONFINE_FILTER;
	else if (option == PR_SET_TSC && value == PR_TSC_SIGSEGV)
		*how = SYT_CONFINE_CLOCK;
	else
		return false;
	return true;
}

SYT_EXPORT int prctl(int option, ...)
{
	struct syt_frame f;
	struct syt_confinement c;
	enum syt_confine how;
	unsigned long a[4];
	bool is_confining, is_recorded;
	va_list list;

	/* as libc does, whether they were passed or not */
	va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	is_confining = is_confinement(option, a[0], &how);
	if (!is_confining && option != PR_SET_NAME)
		return SYT_REAL(prctl)(option, a[0], a[1], a[2], a[3]);
	is_recorded = SYT_ENTER(&f);
	if (!is_recorded && !syt_is_recording())
		return SYT_REAL(prctl)(option, a[0], a[1], a[2], a[3]);
	struct syt_event e = {.call = SYT_CALL_prctl, .arg = (uint64_t)option};
	if (is_recorded)
		syt_capture(&f); /* while it may still ask the kernel */
	if (is_confining)
		syt_confine_begin(&c, how, (const void *)a[1]);
	int rv = SYT_REAL(prctl)(option, a[0], a[1], a[2], a[3]);
	if (is_confining)
		syt_confine_end(&c, rv == 0);
	else if (rv == 0)
		set_name((const char *)a[0]);
	syt_result(&e, rv);
	if (is_recorded)
		syt_leave_out(&f, &e);
	return rv;
}
