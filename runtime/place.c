/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/control.h"
#include "runtime/forked.h"
#include "runtime/old-trace.h"
#include "runtime/own.h"
#include "runtime/sys.h"
#include "runtime/text.h"
#include "runtime/trace-file.h"

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

static int name_shared(struct syt_trace_dir *place)
{
	return join(place->shared, place->dir, "/", SYT_TRACE_NAME);
}

void syt_place_share_control(const struct syt_trace_dir *place)
{
	struct stat st;
	long fd = SYT_SYS_4(SYS_openat, AT_FDCWD, place->shared, READ_FLAGS, 0);

	if (fd < 0)
		return;
	if (SYT_SYS_2(SYS_fstat, fd, &st) == 0 && st.st_dev == place->device &&
	    st.st_ino == place->inode)
		syt_control_share((int)fd);
	SYT_SYS_1(SYS_close, fd);
}

/* Joins the trace in PLACE's directory. With ANY_STATE, joins it even if no process records into it any
 * more. ID is the id that the trace must have, or NULL. Returns 0 or -errno; -ENOENT: the directory has no
 * trace; -ESTALE: the trace is finished, or has another id. */
static int join_trace(struct syt_trace_dir *place, bool any_state, const uint8_t *id)
{
	long dir = syt_own_directory(place->dir), fd;
	struct syt_trace *t = NULL;
	struct stat st;
	int rv = -EINVAL;

	if (dir < 0)
		return dir == -ENOENT ? -ENOTDIR : (int)dir;
	fd = syt_own_file(dir, SYT_TRACE_NAME, O_RDWR, &st);
	SYT_SYS_1(SYS_close, dir);
	if (fd < 0)
		return (int)fd;
	if (!any_state && syt_trace_file_is_finished(fd))
		rv = -ESTALE;
	else
		t = syt_trace_file_map(fd);
	SYT_SYS_1(SYS_close, fd);
	if (!t)
		return rv;
	if (id && memcmp(id, t->trace_id, sizeof(t->trace_id))) {
		SYT_SYS_2(SYS_munmap, t, sizeof(*t));
		return -ESTALE;
	}
	rv = name_shared(place);
	if (rv < 0) {
		SYT_SYS_2(SYS_munmap, t, sizeof(*t));
		return rv;
	}
	place->trace = t;
	place->device = st.st_dev;
	place->inode = st.st_ino;
	return 0;
}

/* Creates a directory with mode 0700 under every umask. */
static long make_directory(const char *dir)
{
	long rv = SYT_SYS_3(SYS_mkdirat, AT_FDCWD, dir, 0700);

	if (rv == 0)
		SYT_SYS_3(SYS_fchmodat, AT_FDCWD, dir, 0700);
	return rv;
}

static int create_shared(const char *path, const struct syt_env *env)
{
	long dir = syt_own_directory(path);
	int rv = dir < 0 ? (int)dir : syt_trace_file_create(dir, env);

	if (dir >= 0)
		SYT_SYS_1(SYS_close, dir);
	return rv;
}

static int create_trace(struct syt_trace_dir *place, const struct syt_env *env)
{
	long rv = make_directory(place->dir);

	if (rv < 0 && rv != -EEXIST)
		return (int)rv;
	rv = join_trace(place, false, NULL);
	if (rv == -ESTALE) {
		rv = syt_old_trace_move(place->dir, &place->old_nr);
		if (rv < 0)
			return (int)rv;
		rv = make_directory(place->dir);
		if (rv < 0 && rv != -EEXIST)
			return (int)rv;
		rv = -ENOENT;
	}
	if (rv != -ENOENT)
		return (int)rv;
	rv = create_shared(place->dir, env);
	return rv < 0 ? (int)rv : join_trace(place, true, NULL);
}

/* Returns whether LINE of a maps file shows a mapping that begins at AT. */
static bool is_at(const char *line, const void *at)
{
	char text[24];
	struct syt_text_buffer b = text_in(text, sizeof(text));

	syt_text_add_hex(&b, (uintptr_t)at, 2 * sizeof(at));
	line += strspn(line, "0"); /* the kernel writes eight digits or more */
	return !strncmp(line, text + strspn(text, "0"), strcspn(line, "-")) &&
	       strlen(text + strspn(text, "0")) == strcspn(line, "-");
}

/* Returns whether LINE of a maps file maps a trace's shared file. Copies the file's directory to DIR. */
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

/* Buffer for the text of /proc/PID/maps, for one thread at a time. The buffer is static because a forked
 * child's stack may be small. */
static char maps_text[SYT_PATH_BYTES];
SYT_FORKED static uint32_t is_maps_busy;

/* Finds the directory of the shared file that the process PROCESS ("self", or a number) maps. If AT is not
 * NULL, the file must be mapped at AT, because a program may map a file of the same name. The kernel
 * reports the current path, also after the directory was renamed. Returns false if the process has no such
 * mapping, or if another thread uses the buffer. */
static bool find_mapped(const char *process, const void *at, char *dir)
{
	char path[32], *buffer = maps_text;
	struct syt_text_buffer b = text_in(path, sizeof(path));
	size_t have = 0, room = sizeof(maps_text) - 1;
	bool is_found = false;
	long fd, n;

	syt_text_add(&b, "/proc/");
	syt_text_add(&b, process);
	syt_text_add(&b, "/maps");
	if (__atomic_exchange_n(&is_maps_busy, 1, __ATOMIC_ACQUIRE))
		return false;
	fd = SYT_SYS_4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	while (fd >= 0 && !is_found &&
	       (n = SYT_SYS_3(SYS_read, fd, buffer + have, room - have)) > 0) {
		char *line = buffer, *end;

		have += (size_t)n;
		buffer[have] = 0;
		while (!is_found && (end = strchr(line, '\n'))) {
			*end = 0;
			is_found = (!at || is_at(line, at)) && is_trace_mapping(line, dir);
			line = end + 1;
		}
		have -= (size_t)(line - buffer);
		if (have == room)
			/* this line of the maps file is longer than any path of a trace */
			have = 0;
		memmove(buffer, line, have);
	}
	if (fd >= 0)
		SYT_SYS_1(SYS_close, fd);
	__atomic_store_n(&is_maps_busy, 0, __ATOMIC_RELEASE);
	return is_found;
}

/* Finds the directory of the trace that the parent process records into, because a spawn inside libc may
 * pass on no environment. */
static bool find_parents(char *dir)
{
	char number[16];
	struct syt_text_buffer b = text_in(number, sizeof(number));

	syt_text_add_number(&b, (uint64_t)SYT_SYS_0(SYS_getppid), 1);
	return find_mapped(number, NULL, dir);
}

/* Joins the trace that the launcher, or the process that started this one, names in ENV. */
static int join_session(struct syt_trace_dir *place, const struct syt_env *env)
{
	uint8_t id[16];
	bool has_id = env->id && syt_text_id(env->id, id);
	int rv = syt_place_absolute(place->dir, env->session);

	if (rv < 0)
		return rv;
	rv = join_trace(place, true, has_id ? id : NULL);
	if (rv == -ENOENT && !has_id)
		return create_trace(place, env);
	/* the directory was renamed, and another trace may have its old name now: the parent's mapping
	 * tells the new name */
	if (rv < 0 && has_id && find_parents(place->dir))
		rv = join_trace(place, true, id);
	return rv;
}

int syt_place_open(struct syt_trace_dir *place, const struct syt_env *env)
{
	int rv;

	place->trace = NULL;
	place->old_nr = 0;
	if (env->session)
		return join_session(place, env);
	if (find_parents(place->dir) && join_trace(place, true, NULL) == 0)
		return 0;
	rv = syt_place_absolute(place->dir, env->dir ? env->dir : SYT_DIR_DEFAULT);
	return rv < 0 ? rv : create_trace(place, env);
}

/* Opens PLACE's directory if it holds the trace's shared file. Returns the descriptor or -errno. */
static long open_trace(const struct syt_trace_dir *place)
{
	long dir = SYT_SYS_4(SYS_openat, AT_FDCWD, place->dir, READ_FLAGS | O_DIRECTORY, 0);
	struct stat st;

	if (dir < 0 ||
	    (SYT_SYS_4(SYS_newfstatat, dir, SYT_TRACE_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	     st.st_dev == place->device && st.st_ino == place->inode))
		return dir;
	SYT_SYS_1(SYS_close, dir);
	return -ESTALE;
}

long syt_place_directory(struct syt_trace_dir *place)
{
	long dir = open_trace(place);

	/* at the fork, another thread of the parent may have been searching */
	__atomic_store_n(&is_maps_busy, 0, __ATOMIC_RELAXED);
	if ((dir == -ESTALE || dir == -ENOENT) && find_mapped("self", place->trace, place->dir)) {
		int rv = name_shared(place);

		dir = rv < 0 ? rv : open_trace(place);
	}
	return dir;
}

/* Returns whether the trace's shared file is still in the directory. Opens no descriptor, because other
 * threads of the program could notice it. */
static bool is_there(const struct syt_trace_dir *place)
{
	struct stat st;

	return SYT_SYS_4(SYS_newfstatat, AT_FDCWD, place->shared, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_dev == place->device && st.st_ino == place->inode;
}

bool syt_place_follow(struct syt_trace_dir *place)
{
	return is_there(place) || (find_mapped("self", place->trace, place->dir) &&
	                           name_shared(place) == 0 && is_there(place));
}

int syt_place_register(struct syt_trace_dir *place, uint32_t pid, uint32_t *index)
{
	uint32_t *at;
	long rv;

	*index = __atomic_fetch_add(&place->trace->nr_processes, 1, __ATOMIC_RELAXED);
	if (*index >= SYT_NR_TRACE_PROCESSES)
		return 0;
	at = &place->trace->pids[*index];
	/* On a full disk, an access to the mapped file would raise SIGBUS. Kernels before 5.14 return
	 * -EINVAL. */
	rv = SYT_SYS_3(SYS_madvise, (uintptr_t)at & ~(uintptr_t)(SYT_PAGE_BYTES - 1),
	               SYT_PAGE_BYTES, MADV_POPULATE_WRITE);
	if (rv < 0 && rv != -EINVAL && rv != SYT_SYS_DENIED) {
		*index = UINT32_MAX;
		return -ENOSPC;
	}
	__atomic_store_n(at, pid, __ATOMIC_RELAXED);
	return 0;
}

void syt_place_refuse(struct syt_trace_dir *place, const struct syt_refusal *r)
{
	struct syt_trace *t = place->trace;

	if (__atomic_fetch_add(&t->nr_refused, 1, __ATOMIC_ACQ_REL) == 0)
		t->refusal = *r;
}

void syt_place_unregister(struct syt_trace_dir *place, uint32_t index)
{
	if (place->trace && index < SYT_NR_TRACE_PROCESSES)
		__atomic_store_n(&place->trace->pids[index], 0, __ATOMIC_RELAXED);
}

int syt_place_dump_path(const struct syt_trace_dir *place, uint32_t index, uint32_t pid, char *path,
                        size_t bytes)
{
	struct syt_text_buffer b = text_in(path, bytes);

	syt_text_add(&b, place->dir);
	syt_text_add(&b, "/");
	syt_text_add_number(&b, index, 4);
	syt_text_add(&b, ".");
	syt_text_add_number(&b, pid, 1);
	syt_text_add(&b, SYT_DUMP_SUFFIX);
	return b.is_cut ? -ENAMETOOLONG : 0;
}
