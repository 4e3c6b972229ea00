/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/symtab.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/err.h"

struct symbol {
	GElf_Addr begin, end;
	GElf_Addr most; /* greatest end of this symbol and all symbols before it in the table */
	int index;      /* number of the symbol in the file */
	GElf_Word section;
	bool is_global;
	uint8_t binding; /* 2: global, 1: weak, 0: others */
};

struct syt_symtab {
	Dwfl_Module *module;
	size_t nr, room;
	struct symbol *all; /* by begin, then in the order of the file */
};

static int by_begin(const void *a_, const void *b_)
{
	const struct symbol *a = a_, *b = b_;

	SYT_ORDER_BY(begin);
	SYT_ORDER_BY(index);
	return 0;
}

static bool is_of_code_or_data(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && type != STT_SECTION && type != STT_FILE &&
	       type != STT_TLS;
}

struct syt_symtab *syt_symtab_open(Dwfl_Module *module)
{
	struct syt_symtab *t = syt_calloc(1, sizeof(*t));
	int nr = dwfl_module_getsymtab(module);
	int first_global = dwfl_module_getsymtab_first_global(module);
	GElf_Addr most = 0;

	t->module = module;
	for (int n = 1; n < nr; n++) {
		GElf_Sym sym;
		GElf_Addr begin;
		GElf_Word section;
		const char *name =
			dwfl_module_getsym_info(module, n, &sym, &begin, &section, NULL, NULL);
		int binding = GELF_ST_BIND(sym.st_info);

		if (!name || !*name || !is_of_code_or_data(&sym))
			continue;
		*SYT_ADD(t->all, t->nr, t->room) = (struct symbol){
			.begin = begin,
			.end = begin + sym.st_size < begin ? UINT64_MAX : begin + sym.st_size,
			.index = n,
			.section = section,
			.is_global = n >= first_global,
			.binding = binding == STB_GLOBAL ? 2 : binding == STB_WEAK};
	}
	if (t->nr)
		qsort(t->all, t->nr, sizeof(*t->all), by_begin);
	for (size_t n = 0; n < t->nr; n++)
		t->all[n].most = most = t->all[n].end > most ? t->all[n].end : most;
	return t;
}

void syt_symtab_close(struct syt_symtab *t)
{
	if (!t)
		return;
	free(t->all);
	free(t);
}

/* Returns true if A, which also contains the address, is the better name than B. */
static bool is_better(const struct symbol *a, const struct symbol *b)
{
	if (a->is_global != b->is_global)
		return a->is_global;
	if (a->begin != b->begin)
		return a->begin > b->begin;
	if (a->end != b->end)
		return a->end < b->end && a->binding >= b->binding;
	return a->binding != b->binding ? a->binding > b->binding : a->index < b->index;
}

static GElf_Word section_of(Dwfl_Module *module, GElf_Addr address)
{
	Dwarf_Addr bias;
	Elf_Scn *section = dwfl_module_address_section(module, &address, &bias);

	return section ? (GElf_Word)elf_ndxscn(section) : SHN_UNDEF;
}

static const char *name_of(const struct syt_symtab *t, const struct symbol *s)
{
	GElf_Sym sym;
	GElf_Addr begin;

	return dwfl_module_getsym_info(t->module, s->index, &sym, &begin, NULL, NULL, NULL);
}

const char *syt_symtab_find(const struct syt_symtab *t, GElf_Addr address)
{
	const struct symbol *best = NULL, *label = NULL;
	size_t low = 0, high = t->nr;
	GElf_Addr least;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->all[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	for (size_t n = low; n-- && t->all[n].most > address;)
		if (t->all[n].end > address && (!best || is_better(&t->all[n], best)))
			best = &t->all[n];
	if (best && best->is_global)
		return name_of(t, best);
	/* a global label at the address is better than a local symbol */
	least = best ? address : t->all[low - 1].most;
	for (size_t n = low; n-- && t->all[n].begin >= least;)
		if (t->all[n].end == t->all[n].begin && (!best || t->all[n].is_global) &&
		    (!label || is_better(&t->all[n], label)))
			label = &t->all[n];
	if (label && label->section == section_of(t->module, address))
		best = label;
	return best ? name_of(t, best) : NULL;
}
