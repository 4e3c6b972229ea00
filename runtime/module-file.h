/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the file behind a loaded object: extent, build-id and path. Reads the object's memory, which must stay
 * mapped during the call. The functions have no state and may run in any thread and in signal handlers. */
#ifndef SYT_RUNTIME_MODULE_FILE_H
#define SYT_RUNTIME_MODULE_FILE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYT_MODULE_PATH_BYTES 1024

struct dl_find_object; /* <dlfcn.h> */

/* The build-id of the mapped file, in the object's memory. */
struct syt_build_id {
	const uint8_t *bytes;
	uint32_t nr_bytes;
};

/* The program headers in memory, and the address range of the segments that they load. */
struct syt_image_extent {
	const ElfW(Phdr) * phdrs;
	unsigned nr;
	uintptr_t start, end; /* equal: unknown */
};

struct syt_image_extent syt_module_extent(const struct dl_find_object *o);

/* Returns bytes = NULL if the object has no build-id. */
struct syt_build_id syt_module_build_id(const struct dl_find_object *o);

/* Returns true if Go's linker made the file: its code then makes system calls that no wrapper sees. */
bool syt_module_is_go(const struct dl_find_object *o);

/* Returns a hash of the file: of its build-id, otherwise of its name and program headers. */
uint64_t syt_module_identity(const struct dl_find_object *o);

/* Stores the object's path in *NAME, which points into the object's memory or to PATH, and returns its
 * length. Makes up to 3 system calls. */
size_t syt_module_path(const struct dl_find_object *o, char path[SYT_MODULE_PATH_BYTES],
                       const char **name);

#endif
