/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The exec family. Each wrapper calls exec_recorded(), which records the exec first and then adds the
 * recorder's variables to the new environment. If the exec fails, it records the failure. No function allocates
 * memory, because a vfork child calls exec in the memory of its parent. */
#include <alloca.h>
#include <stdarg.h>
#include <string.h>

#include "preload/env.h"
#include "preload/syscall.h"
#include "preload/exec-memory.h"
#include "preload/wrap.h"
#include "runtime/mark.h"
#include "runtime/session.h"
#include "runtime/sys.h" /* tests whether a path can be read */

#define PATH_BYTES 1024u /* maximum length of a path whose file is examined before the exec */

enum how { EXEC_PATH, EXEC_SEARCH, EXEC_AT, EXEC_FD };

struct exec {
	enum how how;
	enum syt_call call;
	int fd; /* fd of the directory for EXEC_AT, fd of the file for EXEC_FD */
	int flags;
	const char *path;
	char *const *argv, *const *envp;
	/* the arguments of syscall() if the program used it, or NULL */
	const struct syt_syscall *syscall;
};

static void find_target(struct syt_new_image *image, const struct exec *x)
{
	char path[PATH_BYTES];
	int dirfd = x->how == EXEC_AT || x->how == EXEC_FD ? x->fd : AT_FDCWD;
	const char *name = x->path;

	*image = (struct syt_new_image){.target = SYT_TARGET_TRACEABLE};
	if (x->how == EXEC_SEARCH && !strchr(name, '/')) {
		if (!syt_target_search(path, sizeof(path), name))
			return;
		name = path;
	}
	/* faccessat returns -EFAULT for an invalid pointer */
	if (SYT_SYS_3(SYS_faccessat, AT_FDCWD, name, F_OK) == -EFAULT ||
	    (dirfd == AT_FDCWD && !*name))
		return;
	syt_target_find(image, dirfd, name, x->argv);
	syt_target_note(image->target, *name ? name : x->argv && *x->argv ? *x->argv : "");
}

static int exec_real(const struct exec *x, char *const *envp)
{
	if (x->syscall) {
		struct syt_syscall r = *x->syscall;

		r.a[x->how == EXEC_AT ? 3 : 2] = (long)envp;
		return (int)syt_syscall_forward(&r);
	}
	switch (x->how) {
	case EXEC_SEARCH:
		return SYT_REAL(execvpe)(x->path, x->argv, envp);
	case EXEC_AT:
		return SYT_REAL(execveat)(x->fd, x->path, x->argv, envp, x->flags);
	case EXEC_FD:
		return SYT_REAL(fexecve)(x->fd, x->argv, envp);
	case EXEC_PATH:
	default:
		return SYT_REAL(execve)(x->path, x->argv, envp);
	}
}

/* Records that the exec failed and the process image continues. */
static void exec_failed(struct syt_frame *f, uint64_t stack)
{
	struct syt_event e = {.call = SYT_CALL_exec_failed};

	syt_session_resume();
	f->stack = (uint32_t)stack;
	syt_result(&e, -1);
	syt_leave_out(f, &e);
}

static int exec_recorded(struct syt_frame *f, const struct exec *x)
{
	struct syt_event e = {.call = x->call};
	struct syt_new_image image;
	struct syt_exec_memory memory = {0};
	char *const *envp = x->envp;
	size_t bytes;

	find_target(&image, x);
	syt_env_inherits(&image, SYT_INHERIT_EXEC);
	bytes = syt_env_bytes(envp, &image);
	syt_capture(f);
	syt_stamp_in(f);
	e.pid = syt_exec_pid();
	if (syt_mark_may())
		syt_mark_process((uint32_t)e.pid);
	syt_leave_in(f, &e);
	if (bytes) {
		void *p = bytes <= SYT_EXEC_MEMORY_STACK_BYTES
		                  ? alloca(bytes)
		                  : syt_exec_memory_map(&memory, bytes);

		if (p)
			envp = syt_env_make(p, x->envp, &image);
	}
	syt_session_end(SYT_STATE_EXECED, 0);
	int rv = exec_real(x, envp);
	exec_failed(f, f->stack);
	syt_exec_memory_unmap(&memory);
	return rv;
}

/* Defines the body of a wrapper. REAL is the call of libc's function that is made if the exec is not
 * recorded. */
#define EXEC(name_, real_, ...)                                                                    \
	struct syt_frame f;                                                                        \
                                                                                                   \
	if (!SYT_ENTER(&f))                                                                        \
		return real_;                                                                      \
	struct exec x = {.call = SYT_CALL_##name_, __VA_ARGS__};                                   \
	return exec_recorded(&f, &x)

SYT_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	EXEC(execve, SYT_REAL(execve)(path, argv, envp), .how = EXEC_PATH, .path = path,
	     .argv = argv, .envp = envp);
}

SYT_EXPORT int execv(const char *path, char *const argv[])
{
	EXEC(execv, SYT_REAL(execv)(path, argv), .how = EXEC_PATH, .path = path, .argv = argv,
	     .envp = environ);
}

SYT_EXPORT int execvp(const char *name, char *const argv[])
{
	EXEC(execvp, SYT_REAL(execvp)(name, argv), .how = EXEC_SEARCH, .path = name, .argv = argv,
	     .envp = environ);
}

SYT_EXPORT int execvpe(const char *name, char *const argv[], char *const envp[])
{
	EXEC(execvpe, SYT_REAL(execvpe)(name, argv, envp), .how = EXEC_SEARCH, .path = name,
	     .argv = argv, .envp = envp);
}

SYT_EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
	EXEC(execveat, SYT_REAL(execveat)(fd, path, argv, envp, flags), .how = EXEC_AT, .fd = fd,
	     .path = path, .argv = argv, .envp = envp, .flags = flags);
}

SYT_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	EXEC(fexecve, SYT_REAL(fexecve)(fd, argv, envp), .how = EXEC_FD, .fd = fd, .path = "",
	     .argv = argv, .envp = envp);
}

/* The variadic functions copy their arguments to an array on the stack, as libc does. FIRST is the first
 * argument of the new image. Afterwards, the va_list `list` is behind the final NULL. */
#define COLLECT(first_)                                                                            \
	va_list list;                                                                              \
	size_t nr = 1;                                                                             \
                                                                                                   \
	va_start(list, first_);                                                                    \
	while (va_arg(list, char *))                                                               \
		nr++;                                                                              \
	va_end(list);                                                                              \
	char **argv = alloca((nr + 1) * sizeof(*argv));                                            \
	argv[0] = (char *)(first_);                                                                \
	va_start(list, first_);                                                                    \
	for (size_t i = 1; i <= nr; i++)                                                           \
	argv[i] = va_arg(list, char *)

SYT_EXPORT int execl(const char *path, const char *first, ...)
{
	COLLECT(first);
	va_end(list);
	EXEC(execl, SYT_REAL(execv)(path, argv), .how = EXEC_PATH, .path = path, .argv = argv,
	     .envp = environ);
}

SYT_EXPORT int execlp(const char *name, const char *first, ...)
{
	COLLECT(first);
	va_end(list);
	EXEC(execlp, SYT_REAL(execvp)(name, argv), .how = EXEC_SEARCH, .path = name, .argv = argv,
	     .envp = environ);
}

SYT_EXPORT int execle(const char *path, const char *first, ...)
{
	COLLECT(first);
	char *const *envp = va_arg(list, char *const *);
	va_end(list);
	EXEC(execle, SYT_REAL(execve)(path, argv, envp), .how = EXEC_PATH, .path = path,
	     .argv = argv, .envp = envp);
}

/* ---- through syscall() ---- */

static long exec_syscall(const struct syt_syscall *r, struct exec x)
{
	struct syt_frame f;

	if (!x.path || !syt_enter(&f, r->fp))
		return syt_syscall_forward(r);
	x.syscall = r;
	return exec_recorded(&f, &x);
}

long syt_syscall_execve(const struct syt_syscall *r)
{
	return exec_syscall(r, (struct exec){.call = SYT_CALL_execve,
	                                     .how = EXEC_PATH,
	                                     .path = (const char *)r->a[0],
	                                     .argv = (char *const *)r->a[1],
	                                     .envp = (char *const *)r->a[2]});
}

long syt_syscall_execveat(const struct syt_syscall *r)
{
	return exec_syscall(r, (struct exec){.call = SYT_CALL_execveat,
	                                     .how = EXEC_AT,
	                                     .fd = (int)r->a[0],
	                                     .path = (const char *)r->a[1],
	                                     .argv = (char *const *)r->a[2],
	                                     .envp = (char *const *)r->a[3],
	                                     .flags = (int)r->a[4]});
}
