/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Where libsyntrace.so is, and which libraries a program would load.
 */
#ifndef SYT_TOOL_LIBRARY_H
#define SYT_TOOL_LIBRARY_H

/* Path of libsyntrace.so: beside this tool in a build tree, where it stands relative to this tool
 * when installed (also under another prefix), or the configured place. NULL after a message. Owned
 * by the caller. */
char *syt_library_find(void);

/* Calls EACH for every library that the dynamic loader would map for the executable at PATH;
 * LIBRARY is NULL for one that is not found. Runs the system's loader in its listing mode; not the
 * program. */
void syt_library_each(const char *path,
                      void (*each)(void *context, const char *soname, const char *library),
                      void *context);

#endif
