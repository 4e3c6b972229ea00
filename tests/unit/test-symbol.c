/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Symbols of this program itself: functions, lines, inlined frames, and the result without debug
 * information.
 */
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "decoder/read/reader.h"
#include "decoder/read/symbol.h"
#include "decoder/read/symtab.h"
#include "tests/lib/dump-writer.h"

static char self[4096];
static uint8_t build_id[64];
static uint32_t build_id_bytes;
static uintptr_t bias;
static uintptr_t inlined_pc, inlined_line, outer_line;

int outer_function(int n);

/* Stores in inlined_pc the address behind an instruction of this inlined function, like a return
 * address. */
static inline __attribute__((always_inline)) int inlined_function(int n)
{
#if defined(__x86_64__)
	__asm__ volatile("lea 1f(%%rip), %0\n\tnop\n1:" : "=r"(inlined_pc));
#elif defined(__aarch64__)
	__asm__ volatile("adr %0, 1f\n\tnop\n1:" : "=r"(inlined_pc));
#endif
	inlined_line = __LINE__ - 4;
	return n + 1;
}

__attribute__((noinline)) int outer_function(int n)
{
	outer_line = __LINE__ + 1;
	n = inlined_function(n);
	return n * 2;
}

static int find_self(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	bias = info->dlpi_addr;
	for (int n = 0; n < info->dlpi_phnum; n++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[n];
		const uint8_t *p = (const uint8_t *)(bias + ph->p_vaddr);
		const uint8_t *end = p + ph->p_memsz;

		while (ph->p_type == PT_NOTE && p + sizeof(ElfW(Nhdr)) < end) {
			const ElfW(Nhdr) *note = (const void *)p;
			const uint8_t *name = p + sizeof(*note);
			const uint8_t *desc = name + ((note->n_namesz + 3) & ~3u);

			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
			    note->n_descsz <= sizeof(build_id)) {
				memcpy(build_id, desc, note->n_descsz);
				build_id_bytes = note->n_descsz;
			}
			p = desc + ((note->n_descsz + 3) & ~3u);
		}
	}
	return 1; /* the first one is the program */
}

/* The location of PC in this program; the file's recorded build-id is ID. */
static const struct syt_location *locate(struct syt_symbols *symbols, struct syt_trace_data **trace,
                                         const char *path, const uint8_t *id, uint32_t id_bytes,
                                         uint64_t flags)
{
	struct syt_writer *w = syt_writer_create(0, 1);

	syt_writer_thread(w, 1, UINT32_MAX, NULL);
	uint32_t module = syt_writer_module(w, path, id, id_bytes, bias);
	uint32_t stack = syt_writer_stack(w, 0, (uint16_t)module, (inlined_pc - bias) | flags);

	*trace = syt_writer_read(w);
	return syt_symbol_locate(symbols, &(*trace)->images[0], stack);
}

static void names_functions_lines_and_inlined_frames(void **state)
{
	struct syt_symbols *symbols = syt_symbols_create(false);
	struct syt_trace_data *trace;
	const struct syt_location *l = locate(symbols, &trace, self, build_id, build_id_bytes, 0);

	(void)state;
	assert_int_equal(l->pc, inlined_pc);
	assert_string_equal(l->module, self);
	assert_int_equal(l->nr_symbols, 2);
	assert_string_equal(l->label, "inlined_function");
	assert_string_equal(l->symbols[0].fn, "inlined_function");
	assert_true(l->symbols[0].is_inlined);
	assert_non_null(strstr(l->symbols[0].file, "test-symbol.c"));
	assert_int_equal(l->symbols[0].line, inlined_line);
	assert_string_equal(l->symbols[1].fn, "outer_function");
	assert_false(l->symbols[1].is_inlined);
	assert_non_null(strstr(l->symbols[1].file, "test-symbol.c"));
	assert_int_equal(l->symbols[1].line, outer_line);
	/* again: from the cache */
	assert_ptr_equal(syt_symbol_locate(symbols, &trace->images[0], 1), l);
	syt_trace_destroy(trace);
	syt_symbols_destroy(symbols);
}

static void another_build_is_not_believed(void **state)
{
	struct syt_symbols *symbols = syt_symbols_create(false);
	struct syt_trace_data *trace;
	uint8_t other[64];
	char label[64];

	(void)state;
	memcpy(other, build_id, sizeof(other));
	other[0] ^= 1;
	const struct syt_location *l = locate(symbols, &trace, self, other, build_id_bytes, 0);
	const char *name = strrchr(self, '/') + 1;

	snprintf(label, sizeof(label), "%s+0x%lx", name, (unsigned long)(inlined_pc - bias));
	assert_int_equal(l->nr_symbols, 0);
	assert_string_equal(l->label, label);
	assert_string_equal(l->module, self);
	syt_trace_destroy(trace);
	syt_symbols_destroy(symbols);
}

static void without_the_file_only_the_offset_is_named(void **state)
{
	struct syt_symbols *symbols = syt_symbols_create(false);
	struct syt_trace_data *trace;
	const struct syt_location *l =
		locate(symbols, &trace, "/nonexistent/lib.so", build_id, build_id_bytes, 0);

	(void)state;
	assert_int_equal(l->nr_symbols, 0);
	assert_int_equal(strncmp(l->label, "lib.so+0x", 9), 0);
	syt_trace_destroy(trace);
	l = locate(symbols, &trace, "[vdso]", NULL, 0, 0);
	assert_int_equal(strncmp(l->label, "[vdso]+0x", 9), 0);
	syt_trace_destroy(trace);
	syt_symbols_destroy(symbols);
}

/* Reading a FIFO blocks until another process writes. */
static void a_fifo_is_not_read(void **state)
{
	struct syt_symbols *symbols = syt_symbols_create(false);
	char path[] = "/tmp/test-symbol.XXXXXX", fifo[64];
	struct syt_trace_data *trace;

	(void)state;
	assert_non_null(mkdtemp(path));
	snprintf(fifo, sizeof(fifo), "%s/lib.so", path);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	alarm(60);
	const struct syt_location *l = locate(symbols, &trace, fifo, NULL, 0, 0);

	alarm(0);
	assert_int_equal(strncmp(l->label, "lib.so+0x", 9), 0);
	unlink(fifo);
	rmdir(path);
	syt_trace_destroy(trace);
	syt_symbols_destroy(symbols);
}

static void without_a_module_the_address_is_printed(void **state)
{
	struct syt_symbols *symbols = syt_symbols_create(false);
	struct syt_writer *w = syt_writer_create(0, 1);

	(void)state;
	syt_writer_stack(w, 0, 0, 0xabcdef);
	syt_writer_stack(w, 0, 99, 0xabcdef); /* a module that is not defined */
	struct syt_trace_data *trace = syt_writer_read(w);

	for (uint32_t n = 1; n <= 2; n++) {
		const struct syt_location *l = syt_symbol_locate(symbols, &trace->images[0], n);

		assert_null(l->module);
		assert_int_equal(l->pc, 0xabcdef);
		assert_string_equal(l->label, "0xabcdef");
	}
	syt_trace_destroy(trace);
	syt_symbols_destroy(symbols);
}

static void asks_a_debug_server_only_when_configured(void **state)
{
	(void)state;
	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1/", 1);
	syt_symbols_destroy(syt_symbols_create(true));
	assert_non_null(getenv("DEBUGINFOD_URLS"));
	syt_symbols_destroy(syt_symbols_create(false));
	assert_null(getenv("DEBUGINFOD_URLS"));
}

/* ---- the sorted symbol table ---- */

static char libc_path[4096];

static int find_libc(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	snprintf(libc_path, sizeof(libc_path), "%s", info->dlpi_name);
	return 1;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const char *name_by_libdwfl(Dwfl_Module *module, GElf_Addr address)
{
	GElf_Off offset;
	GElf_Sym sym;

	return dwfl_module_addrinfo(module, address, &offset, &sym, NULL, NULL, NULL);
}

/* Around the begins and ends of functions of the file PATH, both ways find the same names. */
static void compare_names(const char *path)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module;
	struct syt_symtab *t;
	size_t nr_found = 0;
	double slow, quick;
	int nr;

	assert_non_null(dwfl);
	dwfl_report_begin(dwfl);
	module = dwfl_report_offline(dwfl, "file", path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	assert_non_null(module);
	nr = dwfl_module_getsymtab(module);
	assert_true(nr > 100);
	t = syt_symtab_open(module);
	slow = quick = 0;
	for (int n = 1; n < nr; n += 1 + nr / 300) {
		GElf_Sym sym;
		GElf_Addr at;

		dwfl_module_getsym_info(module, n, &sym, &at, NULL, NULL, NULL);

		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF)
			continue;

		const GElf_Addr all[] = {at - 1, at, at + 1, at + sym.st_size - 1,
		                         at + sym.st_size};

		for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
			double begin = cpu_seconds();
			const char *wanted = name_by_libdwfl(module, all[k]);
			double middle = cpu_seconds();
			const char *name = syt_symtab_find(t, all[k]);

			quick += cpu_seconds() - middle;
			slow += middle - begin;
			if (!wanted != !name || (name && strcmp(wanted, name)))
				fail_msg("%s: 0x%lx: %s, not %s", path, (long)all[k],
				         name ? name : "no name", wanted ? wanted : "none");
			nr_found += name != NULL;
		}
	}
	print_message("%s: %d symbols, %zu names: %.2f ms by libdwfl, %.2f ms by the table\n", path,
	              nr, nr_found, 1e3 * slow, 1e3 * quick);
	assert_true(nr_found > 100);
	assert_true(quick * 5 < slow);
	syt_symtab_close(t);
	dwfl_end(dwfl);
}

static void names_symbols_like_libdwfl_but_quicker(void **state)
{
	(void)state;
	compare_names(self);
	dl_iterate_phdr(find_libc, NULL);
	assert_true(*libc_path);
	compare_names(libc_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_functions_lines_and_inlined_frames),
		cmocka_unit_test(another_build_is_not_believed),
		cmocka_unit_test(without_the_file_only_the_offset_is_named),
		cmocka_unit_test(a_fifo_is_not_read),
		cmocka_unit_test(without_a_module_the_address_is_printed),
		cmocka_unit_test(asks_a_debug_server_only_when_configured),
		cmocka_unit_test(names_symbols_like_libdwfl_but_quicker),
	};
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return 99;
	outer_function(1);
	dl_iterate_phdr(find_self, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
