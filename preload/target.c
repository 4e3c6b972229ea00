/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Examines the file of a new image by raw system calls, because the wrappers of exec must keep errno. */
#include "preload/target.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/fd-table.h"
#include "preload/child-run.h"
#include "preload/target-elf.h"
#include "runtime/confine.h"
#include "runtime/session.h"
#include "runtime/sys.h" /* system calls without errno, cancellation and wrappers */

#define NR_SCRIPTS 5   /* maximum number of nested "#!" interpreters, as in the kernel */
#define LINE_BYTES 256 /* maximum of the "#!" line, as in the kernel */

/* Returns true if the kernel ignores the set-user-id bits and capabilities of the file. */
static bool is_harmless(int fd)
{
	struct statfs fs;

	return SYT_SYS_5(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
	       (SYT_SYS_2(SYS_fstatfs, fd, &fs) == 0 && fs.f_flags & ST_NOSUID);
}

/* Returns true if the kernel will set AT_SECURE because of this file. ST is its status. */
static bool is_secure(int fd, const struct stat *st)
{
	uint64_t capabilities[4];
	bool gives;

	gives = ((st->st_mode & S_ISUID) && st->st_uid != (uid_t)SYT_SYS_0(SYS_getuid)) ||
	        ((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
	         st->st_gid != (gid_t)SYT_SYS_0(SYS_getgid)) ||
	        (SYT_SYS_0(SYS_getuid) != 0 && SYT_SYS_4(SYS_fgetxattr, fd, "security.capability",
	                                                 capabilities, sizeof(capabilities)) > 0);
	return gives && !is_harmless(fd);
}

/* Returns true if the kernel will set AT_SECURE because of this process. */
static bool is_mixed(void)
{
	return SYT_SYS_0(SYS_getuid) != SYT_SYS_0(SYS_geteuid) ||
	       SYT_SYS_0(SYS_getgid) != SYT_SYS_0(SYS_getegid);
}

/* Returns true if ARGV, the arguments of glibc's loader, begins with options that make the loader only list
 * or check libraries. */
static bool is_listing(char *const *argv)
{
	static const char *const options[] = {"--list", "--verify", "--help", "--version"};

	for (int i = 1; argv && argv[0] && argv[i] && argv[i][0] == '-'; i++)
		for (size_t n = 0; n < sizeof(options) / sizeof(*options); n++)
			if (!strncmp(argv[i], options[n], strlen(options[n])))
				return true;
	return false;
}

/* Returns true if the process can access PATH after an exec. An exec removes the capabilities of a process
 * whose user is not root; access() ignores these capabilities, too. */
static bool can(const char *path, int how)
{
	return SYT_SYS_3(SYS_faccessat, AT_FDCWD, path, how) == 0;
}

/* Returns the interpreter in a "#!" line of BYTES, cut out in place, or NULL if there is none. */
static char *interpreter(char *line, size_t bytes)
{
	char *name = line + 2, *end;

	line[bytes < LINE_BYTES ? bytes : LINE_BYTES - 1] = 0;
	name += strspn(name, " \t");
	end = name + strcspn(name, " \t\n");
	*end = 0;
	return *name ? name : NULL;
}

/* Opens a regular file. Opening a FIFO could wait, and opening a device could have any effect. */
static long open_file(int dirfd, const char *path, struct stat *st)
{
	if (SYT_SYS_4(SYS_newfstatat, dirfd, path, st, 0) < 0 || !S_ISREG(st->st_mode))
		return -1;
	return SYT_SYS_4(SYS_openat, dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
}

/* Examines the file PATH. The result depends only on the file and on the privileges of the process. */
static void look(struct syt_new_image *image, int dirfd, const char *path)
{
	struct syt_target_file file;
	struct stat st;
	char *next = NULL;

	*image = (struct syt_new_image){.target = SYT_TARGET_TRACEABLE};
	for (int depth = 0; depth < NR_SCRIPTS; depth++) {
		bool is_own = *path;
		long fd = is_own                                  ? open_file(dirfd, path, &st)
		          : SYT_SYS_2(SYS_fstat, dirfd, &st) == 0 ? dirfd
		                                                  : -1;
		long n;

		if (fd < 0)
			return;
		n = SYT_SYS_4(SYS_pread64, fd, &file.start, sizeof(file.start), 0);
		file.fd = (int)fd;
		file.nr_bytes = n > 0 ? (unsigned)n : 0;
		next = NULL;
		if (n > 2 && file.start.line[0] == '#' && file.start.line[1] == '!')
			next = interpreter(file.start.line, (size_t)n);
		else if (n >= (long)sizeof(file.start.elf) &&
		         !memcmp(file.start.elf.e_ident, ELFMAG, SELFMAG)) {
			if (is_secure((int)fd, &st))
				image->target = SYT_TARGET_SECURE;
			else
				syt_target_elf(image, &file, path);
		}
		if (is_own)
			SYT_SYS_1(SYS_close, fd);
		if (!next)
			return;
		dirfd = AT_FDCWD;
		path = next;
	}
}

/* Adapts the result of look() to the present state of this process and to the arguments. */
static void decide(struct syt_new_image *image, int dirfd, const char *path, char *const *argv)
{
	enum syt_target *t = &image->target;

	if (!*syt_session_dir())
		return;
	if (*t == SYT_TARGET_LISTING && !is_listing(argv))
		*t = SYT_TARGET_TRACEABLE;
	if (*t == SYT_TARGET_TRACEABLE && is_mixed())
		*t = SYT_TARGET_SECURE;
	if (*t == SYT_TARGET_TRACEABLE &&
	    (!can(syt_session_library(), R_OK) || !syt_session_follow() ||
	     !can(syt_session_dir(), W_OK | X_OK)))
		*t = SYT_TARGET_PLACE;
	/* the recorder misses nothing if the file cannot be executed */
	if (*t != SYT_TARGET_TRACEABLE && *path && SYT_SYS_3(SYS_faccessat, dirfd, path, X_OK) != 0)
		*t = SYT_TARGET_LISTING;
}

/* Returns true if a seccomp filter would stop the recorder in the new image, or would stop the examination
 * of the file. */
static bool is_confined(struct syt_new_image *image)
{
	*image = (struct syt_new_image){.target = SYT_TARGET_CONFINED};
	return syt_confine_is_narrow();
}

/* Blocks all signals, because a signal handler could see the temporary fd, or run in the child process. */
static void block_signals(uint64_t *before)
{
	const uint64_t all = UINT64_MAX;

	SYT_SYS_4(SYS_rt_sigprocmask, SIG_SETMASK, &all, before, sizeof(all));
}

static void restore_signals(const uint64_t *before)
{
	SYT_SYS_4(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, sizeof(*before));
}

void syt_target_find(struct syt_new_image *image, int dirfd, const char *path, char *const *argv)
{
	uint64_t before;

	if (is_confined(image))
		return;
	block_signals(&before);
	look(image, dirfd, path);
	restore_signals(&before);
	decide(image, dirfd, path, argv);
}

bool syt_target_search(char *path, unsigned bytes, const char *name)
{
	const char *list = "/bin:/usr/bin"; /* libc's default without PATH */
	size_t name_bytes = strlen(name) + 1;

	for (char **e = environ; e && *e; e++) {
		if (!strncmp(*e, "PATH=", 5)) {
			list = *e + 5;
			break;
		}
	}
	for (;; list++) {
		size_t n = strcspn(list, ":");

		if (n + 1 + name_bytes <= bytes) {
			memcpy(path, list, n);
			path[n] = '/';
			/* an empty entry of PATH means "." */
			memcpy(path + n + (n > 0), name, name_bytes);
			if (SYT_SYS_3(SYS_faccessat, AT_FDCWD, path, X_OK) == 0)
				return true;
		}
		list += n;
		if (!*list)
			return false;
	}
}

void syt_target_note(enum syt_target target, const char *path)
{
	static const enum syt_blind blind[] = {
		[SYT_TARGET_STATIC] = SYT_BLIND_EXEC_STATIC,
		[SYT_TARGET_SECURE] = SYT_BLIND_EXEC_SECURE,
		[SYT_TARGET_CLASS] = SYT_BLIND_EXEC_CLASS,
		[SYT_TARGET_LIBC] = SYT_BLIND_EXEC_LIBC,
		[SYT_TARGET_CONFINED] = SYT_BLIND_EXEC_CONFINED,
		[SYT_TARGET_32BIT] = SYT_BLIND_EXEC_32BIT,
		[SYT_TARGET_MUSL] = SYT_BLIND_EXEC_MUSL,
		[SYT_TARGET_PLACE] = SYT_BLIND_EXEC_PLACE,
	};

	if (target > SYT_TARGET_LISTING)
		syt_session_blind(blind[target], path);
}

/* ---- invisible to tasks that share the descriptors ---- */

#define NR_KNOWN 64u
#define TARGET_BITS 4

/* A cache of examined files. The key is a hash of the file (device, inode, change time) and of the
 * process's user and group. An entry is hash << TARGET_BITS | target. */
static uint64_t known[NR_KNOWN];

static uint64_t mix(uint64_t hash, uint64_t v)
{
	hash = (hash ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Returns the key of the file ST for this process. The user, the group and PR_SET_NO_NEW_PRIVS decide
 * whether the file gives privileges. The key is never 0. */
static uint64_t key_of(const struct stat *st)
{
	uint64_t key = mix(mix(0, st->st_dev), st->st_ino);

	key = mix(mix(key, (uint64_t)st->st_ctim.tv_sec), (uint64_t)st->st_ctim.tv_nsec);
	key = mix(key, (uint64_t)SYT_SYS_0(SYS_getuid) << 32 | (uint32_t)SYT_SYS_0(SYS_getgid));
	return mix(key, (uint64_t)SYT_SYS_5(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)) | 1;
}

struct question {
	const char *path;
	struct syt_new_image *image;
};

static void answer(void *arg)
{
	struct question *q = arg;

	look(q->image, AT_FDCWD, q->path);
}

/* Examines the file in this process if no other task shares the fd table. Otherwise, a child process that
 * shares the memory but not the file descriptors examines the file. */
static void ask(struct syt_new_image *image, const char *path)
{
	struct question q = {.path = path, .image = image};
	uint64_t before;
	long pid;

	block_signals(&before);
	if (syt_fd_table_is_unshared()) {
		look(image, AT_FDCWD, path);
	} else {
		pid = syt_child_run(answer, &q);
		if (pid > 0)
			SYT_SYS_4(SYS_wait4, pid, NULL, __WALL, NULL);
	}
	restore_signals(&before);
}

static void look_unnoticed(struct syt_new_image *image, const char *path)
{
	struct stat st;
	uint64_t key, *entry, found;

	*image = (struct syt_new_image){.target = SYT_TARGET_TRACEABLE};
	if (SYT_SYS_4(SYS_newfstatat, AT_FDCWD, path, &st, 0) < 0)
		return;
	key = key_of(&st);
	entry = &known[key >> 58];
	found = __atomic_load_n(entry, __ATOMIC_RELAXED);
	if (found && found >> TARGET_BITS == key >> TARGET_BITS) {
		image->target = (enum syt_target)(found & ((1u << TARGET_BITS) - 1));
		return;
	}
	ask(image, path);
	/* a result with a sanitizer is rare, and a cache entry has no space for the sanitizer's name */
	if (!*image->sanitizer)
		__atomic_store_n(entry, (key >> TARGET_BITS) << TARGET_BITS | image->target,
		                 __ATOMIC_RELAXED);
}

void syt_target_find_unnoticed(struct syt_new_image *image, const char *path, char *const *argv)
{
	if (is_confined(image))
		return;
	look_unnoticed(image, path);
	decide(image, AT_FDCWD, path, argv);
}
