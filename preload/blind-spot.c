/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Detects io_uring and programs of Go. liburing makes its system calls without libc, so no wrapper sees them, but ld.so's list of
 * loaded libraries contains liburing. A program without liburing maps each ring with mmap, which has a
 * wrapper. */
#include "preload/blind-spot.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "runtime/image.h"
#include "runtime/module-file.h"
#include "runtime/session.h"
#include "runtime/sys.h" /* readlink that keeps errno */

#define LIBURING "liburing.so"
#define RING "anon_inode:[io_uring]"
#define RING_OFFSET 0x10000000 /* IORING_OFF_SQES: a program maps this offset once for each ring */

/* since glibc 2.35 */
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

/* Walks the chain of loaded objects, which does not change before the program's constructors run. */
void syt_blind_spot_loaded(void)
{
	struct dl_find_object o;
	const struct link_map *m;

	if (!_dl_find_object || _dl_find_object((void *)(uintptr_t)syt_blind_spot_loaded, &o))
		return;
	for (m = o.dlfo_link_map; m->l_prev; m = m->l_prev)
		;
	if (!_dl_find_object(m->l_ld, &o) && syt_module_is_go(&o))
		syt_session_blind(SYT_BLIND_GO, syt_image()->exe);
	for (; m; m = m->l_next) {
		const char *slash = strrchr(m->l_name, '/');
		const char *name = slash ? slash + 1 : m->l_name;

		if (!strncmp(name, LIBURING, sizeof(LIBURING) - 1))
			syt_session_blind(SYT_BLIND_IO_URING, name);
	}
}

void syt_blind_spot_mapped(int fd, off_t offset)
{
	char link[] = "/proc/self/fd/0123456789", *end = link + sizeof(link) - 1, *at = end;
	char target[sizeof(RING)];

	if (offset != RING_OFFSET || fd < 0)
		return;
	for (unsigned n = (unsigned)fd;; n /= 10) {
		*--at = (char)('0' + n % 10);
		if (n < 10)
			break;
	}
	memmove(link + sizeof("/proc/self/fd/") - 1, at, (size_t)(end - at) + 1);
	if (SYT_SYS_4(SYS_readlinkat, AT_FDCWD, link, target, sizeof(target)) ==
	            (long)sizeof(RING) - 1 &&
	    !memcmp(target, RING, sizeof(RING) - 1))
		syt_session_blind(SYT_BLIND_IO_URING, "mmap of a ring");
}
