/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/compare/path_object.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"

/* Compares the call path of O with the call path PATH of BYTES. */
static int compare_path(const struct syt_path_object *o, const char *path, size_t bytes)
{
	int order = strncmp(o->path, path, bytes);

	return order ? order : o->path[bytes] != '\0';
}

static int by_path(const void *a_, const void *b_)
{
	const struct syt_path_object *a = a_, *b = b_;
	int order = strcmp(a->path, b->path);

	return order ? order : strcmp(a->object, b->object);
}

void syt_path_objects_add(struct syt_path_objects *o, const char *path, size_t bytes,
                          const char *object)
{
	char *copy = syt_asprintf("%s", object);

	/* a program may give an object any name */
	for (char *p = copy; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	*SYT_ADD(o->all, o->nr, o->room) = (struct syt_path_object){syt_strndup(path, bytes), copy};
}

static void free_one(struct syt_path_object *o)
{
	free(o->path);
	free(o->object);
}

void syt_path_objects_sort(struct syt_path_objects *o)
{
	size_t nr = 0;

	if (o->nr)
		qsort(o->all, o->nr, sizeof(*o->all), by_path);
	for (size_t n = 0; n < o->nr; n++) {
		if (nr && !strcmp(o->all[nr - 1].path, o->all[n].path))
			free_one(&o->all[n]);
		else
			o->all[nr++] = o->all[n];
	}
	o->nr = nr;
}

void syt_path_objects_close(struct syt_path_objects *o)
{
	for (size_t n = 0; n < o->nr; n++)
		free_one(&o->all[n]);
	free(o->all);
	*o = (struct syt_path_objects){0, 0, NULL};
}

const char *syt_path_objects_find(const struct syt_path_objects *o, const char *path, size_t bytes)
{
	size_t at = SYT_BISECT(n, 0, o->nr, compare_path(&o->all[n], path, bytes) < 0);

	return at < o->nr && !compare_path(&o->all[at], path, bytes) ? o->all[at].object : NULL;
}

size_t syt_path_object_bytes(const char *title)
{
	size_t bytes = strlen(title), digits = bytes;

	while (digits && title[digits - 1] >= '0' && title[digits - 1] <= '9')
		digits--;
	return digits && digits < bytes && title[digits - 1] == '#' ? digits - 1 : bytes;
}
