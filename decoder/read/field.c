/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Debug information is input of any quality: depths and numbers are limited, and offsets are checked against sizes. */
#include "decoder/read/field.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"

#define MOST_ENTRIES                                                                               \
	(8u << 20) /* entries of debug information that are read; the largest programs have more */
#define MOST_NAMESPACES 16u /* nesting of namespaces */
#define MOST_LEVELS 32u     /* nesting of structs and arrays */
#define MOST_DIMENSIONS 8u

struct variable {
	Dwarf_Addr address;
	Dwarf_Die die;
};

struct syt_variables {
	struct variable *all; /* sorted by address */
	size_t nr, room;
	uint64_t nr_read; /* entries of debug information that were read */
};

/* ---- the variables of a file ---- */

static int by_address(const void *a_, const void *b_)
{
	const struct variable *a = a_, *b = b_;

	SYT_ORDER_BY(address);
	return 0;
}

static void add_variable(struct syt_variables *v, Dwarf_Die *die, Dwarf_Addr bias)
{
	Dwarf_Attribute attr, address;
	Dwarf_Op *ops;
	Dwarf_Addr at;
	size_t nr;

	if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &ops, &nr) ||
	    nr != 1)
		return;
	if (ops[0].atom == DW_OP_addr)
		at = ops[0].number;
	else if (ops[0].atom != DW_OP_addrx || dwarf_getlocation_attr(&attr, ops, &address) ||
	         dwarf_formaddr(&address, &at))
		return;
	*SYT_ADD(v->all, v->nr, v->room) = (struct variable){at + bias, *die};
}

/* Adds the variables among the children of PARENT. Variables of functions are not read: their number is small, and
 * the symbol table has their names. */
static void add_children(struct syt_variables *v, Dwarf_Die *parent, Dwarf_Addr bias,
                         unsigned depth)
{
	Dwarf_Die die;

	if (depth > MOST_NAMESPACES || dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable)
			add_variable(v, &die, bias);
		else if (tag == DW_TAG_namespace)
			add_children(v, &die, bias, depth + 1);
	} while (v->nr_read++ < MOST_ENTRIES && dwarf_siblingof(&die, &die) == 0);
}

struct syt_variables *syt_variables_create(Dwfl_Module *module)
{
	struct syt_variables *v = syt_calloc(1, sizeof(*v));
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;

	while (v->nr_read < MOST_ENTRIES && (cu = dwfl_module_nextcu(module, cu, &bias)))
		add_children(v, cu, bias, 0);
	if (v->nr)
		qsort(v->all, v->nr, sizeof(*v->all), by_address);
	return v;
}

void syt_variables_destroy(struct syt_variables *v)
{
	if (v)
		free(v->all);
	free(v);
}

/* ---- the path to a field ---- */

/* Returns the size of TYPE in bytes, or 0 if it is unknown. */
static uint64_t size_of(Dwarf_Die *type)
{
	Dwarf_Word bytes;

	return dwarf_aggregate_size(type, &bytes) ? 0 : bytes;
}

/* Replaces *TYPE by the type of the entry DIE, without typedefs and qualifiers. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type) &&
	       dwarf_peel_type(type, type) == 0;
}

/* Returns the number of elements in one dimension of an array, or 0. */
static uint64_t extent(Dwarf_Die *range)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (dwarf_attr(range, DW_AT_count, &attr) && dwarf_formudata(&attr, &value) == 0)
		return value;
	if (dwarf_attr(range, DW_AT_upper_bound, &attr) && dwarf_formudata(&attr, &value) == 0)
		return value + 1;
	return 0;
}

/* Writes the index of the element at *OFFSET, replaces *TYPE by the element's type, and reduces *OFFSET. */
static bool enter_array(FILE *out, Dwarf_Die *type, uint64_t *offset)
{
	uint64_t extents[MOST_DIMENSIONS], bytes, index, below = 1;
	unsigned nr = 0;
	Dwarf_Die range, element;

	if (!type_of(type, &element) || !(bytes = size_of(&element)) || dwarf_child(type, &range))
		return false;
	do {
		if (dwarf_tag(&range) == DW_TAG_subrange_type && nr < MOST_DIMENSIONS)
			extents[nr++] = extent(&range);
	} while (dwarf_siblingof(&range, &range) == 0);
	index = *offset / bytes;
	for (unsigned n = 1; n < nr; n++)
		if (!extents[n] || __builtin_mul_overflow(below, extents[n], &below))
			return false;
	for (unsigned n = 0; n < nr; n++) {
		if (n && index / below >= extents[n])
			return false;
		fprintf(out, "[%" PRIu64 "]", index / below);
		index %= below;
		below /= n + 1 < nr ? extents[n + 1] : 1;
	}
	*type = element;
	*offset %= bytes;
	return nr > 0;
}

/* Returns true if the struct's entry MEMBER is a member or a base class that contains the byte *OFFSET of the
 * struct. Sets *TYPE to its type and reduces *OFFSET. */
static bool contains(Dwarf_Die *member, Dwarf_Die *type, uint64_t *offset)
{
	int tag = dwarf_tag(member);
	Dwarf_Attribute attr;
	Dwarf_Word at = 0;
	Dwarf_Die own;

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
	    dwarf_hasattr(member, DW_AT_external) || dwarf_hasattr(member, DW_AT_declaration))
		return false;
	if (dwarf_attr(member, DW_AT_data_member_location, &attr) && dwarf_formudata(&attr, &at))
		return false;
	if (!type_of(member, &own) || *offset < at || *offset - at >= size_of(&own))
		return false;
	*type = own;
	*offset -= at;
	return true;
}

static bool is_reserved(const char *name)
{
	return !strncmp(name, "__", 2) || !strncmp(name, "_M_", 3);
}

/* Writes the name of the member of the struct *TYPE at *OFFSET, replaces *TYPE by the member's type, and reduces
 * *OFFSET. Sets *IS_END if the path ends before this member. Returns false if no member is at *OFFSET. */
static bool enter_struct(FILE *out, Dwarf_Die *type, uint64_t *offset, bool *is_end)
{
	Dwarf_Die member;

	if (dwarf_child(type, &member))
		return false;
	do {
		const char *name = dwarf_diename(&member);

		if (!contains(&member, type, offset))
			continue;
		if (dwarf_tag(&member) == DW_TAG_member && name && *name) {
			*is_end = is_reserved(name);
			if (!*is_end)
				fprintf(out, ".%s", name);
		}
		return true;
	} while (dwarf_siblingof(&member, &member) == 0);
	return false;
}

static bool write_path(FILE *out, Dwarf_Die *type, uint64_t offset)
{
	bool is_end = false;

	for (unsigned n = 0; n < MOST_LEVELS; n++) {
		switch (dwarf_tag(type)) {
		case DW_TAG_array_type:
			if (!enter_array(out, type, &offset))
				return false;
			break;
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			if (!enter_struct(out, type, &offset, &is_end))
				return !offset;
			if (is_end)
				return true;
			break;
		default:
			return !offset;
		}
	}
	return false;
}

char *syt_field_path(const struct syt_variables *v, Dwarf_Addr address, uint64_t offset)
{
	size_t n = SYT_BISECT(i, 0, v->nr, v->all[i].address < address);
	Dwarf_Die type;
	char *text = NULL;
	size_t bytes;
	bool is_found = false;

	for (; !is_found && n < v->nr && v->all[n].address == address; n++) {
		Dwarf_Die die = v->all[n].die;

		if (!type_of(&die, &type) || offset >= size_of(&type))
			continue;
		FILE *out = syt_memstream(&text, &bytes);

		is_found = write_path(out, &type, offset);
		fclose(out);
		if (!is_found) {
			free(text);
			text = NULL;
		}
	}
	return text;
}
