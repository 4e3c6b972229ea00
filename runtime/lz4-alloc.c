/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * lz4's convenience functions, which the recorder never calls, allocate.  They are in the same object
 * as those that it does call; here they find nothing to allocate with.  Hidden, so only lz4 sees it.
 */
#include <stddef.h>

void *calloc(size_t nr, size_t bytes) __attribute__((malloc));
void free(void *address);

void *calloc(size_t nr, size_t bytes)
{
	(void)nr;
	(void)bytes;
	return NULL;
}

void free(void *address)
{
	(void)address;
}
