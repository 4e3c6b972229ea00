/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "settings/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

#define BYTES_MAX (64u << 10)

const char *syt_settings_layer_text(enum syt_settings_layer layer)
{
	static const char *const texts[] = {
		[SYT_SETTINGS_SYSTEM] = "system",
		[SYT_SETTINGS_USER] = "user",
		[SYT_SETTINGS_PROJECT] = "project",
		[SYT_SETTINGS_NAMED] = "named",
	};

	return texts[layer];
}

static void refuse(struct syt_settings_file *f, const char *why)
{
	f->state = f->layer == SYT_SETTINGS_NAMED ? SYT_SETTINGS_WRONG : SYT_SETTINGS_REFUSED;
	f->problem =
		syt_asprintf("%s: %s%s", f->path, why,
	                     f->state == SYT_SETTINGS_WRONG ? " (SYNTRACE_CONFIG names this file)"
	                                                    : "; this file is ignored");
}

/* Returns the reason why F is not trusted, or NULL. The administrator is responsible for the system file. */
static const char *distrust(const struct syt_settings_file *f, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "not a regular file";
	if (f->layer != SYT_SETTINGS_USER && f->layer != SYT_SETTINGS_PROJECT)
		return NULL;
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return "its owner is another user; change the owner with chown";
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return "other users can write to it; run chmod go-w on it";
	return NULL;
}

/* Opens F. Returns a file descriptor, or -1 after setting the state and the problem of F. */
static int open_file(struct syt_settings_file *f)
{
	/* A symbolic link could make any file of the user a project file. */
	int flags = f->layer == SYT_SETTINGS_PROJECT ? O_NOFOLLOW : 0;
	int fd = open(f->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
	struct stat st;

	if (fd < 0) {
		if ((errno == ENOENT || errno == ENOTDIR) && f->layer != SYT_SETTINGS_NAMED)
			f->state = SYT_SETTINGS_ABSENT;
		else
			refuse(f, errno == ELOOP
			                  ? "a symbolic link, which a project file must not be"
			                  : strerror(errno));
		return -1;
	}
	const char *why = fstat(fd, &st) < 0 ? strerror(errno) : distrust(f, &st);

	if (!why)
		return fd;
	refuse(f, why);
	close(fd);
	return -1;
}

/* The text of a configuration file. The library inih reads the text line by line, but passes no line number to
 * add(). */
struct text {
	struct syt_settings_file *file;
	const char *at, *end;
	unsigned line;
	size_t room;
};

static void blame(struct text *t, const char *why)
{
	struct syt_settings_file *f = t->file;

	if (f->problem)
		return;
	f->state = SYT_SETTINGS_WRONG;
	f->problem = syt_asprintf("%s:%u: %s", f->path, t->line, why);
}

/* Reads the next line of the text like fgets(). Removes leading blanks, because inih takes an indented line
 * as a continuation of the previous line. */
static char *next_line(char *to, int bytes, void *context)
{
	struct text *t = context;

	if (t->at == t->end || t->file->problem)
		return NULL;
	const char *from = t->at, *eol = memchr(from, '\n', (size_t)(t->end - from));

	if (!eol)
		eol = t->end;
	t->at = eol == t->end ? eol : eol + 1;
	t->line++;
	while (from < eol && (*from == ' ' || *from == '\t'))
		from++;
	size_t nr = (size_t)(eol - from);

	if (memchr(from, 0, nr)) {
		blame(t, "the line contains a NUL byte; a configuration file is text");
		return NULL;
	}
	if (nr + 3 > (size_t)bytes) {
		char *why =
			syt_asprintf("the line is longer than the maximum of %d bytes", bytes - 3);

		blame(t, why);
		free(why);
		return NULL;
	}
	memcpy(to, from, nr);
	to[nr] = '\n';
	to[nr + 1] = 0;
	return to;
}

static char *copy(const char *text)
{
	return syt_asprintf("%s", text);
}

static int add(void *context, const char *section, const char *key, const char *value)
{
	struct text *t = context;
	struct syt_settings_file *f = t->file;

	if (!*section)
		blame(t, "the setting comes before the first [section]; add a line such as "
		         "[record] or [decode]");
	if (f->problem)
		return 1;
	if (f->nr == t->room) {
		t->room = t->room ? 2 * t->room : 16;
		f->all = syt_realloc(f->all, t->room, sizeof(*f->all));
	}
	f->all[f->nr++] = (struct syt_setting){f, t->line, copy(section), copy(key), copy(value)};
	return 1;
}

static void parse(struct syt_settings_file *f, const char *bytes, size_t nr)
{
	struct text t = {.file = f, .at = bytes, .end = bytes + nr};
	int line = ini_parse_stream(next_line, &t, add, &t);

	if (!line)
		return;
	/* If the file has several errors, the error with the lowest line number is reported. */
	if (line > 0 && (!f->problem || (unsigned)line < t.line)) {
		free(f->problem);
		f->problem = NULL;
		t.line = (unsigned)line;
	}
	blame(&t, line > 0 ? "expected [section], key = value, or a comment that begins with ; or #"
	                   : "out of memory");
}

void syt_settings_file_open(struct syt_settings_file *f, enum syt_settings_layer layer, char *path)
{
	*f = (struct syt_settings_file){.layer = layer, .path = path};
	int fd = open_file(f);

	if (fd < 0)
		return;
	char *bytes = syt_alloc(BYTES_MAX + 1, 1);
	/* One byte more than the maximum shows that the file is too long. */
	ssize_t nr = TEMP_FAILURE_RETRY(read(fd, bytes, BYTES_MAX + 1));

	if (nr < 0) {
		refuse(f, strerror(errno));
	} else if (nr > BYTES_MAX) {
		f->state = SYT_SETTINGS_WRONG;
		f->problem = syt_asprintf("%s: the file is longer than the maximum of %u KiB", path,
		                          BYTES_MAX >> 10);
	} else {
		parse(f, bytes, (size_t)nr);
	}
	free(bytes);
	close(fd);
}

void syt_settings_file_close(struct syt_settings_file *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		free(f->all[i].section);
		free(f->all[i].key);
		free(f->all[i].value);
	}
	free(f->all);
	free(f->path);
	free(f->problem);
	*f = (struct syt_settings_file){0};
}
