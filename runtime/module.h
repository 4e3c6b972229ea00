/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Loaded objects (executable, libraries, vDSO). A call stack that first contains an object records
 * its path, build-id and mapping, so before the object can be unmapped.
 *
 * Also the code generation. Cached facts about code (unwind rows, walked stacks) are valid within
 * one generation. Nothing is cached while a dlclose runs.
 */
#ifndef SYT_RUNTIME_MODULE_H
#define SYT_RUNTIME_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#define SYT_MODULE_MAX 0x3fffu /* greatest id; further modules have no id (counted) */

struct link_map;

/* One mapping of one file. Never freed and never reused for another mapping. */
struct syt_module {
	uint32_t id;                    /* from 1; also in the file format */
	uint32_t is_gone;               /* unmapped: its addresses may belong to another module */
	uintptr_t start, end;           /* mapped addresses */
	uintptr_t load_start, load_end; /* all segments of the object; equal: unknown */
	uintptr_t bias;
	const void *eh_frame_hdr; /* PT_GNU_EH_FRAME in memory, or NULL */
	const struct link_map *map;
	uint64_t identity; /* hash of the build-id, or of program headers and path */
	uint64_t seen;     /* code generation of the last comparison of the identity */
	/* the definition in the dump, for a forked child's dump; NULL: no room to keep it */
	const struct syt_module_text *text;
};

/* Maps the tables. Call it before any lookup. Returns 0 or -errno. */
int syt_module_init(void);

/* Returns the module that contains PC, or NULL. Defines it in the dump at first use. Any thread,
 * signal handlers included (lock-free, through _dl_find_object). The code at PC must stay mapped
 * during the call, such as code on the caller's own stack. */
const struct syt_module *syt_module_find(uintptr_t pc);

/* Returns whether PC lies in a module. Records nothing. */
bool syt_module_has(uintptr_t pc);

/* Returns the load bias of module ID; 0 for id 0. */
uintptr_t syt_module_bias(uint32_t id);

/* Call these around the real dlclose, in pairs. Between them, no fact about code is cached. Then
 * syt_module_closed marks unmapped modules in the dump. A dlclose that never returns only costs time. */
void syt_module_closing(void);
void syt_module_closed(void);

/* In a forked child: defines the known modules again, in the child's dump. */
void syt_module_fork_child(void);

/* Generation << 16 | number of running dlclose calls. */
extern uint64_t syt_module_code;

static inline uint64_t syt_module_generation(void)
{
	return __atomic_load_n(&syt_module_code, __ATOMIC_ACQUIRE);
}

static inline bool syt_module_is_closing(uint64_t generation)
{
	return generation & 0xffff;
}

/* Begins a new generation: every cached unwind row and every remembered stack is forgotten. Call it
 * when code was unmapped in another way than by dlclose. */
void syt_module_renew(void);

#endif
