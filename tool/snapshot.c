/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * syntrace snapshot: copies a trace while the recording continues.
 *
 * The tool copies the dumps one after the other, so the copy of a later dump contains newer events. The copy
 * therefore contains a pause that begins before the first copied byte. After the begin of the pause, the decoder
 * derives no happens-before edge that requires complete data. The tool waits WAIT_NS before the copy, so that
 * threads write the events of finished calls.
 */
#define _GNU_SOURCE
#include "tool/options.h"
#include "base/err.h"
#include "base/progress.h"
#include "tool/snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool/copy.h"
#include "tool/perf_map.h"
#include "tool/directory.h"
#include "tool/pause.h"
#include "tool/verbs.h"

#define DIR_DEFAULT "syntrace.snapshot"
/* Usual maximum of the time from the end of a call to its event in the dump. */
#define WAIT_NS 20000000

static bool write_all(int fd, const void *bytes, size_t nr, off_t at)
{
	return pwrite(fd, bytes, nr, at) == (ssize_t)nr;
}

/* Copies the part of the shared file that the decoder reads, with a pause that began at NOW. */
static bool copy_shared(const struct syt_live *l, int to, struct syt_pause now)
{
	struct syt_trace *t = syt_alloc(offsetof(struct syt_trace, endpoints), 1);
	int fd = openat(to, SYT_TRACE_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool is_done;

	memcpy(t, l->trace, offsetof(struct syt_trace, endpoints));
	if (t->control == t->unpaused) {
		t->pauses[t->nr_pauses % SYT_NR_PAUSES] = now;
		t->copied = ++t->nr_pauses;
	} else if (t->nr_pauses) {
		struct syt_pause *p = &t->pauses[(t->nr_pauses - 1) % SYT_NR_PAUSES];

		p->to_ns = p->to_ticks = 0;
	}
	t->control = t->nr_pauses;
	memset(t->pids, 0, sizeof(t->pids)); /* no process records into the copy */
	is_done = fd >= 0 && write_all(fd, t, offsetof(struct syt_trace, endpoints), 0) &&
	          !ftruncate(fd, sizeof(struct syt_trace));
	if (!is_done)
		syt_warn_errno("cannot write the copy");
	if (fd >= 0)
		close(fd);
	free(t);
	return is_done;
}

/* Copies the file `peers` of pairs of sockets. The recorder only appends to this file, so each prefix is valid. */
static void copy_peers(const struct syt_live *l, int to)
{
	int from = openat(l->fd, SYT_PEERS_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int fd = from < 0 ? -1
	                  : openat(to, SYT_PEERS_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	                           0600);
	char buffer[65536];
	off_t at = 0;
	ssize_t n;

	while (fd >= 0 && (n = read(from, buffer, sizeof(buffer))) > 0 &&
	       write_all(fd, buffer, (size_t)n, at))
		at += n;
	if (fd >= 0)
		close(fd);
	if (from >= 0)
		close(from);
}

/* Returns whether the file FROM is a dump of a version that this tool can copy. */
static bool is_dump(int from, const char *name)
{
	struct {
		uint64_t magic;
		uint16_t major;
	} begin;

	_Static_assert(offsetof(struct syt_file, magic) == 0 &&
	                       offsetof(struct syt_file, major) == 8,
	               "begins with these");
	if (pread(from, &begin, sizeof(begin), 0) != (ssize_t)sizeof(begin) ||
	    begin.magic != SYT_FILE_MAGIC)
		return false;
	if (begin.major != SYT_FORMAT_MAJOR)
		syt_warn("another version of syntrace wrote %s, so the copy does not contain it",
		         name);
	return begin.major == SYT_FORMAT_MAJOR;
}

/* Copies the dump NAME, unless the dump cannot be read. Returns false after a message if the copy cannot be
 * written. */
static bool copy_one(const struct syt_live *l, int to, const char *name,
                     const struct syt_clock_pair *since, unsigned *nr)
{
	int from = openat(l->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), fd;
	bool is_done = true;

	if (from < 0) {
		syt_warn_errno("cannot read %s, so the copy does not contain it", name);
		return true;
	}
	if (is_dump(from, name)) {
		fd = openat(to, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0) {
			syt_warn_errno("cannot write the copy of %s", name);
			is_done = false;
		} else {
			is_done = syt_copy_dump(from, fd, name, since);
			*nr += is_done;
			close(fd);
		}
	}
	close(from);
	return is_done;
}

static bool copy_dumps(const struct syt_live *l, int to, const struct syt_clock_pair *since,
                       unsigned *nr)
{
	DIR *d = fdopendir(dup(l->fd));
	bool is_done = d;
	struct dirent *e;

	if (d)
		/* a duplicated fd shares its position in the directory with the original */
		rewinddir(d);
	while (is_done && (e = readdir(d)))
		if (syt_is_dump_name(e->d_name))
			is_done = copy_one(l, to, e->d_name, since, nr);
	if (d)
		closedir(d);
	return is_done;
}

/* Returns the end of the last pause that has ended, or 0 if there is none. */
static struct syt_clock_pair last_resume(const struct syt_live *l)
{
	uint32_t nr = l->trace->nr_pauses, last = nr - (l->trace->control != l->trace->unpaused);
	const struct syt_pause *p = &l->trace->pauses[(last - 1) % SYT_NR_PAUSES];

	if (!nr || !last || !p->to_ns)
		return (struct syt_clock_pair){0};
	return (struct syt_clock_pair){.ticks = p->to_ticks, .mono_ns = p->to_ns};
}

bool syt_snapshot(struct syt_live *l, const char *dir, bool is_window, bool is_quiet)
{
	const struct timespec wait = {0, WAIT_NS};
	bool is_new, is_done;
	char *path = syt_directory_create(dir, false, &is_new);
	struct syt_pause now = syt_pause_now();
	struct syt_clock_pair since = is_window ? last_resume(l) : (struct syt_clock_pair){0};
	unsigned nr = 0;
	int to;

	if (!path)
		return false;
	nanosleep(&wait, NULL);
	to = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	is_done = to >= 0 && copy_shared(l, to, now) && copy_dumps(l, to, &since, &nr);
	copy_peers(l, to);
	if (to >= 0)
		syt_perf_maps_keep(l->fd, to);
	if (is_done && !nr) {
		syt_warn("cannot copy the trace in %s: the trace file of no process could be "
		         "read",
		         l->dir);
		is_done = false;
	}
	if (is_done && !is_quiet)
		syt_warn("%u process image%s of %s copied; next: syntrace-decode diagnose %s", nr,
		         nr == 1 ? "" : "s", l->dir, dir);
	if (to >= 0)
		close(to);
	free(path);
	return is_done;
}

/* ---- the verb ---- */

enum { KEY_WINDOW = 256 };

struct options {
	const char *what, *dir;
	bool is_window;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->dir = argument;
		if (!*argument)
			argp_error(state, "-o takes a directory");
		return 0;
	case KEY_WINDOW:
		o->is_window = true;
		return 0;
	default:
		return syt_live_parse(key, argument, state, &o->what);
	}
}

static const struct argp_option option_rows[] = {
	{"output", 'o', "DIR", SYT_OPTION_NOT_OF_PROJECT,
         "write the copy into DIR (default: ./" DIR_DEFAULT "); if DIR contains a trace, rename it "
         "to DIR.old",
         0},
	{"window", KEY_WINDOW, NULL, 0,
         "copy only what was recorded since the last 'syntrace resume', and not the whole ring", 0},
	{0},
};
static const struct argp argp = {
	.options = option_rows,
	.parser = parse,
	.args_doc = "[PID|NAME|DIR]",
	.doc = "Copy the trace of a running program, while the program and the recording continue. "
	       "Name the trace by the pid of a recorded process (PID), the name of the recorded "
	       "program (NAME), or the trace directory (DIR).\vExit status: 0 if the trace was "
	       "copied, 2 for wrong usage, 4 if there is no trace, or the trace could not be "
	       "copied.",
};

static int run(void *options)
{
	const struct options *o = options;
	struct syt_live l;
	bool is_done;

	syt_progress_open("copying");
	is_done = syt_live_open(&l, o->what) && syt_snapshot(&l, o->dir, o->is_window, false);
	syt_progress_close();
	syt_live_close(&l);
	return is_done ? 0 : SYT_STATUS_UNREADABLE;
}

const struct syt_launcher_verb syt_verb_snapshot = {
	.run = run,
	.argp = &argp,
	.options_bytes = sizeof(struct options),
	.defaults = &(const struct options){.dir = DIR_DEFAULT},
	.usage = SYT_STATUS_USAGE,
};
