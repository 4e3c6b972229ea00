/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/trace-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "format/budget.h"
#include "runtime/clock.h"
#include "runtime/image.h"
#include "runtime/sys.h"
#include "runtime/text.h"

#define RENAME_NOREPLACE_ 1 /* linux/fs.h */
#define NAME_BYTES 32u
#define NR_PIDS 256u /* number of pids that are read at a time */

struct syt_trace *syt_trace_file_map(long fd)
{
	struct stat st;
	long rv = -1;

	if (SYT_SYS_2(SYS_fstat, fd, &st) == 0 && (uint64_t)st.st_size >= sizeof(struct syt_trace))
		rv = SYT_SYS_6(SYS_mmap, 0, sizeof(struct syt_trace), PROT_READ | PROT_WRITE,
		               MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (rv < 0 && rv > -4096)
		return NULL;

	struct syt_trace *t = (struct syt_trace *)rv;

	if (t->magic != SYT_TRACE_MAGIC || t->major != SYT_FORMAT_MAJOR) {
		SYT_SYS_2(SYS_munmap, t, sizeof(*t));
		return NULL;
	}
	return t;
}

/* Gives the file TEMPORARY its final name, unless a file of that name exists. */
static long publish(long dir, const char *temporary)
{
	long rv = SYT_SYS_5(SYS_renameat2, dir, temporary, dir, SYT_TRACE_NAME, RENAME_NOREPLACE_);

	/* some file systems (NFS) do not support this, and some seccomp filters deny it */
	if (rv == -EINVAL || rv == -ENOSYS || rv == SYT_SYS_DENIED)
		rv = SYT_SYS_5(SYS_linkat, dir, temporary, dir, SYT_TRACE_NAME, 0);
	return rv;
}

/* Stores the sampler of ENV in a new shared file. Returns false on failure. */
static bool put_sampler(long fd, const struct syt_env *env)
{
	struct {
		uint32_t unpaused, is_shadow;
		char sampler[SYT_SAMPLER_TEXT_BYTES];
	} s = {SYT_CONTROL_SAMPLED, env->is_shadow, ""};
	struct syt_budget b;

	_Static_assert(sizeof(s) == offsetof(struct syt_trace, reserved4) -
	                                    offsetof(struct syt_trace, unpaused),
	               "the sampler");
	memcpy(s.sampler, env->sampler, strlen(env->sampler));
	if (env->budget && syt_budget_parse(&b, env->budget) &&
	    SYT_SYS_4(SYS_pwrite64, fd, &b, sizeof(b), SYT_BUDGET_AT) != (long)sizeof(b))
		return false;
	return SYT_SYS_4(SYS_pwrite64, fd, &s, sizeof(s), offsetof(struct syt_trace, unpaused)) ==
	               (long)sizeof(s) &&
	       (env->is_paused ||
	        SYT_SYS_4(SYS_pwrite64, fd, &s.unpaused, sizeof(s.unpaused), SYT_CONTROL_AT) ==
	                (long)sizeof(s.unpaused));
}

int syt_trace_file_create(long dir, const struct syt_env *env)
{
	char temporary[NAME_BYTES] = "";
	struct syt_text_buffer b = {.text = temporary, .capacity = sizeof(temporary)};
	/* all fields of the file before the part for each process; the rest of the file is zeros */
	struct {
		uint64_t magic;
		uint16_t major, minor;
		uint32_t header_bytes;
		uint8_t trace_id[16], boot_id[16];
		uint64_t real_ns;
	} head = {SYT_TRACE_MAGIC,
	          SYT_FORMAT_MAJOR,
	          SYT_FORMAT_MINOR,
	          sizeof(struct syt_trace),
	          {0},
	          {0},
	          0};
	_Static_assert(sizeof(head) == offsetof(struct syt_trace, nr_processes),
	               "head of the trace");
	struct syt_clock_pair now;
	struct rlimit limit;
	long fd, rv;

	/* Growing the file beyond this limit would raise SIGXFSZ. */
	if (SYT_SYS_4(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit) == 0 &&
	    limit.rlim_cur < sizeof(struct syt_trace))
		return -EFBIG;
	syt_text_add(&b, SYT_TRACE_NAME ".");
	syt_text_add_number(&b, (uint64_t)SYT_SYS_0(SYS_getpid), 1);
	fd = SYT_SYS_4(SYS_openat, dir, temporary,
	               O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return (int)fd;
	SYT_SYS_2(SYS_fchmod, fd, 0600); /* sets the mode independently of the umask */
	SYT_SYS_3(SYS_getrandom, head.trace_id, sizeof(head.trace_id), 0);
	memcpy(head.boot_id, syt_image()->boot_id, sizeof(head.boot_id));
	now = syt_clock_pair();
	head.real_ns = now.real_ns;
	rv = SYT_SYS_3(SYS_write, fd, &head, sizeof(head));
	if (rv == (long)sizeof(head) && env->is_paused) {
		const struct {
			uint32_t control, nr_pauses;
			struct syt_pause pause;
		} first = {1, 1, {.from_ns = now.mono_ns, .from_ticks = now.ticks}};

		rv = SYT_SYS_4(SYS_pwrite64, fd, &first, sizeof(first), SYT_CONTROL_AT);
		rv = rv == (long)sizeof(first) ? (long)sizeof(head) : rv < 0 ? rv : 0;
	}
	if (rv == (long)sizeof(head) && env->sampler && !put_sampler(fd, env))
		rv = 0;
	if (rv == (long)sizeof(head))
		rv = SYT_SYS_2(SYS_ftruncate, fd, sizeof(struct syt_trace));
	else if (rv >= 0)
		rv = -ENOSPC;
	SYT_SYS_1(SYS_close, fd);
	if (rv >= 0)
		rv = publish(dir, temporary);
	/* this unlink fails if the file got its final name */
	SYT_SYS_3(SYS_unlinkat, dir, temporary, 0);
	return rv == -EEXIST ? 0 : (int)rv;
}

/* Returns whether at least one of the NR processes PIDS is running. */
static bool runs_one(const uint32_t *pids, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (pids[i] && SYT_SYS_2(SYS_kill, pids[i], 0) != -ESRCH)
			return true;
	return false;
}

static bool has_no_process(long fd)
{
	uint32_t nr = 0, pids[NR_PIDS];
	uint8_t boot_id[16];
	long n;

	if (SYT_SYS_4(SYS_pread64, fd, &nr, sizeof(nr), offsetof(struct syt_trace, nr_processes)) !=
	            (long)sizeof(nr) ||
	    SYT_SYS_4(SYS_pread64, fd, boot_id, sizeof(boot_id),
	              offsetof(struct syt_trace, boot_id)) != (long)sizeof(boot_id))
		return false;
	if (!nr)
		/* the trace was just created: its first process has not registered yet */
		return false;
	if (memcmp(syt_image()->boot_id, boot_id, sizeof(boot_id)))
		return true;
	if (nr > SYT_NR_TRACE_PROCESSES)
		nr = SYT_NR_TRACE_PROCESSES;
	for (uint32_t at = 0; at < nr; at += NR_PIDS) {
		n = SYT_SYS_4(SYS_pread64, fd, pids, sizeof(pids),
		              offsetof(struct syt_trace, pids) + at * sizeof(*pids));
		if (n < 0 || runs_one(pids, (size_t)n / sizeof(*pids)))
			return false;
	}
	return true;
}

/* A process first takes a number in the trace and then stores its pid, so a trace younger than this is
 * checked again. */
#define YOUNG_NS UINT64_C(1000000000)
#define NR_LOOKS 5u
#define LOOK_WAIT_NS 1000000

static bool is_young(long fd)
{
	uint64_t made = 0, now = syt_clock_pair().real_ns;

	return SYT_SYS_4(SYS_pread64, fd, &made, sizeof(made),
	                 offsetof(struct syt_trace, real_ns)) == (long)sizeof(made) &&
	       now - made < YOUNG_NS;
}

bool syt_trace_file_is_finished(long fd)
{
	const struct timespec wait = {0, LOOK_WAIT_NS};
	unsigned nr = 1;

	while (has_no_process(fd)) {
		if (nr++ == NR_LOOKS || !is_young(fd))
			return true;
		SYT_SYS_2(SYS_nanosleep, &wait, NULL);
	}
	return false;
}
