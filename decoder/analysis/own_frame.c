/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/own_frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define MOST_FUNCTIONS 4096u /* functions beyond this number, the outermost, are ignored */

struct function {
	const char *name;
	bool is_own;
};

struct functions {
	size_t nr, room;
	struct function *all; /* innermost function first */
};

static void add(struct functions *f, const struct syt_image *i, const struct syt_location *l,
                const char *name)
{
	/* _start may be the only function of a program with all other code in libraries (Python) */
	bool is_own = l->module && i->exe && !strcmp(l->module, i->exe) &&
	              !syt_symbol_is_of_language(name) && strcmp(name, "_start") != 0;

	*SYT_ADD(f->all, f->nr, f->room) = (struct function){name, is_own};
}

/* Returns true if the functions that NAME calls are exit handlers. They do not work for the callers of exit(). */
static bool is_exit(const char *name)
{
	return !strcmp(name, "exit") || !strcmp(name, "__GI_exit") ||
	       !strcmp(name, "__run_exit_handlers");
}

static struct functions functions_of(struct syt_symbols *symbols, const struct syt_image *i,
                                     uint32_t stack)
{
	struct functions f = {0, 0, NULL};
	size_t nr_within = 0; /* number of functions within exit() */

	while (symbols && stack && stack < i->nr_stacks && f.nr < MOST_FUNCTIONS) {
		const struct syt_stack_node *node = &i->stacks[stack];
		const struct syt_location *l = syt_symbol_locate(symbols, i, stack);

		stack = node->parent;
		if (l->is_recorder)
			continue;
		add(&f, i, l, l->label); /* the innermost of the functions inlined here */
		for (uint32_t n = 1; n < l->nr_symbols; n++)
			if (l->symbols[n].fn)
				add(&f, i, l, l->symbols[n].fn);
		if (is_exit(l->label))
			nr_within = f.nr;
	}
	for (size_t n = nr_within; nr_within && n < f.nr; n++)
		f.all[n].is_own = false;
	return f;
}

/* Returns the function that reports name, among the functions from index FIRST on, or NULL if there are none. */
static const char *function_to_name(const struct functions *f, size_t first)
{
	for (size_t n = first; n < f->nr; n++)
		if (f->all[n].is_own)
			return f->all[n].name;
	return first < f->nr ? f->all[first].name : NULL;
}

const char *syt_own_frame_of(struct syt_symbols *symbols, const struct syt_image *i, uint32_t stack)
{
	struct functions f = functions_of(symbols, i, stack);
	const char *name = function_to_name(&f, 0);

	free(f.all);
	return name;
}

/* Returns the length of the name of a function without its parameters. */
static size_t name_bytes(const char *name)
{
	size_t bytes = syt_symbol_plain_bytes(name, strlen(name)), depth = 0;

	for (size_t n = bytes; n-- > 1;) {
		depth += name[n] == ')';
		if (name[n] == '(' && depth && !--depth)
			return n;
	}
	return bytes;
}

char *syt_own_frame_path(struct syt_symbols *symbols, const struct syt_image *i, uint32_t stack)
{
	struct functions f = functions_of(symbols, i, stack);
	char *text = NULL;
	size_t bytes;
	FILE *out = syt_memstream(&text, &bytes);

	for (size_t n = f.nr; n-- > 0;) {
		if (!f.all[n].is_own)
			continue;
		for (size_t k = 0, end = name_bytes(f.all[n].name); k < end; k++) {
			unsigned char c = (unsigned char)f.all[n].name[k];

			fputc(c == ';' ? ':' : c < 0x20 || c == 0x7f ? '?' : c, out);
		}
		fputc(';', out);
	}
	fclose(out);
	free(f.all);
	return text;
}

uint32_t syt_own_frame_tail(const struct syt_image *i, uint32_t a, uint32_t b)
{
	for (uint32_t stack = a, n = 0; b && stack && stack < i->nr_stacks && n < SYT_MOST_FRAMES;
	     stack = i->stacks[stack].parent, n++)
		if (i->stacks[stack].parent == b)
			return stack;
	return b;
}

const char *syt_own_frame_common(struct syt_symbols *symbols, const struct syt_image *i, uint32_t a,
                                 uint32_t b)
{
	struct functions f = functions_of(symbols, i, a),
			 g = functions_of(symbols, i, syt_own_frame_tail(i, a, b));
	size_t nr = 0;
	const char *name;

	while (nr < f.nr && nr < g.nr &&
	       !strcmp(f.all[f.nr - 1 - nr].name, g.all[g.nr - 1 - nr].name))
		nr++;
	name = function_to_name(&f, f.nr - nr);
	free(f.all);
	free(g.all);
	return name;
}

bool syt_own_frame_has(struct syt_symbols *symbols, const struct syt_image *i, uint32_t stack,
                       const char *name)
{
	struct functions f = functions_of(symbols, i, stack);
	size_t bytes = strlen(name);
	bool has = false;

	for (size_t n = 0; n < f.nr && !has; n++)
		has = !strncmp(f.all[n].name, name, bytes) &&
		      (!f.all[n].name[bytes] || f.all[n].name[bytes] == '(');
	free(f.all);
	return has;
}

/* Returns true if PATH is a file of an allocator. A stripped allocator has no names inside. */
static bool is_allocator_file(const char *path)
{
	static const char *const names[] = {"libjemalloc.", "libtcmalloc", "libmimalloc", "libtbbmalloc."};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
		if (!strncmp(name, names[n], strlen(names[n])))
			return true;
	return false;
}

/* Returns true if NAME is an entry of an allocator that may be part of the program: "malloc", "je_malloc". */
static bool is_allocator_entry(const char *name)
{
	static const char *const prefixes[] = {"je_", "tc_", "mi_"};
	static const char *const names[] = {"malloc", "calloc", "realloc", "free", "posix_memalign", "aligned_alloc",
	                                    "memalign", "mallocx", "rallocx", "xallocx", "dallocx", "sdallocx",
	                                    "mallctl", "new", "newarray", "delete", "deletearray"};

	if (!strncmp(name, "operator new", 12) || !strncmp(name, "operator delete", 15))
		return true;
	for (size_t n = 0; n < sizeof(prefixes) / sizeof(*prefixes); n++)
		if (!strncmp(name, prefixes[n], 3)) {
			name += 3;
			break;
		}
	for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
		if (!strcmp(name, names[n]))
			return true;
	return false;
}

bool syt_own_frame_is_allocator(struct syt_symbols *symbols, const struct syt_image *i,
                                uint32_t stack)
{
	struct functions f;
	bool is_allocator = false;

	for (uint32_t at = stack, n = 0; symbols && at && at < i->nr_stacks && n < MOST_FUNCTIONS; n++) {
		const struct syt_location *l = syt_symbol_locate(symbols, i, at);

		if (l->module && is_allocator_file(l->module))
			return true;
		at = i->stacks[at].parent;
	}
	f = functions_of(symbols, i, stack);
	for (size_t n = 0; n < f.nr && !is_allocator; n++)
		is_allocator = is_allocator_entry(f.all[n].name);
	free(f.all);
	return is_allocator;
}
