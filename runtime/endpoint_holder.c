/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* An entry of the shared table lies at one of NR_PLACES places behind the hash of the endpoint's identity. The
 * member `who` is stored last when an entry is made, and is the only word that changes while the entry exists.
 * A process is identified by its pid and the time of its directory /proc/PID. The kernel makes that directory
 * at the first access and keeps its time. */
#include "runtime/endpoint_holder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "runtime/forked.h"
#include "runtime/session.h"
#include "runtime/sys.h"
#include "runtime/text.h"

#define NR_PLACES 16u /* number of places where an entry can lie */
#define PATH_BYTES 32

/* The identity of this process; `pid` is stored last. */
SYT_FORKED static struct self {
	uint32_t pid;
	uint64_t pid_ns, since;
} self;

SYT_FORKED static bool is_backed;

static uint64_t who_of(uint32_t pid, int fd)
{
	return (uint64_t)pid << 32 | ((uint32_t)fd + 1);
}

/* Returns the table; NULL if there is none, or if the disk is full: then reading would kill the program. */
static struct syt_holder *table(void)
{
	struct syt_trace *t = syt_trace_shared();

	if (!t || __atomic_load_n(&is_backed, __ATOMIC_RELAXED))
		return t ? t->holders : NULL;
	if (!syt_sys_back(t->holders, sizeof(t->holders)))
		return NULL;
	__atomic_store_n(&is_backed, true, __ATOMIC_RELAXED);
	return t->holders;
}

/* Returns the time when the kernel made PATH, the directory /proc/PID of a process; 0: the directory does
 * not exist. */
static uint64_t time_of(const char *path)
{
	struct stat st;

	if (SYT_SYS_4(SYS_newfstatat, AT_FDCWD, path, &st, 0))
		return 0;
	return (uint64_t)st.st_ctim.tv_sec * 1000000000u + (uint64_t)st.st_ctim.tv_nsec;
}

/* Stores the identity of this process in S. Returns false if other processes could not identify this
 * process by it. */
static bool know_self(struct self *s)
{
	uint32_t pid = (uint32_t)SYT_SYS_0(SYS_getpid);
	struct stat ns;

	if (__atomic_load_n(&self.pid, __ATOMIC_ACQUIRE) != pid) {
		__atomic_store_n(&self.pid, 0, __ATOMIC_RELEASE);
		if (SYT_SYS_4(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/pid", &ns, 0))
			ns.st_ino = 0;
		__atomic_store_n(&self.pid_ns, ns.st_ino, __ATOMIC_RELAXED);
		__atomic_store_n(&self.since, time_of("/proc/self"), __ATOMIC_RELAXED);
		__atomic_store_n(&self.pid, pid, __ATOMIC_RELEASE);
	}
	*s = (struct self){pid, __atomic_load_n(&self.pid_ns, __ATOMIC_RELAXED),
	                   __atomic_load_n(&self.since, __ATOMIC_RELAXED)};
	return s->pid_ns && s->since;
}

static struct syt_holder *place(struct syt_holder *holders, uint64_t identity, uint32_t i)
{
	return &holders[(identity * NR_PLACES / 2 + i) % SYT_NR_HOLDERS];
}

/* Claims the table entry H for process S. H must be free or belong to a process that is gone. */
static bool claim(struct syt_holder *h, const struct self *s)
{
	uint64_t who = __atomic_load_n(&h->who, __ATOMIC_ACQUIRE);

	if (who && (__atomic_load_n(&h->pid_ns, __ATOMIC_RELAXED) != s->pid_ns ||
	            SYT_SYS_2(SYS_kill, who >> 32, 0) != -ESRCH))
		return false;
	return __atomic_compare_exchange_n(&h->who, &who, (uint64_t)s->pid << 32, false,
	                                   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void syt_holder_put(int fd, const struct syt_endpoint_anon *a)
{
	struct syt_holder *holders = table(), *h;
	struct self s;

	if (!holders || !a->identity || !know_self(&s))
		return;
	for (uint32_t i = 0; i < NR_PLACES; i++) {
		h = place(holders, a->identity, i);
		if (__atomic_load_n(&h->who, __ATOMIC_ACQUIRE) >> 32 == s.pid &&
		    __atomic_load_n(&h->identity, __ATOMIC_RELAXED) == a->identity &&
		    __atomic_load_n(&h->since, __ATOMIC_RELAXED) == s.since)
			return;
	}
	for (uint32_t i = 0; i < NR_PLACES; i++) {
		h = place(holders, a->identity, i);
		if (!claim(h, &s))
			continue;
		__atomic_store_n(&h->identity, a->identity, __ATOMIC_RELAXED);
		__atomic_store_n(&h->pid_ns, s.pid_ns, __ATOMIC_RELAXED);
		__atomic_store_n(&h->since, s.since, __ATOMIC_RELAXED);
		__atomic_store_n(&h->kind, a->kind, __ATOMIC_RELAXED);
		__atomic_store_n(&h->flags, a->flags, __ATOMIC_RELAXED);
		__atomic_store_n(&h->who, who_of(s.pid, fd), __ATOMIC_RELEASE);
		return;
	}
}

bool syt_holder_remove(int fd, uint64_t identity)
{
	uint64_t who = who_of(__atomic_load_n(&self.pid, __ATOMIC_ACQUIRE), fd);
	struct syt_holder *holders = table();

	for (uint32_t i = 0; holders && i < NR_PLACES; i++) {
		struct syt_holder *h = place(holders, identity, i);
		uint64_t was = who;

		if (__atomic_load_n(&h->who, __ATOMIC_ACQUIRE) == who &&
		    __atomic_load_n(&h->identity, __ATOMIC_RELAXED) == identity)
			return __atomic_compare_exchange_n(&h->who, &was, 0, false,
			                                   __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	}
	return false;
}

/* Returns true if kcmp is safe. A seccomp filter that was installed before this process image is unknown
 * and may kill the process for the call. */
static bool may_call_kcmp(void)
{
	long rv = SYT_SYS_1(SYS_prctl, PR_GET_SECCOMP);

	return (rv == 0 || rv == -EINVAL) && !syt_sys_is_denied(SYS_kcmp);
}

/* Returns true if PID is still the process whose /proc directory was made at SINCE. */
static bool is_same_process(uint32_t pid, uint64_t since)
{
	char path[PATH_BYTES];
	struct syt_text_buffer b = {path, sizeof(path), 0, false};

	syt_text_add(&b, "/proc/");
	syt_text_add_number(&b, pid, 1);
	return time_of(path) == since;
}

/* Returns true if kcmp says that FD and the fd in table entry H refer to one kernel object. Returns false
 * after an error of kcmp (-ENOSYS, -EPERM), too. */
static bool is_same(const struct self *s, int fd, const struct syt_holder *h, uint64_t who)
{
	uint32_t pid = (uint32_t)(who >> 32);

	return SYT_SYS_5(SYS_kcmp, s->pid, pid, KCMP_FILE, fd, (uint32_t)who - 1) == 0 &&
	       is_same_process(pid, __atomic_load_n(&h->since, __ATOMIC_RELAXED));
}

bool syt_holder_find(int fd, struct syt_endpoint_anon *a)
{
	struct syt_holder *holders = table();
	uint8_t kind = a->kind;
	struct self s;

	if (!holders || !know_self(&s) || !may_call_kcmp())
		return false;
	for (uint32_t i = 0; i < SYT_NR_HOLDERS; i++) {
		const struct syt_holder *h = &holders[i];
		uint64_t who = __atomic_load_n(&h->who, __ATOMIC_ACQUIRE);

		if (!(uint32_t)who || __atomic_load_n(&h->kind, __ATOMIC_RELAXED) != kind ||
		    __atomic_load_n(&h->pid_ns, __ATOMIC_RELAXED) != s.pid_ns)
			continue;
		a->identity = __atomic_load_n(&h->identity, __ATOMIC_RELAXED);
		a->flags = (uint8_t)__atomic_load_n(&h->flags, __ATOMIC_RELAXED);
		if (is_same(&s, fd, h, who) && __atomic_load_n(&h->who, __ATOMIC_ACQUIRE) == who &&
		    __atomic_load_n(&h->identity, __ATOMIC_RELAXED) == a->identity)
			return true;
	}
	return false;
}

void syt_holder_leave(void)
{
	uint64_t pid = __atomic_load_n(&self.pid, __ATOMIC_ACQUIRE);
	struct syt_holder *holders = pid ? table() : NULL;

	for (uint32_t i = 0; holders && i < SYT_NR_HOLDERS; i++) {
		uint64_t who = __atomic_load_n(&holders[i].who, __ATOMIC_RELAXED);

		if (who && who >> 32 == pid)
			__atomic_compare_exchange_n(&holders[i].who, &who, 0, false,
			                            __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	}
}
