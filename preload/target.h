/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Before an exec or a spawn: can the recorder be loaded into the new image?  Asks the file, follows
 * "#!" lines, allocates nothing, errno untouched.
 */
#ifndef SYT_PRELOAD_TARGET_H
#define SYT_PRELOAD_TARGET_H

#include <stdbool.h>

#include "runtime/endpoint_heir.h"

enum syt_target {
	SYT_TARGET_TRACEABLE, /* or unknown: the exec will fail, or be decided by somebody else */
	SYT_TARGET_LISTING,   /* glibc's loader, told to list or check libraries: runs nothing */
	SYT_TARGET_STATIC,    /* no dynamic loader */
	SYT_TARGET_SECURE,    /* set-user-id or the like: the loader ignores us */
	SYT_TARGET_CLASS,     /* other ELF class or machine */
	SYT_TARGET_32BIT,
	SYT_TARGET_MUSL,
	SYT_TARGET_LIBC,     /* another libc's loader, or too old a glibc's */
	SYT_TARGET_CONFINED, /* the recorder could not start there: seccomp */
	SYT_TARGET_PLACE,    /* our library or the trace cannot be reached: chroot, another user */
};

#define SYT_SANITIZER_BYTES 48u

struct syt_new_image {
	enum syt_target target;
	char sanitizer[SYT_SANITIZER_BYTES]; /* a library that must be loaded before ours, or "" */
	enum syt_heir heir;                  /* what it inherits */
	size_t will_bytes;                   /* room for what there is to say of that, 0: nothing */
};

/* The file PATH relative to DIRFD, or DIRFD itself when PATH is "", run with ARGV. Opens the file
 * for a moment: for an exec, where no other thread of the process goes on using descriptors. */
void syt_target_find(struct syt_new_image *image, int dirfd, const char *path, char *const *argv);

/* The same without an open that other threads could notice in their descriptors' numbers: where
 * there are any it looks from a process of its own; once per file. */
void syt_target_find_unnoticed(struct syt_new_image *image, const char *path, char *const *argv);

/* The file that exec*p would run for NAME: writes its path to PATH (of BYTES); false when it is not
 * found or too long, and then nothing is known. */
bool syt_target_search(char *path, unsigned bytes, const char *name);

/* Notes in the dump that TARGET, if it is not traceable, will not be seen. */
void syt_target_note(enum syt_target target, const char *path);

/* In the constructor: which loader is our own. */
void syt_target_init(void);

#endif
