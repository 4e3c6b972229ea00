/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Facts that a process image shares with all processes forked from it: machine and boot, program and arguments,
 * as they were at the start of the image. A forked child need not ask the kernel for these facts again. */
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
	size_t exe_bytes, argv_bytes; /* 0: unknown; a NUL follows exe */
	char exe[SYT_PATH_BYTES], argv[SYT_PATH_BYTES];
};

/* Returns the facts about this process image; the first call, at the start of the session, reads them.
 * Valid for the life of the process. */
const struct syt_process_image *syt_image(void);

/* Reads at most CAPACITY bytes of a small file. Returns the number of bytes read, 0 on failure. */
size_t syt_image_read(const char *path, char *to, size_t capacity);

#endif
