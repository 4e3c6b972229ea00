/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/name.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/counts.h"
#include "base/err.h"
#include "decoder/read/call.h"

#define NR_FUNCTIONS 2u    /* functions of a call stack in a name */
#define MOST_FUNCTION 200u /* maximum length of a function's name */

struct entry {
	char *title; /* "mutex:server.lock", or "mutex:0x..#0" without a name */
	bool is_named;
};

/* The names of a process image. They are made in the order of the objects' definitions. */
struct syt_names {
	struct syt_symbols *symbols;
	size_t nr, room;
	struct entry *all;         /* [object] */
	struct syt_counts by_name; /* 128-bit hash of kind and name -> number of objects */
	struct syt_counts
		by_identity; /* (identity, kind and generation) -> index of the object, plus 1 */
	uint32_t *
		first_use; /* [object]: call stack of the first event, for old traces; NULL: not known yet */
};

#define SCOPE_SHIFT 40
_Static_assert(SYT_NR_KINDS <= 1u << (SCOPE_SHIFT - 32), "a kind fits below the scope");

static uint64_t key_of(const struct syt_object_info *info)
{
	return (uint64_t)info->kind << 32 | info->generation;
}

/* ---- names of call stacks ---- */

/* Returns true if FUNCTION begins every thread or program, and says nothing about an object. */
static bool is_begin(const char *function)
{
	static const char *const begins[] = {"start_thread",
	                                     "clone",
	                                     "clone3",
	                                     "__clone3",
	                                     "_start",
	                                     "__libc_start_call_main",
	                                     "__libc_start_main",
	                                     "__libc_start_main_impl",
	                                     "__libc_start_main@@GLIBC_2.34"};

	for (size_t n = 0; n < sizeof(begins) / sizeof(begins[0]); n++)
		if (!strcmp(function, begins[n]))
			return true;
	return false;
}

/* Returns the length of the function's name without its parameters and without the suffix of a compiler's copy. */
static size_t short_bytes(const char *function)
{
	size_t bytes = syt_symbol_plain_bytes(function, strlen(function));
	unsigned depth = 0;

	if (bytes > 6 && !memcmp(function + bytes - 6, " const", 6))
		bytes -= 6;
	if (!bytes || function[bytes - 1] != ')')
		return bytes;
	for (size_t n = bytes; n-- > 0;) {
		depth += function[n] == ')';
		depth -= function[n] == '(';
		if (!depth)
			return n ? n : bytes;
	}
	return bytes;
}

struct functions {
	const char *all[NR_FUNCTIONS]; /* innermost function first */
	unsigned nr;
	bool is_named; /* the innermost function is in the symbol table: it is no module+offset */
};

static void add_function(struct functions *f, const char *name, bool is_named)
{
	if (f->nr == NR_FUNCTIONS || !name || !strncmp(name, "0x", 2) || is_begin(name) ||
	    syt_symbol_is_of_language(name))
		return;
	if (!f->nr)
		f->is_named = is_named;
	f->all[f->nr++] = name;
}

/* Returns a name for an object that was first used by the call stack STACK, as text that the caller frees. Returns
 * NULL if the stack has no named function. */
static char *name_of_stack(struct syt_symbols *symbols, const struct syt_image *i, uint32_t stack)
{
	struct functions f = {.nr = 0};
	char *text = NULL;
	size_t bytes;

	for (unsigned depth = 0;
	     stack && stack < i->nr_stacks && depth < SYT_MOST_FRAMES && f.nr < NR_FUNCTIONS;
	     depth++, stack = i->stacks[stack].parent) {
		const struct syt_location *l = syt_symbol_locate(symbols, i, stack);

		if (l->is_recorder)
			continue;
		add_function(&f, l->label, l->nr_symbols && l->symbols[0].fn);
		for (uint32_t n = 1; n < l->nr_symbols; n++)
			add_function(&f, l->symbols[n].fn, true);
	}
	if (!f.nr)
		return NULL;
	FILE *out = syt_memstream(&text, &bytes);

	while (f.nr--) {
		size_t length = short_bytes(f.all[f.nr]);

		fwrite(f.all[f.nr], 1, length < MOST_FUNCTION ? length : MOST_FUNCTION, out);
		fputs(f.nr ? "/" : f.is_named ? "()" : "", out);
	}
	fclose(out);
	return text;
}

/* ---- names of objects ---- */

/* Returns true if objects of this KIND are variables of the program. */
static bool is_variable(enum syt_kind kind)
{
	return kind == SYT_KIND_MUTEX || kind == SYT_KIND_RWLOCK || kind == SYT_KIND_SPIN ||
	       kind == SYT_KIND_COND || kind == SYT_KIND_SEM || kind == SYT_KIND_BARRIER ||
	       kind == SYT_KIND_ONCE || kind == SYT_KIND_FUTEX || kind == SYT_KIND_STDIO;
}

static bool has_address(const struct syt_object_info *info)
{
	return is_variable(info->kind) && !(info->flags & SYT_OBJECT_SHARED);
}

/* Returns true if objects of this KIND get a name from a call stack. Connections are known by their addresses. */
static bool has_origin(enum syt_kind kind)
{
	return is_variable(kind) || kind == SYT_KIND_EVENTFD || kind == SYT_KIND_TIMERFD ||
	       kind == SYT_KIND_SIGNALFD || kind == SYT_KIND_EPOLL || kind == SYT_KIND_TEAM;
}

struct first {
	syt_time at;
	uint32_t stack;
};

static void see(struct first *first, const struct syt_image *i, uint32_t object, struct first use)
{
	if (object < i->nr_objects && use.stack &&
	    (!first[object].stack || use.at < first[object].at))
		first[object] = use;
}

/* Finds the first use of each object among the events. The recorders of old versions did not write it. */
static void find_first_uses(struct syt_names *s, const struct syt_image *i)
{
	struct first *first = syt_calloc(i->nr_objects, sizeof(*first));

	for (uint32_t n = 0; n < i->nr_threads; n++) {
		const struct syt_thread *t = &i->threads[n];

		if (t->waiting.since)
			see(first, i, t->waiting.object,
			    (struct first){t->waiting.since, t->waiting.stack});
		/* the rows of a sparse trace are not in memory */
		for (uint64_t r = 0; !t->kept && r < t->nr_rows; r++)
			see(first, i, t->rows[r].object,
			    (struct first){t->rows[r].in, t->rows[r].stack});
	}
	s->first_use = syt_calloc(i->nr_objects, sizeof(*s->first_use));
	for (uint32_t n = 0; n < i->nr_objects; n++)
		s->first_use[n] = first[n].stack;
	free(first);
}

static uint32_t origin_of(struct syt_names *s, const struct syt_image *i, uint32_t object)
{
	if (i->objects[object].origin)
		return i->objects[object].origin;
	if (!i->trace)
		return 0;
	if (!s->first_use)
		find_first_uses(s, i);
	return s->first_use[object];
}

static char *name_without_number(struct syt_names *s, const struct syt_image *i, uint32_t object)
{
	const struct syt_object_info *info = &i->objects[object];
	const char *variable = NULL;

	if (has_address(info))
		variable = syt_symbol_variable(s->symbols, i, info->identity, info->first);
	if (variable)
		return syt_asprintf("%s", variable);
	return has_origin(info->kind) ? name_of_stack(s->symbols, i, origin_of(s, i, object))
	                              : NULL;
}

/* Returns KIND:NAME with a number if an earlier object of the image has the same kind and name. Frees NAME. */
static char *numbered(struct syt_names *s, const struct syt_object_info *info, char *name)
{
	char *title = syt_asprintf("%s:%s", syt_kind_text(info->kind), name);
	XXH128_hash_t h = XXH3_128bits(title, strlen(title));
	uint64_t *nr = syt_counts_at(&s->by_name, h.low64, h.high64);

	free(name);
	if (++*nr > 1) {
		char *text = syt_asprintf("%s#%llu", title, (unsigned long long)*nr);

		free(title);
		return text;
	}
	return title;
}

/* Returns the key of a shared object of image I for the table of shared objects, together with its identity. */
static uint64_t shared_key_of(const struct syt_image *i, const struct syt_object_info *info)
{
	return (uint64_t)syt_object_scope(i, info) << SCOPE_SHIFT | key_of(info);
}

/* Returns the image and index of a shared object in the first process image that names it. */
static const struct syt_image *first_of(const struct syt_image *i, uint32_t *object)
{
	const struct syt_object_info *info = &i->objects[*object];
	uint64_t first = 0;

	if (i->trace && i->trace->shared && info->flags & SYT_OBJECT_SHARED)
		first = syt_counts_of(i->trace->shared, info->identity, shared_key_of(i, info));
	if (!first)
		return i;
	*object = (uint32_t)(first - 1);
	return &i->trace->images[(first - 1) >> 32];
}

/* Returns the title of the object with the index OBJECT, or NULL if it has no name. The entries of the objects with
 * lower indices exist. */
static char *make_title(struct syt_names *s, const struct syt_image *i, uint32_t object)
{
	const struct syt_object_info *info = &i->objects[object];
	char *name;

	if (info->name)
		return syt_asprintf("%s:%s", syt_kind_text(info->kind), info->name);
	if (!s->symbols)
		return NULL;
	/* if two threads define an object at once, the dump has two definitions, and the program uses one of them */
	if (has_address(info)) {
		uint64_t *twin = syt_counts_at(&s->by_identity, info->identity, key_of(info));

		if (*twin) {
			const struct entry *known = &s->all[*twin - 1];

			return known->is_named ? syt_asprintf("%s", known->title) : NULL;
		}
		*twin = object + UINT64_C(1);
	}
	name = name_without_number(s, i, object);
	return name ? numbered(s, info, name) : NULL;
}

static const struct entry *entry_of(const struct syt_image *i, uint32_t object)
{
	struct syt_names *s = i->names;
	const struct syt_image *first = first_of(i, &object);

	if (first != i)
		return entry_of(first, object);
	while (s->nr <= object) {
		char text[SYT_OBJECT_TEXT], *title = make_title(s, i, (uint32_t)s->nr);
		bool is_named = title != NULL;

		if (!title) {
			syt_object_text(&i->objects[s->nr], text, sizeof(text));
			title = syt_asprintf("%s", text);
		}
		*SYT_ADD(s->all, s->nr, s->room) = (struct entry){title, is_named};
	}
	return &s->all[object];
}

const char *syt_object_title(const struct syt_image *i, uint32_t object)
{
	return entry_of(i, object)->title;
}

const char *syt_object_name(const struct syt_image *i, uint32_t object)
{
	const struct entry *e = entry_of(i, object);

	return e->is_named ? strchr(e->title, ':') + 1 : NULL;
}

bool syt_object_matches(const struct syt_image *i, uint32_t object, const char *pattern)
{
	const struct entry *e = entry_of(i, object);
	const char *name = e->is_named ? strchr(e->title, ':') + 1 : e->title;
	char text[SYT_OBJECT_TEXT];

	syt_object_text(&i->objects[object], text, sizeof(text));
	/* names of array elements contain the brackets of a pattern: "table[3].lock" */
	return !strcmp(pattern, e->title) || !strcmp(pattern, name) || !fnmatch(pattern, text, 0) ||
	       !fnmatch(pattern, e->title, 0) || !fnmatch(pattern, name, 0);
}

/* ---- the names of a trace ---- */

/* Returns a table of the shared objects: (identity, scope, kind and generation) -> first image and index, plus 1. */
static struct syt_counts *shared_objects(const struct syt_trace_data *t)
{
	struct syt_counts *shared = syt_calloc(1, sizeof(*shared));

	for (uint32_t n = 0; n < t->nr_images; n++) {
		const struct syt_image *i = &t->images[n];

		for (uint32_t k = 0; k < i->nr_objects; k++) {
			const struct syt_object_info *info = &i->objects[k];
			uint64_t *first;

			if (!(info->flags & SYT_OBJECT_SHARED) || !has_origin(info->kind))
				continue;
			first = syt_counts_at(shared, info->identity, shared_key_of(i, info));
			if (!*first)
				*first = ((uint64_t)n << 32 | k) + 1;
		}
	}
	return shared;
}

void syt_image_names_open(struct syt_image *i, struct syt_symbols *symbols)
{
	i->names = syt_calloc(1, sizeof(*i->names));
	i->names->symbols = symbols;
}

void syt_image_names_close(struct syt_image *i)
{
	struct syt_names *s = i->names;

	if (!s)
		return;
	for (size_t k = 0; k < s->nr; k++)
		free(s->all[k].title);
	free(s->all);
	free(s->first_use);
	syt_counts_fini(&s->by_name);
	syt_counts_fini(&s->by_identity);
	free(s);
	i->names = NULL;
}

void syt_image_names_forget(struct syt_image *i)
{
	struct syt_symbols *symbols = i->names->symbols;

	syt_image_names_close(i);
	syt_image_names_open(i, symbols);
}

void syt_names_open(struct syt_trace_data *t, struct syt_symbols *symbols)
{
	syt_names_close(t);
	t->shared = shared_objects(t);
	for (uint32_t n = 0; n < t->nr_images; n++)
		syt_image_names_open(&t->images[n], symbols);
}

void syt_names_close(struct syt_trace_data *t)
{
	for (uint32_t n = 0; n < t->nr_images; n++)
		syt_image_names_close(&t->images[n]);
	if (t->shared)
		syt_counts_fini(t->shared);
	free(t->shared);
	t->shared = NULL;
}

void syt_names_without_symbols(const struct syt_trace_data *t)
{
	for (uint32_t n = 0; n < t->nr_images; n++)
		t->images[n].names->symbols = NULL;
}
