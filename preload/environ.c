/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Replaces `environ` while libc itself starts a shell (system, popen, wordexp), because libc passes `environ`
 * to the shell. The replacement is a copy of the program's array, followed by the recorder's entries.
 *
 * Changes of the environment that other threads make meanwhile go to the copy and are transferred afterwards.
 * setenv() of a new variable turns the copy into an array of libc that contains the recorder's entries. The
 * recorder then renames the entries to an unused name, and libc's unsetenv() removes them under libc's lock.
 * Changing the environment while another thread reads it is undefined; this code preserves the cases that work
 * in practice.
 *
 * The memory of the copy is never freed, because the program may keep a pointer into it.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/env.h"
#include "runtime/forked.h"
#include "runtime/sys.h" /* gets memory and yields without the wrappers */

/* Number of tries to take the lock, which its holder keeps for 1 us unless a signal handler interrupts the
 * holder. */
#define NR_TRIES 1000u
#define GONE "syt-gone" /* unused name, shorter than any of the recorder's entries */

SYT_FORKED static struct {
	uint32_t lock;
	uint32_t nr_calls; /* number of calls for which `environ` is replaced now */
	char **original;   /* value of `environ` before it was replaced */
	char **array;      /* value of `environ` while it is replaced */
	char *memory;      /* memory of the recorder's strings, of memory_bytes */
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
	return false; /* this signal handler has probably interrupted the holder of the lock */
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
	size_t bytes = syt_env_bytes(program, image);

	if (!bytes || !make_memory(bytes))
		return false;
	copy.original = program;
	copy.array = syt_env_make(copy.memory, program, image);
	__atomic_store_n(&environ, copy.array, __ATOMIC_RELEASE);
	return true;
}

/* Removes the recorder's entries from an environment array that libc or the program made from the copy. */
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

/* Restores `environ`. IS_ALONE is true in a forked child, where no other thread exists and libc's lock may
 * stay locked for ever. */
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
	take_out(copy.array, true); /* the program may have kept a pointer to the copy */
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
	/* false: the thread that held the lock does not exist in this child; continue without the lock */
	bool is_locked = lock();

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
