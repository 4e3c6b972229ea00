/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Most programs call fstat on a file after opening it. The recorder keeps fstat's result, so it need not call
 * fstat itself when the file is read or closed. No event is recorded. */
#include "preload/wrap.h"

#include "runtime/endpoint.h"

static void seen(int fd, const struct stat *st, const void *fp)
{
	struct syt_frame f;

	if (S_ISREG(st->st_mode) && syt_enter(&f, fp))
		syt_endpoint_file(fd, st);
}

SYT_EXPORT int fstat(int fd, struct stat *st)
{
	int rv = SYT_REAL(fstat)(fd, st);

	if (rv == 0)
		seen(fd, st, __builtin_frame_address(0));
	return rv;
}

SYT_EXPORT int __fxstat(int version, int fd, struct stat *st)
{
	int rv = SYT_REAL(__fxstat)(version, fd, st);

	if (rv == 0)
		seen(fd, st, __builtin_frame_address(0));
	return rv;
}
