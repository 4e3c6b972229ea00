/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Loaded objects (executable, libraries, vDSO), recorded with path, build-id and mapping when a call
 * stack first meets them, hence before they can be unmapped.
 */
#ifndef SYT_RUNTIME_MODULE_H
#define SYT_RUNTIME_MODULE_H

#include <stdint.h>

struct syt_module {
	uint32_t id;	  /* from 1; also on disk */
	uintptr_t start, end; /* mapped addresses */
	uintptr_t bias;
	const void *eh_frame_hdr; /* PT_GNU_EH_FRAME in memory, or NULL */
};

/* The module that PC lies in, or NULL. Lock-free (through _dl_find_object); signal-safe. */
const struct syt_module *syt_module_find(uintptr_t pc);

/* After a dlclose: modules that are gone are marked in the dump and forgotten. */
void syt_module_closed(void);

/* In a forked child: define again, in its own dump, what is known. */
void syt_module_fork_child(void);

#endif
