/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/answer.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/err.h"
#include "format/format.h"
#include "tool/diag.h"
#include "tool/directory.h"

struct syt_answerer {
	int dir;   /* file descriptor of the trace directory */
	int peers; /* file descriptor of the file `peers`; -1 before the first answer */
	struct syt_trace *trace;
	struct syt_diag *diag;
	pthread_t thread;
	bool is_ending; /* an atomic variable */
};

/* ---- the files ---- */

static void read_boot_id(uint8_t id[16])
{
	char text[40];
	unsigned nibbles = 0;

	memset(id, 0, 16);
	syt_file_text("/proc/sys/kernel/random/boot_id", text, sizeof(text));
	for (const char *p = text; *p && nibbles < 32; p++) {
		const char *hex = "0123456789abcdef", *digit = strchr(hex, *p);

		if (!digit)
			continue;
		id[nibbles / 2] = (uint8_t)(id[nibbles / 2] << 4 | (digit - hex));
		nibbles++;
	}
}

/* Makes the shared file of the trace like the first traced process (runtime/place.c), which then uses this file. */
static struct syt_trace *make_shared(int dir)
{
	struct syt_trace *t;
	struct rlimit limit;
	struct timespec now;
	int fd;

	/* A file larger than RLIMIT_FSIZE would raise SIGXFSZ. */
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < sizeof(*t))
		return NULL;
	fd = openat(dir, SYT_TRACE_NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return NULL;
	t = fchmod(fd, 0600) || ftruncate(fd, sizeof(*t))
	            ? MAP_FAILED
	            : mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
	                   0);
	close(fd);
	/* Allocates the blocks now, because a full disk would raise SIGBUS at a later access. */
	if (t != MAP_FAILED &&
	    (madvise(t, SYT_PAGE_BYTES, MADV_POPULATE_WRITE) ||
	     madvise(&t->answerer, sizeof(*t) - offsetof(struct syt_trace, answerer),
	             MADV_POPULATE_WRITE))) {
		munmap(t, sizeof(*t));
		t = MAP_FAILED;
	}
	if (t == MAP_FAILED) {
		unlinkat(dir, SYT_TRACE_NAME, 0);
		return NULL;
	}
	t->major = SYT_FORMAT_MAJOR;
	t->minor = SYT_FORMAT_MINOR;
	t->header_bytes = sizeof(*t);
	if (getrandom(t->trace_id, sizeof(t->trace_id), 0) < 0)
		memset(t->trace_id, 0, sizeof(t->trace_id));
	read_boot_id(t->boot_id);
	clock_gettime(CLOCK_REALTIME, &now);
	t->real_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	__atomic_store_n(&t->magic, SYT_TRACE_MAGIC, __ATOMIC_RELEASE);
	return t;
}

static void write_peer(struct syt_answerer *a, struct syt_peer *p)
{
	const struct syt_trace *t = a->trace;

	if (a->peers < 0) {
		struct syt_peers header = {
			.magic = SYT_PEERS_MAGIC,
			.major = SYT_FORMAT_MAJOR,
			.minor = SYT_FORMAT_MINOR,
			.header_bytes = sizeof(header),
		};

		a->peers = openat(a->dir, SYT_PEERS_NAME,
		                  O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
		                  0600);
		memcpy(header.trace_id, t->trace_id, sizeof(header.trace_id));
		memcpy(header.boot_id, t->boot_id, sizeof(header.boot_id));
		if (write(a->peers, &header, sizeof(header)) < 0)
			return;
	}
	p->magic = SYT_PEER_MAGIC;
	p->checksum = XXH32((const uint8_t *)p + 8, sizeof(*p) - 8, 0);
	if (write(a->peers, p, sizeof(*p)) < 0)
		/* the disk is full; the decoder infers the pairs of sockets that are missing in the file */
		return;
}

/* ---- the thread ---- */

static bool answer_all(struct syt_answerer *a)
{
	bool is_any = false;

	for (unsigned i = 0; i < SYT_NR_REQUESTS; i++) {
		struct syt_request *r = &a->trace->requests[i], copy;
		struct syt_peer peer;

		if (__atomic_load_n(&r->state, __ATOMIC_SEQ_CST) != SYT_REQUEST_POSTED)
			continue;
		copy = *r;
		__atomic_store_n(&r->state, SYT_REQUEST_FREE, __ATOMIC_RELEASE);
		if (syt_diag_peer(a->diag, &copy, &peer))
			write_peer(a, &peer);
		is_any = true;
	}
	return is_any;
}

static void *answer(void *context)
{
	struct syt_answerer *a = context;
	struct syt_trace *t = a->trace;

	for (;;) {
		/* The order of these accesses matters: if a process posts a request after answer_all(), it
		 * sees `is_asleep`, or it changes the futex word `bell` before this thread sleeps. */
		bool is_ending = __atomic_load_n(&a->is_ending, __ATOMIC_SEQ_CST);
		uint32_t bell = __atomic_load_n(&t->bell, __ATOMIC_SEQ_CST);

		if (answer_all(a))
			continue;
		if (is_ending)
			return NULL;
		__atomic_store_n(&t->is_asleep, 1, __ATOMIC_SEQ_CST);
		if (!answer_all(a))
			syscall(SYS_futex, &t->bell, FUTEX_WAIT, bell, NULL);
		__atomic_store_n(&t->is_asleep, 0, __ATOMIC_SEQ_CST);
	}
}

/* Starts the thread with all signals blocked, because signals are for the traced program. */
static int start_thread(struct syt_answerer *a)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int rv = pthread_create(&a->thread, NULL, answer, a);

	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rv;
}

static void destroy(struct syt_answerer *a)
{
	if (a->trace && !a->trace->nr_processes) {
		unlinkat(a->dir, SYT_PEERS_NAME, 0);
		unlinkat(a->dir, SYT_TRACE_NAME, 0);
	}
	if (a->trace)
		munmap(a->trace, sizeof(*a->trace));
	if (a->peers >= 0)
		close(a->peers);
	if (a->dir >= 0)
		close(a->dir);
	if (a->diag)
		syt_diag_destroy(a->diag);
	free(a);
}

struct syt_answerer *syt_answerer_start(const char *dir)
{
	struct syt_answerer *a = syt_calloc(1, sizeof(*a));

	a->peers = -1;
	a->dir = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	a->trace = a->dir < 0 ? NULL : make_shared(a->dir);
	a->diag = a->trace ? syt_diag_create() : NULL;
	if (a->diag && !start_thread(a)) {
		__atomic_store_n(&a->trace->answerer, (uint32_t)getpid(), __ATOMIC_SEQ_CST);
		return a;
	}
	destroy(a);
	return NULL;
}

void syt_answerer_stop(struct syt_answerer *a)
{
	if (!a)
		return;
	__atomic_store_n(&a->trace->answerer, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&a->is_ending, true, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&a->trace->bell, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &a->trace->bell, FUTEX_WAKE, 1);
	pthread_join(a->thread, NULL);
	destroy(a);
}

char *syt_answerer_id(const struct syt_answerer *a)
{
	char *text = NULL;

	if (!a)
		return NULL;
	text = syt_calloc(1, 2 * sizeof(a->trace->trace_id) + 1);
	for (size_t i = 0; i < sizeof(a->trace->trace_id); i++)
		sprintf(text + 2 * i, "%02x", a->trace->trace_id[i]);
	return text;
}
