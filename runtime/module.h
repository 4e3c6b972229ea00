/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Loaded objects (executable, libraries, vDSO), recorded with path, build-id and mapping when a
 * call stack first meets them, hence before they can be unmapped.
 *
 * Also the code generation: what is remembered about code (unwind rows, walked stacks) is valid
 * within one generation, and nothing is remembered while a dlclose is under way.
 */
#ifndef SYT_RUNTIME_MODULE_H
#define SYT_RUNTIME_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#define SYT_MODULE_MAX 0x3fffu /* ids are below; further modules have no id (counted) */

struct link_map;

/* One mapping of one file; never freed, never reused for another. */
struct syt_module {
	uint32_t id;                    /* from 1; also on disk */
	uint32_t is_gone;               /* unmapped: its addresses may belong to another module */
	uintptr_t start, end;           /* mapped addresses */
	uintptr_t load_start, load_end; /* all segments of the object; equal: unknown */
	uintptr_t bias;
	const void *eh_frame_hdr; /* PT_GNU_EH_FRAME in memory, or NULL */
	const struct link_map *map;
	uint64_t identity; /* hash of the build-id, or of program headers and path */
	uint64_t seen;     /* code generation in which the identity was last compared */
	/* what the dump has of it, for a forked child's dump; NULL: no room was left */
	const struct syt_module_text *text;
};

/* Once, before any lookup; 0 or -errno. */
int syt_module_init(void);

/*
 * The module that PC lies in, or NULL.  Any thread, signal handlers included (lock-free, through
 * _dl_find_object).  PC must be code that cannot be unmapped meanwhile, such as code on the
 * caller's own stack.
 */
const struct syt_module *syt_module_find(uintptr_t pc);

/* True when PC lies in a module. Records nothing. */
bool syt_module_has(uintptr_t pc);

/* The load bias of module ID; 0 for id 0. */
uintptr_t syt_module_bias(uint32_t id);

/* Around the real dlclose, in pairs: in between nothing is remembered; at the end modules that are
 * gone are marked in the dump. A dlclose that never returns costs time, not correctness. */
void syt_module_closing(void);
void syt_module_closed(void);

/* In a forked child: define again, in its own dump, what is known. */
void syt_module_fork_child(void);

/* Generation << 16 | number of dlcloses under way. */
extern uint64_t syt_module_code;

static inline uint64_t syt_module_generation(void)
{
	return __atomic_load_n(&syt_module_code, __ATOMIC_ACQUIRE);
}

static inline bool syt_module_is_closing(uint64_t generation)
{
	return generation & 0xffff;
}

/* A new generation: code was unmapped in another way. */
void syt_module_renew(void);

#endif
