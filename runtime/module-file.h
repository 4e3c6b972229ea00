/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * What a loaded object says of the file behind it.  Reads the object's memory, which must stay
 * mapped meanwhile; no state; any thread, signal handlers included.
 */
#ifndef SYT_RUNTIME_MODULE_FILE_H
#define SYT_RUNTIME_MODULE_FILE_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

#define SYT_MODULE_PATH_BYTES 1024

struct dl_find_object; /* <dlfcn.h> */

/* What of the mapped file says which file it is. */
struct syt_build_id {
	const uint8_t *bytes;
	uint32_t nr_bytes;
};

/* The program headers in memory, and the extent of what they load. */
struct syt_image_extent {
	const ElfW(Phdr) * phdrs;
	unsigned nr;
	uintptr_t start, end; /* equal: unknown */
};

struct syt_image_extent syt_module_extent(const struct dl_find_object *o);

/* bytes: NULL when the object has none. */
struct syt_build_id syt_module_build_id(const struct dl_find_object *o);

/* Differs for different files: a hash of the build-id, else of the name and the program headers. */
uint64_t syt_module_identity(const struct dl_find_object *o);

/* Length of the path, without NUL; *NAME is in the object's memory or in PATH. Up to three system
 * calls. */
size_t syt_module_path(const struct dl_find_object *o, char path[SYT_MODULE_PATH_BYTES],
                       const char **name);

#endif
