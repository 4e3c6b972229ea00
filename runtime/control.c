/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/control.h"

#include <stdbool.h>
#include <sys/mman.h>

#include "runtime/alive.h"
#include "runtime/sys.h"

uint8_t syt_control_page[SYT_PAGE_BYTES] __attribute__((aligned(SYT_PAGE_BYTES)));

static bool is_shared;

/* Replaces the control page, which is mapped from the trace's shared file, by private memory. Returns false
 * on failure. */
static bool take_back(void)
{
	long rv = SYT_SYS_6(SYS_mmap, syt_control_page, sizeof(syt_control_page),
	                    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	is_shared = rv < 0;
	return !is_shared;
}

void syt_control_share(int fd)
{
	long rv = SYT_SYS_6(SYS_mmap, syt_control_page, sizeof(syt_control_page), PROT_READ,
	                    MAP_SHARED | MAP_FIXED, fd, 0);

	is_shared = true;
	if (rv < 0) /* the failed mmap may have removed the old mapping */
		take_back();
}

void syt_control_refuse(void)
{
	if (is_shared && !take_back())
		return; /* then every intercepted call must check again whether it is recorded */
	*(volatile uint32_t *)(void *)(syt_control_page + SYT_CONTROL_AT) = SYT_CONTROL_NEVER;
}
