/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Each array has a struct header in front of it. MADV_DONTNEED on a shared mapping of a file only removes the pages
 * from this process's page tables, even if other threads use these pages at that moment. Written data stay in the
 * kernel's page cache until they are on disk.
 *
 * A thread checks every few milliseconds how many pages of the process are resident, because a single loop over all
 * data may otherwise exceed the limit.
 *
 * The kernel's time for a new page (a fault, and zeroing) exceeds the time in which most loops fill this page. The
 * store therefore gives arrays whole huge pages, and keeps freed arrays as spares. It moves pages of spares to the
 * place of a new array, or to the new end of a growing one.
 */
#include "base/store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"

#define SMALL_BYTES (UINT64_C(256) << 10) /* smaller arrays come from malloc */
#define SMALL_SHARE 64u                   /* arrays below 1/64 of the limit are from malloc, too */
#define HUGE_BYTES (UINT64_C(2) << 20)    /* a huge page */
#define HUGE_LEAST (HUGE_BYTES / 2)       /* larger arrays get whole huge pages ... */
#define HUGE_SHARE 64u                    /* ... if a huge page is at most 1/64 of the limit */
#define SPARE_SHARE 4u                    /* spares have at most 1/4 of the limit */
#define MOST_SPARES 64u
#define STEP_MIN_BYTES (UINT64_C(4) << 20) /* growth after which the next release takes place */
#define MOVE_BYTES (UINT64_C(1) << 20)     /* bytes moved between two checks */
#define KEEP_BYTES (UINT64_C(16) << 20) /* larger files stay open, so their arrays grow in place */
#define LOOK_AGAIN_NS 50000             /* minimum time between two checks */
#define LOOK_NS 5000000                 /* period of the checking thread */
/* the default limit; with pages that are released late, the program has less than 1 GB resident */
#define DEFAULT_MAX_BYTES (UINT64_C(896) << 20)
#define TMPFS 0x01021994 /* f_type of tmpfs, a file system in memory */

enum place { PLACE_HEAP, PLACE_MEMORY, PLACE_FILE };

struct header {
	/* PLACE_FILE: links to the other arrays in files; spare: `next` leads to the next spare */
	struct header *next, *previous;
	uint64_t bytes; /* size of the array with this header */
	uint64_t place;
	uint64_t file;      /* PLACE_FILE: file descriptor + 1; 0: closed */
	uint64_t is_dirty;  /* elements of the array that were never used may contain old data */
	uint64_t unused[2]; /* padding, so that the array begins at a cache line */
};

static struct {
	pthread_mutex_t lock;
	uint64_t limit, page_bytes;
	uint64_t small_bytes;
	uint64_t in_memory, in_files;
	struct header *files;  /* list of the arrays in files */
	struct header *spares; /* list of freed arrays in memory */
	uint64_t spare_bytes;
	unsigned nr_spares;
	struct watched {
		const void *mapping;
		uint64_t bytes;
	} * watched;
	size_t nr_watched, room_watched;
	uint64_t watched_bytes;
	uint64_t next_bytes;   /* resident bytes at which pages are released; 0: not yet known */
	int statm;             /* file descriptor of /proc/self/statm; -1: not open */
	uint64_t next_look_ns; /* time of the next check; atomic */
	bool has_looker, has_told;
} store = {.lock = PTHREAD_MUTEX_INITIALIZER, .small_bytes = SMALL_BYTES, .statm = -1};

_Thread_local uint32_t syt_store_nr_looks;

/* ---- the limit of memory ---- */

static void init(void)
{
	if (store.limit)
		return;
	store.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	store.limit = (uint64_t)sysconf(_SC_PHYS_PAGES) * store.page_bytes / 4;
	if (store.limit > DEFAULT_MAX_BYTES)
		store.limit = DEFAULT_MAX_BYTES;
}

void syt_store_limit(uint64_t bytes)
{
	pthread_mutex_lock(&store.lock);
	init();
	if (bytes)
		store.limit = bytes;
	if (store.limit / SMALL_SHARE < SMALL_BYTES)
		store.small_bytes = store.limit / SMALL_SHARE;
	pthread_mutex_unlock(&store.lock);
}

uint64_t syt_store_spilled(void)
{
	return store.in_files;
}

/* Returns the resident bytes of this process, or 0 if unknown. */
static uint64_t resident(void)
{
	unsigned long long all, ours;
	char text[128];
	ssize_t n;

	if (store.statm < 0)
		store.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	n = store.statm < 0 ? -1 : pread(store.statm, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return 0;
	text[n] = 0;
	return sscanf(text, "%llu %llu", &all, &ours) == 2 ? ours * store.page_bytes : 0;
}

/* Frees the spares. The caller holds the lock. */
static void drop_spares(void)
{
	for (struct header *h = store.spares, *next; h; h = next) {
		next = h->next;
		munmap(h, h->bytes);
	}
	store.spares = NULL;
	store.spare_bytes = store.nr_spares = 0;
}

/* Frees the spares, and releases pages of all mapped files with MADV_DONTNEED. The caller holds the lock. A page that
 * another thread uses meanwhile may stay resident until the next release. */
static void let_go(void)
{
	uint64_t full = store.limit - store.limit / 8, now = resident();
	uint64_t step = store.limit / 32 > STEP_MIN_BYTES ? store.limit / 32 : STEP_MIN_BYTES;

	if (!store.next_bytes)
		store.next_bytes = full;
	if (now < store.next_bytes)
		return;
	drop_spares();
	for (struct header *h = store.files; h; h = h->next)
		madvise(h, h->bytes, MADV_DONTNEED);
	for (size_t i = 0; i < store.nr_watched; i++)
		madvise((void *)(uintptr_t)store.watched[i].mapping, store.watched[i].bytes,
		        MADV_DONTNEED);
	now = resident();
	store.next_bytes = now + step < full ? full : now + step;
}

static void *look_main(void *unused)
{
	const struct timespec pause = {0, LOOK_NS};

	for (;;) {
		nanosleep(&pause, NULL);
		syt_store_settle();
	}
	return unused;
}

/* Starts the checking thread. The caller holds the lock. If the thread cannot be created, only calls of
 * syt_store_settle() check memory use. */
static void start_looking(void)
{
	pthread_t thread;

	if (store.has_looker)
		return;
	__atomic_store_n(&store.has_looker, true, __ATOMIC_RELAXED);
	if (pthread_create(&thread, NULL, look_main, NULL) == 0)
		pthread_detach(thread);
}

void syt_store_settle(void)
{
	struct timespec t;
	uint64_t now_ns;

	if (!__atomic_load_n(&store.has_looker, __ATOMIC_RELAXED))
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	now_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (now_ns < __atomic_load_n(&store.next_look_ns, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&store.next_look_ns, now_ns + LOOK_AGAIN_NS, __ATOMIC_RELAXED);
	pthread_mutex_lock(&store.lock);
	let_go();
	pthread_mutex_unlock(&store.lock);
}

/* ---- malloc, anonymous memory or a file for each array ---- */

static void tell(const char *directory, const char *what)
{
	if (!store.has_told)
		syt_warn("%s: %s", directory, what);
	store.has_told = true;
}

static int open_file(const char *directory)
{
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 && errno != ENOENT && errno != EACCES) {
		char *name = syt_asprintf("%s/syntrace-decode.XXXXXX", directory);

		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0)
			unlink(name);
		free(name);
	}
	return fd;
}

/* Maps a new unlinked file for an array. The caller holds the lock. Reserves all blocks of the file, so that a full
 * disk fails here and not later. *KEPT becomes the file descriptor + 1 if the file stays open. */
static void *map_file(uint64_t bytes, uint64_t *kept)
{
	const char *directory = getenv("TMPDIR");
	struct statfs fs;
	void *p = MAP_FAILED;
	int fd, error;

	if (!directory || !*directory)
		directory = P_tmpdir;
	fd = open_file(directory);
	error = fd < 0 ? errno : posix_fallocate(fd, 0, (off_t)bytes);
	if (!error)
		p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		char *why = syt_asprintf("cannot create a temporary file of %llu MiB: %s: the "
		                         "program uses more memory than --memory (TMPDIR can name "
		                         "another directory for temporary files)",
		                         (unsigned long long)(bytes >> 20),
		                         strerror(error ? error : errno));

		tell(directory, why);
		free(why);
	} else if (fstatfs(fd, &fs) == 0 && fs.f_type == TMPFS) {
		tell(directory, "is in memory, so temporary files save none (TMPDIR names another "
		                "directory)");
	}
	if (p != MAP_FAILED && bytes >= KEEP_BYTES)
		*kept = (uint64_t)fd + 1;
	else if (fd >= 0)
		close(fd);
	return p;
}

/* Maps anonymous memory for an array. Huge pages make the first access to this memory five times cheaper. */
static void *map_memory(uint64_t bytes)
{
	uint8_t *p = mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t skip;

	if (p == MAP_FAILED)
		return p;
	skip = -(uintptr_t)p & (HUGE_BYTES - 1);
	if (skip)
		munmap(p, skip);
	munmap(p + skip + bytes, HUGE_BYTES - skip);
	if (bytes >= HUGE_BYTES)
		madvise(p + skip, bytes & ~(HUGE_BYTES - 1), MADV_HUGEPAGE);
	return p + skip;
}

/* Adds the header H to the list of arrays in files. The caller holds the lock. */
static void link_file(struct header *h)
{
	h->previous = NULL;
	h->next = store.files;
	if (h->next)
		h->next->previous = h;
	store.files = h;
}

static void unlink_file(struct header *h)
{
	if (h->next)
		h->next->previous = h->previous;
	if (h->previous)
		h->previous->next = h->next;
	else
		store.files = h->next;
}

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + store.page_bytes - 1) & ~(store.page_bytes - 1);
}

/* Returns the size of an array in memory that needs BYTES. */
static uint64_t whole_huge_pages(uint64_t bytes)
{
	if (bytes < HUGE_LEAST || store.limit / HUGE_SHARE < HUGE_BYTES)
		return bytes;
	return (bytes + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1);
}

/* ---- spares ---- */

/* Returns true if arrays in memory may have BYTES more. The caller holds the lock. */
static bool has_room(uint64_t bytes)
{
	return store.in_memory + bytes <= store.limit / 16 * 13;
}

bool syt_store_fits(uint64_t bytes)
{
	bool fits;

	pthread_mutex_lock(&store.lock);
	init();
	fits = has_room(bytes);
	pthread_mutex_unlock(&store.lock);
	return fits;
}

/* Drops the spares if the limit does not include them and BYTES more. */
static void make_room(uint64_t bytes)
{
	if (!has_room(store.spare_bytes + bytes))
		drop_spares();
}

/* Keeps the freed array H for a later array. Returns false if there are enough spares. */
static bool keep_spare(struct header *h)
{
	if (store.nr_spares == MOST_SPARES ||
	    store.spare_bytes + h->bytes > store.limit / SPARE_SHARE)
		return false;
	h->next = store.spares;
	store.spares = h;
	store.spare_bytes += h->bytes;
	store.nr_spares++;
	return true;
}

/* Returns the smallest spare of at least BYTES, or NULL if all are smaller or more than a quarter larger. */
static struct header *take_spare(uint64_t bytes)
{
	struct header **best = NULL, *h;

	for (struct header **at = &store.spares; *at; at = &(*at)->next)
		if ((*at)->bytes >= bytes && (!best || (*at)->bytes < (*best)->bytes))
			best = at;
	if (!best || (*best)->bytes - bytes > bytes / 4)
		return NULL;
	h = *best;
	*best = h->next;
	store.spare_bytes -= h->bytes;
	store.nr_spares--;
	return h;
}

/* Moves the pages [FROM, FROM + BYTES) to the place TO, without a copy. Returns how many bytes were moved. The remainder at
 * TO is new memory. Older kernels do not move pages of several mappings at once, and moved pages are separate mappings. */
static uint64_t move_pages(uint8_t *to, uint8_t *from, uint64_t bytes)
{
	const int flags = MREMAP_MAYMOVE | MREMAP_FIXED;
	uint64_t done = 0;

	if (mremap(from, bytes, bytes, flags, to) != MAP_FAILED)
		return bytes;
	while (bytes - done >= HUGE_BYTES &&
	       mremap(from + done, HUGE_BYTES, HUGE_BYTES, flags, to + done) != MAP_FAILED)
		done += HUGE_BYTES;
	/* an attempt that failed may have removed the mapping */
	if (done < bytes &&
	    mmap(to + done, bytes - done, PROT_READ | PROT_WRITE,
	         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		syt_die_of_memory(1, bytes);
	return done;
}

/* Moves huge pages of spares to the new memory [TO, TO + BYTES). The caller holds the lock. Returns true if there were some. */
static bool move_spares(uint8_t *to, uint64_t bytes)
{
	uint64_t done = 0;

	for (struct header **at = &store.spares, *h; (h = *at) && bytes - done >= HUGE_BYTES;) {
		uint64_t most = (bytes - done) & ~(HUGE_BYTES - 1);
		uint64_t part = h->bytes < most ? h->bytes : most, moved;
		uint8_t *from = (uint8_t *)h + h->bytes - part;

		if (h->bytes % HUGE_BYTES) {
			at = &h->next;
			continue;
		}
		if (part == h->bytes) {
			*at = h->next;
			store.nr_spares--;
		}
		h->bytes -= part;
		store.spare_bytes -= part;
		moved = move_pages(to + done, from, part);
		if (moved < part)
			munmap(from + moved, part - moved);
		done += moved;
	}
	return done;
}

/* Maps memory for an array, and moves spares there. Sets *IS_DIRTY if it contains old data. The caller holds the lock. */
static void *map_new(uint64_t bytes, bool *is_dirty)
{
	void *p = map_memory(bytes);

	if (p != MAP_FAILED && !(bytes % HUGE_BYTES))
		*is_dirty |= move_spares(p, bytes);
	make_room(bytes);
	return p;
}

static struct header *map(uint64_t bytes)
{
	struct header *h = MAP_FAILED;
	enum place place = PLACE_MEMORY;
	uint64_t file = 0;
	bool is_dirty = false;

	pthread_mutex_lock(&store.lock);
	init();
	bytes = whole_pages(bytes);
	if (!has_room(whole_huge_pages(bytes))) {
		place = PLACE_FILE;
		h = map_file(bytes, &file);
	}
	if (h == MAP_FAILED) {
		place = PLACE_MEMORY;
		bytes = whole_huge_pages(bytes);
		h = take_spare(bytes);
		is_dirty = h;
		if (h)
			bytes = h->bytes;
		else
			h = map_new(bytes, &is_dirty);
	}
	if (h == MAP_FAILED) {
		pthread_mutex_unlock(&store.lock);
		syt_die_of_memory(1, bytes);
	}
	h->bytes = bytes;
	h->place = place;
	h->file = file;
	h->is_dirty = is_dirty;
	if (place == PLACE_FILE) {
		link_file(h);
		store.in_files += bytes;
		start_looking();
	} else {
		store.in_memory += bytes;
	}
	pthread_mutex_unlock(&store.lock);
	return h;
}

void *syt_store_claim(uint64_t nr, size_t bytes)
{
	uint64_t all;
	struct header *h;

	if (__builtin_mul_overflow(nr, (uint64_t)bytes, &all) || all > INT64_MAX / 2)
		syt_die_of_memory(nr, bytes);
	all += sizeof(*h);
	if (all >= store.small_bytes)
		return map(all) + 1;
	h = syt_alloc(1, all);
	h->bytes = all;
	h->place = PLACE_HEAP;
	h->is_dirty = true;
	return h + 1;
}

/* Fills the elements [FROM, TO) of ARRAY with zeros, if they may contain old data. */
static void clean(void *array, uint64_t from, uint64_t to, size_t bytes)
{
	if (((struct header *)array)[-1].is_dirty)
		memset((uint8_t *)array + from * bytes, 0, (to - from) * bytes);
}

void *syt_store_alloc(uint64_t nr, size_t bytes)
{
	void *array = syt_store_claim(nr, bytes);

	clean(array, 0, nr, bytes);
	return array;
}

void syt_store_free(void *array)
{
	struct header *h = array;

	if (!array)
		return;
	h--;
	if (h->place == PLACE_HEAP) {
		free(h);
		return;
	}
	pthread_mutex_lock(&store.lock);
	if (h->place == PLACE_FILE) {
		unlink_file(h);
		store.in_files -= h->bytes;
		if (h->file)
			close((int)(h->file - 1));
	} else {
		store.in_memory -= h->bytes;
		if (keep_spare(h))
			h = NULL;
	}
	pthread_mutex_unlock(&store.lock);
	if (h)
		munmap(h, h->bytes);
}

void syt_store_shrink(void *array, uint64_t nr, size_t bytes)
{
	struct header *h = array;
	uint64_t all, more;

	if (!h || (--h)->place == PLACE_HEAP)
		return;
	pthread_mutex_lock(&store.lock);
	all = whole_pages(nr * bytes + sizeof(*h));
	if (h->place == PLACE_MEMORY)
		all = whole_huge_pages(all);
	more = all < h->bytes ? h->bytes - all : 0;
	h->bytes -= more;
	if (h->place == PLACE_MEMORY)
		store.in_memory -= more;
	else
		store.in_files -= more;
	if (more)
		munmap((uint8_t *)h + all, more);
	if (more && h->file && ftruncate((int)(h->file - 1), (off_t)all))
		syt_warn("cannot truncate a temporary file: %s", strerror(errno));
	pthread_mutex_unlock(&store.lock);
}

/* Copies from low to high addresses, so TO must lie before FROM or in other memory. */
void syt_store_move(void *to, const void *from, uint64_t bytes)
{
	for (uint64_t done = 0, part; done < bytes; done += part) {
		part = bytes - done < MOVE_BYTES ? bytes - done : MOVE_BYTES;
		memmove((uint8_t *)to + done, (const uint8_t *)from + done, part);
		if (bytes > MOVE_BYTES)
			syt_store_settle();
	}
}

/* Enlarges the array with the header H in memory. Moves its pages without a copy. Returns NULL if there is no memory. */
static struct header *enlarge_memory(struct header *h, uint64_t bytes)
{
	uint64_t old = h->bytes, moved;
	bool is_dirty = false;
	struct header *new;

	bytes = whole_huge_pages(bytes);
	if (bytes <= h->bytes)
		return h;
	if (!has_room(bytes - old))
		return NULL;
	/* the new place is aligned to huge pages, too */
	new = map_memory(bytes);
	if (new == MAP_FAILED)
		return NULL;
	moved = move_pages((uint8_t *)new, (uint8_t *)h, old);
	if (moved < old) {
		memcpy((uint8_t *)new + moved, (uint8_t *)h + moved, old - moved);
		munmap((uint8_t *)h + moved, old - moved);
	}
	if (!(old % HUGE_BYTES) && !(bytes % HUGE_BYTES))
		is_dirty = move_spares((uint8_t *)new + old, bytes - old);
	make_room(bytes - old);
	store.in_memory += bytes - old;
	new->bytes = bytes;
	new->is_dirty |= is_dirty;
	return new;
}

/* Enlarges the array with the header H in a file. Returns NULL if the disk is full. */
static struct header *enlarge_file(struct header *h, uint64_t bytes)
{
	struct header *new;

	if (!h->file ||
	    posix_fallocate((int)(h->file - 1), (off_t)h->bytes, (off_t)(bytes - h->bytes)))
		return NULL;
	unlink_file(h);
	new = mremap(h, h->bytes, bytes, MREMAP_MAYMOVE);
	if (new == MAP_FAILED) {
		link_file(h);
		return NULL;
	}
	store.in_files += bytes - new->bytes;
	new->bytes = bytes;
	link_file(new);
	return new;
}

/* Enlarges ARRAY, which may be NULL, without a copy. Returns NULL if it is unchanged: it must be copied. */
static void *enlarge(void *array, uint64_t nr, size_t bytes)
{
	struct header *h = array, *new;
	uint64_t all;

	if (!h || (--h)->place == PLACE_HEAP || __builtin_mul_overflow(nr, (uint64_t)bytes, &all) ||
	    all > INT64_MAX / 2)
		return NULL;
	pthread_mutex_lock(&store.lock);
	all = whole_pages(all + sizeof(*h));
	new = h->place == PLACE_MEMORY ? enlarge_memory(h, all) : enlarge_file(h, all);
	pthread_mutex_unlock(&store.lock);
	return new ? new + 1 : NULL;
}

/* Grows an array to at least NR elements. Returns the number of elements that it had, or that were copied. */
static size_t grow(void *array, size_t *room, uint64_t nr_used, uint64_t nr, size_t bytes)
{
	void *old, *new;
	size_t before = *room;

	memcpy(&old, array, sizeof(old));
	*room = before + before / 2 + 16;
	if (*room < nr)
		*room = nr;
	new = enlarge(old, *room, bytes);
	if (!new) {
		new = syt_store_claim(*room, bytes);
		syt_store_move(new, old, nr_used * bytes);
		syt_store_free(old);
		before = nr_used;
	}
	memcpy(array, &new, sizeof(new));
	return before;
}

void syt_store_widen(void *array, size_t *room, uint64_t nr_used, uint64_t nr, size_t bytes)
{
	if (nr > *room)
		grow(array, room, nr_used, nr, bytes);
}

void syt_store_grow(void *array, size_t *room, uint64_t nr_used, uint64_t nr, size_t bytes)
{
	void *new;
	size_t before;

	if (nr <= *room)
		return;
	before = grow(array, room, nr_used, nr, bytes);
	memcpy(&new, array, sizeof(new));
	clean(new, before, *room, bytes);
}

/* ---- mappings of dumps ---- */

void syt_store_watch(const void *mapping, uint64_t bytes)
{
	pthread_mutex_lock(&store.lock);
	init();
	*SYT_ADD(store.watched, store.nr_watched, store.room_watched) =
		(struct watched){mapping, bytes};
	store.watched_bytes += bytes;
	if (store.watched_bytes > store.limit / 4)
		start_looking();
	pthread_mutex_unlock(&store.lock);
}

void syt_store_unwatch(const void *mapping)
{
	pthread_mutex_lock(&store.lock);
	for (size_t i = 0; i < store.nr_watched; i++) {
		if (store.watched[i].mapping != mapping)
			continue;
		store.watched_bytes -= store.watched[i].bytes;
		store.watched[i] = store.watched[--store.nr_watched];
		break;
	}
	if (!store.nr_watched) {
		free(store.watched);
		store.watched = NULL;
		store.room_watched = 0;
	}
	pthread_mutex_unlock(&store.lock);
}
