/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads the first bytes of an executable, with raw system calls: exec wrappers must not show in
 * errno. */
#include "preload/target.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/apart.h"
#include "runtime/session.h"
#include "runtime/sys.h" /* no errno, no cancellation, not intercepted */

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#endif
#define OUR_LOADER "ld-linux" /* what the file name of glibc's loader begins with */

#define NR_SCRIPTS 5   /* the kernel follows as many interpreters of interpreters */
#define LINE_BYTES 256 /* of the "#!" line, as the kernel */
#define NR_SEGMENTS 64

static bool is_loader(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, OUR_LOADER, sizeof(OUR_LOADER) - 1);
}

/* Will the kernel set AT_SECURE? */
static bool is_secure(int fd)
{
	struct stat st;
	uint64_t capabilities[4];

	if (SYT_SYS_2(SYS_fstat, fd, &st) < 0)
		return false;
	if ((st.st_mode & S_ISUID) && st.st_uid != (uid_t)SYT_SYS_0(SYS_getuid))
		return true;
	if ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) &&
	    st.st_gid != (gid_t)SYT_SYS_0(SYS_getgid))
		return true;
	return SYT_SYS_0(SYS_getuid) != 0 && SYT_SYS_4(SYS_fgetxattr, fd, "security.capability",
	                                               capabilities, sizeof(capabilities)) > 0;
}

static enum syt_target elf_target(int fd, const char *path, const Elf64_Ehdr *elf)
{
	bool is_dynamic = false;

	if (elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_machine != OUR_MACHINE)
		return SYT_TARGET_CLASS;
	for (unsigned i = 0; i < elf->e_phnum && i < NR_SEGMENTS; i++) {
		Elf64_Phdr segment;
		char loader[LINE_BYTES];

		if (SYT_SYS_4(SYS_pread64, fd, &segment, sizeof(segment),
		              elf->e_phoff + i * sizeof(segment)) != sizeof(segment))
			return SYT_TARGET_TRACEABLE;
		is_dynamic |= segment.p_type == PT_DYNAMIC;
		if (segment.p_type != PT_INTERP)
			continue;
		long n = SYT_SYS_4(SYS_pread64, fd, loader, sizeof(loader) - 1, segment.p_offset);

		if (n <= 0)
			return SYT_TARGET_TRACEABLE;
		loader[n] = 0;
		return is_loader(loader) ? SYT_TARGET_TRACEABLE : SYT_TARGET_LIBC;
	}
	/* the loader itself, run as a program, loads us too */
	return is_dynamic && is_loader(path) ? SYT_TARGET_TRACEABLE : SYT_TARGET_STATIC;
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

enum syt_target syt_target_of(int dirfd, const char *path)
{
	union {
		Elf64_Ehdr elf;
		char line[LINE_BYTES];
	} start;
	enum syt_target target = SYT_TARGET_TRACEABLE;
	char *next = NULL;

	for (int depth = 0; depth < NR_SCRIPTS; depth++) {
		bool is_own = *path;
		long fd = is_own ? SYT_SYS_4(SYS_openat, dirfd, path, O_RDONLY | O_CLOEXEC, 0)
		                 : dirfd;
		long n;

		if (fd < 0)
			return SYT_TARGET_TRACEABLE;
		n = SYT_SYS_4(SYS_pread64, fd, &start, sizeof(start), 0);
		next = NULL;
		if (n > 2 && start.line[0] == '#' && start.line[1] == '!')
			next = interpreter(start.line, (size_t)n);
		else if (n >= (long)sizeof(start.elf) &&
		         !memcmp(start.elf.e_ident, ELFMAG, SELFMAG))
			target = is_secure((int)fd) ? SYT_TARGET_SECURE
			                            : elf_target((int)fd, path, &start.elf);
		if (is_own)
			SYT_SYS_1(SYS_close, fd);
		if (!next)
			return target;
		dirfd = AT_FDCWD;
		path = next;
	}
	return target;
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
	};

	if (target != SYT_TARGET_TRACEABLE)
		syt_session_blind(blind[target], path);
}

/* ---- from a process of its own ---- */

#define NR_KNOWN 64u
#define TARGET_BITS 3

/* What was found of files by (device, inode, time of change): hash << TARGET_BITS | target. */
static uint64_t known[NR_KNOWN];

struct question {
	const char *path;
	enum syt_target target;
};

static void answer(void *arg)
{
	struct question *q = arg;

	q->target = syt_target_of(AT_FDCWD, q->path);
}

/* The other process shares this memory but not the descriptors. Signals wait: it would run
 * handlers. */
static enum syt_target ask(const char *path)
{
	struct question q = {.path = path, .target = SYT_TARGET_TRACEABLE};
	uint64_t all = UINT64_MAX, before;
	long pid;

	SYT_SYS_4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all));
	pid = syt_apart(answer, &q);
	if (pid > 0)
		SYT_SYS_4(SYS_wait4, pid, NULL, __WALL, NULL);
	SYT_SYS_4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(all));
	return q.target;
}

enum syt_target syt_target_of_apart(const char *path)
{
	struct stat st;
	uint64_t key, *entry, found;

	if (SYT_SYS_4(SYS_newfstatat, AT_FDCWD, path, &st, 0) < 0)
		return SYT_TARGET_TRACEABLE;
	key = st.st_dev ^ st.st_ino * UINT64_C(0x9e3779b97f4a7c15);
	key ^= (uint64_t)st.st_ctim.tv_sec << 30 ^ (uint64_t)st.st_ctim.tv_nsec;
	key = key * UINT64_C(0xc2b2ae3d27d4eb4f) | 1;
	entry = &known[key >> 58];
	found = __atomic_load_n(entry, __ATOMIC_RELAXED);
	if (found && found >> TARGET_BITS == key >> TARGET_BITS)
		return (enum syt_target)(found & ((1u << TARGET_BITS) - 1));
	enum syt_target target = ask(path);

	__atomic_store_n(entry, (key >> TARGET_BITS) << TARGET_BITS | target, __ATOMIC_RELAXED);
	return target;
}
