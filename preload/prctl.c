/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* prctl and seccomp. The wrappers record the operations that name the thread, restrict its system calls, or
 * disable the TSC. The recorder must know of a restriction before it takes effect. All other operations are
 * forwarded. libc has no function for seccomp, so it comes through syscall(). */
#include <stdarg.h>
#include <sys/prctl.h>

#include "preload/syscall.h"
#include "preload/wrap.h"
#include "runtime/confine.h"
#include "runtime/thread.h"

#include <linux/seccomp.h>

#define NAME_BYTES 16u /* length of a thread's name, with NUL */

/* Records the name of the thread. The kernel has read FROM up to its NUL, and no further byte is read. */
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

/* State that a wrapper of prctl or seccomp keeps across the real call. */
struct confining {
	struct syt_frame frame;
	struct syt_event event;
	struct syt_confinement confinement;
	bool is_confining, is_recorded;
};

/* Begins the recording of a call. Returns false if this process records no events. */
static bool begin(struct confining *x, const void *fp, uint32_t call, uint64_t operation)
{
	x->is_recorded = syt_enter(&x->frame, fp);
	x->is_confining = false;
	x->event = (struct syt_event){.call = call, .arg = operation};
	if (x->is_recorded)
		/* the stack is captured while system calls are still allowed */
		syt_capture(&x->frame);
	return x->is_recorded || syt_is_recording();
}

static void confine(struct confining *x, enum syt_confine how, const void *program)
{
	x->is_confining = true;
	syt_confine_begin(&x->confinement, how, program);
}

static void end(struct confining *x, int64_t rv)
{
	if (x->is_confining)
		syt_confine_end(&x->confinement, rv >= 0);
	if (!x->is_recorded)
		return;
	syt_result(&x->event, rv);
	syt_leave_out(&x->frame, &x->event);
}

SYT_EXPORT int prctl(int option, ...)
{
	struct confining x;
	enum syt_confine how;
	unsigned long a[4];
	bool is_confining;
	va_list list;

	/* libc's prctl reads all four arguments even if the caller passed fewer */
	va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	is_confining = is_confinement(option, a[0], &how);
	if ((!is_confining && option != PR_SET_NAME) ||
	    !begin(&x, __builtin_frame_address(0), SYT_CALL_prctl, (uint64_t)option))
		return SYT_REAL(prctl)(option, a[0], a[1], a[2], a[3]);
	if (is_confining)
		confine(&x, how, (const void *)a[1]);
	int rv = SYT_REAL(prctl)(option, a[0], a[1], a[2], a[3]);
	if (!is_confining && rv == 0)
		set_name((const char *)a[0]);
	end(&x, rv);
	return rv;
}

long syt_syscall_prctl(const struct syt_syscall *r)
{
	struct confining x;
	enum syt_confine how;
	bool is_confining = is_confinement((int)r->a[0], (unsigned long)r->a[1], &how);

	if ((!is_confining && (int)r->a[0] != PR_SET_NAME) ||
	    !begin(&x, r->fp, SYT_CALL_prctl, (uint64_t)r->a[0]))
		return syt_syscall_forward(r);
	if (is_confining)
		confine(&x, how, (const void *)r->a[2]);
	long rv = syt_syscall_forward(r);
	if (!is_confining && rv == 0)
		set_name((const char *)r->a[1]);
	end(&x, rv);
	return rv;
}

long syt_syscall_seccomp(const struct syt_syscall *r)
{
	unsigned operation = (unsigned)r->a[0];
	struct confining x;

	if ((operation != SECCOMP_SET_MODE_STRICT && operation != SECCOMP_SET_MODE_FILTER) ||
	    !begin(&x, r->fp, SYT_CALL_seccomp, operation))
		return syt_syscall_forward(r);
	confine(&x, operation == SECCOMP_SET_MODE_STRICT ? SYT_CONFINE_STRICT : SYT_CONFINE_FILTER,
	        (const void *)r->a[2]);
	long rv = syt_syscall_forward(r);
	end(&x, rv);
	return rv;
}
