/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "tool/refusal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/err.h"
#include "format/format.h"
#include "tool/directory.h"

static const char *bound_text(uint32_t bound)
{
	switch (bound) {
	case SYT_BOUND_DISK:
		return "half of what is free on its file system";
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
		syt_warn("a dump needs at least %" PRIu64 " KiB; there was room for only %" PRIu64
		         " KiB: %s",
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
	syt_warn("%u process image%s could not make a dump in %s; the first was process %u:", nr,
	         nr == 1 ? "" : "s", dir, r.pid);
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
	/* The launcher created it with mode 0700, but some file systems do not store modes. */
	if (!stat(dir, &st) && st.st_mode & (S_IWGRP | S_IWOTH)) {
		syt_warn("other users may write to %s: name a directory of another file system "
		         "with -o",
		         dir);
		return true;
	}
	/* Perhaps there was no room for the note either. */
	if (statvfs(dir, &fs))
		return false;
	r.room = fs.f_bavail * fs.f_frsize / 2;
	if (r.room >= r.least)
		return false;
	say(&r);
	return true;
}
