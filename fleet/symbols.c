/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/symbols.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/source.h"

#define COPY_BYTES (1u << 20)

/* ---- what a file has ---- */

struct kind {
	char build[SYT_SYMBOLS_BUILD + 1];
	enum syt_symbols_rank rank;
	bool is_executable; /* the file has code, not only its symbols */
};

static void note_section(struct kind *k, Elf *elf, size_t names, Elf_Scn *section)
{
	GElf_Shdr h;
	const char *name = gelf_getshdr(section, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;
	enum syt_symbols_rank rank = SYT_RANK_NONE;

	if (!name || h.sh_type == SHT_NOBITS)
		return;
	if (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info"))
		rank = SYT_RANK_DEBUG;
	else if (h.sh_type == SHT_SYMTAB)
		rank = SYT_RANK_SYMBOLS;
	else if (h.sh_type == SHT_DYNSYM)
		rank = SYT_RANK_EXPORTED;
	k->rank = rank > k->rank ? rank : k->rank;
	k->is_executable |= h.sh_type == SHT_PROGBITS && h.sh_flags & SHF_EXECINSTR;
}

/* Examines the ELF file FD. Returns false if it is none, or has no build-id. */
static bool examine(int fd, struct kind *k)
{
	const void *id;
	Elf_Scn *section = NULL;
	Elf *elf;
	size_t names = 0;
	ssize_t bytes;

	memset(k, 0, sizeof(*k));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bytes = elf && elf_kind(elf) == ELF_K_ELF ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	for (ssize_t n = 0; n < bytes && bytes <= (ssize_t)SYT_SYMBOLS_BUILD / 2; n++)
		snprintf(k->build + 2 * n, 3, "%02x", ((const unsigned char *)id)[n]);
	if (*k->build && !elf_getshdrstrndx(elf, &names))
		while ((section = elf_nextscn(elf, section)))
			note_section(k, elf, names, section);
	elf_end(elf);
	return *k->build != 0;
}

/* ---- keeping files ---- */

static bool copy(int from, int to)
{
	char *buffer = syt_alloc(COPY_BYTES, 1);
	ssize_t nr;

	while ((nr = read(from, buffer, COPY_BYTES)) > 0)
		if (write(to, buffer, (size_t)nr) != nr)
			break;
	free(buffer);
	return !nr && !fsync(to);
}

/* Makes NAME in the directory AT with TEXT, or as a copy of FROM or a link to FILE, in one step. */
static bool make(int at, const char *name, int from, const char *file, const char *text)
{
	char *new = syt_asprintf(".%s.%d", name, (int)getpid());
	bool is_done;
	int fd;

	unlinkat(at, new, 0);
	if (file) {
		is_done = !symlinkat(file, at, new);
	} else {
		fd = openat(at, new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		is_done = fd >= 0 && (text ? write(fd, text, strlen(text)) == (ssize_t)strlen(text)
		                           : lseek(from, 0, SEEK_SET) == 0 && copy(from, fd));
		is_done = fd >= 0 && !close(fd) && is_done;
	}
	is_done = is_done && !renameat(at, new, at, name);
	if (!is_done)
		unlinkat(at, new, 0);
	free(new);
	return is_done;
}

/* Returns the rank of the file NAME in the directory AT, or SYT_RANK_NONE. */
static enum syt_symbols_rank rank_of(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_CLOEXEC);
	struct kind k = {0};

	if (fd >= 0) {
		examine(fd, &k);
		close(fd);
	}
	return k.rank;
}

/* Keeps the file FD of the kind K in the directory AT of its build. */
static bool keep(int at, int fd, const struct kind *k, const char *file)
{
	const char *name = k->is_executable ? "executable" : "debuginfo";
	enum syt_symbols_rank before = rank_of(at, name),
			      other = rank_of(at, k->is_executable ? "debuginfo" : "executable"),
			      best = k->rank > other ? k->rank : other;
	char text[] = {(char)('0' + (best > before ? best : before)), '\n', 0};

	return (k->rank > before ? make(at, name, fd, file, NULL) : true) &&
	       make(at, "rank", -1, NULL, text);
}

int syt_symbols_put(const char *dir, const char *file, const char *build, bool is_link)
{
	/* without O_NONBLOCK, a FIFO would wait for a writer */
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK), at = -1, status = -1;
	char *path = NULL, *whole = is_link ? realpath(file, NULL) : NULL;
	struct kind k;

	if (fd < 0 || (is_link && !whole)) {
		syt_warn_errno("%s", file);
	} else if (!examine(fd, &k)) {
		if (!build)
			syt_warn("%s is no ELF file with a build-id", file);
	} else if (!build || !strcmp(build, k.build)) {
		path = syt_asprintf("%s/%s", dir, k.build);
		mkdir(dir, 0777);
		mkdir(path, 0777);
		at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		status = at >= 0 && keep(at, fd, &k, whole) ? 0 : -1;
		if (status)
			syt_warn_errno("cannot keep %s in %s", file, path);
	}
	if (at >= 0)
		close(at);
	if (fd >= 0)
		close(fd);
	free(path);
	free(whole);
	return status;
}

/* ---- sources ---- */

#define MOST_SOURCE_BYTES (16u << 20)

/* Returns PATH without the parts `.`, `..` and empty ones. BASE precedes a relative path. `..` leads not above the root. The caller
 * frees the result. */
static char *plain_path(const char *base, const char *path)
{
	char *whole = *path == '/' ? syt_asprintf("%s", path) : syt_asprintf("%s/%s", base, path);
	char *plain = syt_alloc(strlen(whole) + 2, 1), *rest = NULL;
	size_t nr = 0;

	for (char *part = strtok_r(whole, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
		if (!strcmp(part, "."))
			continue;
		if (!strcmp(part, "..")) {
			while (nr && plain[--nr] != '/')
				;
			continue;
		}
		plain[nr++] = '/';
		memcpy(plain + nr, part, strlen(part));
		nr += strlen(part);
	}
	plain[nr] = 0;
	free(whole);
	return plain;
}

/* Opens the directory of PATH, which plain_path() made, below AT, and stores the last part of PATH in *NAME. MAKES: creates the
 * directories. Follows no symbolic link. Returns -1 on failure. */
static int open_parent(int at, char *path, bool makes, const char **name)
{
	int fd = dup(at);
	char *part = path + 1;

	for (char *end; fd >= 0 && *path && (end = strchr(part, '/')); part = end + 1) {
		int next;

		*end = 0;
		if (makes)
			mkdirat(fd, part, 0777);
		next = openat(fd, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		*end = '/';
		close(fd);
		fd = next;
	}
	*name = *path ? part : path;
	return fd;
}

/* Opens the regular file NAME in the directory AT. */
static int open_file(int at, const char *name, int flags)
{
	int fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Keeps the source PATH in the directory AT, if the file is below the directory FROM. Returns false if it cannot be written. */
static bool keep_source(int at, const char *from, char *path)
{
	char *real = realpath(path, NULL);
	size_t bytes = strlen(from);
	bool is_below = real && !strncmp(real, from, bytes) && (real[bytes] == '/' || bytes == 1);
	int fd = is_below ? open_file(AT_FDCWD, real, O_NOFOLLOW) : -1, parent;
	bool is_done = true;
	const char *name;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size <= MOST_SOURCE_BYTES) {
		parent = open_parent(at, path, true, &name);
		/* most headers belong to several units */
		is_done = parent >= 0 && *name &&
		          (!faccessat(parent, name, F_OK, 0) || make(parent, name, fd, NULL, NULL));
		if (parent >= 0)
			close(parent);
	}
	if (fd >= 0)
		close(fd);
	free(real);
	return is_done;
}

/* Keeps the sources of the compilation unit UNIT. */
static bool keep_sources(int at, const char *from, Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	const char *base = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	Dwarf_Files *files;
	size_t nr;

	if (dwarf_getsrcfiles(unit, &files, &nr))
		return true;
	for (size_t n = 0; n < nr; n++) {
		const char *name = dwarf_filesrc(files, n, NULL, NULL);
		char *path = name ? plain_path(base ? base : "", name) : NULL;
		bool is_done = !path || keep_source(at, from, path);

		free(path);
		if (!is_done)
			return false;
	}
	return true;
}

int syt_symbols_put_sources(const char *dir, const char *file, const char *from)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK), at = -1;
	char *root = realpath(from, NULL), *path;
	Dwarf_Off offset = 0, next;
	Dwarf *dwarf = NULL;
	bool is_done = true;
	size_t bytes;
	struct kind k;

	if (!root || fd < 0 || !examine(fd, &k)) {
		syt_warn_errno("%s", root ? file : from);
		is_done = false;
	} else {
		path = syt_asprintf("%s/%s/source", dir, k.build);
		mkdir(path, 0777);
		at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		dwarf = at < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
		is_done = at >= 0;
		while (is_done && dwarf &&
		       !dwarf_nextcu(dwarf, offset, &next, &bytes, NULL, NULL, NULL)) {
			Dwarf_Die unit;

			if (dwarf_offdie(dwarf, offset + bytes, &unit))
				is_done = keep_sources(at, root, &unit);
			offset = next;
		}
		if (!is_done)
			syt_warn_errno("cannot keep the sources of %s in %s", file, path);
		free(path);
	}
	dwarf_end(dwarf);
	if (at >= 0)
		close(at);
	if (fd >= 0)
		close(fd);
	free(root);
	return is_done ? 0 : -1;
}

int syt_symbols_open(const char *dir, const char *name)
{
	size_t bytes = strspn(name, "0123456789abcdef");
	const char *rest = name + bytes, *last;
	char *path, *source;
	int at, parent, fd = -1;

	if (!bytes || bytes > SYT_SYMBOLS_BUILD)
		return -1;
	if (!strcmp(rest, "/executable") || !strcmp(rest, "/debuginfo")) {
		path = syt_asprintf("%s/%s", dir, name);
		fd = open_file(AT_FDCWD, path, 0);
		free(path);
		return fd;
	}
	if (strncmp(rest, "/source/", strlen("/source/")) != 0)
		return -1;
	path = syt_asprintf("%s/%.*s/source", dir, (int)bytes, name);
	source = plain_path("", rest + strlen("/source"));
	at = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	parent = at < 0 ? -1 : open_parent(at, source, false, &last);
	if (parent >= 0 && *last)
		fd = open_file(parent, last, O_NOFOLLOW);
	if (parent >= 0)
		close(parent);
	if (at >= 0)
		close(at);
	free(source);
	free(path);
	return fd;
}

enum syt_symbols_rank syt_symbols_rank(const char *dir, const char *build)
{
	char *path, digit = 0;
	int fd;

	if (!*build || strlen(build) > SYT_SYMBOLS_BUILD)
		return SYT_RANK_NONE;
	path = syt_asprintf("%s/%s/rank", dir, build);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (fd < 0)
		return SYT_RANK_NONE;
	if (read(fd, &digit, 1) != 1 || digit < '0' || digit > '0' + SYT_RANK_DEBUG)
		digit = '0';
	close(fd);
	return (enum syt_symbols_rank)(digit - '0');
}

/* ---- servers of debuginfod ---- */

#define LIBRARY "libdebuginfod.so.1"
#define MISSING "missing" /* the servers had no file at the time of this file */
#define KNOWN_S 86400
#define WAIT_S "5"

struct client {
	void *library, *session;
	int (*find[2])(void *session, const unsigned char *build, int bytes, char **path);
	void (*end)(void *session);
};

/* The library takes its options from the environment, which may also name servers that the user did not ask for. */
static bool begin_client(struct client *c, const char *dir, const char *urls)
{
	static const char *const names[] = {"debuginfod_find_debuginfo",
	                                    "debuginfod_find_executable"};
	char *cache = syt_asprintf("%s/.cache", dir);
	void *(*begin)(void);

	setenv("DEBUGINFOD_URLS", urls, 1);
	setenv("DEBUGINFOD_CACHE_PATH", cache, 1);
	setenv("DEBUGINFOD_TIMEOUT", WAIT_S, 1);
	setenv("DEBUGINFOD_MAXTIME", WAIT_S, 1);
	free(cache);
	c->library = dlopen(LIBRARY, RTLD_NOW);
	if (!c->library)
		return false;
	for (unsigned n = 0; n < 2; n++)
		*(void **)&c->find[n] = dlsym(c->library, names[n]);
	*(void **)&begin = dlsym(c->library, "debuginfod_begin");
	*(void **)&c->end = dlsym(c->library, "debuginfod_end");
	c->session = begin && c->end && c->find[0] && c->find[1] ? begin() : NULL;
	return c->session;
}

/* Returns true if the servers had no file of the build with the directory PATH, less than a day ago. */
static bool is_missing(const char *path)
{
	char *name = syt_asprintf("%s/" MISSING, path);
	struct stat st;
	bool is_known = !stat(name, &st) && st.st_mtime + KNOWN_S > time(NULL);

	free(name);
	return is_known;
}

static bool note_missing(const char *dir, const char *path)
{
	int at;
	bool is_done;

	mkdir(dir, 0777);
	mkdir(path, 0777);
	at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	is_done = at >= 0 && make(at, MISSING, -1, NULL, "");
	if (at >= 0)
		close(at);
	return is_done;
}

int syt_symbols_fetch(const char *dir, const char *build, const char *urls)
{
	size_t bytes = strspn(build, "0123456789abcdef");
	char *path, *found = NULL;
	struct client c = {0};
	int fd = -ENOENT, status = 0;

	if (!bytes || build[bytes] || bytes > SYT_SYMBOLS_BUILD)
		return 0;
	path = syt_asprintf("%s/%s", dir, build);
	if (is_missing(path)) {
		free(path);
		return 0;
	}
	/* without the directory, the library could not make its cache, and would answer that there is no file */
	mkdir(dir, 0777);
	if (!begin_client(&c, dir, urls)) {
		syt_warn(LIBRARY " cannot be used: %s", c.library ? "wrong version" : dlerror());
		status = -1;
	}
	for (unsigned n = 0; !status && n < 2 && fd == -ENOENT; n++) {
		fd = c.find[n](c.session, (const unsigned char *)build, 0, &found);
		if (fd >= 0) {
			status = syt_symbols_put(dir, found, build, false);
			close(fd);
			unlink(found);
			free(found);
		} else if (fd != -ENOENT) {
			syt_warn("%s: %s: %s", urls, build, strerror(-fd));
			status = -1;
		}
	}
	if (!status && fd == -ENOENT && !note_missing(dir, path)) {
		syt_warn_errno("%s", path);
		status = -1;
	}
	if (c.session)
		c.end(c.session);
	if (c.library)
		dlclose(c.library);
	free(path);
	return status;
}

/* ---- names ---- */

struct syt_binary {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf_Addr bias;
	struct syt_source_search source;
	char *debuginfo;
};

/* Finds the file with the symbols of a module: the one of the store, and never a file of this machine or of a server. */
static int find_debuginfo(Dwfl_Module *module, void **own, const char *name, Dwarf_Addr base,
                          const char *file, const char *link, GElf_Word checksum, char **found)
{
	const struct syt_binary *b = *own;
	int fd = b ? open(b->debuginfo, O_RDONLY | O_CLOEXEC) : -1;

	(void)module;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)checksum;
	if (fd >= 0)
		*found = strdup(b->debuginfo);
	return fd;
}

struct syt_binary *syt_binary_open(const char *dir, const char *build)
{
	static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
	                                         .find_debuginfo = find_debuginfo,
	                                         .section_address = dwfl_offline_section_address};
	char *executable = syt_asprintf("%s/%s/executable", dir, build);
	struct syt_binary *b = syt_calloc(1, sizeof(*b));
	void **own;

	b->debuginfo = syt_asprintf("%s/%s/debuginfo", dir, build);
	b->dwfl = dwfl_begin(&callbacks);
	if (b->dwfl)
		b->module = dwfl_report_offline(
			b->dwfl, build, access(executable, R_OK) ? b->debuginfo : executable, -1);
	if (b->module) {
		dwfl_report_end(b->dwfl, NULL, NULL);
		dwfl_module_info(b->module, &own, NULL, NULL, NULL, NULL, NULL, NULL);
		*own = b;
	}
	if (!b->module || !dwfl_module_getelf(b->module, &b->bias) ||
	    dwfl_module_getsymtab(b->module) <= 0) {
		syt_binary_close(b);
		b = NULL;
	}
	free(executable);
	return b;
}

void syt_binary_close(struct syt_binary *b)
{
	if (!b)
		return;
	syt_source_close(&b->source);
	if (b->dwfl)
		dwfl_end(b->dwfl);
	free(b->debuginfo);
	free(b);
}

/* Returns the name, demangled, or NULL. The caller frees it. */
static char *plain_name(const char *name)
{
	char *plain;

	if (!name || !*name)
		return NULL;
	plain = strncmp(name, "_Z", 2) && strncmp(name, "_R", 2)
	                ? NULL
	                : cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	return plain ? plain : syt_asprintf("%s", name);
}

/* Returns the symbol that contains AT, demangled, and the offset in it, or NULL. */
static char *find_symbol(struct syt_binary *b, uint64_t at, bool is_function, uint64_t *offset)
{
	GElf_Off from = 0;
	GElf_Sym symbol;
	const char *name =
		dwfl_module_addrinfo(b->module, at + b->bias, &from, &symbol, NULL, NULL, NULL);

	if (!name || (GELF_ST_TYPE(symbol.st_info) == STT_OBJECT) == is_function)
		return NULL;
	*offset = from;
	return plain_name(name);
}

char *syt_binary_function(struct syt_binary *b, uint64_t at)
{
	uint64_t offset;

	return at ? find_symbol(b, at - 1, true, &offset) : NULL;
}

char *syt_binary_variable(struct syt_binary *b, uint64_t at)
{
	uint64_t offset = 0;
	char *name = find_symbol(b, at, false, &offset), *with_offset;

	if (!name || !offset)
		return name;
	with_offset = syt_asprintf("%s+0x%" PRIx64, name, offset);
	free(name);
	return with_offset;
}

size_t syt_binary_lines(struct syt_binary *b, uint64_t at, struct syt_line **lines)
{
	struct syt_source_line found[SYT_SOURCE_MOST];
	uint32_t nr_found = at ? syt_source_find(&b->source, b->module, at - 1 + b->bias, found) : 0;
	size_t nr = 0;

	*lines = syt_calloc(SYT_SOURCE_MOST, sizeof(**lines));
	/* without functions, the first element has the line alone */
	for (uint32_t n = 0; at && n < (nr_found ? nr_found : 1); n++)
		if (found[n].file && found[n].line)
			(*lines)[nr++] = (struct syt_line){
				plain_path(found[n].directory ? found[n].directory : "",
			                   found[n].file),
				found[n].line,
				found[n].is_inlined ? plain_name(found[n].fn) : NULL};
	return nr;
}
