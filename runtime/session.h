/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The recording of one process image: start, fork, exec, end.
 *
 * Start is lazy and happens once, in the constructor or in the first intercepted call, whichever is
 * earlier; a session that cannot start leaves the program alone for ever.
 */
#ifndef SYT_RUNTIME_SESSION_H
#define SYT_RUNTIME_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

/* Starts the session if that has not been tried. Any thread. ENVP: the program's environment. */
void syt_session_start(char **envp);

/* From now on calls look whether recording is paused, or was refused. After the real functions were looked up. */
void syt_session_obey(void);

/* In a forked child: leaves the parent's dump and opens one of its own. Called by the fork wrapper
 * and, for forks that no wrapper saw, by the first event. Async-signal-safe. BEFORE: what
 * syt_session_before_fork() returned in the parent, 0: not known. */
uint64_t syt_session_before_fork(void);
void syt_session_fork_child(uint64_t before);

/* Calls the above if this process is a forked child that does not know it yet. */
void syt_session_check_fork(void);

/* Before exit/_exit/exec of this image: notes STATE (enum syt_state) and STATUS in the header and, for
 * an exit, gives back the file's unused room. Recording goes on for threads that still run. */
void syt_session_end(uint32_t state, uint32_t status);
/* The calling thread ends as the kernel has it; if it is the last one, so does the process. */
void syt_session_end_of_thread(uint32_t status);
/* The exec failed after all. */
void syt_session_resume(void);

/* The pid of this process image, without a system call. */
uint32_t syt_session_pid(void);

/* The program has limited its address space: what is mapped for later leaves it all but a small part. */
void syt_session_limited(void);
/* The program is about to lock all that is mapped into memory: little must be. */
void syt_session_locked(void);

/* Absolute path of the trace directory ("" when nothing is recorded), and the path of this library:
 * what a descendant needs in its environment. Valid for the life of the process. */
const char *syt_session_dir(void);
/* The id of the trace, in hexadecimal: a descendant joins only this trace. */
const char *syt_session_id(void);
/* Looks whether the directory was renamed since, see runtime/place.h. Returns whether the directory is in reach. */
bool syt_session_follow(void);
const char *syt_session_library(void);

/* Does ENTRY, NAME=VALUE, set a variable that the recorder obeys; does it switch recording off? */
bool syt_session_is_variable(const char *entry);
bool syt_session_disables(const char *entry);

/* Notes in the dump something that cannot be seen. TEXT says of what, e.g. a program's path. */
void syt_session_blind(enum syt_blind what, const char *text);

/* The file that all processes of the trace share, or NULL. */
struct syt_trace *syt_trace_shared(void);

#endif
