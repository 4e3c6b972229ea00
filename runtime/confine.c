/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/confine.h"

#include <stddef.h>
#include <string.h>

#include "runtime/arena.h"
#include "runtime/clock.h"
#include "runtime/object.h"
#include "runtime/peek.h"
#include "runtime/seccomp.h"
#include "runtime/session.h"
#include "runtime/stack.h"
#include "runtime/thread.h"

/* All system calls that the recorder uses: the recorder checks whether a seccomp filter allows these calls,
 * and treats all others as denied. */
static const uint16_t used[] = {
	SYS_clock_gettime, SYS_clone,      SYS_close,       SYS_faccessat,     SYS_fallocate,
	SYS_fchmod,        SYS_fchmodat,   SYS_fcntl,       SYS_fgetxattr,     SYS_fstat,
	SYS_fstatfs,       SYS_ftruncate,  SYS_futex,       SYS_getcwd,        SYS_getdents64,
	SYS_getegid,       SYS_geteuid,    SYS_getgid,      SYS_getpeername,   SYS_getpid,
	SYS_getppid,       SYS_getrandom,  SYS_getsockname, SYS_getsockopt,    SYS_gettid,
	SYS_getuid,        SYS_ioctl,      SYS_kill,        SYS_linkat,        SYS_lseek,
	SYS_madvise,       SYS_mkdirat,    SYS_mmap,        SYS_mq_getsetattr, SYS_msgctl,
	SYS_munmap,        SYS_newfstatat, SYS_openat,      SYS_prctl,         SYS_pread64,
	SYS_prlimit64,     SYS_read,       SYS_readlinkat,  SYS_renameat,      SYS_rt_sigprocmask,
	SYS_sched_yield,   SYS_semctl,     SYS_shmctl,      SYS_sigaltstack,   SYS_statx,
	SYS_tgkill,        SYS_tkill,      SYS_truncate,    SYS_uname,         SYS_unlinkat,
	SYS_wait4,         SYS_write,
};

#define NR_USED (sizeof(used) / sizeof(used[0]))

static bool is_narrow(const uint64_t *denied)
{
	for (size_t i = 0; i < NR_USED; i++)
		if (denied[used[i] / 64] >> used[i] % 64 & 1)
			return true;
	return false;
}

bool syt_confine_is_narrow(void)
{
	return is_narrow(syt_sys_denied);
}

/* Reads the seccomp filter that the program passes, whose address the kernel has not checked yet. */
static bool read_filter(const void *from, struct sock_fprog *program)
{
	return syt_peek(program, from, sizeof(*program)) && program->len &&
	       syt_peek_can(program->filter, program->len * sizeof(*program->filter));
}

/* Stores in DENIED all system calls that the filter at FROM does not allow for all arguments. */
static void find_denied(const void *from, uint64_t *denied)
{
	struct sock_fprog program = {0, NULL};
	bool is_read = read_filter(from, &program);

	memset(denied, 0xff, sizeof(syt_sys_denied));
	for (size_t i = 0; i < NR_USED && is_read; i++)
		if (syt_seccomp_allows(program.filter, program.len, used[i]))
			denied[used[i] / 64] &= ~(UINT64_C(1) << used[i] % 64);
}

static void prepare(void)
{
	syt_arena_prepare();
	syt_thread_prepare();
	syt_objects_prepare();
	syt_stack_prepare();
}

static void deny(const uint64_t *denied)
{
	for (size_t i = 0; i < SYT_NR_SYSCALLS / 64; i++)
		__atomic_fetch_or(&syt_sys_denied[i], denied[i], __ATOMIC_SEQ_CST);
	if (syt_sys_is_denied(SYS_madvise))
		syt_arena_close();
}

/* Stops the recorder's use of kcmp, because many filters kill the program for it; checking each filter is
 * not worth the time. */
static void deny_kcmp(void)
{
	__atomic_fetch_or(&syt_sys_denied[SYS_kcmp / 64], UINT64_C(1) << SYS_kcmp % 64,
	                  __ATOMIC_SEQ_CST);
}

void syt_confine_begin(struct syt_confinement *c, enum syt_confine how, const void *program)
{
	uint64_t denied[SYT_NR_SYSCALLS / 64] = {0};

	c->how = how;
	c->was_clock_stopped = syt_clock_is_stopped();
	memcpy(c->denied, syt_sys_denied, sizeof(c->denied));
	if (how == SYT_CONFINE_STRICT)
		memset(denied, 0xff, sizeof(denied));
	else if (how == SYT_CONFINE_FILTER)
		find_denied(program, denied);
	c->is_narrow = is_narrow(denied);
	if (c->is_narrow)
		prepare();
	/* without the TSC, reading the time may be a system call */
	if (how != SYT_CONFINE_FILTER || (c->is_narrow && !syt_clock_has_tsc))
		syt_clock_stop();
	if (c->is_narrow)
		deny(denied);
	if (how == SYT_CONFINE_FILTER)
		deny_kcmp();
}

static void restore_access(const struct syt_confinement *c)
{
	memcpy(syt_sys_denied, c->denied, sizeof(c->denied));
	if (!c->was_clock_stopped)
		syt_clock_resume();
	if (!syt_sys_is_denied(SYS_madvise))
		syt_arena_reopen();
}

void syt_confine_end(const struct syt_confinement *c, bool is_in_force)
{
	if (!is_in_force) {
		restore_access(c);
		return;
	}
	if (c->how == SYT_CONFINE_CLOCK)
		syt_session_blind(SYT_BLIND_CLOCK, "PR_SET_TSC");
	else if (c->is_narrow)
		syt_session_blind(SYT_BLIND_SECCOMP,
		                  c->how == SYT_CONFINE_STRICT ? "strict mode" : "a filter");
	if (c->how != SYT_CONFINE_CLOCK && syt_clock_is_stopped())
		syt_session_blind(SYT_BLIND_CLOCK, "the time would be a system call");
}
