/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Opens each distinct file (path and build-id) once, with its own Dwfl. Several processes thus share one file and
 * its Dwfl, and a damaged file cannot affect other files. The result of each lookup of an address is cached. */
#include "decoder/read/symbol.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <libiberty/demangle.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bisect.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/source.h"
#include "decoder/read/field.h"
#include "decoder/read/symtab.h"
#include "decoder/read/perf_map.h"

#define UNITS_READ 16u /* number of compilation units in which an option -O is searched */

#define HEADER_BYTES 12u /* the section .eh_frame_hdr before its table */

/* An entry of the table in the section .eh_frame_hdr. */
struct begin {
	int32_t at;  /* the first address of a function, minus the address of the section */
	int32_t fde; /* unused: the same for its unwind information */
};

struct file {
	char *path;
	/* name of the file in messages and call paths: the last component of path, or the program's name */
	char *name;
	uint8_t *build_id;
	uint32_t build_id_bytes;
	Dwfl *dwfl;
	Dwfl_Module *module;             /* the file in the Dwfl; NULL: no symbols are available */
	Dwarf_Addr bias;                 /* address in the Dwfl minus address in the file */
	struct syt_variables *variables; /* NULL: not read yet */
	/* the begins of the functions in the file, sorted; the memory belongs to the Dwfl */
	const struct begin *begins;
	uint32_t nr_begins;
	uint64_t begins_base;
	bool has_read_begins;
	bool is_listed_unnamed;    /* a report listed a function of this file without a name */
	struct syt_source_search source;
	struct syt_symtab *symtab; /* NULL: not read yet */
	struct syt_perf_map *map;  /* the names of generated code; NULL for a file */
	struct file *next;
};

struct entry {
	struct file *file; /* file of the address; NULL: the address is in no module */
	uint64_t address;  /* address to look up: in the file, or absolute without a file */
	struct syt_location location;
};

/* A cache for one process image: file of each module index, entry of each stack id. */
struct image_cache {
	const struct syt_image *image;
	uint32_t nr_files, nr_entries;
	struct file **files;
	struct entry **entries;
	struct file *generated; /* generated code of the image, if the image has a map of perf */
	bool has_read_map;
};

struct syt_symbols {
	struct file *files;
	struct image_cache *images;
	size_t nr_images, room_images;
	struct syt_hash index;
	struct entry **entries;
	size_t nr_entries, room_entries;
	bool is_listed_generated; /* a report listed an address outside of all files */
	bool is_quiet;            /* without messages: syt_symbols_fork() */
	struct pool {
		struct pool *next;
		char text[];
	} * strings;
};

/* elfutils has variables that all its handles share. Threads with different tables may look up addresses at the same time. */
static pthread_mutex_t elfutils = PTHREAD_MUTEX_INITIALIZER;

struct syt_symbols *syt_symbols_create(bool has_debuginfod)
{
	struct syt_symbols *s = syt_calloc(1, sizeof(*s));

	/* if this variable is set, elfutils itself asks the debuginfod servers */
	if (!has_debuginfod)
		unsetenv("DEBUGINFOD_URLS");
	return s;
}

void syt_symbols_forget_images(struct syt_symbols *s)
{
	for (size_t n = 0; n < s->nr_images; n++) {
		free(s->images[n].files);
		free(s->images[n].entries);
	}
	s->nr_images = 0;
}

void syt_symbols_destroy(struct syt_symbols *s)
{
	for (struct file *f = s->files, *next; f; f = next) {
		next = f->next;
		syt_variables_destroy(f->variables);
		syt_symtab_close(f->symtab);
		syt_source_close(&f->source);
		syt_perf_map_destroy(f->map);
		if (f->dwfl)
			dwfl_end(f->dwfl);
		free(f->path);
		free(f->name);
		free(f->build_id);
		free(f);
	}
	for (size_t n = 0; n < s->nr_entries; n++) {
		free((void *)(uintptr_t)s->entries[n]->location.symbols);
		free(s->entries[n]);
	}
	for (struct pool *p = s->strings, *next; p; p = next) {
		next = p->next;
		free(p);
	}
	syt_symbols_forget_images(s);
	free(s->images);
	free(s->entries);
	syt_hash_close(&s->index);
	free(s);
}

/* Returns a copy of TEXT, which S owns and frees. */
static const char *keep(struct syt_symbols *s, const char *text)
{
	size_t bytes = strlen(text) + 1;
	struct pool *p = syt_alloc(1, sizeof(*p) + bytes);

	memcpy(p->text, text, bytes);
	p->next = s->strings;
	s->strings = p;
	return p->text;
}

/* ---- files ---- */

/* Returns true if F is libsyntrace.so: in a build tree or installed, with or without a version in its file name. */
static bool is_recorder(const struct file *f)
{
	static const char recorder[] = "libsyntrace.so";
	const char *name = basename(f->path);
	size_t bytes = sizeof(recorder) - 1;

	return strncmp(name, recorder, bytes) == 0 && (!name[bytes] || name[bytes] == '.');
}

static bool has_build_id(const struct file *f)
{
	const unsigned char *id;
	GElf_Addr address;
	int bytes = dwfl_module_build_id(f->module, &id, &address);

	/* the module was built without a build-id: only the path can be compared */
	if (!f->build_id_bytes)
		return true;
	return bytes == (int)f->build_id_bytes && memcmp(id, f->build_id, f->build_id_bytes) == 0;
}

/* Reports that the functions of F have no names because of WHY. */
static void warn_of(const struct syt_symbols *s, const struct file *f, const char *why)
{
	if (!s->is_quiet)
		syt_warn("%s: %s; functions of this file are printed as module+offset", f->path,
		         why);
}

static void open_file(const struct syt_symbols *s, struct file *f)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	Dwarf_Addr bias;
	struct stat st;

	/* [vdso] and similar modules have no file on disk */
	if (f->path[0] != '/' || is_recorder(f))
		return;
	/* a path in a dump may name anything; opening a FIFO, a terminal or /proc/kmsg would block */
	if (stat(f->path, &st) == 0 && (!S_ISREG(st.st_mode) || !st.st_size)) {
		warn_of(s, f, "not a program or library");
		return;
	}
	f->dwfl = dwfl_begin(&callbacks);
	if (!f->dwfl)
		return;
	dwfl_report_begin(f->dwfl);
	f->module = dwfl_report_offline(f->dwfl, f->name, f->path, -1);
	if (!f->module)
		warn_of(s, f, dwfl_errmsg(-1));
	dwfl_report_end(f->dwfl, NULL, NULL);
	if (f->module && !has_build_id(f)) {
		warn_of(s, f, "not the file that ran (another build ID)");
		f->module = NULL;
	}
	if (f->module && !dwfl_module_getelf(f->module, &bias))
		f->module = NULL;
	f->bias = f->module ? bias : 0;
}

/* Returns the file with a path, a name and a build id. Opens it if S does not have it. */
static struct file *find(struct syt_symbols *s, const char *path, const char *name,
                         const uint8_t *build_id, uint32_t build_id_bytes)
{
	for (struct file *f = s->files; f; f = f->next)
		if (!f->map && strcmp(f->path, path) == 0 && strcmp(f->name, name) == 0 &&
		    f->build_id_bytes == build_id_bytes &&
		    memcmp(f->build_id, build_id, build_id_bytes) == 0)
			return f;

	struct file *f = syt_calloc(1, sizeof(*f));

	f->path = syt_asprintf("%s", path);
	f->name = syt_asprintf("%s", name);
	f->build_id_bytes = build_id_bytes;
	f->build_id = syt_alloc(build_id_bytes, 1);
	if (build_id_bytes)
		memcpy(f->build_id, build_id, build_id_bytes);
	f->next = s->files;
	s->files = f;
	open_file(s, f);
	return f;
}

/* Returns the file of a module. If the program was started through a symbolic link, such as
 * redis-server, the file gets the name of its process image (argv[0]). */
static struct file *find_file(struct syt_symbols *s, const struct syt_image *i,
                              const struct syt_module_info *m)
{
	const char *path = m->path ? m->path : "";
	const char *name = i->exe && !strcmp(path, i->exe) ? syt_image_program(i) : basename(path);

	return find(s, path, name, m->build_id, m->build_id_bytes);
}

struct syt_symbols *syt_symbols_fork(void)
{
	struct syt_symbols *s = syt_calloc(1, sizeof(*s));

	s->is_quiet = true;
	return s;
}

void syt_symbols_join(struct syt_symbols *s, struct syt_symbols *fork)
{
	pthread_mutex_lock(&elfutils);
	for (const struct file *f = fork->files; f; f = f->next)
		if (!f->map && !f->module)
			find(s, f->path, f->name, f->build_id, f->build_id_bytes);
	pthread_mutex_unlock(&elfutils);
	syt_symbols_destroy(fork);
}

/* ---- functions at an address ---- */

/* Returns NAME as the source has it, also without the version of a symbol (name@@VERSION). */
static const char *demangled(struct syt_symbols *s, const char *name)
{
	char *plain = NULL;
	const char *kept, *version;

	if (!name)
		return NULL;
	version = strchr(name, '@');
	if (strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0)
		plain = cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	if (!plain && version > name)
		plain = syt_asprintf("%.*s", (int)(version - name), name);
	kept = keep(s, plain ? plain : name);
	free(plain);
	return kept;
}

/* Fills TO (SYT_SOURCE_MOST elements) with the functions at ADDRESS from debug information, innermost first. Returns the
 * number of functions. */
static uint32_t from_dwarf(struct syt_symbols *s, struct file *f, Dwarf_Addr address,
                           struct syt_symbol *to)
{
	struct syt_source_line found[SYT_SOURCE_MOST];
	uint32_t nr = syt_source_find(&f->source, f->module, address, found);

	for (uint32_t n = 0; n < (nr ? nr : 1); n++)
		to[n] = (struct syt_symbol){demangled(s, found[n].fn),
		                            found[n].file ? keep(s, found[n].file) : NULL,
		                            found[n].line, found[n].is_inlined};
	return nr;
}

/* Sets the symbol of generated code from a map of perf. Python's names are "py::FUNCTION:FILE". */
static void look_up_generated(struct syt_symbols *s, struct entry *e)
{
	const char *name = syt_perf_map_function(e->file->map, e->address);
	const char *colon = strncmp(name, "py::", 4) ? NULL : strchr(name + 4, ':');
	struct syt_symbol *symbol = syt_calloc(1, sizeof(*symbol));
	char *fn =
		syt_asprintf("%.*s", (int)(colon ? colon - name : (ptrdiff_t)strlen(name)), name);

	symbol->fn = keep(s, fn);
	symbol->file = colon && colon[1] ? keep(s, colon + 1) : NULL;
	free(fn);
	e->location.symbols = symbol;
	e->location.nr_symbols = 1;
}

/* The functions of libc come from its symbol table only: where its debug information is installed, it is compressed, and to read it
 * takes longer than to decode a million events. So libc's functions have the same names with and without this information. */
static bool is_libc(const struct file *f)
{
	return strcmp(basename(f->path), "libc.so.6") == 0;
}

static void look_up(struct syt_symbols *s, struct entry *e)
{
	struct file *f = e->file;
	struct syt_location *l = &e->location;
	struct syt_symbol found[SYT_SOURCE_MOST];

	if (f && f->map)
		look_up_generated(s, e);
	if (!f || !f->module)
		return;
	Dwarf_Addr address = e->address + f->bias;
	uint32_t nr = 0;
	const char *name;

	found[0] = (struct syt_symbol){0};
	if (!is_libc(f))
		nr = from_dwarf(s, f, address, found);
	if (!f->symtab)
		f->symtab = syt_symtab_open(f->module);
	name = syt_symtab_find(f->symtab, address);
	/* no debug information was found: uses the symbol table, without inlined functions */
	if (!nr) {
		if (!name && !found[0].file)
			return;
		found[0].fn = demangled(s, name);
		nr = 1;
	} else if (!found[nr - 1].fn) {
		found[nr - 1].fn = demangled(s, name);
	}
	struct syt_symbol *symbols = syt_alloc(nr, sizeof(*symbols));

	memcpy(symbols, found, nr * sizeof(*symbols));
	l->symbols = symbols;
	l->nr_symbols = nr;
}

/* Finds the table of the begins of functions in the section .eh_frame_hdr of F, which stripped files have, too (Linux Standard
 * Base, "The .eh_frame_hdr section"). Leaves the table empty if its entries are not in the form that GNU ld and LLVM write. */
static void find_begins(struct file *f)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(f->module, &bias);
	size_t names;

	f->has_read_begins = true;
	if (!elf || elf_getshdrstrndx(elf, &names))
		return;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		static const uint8_t usual[] = {1, DW_EH_PE_pcrel | DW_EH_PE_sdata4,
		                                DW_EH_PE_udata4,
		                                DW_EH_PE_datarel | DW_EH_PE_sdata4};
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
		                           ? elf_strptr(elf, names, header.sh_name)
		                           : NULL;
		Elf_Data *data =
			name && !strcmp(name, ".eh_frame_hdr") ? elf_rawdata(section, NULL) : NULL;
		uint32_t nr;

		if (!data || data->d_size < HEADER_BYTES ||
		    memcmp(data->d_buf, usual, sizeof(usual)) != 0 ||
		    (uintptr_t)data->d_buf % sizeof(int32_t))
			continue;
		memcpy(&nr, (const uint8_t *)data->d_buf + HEADER_BYTES - sizeof(nr), sizeof(nr));
		if (nr > (data->d_size - HEADER_BYTES) / sizeof(*f->begins))
			nr = (uint32_t)((data->d_size - HEADER_BYTES) / sizeof(*f->begins));
		f->begins = (const struct begin *)((const uint8_t *)data->d_buf + HEADER_BYTES);
		f->nr_begins = nr;
		f->begins_base = header.sh_addr;
		return;
	}
}

/* Returns the address in the file at which the unnamed function at ADDRESS begins. Returns OTHERWISE if this is not known. */
static uint64_t function_begin(struct file *f, uint64_t address, uint64_t otherwise)
{
	size_t next;

	if (!f->module)
		return otherwise;
	if (!f->has_read_begins)
		find_begins(f);
	next = SYT_BISECT(n, 0, f->nr_begins,
	                  f->begins_base + (uint64_t)(int64_t)f->begins[n].at <= address);
	return next ? f->begins_base + (uint64_t)(int64_t)f->begins[next - 1].at : otherwise;
}

/* All calls in a function without a name have the same label: they must not differ in call paths, as in a file with
 * symbols. */
static void set_label(struct syt_symbols *s, struct entry *e)
{
	struct syt_location *l = &e->location;
	char *text;

	if (l->nr_symbols && l->symbols[0].fn) {
		l->label = l->symbols[0].fn;
		return;
	}
	if (e->file)
		text = syt_asprintf("%s+0x%" PRIx64, *e->file->name ? e->file->name : "?",
		                    function_begin(e->file, e->address, l->offset));
	else
		text = syt_asprintf("0x%" PRIx64, l->pc);
	l->label = keep(s, text);
	free(text);
}

/* ---- caches ---- */

static bool is_at(const struct entry *e, const struct file *f, uint64_t address, uint64_t pc)
{
	return e->file == f && e->address == address && e->location.pc == pc;
}

/* Grows the cache. A trace that is still being recorded gets more modules and stacks. */
static void grow_cache(struct image_cache *c, const struct syt_image *i)
{
	if (c->nr_files < i->nr_modules) {
		c->files = syt_realloc(c->files, i->nr_modules, sizeof(struct file *));
		memset(c->files + c->nr_files, 0,
		       (i->nr_modules - c->nr_files) * sizeof(struct file *));
		c->nr_files = i->nr_modules;
	}
	if (c->nr_entries < i->nr_stacks) {
		c->entries = syt_realloc(c->entries, i->nr_stacks, sizeof(struct entry *));
		memset(c->entries + c->nr_entries, 0,
		       (i->nr_stacks - c->nr_entries) * sizeof(struct entry *));
		c->nr_entries = i->nr_stacks;
	}
}

static struct image_cache *cache_of(struct syt_symbols *s, const struct syt_image *i)
{
	struct image_cache *c = NULL;

	for (size_t n = s->nr_images; !c && n-- > 0;)
		if (s->images[n].image == i)
			c = &s->images[n];
	if (!c) {
		c = SYT_ADD(s->images, s->nr_images, s->room_images);
		*c = (struct image_cache){.image = i};
	}
	grow_cache(c, i);
	return c;
}

/* Returns the file of the module with index M of image I. */
static struct file *file_of(struct syt_symbols *s, struct image_cache *c, const struct syt_image *i,
                            uint32_t m)
{
	if (!c->files[m])
		c->files[m] = find_file(s, i, &i->modules[m]);
	return c->files[m];
}

/* Reads the map of perf of image I. A forked child also runs code that its parent generated. */
static struct syt_perf_map *read_map(const struct syt_image *i)
{
	struct syt_perf_map *map = syt_perf_map_read(i);
	uint32_t n = map || !i->trace
	                     ? SYT_NONE
	                     : syt_image_parent(i->trace, (uint32_t)(i - i->trace->images));
	const struct syt_image *parent = n == SYT_NONE ? NULL : &i->trace->images[n];

	if (parent && parent->file.pid != i->file.pid && parent->exe && i->exe &&
	    !strcmp(parent->exe, i->exe))
		map = syt_perf_map_read(parent);
	return map;
}

/* Returns the generated code of image I if it contains ADDRESS, or NULL. */
static struct file *generated_at(struct syt_symbols *s, struct image_cache *c,
                                 const struct syt_image *i, uint64_t address)
{
	if (!c->has_read_map) {
		struct syt_perf_map *map = read_map(i);

		c->has_read_map = true;
		if (map) {
			c->generated = syt_calloc(1, sizeof(*c->generated));
			c->generated->path = syt_asprintf("%s", "");
			c->generated->name = syt_asprintf("%s", "");
			c->generated->map = map;
			c->generated->next = s->files;
			s->files = c->generated;
		}
	}
	return c->generated && syt_perf_map_function(c->generated->map, address) ? c->generated
	                                                                         : NULL;
}

/* Returns the entry of STACK, which the cache C of image I does not have yet. */
static struct entry *find_entry(struct syt_symbols *s, struct image_cache *c,
                                const struct syt_image *i, uint32_t stack)
{
	const struct syt_stack_node *node = &i->stacks[stack];
	uint64_t offset = node->offset & SYT_STACK_OFFSET;
	uint32_t m = node->module - 1u;
	struct file *f = NULL;
	uint64_t bias = 0;

	if (m < i->nr_modules && i->modules[m].id) {
		f = file_of(s, c, i, m);
		bias = i->modules[m].bias;
	}
	/* a return address may be the first address of the next function; the call lies before it */
	uint64_t address = offset - (node->offset & SYT_STACK_SIGNAL || !offset ? 0 : 1);
	if (!f && offset)
		f = generated_at(s, c, i, address);
	uint32_t h = syt_hash_words((uintptr_t)f ^ address, offset + bias);
	uint32_t n =
		SYT_HASH_FIND(&s->index, h, k, is_at(s->entries[k], f, address, offset + bias));

	if (n == SYT_HASH_NONE) {
		struct entry *e = syt_calloc(1, sizeof(*e));

		e->file = f;
		e->address = address;
		e->location.pc = offset + bias;
		e->location.offset = offset;
		e->location.module = f && !f->map ? f->path : NULL;
		e->location.is_recorder = f && is_recorder(f);
		look_up(s, e);
		set_label(s, e);
		syt_grow(&s->entries, &s->room_entries, s->nr_entries + 1, sizeof(*s->entries));
		n = syt_hash_add(&s->index, h, s->nr_entries++);
		s->entries[n] = e;
	}
	return s->entries[n];
}

const struct syt_location *syt_symbol_locate(struct syt_symbols *s, const struct syt_image *i,
                                             uint32_t stack)
{
	struct image_cache *c = cache_of(s, i);

	if (!c->entries[stack]) {
		pthread_mutex_lock(&elfutils);
		c->entries[stack] = find_entry(s, c, i, stack);
		pthread_mutex_unlock(&elfutils);
	}
	return &c->entries[stack]->location;
}

/* ---- files with frames ---- */

static bool has_symbol_table(Dwfl_Module *module)
{
	Dwarf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	Elf_Scn *section = NULL;

	while (elf && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			return true;
	}
	return false;
}

/* Returns the option -O with which the compiler made F, or NULL. Most files of a program have the same option, so
 * this function reads few of them. */
static const char *optimization_of(struct syt_symbols *s, const struct file *f)
{
	const char *found = NULL;
	Dwarf_Die *unit = NULL;
	Dwarf_Attribute attr;
	Dwarf_Addr bias;

	for (unsigned n = 0; n < UNITS_READ && !found; n++) {
		unit = dwfl_module_nextcu(f->module, unit, &bias);
		if (!unit)
			break;

		const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attr));
		const char *last = NULL;

		/* the last -O of a command line wins */
		for (const char *p = producer; p && (p = strstr(p, " -O")); p++)
			last = p + 1;
		if (last) {
			char *text = syt_strndup(last, strcspn(last, " "));

			found = keep(s, text);
			free(text);
		} else if (producer && strstr(producer, " -m")) {
			found = "-O0"; /* gcc lists its options */
		}
	}
	return found;
}

void syt_symbols_files(struct syt_symbols *s,
                       void (*tell)(void *context, const struct syt_symbol_file *f), void *context)
{
	for (const struct file *f = s->files; f; f = f->next) {
		struct syt_symbol_file told = {.name = f->name,
		                               .build_id = f->build_id,
		                               .build_id_bytes = f->build_id_bytes};
		Dwarf_Addr bias;

		if (f->path[0] != '/' || is_recorder(f))
			continue;
		if (f->module && dwfl_module_getdwarf(f->module, &bias)) {
			told.names = SYT_NAMES_DEBUG;
			told.optimization = optimization_of(s, f);
		} else if (f->module) {
			told.names = has_symbol_table(f->module) ? SYT_NAMES_SYMBOLS
			                                         : SYT_NAMES_EXPORTED;
		}
		tell(context, &told);
	}
}

const char *syt_symbol_function(struct syt_symbols *s, const struct syt_image *i, uint32_t stack)
{
	const char *innermost = syt_symbol_locate(s, i, stack)->label;

	for (; stack && stack < i->nr_stacks; stack = i->stacks[stack].parent) {
		const struct syt_location *l = syt_symbol_locate(s, i, stack);

		if (!l->is_recorder &&
		    !syt_symbol_is_library(l->label, l->nr_symbols ? l->symbols : NULL))
			return l->label;
		for (uint32_t n = 1; !l->is_recorder && n < l->nr_symbols; n++)
			if (l->symbols[n].fn &&
			    !syt_symbol_is_library(l->symbols[n].fn, &l->symbols[n]))
				return l->symbols[n].fn;
	}
	return innermost;
}

/* ---- variables ---- */

/* Returns the field at OFFSET of the variable at ADDRESS (in the Dwfl), as text that the caller frees. */
static char *field_of(struct file *f, Dwarf_Addr address, uint64_t offset)
{
	char *path;

	if (!f->variables)
		f->variables = syt_variables_create(f->module);
	path = syt_field_path(f->variables, address, offset);
	if (path)
		return path;
	return offset ? syt_asprintf("+0x%" PRIx64, offset) : syt_asprintf("%s", "");
}

/* Returns the name of the variable at ADDRESS (in the file F), or NULL if the file's symbol table lacks it. */
static const char *variable_at(struct syt_symbols *s, struct file *f, uint64_t address)
{
	const char *name, *kept, *dot;
	GElf_Off offset;
	GElf_Sym sym;
	char *field, *text;

	name = f->module ? dwfl_module_addrinfo(f->module, address + f->bias, &offset, &sym, NULL,
	                                        NULL, NULL)
	                 : NULL;
	/* libdwfl also returns the last symbol before the address, even if the symbol ends there */
	if (!name || offset >= sym.st_size)
		return NULL;
	field = field_of(f, address + f->bias - offset, offset);
	name = demangled(s, name);
	/* the compiler numbers the static variables of functions: "lock.3" */
	dot = strrchr(name, '.');
	if (!dot || dot == name || !dot[1] || dot[1 + strspn(dot + 1, "0123456789")])
		dot = name + strlen(name);
	text = syt_asprintf("%.*s%s", (int)(dot - name), name, field);
	kept = keep(s, text);
	free(text);
	free(field);
	return kept;
}

const char *syt_symbol_variable(struct syt_symbols *s, const struct syt_image *i, uint64_t address,
                                syt_time at)
{
	struct image_cache *c = cache_of(s, i);
	struct file *f;
	const char *name;
	char *text;
	uint32_t m = 0;

	while (m < i->nr_modules && (!i->modules[m].id || address < i->modules[m].start ||
	                             address >= i->modules[m].end || at >= i->modules[m].to))
		m++;
	if (m == i->nr_modules)
		return NULL;
	pthread_mutex_lock(&elfutils);
	f = file_of(s, c, i, m);
	address -= i->modules[m].bias;
	name = variable_at(s, f, address);
	pthread_mutex_unlock(&elfutils);
	if (name)
		return name;
	text = syt_asprintf("%s+0x%" PRIx64, *f->name ? f->name : "?", address);
	name = keep(s, text);
	free(text);
	return name;
}

/* Returns the part of FUNCTION after "decltype (EXPRESSION) ", the type of a result. */
static const char *past_decltype(const char *function)
{
	unsigned depth = 0;

	if (strncmp(function, "decltype", 8) != 0)
		return function;
	for (const char *at = function + 8; *at; at++) {
		depth += *at == '(';
		if (*at == ')' && depth && !--depth)
			return at[1] == ' ' ? at + 2 : function;
	}
	return function;
}

bool syt_symbol_is_of_language(const char *function)
{
	static const char *const begins[] = {
		"std::",  "core::",  "alloc::",  "__gnu_cxx::", "boost::",
		"<std::", "<core::", "<alloc::", "__gthread_",  "libstdc++.so"};

	const char *space;

	/* the name of an instance of a template begins with the type of its result */
	function = past_decltype(function);
	space = memrchr(function, ' ', strcspn(function, "<("));
	for (size_t n = 0; n < sizeof(begins) / sizeof(begins[0]); n++)
		if (!strncmp(function, begins[n], strlen(begins[n])) ||
		    (space && !strncmp(space + 1, begins[n], strlen(begins[n]))))
			return true;
	return false;
}

bool syt_symbol_is_library(const char *function, const struct syt_symbol *symbol)
{
	return syt_symbol_is_of_language(function) ||
	       (symbol && symbol->file && strstr(symbol->file, "/include/c++/"));
}

size_t syt_symbol_plain_bytes(const char *function, size_t bytes)
{
	static const char *const suffixes[] = {" [clone",     ".isra.", ".part.",
	                                       ".constprop.", ".cold",  ".lto_priv."};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const char *at = memmem(function, bytes, suffixes[i], strlen(suffixes[i]));

		if (at && at > function)
			bytes = (size_t)(at - function);
	}
	return bytes;
}

/* ---- functions without a name ---- */

/* Returns true if the call path PATH has a function of F without a name. */
static bool has_unnamed(const struct file *f, const char *path)
{
	for (const char *at = strstr(path, f->name); at; at = strstr(at + 1, f->name))
		if (!strncmp(at + strlen(f->name), "+0x", 3))
			return true;
	return false;
}

bool syt_symbols_lack_file(const struct syt_symbols *s, const char *path)
{
	for (const struct file *f = s->files; f && strstr(path, "+0x"); f = f->next)
		if (!f->module && has_unnamed(f, path))
			return true;
	return false;
}

void syt_symbols_note_listed(struct syt_symbols *s, const char *path)
{
	s->is_listed_generated |= !strncmp(path, "0x", 2) || strstr(path, ";0x");
	if (!strstr(path, "+0x"))
		return;
	for (struct file *f = s->files; f; f = f->next)
		f->is_listed_unnamed |= f->module && has_unnamed(f, path);
}

bool syt_symbols_lack_map(const struct syt_symbols *s)
{
	return s->is_listed_generated;
}

char *syt_symbols_unnamed(const struct syt_symbols *s)
{
	char *names = NULL;

	for (const struct file *f = s->files; f; f = f->next) {
		char *longer;

		if (!f->is_listed_unnamed || (names && strstr(names, f->name)))
			continue;
		longer = names ? syt_asprintf("%s, %s", names, f->name)
		               : syt_asprintf("%s", f->name);
		free(names);
		names = longer;
	}
	return names;
}
