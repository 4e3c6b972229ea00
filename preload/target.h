/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Tells before an exec or a spawn whether the recorder can be loaded into the new image. Examines the
 * file and follows "#!" lines. Allocates no memory and keeps errno. Any thread and vfork children.
 */
#ifndef SYT_PRELOAD_TARGET_H
#define SYT_PRELOAD_TARGET_H

#include <stdbool.h>

#include "runtime/endpoint_inherit.h"

enum syt_target {
	SYT_TARGET_TRACEABLE, /* or unknown: the exec will fail, or another program decides */
	SYT_TARGET_LISTING,   /* glibc's loader, told to list or check libraries: runs no program */
	SYT_TARGET_STATIC,    /* no dynamic loader */
	SYT_TARGET_SECURE,    /* set-user-id or similar: the loader ignores the recorder */
	SYT_TARGET_CLASS,     /* another ELF class or machine */
	SYT_TARGET_32BIT,
	SYT_TARGET_MUSL,
	SYT_TARGET_LIBC,     /* the loader of another libc, or of a glibc that is too old */
	SYT_TARGET_CONFINED, /* seccomp prevents the start of the recorder */
	SYT_TARGET_PLACE,    /* libsyntrace.so or the trace is unreachable: chroot, another user */
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

/* Examines the file PATH relative to DIRFD (DIRFD itself if PATH is ""), run with ARGV. Opens the
 * file for a moment: only for an exec, after which no other thread uses the fd table. */
void syt_target_find(struct syt_new_image *image, int dirfd, const char *path, char *const *argv);

/* Like syt_target_find(), without an open that other threads could notice in their fd numbers. If
 * there are other threads, a child process examines the file, once per file. */
void syt_target_find_unnoticed(struct syt_new_image *image, const char *path, char *const *argv);

/* Finds the file that exec*p would run for NAME and writes its path to PATH (of BYTES). Returns
 * false if there is none or if the path is too long; the target is then unknown. */
bool syt_target_search(char *path, unsigned bytes, const char *name);

/* Notes in the dump that PATH will not be recorded, unless TARGET is traceable. */
void syt_target_note(enum syt_target target, const char *path);

/* Remembers the loader of this system. Called by the constructor. */
void syt_target_init(void);

#endif
