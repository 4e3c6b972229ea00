/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tells before an exec or a spawn whether the recorder can be loaded into the new image. Examines the file and
 * follows "#!" lines. The functions allocate no memory and keep errno. Any thread and vfork children may call
 * them. */
#ifndef SYT_PRELOAD_TARGET_H
#define SYT_PRELOAD_TARGET_H

#include <stdbool.h>

#include "runtime/endpoint_inherit.h"

enum syt_target {
	/* the recorder can be loaded, or it is unknown: the exec will fail, or another program decides */
	SYT_TARGET_TRACEABLE,
	/* the file is glibc's loader, told to list or check libraries: it runs no program */
	SYT_TARGET_LISTING,
	SYT_TARGET_STATIC, /* the program has no dynamic loader */
	SYT_TARGET_SECURE, /* set-user-id or similar: the loader ignores the recorder */
	SYT_TARGET_CLASS,  /* the program has another ELF class or machine */
	SYT_TARGET_32BIT,
	SYT_TARGET_MUSL,
	SYT_TARGET_LIBC,     /* the program uses another libc, or a glibc that is too old */
	SYT_TARGET_CONFINED, /* seccomp prevents the start of the recorder */
	/* the new image cannot reach libsyntrace.so or the trace: chroot, another user */
	SYT_TARGET_PLACE,
};

#define SYT_SANITIZER_BYTES 48u

struct syt_new_image {
	enum syt_target target;
	/* a library that must be loaded before libsyntrace.so, or "" */
	char sanitizer[SYT_SANITIZER_BYTES];
	enum syt_inherit inherit; /* how the image inherits file descriptors */
	/* bytes needed to describe the inherited fds; 0: none */
	size_t fds_bytes;
};

/* Examines the file PATH relative to DIRFD (DIRFD itself if PATH is ""), which is to be run with ARGV.
 * Opens the file for a moment; so it is only for an exec, after which no other thread uses the fd table. */
void syt_target_find(struct syt_new_image *image, int dirfd, const char *path, char *const *argv);

/* Like syt_target_find(), without an open that other threads could notice in their fd numbers. If
 * there are other threads, a child process examines the file, once per file. */
void syt_target_find_unnoticed(struct syt_new_image *image, const char *path, char *const *argv);

/* Finds the file that exec*p would run for NAME and writes its path to PATH (of BYTES). Returns false if
 * there is no file or if the path is too long; it is then unknown whether the recorder can be loaded. */
bool syt_target_search(char *path, unsigned bytes, const char *name);

/* Notes in the dump that the program PATH will not be recorded, unless TARGET is SYT_TARGET_TRACEABLE. */
void syt_target_note(enum syt_target target, const char *path);

/* Remembers the path of this process's dynamic loader. Called by the constructor. */
void syt_target_init(void);

#endif
