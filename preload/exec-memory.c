/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "preload/exec-memory.h"

#include <sys/mman.h>

#include "preload/vfork.h"
#include "runtime/sys.h" /* memory without the wrapper of mmap */

void *syt_exec_memory_map(struct syt_exec_memory *memory, size_t bytes)
{
	long rv = SYT_SYS_6(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (rv < 0)
		return NULL;
	memory->address = (void *)rv;
	memory->bytes = bytes;
	syt_vfork_left(memory->address, bytes);
	return memory->address;
}

void syt_exec_memory_unmap(struct syt_exec_memory *memory)
{
	if (!memory->address)
		return;
	SYT_SYS_2(SYS_munmap, memory->address, memory->bytes);
	syt_vfork_left(NULL, 0);
	memory->address = NULL;
}

uint32_t syt_exec_pid(void)
{
	long pid = SYT_SYS_0(SYS_getpid);

	return pid > 0 ? (uint32_t)pid : 0; /* 0: a seccomp filter forbids getpid */
}
