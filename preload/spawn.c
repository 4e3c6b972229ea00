/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* posix_spawn, in both versions (the older runs a file of unknown format through the shell). */
#include <alloca.h>
#include <string.h>

#include "preload/env.h"
#include "preload/room.h"
#include "preload/wrap.h"
#include "runtime/confine.h"

#define PATH_BYTES 1024u /* longer ones are not looked at before */

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

static enum syt_target target_of(const struct spawn *s)
{
	char path[PATH_BYTES];
	const char *name = s->name;
	enum syt_target target;

	if (syt_confine_is_narrow()) {
		syt_target_note(SYT_TARGET_CONFINED, name);
		return SYT_TARGET_CONFINED;
	}
	if (s->is_searched && !strchr(name, '/')) {
		if (!syt_target_search(path, sizeof(path), name))
			return SYT_TARGET_TRACEABLE;
		name = path;
	}
	target = syt_target_of_apart(name);
	syt_target_note(target, name);
	return target;
}

static int spawn_recorded(struct syt_frame *f, const struct spawn *s)
{
	struct syt_event e = {.call = s->call};
	enum syt_target target = target_of(s);
	size_t bytes = syt_env_room(s->envp, target);
	struct syt_room room = {0};
	char *const *envp = s->envp;
	pid_t unwanted, *pid = s->pid ? s->pid : &unwanted;

	if (bytes) {
		void *p =
			bytes <= SYT_ROOM_STACK_BYTES ? alloca(bytes) : syt_room_map(&room, bytes);

		if (p)
			envp = syt_env_make(p, s->envp, target);
	}
	syt_capture(f);
	syt_stamp_in(f);
	int rv = s->real(pid, s->name, s->actions, s->attributes, s->argv, envp);
	syt_stamp_out(f);
	syt_room_unmap(&room);
	if (rv == 0)
		e.pid = (uint64_t)*pid;
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
		struct syt_frame f;                                                                \
                                                                                                   \
		if (!SYT_ENTER(&f))                                                                \
			return SYT_REAL(real_)(pid, name, actions, attributes, argv, envp);        \
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

SYT_EXPORT int posix_spawn SPAWN(posix_spawn, posix_spawn, false)

	SYT_EXPORT int posix_spawnp SPAWN(posix_spawnp, posix_spawnp, true)

#if defined(__x86_64__)
		SYT_EXPORT __typeof__(posix_spawn) posix_spawn_old,
	posix_spawnp_old;

int posix_spawn_old SPAWN(posix_spawn, posix_spawn_old, false) SYT_EXPORT_OLD(posix_spawn, V2_2_5);

int posix_spawnp_old SPAWN(posix_spawnp, posix_spawnp_old, true)
	SYT_EXPORT_OLD(posix_spawnp, V2_2_5);
#endif
