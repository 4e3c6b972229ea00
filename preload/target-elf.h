/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tells from an ELF executable whether its loader can load the recorder. */
#ifndef SYT_PRELOAD_TARGET_ELF_H
#define SYT_PRELOAD_TARGET_ELF_H

#include <elf.h>

#include "preload/target.h"

/* An open file and its first bytes, which usually contain the program headers and the loader's name. */
struct syt_target_file {
	int fd;
	unsigned nr_bytes; /* number of valid bytes in `start` */
	union {
		Elf64_Ehdr elf;
		char line[832];
	} start;
};

/* Sets IMAGE->target for FILE, whose path is PATH and which begins with an ELF header. SYT_TARGET_LISTING
 * means that FILE is glibc's loader itself. errno stays unchanged. */
void syt_target_elf(struct syt_new_image *image, const struct syt_target_file *file,
                    const char *path);

#endif
