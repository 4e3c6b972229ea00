/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads small parts of an executable file with raw system calls. A malformed executable counts as traceable;
 * the kernel or the loader then reports the error. */
#include "preload/target-elf.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/sys.h" /* system calls without errno, cancellation and wrappers */

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#define OUR_LOADER "/lib64/ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#define OUR_LOADER "/lib/ld-linux-aarch64.so.1"
#endif
#define LOADER_NAME "ld-linux" /* prefix of the file name of glibc's loader */
#define MUSL_LOADER_NAME "ld-musl"

/* A symbol version that the loader of the oldest supported glibc defines, and that libsyntrace.so needs. */
#define OLDEST_VERSION "GLIBC_2.35"
/* number of bytes of the loader to search; the version name is near byte 3000 */
#define VERSION_WITHIN 16384u

#define PATH_BYTES 256
#define NR_SEGMENTS 64
#define NR_NEEDED 32u

static struct {
	uint64_t dev, inode;
} own_loader;

void syt_target_init(void)
{
	struct stat st;

	if (SYT_SYS_4(SYS_newfstatat, AT_FDCWD, OUR_LOADER, &st, 0) == 0) {
		own_loader.dev = st.st_dev;
		own_loader.inode = st.st_ino;
	}
}

/* Reads up to BYTES of the file F. Returns the number of bytes read, or a negative error number. */
static long read_some(const struct syt_target_file *f, void *to, size_t bytes, uint64_t at)
{
	if (at > f->nr_bytes || bytes > f->nr_bytes - at)
		return SYT_SYS_4(SYS_pread64, f->fd, to, bytes, at);
	memcpy(to, f->start.line + at, bytes);
	return (long)bytes;
}

static bool read_at(const struct syt_target_file *f, void *to, size_t bytes, uint64_t at)
{
	return read_some(f, to, bytes, at) == (long)bytes;
}

static bool is_named(const char *path, const char *begin)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, begin, strlen(begin));
}

static bool is_loader(const char *path)
{
	return is_named(path, LOADER_NAME);
}

/* Returns true if the loader of another glibc, e.g. in a chroot, defines the version that the
 * recorder needs. A loader without this version would refuse to start the program. */
static bool has_version(const char *loader)
{
	const size_t name = sizeof(OLDEST_VERSION) - 1;
	char piece[PATH_BYTES];
	struct stat st;
	bool has = false;
	long fd, n;

	if (SYT_SYS_4(SYS_newfstatat, AT_FDCWD, loader, &st, 0) < 0 ||
	    (st.st_dev == own_loader.dev && st.st_ino == own_loader.inode))
		return true;
	fd = SYT_SYS_4(SYS_openat, AT_FDCWD, loader, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return true;
	for (uint64_t at = 0; !has && at < VERSION_WITHIN; at += sizeof(piece) - name) {
		n = SYT_SYS_4(SYS_pread64, fd, piece, sizeof(piece), at);
		for (long i = 0; !has && i + (long)name <= n; i++)
			has = !memcmp(piece + i, OLDEST_VERSION, name);
	}
	SYT_SYS_1(SYS_close, fd);
	return has;
}

static bool is_sanitizer(const char *name)
{
	static const char *const prefixes[] = {"libasan.so", "libtsan.so", "liblsan.so",
	                                       "libclang_rt.asan", "libclang_rt.tsan"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* Returns the file offset of the data that the loader maps at ADDRESS, or 0. */
static uint64_t offset_of(const struct syt_target_file *f, uint64_t address)
{
	const Elf64_Ehdr *elf = &f->start.elf;

	for (unsigned i = 0; i < elf->e_phnum && i < NR_SEGMENTS; i++) {
		Elf64_Phdr p;

		if (!read_at(f, &p, sizeof(p), elf->e_phoff + i * sizeof(p)))
			return 0;
		if (p.p_type == PT_LOAD && address - p.p_vaddr < p.p_filesz)
			return p.p_offset + (address - p.p_vaddr);
	}
	return 0;
}

/* Looks for a sanitizer library among the executable's needed libraries, because it must be loaded first. */
static void find_sanitizer(struct syt_new_image *image, const struct syt_target_file *f,
                           const Elf64_Phdr *dynamic)
{
	uint64_t needed[NR_NEEDED], strings = 0;
	unsigned nr_needed = 0;
	Elf64_Dyn d[8];

	for (uint64_t at = 0; at < dynamic->p_filesz; at += sizeof(d)) {
		long n = read_some(f, d, sizeof(d), dynamic->p_offset + at);

		for (unsigned i = 0; i < sizeof(d) / sizeof(*d); i++) {
			if (n < (long)((i + 1) * sizeof(*d)) || d[i].d_tag == DT_NULL)
				goto read;
			if (d[i].d_tag == DT_NEEDED && nr_needed < NR_NEEDED)
				needed[nr_needed++] = d[i].d_un.d_val;
			else if (d[i].d_tag == DT_STRTAB)
				strings = offset_of(f, d[i].d_un.d_ptr);
		}
	}
read:
	for (unsigned i = 0; strings && i < nr_needed; i++) {
		char name[SYT_SANITIZER_BYTES];
		long n = read_some(f, name, sizeof(name), strings + needed[i]);

		if (n > 0 && memchr(name, 0, (size_t)n) && is_sanitizer(name)) {
			memcpy(image->sanitizer, name, strlen(name) + 1);
			return;
		}
	}
}

void syt_target_elf(struct syt_new_image *image, const struct syt_target_file *f, const char *path)
{
	const Elf64_Ehdr *elf = &f->start.elf;
	Elf64_Phdr dynamic = {0}, p;
	char loader[PATH_BYTES] = "";

	if (elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_machine != OUR_MACHINE) {
		image->target =
			elf->e_ident[EI_CLASS] == ELFCLASS32 ? SYT_TARGET_32BIT : SYT_TARGET_CLASS;
		return;
	}
	for (unsigned i = 0; i < elf->e_phnum && i < NR_SEGMENTS; i++) {
		if (!read_at(f, &p, sizeof(p), elf->e_phoff + i * sizeof(p)))
			return;
		if (p.p_type == PT_DYNAMIC)
			dynamic = p;
		if (p.p_type == PT_INTERP) {
			long n = read_some(f, loader,
			                   p.p_filesz < sizeof(loader) ? p.p_filesz
			                                               : sizeof(loader) - 1,
			                   p.p_offset);

			if (n <= 0)
				return;
			loader[n] = 0;
		}
	}
	if (!*loader) /* the loader, run as a program, also loads libsyntrace.so */
		image->target = dynamic.p_type == PT_DYNAMIC && is_loader(path) ? SYT_TARGET_LISTING
		                                                                : SYT_TARGET_STATIC;
	else if (is_named(loader, MUSL_LOADER_NAME))
		image->target = SYT_TARGET_MUSL;
	else if (!is_loader(loader) || !has_version(loader))
		image->target = SYT_TARGET_LIBC;
	else
		find_sanitizer(image, f, &dynamic);
}
