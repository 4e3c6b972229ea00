/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Modules by address.  _dl_find_object tells which object an address lies in now; the table here
 * only gives that mapping its id.  Table: an array of modules that grows, and an index of ids
 * hashed by start address, open addressing; a slot is filled once by compare-and-swap and never
 * cleared.  A module that is gone keeps its id and its place, marked.
 *
 * The same address, link_map and size may come back with other contents.  While no dlclose has been
 * since the last comparison they cannot differ; otherwise the identity is compared again.
 */
#define _GNU_SOURCE /* _dl_find_object */
#include "runtime/module.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/format.h"
#include "runtime/clock.h"
#include "runtime/map.h"
#include "runtime/meta.h"
#include "runtime/sys.h"

#define NR_INDEX (1u << 16)
#define PATH_BYTES 1024
#define NR_PHDR_MAX 64

/* glibc 2.35; without it no module is known and a stack is its innermost frame */
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

uint64_t syt_module_code = UINT64_C(1) << 16;

static struct syt_module *modules; /* [SYT_MODULE_MAX + 1], by id */
static uint32_t *module_index;     /* [NR_INDEX] of ids, 0: free */
static uint32_t nr_modules;        /* ids given */

int syt_module_init(void)
{
	if (modules)
		return 0;
	module_index = syt_map_private(NR_INDEX * sizeof(*module_index));
	modules = syt_map_private((SYT_MODULE_MAX + 1) * sizeof(*modules));
	if (modules && module_index)
		return 0;
	modules = NULL;
	return -ENOMEM;
}

/* What of the mapped file says which file it is. */
struct build_id {
	const uint8_t *bytes;
	uint32_t nr_bytes;
};

/* The build-id in the notes [P, END), both in memory. */
static struct build_id find_note(const uint8_t *p, const uint8_t *end)
{
	while (end - p >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const void *)p;
		uint64_t name_bytes = (n->n_namesz + UINT64_C(3)) & ~UINT64_C(3);
		uint64_t desc_bytes = (n->n_descsz + UINT64_C(3)) & ~UINT64_C(3);
		uint64_t room = (uint64_t)(end - p) - sizeof(*n);
		const uint8_t *name = p + sizeof(*n);

		if (name_bytes + desc_bytes > room)
			break;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && name[0] == 'G' &&
		    name[1] == 'N' && name[2] == 'U' && n->n_descsz && n->n_descsz <= 64)
			return (struct build_id){name + name_bytes, n->n_descsz};
		p = name + name_bytes + desc_bytes;
	}
	return (struct build_id){NULL, 0};
}

/* The program headers in memory, and the extent of what they load. */
struct image {
	const ElfW(Phdr) * phdrs;
	unsigned nr;
	uintptr_t start, end; /* equal: unknown */
};

/* The ELF header at AT, of BYTES mapped bytes, or NULL when something else is there. */
static const ElfW(Ehdr) * elf_header(uintptr_t at, size_t bytes)
{
	const ElfW(Ehdr) *e = (const void *)at;

	if (bytes < SYT_PAGE_BYTES / 2 || e->e_ident[0] != ELFMAG0 || e->e_ident[1] != 'E' ||
	    e->e_ident[2] != 'L' || e->e_ident[3] != 'F' || e->e_phentsize != sizeof(ElfW(Phdr)) ||
	    e->e_phnum > NR_PHDR_MAX || e->e_phoff > bytes - e->e_phnum * sizeof(ElfW(Phdr)))
		return NULL;
	return e;
}

/* glibc gives one segment of an executable whose segments have gaps, so the header may be
 * elsewhere. */
static struct image find_image(const struct dl_find_object *o)
{
	uintptr_t start = (uintptr_t)o->dlfo_map_start, bias = o->dlfo_link_map->l_addr;
	const ElfW(Ehdr) *e = elf_header(start, (uintptr_t)o->dlfo_map_end - start);
	struct image image = {NULL, 0, 0, 0};
	struct dl_find_object first;

	if (!e && !*o->dlfo_link_map->l_name) {
		image.phdrs = (const void *)getauxval(AT_PHDR);
		image.nr = (unsigned)getauxval(AT_PHNUM);
	} else if (!e && !_dl_find_object((void *)bias, &first) &&
	           first.dlfo_link_map == o->dlfo_link_map) {
		e = elf_header(bias, (uintptr_t)first.dlfo_map_end - bias);
	}
	if (e) {
		image.phdrs = (const void *)((uintptr_t)e + e->e_phoff);
		image.nr = e->e_phnum;
	}
	for (unsigned i = 0; image.phdrs && i < image.nr; i++) {
		const ElfW(Phdr) *p = &image.phdrs[i];

		if (p->p_type != PT_LOAD)
			continue;
		if (image.start == image.end)
			image.start = bias + p->p_vaddr;
		image.end = bias + p->p_vaddr + p->p_memsz;
	}
	return image;
}

static struct build_id find_build_id(const struct dl_find_object *o)
{
	struct image image = find_image(o);

	for (unsigned i = 0; image.phdrs && i < image.nr; i++) {
		const ElfW(Phdr) *p = &image.phdrs[i];
		uintptr_t note = o->dlfo_link_map->l_addr + p->p_vaddr;

		if (p->p_type != PT_NOTE || note < image.start || note > image.end ||
		    p->p_memsz > image.end - note || p->p_align > 4)
			continue;
		struct build_id id =
			find_note((const void *)note, (const uint8_t *)note + p->p_memsz);
		if (id.bytes)
			return id;
	}
	return (struct build_id){NULL, 0};
}

static uint64_t identity_of(const struct dl_find_object *o)
{
	struct build_id id = find_build_id(o);
	struct image image = find_image(o);
	const char *name = o->dlfo_link_map->l_name;
	uint64_t h;

	if (id.bytes)
		return XXH64(id.bytes, id.nr_bytes, 0);
	h = XXH64(name, strlen(name), 1);
	return image.phdrs ? XXH64(image.phdrs, image.nr * sizeof(*image.phdrs), h) : h;
}

static char *put_hex(char *p, uintptr_t v)
{
	char digits[2 * sizeof(v)];
	unsigned n = 0;

	do {
		digits[n++] = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	while (n)
		*p++ = digits[--n];
	return p;
}

/* The path of the file behind the object's first segment as the kernel knows it; 0 when it will not
 * tell. */
static size_t mapped_path(const struct dl_find_object *o, char *path)
{
	static const char folder[] = "/proc/self/map_files/";
	char link[sizeof(folder) + 4 * sizeof(uintptr_t) + 2];
	const uintptr_t page = ~(uintptr_t)(SYT_PAGE_BYTES - 1);
	struct image image = find_image(o);
	unsigned i = 0;

	while (i < image.nr && image.phdrs[i].p_type != PT_LOAD)
		i++;
	if (!image.phdrs || i == image.nr)
		return 0;

	uintptr_t start = o->dlfo_link_map->l_addr + image.phdrs[i].p_vaddr;
	uintptr_t end = (start + image.phdrs[i].p_filesz + SYT_PAGE_BYTES - 1) & page;

	memcpy(link, folder, sizeof(folder) - 1);
	char *q = put_hex(link + sizeof(folder) - 1, start & page);

	*q++ = '-';
	*put_hex(q, end) = 0;
	long n = SYT_SYS_4(SYS_readlinkat, AT_FDCWD, link, path, PATH_BYTES);

	return n > 0 ? (size_t)n : 0;
}

/* For a relative name; when the kernel does not know, below the current folder. */
static size_t absolute_path(const struct dl_find_object *o, char *path)
{
	const char *name = o->dlfo_link_map->l_name;
	size_t name_bytes = strlen(name), bytes = mapped_path(o, path);
	long n;

	if (bytes)
		return bytes;
	n = SYT_SYS_2(SYS_getcwd, path, PATH_BYTES); /* counts the NUL */
	if (n <= 1 || (size_t)n + name_bytes > PATH_BYTES)
		n = 0;
	else
		path[n - 1] = '/';
	if (name_bytes > PATH_BYTES - (size_t)n)
		name_bytes = PATH_BYTES - (size_t)n;
	memcpy(path + n, name, name_bytes);
	return (size_t)n + name_bytes;
}

/* Bytes of the module's path; *NAME is in memory or in PATH. */
static size_t find_path(const struct dl_find_object *o, char *path, const char **name)
{
	*name = o->dlfo_link_map->l_name;
	if (**name == '/' || !strncmp(*name, "linux-vdso", 10) || !strncmp(*name, "linux-gate", 10))
		return strlen(*name);
	if (**name) {
		size_t bytes = absolute_path(o, path);

		*name = path;
		return bytes;
	}
	*name = path; /* the executable */
	long n = SYT_SYS_4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, PATH_BYTES);

	return n > 0 ? (size_t)n : 0;
}

/* Not inlined: a kilobyte of stack, at first sight of a module only. */
__attribute__((noinline)) static void define(const struct syt_module *m,
                                             const struct dl_find_object *o)
{
	char path[PATH_BYTES];
	const char *name;
	size_t name_bytes = find_path(o, path, &name);
	struct build_id id = find_build_id(o);
	struct syt_meta_module def = {
		.id = m->id,
		.build_id_bytes = id.nr_bytes,
		.start = m->start,
		.end = m->end,
		.bias = m->bias,
		.ticks = syt_clock_release(),
	};

	syt_meta_append(SYT_META_MODULE, &def, sizeof(def), id.bytes, id.nr_bytes, name,
	                name_bytes);
}

static uint32_t first_slot(uintptr_t start)
{
	return (uint32_t)((start >> 12) * UINT64_C(0x9e3779b97f4a7c15) >> 48);
}

/* True when M is the mapping that O describes; GENERATION was read before O was asked for. */
static bool is_same(struct syt_module *m, const struct dl_find_object *o, uint64_t generation)
{
	if (__atomic_load_n(&m->is_gone, __ATOMIC_ACQUIRE) || m->map != o->dlfo_link_map ||
	    m->start != (uintptr_t)o->dlfo_map_start || m->end != (uintptr_t)o->dlfo_map_end)
		return false;
	if (__atomic_load_n(&m->seen, __ATOMIC_RELAXED) == generation)
		return true;
	if (m->identity != identity_of(o))
		return false;
	if (!syt_module_is_closing(generation))
		__atomic_store_n(&m->seen, generation, __ATOMIC_RELAXED);
	return true;
}

/* Exactly one thread writes so into the dump. */
static void mark_gone(struct syt_module *m)
{
	struct syt_meta_unmap gone = {.id = m->id, .ticks = syt_clock_release()};

	if (!__atomic_exchange_n(&m->is_gone, 1, __ATOMIC_ACQ_REL))
		syt_meta_append(SYT_META_UNMAP, &gone, sizeof(gone), NULL, 0, NULL, 0);
}

/* Gives O an id and publishes it in SLOT, unless another thread is first: NULL, look again. */
static const struct syt_module *add(uint32_t *slot, const struct dl_find_object *o,
                                    uint64_t generation)
{
	uint32_t id = __atomic_add_fetch(&nr_modules, 1, __ATOMIC_RELAXED);

	if (id > SYT_MODULE_MAX) {
		__atomic_store_n(&nr_modules, SYT_MODULE_MAX, __ATOMIC_RELAXED);
		syt_lost(SYT_LOSS_META, 1);
		return &modules[0]; /* id 0: an address in no module */
	}

	struct syt_module *m = &modules[id];
	struct image image = find_image(o);
	uint32_t free_slot = 0;

	*m = (struct syt_module){
		.id = id,
		.start = (uintptr_t)o->dlfo_map_start,
		.end = (uintptr_t)o->dlfo_map_end,
		.bias = o->dlfo_link_map->l_addr,
		.load_start = image.start,
		.load_end = image.end,
		.eh_frame_hdr = o->dlfo_eh_frame,
		.map = o->dlfo_link_map,
		.identity = identity_of(o),
		.seen = syt_module_is_closing(generation) ? 0 : generation,
	};
	/* in the dump before anything can name it; pairs with the load in find() */
	define(m, o);
	if (__atomic_compare_exchange_n(slot, &free_slot, id, false, __ATOMIC_RELEASE,
	                                __ATOMIC_RELAXED))
		return m;
	/* another thread was first: this id is never used */
	mark_gone(m);
	return NULL;
}

static const struct syt_module *find(const struct dl_find_object *o, uint64_t generation)
{
	uint32_t i = first_slot((uintptr_t)o->dlfo_map_start);

	for (uint32_t nr = 0; nr < NR_INDEX; nr++, i = (i + 1) % NR_INDEX) {
		const struct syt_module *added;
		uint32_t id = __atomic_load_n(&module_index[i], __ATOMIC_ACQUIRE);

		while (!id) {
			added = add(&module_index[i], o, generation);
			if (added)
				return added;
			id = __atomic_load_n(&module_index[i], __ATOMIC_ACQUIRE);
		}
		if (is_same(&modules[id], o, generation))
			return &modules[id];
	}
	return NULL;
}

const struct syt_module *syt_module_find(uintptr_t pc)
{
	struct dl_find_object o;
	uint64_t generation = syt_module_generation();

	if (!modules || !_dl_find_object || _dl_find_object((void *)pc, &o))
		return NULL;
	return find(&o, generation);
}

bool syt_module_has(uintptr_t pc)
{
	struct dl_find_object o;

	return _dl_find_object && !_dl_find_object((void *)pc, &o);
}

uintptr_t syt_module_bias(uint32_t id)
{
	return id <= SYT_MODULE_MAX ? modules[id].bias : 0;
}

void syt_module_renew(void)
{
	__atomic_fetch_add(&syt_module_code, UINT64_C(1) << 16, __ATOMIC_ACQ_REL);
}

void syt_module_closing(void)
{
	__atomic_fetch_add(&syt_module_code, (UINT64_C(1) << 16) + 1, __ATOMIC_ACQ_REL);
}

/* Marks module ID when its mapping is not there any more. */
static void mark_if_gone(uint32_t id, uint64_t generation)
{
	struct syt_module *m = &modules[id];
	struct dl_find_object o;

	if (!m->map || __atomic_load_n(&m->is_gone, __ATOMIC_RELAXED))
		return;
	if (_dl_find_object((void *)m->start, &o) || !is_same(m, &o, generation))
		mark_gone(m);
}

void syt_module_closed(void)
{
	uint32_t nr = __atomic_load_n(&nr_modules, __ATOMIC_ACQUIRE);
	uint64_t old = syt_module_generation();

	if (nr > SYT_MODULE_MAX)
		nr = SYT_MODULE_MAX;
	for (uint32_t id = 1; modules && _dl_find_object && id <= nr; id++)
		mark_if_gone(id, old);

	/* a child forked inside of a dlclose has none under way: fork_child() */
	if (!syt_module_is_closing(old))
		syt_module_renew();
	while (syt_module_is_closing(old) &&
	       !__atomic_compare_exchange_n(&syt_module_code, &old, old + (UINT64_C(1) << 16) - 1,
	                                    true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

void syt_module_fork_child(void)
{
	struct dl_find_object o;
	uint64_t generation = (syt_module_generation() >> 16) + 1;

	/* whoever was in a dlclose is not in this process */
	__atomic_store_n(&syt_module_code, generation << 16, __ATOMIC_RELEASE);
	for (uint32_t id = 1; modules && id <= nr_modules && id <= SYT_MODULE_MAX; id++) {
		struct syt_module *m = &modules[id];

		if (!m->map || m->is_gone)
			continue;
		if (!_dl_find_object((void *)m->start, &o) && is_same(m, &o, 0))
			define(m, &o);
	}
}
