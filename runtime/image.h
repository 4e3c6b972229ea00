/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What a process image and all that is forked from it have in common, and what a fork need not ask
 * the kernel for again: which machine and boot, which program, with which arguments.  As it was at
 * the start of the image.
 */
#ifndef SYT_RUNTIME_IMAGE_H
#define SYT_RUNTIME_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "runtime/place.h"

struct syt_process_image {
	uint8_t boot_id[16]; /* zeros when unknown */
	char host[sizeof(((struct syt_file *)0)->host)],
		machine[sizeof(((struct syt_file *)0)->machine)];
	size_t exe_bytes, argv_bytes; /* 0: not known */
	char exe[SYT_PATH_BYTES], argv[SYT_PATH_BYTES];
};

/* Read at the first call, which the start of the session makes. */
const struct syt_process_image *syt_image(void);

/* Reads at most CAPACITY bytes of a small file; the number read. */
size_t syt_image_read(const char *path, char *to, size_t capacity);

#endif
