/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The traced program writes the file, and in /tmp any user may create one. So the file is untrusted: its owner and
 * time are checked, its size is limited, and lines of any other form are skipped. */
#include "decoder/read/perf_map.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"

#define MOST_NAME 512u
#define MOST_OVERLAPS 1000u /* maximum of functions at one address; a map with more is damaged */

struct function {
	uint64_t start, end;
	uint64_t covered; /* greatest end of this function and all before it */
	size_t line;
	const char *name;
};

struct syt_perf_map {
	struct function *all; /* sorted by start, then line */
	size_t nr, room;
	char *text; /* contains the names */
};

/* ---- the text ---- */

SYT_COMPARATOR(by_start, struct function)
{
	SYT_ORDER_BY(start);
	SYT_ORDER_BY(line);
	return 0;
}

/* Reads a hexadecimal number at *P, before END, and the space after it. */
static bool read_hex(const char **p, const char *end, uint64_t *value)
{
	const char *from = *p;
	unsigned nr = 0;

	if (end - from > 2 && from[0] == '0' && (from[1] == 'x' || from[1] == 'X'))
		from += 2;
	for (*value = 0; from < end && *from != ' '; from++) {
		char c = (char)(*from | 0x20);
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
		                 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
		                                        : 16;

		if (digit == 16 || nr++ == 16)
			return false;
		*value = *value << 4 | digit;
	}
	*p = from + 1;
	return nr && from < end;
}

/* Ends the name at P, before END, with a NUL. A call path separates functions by semicolons, so a name has none. */
static void clean(char *p, char *end)
{
	if ((size_t)(end - p) > MOST_NAME)
		end = p + MOST_NAME;
	*end = 0;
	for (; p < end; p++)
		if (*p == ';' || (unsigned char)*p < 0x20 || *p == 0x7f)
			*p = *p == ';' ? ':' : '?';
}

static void add_line(struct syt_perf_map *m, char *p, char *end, size_t line)
{
	const char *at = p;
	struct function f = {.line = line};
	uint64_t bytes;

	if (!read_hex(&at, end, &f.start) || !read_hex(&at, end, &bytes) || !bytes || at >= end ||
	    __builtin_add_overflow(f.start, bytes, &f.end))
		return;
	f.name = at;
	clean(p + (at - p), end);
	*SYT_ADD(m->all, m->nr, m->room) = f;
}

struct syt_perf_map *syt_perf_map_parse(const char *text, size_t bytes)
{
	struct syt_perf_map *m = syt_calloc(1, sizeof(*m));
	char *p, *end;
	size_t line = 0;

	m->text = syt_alloc(bytes + 1, 1);
	memcpy(m->text, text, bytes);
	m->text[bytes] = '\n';
	for (p = m->text; p <= m->text + bytes; p = end + 1) {
		end = memchr(p, '\n', (size_t)(m->text + bytes + 1 - p));
		add_line(m, p, end, line++);
	}
	if (m->nr)
		qsort(m->all, m->nr, sizeof(*m->all), by_start);
	for (size_t n = 0; n < m->nr; n++) {
		uint64_t before = n ? m->all[n - 1].covered : 0;

		m->all[n].covered = m->all[n].end > before ? m->all[n].end : before;
	}
	return m;
}

void syt_perf_map_destroy(struct syt_perf_map *m)
{
	if (!m)
		return;
	free(m->all);
	free(m->text);
	free(m);
}

const char *syt_perf_map_function(const struct syt_perf_map *m, uint64_t address)
{
	size_t n = SYT_BISECT(i, 0, m->nr, m->all[i].start <= address);
	const struct function *found = NULL;
	unsigned nr = 0;

	while (n-- > 0 && m->all[n].covered > address && nr++ < MOST_OVERLAPS)
		if (m->all[n].end > address && (!found || m->all[n].line > found->line))
			found = &m->all[n];
	return found ? found->name : NULL;
}

/* ---- the file ---- */

/* Returns true if image I ran on this machine, and the machine was not started again since then. */
static bool is_of_this_boot(const struct syt_image *i)
{
	char text[64], hex[3] = "";
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t bytes = fd < 0 ? 0 : read(fd, text, sizeof(text));
	unsigned nr = 0;

	if (fd >= 0)
		close(fd);
	for (ssize_t n = 0; n + 1 < bytes && nr < sizeof(i->file.boot_id); n++) {
		if (text[n] == '-')
			continue;
		memcpy(hex, text + n++, 2);
		if (strtoul(hex, NULL, 16) != i->file.boot_id[nr++])
			return false;
	}
	return nr == sizeof(i->file.boot_id);
}

/* Returns true if the open file ST can be the map that the process of image I wrote to /tmp. */
static bool is_of_process(const struct syt_image *i, const struct stat *st)
{
	return st->st_uid == i->file.uid && !(st->st_mode & (S_IWGRP | S_IWOTH)) &&
	       (uint64_t)st->st_mtim.tv_sec * UINT64_C(1000000000) +
	                       (uint64_t)st->st_mtim.tv_nsec >=
	               i->file.start.real_ns &&
	       is_of_this_boot(i);
}

/* Reads the map PATH. IS_COPY: PATH is in the trace, else in /tmp. */
static struct syt_perf_map *read_file(const struct syt_image *i, const char *path, bool is_copy)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct syt_perf_map *m = NULL;
	struct syt_saved_map head;
	size_t nr = 0, skip = 0;
	struct stat st;
	char *text;
	ssize_t n;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    (uint64_t)st.st_size > SYT_SAVED_MAP_BYTES || (!is_copy && !is_of_process(i, &st))) {
		close(fd);
		return NULL;
	}
	text = syt_alloc((size_t)st.st_size, 1);
	while (nr < (size_t)st.st_size && (n = read(fd, text + nr, (size_t)st.st_size - nr)) > 0)
		nr += (size_t)n;
	close(fd);
	if (nr >= sizeof(head)) {
		memcpy(&head, text, sizeof(head));
		if (head.magic == SYT_SAVED_MAP_MAGIC && head.header_bytes <= nr)
			skip = head.header_bytes;
	}
	m = syt_perf_map_parse(text + skip, nr - skip);
	free(text);
	return m;
}

struct syt_perf_map *syt_perf_map_read(const struct syt_image *i)
{
	const char *slash = i->path ? strrchr(i->path, '/') : NULL;
	char *name = syt_asprintf(SYT_SAVED_MAP_NAME, i->file.pid);
	char *path = syt_asprintf("%.*s%s", slash ? (int)(slash + 1 - i->path) : 0,
	                          i->path ? i->path : "", name);
	struct syt_perf_map *m = i->path ? read_file(i, path, true) : NULL;

	free(path);
	if (!m) {
		path = syt_asprintf("/tmp/%s", name);
		m = read_file(i, path, false);
		free(path);
	}
	free(name);
	return m;
}
