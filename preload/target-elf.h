/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What an ELF executable says about whether its loader can load the recorder. */
#ifndef SYT_PRELOAD_TARGET_ELF_H
#define SYT_PRELOAD_TARGET_ELF_H

#include <elf.h>

#include "preload/target.h"

/* An open file and how it begins; most executables' program headers and loader stand there. */
struct syt_target_file {
	int fd;
	unsigned nr_bytes; /* of `start` */
	union {
		Elf64_Ehdr elf;
		char line[832];
	} start;
};

/* FILE is PATH and begins with ELF. SYT_TARGET_LISTING: it is glibc's loader itself. */
void syt_target_elf(struct syt_new_image *image, const struct syt_target_file *file,
                    const char *path);

#endif
