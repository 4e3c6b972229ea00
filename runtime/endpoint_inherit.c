/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Format of the text in the environment: `e` and the process' pid (exec), or `s` and the parent's pid (spawn);
 * then for each fd a colon and, separated by dots: fd, kind, identity, flags. The pid tells whether a process
 * image in between has passed the text on. The fds may have changed in that image, so the text is then
 * ignored. */
#include "runtime/endpoint_inherit.h"

#include <fcntl.h>

#include "runtime/endpoint_record.h"
#include "runtime/sys.h"
#include "runtime/text.h"
#include "runtime/thread.h"

#define NR_FDS 256u  /* more fds are not described to the new image */
#define FD_BYTES 48u /* maximum number of characters for an fd */
#define HEAD_BYTES 24u

/* Finds the lowest fd >= *FD with an endpoint without a kernel name that an exec leaves open. Returns false
 * if there is none. */
static bool next(int *fd, struct syt_endpoint_anon *a)
{
	for (*fd = syt_endpoint_next(*fd, INT32_MAX); *fd >= 0;
	     *fd = syt_endpoint_next(*fd + 1, INT32_MAX)) {
		long flags;

		if (!syt_endpoint_anon(*fd, a) ||
		    (syt_thread_is_borrowed() && syt_thread_has_touched(*fd)))
			continue;
		flags = SYT_SYS_3(SYS_fcntl, *fd, F_GETFD, 0);
		if (flags >= 0 && !(flags & FD_CLOEXEC))
			return true;
	}
	return false;
}

size_t syt_endpoint_inherit_bytes(enum syt_inherit inherit)
{
	struct syt_endpoint_anon a;
	unsigned nr = 0;
	int fd = 0;

	for (; inherit != SYT_INHERIT_NONE && nr < NR_FDS && next(&fd, &a); fd++)
		nr++;
	return nr ? HEAD_BYTES + nr * FD_BYTES : 0;
}

bool syt_endpoint_inherit_text(enum syt_inherit inherit, char *text, size_t bytes)
{
	struct syt_text_buffer b = {text, bytes, 0, false};
	struct syt_endpoint_anon a;
	unsigned nr = 0;
	int fd = 0;

	text[0] = 0;
	if (inherit == SYT_INHERIT_NONE)
		return false;
	syt_text_add(&b, inherit == SYT_INHERIT_EXEC ? "e" : "s");
	syt_text_add_number(&b, (uint64_t)SYT_SYS_0(SYS_getpid), 1);
	for (; b.length + FD_BYTES <= bytes && next(&fd, &a); fd++, nr++) {
		syt_text_add(&b, ":");
		syt_text_add_number(&b, (uint64_t)fd, 1);
		syt_text_add(&b, ".");
		syt_text_add_number(&b, a.kind, 1);
		syt_text_add(&b, ".");
		syt_text_add_number(&b, a.identity, 1);
		syt_text_add(&b, ".");
		syt_text_add_number(&b, a.flags, 1);
	}
	if (!nr)
		text[0] = 0;
	return nr > 0;
}

static bool number(const char **p, char before, uint64_t *v)
{
	if (**p != before)
		return false;
	++*p;
	return syt_text_number(p, v);
}

void syt_endpoint_inherit(const char *text)
{
	uint64_t pid, fd, kind, identity, flags;
	bool is_spawned = text && *text == 's';

	if (!text || !number(&text, is_spawned ? 's' : 'e', &pid) ||
	    pid != (uint64_t)SYT_SYS_0(is_spawned ? SYS_getppid : SYS_getpid))
		return;
	while (number(&text, ':', &fd) && number(&text, '.', &kind) &&
	       number(&text, '.', &identity) && number(&text, '.', &flags)) {
		struct syt_endpoint_anon a = {(uint8_t)kind, (uint8_t)flags, identity};

		if (fd <= INT32_MAX && kind < SYT_NR_KINDS)
			syt_endpoint_take_over((int)fd, &a);
	}
}
