/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "base/err.h"
#include "tool/summary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tool/directory.h"

#define META_READ_MAX (1u << 20) /* maximum number of bytes of one read */

static const char *const loss_texts[] = {
#define LOSS(name_, text_) [SYT_LOSS_##name_] = text_,
	SYT_LOSSES(LOSS)
#undef LOSS
};

const char *syt_loss_text(enum syt_loss loss)
{
	return loss_texts[loss];
}

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
	return pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

/* Returns the number of thread definitions in the BYTES of metadata at AT. */
static uint64_t count_threads(int fd, uint64_t at, uint64_t bytes)
{
	uint8_t *buffer = malloc(META_READ_MAX);
	uint64_t nr_threads = 0, done = 0;

	while (buffer && done < bytes) {
		uint64_t left = bytes - done;
		size_t piece = left < META_READ_MAX ? left : META_READ_MAX, p = 0;

		if (!read_at(fd, buffer, piece, at + done))
			break;
		while (piece - p >= sizeof(struct syt_meta)) {
			struct syt_meta m;

			memcpy(&m, buffer + p, sizeof(m));
			uint64_t whole =
				sizeof(m) + (((uint64_t)m.bytes - sizeof(m) + 7) & ~UINT64_C(7));

			if (m.magic != SYT_META_MAGIC || m.bytes < sizeof(m))
				/* the end of the definitions, or damage, which the decoder reports */
				goto end;
			if (whole > piece - p)
				break;
			nr_threads += m.type == SYT_META_THREAD;
			p += whole;
		}
		if (!p)
			break;
		done += p;
	}
end:
	free(buffer);
	return nr_threads;
}

static void count_slot(struct syt_summary *s, const struct syt_slot *slot)
{
	s->nr_events += slot->sealed;
	s->nr_overwritten += slot->overwritten;
	for (unsigned i = 0; i < SYT_NR_LANES; i++)
		s->nr_events += slot->lanes[i].committed >> 32;
}

/* Counts the contents of the dump FD, chunk by chunk (a chunk is one allocation in the file). */
static void count_chunks(struct syt_summary *s, int fd, const struct syt_file *file, uint64_t bytes)
{
	uint64_t end = file->used < bytes ? file->used : bytes;
	struct syt_chunk chunk;

	for (uint64_t at = SYT_PAGE_BYTES; at < end && end - at >= SYT_PAGE_BYTES;
	     at += chunk.bytes) {
		if (!read_at(fd, &chunk, sizeof(chunk), at) || chunk.magic != SYT_CHUNK_MAGIC ||
		    !chunk.bytes || chunk.bytes % SYT_PAGE_BYTES || chunk.bytes > end - at)
			return;
		uint64_t room = chunk.bytes - sizeof(chunk);

		if (chunk.type == SYT_CHUNK_META) {
			s->nr_threads += count_threads(fd, at + sizeof(chunk),
			                               chunk.used < room ? chunk.used : room);
		} else if (chunk.type == SYT_CHUNK_SLOT) {
			struct syt_slot slot;

			if (read_at(fd, &slot, sizeof(slot), at))
				count_slot(s, &slot);
		}
	}
}

static bool is_dump(const struct syt_file *f, uint64_t bytes)
{
	return f->magic == SYT_FILE_MAGIC && f->major && f->major <= SYT_FORMAT_MAJOR_SAMPLED &&
	       f->page_bytes == SYT_PAGE_BYTES &&
	       f->header_bytes >= offsetof(struct syt_file, live_begin) &&
	       f->header_bytes <= SYT_PAGE_BYTES && f->used >= SYT_PAGE_BYTES &&
	       f->used <= f->capacity && f->used <= bytes;
}

/* Truncates the dump of an ended process after its last used byte. Reads the header again, because the process may
 * have written to the dump before its end. */
static void trim(int fd, struct syt_file *file, uint64_t bytes)
{
	if (read_at(fd, file, sizeof(*file), 0) && is_dump(file, bytes) && file->used < bytes &&
	    ftruncate(fd, (off_t)file->used))
		/* the unused part of the file needs no disk space, so a failure does not matter */
		return;
}

static void read_dump(struct syt_summary *s, int dir, const char *name, pid_t pid)
{
	int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct syt_file file;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    !read_at(fd, &file, sizeof(file), 0) || !is_dump(&file, (uint64_t)st.st_size)) {
		s->nr_unreadable++;
		goto end;
	}
	if (!syt_process_lives(file.pid, file.start_time))
		trim(fd, &file, (uint64_t)st.st_size);
	else if ((file.state & 0xff) == SYT_STATE_RUNNING)
		s->nr_live++;
	s->nr_dumps++;
	s->has_pid |= (pid_t)file.pid == pid;
	for (unsigned i = 0; i < SYT_NR_LOSSES; i++)
		s->lost[i] += file.lost[i];
	count_chunks(s, fd, &file, (uint64_t)st.st_size);
	if (!fstat(fd, &st))
		s->bytes += (uint64_t)st.st_blocks * 512;
end:
	if (fd >= 0)
		close(fd);
}

static void read_pauses(struct syt_summary *s, int dir)
{
	struct syt_pause pauses[SYT_NR_PAUSES];
	uint32_t nr = 0;

	if (!syt_file_read(dir, SYT_TRACE_NAME, &nr, sizeof(nr),
	                   offsetof(struct syt_trace, nr_pauses)) ||
	    !syt_file_read(dir, SYT_TRACE_NAME, pauses, sizeof(pauses),
	                   offsetof(struct syt_trace, pauses)))
		return;
	s->nr_pauses = nr;
	s->is_paused = nr && !pauses[(nr - 1) % SYT_NR_PAUSES].to_ns;
}

int syt_summary_read(struct syt_summary *s, const char *dir, pid_t pid)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	struct stat st;

	*s = (struct syt_summary){0};
	if (!d)
		return -errno;
	while ((e = readdir(d))) {
		if (syt_is_dump_name(e->d_name))
			read_dump(s, dirfd(d), e->d_name, pid);
		else if ((!strcmp(e->d_name, SYT_TRACE_NAME) ||
		          !strcmp(e->d_name, SYT_PEERS_NAME) || syt_is_map_name(e->d_name)) &&
		         !fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			s->bytes += (uint64_t)st.st_blocks * 512;
	}
	read_pauses(s, dirfd(d));
	closedir(d);
	return 0;
}

bool syt_summary_has(const char *dir, pid_t pid)
{
	char *pattern = syt_asprintf("?*.%d" SYT_DUMP_SUFFIX, (int)pid);
	DIR *d = opendir(dir);
	bool is_found = false;
	struct dirent *e;

	while (d && !is_found && (e = readdir(d)))
		is_found = !fnmatch(pattern, e->d_name, 0);
	if (d)
		closedir(d);
	free(pattern);
	return is_found;
}

/* ---- processes without a dump ---- */

static const char *bound_text(uint32_t bound)
{
	switch (bound) {
	case SYT_BOUND_DISK:
		return "half of the free space on the file system of the trace";
	case SYT_BOUND_FILE_SIZE:
		return "the limit on the size of a file (ulimit -f)";
	case SYT_BOUND_ADDRESSES:
		return "a quarter of the limit on address space (ulimit -v)";
	default:
		return "--max-size, or SYNTRACE_MAX_SIZE";
	}
}

static void say(const struct syt_refusal *r)
{
	if (r->room < r->least)
		syt_warn("the trace file of a process needs at least %" PRIu64 " KiB, but may use "
		         "only %" PRIu64 " KiB: %s",
		         r->least >> 10, r->room >> 10, bound_text(r->bound));
	else
		syt_warn("%s", strerror((int)r->error));
}

bool syt_refusal_explain_noted(const char *dir)
{
	char *path = syt_asprintf("%s/" SYT_TRACE_NAME, dir);
	struct syt_refusal r;
	uint32_t nr;

	if (!syt_file_read(AT_FDCWD, path, &nr, sizeof(nr),
	                   offsetof(struct syt_trace, nr_refused)) ||
	    !syt_file_read(AT_FDCWD, path, &r, sizeof(r), offsetof(struct syt_trace, refusal)))
		nr = 0;
	free(path);
	if (!nr)
		return false;
	syt_warn(
		"%u process image%s could not create a trace file in %s; the first was process %u:",
		nr, nr == 1 ? "" : "s", dir, r.pid);
	say(&r);
	return true;
}

bool syt_refusal_explain(const char *dir)
{
	struct syt_refusal r = {.bound = SYT_BOUND_DISK, .least = SYT_DUMP_LEAST_BYTES};
	struct statvfs fs;
	struct stat st;

	if (syt_refusal_explain_noted(dir))
		return true;
	/* The launcher created DIR with mode 0700, but some file systems do not store modes. */
	if (!stat(dir, &st) && st.st_mode & (S_IWGRP | S_IWOTH)) {
		syt_warn("other users may write to %s: name a directory of another file system "
		         "with -o",
		         dir);
		return true;
	}
	/* A full disk may also have prevented the process from writing its reason. */
	if (statvfs(dir, &fs))
		return false;
	r.room = fs.f_bavail * fs.f_frsize / 2;
	if (r.room >= r.least)
		return false;
	say(&r);
	return true;
}
