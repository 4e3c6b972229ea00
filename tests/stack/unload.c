/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Two modules with different code that take turns at the same address, while other threads capture.
 * A stack must be unwound by the rows of the module that is mapped now, and its frames must name
 * this module.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/module.h"
#include "tests/stack/oracle.h"
#include "tests/stack/unload.h"

#define NR_ROUNDS 300

static const char *const names[] = {UNLOAD_DIR "unload-small.so", UNLOAD_DIR "unload-large.so"};
static bool is_over;
static unsigned nr_same_address;

static __attribute__((noinline)) int recurse(int depth)
{
	volatile int local = depth;

	if (depth)
		local += recurse(depth - 1);
	oracle_check();
	return local;
}

static void *run(void *arg)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
		recurse(5);
	return arg;
}

/* The module that the recorder has for code of HANDLE must be the file NAME. */
static bool is_known_as(void (*entry)(void (*)(void)), const char *name)
{
	const struct syt_module *m = syt_module_find((uintptr_t)entry);
	bool is_gone = true;
	const char *path = m ? oracle_module_path(m->id, &is_gone) : NULL;

	if (path && !is_gone && strstr(path, name))
		return true;
	fprintf(stderr, "unload: %s is known as %s%s\n", name, path ? path : "nothing",
	        is_gone ? ", gone" : "");
	return false;
}

static void *last_start;

static const struct syt_module *load(unsigned round, void **handle)
{
	const char *name = names[round % 2];
	void (*entry)(void (*)(void));
	const struct syt_module *m;

	*handle = dlopen(name, RTLD_NOW);
	entry = *handle ? dlsym(*handle, "unload_entry") : NULL;
	if (!entry) {
		fprintf(stderr, "unload: %s\n", dlerror());
		return NULL;
	}
	entry(oracle_check);
	if (!is_known_as(entry, name))
		return NULL;
	m = syt_module_find((uintptr_t)entry);
	nr_same_address += last_start == (void *)m->start;
	last_start = (void *)m->start;
	return m;
}

static bool is_marked_gone(const struct syt_module *m, unsigned round)
{
	bool is_gone = false;

	if (oracle_module_path(m->id, &is_gone) && is_gone)
		return true;
	fprintf(stderr, "unload: round %u: module %u is not marked as unmapped\n", round, m->id);
	return false;
}

/* Loads and unloads one module. */
static bool take_turn(unsigned round)
{
	void *handle;
	const struct syt_module *m = load(round, &handle);

	if (!m)
		return false;
	syt_module_closing();
	dlclose(handle);
	oracle_check();
	syt_module_closed();
	return is_marked_gone(m, round);
}

/* The other module is loaded before the recorder notices the unloading of the first module, as if another thread
 * loaded it. */
static bool take_turns_at_once(unsigned round)
{
	void *handle, *other;
	const struct syt_module *m = load(round, &handle), *n;

	if (!m)
		return false;
	syt_module_closing();
	/* as its destructors may */
	((void (*)(void (*)(void)))dlsym(handle, "unload_entry"))(oracle_check);
	dlclose(handle);
	n = load(round + 1, &other);
	syt_module_closed();
	if (!n || n == m || !is_marked_gone(m, round))
		return false;
	oracle_check();
	syt_module_closing();
	dlclose(other);
	syt_module_closed();
	return is_marked_gone(n, round + 1);
}

int main(void)
{
	pthread_t threads[2];

	for (unsigned i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, run, NULL))
			return 1;
	for (unsigned i = 0; i < NR_ROUNDS; i++)
		if (!(i % 3 ? take_turn(i) : take_turns_at_once(i)))
			return 1;
	is_over = true;
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("unload: %lu stacks compared, %u of %u modules at the same address\n",
	       oracle_nr_checks(), nr_same_address, oracle_nr_modules());
	return nr_same_address < NR_ROUNDS / 2 || oracle_nr_lost();
}
