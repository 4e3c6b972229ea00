/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Identities of process images: the trace of each dump and of its directory, the host, and the parent.
 *
 * Images with one boot id have one host, unless their clock pairs show several clocks (boot.h). An unknown boot id (zeros)
 * identifies a host only within its own trace. */
#include "decoder/read/image.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"

#define ID_BYTES sizeof(((struct syt_file *)NULL)->boot_id)

static bool is_same_directory(const char *a, const char *b)
{
	size_t n = (size_t)(basename(a) - a);

	return n == (size_t)(basename(b) - b) && !memcmp(a, b, n);
}

/* Reads the trace id from the shared file `trace` in the directory of the dump NAME. */
static bool read_shared(const char *name, uint8_t *id)
{
	char *path = syt_input_shared(name);
	/* opening a FIFO must not block the decoder */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	uint64_t magic = 0;
	struct stat st;
	bool is_read = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	               pread(fd, &magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	               pread(fd, id, 16, offsetof(struct syt_trace, trace_id)) == 16 &&
	               magic == SYT_TRACE_MAGIC;

	if (fd >= 0)
		close(fd);
	free(path);
	return is_read;
}

void syt_identity_read(struct syt_loading **loadings, size_t nr)
{
	const struct syt_loading *last = NULL;

	for (size_t n = 0; n < nr; n++) {
		struct syt_loading *l = loadings[n];
		struct syt_image *i = &l->image;

		/* the header of this dump is damaged, so its trace id is not reliable */
		if (l->in.fd < 0 || !l->has_header)
			continue;
		i->has_home = true;
		if (last && is_same_directory(last->in.name, l->in.name))
			memcpy(i->home_id, last->image.home_id, sizeof(i->home_id));
		else if (!read_shared(l->in.name, i->home_id))
			memcpy(i->home_id, i->file.trace_id, sizeof(i->home_id));
		last = l;
	}
}

/* ---- hosts and recordings ---- */

static int compare_boots(const uint8_t *boot_a, const uint8_t *trace_a, const uint8_t *boot_b,
                         const uint8_t *trace_b)
{
	static const uint8_t unknown[ID_BYTES];
	int c = memcmp(boot_a, boot_b, ID_BYTES);

	return c || memcmp(boot_a, unknown, ID_BYTES) != 0 ? c : memcmp(trace_a, trace_b, ID_BYTES);
}

int syt_identity_compare_boots(const struct syt_image *a, const struct syt_image *b)
{
	return compare_boots(a->file.boot_id, a->file.trace_id, b->file.boot_id, b->file.trace_id);
}

static int compare_hosts(const struct syt_image *a, const struct syt_image *b)
{
	int c = syt_identity_compare_boots(a, b);

	return c ? c : SYT_COMPARE(a->twin, b->twin);
}

static int by_host(const void *a_, const void *b_, void *loadings_)
{
	struct syt_loading *const *loadings = loadings_;
	const uint32_t *a = a_, *b = b_;
	int c = compare_hosts(&loadings[*a]->image, &loadings[*b]->image);

	return c ? c : SYT_COMPARE(*a, *b);
}

static void number_hosts(struct syt_loading **loadings, uint32_t nr)
{
	uint32_t *sorted = syt_alloc(nr, sizeof(*sorted)), *first = syt_alloc(nr, sizeof(*first));
	uint32_t nr_hosts = 0;

	for (uint32_t n = 0; n < nr; n++)
		sorted[n] = n;
	qsort_r(sorted, nr, sizeof(*sorted), by_host, loadings);
	for (uint32_t n = 0; n < nr; n++) {
		bool is_new = !n || compare_hosts(&loadings[sorted[n]]->image,
		                                  &loadings[sorted[n - 1]]->image) != 0;

		first[sorted[n]] = is_new ? sorted[n] : first[sorted[n - 1]];
	}
	for (uint32_t n = 0; n < nr; n++)
		loadings[n]->image.host =
			first[n] == n ? nr_hosts++ : loadings[first[n]]->image.host;
	free(sorted);
	free(first);
}

bool syt_identity_is_one_recording(const struct syt_image *a, const struct syt_image *b)
{
	return !memcmp(a->file.trace_id, b->file.trace_id, ID_BYTES) &&
	       !memcmp(a->file.boot_id, b->file.boot_id, ID_BYTES) && a->twin == b->twin;
}

void syt_identity_number(struct syt_loading **loadings, size_t nr)
{
	if (!nr)
		return;
	loadings[0]->image.recording = 0;
	for (size_t n = 1; n < nr; n++) {
		const struct syt_image *last = &loadings[n - 1]->image;
		struct syt_image *i = &loadings[n]->image;

		i->recording = last->recording + !syt_identity_is_one_recording(i, last);
	}
	number_hosts(loadings, (uint32_t)nr);
}

/* Returns the only host of the boot, if IS_SAME only of images of the trace. */
static uint32_t only_host(const struct syt_trace_data *trace, const uint8_t *boot_id,
                          const uint8_t *trace_id, bool is_same)
{
	uint32_t found = SYT_NONE;

	for (uint32_t n = 0; n < trace->nr_images; n++) {
		const struct syt_image *i = &trace->images[n];

		if (compare_boots(boot_id, trace_id, i->file.boot_id, i->file.trace_id) != 0 ||
		    (is_same && memcmp(trace_id, i->file.trace_id, ID_BYTES) != 0))
			continue;
		if (found != SYT_NONE && found != i->host)
			return SYT_NONE;
		found = i->host;
	}
	return found;
}

uint32_t syt_host_find(const struct syt_trace_data *trace, const uint8_t *boot_id,
                       const uint8_t *trace_id)
{
	uint32_t found = only_host(trace, boot_id, trace_id, true);

	return found != SYT_NONE ? found : only_host(trace, boot_id, trace_id, false);
}

uint32_t syt_object_scope(const struct syt_image *i, const struct syt_object_info *info)
{
	if (info->flags & SYT_OBJECT_IN_TRACE)
		return i->recording;
	switch (info->kind) {
	/* the kernel has no names for these objects; older dumps do not have the flag */
	case SYT_KIND_EVENTFD:
	case SYT_KIND_TIMERFD:
	case SYT_KIND_SIGNALFD:
	case SYT_KIND_EPOLL:
		return i->recording;
	default:
		return i->host;
	}
}

/* ---- parents ---- */

uint32_t syt_image_parent(const struct syt_trace_data *trace, uint32_t i)
{
	const struct syt_image *child = &trace->images[i], *all = trace->images;
	uint32_t parent = child->file.parent_index;
	uint32_t n = SYT_BISECT(
		k, 0, trace->nr_images,
		all[k].recording < child->recording ||
			(all[k].recording == child->recording && all[k].file.index < parent));

	for (; n < trace->nr_images && all[n].recording == child->recording &&
	       all[n].file.index == parent;
	     n++)
		if (n != i)
			return n;
	return SYT_NONE;
}
