/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/source.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	return name ? name : dwarf_diename(die);
}

/* Fills TO with the file and line of the call into which DIE was inlined. */
static void find_call_site(Dwarf_Die *cu, Dwarf_Die *die, struct syt_source_line *to)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	Dwarf_Files *files;
	size_t nr_files;

	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &value) == 0 &&
	    dwarf_getsrcfiles(cu, &files, &nr_files) == 0 && value < nr_files)
		to->file = dwarf_filesrc(files, value, NULL, NULL);
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &value) == 0)
		to->line = (uint32_t)value;
}

#define MOST_RANGES (1u << 22) /* of all compilation units; a file with more is damaged */

/* A range of addresses of a compilation unit. */
struct syt_source_unit {
	Dwarf_Addr begin, end; /* with the bias of the module */
	Dwarf_Addr bias;
	Dwarf_Die *die;
};

static int by_begin(const void *a_, const void *b_)
{
	const struct syt_source_unit *a = a_, *b = b_;

	SYT_ORDER_BY(begin);
	SYT_ORDER_BY(end);
	return 0;
}

static void read_units(struct syt_source_search *s, Dwfl_Module *module)
{
	Dwarf_Addr bias, base, begin, end;

	s->is_read = true;
	for (Dwarf_Die *cu = NULL; (cu = dwfl_module_nextcu(module, cu, &bias));)
		for (ptrdiff_t at = 0;
		     s->nr < MOST_RANGES && (at = dwarf_ranges(cu, at, &base, &begin, &end)) > 0;)
			*SYT_ADD(s->units, s->nr, s->room) =
				(struct syt_source_unit){begin + bias, end + bias, bias, cu};
	if (s->nr)
		qsort(s->units, s->nr, sizeof(*s->units), by_begin);
}

void syt_source_close(struct syt_source_search *s)
{
	free(s->units);
	*s = (struct syt_source_search){0};
}

/* Returns the compilation unit with ADDRESS, or NULL. Not every compiler writes the section .debug_aranges (clang does not), and
 * libdwfl 0.188 finds the units in it only. */
static Dwarf_Die *find_unit(struct syt_source_search *s, Dwfl_Module *module, Dwarf_Addr address,
                            Dwarf_Addr *bias)
{
	Dwarf_Die *cu = dwfl_module_addrdie(module, address, bias);
	const struct syt_source_unit *unit;
	size_t nr;

	if (cu)
		return cu;
	if (!s->is_read)
		read_units(s, module);
	nr = SYT_BISECT(i, (size_t)0, s->nr, s->units[i].begin <= address);
	unit = nr ? &s->units[nr - 1] : NULL;
	if (!unit || address >= unit->end)
		return NULL;
	*bias = unit->bias;
	return unit->die;
}

uint32_t syt_source_find(struct syt_source_search *s, Dwfl_Module *module, Dwarf_Addr address,
                         struct syt_source_line *to)
{
	Dwarf_Addr bias;
	Dwarf_Die *cu = find_unit(s, module, address, &bias);
	Dwarf_Line *line = cu ? dwarf_getsrc_die(cu, address - bias) : NULL;
	Dwarf_Die *scopes = NULL, *chain = NULL;
	Dwarf_Attribute attr;
	const struct syt_source_line none = {
		.directory = cu ? dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr)) : NULL};
	uint32_t nr = 0;
	int lineno = 0;

	to[0] = none;
	if (line) {
		to[0].file = dwarf_linesrc(line, NULL, NULL);
		to[0].line = dwarf_lineno(line, &lineno) || lineno < 0 ? 0 : (uint32_t)lineno;
	}
	if (!cu || dwarf_getscopes(cu, address - bias, &scopes) <= 0)
		return 0;
	int nr_chain = dwarf_getscopes_die(&scopes[0], &chain);

	for (int n = 0; n < nr_chain && nr + 1 < SYT_SOURCE_MOST; n++) {
		int tag = dwarf_tag(&chain[n]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		to[nr].fn = name_of(&chain[n]);
		if (tag == DW_TAG_subprogram) {
			nr++;
			break;
		}
		to[nr++].is_inlined = true;
		to[nr] = none;
		find_call_site(cu, &chain[n], &to[nr]);
	}
	free(scopes);
	free(chain);
	return nr && !to[nr - 1].is_inlined ? nr : 0;
}
