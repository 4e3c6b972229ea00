/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finding the real functions.  dlvsym with the explicit version wherever libc has two addresses:
 * without one, dlsym(RTLD_NEXT) gives the oldest on glibc before 2.36 (bug 14932).  All other names
 * have one address under all of their versions.  A successful lookup allocates nothing on
 * glibc 2.34 and later; a failing one does (its error text), and happens only on a libc that lacks
 * a function.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/real.h"
#include "preload/version.h"
#include "runtime/libc.h"

struct real {
	void **slot; /* in preload/boot.S; NULL in it until resolved */
	const char *name;
	const char *version; /* NULL: any */
};

/* clang-format off */
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) extern void *syt_slot_##name_;
#define HAND(name_, shape_, kind_) extern void *syt_slot_##name_;
#define OMP(name_, shape_, kind_)
#define OLD(name_, version_, default_) extern void *syt_slot_##name_##_old;
#include "format/calls.def"

extern void *syt_slot_own_dl_iterate_phdr, *syt_slot_own_dlerror, *syt_slot_own_on_exit,
	*syt_slot_own_sigsetjmp;

/* Looked up at the start: later the lookup would forget an error that dlerror() has still to tell. */
static const struct real owns[] = {
	{&syt_slot_own_dl_iterate_phdr, "dl_iterate_phdr", NULL},
	{&syt_slot_own_dlerror, "dlerror", NULL},
	{&syt_slot_own_on_exit, "on_exit", NULL},
	{&syt_slot_own_sigsetjmp, "__sigsetjmp", NULL},
};

/* The versioned rows stand last: they replace what the plain lookup found. */
static const struct real reals[] = {
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) {&syt_slot_##name_, #name_, NULL},
#define HAND(name_, shape_, kind_) {&syt_slot_##name_, #name_, NULL},
#define OMP(name_, shape_, kind_)
#include "format/calls.def"
#define OLD(name_, version_, default_) \
	{&syt_slot_##name_##_old, #name_, SYT_VERSION_##version_}, \
	{&syt_slot_##name_, #name_, SYT_VERSION_##default_},
#include "format/calls.def"
};
/* clang-format on */

static long absent(void)
{
	errno = ENOSYS;
	return -1;
}

void syt_real_resolve(void)
{
	int err = errno;
	bool is_complete = true;

	for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++) {
		const struct real *r = &reals[i];
		void *address = r->version ? dlvsym(RTLD_NEXT, r->name, r->version)
		                           : dlsym(RTLD_NEXT, r->name);

		is_complete &= address != NULL;
		if (!address && !*r->slot)
			address = (void *)(uintptr_t)absent;
		if (address)
			__atomic_store_n(r->slot, address, __ATOMIC_RELAXED);
	}
	for (size_t i = 0; i < sizeof(owns) / sizeof(owns[0]); i++)
		__atomic_store_n(owns[i].slot, syt_libc(owns[i].name), __ATOMIC_RELAXED);
	if (!is_complete)
		SYT_REAL(own_dlerror)(); /* or the program's first call of it would tell */
	errno = err;
}
