/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The names of the sync objects that call paths use, for the findings of a comparison: doc/reports.md, "Runs compared".
 * A comparison prints these names and never compares them.
 */
#ifndef SYT_DECODER_REPORT_COMPARE_PATH_OBJECT_H
#define SYT_DECODER_REPORT_COMPARE_PATH_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct syt_path_object {
	char *path;   /* text of a call path */
	char *object; /* "mutex:server.lock", or "mutex:server.lock and others" */
};

/* The objects of call paths, sorted by call path. A call path without a named object is left out. */
struct syt_path_objects {
	size_t nr, room;
	struct syt_path_object *all;
};

/* Adds OBJECT as the object of the call path PATH of BYTES. The table is not sorted until syt_path_objects_sort(). */
void syt_path_objects_add(struct syt_path_objects *o, const char *path, size_t bytes,
                          const char *object);
/* Sorts the table. Of several objects of one call path, keeps the first one in the order of the alphabet. */
void syt_path_objects_sort(struct syt_path_objects *o);
void syt_path_objects_close(struct syt_path_objects *o);

/* Returns the object of the call path PATH of BYTES, or NULL. The table must be sorted. */
const char *syt_path_objects_find(const struct syt_path_objects *o, const char *path, size_t bytes);

/* Returns the number of bytes of the object's title TITLE without the number at its end: threads that race for the
 * first use of objects number them differently in each run. */
size_t syt_path_object_bytes(const char *title);

#endif
