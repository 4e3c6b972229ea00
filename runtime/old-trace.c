/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/old-trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "format/format.h"
#include "runtime/own.h"
#include "runtime/place.h"
#include "runtime/sys.h"
#include "runtime/trace-file.h"

#define RENAME_NOREPLACE_ 1 /* linux/fs.h */
#define ID_BYTES 16u

enum name { NAME_OTHER, NAME_SELF, NAME_TRACE, NAME_TEMPORARY, NAME_PEERS, NAME_MAP, NAME_DUMP };

static const char *skip_digits(const char *p)
{
	return p + strspn(p, "0123456789");
}

static enum name kind_of(const char *name)
{
	const char *temporary = SYT_TRACE_NAME ".", *p;

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return NAME_SELF;
	if (!strcmp(name, SYT_TRACE_NAME))
		return NAME_TRACE;
	if (!strcmp(name, SYT_PEERS_NAME))
		return NAME_PEERS;
	if (!strncmp(name, temporary, strlen(temporary))) {
		p = name + strlen(temporary);
		return *p && !*skip_digits(p) ? NAME_TEMPORARY : NAME_OTHER;
	}
	if (!strncmp(name, "perf-", 5)) {
		p = skip_digits(name + 5);
		return p > name + 5 && !strcmp(p, ".map") ? NAME_MAP : NAME_OTHER;
	}
	p = skip_digits(name);
	if (p == name || *p != '.' || skip_digits(p + 1) == p + 1)
		return NAME_OTHER;
	return strcmp(skip_digits(p + 1), SYT_DUMP_SUFFIX) ? NAME_OTHER : NAME_DUMP;
}

/* Reads the trace id from the file NAME of KIND in DIR. Returns whether syntrace wrote the file. */
static bool read_id(long dir, const char *name, enum name kind, uint8_t *id)
{
	uint64_t wanted = kind == NAME_DUMP    ? SYT_FILE_MAGIC
	                  : kind == NAME_PEERS ? SYT_PEERS_MAGIC
	                  : kind == NAME_MAP   ? SYT_SAVED_MAP_MAGIC
	                                       : SYT_TRACE_MAGIC;
	size_t at = kind == NAME_DUMP    ? offsetof(struct syt_file, trace_id)
	            : kind == NAME_PEERS ? offsetof(struct syt_peers, trace_id)
	            : kind == NAME_MAP   ? offsetof(struct syt_saved_map, trace_id)
	                                 : offsetof(struct syt_trace, trace_id);
	uint64_t magic = 0;
	struct stat st;
	bool is_read;
	long fd = syt_own_file(dir, name, O_RDONLY, &st);

	if (fd < 0)
		return false;
	is_read = SYT_SYS_4(SYS_pread64, fd, &magic, sizeof(magic), 0) == (long)sizeof(magic) &&
	          SYT_SYS_4(SYS_pread64, fd, id, ID_BYTES, at) == (long)ID_BYTES;
	SYT_SYS_1(SYS_close, fd);
	return is_read && magic == wanted;
}

/* Returns whether NAME in DIR is a file of the trace ID. */
static bool is_of_trace(long dir, const char *name, const uint8_t *id)
{
	enum name kind = kind_of(name);
	uint8_t found[ID_BYTES];

	/* a temporary file with another id stays behind if its process lost the race for the name `trace`
	 * and was killed */
	return kind > NAME_SELF && read_id(dir, name, kind, found) &&
	       (kind == NAME_TEMPORARY || !memcmp(found, id, ID_BYTES));
}

struct directory_entry {
	uint64_t inode, next;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

/* Returns whether DIR contains only files of the trace ID. If REMOVE, removes these files except the shared
 * file, which proves that the other files belong to the trace. */
static bool walk(long dir, const uint8_t *id, bool remove)
{
	char entries[2048] __attribute__((aligned(8)));
	bool is_all = SYT_SYS_3(SYS_lseek, dir, 0, SEEK_SET) == 0;
	long n;

	while (is_all && (n = SYT_SYS_3(SYS_getdents64, dir, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < n && is_all;) {
			struct directory_entry *e = (struct directory_entry *)(entries + at);
			enum name kind = kind_of(e->name);

			at += e->bytes;
			if (kind == NAME_SELF)
				continue;
			is_all = is_of_trace(dir, e->name, id);
			if (is_all && remove && kind != NAME_TRACE)
				SYT_SYS_3(SYS_unlinkat, dir, e->name, 0);
		}
	}
	return is_all && n == 0;
}

static bool is_finished(long dir)
{
	struct stat st;
	long fd = syt_own_file(dir, SYT_TRACE_NAME, O_RDONLY, &st);
	bool is = fd >= 0 && syt_trace_file_is_finished(fd);

	if (fd >= 0)
		SYT_SYS_1(SYS_close, fd);
	return is;
}

/* Removes the directory PATH if it contains a finished trace and no other files. */
static bool remove_trace(const char *path)
{
	long dir = syt_own_directory(path);
	uint8_t id[ID_BYTES];
	bool is_trace;

	if (dir < 0)
		return false;
	is_trace = read_id(dir, SYT_TRACE_NAME, NAME_TRACE, id) && is_finished(dir) &&
	           walk(dir, id, false) && walk(dir, id, true) &&
	           SYT_SYS_3(SYS_unlinkat, dir, SYT_TRACE_NAME, 0) == 0;
	SYT_SYS_1(SYS_close, dir);
	return is_trace && SYT_SYS_3(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR) == 0;
}

static long rename_to(const char *dir, const char *to)
{
	long rv = SYT_SYS_5(SYS_renameat2, AT_FDCWD, dir, AT_FDCWD, to, RENAME_NOREPLACE_);

	/* without RENAME_NOREPLACE: renameat replaces an empty directory only */
	if (rv == -EINVAL || rv == -ENOSYS || rv == SYT_SYS_DENIED)
		rv = SYT_SYS_4(SYS_renameat, AT_FDCWD, dir, AT_FDCWD, to);
	return rv == -ENOTEMPTY || rv == -ENOTDIR ? -EEXIST : rv;
}

void syt_old_trace_name(struct syt_text_buffer *b, const char *dir, unsigned nr)
{
	syt_text_add(b, dir);
	syt_text_add(b, ".old");
	if (nr) {
		syt_text_add(b, ".");
		syt_text_add_number(b, nr, 1);
	}
}

int syt_old_trace_move(const char *dir, unsigned *nr)
{
	char to[SYT_PATH_BYTES];
	long rv = -EEXIST;

	for (unsigned i = 0; i < SYT_OLD_TRACE_NAMES && rv == -EEXIST; i++) {
		struct syt_text_buffer b = {.text = to, .capacity = sizeof(to)};

		to[0] = 0;
		syt_old_trace_name(&b, dir, i);
		if (b.is_cut)
			return -ENAMETOOLONG;
		rv = rename_to(dir, to);
		if (rv == -EEXIST && remove_trace(to))
			rv = rename_to(dir, to);
		*nr = i;
	}
	return (int)rv;
}
