/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Loaded objects (executable, libraries, vDSO). The first call stack that contains an object records the
 * object's path, build-id and mapping; at that time the object is still mapped.
 *
 * This header also declares the code generation, a number that grows when code is unmapped. Cached facts
 * about code (how to unwind an address, the previous stack) are valid within one generation. No fact is
 * cached while a dlclose runs.
 */
#ifndef SYT_RUNTIME_MODULE_H
#define SYT_RUNTIME_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#define SYT_MODULE_MAX 0x3fffu /* greatest id; further modules have no id (counted) */

struct link_map;

/* One mapping of one file. The struct is never freed and never reused for another mapping. */
struct syt_module {
	uint32_t id; /* from 1; also in the file format */
	/* the module is unmapped, and its addresses may belong to another module */
	uint32_t is_gone;
	uintptr_t start, end; /* mapped addresses */
	/* address range of all segments of the object; equal: unknown */
	uintptr_t load_start, load_end;
	uintptr_t bias;
	const void *eh_frame_hdr; /* PT_GNU_EH_FRAME in memory, or NULL */
	const struct link_map *map;
	uint64_t identity; /* hash of the build-id, or of the program headers and the path */
	uint64_t seen;     /* code generation of the last comparison of the identity */
	/* build-id and path, which a forked child writes into its own dump; NULL: no room to keep them */
	const struct syt_module_text *text;
};

/* Maps the tables of modules. Call it before any lookup. Returns 0 or -errno. */
int syt_module_init(void);

/* Returns the module that contains PC, or NULL. Defines it in the dump at first use. Any thread and signal
 * handler may call it (_dl_find_object is lock-free). The code at PC must stay mapped during the call, as
 * code to which the caller's own stack returns does. */
const struct syt_module *syt_module_find(uintptr_t pc);

/* Returns whether PC lies in a loaded object, without defining the object in the dump. */
bool syt_module_has(uintptr_t pc);

/* Returns the load bias (mapped address minus ELF address) of module ID; 0 for id 0. */
uintptr_t syt_module_bias(uint32_t id);

/* Call these around the real dlclose, in pairs. Between them, no fact about code is cached. Then
 * syt_module_closed marks unmapped modules in the dump. If a dlclose never returns, captures are slower but
 * correct. */
void syt_module_closing(void);
void syt_module_closed(void);

/* In a forked child: defines the known modules again, in the child's dump. */
void syt_module_fork_child(void);

/* Code generation << 16 | number of running dlclose calls. */
extern uint64_t syt_module_code;

static inline uint64_t syt_module_generation(void)
{
	return __atomic_load_n(&syt_module_code, __ATOMIC_ACQUIRE);
}

static inline bool syt_module_is_closing(uint64_t generation)
{
	return generation & 0xffff;
}

/* Begins a new code generation: every cached unwind rule and every remembered stack becomes invalid. Call
 * it when code was unmapped in another way than by dlclose. */
void syt_module_renew(void);

#endif
