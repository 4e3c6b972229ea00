/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Before an exec or a spawn: can the recorder be loaded into the new image?  Asks the file, follows
 * "#!" lines, allocates nothing, errno untouched.
 */
#ifndef SYT_PRELOAD_TARGET_H
#define SYT_PRELOAD_TARGET_H

#include <stdbool.h>

enum syt_target {
	SYT_TARGET_TRACEABLE, /* or unknown: the exec will fail, or be decided by somebody else */
	SYT_TARGET_STATIC,    /* no dynamic loader */
	SYT_TARGET_SECURE,    /* set-user-id or the like: the loader ignores us */
	SYT_TARGET_CLASS,     /* other ELF class or machine */
	SYT_TARGET_LIBC,      /* another libc's loader */
	SYT_TARGET_CONFINED,  /* the recorder could not start there: seccomp */
};

/* The file PATH relative to DIRFD, or DIRFD itself when PATH is "". Opens the file for a moment:
 * for an exec, where no other thread of the process goes on using descriptors. */
enum syt_target syt_target_of(int dirfd, const char *path);

/* The same without an open that other threads could notice in their descriptors' numbers: looks
 * from a process of its own, once per file. */
enum syt_target syt_target_of_apart(const char *path);

/* The file that exec*p would run for NAME: writes its path to PATH (of BYTES); false when it is not
 * found or too long, and then nothing is known. */
bool syt_target_search(char *path, unsigned bytes, const char *name);

/* Notes in the dump that TARGET, if it is not traceable, will not be seen. */
void syt_target_note(enum syt_target target, const char *path);

#endif
