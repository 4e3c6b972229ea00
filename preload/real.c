/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Resolves the real functions. If libc has two addresses for a name, dlvsym asks for an explicit version:
 * before glibc 2.36, dlsym(RTLD_NEXT) returns the oldest version (bug 14932). All other names have one address
 * in all versions. dlvsym ignores functions without a version, such as functions of a sanitizer's runtime
 * between the recorder and libc, so dlsym is asked first. On glibc 2.34 and later, a successful lookup
 * allocates no memory. A failed lookup allocates its error text, but fails only with a libc that lacks a
 * function. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/quick.h"
#include "preload/real.h"
#include "preload/version.h"
#include "runtime/libc.h"

struct real {
	void **slot; /* a function pointer (slot) of preload/real-stub.S, NULL until resolved */
	const char *name;
};

/* A function with two addresses in libc. */
struct two_versions {
	void **slot, **old_slot;
	const char *name, *version, *old_version;
};

/* An entry of preload/fast-entry.S that jumps on to *next if its call is not recorded. */
struct next {
	void **next;
	void *const *real;
	void *sampled;
};

extern const struct next syt_nexts[] __attribute__((visibility("hidden"))),
	syt_nexts_end[] __attribute__((visibility("hidden")));

extern void *syt_slot_own_dl_iterate_phdr, *syt_slot_own_dlerror, *syt_slot_own_on_exit;

/* These functions are looked up at the start, because a later lookup would clear the program's pending
 * dlerror() text. */
static const struct real owns[] = {
	{&syt_slot_own_dl_iterate_phdr, "dl_iterate_phdr"},
	{&syt_slot_own_dlerror, "dlerror"},
	{&syt_slot_own_on_exit, "on_exit"},
};

/* clang-format off */
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) extern void *syt_slot_##name_;
#define HAND(name_, shape_, kind_) extern void *syt_slot_##name_;
#define OMP(name_, shape_, kind_)
#define OLD(name_, version_, default_) extern void *syt_slot_##name_##_old;
#include "format/calls.def"

static const struct real reals[] = {
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) {&syt_slot_##name_, #name_},
#define HAND(name_, shape_, kind_) {&syt_slot_##name_, #name_},
#define OMP(name_, shape_, kind_)
#include "format/calls.def"
};

static const struct two_versions pairs[] = {
#define OLD(name_, version_, default_) \
	{&syt_slot_##name_, &syt_slot_##name_##_old, #name_, SYT_VERSION_##default_, SYT_VERSION_##version_},
#include "format/calls.def"
	/* this entry is needed if an architecture has no functions with two versions */
	{NULL, NULL, NULL, NULL, NULL},
};
/* clang-format on */

static long absent(void)
{
	errno = ENOSYS;
	return -1;
}

/* Stores ADDRESS in the function pointer *SLOT, or `absent` if both ADDRESS and *SLOT are NULL. Returns
 * whether ADDRESS is not NULL. */
static bool store(void **slot, void *address)
{
	bool is_found = address != NULL;

	if (!address && !*slot)
		address = (void *)(uintptr_t)absent;
	if (address)
		__atomic_store_n(slot, address, __ATOMIC_RELAXED);
	return is_found;
}

/* Sets both function pointers (slots) of a name with two versions. PLAIN is dlsym's result. When PLAIN is
 * neither of libc's addresses, a library before libc defines the name without a version, and both slots get
 * PLAIN: ld.so would bind both versions to it. */
static bool store_pair(const struct two_versions *p, void *plain)
{
	void *address = dlvsym(RTLD_NEXT, p->name, p->version);
	void *old = dlvsym(RTLD_NEXT, p->name, p->old_version);

	if (plain && plain != address && plain != old)
		address = old = plain;
	return store(p->slot, address) & store(p->old_slot, old);
}

void syt_real_sample(bool is_sampled)
{
	for (const struct next *n = syt_nexts; n < syt_nexts_end; n++)
		__atomic_store_n(n->next, is_sampled ? n->sampled : *n->real, __ATOMIC_RELAXED);
}

void syt_real_resolve(void)
{
	int err = errno;
	bool is_complete = true;

	for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++)
		is_complete &= store(reals[i].slot, dlsym(RTLD_NEXT, reals[i].name));
	for (const struct two_versions *p = pairs; p->slot; p++)
		is_complete &=
			store_pair(p, *p->slot == (void *)(uintptr_t)absent ? NULL : *p->slot);
	for (size_t i = 0; i < sizeof(owns) / sizeof(owns[0]); i++)
		is_complete &= store(owns[i].slot, syt_libc(owns[i].name));
	syt_quick_resolve();
	syt_real_sample(false);
	if (!is_complete)
		SYT_REAL(own_dlerror)(); /* removes the error text that the program would get */
	errno = err;
}
