/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * `environ` while libc starts a shell by itself (system, popen, wordexp): a copy of the program's
 * array with the recorder's entries behind.  libc gives no other way: it passes what `environ`
 * points to.
 *
 * What the program does to its environment meanwhile, in other threads, it does to the copy; that
 * is carried over afterwards.  setenv() of a new variable makes an array of libc's own out of the
 * copy, the recorder's entries with it: these get a name that nobody uses, and libc's unsetenv()
 * removes them, under libc's lock.  (To change the environment in one thread while another one
 * reads it is undefined anyway; this keeps what programs get away with.)
 *
 * The copy's memory is never given back: a pointer into it may be kept by anybody.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/env.h"
#include "runtime/forked.h"
#include "runtime/sys.h" /* memory and a wait that are not intercepted */

#define NR_TRIES 1000u  /* for the lock: its holder needs a microsecond, unless it is below us */
#define GONE "syt-gone" /* shorter than any of ours with its value */

SYT_FORKED static struct {
	uint32_t lock;
	uint32_t nr_calls; /* that are inside of libc now */
	char **original;   /* what `environ` was */
	char **array;      /* what it is */
	char *memory;      /* of ROOM_BYTES; ours are the strings in it */
	size_t memory_bytes;
	int (*unsetenv)(const char *name);
} copy;

static bool lock(void)
{
	for (unsigned i = 0; i < NR_TRIES; i++) {
		if (!__atomic_exchange_n(&copy.lock, 1, __ATOMIC_ACQUIRE))
			return true;
		SYT_SYS_0(SYS_sched_yield);
	}
	return false; /* a handler that interrupted the holder */
}

static void unlock(void)
{
	__atomic_store_n(&copy.lock, 0, __ATOMIC_RELEASE);
}

bool syt_environ_is_added(const char *entry)
{
	return (uintptr_t)entry - (uintptr_t)copy.memory < copy.memory_bytes;
}

static bool make_memory(size_t bytes)
{
	long rv;

	if (bytes <= copy.memory_bytes)
		return true;
	bytes = (bytes * 2 + 4095) & ~(size_t)4095;
	rv = SYT_SYS_6(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	               -1, 0);
	if (rv < 0)
		return false;
	copy.memory = (char *)rv;
	copy.memory_bytes = bytes;
	return true;
}

static bool begin(const struct syt_new_image *image)
{
	char **program = environ;
	size_t bytes = syt_env_room(program, image);

	if (!bytes || !make_memory(bytes))
		return false;
	copy.original = program;
	copy.array = syt_env_make(copy.memory, program, image);
	__atomic_store_n(&environ, copy.array, __ATOMIC_RELEASE);
	return true;
}

/* Takes ours out of an array that is not our copy. */
static void take_out(char **array, bool is_alone)
{
	char **to = array;
	bool has_ours = false;

	for (char **from = array; from && *from; from++) {
		if (syt_environ_is_added(*from)) {
			has_ours = true;
			memcpy(*from, GONE "=", sizeof(GONE));
			if (is_alone)
				continue;
		}
		if (is_alone)
			*to++ = *from;
	}
	if (has_ours && is_alone)
		*to = NULL;
	else if (has_ours && copy.unsetenv)
		copy.unsetenv(GONE);
}

/* IS_ALONE: no other thread is there, and libc's lock may be held by one that is not. */
static void end(bool is_alone)
{
	char **to = copy.original;

	if (environ != copy.array) {
		take_out(environ, is_alone);
		return;
	}
	for (char **from = copy.array; *from && to; from++) {
		if (syt_environ_is_added(*from) || !*to)
			continue;
		if (*to != *from)
			*to = *from;
		to++;
	}
	if (to && *to)
		*to = NULL;
	take_out(copy.array, true); /* somebody may have kept a pointer to it */
	__atomic_store_n(&environ, copy.original, __ATOMIC_RELEASE);
}

bool syt_environ_extend(const struct syt_new_image *image)
{
	bool is_shown;

	if (!lock())
		return false;
	is_shown = copy.nr_calls || begin(image);
	copy.nr_calls += is_shown;
	unlock();
	return is_shown;
}

void syt_environ_restore(void)
{
	bool is_locked = lock(); /* if not, somebody died in it: as well as we can */

	if (copy.nr_calls && !--copy.nr_calls)
		end(false);
	if (is_locked)
		unlock();
}

void syt_environ_fork_child(void)
{
	if (copy.nr_calls)
		end(true);
	if (copy.nr_calls || copy.lock) {
		copy.nr_calls = 0;
		copy.lock = 0;
	}
}

void syt_environ_init(void)
{
	*(void **)&copy.unsetenv = dlsym(RTLD_NEXT, "unsetenv");
}
