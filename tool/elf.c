/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

#define PATH_BYTES_MAX 4096u /* longest path of an interpreter */
#define BUILD_ID_BYTES_MAX 64u

/* clang-format off */
static const char *const call_names[SYT_NR_CALLS] = {
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) [SYT_CALL_##name_] = #name_,
#define HAND(name_, shape_, kind_) [SYT_CALL_##name_] = #name_,
#include "format/calls.def"
};
/* clang-format on */

static uint16_t by_name[SYT_NR_CALLS]; /* numbers of the intercepted functions, sorted by name */
static unsigned nr_by_name;

static int compare_calls(const void *a, const void *b)
{
	return strcmp(call_names[*(const uint16_t *)a], call_names[*(const uint16_t *)b]);
}

static int compare_name(const void *name, const void *call)
{
	return strcmp(name, call_names[*(const uint16_t *)call]);
}

static unsigned call_of(const char *name)
{
	if (!nr_by_name) {
		for (uint16_t i = 1; i < SYT_NR_CALLS; i++) {
			if (call_names[i])
				by_name[nr_by_name++] = i;
		}
		qsort(by_name, nr_by_name, sizeof(*by_name), compare_calls);
	}
	const uint16_t *call = bsearch(name, by_name, nr_by_name, sizeof(*by_name), compare_name);

	return call ? *call : 0;
}

const char *syt_call_name(unsigned call)
{
	return call < SYT_NR_CALLS && call_names[call] ? call_names[call] : "?";
}

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Detects a linked-in sanitizer by its start-up function. */
static void note_sanitizer(struct syt_elf *e, const char *symbol)
{
	static const char *const starts[][2] = {
		{"__asan_init", "AddressSanitizer"},
		{"__lsan_init", "LeakSanitizer"},
		{"__msan_init", "MemorySanitizer"},
		{"__tsan_init", "ThreadSanitizer"},
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		if (!strcmp(symbol, starts[i][0]))
			e->sanitizer = starts[i][1];
	}
	e->has_tsan |= !strcmp(symbol, "__tsan_init");
}

static void note_symbol(struct syt_elf *e, const char *name, const GElf_Sym *sym, bool is_dynamic)
{
	bool is_defined = sym->st_shndx != SHN_UNDEF;
	bool is_global = GELF_ST_BIND(sym->st_info) != STB_LOCAL;

	if (has_prefix(name, "io_uring_queue_init") ||
	    (!is_defined && has_prefix(name, "io_uring_")))
		e->has_io_uring = true;
	e->has_gomp |= !is_defined && has_prefix(name, "GOMP_");
	e->has_kmpc |= !is_defined && has_prefix(name, "__kmpc_");
	if (is_defined)
		note_sanitizer(e, name);
	if (!is_dynamic || !is_global)
		return;
	if (!is_defined && !strcmp(name, "syscall"))
		e->imports_syscall = true;
	if (!is_defined && (!strcmp(name, "dlopen") || !strcmp(name, "dlmopen")))
		e->imports_dlopen = true;

	unsigned call = call_of(name);
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (!call)
		return;
	if (!is_defined)
		e->imports[call] = true;
	else if (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE)
		e->defines[call] = true;
}

static void read_symbols(struct syt_elf *e, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;

	if (!data || !shdr->sh_entsize)
		return;
	for (int i = 0; gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strptr(elf, shdr->sh_link, sym.st_name);

		if (name)
			note_symbol(e, name, &sym, shdr->sh_type == SHT_DYNSYM);
	}
}

static void read_dynamic(struct syt_elf *e, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr,
                         bool is_dyn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		if (dyn.d_tag == DT_FLAGS_1 && (dyn.d_un.d_val & DF_1_PIE))
			e->is_pie = is_dyn;
		if (dyn.d_tag != DT_NEEDED || e->nr_needed == SYT_NR_NEEDED)
			continue;
		const char *name = elf_strptr(elf, shdr->sh_link, dyn.d_un.d_val);

		if (name)
			e->needed[e->nr_needed++] = syt_asprintf("%s", name);
	}
}

static void read_section(struct syt_elf *e, Elf *elf, Elf_Scn *scn, size_t names, bool is_dyn)
{
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr))
		return;
	const char *name = elf_strptr(elf, names, shdr.sh_name);

	if (name && (!strcmp(name, ".go.buildinfo") || !strcmp(name, ".note.go.buildid")))
		e->is_go = true;
	if (name && !strcmp(name, ".comment") && shdr.sh_type != SHT_NOBITS) {
		Elf_Data *data = elf_getdata(scn, NULL);

		if (data && data->d_buf && memmem(data->d_buf, data->d_size, "rustc version", 13))
			e->is_rust = true;
	}
	if (shdr.sh_type == SHT_DYNSYM || shdr.sh_type == SHT_SYMTAB) {
		e->has_symbols |= shdr.sh_type == SHT_DYNSYM;
		read_symbols(e, elf, scn, &shdr);
	}
	if (shdr.sh_type == SHT_DYNAMIC)
		read_dynamic(e, elf, scn, &shdr, is_dyn);
}

static void read_segments(struct syt_elf *e, Elf *elf)
{
	size_t nr_segments = 0;
	GElf_Phdr phdr;

	if (elf_getphdrnum(elf, &nr_segments))
		return;
	for (size_t i = 0; i < nr_segments && gelf_getphdr(elf, (int)i, &phdr); i++) {
		if (phdr.p_type == PT_DYNAMIC)
			e->has_dynamic = true;
		if (phdr.p_type != PT_INTERP || e->interpreter || !phdr.p_filesz ||
		    phdr.p_filesz > PATH_BYTES_MAX)
			continue;
		Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)phdr.p_offset, phdr.p_filesz,
		                                      ELF_T_BYTE);

		if (data && data->d_buf)
			e->interpreter =
				syt_asprintf("%.*s", (int)data->d_size, (char *)data->d_buf);
	}
}

/* Opens the file PATH. The result is NULL if PATH is no regular file; *FD is then -1, or an open file. */
static Elf *open_elf(const char *path, int *fd)
{
	struct stat st;

	elf_version(EV_CURRENT);
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	/* The file is read and not mapped, because the file may become shorter. */
	return *fd < 0 || fstat(*fd, &st) || !S_ISREG(st.st_mode)
	               ? NULL
	               : elf_begin(*fd, ELF_C_READ, NULL);
}

/* Returns the build-id among the notes in DATA in hexadecimal, or NULL. */
static char *build_id_in(Elf_Data *data)
{
	GElf_Nhdr note;
	size_t name, text, at = 0, next;

	while (data && (next = gelf_getnote(data, at, &note, &name, &text))) {
		const unsigned char *id = (const unsigned char *)data->d_buf + text;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp((char *)data->d_buf + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) &&
		    note.n_descsz <= BUILD_ID_BYTES_MAX) {
			char *hex = syt_calloc(2 * note.n_descsz + 1, 1);

			for (size_t n = 0; n < note.n_descsz; n++)
				snprintf(hex + 2 * n, 3, "%02x", id[n]);
			return hex;
		}
		at = next;
	}
	return NULL;
}

char *syt_elf_build_id(const char *path)
{
	size_t nr_segments = 0;
	char *hex = NULL;
	GElf_Phdr phdr;
	int fd;
	Elf *elf = open_elf(path, &fd);

	if (elf && elf_kind(elf) == ELF_K_ELF && elf_getphdrnum(elf, &nr_segments))
		nr_segments = 0;
	for (size_t i = 0; !hex && i < nr_segments && gelf_getphdr(elf, (int)i, &phdr); i++)
		if (phdr.p_type == PT_NOTE)
			hex = build_id_in(
				elf_getdata_rawchunk(elf, (int64_t)phdr.p_offset, phdr.p_filesz,
			                             phdr.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return hex;
}

int syt_elf_read(struct syt_elf *e, const char *path)
{
	GElf_Ehdr ehdr;
	size_t names = 0;
	int rv = -ENOEXEC, fd;

	memset(e, 0, sizeof(*e));
	Elf *elf = open_elf(path, &fd);

	if (fd < 0)
		return -errno;
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr))
		goto end;
	e->elf_class = ehdr.e_ident[EI_CLASS];
	e->machine = ehdr.e_machine;
	read_segments(e, elf);
	if (!elf_getshdrstrndx(elf, &names)) {
		for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
			read_section(e, elf, scn, names, ehdr.e_type == ET_DYN);
	}
	rv = 0;
end:
	elf_end(elf);
	close(fd);
	return rv;
}

void syt_elf_clear(struct syt_elf *e)
{
	free(e->interpreter);
	for (unsigned i = 0; i < e->nr_needed; i++)
		free(e->needed[i]);
	memset(e, 0, sizeof(*e));
}
