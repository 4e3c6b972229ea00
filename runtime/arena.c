/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/forked.h"
#include "runtime/sys.h"

#define SHRUNK_MIN (UINT64_C(8) << 20) /* a forked child keeps this many bytes of the dump mapped */
#define PREALLOCATE_MAX (UINT64_C(256) << 20)
#define SHRUNK_SPARE (UINT64_C(1) << 20) /* bytes that stay mapped behind the chunks in use */

/* A process that forbids its own system calls keeps these bytes for later events. */
#define RESERVE_BYTES (UINT64_C(16) << 20)
#define RESERVE_MIN (UINT64_C(256) << 10)
/* this part of the reserve is only for definitions, not for blocks of events */
#define DEFINITIONS_BYTES (UINT64_C(2) << 20)

SYT_FORKED struct syt_arena syt_arena;

static bool populate(void *address, uint64_t bytes)
{
	return SYT_SYS_3(SYS_madvise, address, bytes, MADV_POPULATE_WRITE) == 0;
}

bool syt_arena_populate(void *address, uint64_t bytes)
{
	uint64_t end = (uint64_t)((uint8_t *)address - syt_arena.base) + bytes;

	if (syt_arena.is_preallocated ||
	    end <= __atomic_load_n(&syt_arena.backed_bytes, __ATOMIC_ACQUIRE))
		return true;
	__atomic_fetch_add(&syt_arena_file()->nr_syscalls, 1, __ATOMIC_RELAXED);
	return populate(address, bytes);
}

static void bound(uint64_t *capacity, uint64_t to, enum syt_bound by)
{
	if (to < *capacity) {
		*capacity = to;
		syt_arena.bound = by;
	}
}

/* Returns CAPACITY, lowered for the dump file: to at most RLIMIT_FSIZE, whose SIGXFSZ would kill the
 * program, and to at most half of the free disk space, because a tracer must not fill the disk of its host. */
static uint64_t bounded_capacity(long fd, uint64_t capacity)
{
	struct rlimit limit;
	struct statfs fs;

	syt_arena.bound = SYT_BOUND_WANTED;
	if (SYT_SYS_4(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit) == 0)
		bound(&capacity, limit.rlim_cur, SYT_BOUND_FILE_SIZE);
	if (SYT_SYS_2(SYS_fstatfs, fd, &fs) == 0 && fs.f_bsize > 0)
		bound(&capacity, (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize / 2, SYT_BOUND_DISK);
	return capacity & ~(uint64_t)(SYT_PAGE_BYTES - 1);
}

/* Maps FD with CAPACITY bytes, or at most a quarter of RLIMIT_AS, because the program needs the rest of a
 * limited address space. Returns the number of bytes mapped, 0 for none. */
static uint64_t map_file(long fd, uint64_t capacity)
{
	struct rlimit limit;

	if (SYT_SYS_4(SYS_prlimit64, 0, RLIMIT_AS, 0, &limit) == 0)
		bound(&capacity, limit.rlim_cur / 4 & ~(uint64_t)(SYT_PAGE_BYTES - 1),
		      SYT_BOUND_ADDRESSES);
	/* a forked child's mapping replaces the whole inherited mapping */
	if (syt_arena.base)
		bound(&capacity, syt_arena.mapped_bytes, SYT_BOUND_ADDRESSES);
	for (; capacity >= SYT_DUMP_LEAST_BYTES;
	     capacity = capacity / 2 & ~(uint64_t)(SYT_PAGE_BYTES - 1)) {
		long flags = MAP_SHARED | MAP_NORESERVE;
		void *where = NULL;

		if (syt_arena.base) {
			flags |= MAP_FIXED;
			where = syt_arena.base;
		}
		long rv =
			SYT_SYS_6(SYS_mmap, where, capacity, PROT_READ | PROT_WRITE, flags, fd, 0);

		if (rv > 0 || rv < -4095) {
			if (where && syt_arena.mapped_bytes > capacity)
				SYT_SYS_2(SYS_munmap, syt_arena.base + capacity,
				          syt_arena.mapped_bytes - capacity);
			syt_arena.base = (uint8_t *)rv;
			return capacity;
		}
	}
	return 0;
}

/* Gives the file the mode 0600 under every umask. Setting an unchanged mode would take 6 us on ext4. */
static void make_private(long fd, const struct stat *st)
{
	if ((st->st_mode & 07777) != 0600)
		SYT_SYS_2(SYS_fchmod, fd, 0600);
}

int syt_arena_open(long dir, const char *name, uint64_t capacity)
{
	long fd = SYT_SYS_4(SYS_openat, dir, name,
	                    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct stat st;
	long rv;

	syt_arena.room = UINT64_MAX;
	if (fd < 0)
		return (int)fd;
	if (SYT_SYS_2(SYS_fstat, fd, &st) < 0)
		/* with device number 0, the dump is never trimmed */
		st = (struct stat){.st_dev = 0};
	make_private(fd, &st);
	syt_arena.device = st.st_dev;
	syt_arena.inode = st.st_ino;
	capacity = bounded_capacity(fd, capacity);
	syt_arena.room = capacity;
	rv = -ENOSPC;
	if (capacity < SYT_DUMP_LEAST_BYTES)
		goto unlink_file;
	rv = SYT_SYS_2(SYS_ftruncate, fd, capacity);
	if (rv < 0)
		goto unlink_file;
	rv = -ENOMEM;
	syt_arena.room = map_file(fd, capacity);
	if (syt_arena.room < capacity)
		syt_arena.bound = SYT_BOUND_ADDRESSES;
	capacity = syt_arena.room;
	if (!capacity)
		goto unlink_file;
	syt_arena.mapped_bytes = capacity;
	syt_arena.backed_bytes = 0;
	syt_arena.is_closed = false;
	syt_arena.is_preallocated = false;
	/* without this advice, populating one page reads ahead up to 8 MiB on some disks: 1 ms */
	SYT_SYS_3(SYS_madvise, syt_arena.base, capacity, MADV_RANDOM);
	rv = SYT_SYS_3(SYS_madvise, syt_arena.base, SYT_PAGE_BYTES + SYT_ARENA_FIRST_BYTES,
	               MADV_POPULATE_WRITE);
	if (rv == 0)
		syt_arena.backed_bytes = SYT_PAGE_BYTES + SYT_ARENA_FIRST_BYTES;
	if (rv == -EINVAL) { /* before Linux 5.14 */
		if (capacity > PREALLOCATE_MAX)
			capacity = PREALLOCATE_MAX;
		rv = SYT_SYS_4(SYS_fallocate, fd, 0, 0, capacity);
		syt_arena.is_preallocated = true;
	}
	if (rv < 0)
		goto unmap;
	syt_arena_file()->capacity = capacity;
	syt_arena_file()->used = SYT_PAGE_BYTES;
	__atomic_store_n(&syt_arena.limit, capacity, __ATOMIC_RELEASE);
	SYT_SYS_1(SYS_close, fd);
	return 0;

unmap:
	syt_arena_abandon();
unlink_file:
	SYT_SYS_3(SYS_unlinkat, dir, name, 0);
	SYT_SYS_1(SYS_close, fd);
	return (int)rv;
}

void syt_arena_abandon(void)
{
	__atomic_store_n(&syt_arena.limit, 0, __ATOMIC_RELEASE);
	if (syt_arena.base)
		SYT_SYS_2(SYS_munmap, syt_arena.base, syt_arena.mapped_bytes);
	syt_arena.base = NULL;
}

/* Returns the file offset that a new chunk of TYPE must not cross. */
static uint64_t limit_of(enum syt_chunk_type type)
{
	uint64_t limit = __atomic_load_n(&syt_arena.limit, __ATOMIC_ACQUIRE);
	bool is_kept =
		__atomic_load_n(&syt_arena.is_closed, __ATOMIC_RELAXED) && type == SYT_CHUNK_BLOCKS;

	return !is_kept ? limit : limit > DEFINITIONS_BYTES ? limit - DEFINITIONS_BYTES : 0;
}

struct syt_chunk *syt_arena_chunk(enum syt_chunk_type type, uint32_t owner, uint64_t first,
                                  uint64_t bytes, uint64_t usable)
{
	struct syt_file *file = syt_arena_file();
	uint64_t used = __atomic_load_n(&file->used, __ATOMIC_RELAXED);

	do {
		if (used + bytes > limit_of(type))
			return NULL;
	} while (!__atomic_compare_exchange_n(&file->used, &used, used + bytes, true,
	                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	/* pairs with syt_arena_shrink: either syt_arena_shrink sees this chunk, or this thread sees the
	 * lowered limit */
	if (used + bytes > __atomic_load_n(&syt_arena.limit, __ATOMIC_SEQ_CST))
		return NULL;

	struct syt_chunk *chunk = (struct syt_chunk *)(syt_arena.base + used);

	/* if populating fails, the chunk stays a hole of zeros in the file, which readers skip */
	if (!syt_arena_populate(chunk, usable))
		return NULL;
	chunk->type = (uint16_t)type;
	chunk->version = 1;
	chunk->bytes = bytes;
	chunk->owner = owner;
	chunk->first = first;
	chunk->checksum = XXH32(&chunk->first, 8, XXH32(&chunk->type, 16, 0));
	__atomic_store_n(&chunk->magic, SYT_CHUNK_MAGIC, __ATOMIC_RELEASE);
	return chunk;
}

/* Atomically lowers *VALUE to TO if *VALUE is greater. Returns the old value. */
static uint64_t lower(uint64_t *value, uint64_t to)
{
	uint64_t was = __atomic_load_n(value, __ATOMIC_SEQ_CST);

	while (was > to && !__atomic_compare_exchange_n(value, &was, to, true, __ATOMIC_SEQ_CST,
	                                                __ATOMIC_SEQ_CST))
		;
	return was;
}

/* Permits chunks up to the end of the mapping again. If syt_arena_shrink runs at the same time, its lower
 * limit stays. */
static void raise_limit(void)
{
	uint64_t capacity = syt_arena_file()->capacity;
	uint64_t mapped = __atomic_load_n(&syt_arena.mapped_bytes, __ATOMIC_SEQ_CST);

	__atomic_store_n(&syt_arena.limit, capacity < mapped ? capacity : mapped, __ATOMIC_SEQ_CST);
	lower(&syt_arena.limit, __atomic_load_n(&syt_arena.mapped_bytes, __ATOMIC_SEQ_CST));
}

void syt_arena_shrink(uint64_t bytes)
{
	uint64_t end, used, was;

	if (!syt_arena.base)
		return;
	used = __atomic_load_n(&syt_arena_file()->used, __ATOMIC_SEQ_CST);
	do {
		end = used + SHRUNK_SPARE > bytes ? used + SHRUNK_SPARE : bytes;
		if (end < SHRUNK_MIN)
			end = SHRUNK_MIN;
		end = (end + SYT_PAGE_BYTES - 1) & ~(uint64_t)(SYT_PAGE_BYTES - 1);
		lower(&syt_arena.limit, end);
		used = __atomic_load_n(&syt_arena_file()->used, __ATOMIC_SEQ_CST);
	} while (used > end);
	was = lower(&syt_arena.mapped_bytes, end);
	/* this caller alone unmaps [end, was): the ranges of two concurrent callers may touch but never
	 * overlap */
	if (was > end)
		SYT_SYS_2(SYS_munmap, syt_arena.base + end, was - end);
}

void syt_arena_prepare(void)
{
	uint64_t used, limit = __atomic_load_n(&syt_arena.limit, __ATOMIC_ACQUIRE);

	if (!syt_arena.base || syt_arena.is_preallocated)
		return;
	used = __atomic_load_n(&syt_arena_file()->used, __ATOMIC_RELAXED);
	for (uint64_t more = RESERVE_BYTES; more >= RESERVE_MIN; more /= 2) {
		uint64_t end = used + more < limit ? used + more : limit;

		if (end <= syt_arena.backed_bytes)
			return;
		if (!populate(syt_arena.base, end))
			continue;
		__atomic_store_n(&syt_arena.backed_bytes, end, __ATOMIC_RELEASE);
		return;
	}
}

void syt_arena_close(void)
{
	if (syt_arena.is_preallocated)
		return;
	__atomic_store_n(&syt_arena.limit, syt_arena.backed_bytes, __ATOMIC_SEQ_CST);
	lower(&syt_arena.limit, __atomic_load_n(&syt_arena.mapped_bytes, __ATOMIC_SEQ_CST));
	__atomic_store_n(&syt_arena.is_closed, true, __ATOMIC_SEQ_CST);
}

void syt_arena_reopen(void)
{
	if (!syt_arena.base || !syt_arena.is_closed)
		return;
	__atomic_store_n(&syt_arena.is_closed, false, __ATOMIC_SEQ_CST);
	raise_limit();
}

/* Returns whether PATH still names the dump: the program may have renamed the directory, and another
 * trace may have taken its name. Opens no descriptor, because other threads could notice it. */
static bool is_dump(const char *path)
{
	struct stat st;

	return SYT_SYS_4(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_ino && st.st_dev == syt_arena.device && st.st_ino == syt_arena.inode;
}

void syt_arena_trim(const char *path, uint64_t spare)
{
	uint64_t capacity = syt_arena_file()->capacity;
	uint64_t used = __atomic_load_n(&syt_arena_file()->used, __ATOMIC_RELAXED);
	uint64_t before;

	if (spare > capacity - used || !is_dump(path))
		return;
	/* After the truncation, a chunk more than SPARE bytes behind the last chunk lies beyond the end of
	 * the file: populating it fails, without SIGBUS. */
	do {
		before = used;
		__atomic_store_n(&syt_arena.limit, before + spare, __ATOMIC_SEQ_CST);
		used = __atomic_load_n(&syt_arena_file()->used, __ATOMIC_SEQ_CST);
	} while (used != before);
	SYT_SYS_2(SYS_truncate, path, used + spare);
}

bool syt_arena_is_trimmed(void)
{
	return __atomic_load_n(&syt_arena.limit, __ATOMIC_RELAXED) < syt_arena_file()->capacity;
}

void syt_arena_untrim(const char *path)
{
	uint64_t capacity = syt_arena_file()->capacity;
	struct rlimit limit;

	/* growing the file beyond this limit would raise SIGXFSZ */
	if (SYT_SYS_4(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit) == 0 && limit.rlim_cur < capacity)
		return;
	if (is_dump(path) && SYT_SYS_2(SYS_truncate, path, capacity) == 0)
		raise_limit();
}
