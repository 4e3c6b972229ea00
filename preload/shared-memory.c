/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tracks shared mappings; records no events. Device and inode identify a mapped file. Raw system calls ask for
 * them, because a wrapper must not change errno. */
#include "preload/shared-memory.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "preload/blind-spot.h"
#include "preload/syscall.h"
#include "runtime/object.h"
#include "runtime/sys.h" /* fstat that keeps errno */

#define PAGE_BYTES 4096u
#define SHM_DIR "/dev/shm/sem."

/* Returns a hash of the arguments. Two files on a machine almost certainly have different hashes. */
static uint64_t identity(uint64_t place, uint64_t a, uint64_t b)
{
	uint64_t h = place;

	h = (h ^ a) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ (h >> 32) ^ b) * UINT64_C(0xc2b2ae3d27d4eb4f);
	h ^= h >> 29;
	/* with this bit, the hash differs from 0 and from the small numbers of syt_shared_identity() */
	return h | UINT64_C(1) << 63;
}

enum place { PLACE_FILE = 1, PLACE_SYSV = 2 };

static uint64_t file_identity(int fd)
{
	struct stat st;

	if (SYT_SYS_2(SYS_fstat, fd, &st) < 0)
		return 0;
	return identity(PLACE_FILE, st.st_dev, st.st_ino);
}

static void mapped(void *address, size_t bytes, int flags, int fd, off_t offset)
{
	uint64_t id;

	if (address == MAP_FAILED || !syt_is_recording())
		return;
	if (!(flags & MAP_SHARED)) { /* MAP_SHARED_VALIDATE includes this bit */
		syt_shared_unmap(address, bytes);
		return;
	}
	if (!(flags & MAP_ANONYMOUS))
		syt_blind_spot_mapped(fd, offset);
	id = flags & MAP_ANONYMOUS ? syt_shared_identity() : file_identity(fd);
	if (id)
		syt_shared_map(address, bytes, id, flags & MAP_ANONYMOUS ? 0 : (uint64_t)offset);
}

SYT_EXPORT void *mmap(void *hint, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	void *address = SYT_REAL(mmap)(hint, bytes, protection, flags, fd, offset);

	mapped(address, bytes, flags, fd, offset);
	return address;
}

SYT_EXPORT void *mmap64(void *hint, size_t bytes, int protection, int flags, int fd, off64_t offset)
{
	void *address = SYT_REAL(mmap64)(hint, bytes, protection, flags, fd, offset);

	mapped(address, bytes, flags, fd, offset);
	return address;
}

/* The wrapper forgets the range before the real munmap, because another thread may map other memory there
 * afterwards. */
SYT_EXPORT int munmap(void *address, size_t bytes)
{
	if (syt_is_recording())
		syt_shared_unmap(address, bytes);
	return SYT_REAL(munmap)(address, bytes);
}

#define NR_PIECES 8u /* maximum number of mappings in a moved range that are tracked */

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

/* Registers the NR shared mappings (pieces) of a range of OLD_BYTES at the range's new ADDRESS. The range
 * now has BYTES: its last piece has grown, or the range was cut. */
static void moved(char *address, size_t bytes, const struct syt_shared_piece *p, unsigned nr,
                  size_t old_bytes)
{
	for (unsigned i = 0; i < nr; i++) {
		uint64_t end = p[i].at + p[i].bytes;

		if (end > bytes || whole_pages(end) >= whole_pages(old_bytes))
			end = bytes;
		if (p[i].at < end)
			syt_shared_map(address + p[i].at, end - p[i].at, p[i].identity,
			               p[i].offset);
	}
}

/* Forgets the shared mappings in the range before the real mremap, and registers them at the new address
 * afterwards. The optional argument is forwarded as one register. With an old size of 0, mremap makes a
 * second mapping. */
SYT_EXPORT void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	struct syt_shared_piece pieces[NR_PIECES];
	size_t range = old_bytes ? old_bytes : bytes;
	unsigned nr;
	va_list rest;

	va_start(rest, flags);
	void *wanted = va_arg(rest, void *);
	va_end(rest);
	if (!syt_is_recording())
		return SYT_REAL(mremap)(old, old_bytes, bytes, flags, wanted);
	nr = syt_shared_take(old, range, pieces, NR_PIECES);
	void *address = SYT_REAL(mremap)(old, old_bytes, bytes, flags, wanted);

	if (address == MAP_FAILED || !old_bytes || flags & MREMAP_DONTUNMAP)
		moved(old, range, pieces, nr, UINT64_MAX / 2);
	if (address != MAP_FAILED) {
		syt_shared_unmap(address, bytes);
		moved(address, bytes, pieces, nr, range);
	}
	return address;
}

long syt_syscall_mmap(const struct syt_syscall *r)
{
	long rv = syt_syscall_forward(r);

	mapped((void *)rv, (size_t)r->a[1], (int)r->a[3], (int)r->a[4], (off_t)r->a[5]);
	return rv;
}

long syt_syscall_munmap(const struct syt_syscall *r)
{
	if (syt_is_recording())
		syt_shared_unmap((const void *)r->a[0], (size_t)r->a[1]);
	return syt_syscall_forward(r);
}

/* The sizes of attached segments, because shmdt does not return the size. A segment beyond NR_SEGMENTS
 * stays registered as shared after shmdt until another mapping replaces it. */
#define NR_SEGMENTS 64u

static struct segment {
	const void *address; /* NULL for a free entry */
	uint64_t bytes;
} segments[NR_SEGMENTS];

static void segment_remember(const void *address, uint64_t bytes)
{
	for (unsigned i = 0; i < NR_SEGMENTS; i++) {
		const void *none = NULL;

		if (__atomic_compare_exchange_n(&segments[i].address, &none, address, false,
		                                __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			segments[i].bytes = bytes;
			return;
		}
	}
}

static uint64_t segment_forget(const void *address)
{
	for (unsigned i = 0; i < NR_SEGMENTS; i++) {
		const void *found = address;
		uint64_t bytes = segments[i].bytes;

		if (__atomic_compare_exchange_n(&segments[i].address, &found, NULL, false,
		                                __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return bytes;
	}
	return 0;
}

SYT_EXPORT void *shmat(int id, const void *hint, int flags)
{
	void *address = SYT_REAL(shmat)(id, hint, flags);
	struct shmid_ds info;

	if (address != (void *)-1 && syt_is_recording() &&
	    SYT_SYS_3(SYS_shmctl, id, IPC_STAT, &info) >= 0) {
		syt_shared_map(address, info.shm_segsz, identity(PLACE_SYSV, (uint64_t)id, 0), 0);
		segment_remember(address, info.shm_segsz);
	}
	return address;
}

SYT_EXPORT int shmdt(const void *address)
{
	uint64_t bytes = segment_forget(address);

	if (bytes && syt_is_recording())
		syt_shared_unmap(address, bytes);
	return SYT_REAL(shmdt)(address);
}

void syt_shared_memory_sem(const sem_t *s, const char *name)
{
	char path[sizeof(SHM_DIR) + NAME_MAX] = SHM_DIR;
	uintptr_t page = (uintptr_t)s & ~(uintptr_t)(PAGE_BYTES - 1);
	struct stat st;
	size_t n;

	while (*name == '/')
		name++;
	n = strlen(name);
	if (n >= sizeof(path) - sizeof(SHM_DIR))
		return;
	memcpy(path + sizeof(SHM_DIR) - 1, name, n + 1);
	if (SYT_SYS_4(SYS_newfstatat, AT_FDCWD, path, &st, 0) < 0)
		return;
	syt_shared_map((const void *)page, PAGE_BYTES, identity(PLACE_FILE, st.st_dev, st.st_ino),
	               0);
}
