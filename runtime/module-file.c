/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE /* _dl_find_object */
#include "runtime/module-file.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/format.h"
#include "runtime/image.h"
#include "runtime/sys.h"

#define NR_PHDR_MAX 64
#define NR_ID_BYTES_MAX 64u /* a longer one is none */
#define GO_BUILD_ID 4u      /* type of the note that Go's linker writes */

/* Returns the contents of the note TYPE of OWNER, a name of four bytes with its NUL, from the notes [P, END). */
static struct syt_build_id find_note(const uint8_t *p, const uint8_t *end, const char *owner,
                                     uint32_t type)
{
	while (end - p >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const void *)p;
		uint64_t name_bytes = (n->n_namesz + UINT64_C(3)) & ~UINT64_C(3);
		uint64_t desc_bytes = (n->n_descsz + UINT64_C(3)) & ~UINT64_C(3);
		uint64_t room = (uint64_t)(end - p) - sizeof(*n);
		const uint8_t *name = p + sizeof(*n);

		if (name_bytes + desc_bytes > room)
			break;
		if (n->n_type == type && n->n_namesz == 4 && name[0] == owner[0] &&
		    name[1] == owner[1] && name[2] == owner[2] && n->n_descsz)
			return (struct syt_build_id){name + name_bytes, n->n_descsz};
		p = name + name_bytes + desc_bytes;
	}
	return (struct syt_build_id){NULL, 0};
}

/* Returns the ELF header at AT, of BYTES mapped bytes, or NULL if there is none. */
static const ElfW(Ehdr) * elf_header(uintptr_t at, size_t bytes)
{
	const ElfW(Ehdr) *e = (const void *)at;

	if (bytes < SYT_PAGE_BYTES / 2 || e->e_ident[0] != ELFMAG0 || e->e_ident[1] != 'E' ||
	    e->e_ident[2] != 'L' || e->e_ident[3] != 'F' || e->e_phentsize != sizeof(ElfW(Phdr)) ||
	    e->e_phnum > NR_PHDR_MAX || e->e_phoff > bytes - e->e_phnum * sizeof(ElfW(Phdr)))
		return NULL;
	return e;
}

/* If the segments of an executable have gaps, _dl_find_object reports one segment, perhaps without the ELF
 * header. */
struct syt_image_extent syt_module_extent(const struct dl_find_object *o)
{
	uintptr_t start = (uintptr_t)o->dlfo_map_start, bias = o->dlfo_link_map->l_addr;
	const ElfW(Ehdr) *e = elf_header(start, (uintptr_t)o->dlfo_map_end - start);
	struct syt_image_extent image = {NULL, 0, 0, 0};
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

/* Same, from all notes of the object. */
static struct syt_build_id note_of(const struct dl_find_object *o, const char *owner, uint32_t type)
{
	struct syt_image_extent image = syt_module_extent(o);

	for (unsigned i = 0; image.phdrs && i < image.nr; i++) {
		const ElfW(Phdr) *p = &image.phdrs[i];
		uintptr_t note = o->dlfo_link_map->l_addr + p->p_vaddr;

		if (p->p_type != PT_NOTE || note < image.start || note > image.end ||
		    p->p_memsz > image.end - note || p->p_align > 4)
			continue;
		struct syt_build_id found = find_note(
			(const void *)note, (const uint8_t *)note + p->p_memsz, owner, type);
		if (found.bytes)
			return found;
	}
	return (struct syt_build_id){NULL, 0};
}

struct syt_build_id syt_module_build_id(const struct dl_find_object *o)
{
	struct syt_build_id id = note_of(o, "GNU", NT_GNU_BUILD_ID);

	return id.nr_bytes <= NR_ID_BYTES_MAX ? id : (struct syt_build_id){NULL, 0};
}

bool syt_module_is_go(const struct dl_find_object *o)
{
	return note_of(o, "Go\0", GO_BUILD_ID).bytes;
}

uint64_t syt_module_identity(const struct dl_find_object *o)
{
	struct syt_build_id id = syt_module_build_id(o);
	struct syt_image_extent image = syt_module_extent(o);
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

/* Writes the kernel's path of the file from which the object's first segment is mapped. Returns the path's
 * length, 0 if the kernel refuses. */
static size_t mapped_path(const struct dl_find_object *o, char *path)
{
	static const char folder[] = "/proc/self/map_files/";
	char link[sizeof(folder) + 4 * sizeof(uintptr_t) + 2];
	const uintptr_t page = ~(uintptr_t)(SYT_PAGE_BYTES - 1);
	struct syt_image_extent image = syt_module_extent(o);
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
	long n = SYT_SYS_4(SYS_readlinkat, AT_FDCWD, link, path, SYT_MODULE_PATH_BYTES);

	return n > 0 ? (size_t)n : 0;
}

/* Writes the absolute path of an object whose name is relative. If the kernel does not know the path, the
 * current directory precedes the name. */
static size_t absolute_path(const struct dl_find_object *o, char *path)
{
	const char *name = o->dlfo_link_map->l_name;
	size_t name_bytes = strlen(name), bytes = mapped_path(o, path);
	long n;

	if (bytes)
		return bytes;
	n = SYT_SYS_2(SYS_getcwd, path, SYT_MODULE_PATH_BYTES); /* getcwd's result counts the NUL */
	if (n <= 1 || (size_t)n + name_bytes > SYT_MODULE_PATH_BYTES)
		n = 0;
	else
		path[n - 1] = '/';
	if (name_bytes > SYT_MODULE_PATH_BYTES - (size_t)n)
		name_bytes = SYT_MODULE_PATH_BYTES - (size_t)n;
	memcpy(path + n, name, name_bytes);
	return (size_t)n + name_bytes;
}

size_t syt_module_path(const struct dl_find_object *o, char path[SYT_MODULE_PATH_BYTES],
                       const char **name)
{
	*name = o->dlfo_link_map->l_name;
	if (**name == '/' || !strncmp(*name, "linux-vdso", 10) || !strncmp(*name, "linux-gate", 10))
		return strlen(*name);
	if (**name) {
		size_t bytes = absolute_path(o, path);

		*name = path;
		return bytes;
	}
	*name = syt_image()->exe;
	return syt_image()->exe_bytes;
}
