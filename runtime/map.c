/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/map.h"

#include <stdbool.h>
#include <sys/mman.h>

#include "runtime/sys.h"

void *syt_map_private(size_t bytes)
{
	long rv = SYT_SYS_6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (rv < 0 && rv > -4096)
		return NULL;
	/* Accesses to these tables are scattered: a huge page would cost 2 MiB of memory, and 100 us or
	 * more at its first access. */
	SYT_SYS_3(SYS_madvise, rv, bytes, MADV_NOHUGEPAGE);
	return (void *)rv;
}

void syt_map_release(void *address, size_t bytes)
{
	if (address)
		SYT_SYS_2(SYS_munmap, address, bytes);
}

void *syt_map_chunk(void **where, size_t bytes)
{
	void *c = __atomic_load_n(where, __ATOMIC_ACQUIRE), *none = NULL;

	if (c)
		return c;
	c = syt_map_private(bytes);
	if (!c ||
	    __atomic_compare_exchange_n(where, &none, c, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return c;
	syt_map_release(c, bytes);
	return none;
}

void syt_map_reset(void *address, size_t bytes)
{
	if (address)
		SYT_SYS_3(SYS_madvise, address, bytes, MADV_DONTNEED);
}
