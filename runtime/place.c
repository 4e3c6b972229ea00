/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "runtime/clock.h"
#include "runtime/control.h"
#include "runtime/image.h"
#include "runtime/sys.h"
#include "runtime/text.h"

#define READ_FLAGS (O_RDONLY | O_CLOEXEC | O_NOFOLLOW)

static struct syt_text_buffer text_in(char *buffer, size_t bytes)
{
	buffer[0] = 0;
	return (struct syt_text_buffer){.text = buffer, .capacity = bytes};
}

static int join(char *to, const char *dir, const char *slash, const char *name)
{
	struct syt_text_buffer b = text_in(to, SYT_PATH_BYTES);

	syt_text_add(&b, dir);
	syt_text_add(&b, slash);
	syt_text_add(&b, name);
	return b.is_cut ? -ENAMETOOLONG : 0;
}

int syt_place_absolute(char *to, const char *path)
{
	char cwd[SYT_PATH_BYTES];

	if (path[0] == '/')
		return join(to, "", "", path);
	long rv = SYT_SYS_2(SYS_getcwd, cwd, sizeof(cwd));

	if (rv < 0)
		return (int)rv;
	return join(to, cwd, "/", path);
}

/* Ours to write to, and not a link that somebody else put there. */
static bool is_own_directory(const char *path)
{
	struct stat st;

	return SYT_SYS_4(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(st.st_mode) && (long)st.st_uid == SYT_SYS_0(SYS_geteuid);
}

/* Maps DIR/trace if it is there and one of ours; NULL otherwise. */
static struct syt_trace *map_shared(const char *dir)
{
	char path[SYT_PATH_BYTES];
	struct stat st;
	long fd, rv = -1;

	if (join(path, dir, "/", SYT_TRACE_NAME) < 0)
		return NULL;
	fd = SYT_SYS_4(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return NULL;
	if (SYT_SYS_2(SYS_fstat, fd, &st) == 0 && (uint64_t)st.st_size >= sizeof(struct syt_trace))
		rv = SYT_SYS_6(SYS_mmap, 0, sizeof(struct syt_trace), PROT_READ | PROT_WRITE,
		               MAP_SHARED | MAP_NORESERVE, fd, 0);
	SYT_SYS_1(SYS_close, fd);
	if (rv < 0 && rv > -4096)
		return NULL;

	struct syt_trace *t = (struct syt_trace *)rv;

	if (t->magic != SYT_TRACE_MAGIC || t->major != SYT_FORMAT_MAJOR) {
		SYT_SYS_2(SYS_munmap, t, sizeof(*t));
		return NULL;
	}
	return t;
}

void syt_place_share_control(const struct syt_place *place)
{
	char path[SYT_PATH_BYTES];
	long fd;

	if (join(path, place->dir, "/", SYT_TRACE_NAME) < 0)
		return;
	fd = SYT_SYS_4(SYS_openat, AT_FDCWD, path, READ_FLAGS, 0);
	if (fd < 0)
		return;
	syt_control_share((int)fd);
	SYT_SYS_1(SYS_close, fd);
}

/* Puts a new shared file at DIR/trace, unless another process was faster. */
static int create_shared(const char *dir)
{
	char temporary[SYT_PATH_BYTES], path[SYT_PATH_BYTES];
	struct syt_text_buffer b = text_in(temporary, sizeof(temporary));
	/* everything before the per-process part; the rest of the file is zeros */
	struct {
		uint64_t magic;
		uint16_t major, minor;
		uint32_t header_bytes;
		uint8_t trace_id[16], boot_id[16];
		uint64_t real_ns;
	} head = {SYT_TRACE_MAGIC,
	          SYT_FORMAT_MAJOR,
	          SYT_FORMAT_MINOR,
	          sizeof(struct syt_trace),
	          {0},
	          {0},
	          0};
	_Static_assert(sizeof(head) == offsetof(struct syt_trace, nr_processes),
	               "head of the trace");
	struct rlimit limit;
	long fd, rv;

	/* Growing a file beyond this limit would raise SIGXFSZ. */
	if (SYT_SYS_4(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit) == 0 &&
	    limit.rlim_cur < sizeof(struct syt_trace))
		return -EFBIG;
	syt_text_add(&b, dir);
	syt_text_add(&b, "/" SYT_TRACE_NAME ".");
	syt_text_add_number(&b, (uint64_t)SYT_SYS_0(SYS_getpid), 1);
	if (b.is_cut || join(path, dir, "/", SYT_TRACE_NAME) < 0)
		return -ENAMETOOLONG;
	fd = SYT_SYS_4(SYS_openat, AT_FDCWD, temporary,
	               O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return (int)fd;
	SYT_SYS_2(SYS_fchmod, fd, 0600); /* whatever the umask says */
	SYT_SYS_3(SYS_getrandom, head.trace_id, sizeof(head.trace_id), 0);
	memcpy(head.boot_id, syt_image()->boot_id, sizeof(head.boot_id));
	head.real_ns = syt_clock_pair().real_ns;
	rv = SYT_SYS_3(SYS_write, fd, &head, sizeof(head));
	if (rv == (long)sizeof(head))
		rv = SYT_SYS_2(SYS_ftruncate, fd, sizeof(struct syt_trace));
	SYT_SYS_1(SYS_close, fd);
	if (rv >= 0)
		rv = SYT_SYS_5(SYS_linkat, AT_FDCWD, temporary, AT_FDCWD, path, 0);
	SYT_SYS_3(SYS_unlinkat, AT_FDCWD, temporary, 0);
	return rv == -EEXIST ? 0 : (int)rv;
}

/* Does a process of this trace still run? */
static bool is_live(const struct syt_trace *t)
{
	uint32_t n = t->nr_processes;

	if (memcmp(syt_image()->boot_id, t->boot_id, 16))
		return false;
	for (uint32_t i = 0; i < n && i < SYT_NR_TRACE_PROCESSES; i++) {
		uint32_t pid = t->pids[i];

		if (pid && SYT_SYS_2(SYS_kill, pid, 0) != -ESRCH)
			return true;
	}
	return false;
}

struct directory_entry {
	uint64_t inode, next;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

/* Removes a finished trace: a directory that holds nothing but our files. */
static void remove_trace(const char *dir)
{
	char entries[2048] __attribute__((aligned(8)));
	long fd = SYT_SYS_4(SYS_openat, AT_FDCWD, dir, READ_FLAGS | O_DIRECTORY, 0);
	long n;

	if (fd < 0)
		return;
	while ((n = SYT_SYS_3(SYS_getdents64, fd, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < n;) {
			struct directory_entry *e = (struct directory_entry *)(entries + at);
			size_t length = strlen(e->name), suffix = sizeof(SYT_DUMP_SUFFIX) - 1;

			if (!strcmp(e->name, SYT_TRACE_NAME) || !strcmp(e->name, SYT_PEERS_NAME) ||
			    (length > suffix &&
			     !strcmp(e->name + length - suffix, SYT_DUMP_SUFFIX)))
				SYT_SYS_3(SYS_unlinkat, fd, e->name, 0);
			at += e->bytes;
		}
	}
	SYT_SYS_1(SYS_close, fd);
	SYT_SYS_3(SYS_unlinkat, AT_FDCWD, dir, AT_REMOVEDIR);
}

/* A finished trace in the way becomes DIR.old. */
static int set_aside(const char *dir)
{
	char old[SYT_PATH_BYTES];
	int rv = join(old, dir, "", ".old");

	if (rv < 0)
		return rv;
	if (is_own_directory(old))
		remove_trace(old);
	return (int)SYT_SYS_4(SYS_renameat, AT_FDCWD, dir, AT_FDCWD, old);
}

/* Joins the trace in DIR; for ANY_STATE also when no process records into it any more. */
static int join_trace(struct syt_place *place, bool any_state)
{
	struct syt_trace *t;

	if (!is_own_directory(place->dir))
		return -ENOTDIR;
	t = map_shared(place->dir);
	if (!t)
		return -ENOENT;
	if (!any_state && t->nr_processes && !is_live(t)) {
		SYT_SYS_2(SYS_munmap, t, sizeof(*t));
		return -ESTALE;
	}
	place->trace = t;
	return 0;
}

/* Ours alone, whatever the umask says. */
static long make_directory(const char *dir)
{
	long rv = SYT_SYS_3(SYS_mkdirat, AT_FDCWD, dir, 0700);

	if (rv == 0)
		SYT_SYS_3(SYS_fchmodat, AT_FDCWD, dir, 0700);
	return rv;
}

static int create_trace(struct syt_place *place)
{
	long rv = make_directory(place->dir);

	if (rv < 0 && rv != -EEXIST)
		return (int)rv;
	rv = join_trace(place, false);
	if (rv == -ESTALE) {
		rv = set_aside(place->dir);
		if (rv < 0)
			return (int)rv;
		rv = make_directory(place->dir);
		if (rv < 0 && rv != -EEXIST)
			return (int)rv;
		rv = -ENOENT;
	}
	if (rv != -ENOENT)
		return (int)rv;
	rv = create_shared(place->dir);
	return rv < 0 ? (int)rv : join_trace(place, true);
}

/* If LINE of a maps file maps a trace's shared file, its directory into DIR. */
static bool is_trace_mapping(const char *line, char *dir)
{
	const char *path = strchr(line, '/');
	size_t n = path ? strlen(path) : 0, name = sizeof("/" SYT_TRACE_NAME) - 1;

	if (n <= name || n >= SYT_PATH_BYTES || strcmp(path + n - name, "/" SYT_TRACE_NAME))
		return false;
	memcpy(dir, path, n - name);
	dir[n - name] = 0;
	return true;
}

/* The directory that the parent process records into: children of libc-internal spawns get no word
 * from us. */
static bool find_parents(char *dir)
{
	char path[32], buffer[SYT_PATH_BYTES];
	struct syt_text_buffer b = text_in(path, sizeof(path));
	size_t have = 0;
	bool is_found = false;
	long fd, n;

	syt_text_add(&b, "/proc/");
	syt_text_add_number(&b, (uint64_t)SYT_SYS_0(SYS_getppid), 1);
	syt_text_add(&b, "/maps");
	fd = SYT_SYS_4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	while (!is_found &&
	       (n = SYT_SYS_3(SYS_read, fd, buffer + have, sizeof(buffer) - 1 - have)) > 0) {
		char *line = buffer, *end;

		have += (size_t)n;
		buffer[have] = 0;
		while (!is_found && (end = strchr(line, '\n'))) {
			*end = 0;
			is_found = is_trace_mapping(line, dir);
			line = end + 1;
		}
		have -= (size_t)(line - buffer);
		if (have == sizeof(buffer) - 1)
			have = 0; /* a line longer than any path of ours */
		memmove(buffer, line, have);
	}
	SYT_SYS_1(SYS_close, fd);
	return is_found;
}

int syt_place_open(struct syt_place *place, const struct syt_env *env)
{
	int rv;

	place->trace = NULL;
	if (env->session) {
		rv = syt_place_absolute(place->dir, env->session);
		if (rv < 0)
			return rv;
		rv = join_trace(place, true);
		return rv == -ENOENT ? create_trace(place) : rv;
	}
	if (find_parents(place->dir) && join_trace(place, true) == 0)
		return 0;
	rv = syt_place_absolute(place->dir, env->dir ? env->dir : SYT_DIR_DEFAULT);
	return rv < 0 ? rv : create_trace(place);
}

uint32_t syt_place_register(struct syt_place *place, uint32_t pid)
{
	uint32_t index = __atomic_fetch_add(&place->trace->nr_processes, 1, __ATOMIC_RELAXED);

	if (index < SYT_NR_TRACE_PROCESSES)
		__atomic_store_n(&place->trace->pids[index], pid, __ATOMIC_RELAXED);
	return index;
}

void syt_place_unregister(struct syt_place *place, uint32_t index)
{
	if (place->trace && index < SYT_NR_TRACE_PROCESSES)
		__atomic_store_n(&place->trace->pids[index], 0, __ATOMIC_RELAXED);
}

int syt_place_dump_path(const struct syt_place *place, uint32_t index, uint32_t pid, char *path)
{
	struct syt_text_buffer b = text_in(path, SYT_PATH_BYTES);

	syt_text_add(&b, place->dir);
	syt_text_add(&b, "/");
	syt_text_add_number(&b, index, 4);
	syt_text_add(&b, ".");
	syt_text_add_number(&b, pid, 1);
	syt_text_add(&b, SYT_DUMP_SUFFIX);
	return b.is_cut ? -ENAMETOOLONG : 0;
}
