/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* posix_spawn, in both versions. The older version runs a file of unknown format with the shell. */
#include <alloca.h>
#include <string.h>

#include "preload/env.h"
#include "preload/exec-memory.h"
#include "preload/wrap.h"
#include "runtime/mark.h"

#define PATH_BYTES 1024u /* maximum length of a path whose file is examined */

typedef int spawn_fn(pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
                     const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]);

struct spawn {
	enum syt_call call;
	bool is_searched;
	spawn_fn *real;
	pid_t *pid;
	const char *name;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
	char *const *argv, *const *envp;
};

/* Finds out whether the recorder can be loaded into the new process image. If NOTE, notes in the dump if it
 * cannot. The function is not inlined, so that its buffer for the path does not occupy the stack while the
 * program starts. */
__attribute__((noinline)) static void find_target(struct syt_new_image *image,
                                                  const struct spawn *s, bool note)
{
	char path[PATH_BYTES];
	const char *name = s->name;

	*image = (struct syt_new_image){.target = SYT_TARGET_TRACEABLE};
	if (s->is_searched && !strchr(name, '/')) {
		if (!syt_target_search(path, sizeof(path), name))
			return;
		name = path;
	}
	syt_target_find_unnoticed(image, name, s->argv);
	if (note)
		syt_target_note(image->target, name);
}

static int spawn_recorded(struct syt_frame *f, const struct spawn *s)
{
	struct syt_event e = {.call = s->call};
	struct syt_new_image image;
	struct syt_exec_memory memory = {0};
	char *const *envp = s->envp;
	pid_t unwanted, *pid = s->pid ? s->pid : &unwanted;
	size_t bytes;

	find_target(&image, s, false);
	/* only libc knows the effect of file actions, so the child must identify its inherited fds at their
	 * first use */
	if (!s->actions || !s->actions->__used)
		syt_env_inherits(&image, SYT_INHERIT_SPAWN);
	bytes = syt_env_bytes(envp, &image);
	if (bytes) {
		void *p = bytes <= SYT_EXEC_MEMORY_STACK_BYTES
		                  ? alloca(bytes)
		                  : syt_exec_memory_map(&memory, bytes);

		if (p)
			envp = syt_env_make(p, s->envp, &image);
	}
	if (syt_mark_may())
		syt_mark_spawn();
	syt_capture(f);
	syt_stamp_in(f);
	int rv = s->real(pid, s->name, s->actions, s->attributes, s->argv, envp);
	syt_stamp_out(f);
	syt_exec_memory_unmap(&memory);
	if (rv == 0) {
		e.pid = (uint64_t)*pid;
		if (image.target != SYT_TARGET_TRACEABLE)
			find_target(&image, s, true);
	}
	e.result = rv;
	syt_leave_in(f, &e);
	return rv;
}

#define SPAWN(name_, real_, is_searched_)                                                          \
	(pid_t *restrict pid, const char *restrict name,                                           \
	 const posix_spawn_file_actions_t *restrict actions,                                       \
	 const posix_spawnattr_t *restrict attributes, char *const argv[restrict],                 \
	 char *const envp[restrict])                                                               \
	{                                                                                          \
		SYT_ENTER_OR_FORWARD(SYT_ENTER, f, real_,                                          \
		                     (pid, name, actions, attributes, argv, envp));                \
		struct spawn s = {.call = SYT_CALL_##name_,                                        \
		                  .is_searched = (is_searched_),                                   \
		                  .real = SYT_REAL(real_),                                         \
		                  .pid = pid,                                                      \
		                  .name = name,                                                    \
		                  .actions = actions,                                              \
		                  .attributes = attributes,                                        \
		                  .argv = argv,                                                    \
		                  .envp = envp};                                                   \
		return spawn_recorded(&f, &s);                                                     \
	}

/* clang-format off */
SYT_EXPORT int posix_spawn SPAWN(posix_spawn, posix_spawn, false)
SYT_EXPORT int posix_spawnp SPAWN(posix_spawnp, posix_spawnp, true)

#if defined(__x86_64__)
SYT_EXPORT __typeof__(posix_spawn) posix_spawn_old, posix_spawnp_old;

int posix_spawn_old SPAWN(posix_spawn, posix_spawn_old, false)
SYT_EXPORT_OLD(posix_spawn, V2_2_5);

int posix_spawnp_old SPAWN(posix_spawnp, posix_spawnp_old, true)
SYT_EXPORT_OLD(posix_spawnp, V2_2_5);
#endif
/* clang-format on */
