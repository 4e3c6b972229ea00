/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* With raw system calls only: exec wrappers must not show in errno. */
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

#include "preload/apart.h"
#include "preload/target-elf.h"
#include "runtime/confine.h"
#include "runtime/session.h"
#include "runtime/sys.h" /* no errno, no cancellation, not intercepted */

#define NR_SCRIPTS 5   /* the kernel follows as many interpreters of interpreters */
#define LINE_BYTES 256 /* of the "#!" line, as the kernel */

/* Are the file's privileges ignored? */
static bool is_harmless(int fd)
{
	struct statfs fs;

	return SYT_SYS_5(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
	       (SYT_SYS_2(SYS_fstatfs, fd, &fs) == 0 && fs.f_flags & ST_NOSUID);
}

/* Will the kernel set AT_SECURE because of this file? */
static bool is_secure(int fd)
{
	struct stat st;
	uint64_t capabilities[4];
	bool gives;

	if (SYT_SYS_2(SYS_fstat, fd, &st) < 0)
		return false;
	gives = ((st.st_mode & S_ISUID) && st.st_uid != (uid_t)SYT_SYS_0(SYS_getuid)) ||
	        ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
	         st.st_gid != (gid_t)SYT_SYS_0(SYS_getgid)) ||
	        (SYT_SYS_0(SYS_getuid) != 0 && SYT_SYS_4(SYS_fgetxattr, fd, "security.capability",
	                                                 capabilities, sizeof(capabilities)) > 0);
	return gives && !is_harmless(fd);
}

/* Or because of this process? */
static bool is_mixed(void)
{
	return SYT_SYS_0(SYS_getuid) != SYT_SYS_0(SYS_geteuid) ||
	       SYT_SYS_0(SYS_getgid) != SYT_SYS_0(SYS_getegid);
}

/* Does the loader, run as a program, only look? Its options come first. */
static bool is_listing(char *const *argv)
{
	static const char *const options[] = {"--list", "--verify", "--help", "--version"};

	for (int i = 1; argv && argv[0] && argv[i] && argv[i][0] == '-'; i++)
		for (size_t n = 0; n < sizeof(options) / sizeof(*options); n++)
			if (!strncmp(argv[i], options[n], strlen(options[n])))
				return true;
	return false;
}

/* After an exec, which leaves a process that is not root's without the capabilities that it may have
 * now: access() asks in the same way. */
static bool can(const char *path, int how)
{
	return SYT_SYS_3(SYS_faccessat, AT_FDCWD, path, how) == 0;
}

/* The interpreter in a "#!" line of BYTES, in place; NULL when it names none. */
static char *interpreter(char *line, size_t bytes)
{
	char *name = line + 2, *end;

	line[bytes < LINE_BYTES ? bytes : LINE_BYTES - 1] = 0;
	name += strspn(name, " \t");
	end = name + strcspn(name, " \t\n");
	*end = 0;
	return *name ? name : NULL;
}

/* What the file says: the same for every process that could run it, but for its privileges. */
static void look(struct syt_new_image *image, int dirfd, const char *path)
{
	union {
		Elf64_Ehdr elf;
		char line[LINE_BYTES];
	} start;
	char *next = NULL;

	*image = (struct syt_new_image){.target = SYT_TARGET_TRACEABLE};
	for (int depth = 0; depth < NR_SCRIPTS; depth++) {
		bool is_own = *path;
		long fd = is_own ? SYT_SYS_4(SYS_openat, dirfd, path, O_RDONLY | O_CLOEXEC, 0)
		                 : dirfd;
		long n;

		if (fd < 0)
			return;
		n = SYT_SYS_4(SYS_pread64, fd, &start, sizeof(start), 0);
		next = NULL;
		if (n > 2 && start.line[0] == '#' && start.line[1] == '!')
			next = interpreter(start.line, (size_t)n);
		else if (n >= (long)sizeof(start.elf) &&
		         !memcmp(start.elf.e_ident, ELFMAG, SELFMAG)) {
			if (is_secure((int)fd))
				image->target = SYT_TARGET_SECURE;
			else
				syt_target_elf(image, (int)fd, path, &start.elf);
		}
		if (is_own)
			SYT_SYS_1(SYS_close, fd);
		if (!next)
			return;
		dirfd = AT_FDCWD;
		path = next;
	}
}

/* What this process, as it is now, and the arguments make of it. */
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
	    (!can(syt_session_library(), R_OK) || !can(syt_session_dir(), W_OK | X_OK)))
		*t = SYT_TARGET_PLACE;
	/* what will not run at all is no blind spot */
	if (*t != SYT_TARGET_TRACEABLE && *path && SYT_SYS_3(SYS_faccessat, dirfd, path, X_OK) != 0)
		*t = SYT_TARGET_LISTING;
}

/* Nor could we look. */
static bool is_confined(struct syt_new_image *image)
{
	*image = (struct syt_new_image){.target = SYT_TARGET_CONFINED};
	return syt_confine_is_narrow();
}

void syt_target_find(struct syt_new_image *image, int dirfd, const char *path, char *const *argv)
{
	if (is_confined(image))
		return;
	look(image, dirfd, path);
	decide(image, dirfd, path, argv);
}

bool syt_target_search(char *path, unsigned bytes, const char *name)
{
	const char *list = "/bin:/usr/bin"; /* what libc takes without PATH */
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
			memcpy(path + n + (n > 0), name, name_bytes); /* an empty entry is "." */
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

/* ---- from a process of its own ---- */

#define NR_KNOWN 64u
#define TARGET_BITS 4

/* What was found of files by (device, inode, time of change): hash << TARGET_BITS | target. */
static uint64_t known[NR_KNOWN];

struct question {
	const char *path;
	struct syt_new_image *image;
};

static void answer(void *arg)
{
	struct question *q = arg;

	look(q->image, AT_FDCWD, q->path);
}

/* The other process shares this memory but not the descriptors. Signals wait: it would run
 * handlers. */
static void ask(struct syt_new_image *image, const char *path)
{
	struct question q = {.path = path, .image = image};
	uint64_t all = UINT64_MAX, before;
	long pid;

	SYT_SYS_4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all));
	pid = syt_apart(answer, &q);
	if (pid > 0)
		SYT_SYS_4(SYS_wait4, pid, NULL, __WALL, NULL);
	SYT_SYS_4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(all));
}

static void look_apart(struct syt_new_image *image, const char *path)
{
	struct stat st;
	uint64_t key, *entry, found;

	*image = (struct syt_new_image){.target = SYT_TARGET_TRACEABLE};
	if (SYT_SYS_4(SYS_newfstatat, AT_FDCWD, path, &st, 0) < 0)
		return;
	key = st.st_dev ^ st.st_ino * UINT64_C(0x9e3779b97f4a7c15);
	key ^= (uint64_t)st.st_ctim.tv_sec << 30 ^ (uint64_t)st.st_ctim.tv_nsec;
	key = key * UINT64_C(0xc2b2ae3d27d4eb4f) | 1;
	entry = &known[key >> 58];
	found = __atomic_load_n(entry, __ATOMIC_RELAXED);
	if (found && found >> TARGET_BITS == key >> TARGET_BITS) {
		image->target = (enum syt_target)(found & ((1u << TARGET_BITS) - 1));
		return;
	}
	ask(image, path);
	if (!*image->sanitizer) /* rare, and there is no room to remember a name */
		__atomic_store_n(entry, (key >> TARGET_BITS) << TARGET_BITS | image->target,
		                 __ATOMIC_RELAXED);
}

void syt_target_find_apart(struct syt_new_image *image, const char *path, char *const *argv)
{
	if (is_confined(image))
		return;
	look_apart(image, path);
	decide(image, AT_FDCWD, path, argv);
}
