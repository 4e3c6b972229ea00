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
	if (!is_complete)
		dlerror(); /* or the program's first call of it would tell */
	errno = err;
}
