/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds libsyntrace.so, and the libraries that a program would load. */
#ifndef SYT_TOOL_LIBRARY_H
#define SYT_TOOL_LIBRARY_H

/* Returns the path of libsyntrace.so, owned by the caller, or NULL after a message. Searches beside this tool
 * (build tree), relative to this tool (installed, also under another prefix), and in the configured directory. */
char *syt_library_find(void);

/* Calls EACH for every library that the dynamic loader would map for the executable PATH. LIBRARY is NULL for a
 * missing library. Runs the loader of the system in its listing mode, but not the program. */
void syt_library_each(const char *path,
                      void (*each)(void *context, const char *soname, const char *library),
                      void *context);

#endif
