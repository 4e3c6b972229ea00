/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the OpenMP runtime of a caller in the symbol tables of the loaded objects. If several objects define
 * the function, the result is from the object to which ld.so has bound other OpenMP functions of the caller;
 * the wrappers replace only a few of a runtime's functions. If no binding decides, ld.so's order of search is
 * used: the global scope, the caller's needed libraries, the first object. The result is cached for each
 * calling library, by address range, until a library is unloaded. */
#include "preload/omp-real.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "preload/real.h"

/* maximum number of cached calling libraries; for others, each call searches */
#define NR_CALLERS 16u
#define VERSION_IS_HIDDEN 0x8000u

/* clang-format off */
static const char *const names[] = {
#define HAND(name_, shape_, kind_)
#define OMP(name_, shape_, kind_) #name_,
#include "format/calls.def"
};
/* clang-format on */

struct caller {
	/* addresses of the calling library; end is 0 until the entry is complete */
	uintptr_t start, end;
	uint32_t epoch;
	void *real[SYT_NR_OMP];
};

static struct caller callers[NR_CALLERS];
static uint32_t nr_callers; /* number of entries handed out; may exceed NR_CALLERS */
static uint32_t epoch;

/* ---- one object ---- */

struct tables {
	uintptr_t bias;
	const char *strings;
	const ElfW(Sym) * symbols;
	const uint32_t *hash;
	const ElfW(Versym) * versions;
	const ElfW(Dyn) * dynamic;
	struct {
		const ElfW(Rela) * of;
		size_t bytes;
		/* relocations that ld.so binds at the start, and those that it may bind at the first call */
	} relocations[2];
};

/* Returns an absolute address. ld.so has already made the addresses in the dynamic section absolute, except
 * in the vDSO. */
static uintptr_t address_of(const struct tables *t, ElfW(Addr) address)
{
	return address < t->bias ? t->bias + address : address;
}

static bool open_tables(struct tables *t, const struct dl_phdr_info *o)
{
	*t = (struct tables){.bias = o->dlpi_addr};
	for (unsigned i = 0; i < o->dlpi_phnum; i++)
		if (o->dlpi_phdr[i].p_type == PT_DYNAMIC)
			t->dynamic = (const void *)(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr);
	for (const ElfW(Dyn) *d = t->dynamic; d && d->d_tag != DT_NULL; d++) {
		uintptr_t at = address_of(t, d->d_un.d_ptr);

		switch (d->d_tag) {
		case DT_STRTAB:
			t->strings = (const char *)at;
			break;
		case DT_SYMTAB:
			t->symbols = (const void *)at;
			break;
		case DT_GNU_HASH:
			t->hash = (const void *)at;
			break;
		case DT_VERSYM:
			t->versions = (const void *)at;
			break;
		case DT_RELA:
			t->relocations[0].of = (const void *)at;
			break;
		case DT_RELASZ:
			t->relocations[0].bytes = d->d_un.d_val;
			break;
		case DT_JMPREL:
			t->relocations[1].of = (const void *)at;
			break;
		case DT_PLTRELSZ:
			t->relocations[1].bytes = d->d_un.d_val;
			break;
		}
	}
	return t->strings && t->symbols && t->hash;
}

/* Returns the symbol NAME of TYPE (STT_...) that the object defines in its default version, or NULL. */
static const ElfW(Sym) * find_symbol(const struct tables *t, const char *name, unsigned type)
{
	uint32_t hash = 5381, nr_buckets = t->hash[0], first = t->hash[1], nr_bloom = t->hash[2];
	const ElfW(Addr) *bloom = (const void *)&t->hash[4];
	const uint32_t *buckets = (const void *)&bloom[nr_bloom];
	const uint32_t *chains = &buckets[nr_buckets];

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	if (!nr_buckets || !nr_bloom)
		return NULL;

	ElfW(Addr) word = bloom[hash / __ELF_NATIVE_CLASS % nr_bloom];
	uint32_t i = buckets[hash % nr_buckets];

	if (!(word >> hash % __ELF_NATIVE_CLASS & 1) ||
	    !(word >> (hash >> t->hash[3]) % __ELF_NATIVE_CLASS & 1) || i < first)
		return NULL;
	for (;; i++) {
		const ElfW(Sym) *s = &t->symbols[i];

		if ((chains[i - first] | 1) == (hash | 1) && s->st_shndx != SHN_UNDEF &&
		    ELF64_ST_TYPE(s->st_info) == type && !strcmp(t->strings + s->st_name, name) &&
		    (!t->versions || !(t->versions[i] & VERSION_IS_HIDDEN)))
			return s;
		if (chains[i - first] & 1)
			return NULL;
	}
}

/* ---- all objects ---- */

struct search {
	const char *name;
	uintptr_t caller;
	/* address range of the calling library */
	uintptr_t start, end;
	struct tables of_caller;
	/* the function in: the first object, the bound object, a needed library */
	void *first, *bound, *needed;
	unsigned nr;
	bool is_second_round;
};

static bool is_inside(const struct dl_phdr_info *o, uintptr_t address, uintptr_t *start,
                      uintptr_t *end)
{
	*start = UINTPTR_MAX;
	*end = 0;
	for (unsigned i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];
		uintptr_t from = o->dlpi_addr + p->p_vaddr, to = from + p->p_memsz;

		if (p->p_type != PT_LOAD)
			continue;
		*start = from < *start ? from : *start;
		*end = to > *end ? to : *end;
	}
	return address >= *start && address < *end;
}

static bool is_needed(const struct tables *caller, const struct tables *t)
{
	const char *own = NULL;

	for (const ElfW(Dyn) *d = t->dynamic; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_SONAME)
			own = t->strings + d->d_un.d_val;
	for (const ElfW(Dyn) *d = caller->dynamic; own && d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_NEEDED && !strcmp(caller->strings + d->d_un.d_val, own))
			return true;
	return false;
}

/* Returns true if ld.so has bound an OpenMP function used by CALLER to this object. */
static bool is_bound(const struct tables *caller, const struct tables *t)
{
	for (unsigned i = 0; i < 2; i++) {
		const ElfW(Rela) *r = caller->relocations[i].of;
		size_t nr = r ? caller->relocations[i].bytes / sizeof(*r) : 0;

		for (; nr--; r++) {
			size_t at = ELF64_R_SYM(r->r_info);
			const char *name = at ? caller->strings + caller->symbols[at].st_name : "";

			if (strncmp(name, "omp_", 4) != 0 && strncmp(name, "GOMP_", 5) != 0)
				continue;
			const ElfW(Sym) *symbol = find_symbol(t, name, STT_FUNC);

			if (symbol && *(const uintptr_t *)(caller->bias + r->r_offset) ==
			                      t->bias + symbol->st_value)
				return true;
		}
	}
	return false;
}

static int visit(struct dl_phdr_info *o, size_t bytes, void *arg)
{
	struct search *s = arg;
	uintptr_t start, end;
	struct tables t;
	const ElfW(Sym) * symbol;
	void *found;

	(void)bytes;
	if (!open_tables(&t, o) || is_inside(o, (uintptr_t)visit, &start, &end))
		return 0;
	if (is_inside(o, s->caller, &start, &end)) {
		s->start = start;
		s->end = end;
		s->of_caller = t;
	}
	symbol = find_symbol(&t, s->name, STT_FUNC);
	if (!symbol)
		return 0;
	found = (void *)(t.bias + symbol->st_value);
	if (!s->nr++)
		s->first = found;
	if (!s->is_second_round)
		return 0;
	if (!s->bound && is_bound(&s->of_caller, &t))
		s->bound = found;
	if (!s->needed && is_needed(&s->of_caller, &t))
		s->needed = found;
	return 0;
}

/* Stores in *ARG the address where libc keeps the pending dlerror() text of this thread. */
static int find_error(struct dl_phdr_info *o, size_t bytes, void *arg)
{
	const ElfW(Sym) * symbol;
	struct tables t;

	if (bytes < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof(o->dlpi_tls_data) ||
	    !o->dlpi_tls_data || !open_tables(&t, o))
		return 0;
	symbol = find_symbol(&t, "__libc_dlerror_result", STT_TLS);
	if (!symbol || symbol->st_size != sizeof(void *))
		return 0;
	*(void ***)arg = (void **)((uintptr_t)o->dlpi_tls_data + symbol->st_value);
	return 1;
}

/* Finds the function in ld.so's global scope, which only dlsym can search. dlsym discards the
 * pending dlerror() text of the program, and sets its own if the function does not exist. So this
 * function hides the pending text during the call and restores it afterwards. */
static void *find_global(const char *name)
{
	void **error = NULL, *kept = NULL, *found;

	SYT_REAL(own_dl_iterate_phdr)(find_error, &error);
	if (error) {
		kept = *error;
		*error = NULL;
	}
	found = dlsym(RTLD_NEXT, name);
	if (!found) {
		SYT_REAL(own_dlerror)(); /* makes dlerror() return the text */
		SYT_REAL(own_dlerror)(); /* makes dlerror() free the text */
	}
	if (error)
		*error = kept;
	return found;
}

static void *find(struct search *s)
{
	void *global;

	SYT_REAL(own_dl_iterate_phdr)(visit, s);
	if (s->nr < 2)
		return s->first;
	s->is_second_round = true;
	SYT_REAL(own_dl_iterate_phdr)(visit, s);
	if (s->bound)
		return s->bound;
	global = find_global(s->name);
	if (global)
		return global;
	return s->needed ? s->needed : s->first;
}

/* Replaces a GOMP_parallel function that no loaded object defines: runs BODY in a team of one thread. */
static void alone(void (*body)(void *), void *data)
{
	body(data);
}

static long nothing(void)
{
	return 0;
}

static void *fallback(enum syt_omp name)
{
	switch (name) {
	case SYT_OMP_GOMP_parallel ... SYT_OMP_GOMP_parallel_reductions:
	case SYT_OMP_GOMP_task:
		return (void *)(uintptr_t)alone;
	default:
		return (void *)(uintptr_t)nothing;
	}
}

static void *look_up(enum syt_omp name, uintptr_t caller, struct search *s)
{
	*s = (struct search){.name = names[name], .caller = caller};
	void *found = find(s);

	return found ? found : fallback(name);
}

__attribute__((noinline)) static void *find_caller(enum syt_omp name, uintptr_t caller)
{
	uint32_t now = __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);
	uint32_t i = __atomic_fetch_add(&nr_callers, 1, __ATOMIC_RELAXED);
	struct search s;
	int err = errno;
	void *found = look_up(name, caller, &s);

	if (i >= NR_CALLERS) {
		__atomic_store_n(&nr_callers, NR_CALLERS, __ATOMIC_RELAXED);
	} else if (s.end) {
		struct caller *c = &callers[i];
		uintptr_t end = s.end;

		c->start = s.start;
		c->epoch = now;
		for (unsigned n = 0; n < SYT_NR_OMP; n++)
			c->real[n] = look_up((enum syt_omp)n, caller, &s);
		__atomic_store_n(&c->end, end, __ATOMIC_RELEASE);
	}
	errno = err;
	return found;
}

void *syt_omp_real(enum syt_omp name, const void *caller)
{
	uintptr_t at = (uintptr_t)caller;
	uint32_t nr = __atomic_load_n(&nr_callers, __ATOMIC_RELAXED);
	uint32_t now = __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < nr && i < NR_CALLERS; i++) {
		const struct caller *c = &callers[i];

		if (at < __atomic_load_n(&c->end, __ATOMIC_ACQUIRE) && at >= c->start &&
		    c->epoch == now)
			return c->real[name];
	}
	return find_caller(name, at);
}

void syt_omp_forget(void)
{
	if (__atomic_load_n(&nr_callers, __ATOMIC_RELAXED))
		__atomic_fetch_add(&epoch, 1, __ATOMIC_RELEASE);
}
