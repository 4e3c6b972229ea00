/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Starts and ends the recording of one process image, and handles fork and exec.
 *
 * The recording starts once, in the constructor or in the first intercepted call, whichever is earlier. If
 * a session cannot start, it leaves the program alone for ever.
 */
#ifndef SYT_RUNTIME_SESSION_H
#define SYT_RUNTIME_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

/* Starts the session unless an attempt was made before. Any thread. ENVP: the program's environment. */
void syt_session_start(char **envp);

/* After this call, each intercepted call checks whether recording is paused or was refused. Call it after
 * the addresses of libc's functions were looked up. */
void syt_session_obey(void);

/* In a forked child: closes the parent's dump and opens a new dump. The fork wrapper calls
 * syt_session_fork_child. After a fork without a wrapper, the first event calls it. Both functions are
 * async-signal-safe. BEFORE: the value of syt_session_before_fork() in the parent, 0: unknown. */
uint64_t syt_session_before_fork(void);
void syt_session_fork_child(uint64_t before);

/* Calls syt_session_fork_child if this process is a forked child without a dump. */
void syt_session_check_fork(void);

/* Notes STATE (how the process image ends) and STATUS in the dump's header, and returns the file's unused
 * space to the file system. Call it before exit, _exit or exec. Threads that still run go on recording. */
void syt_session_end(uint32_t state, uint32_t status);
/* Notes that the calling thread is about to end by the system call exit. If it is the last thread, the
 * process ends, too. */
void syt_session_end_of_thread(uint32_t status);
/* Undoes syt_session_end after a failed exec. */
void syt_session_resume(void);

/* Returns the pid of this process image without a system call. */
uint32_t syt_session_pid(void);

/* Unmaps most of the unused part of the dump: the program has limited its address space. */
void syt_session_limited(void);
/* Unmaps most of the unused part of the dump: the program is about to lock all mapped memory. */
void syt_session_locked(void);

/* Returns the absolute path of the trace directory ("" if this process does not record), and the path of
 * this library. A descendant needs both paths in its environment. The strings are valid for the life of the
 * process. */
const char *syt_session_dir(void);
/* Returns the id of the trace in hexadecimal. A descendant joins only this trace. */
const char *syt_session_id(void);
/* Checks whether the trace directory was renamed and remembers the new name (runtime/place.h). Returns
 * whether the directory is reachable. */
bool syt_session_follow(void);
const char *syt_session_library(void);

/* Return whether ENTRY, NAME=VALUE, sets an environment variable of the recorder, and whether ENTRY stops
 * recording. */
bool syt_session_is_variable(const char *entry);
bool syt_session_disables(const char *entry);

/* Notes in the dump that the recorder cannot see an operation of the kind WHAT. TEXT names the subject of
 * the operation, such as a program's path. */
void syt_session_blind(enum syt_blind what, const char *text);

/* Returns the file that all processes of the trace share, or NULL. */
struct syt_trace *syt_trace_shared(void);

#endif
