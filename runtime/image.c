/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/image.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>

#include "runtime/sys.h"
#include "runtime/text.h"

/* facts about this process image; a forked child inherits a copy */
static struct syt_process_image image;
static bool is_read;

size_t syt_image_read(const char *path, char *to, size_t capacity)
{
	long fd = SYT_SYS_4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	long n;

	if (fd < 0)
		return 0;
	n = SYT_SYS_3(SYS_read, fd, to, capacity);
	SYT_SYS_1(SYS_close, fd);
	return n > 0 ? (size_t)n : 0;
}

static void copy_text(char *to, size_t capacity, const char *from)
{
	size_t n = strnlen(from, capacity - 1);

	memcpy(to, from, n);
	to[n] = 0;
}

static void read_image(void)
{
	struct utsname host;
	char id[40] = "";
	long n;

	syt_image_read("/proc/sys/kernel/random/boot_id", id, sizeof(id) - 1);
	syt_text_id(id, image.boot_id);
	if (SYT_SYS_1(SYS_uname, &host) == 0) {
		copy_text(image.host, sizeof(image.host), host.nodename);
		copy_text(image.machine, sizeof(image.machine), host.machine);
	}
	n = SYT_SYS_4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", image.exe, sizeof(image.exe) - 1);
	image.exe_bytes = n > 0 ? (size_t)n : 0;
	image.argv_bytes = syt_image_read("/proc/self/cmdline", image.argv, sizeof(image.argv));
}

const struct syt_process_image *syt_image(void)
{
	if (!__atomic_load_n(&is_read, __ATOMIC_ACQUIRE)) {
		read_image();
		__atomic_store_n(&is_read, true, __ATOMIC_RELEASE);
	}
	return &image;
}
