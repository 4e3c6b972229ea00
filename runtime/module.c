/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Finds modules (executable, libraries) by address. _dl_find_object returns the object that contains an
 * address now; the table here only gives that mapping an id. The table is a growing array of modules and an
 * index of ids, hashed by start address (open addressing). A compare-and-swap fills a slot once, and no
 * slot is ever cleared. An unmapped module keeps its id and its slot, with a mark.
 *
 * After a dlclose, another file may be mapped with the same address, link_map and size. Without a dlclose
 * since the last comparison, the mapping is the same. Otherwise the identity (build-id) is compared again.
 */
#define _GNU_SOURCE /* _dl_find_object */
#include "runtime/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "format/format.h"
#include "runtime/clock.h"
#include "runtime/map.h"
#include "runtime/meta.h"
#include "runtime/module-file.h"
#include "runtime/session.h"

#define NR_INDEX (1u << 16)

/* _dl_find_object exists since glibc 2.35; without it no module is known, and a recorded stack has only its
 * innermost frame */
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak, noplt));

uint64_t syt_module_code = UINT64_C(1) << 16;

static struct syt_module *modules; /* [SYT_MODULE_MAX + 1], by id */
static uint32_t *module_index;     /* [NR_INDEX] of ids, 0: free */
static uint32_t nr_modules;        /* number of ids assigned */

int syt_module_init(void)
{
	if (modules)
		return 0;
	module_index = syt_map_private(NR_INDEX * sizeof(*module_index));
	modules = syt_map_private((SYT_MODULE_MAX + 1) * sizeof(*modules));
	if (modules && module_index)
		return 0;
	modules = NULL;
	return -ENOMEM;
}

/* Build-id and path of a module, one after the other. */
struct syt_module_text {
	uint32_t build_id_bytes, path_bytes;
	uint8_t bytes[];
};

/* Bytes for kept build-ids and paths, because a forked child defines its parent's modules again in its own
 * dump. Reading the headers of their files for that would take two page faults for each module. */
#define NR_TEXT_BYTES 16384u
static uint8_t texts[NR_TEXT_BYTES] __attribute__((aligned(8)));
static uint32_t texts_used;

static const struct syt_module_text *keep_text(struct syt_build_id id, const char *path,
                                               size_t path_bytes)
{
	size_t bytes = (sizeof(struct syt_module_text) + id.nr_bytes + path_bytes + 7) & ~(size_t)7;
	uint32_t at = __atomic_load_n(&texts_used, __ATOMIC_RELAXED);

	do {
		if (bytes > NR_TEXT_BYTES - at)
			return NULL;
	} while (!__atomic_compare_exchange_n(&texts_used, &at, at + (uint32_t)bytes, true,
	                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED));

	struct syt_module_text *text = (struct syt_module_text *)(void *)(texts + at);

	text->build_id_bytes = id.nr_bytes;
	text->path_bytes = (uint32_t)path_bytes;
	if (id.nr_bytes)
		memcpy(text->bytes, id.bytes, id.nr_bytes);
	memcpy(text->bytes + id.nr_bytes, path, path_bytes);
	return text;
}

static void define(const struct syt_module *m, struct syt_build_id id, const char *path,
                   size_t path_bytes)
{
	struct syt_meta_module def = {
		.id = m->id,
		.build_id_bytes = id.nr_bytes,
		.start = m->start,
		.end = m->end,
		.bias = m->bias,
		.ticks = syt_clock_release(),
	};

	syt_meta_append(SYT_META_MODULE, &def, sizeof(def), id.bytes, id.nr_bytes, path,
	                path_bytes);
}

/* This function is not inlined, because it needs a kilobyte of stack, but only at the first use of a module. */
__attribute__((noinline)) static void define_first(struct syt_module *m,
                                                   const struct dl_find_object *o)
{
	char buffer[SYT_MODULE_PATH_BYTES];
	const char *path;
	size_t path_bytes = syt_module_path(o, buffer, &path);
	struct syt_build_id id = syt_module_build_id(o);

	define(m, id, path, path_bytes);
	/* the constructor has looked at the program itself, whose name is empty */
	if (*o->dlfo_link_map->l_name && syt_module_is_go(o))
		syt_session_blind(SYT_BLIND_GO, o->dlfo_link_map->l_name);
	/* a child that another thread forks at this moment sees the whole text, or NULL */
	__atomic_store_n(&m->text, keep_text(id, path, path_bytes), __ATOMIC_RELEASE);
}

static uint32_t first_slot(uintptr_t start)
{
	return (uint32_t)((start >> 12) * UINT64_C(0x9e3779b97f4a7c15) >> 48);
}

/* Returns whether module M is the mapping that O describes. GENERATION is the code generation, read before
 * the lookup of O. */
static bool is_same(struct syt_module *m, const struct dl_find_object *o, uint64_t generation)
{
	if (__atomic_load_n(&m->is_gone, __ATOMIC_ACQUIRE) || m->map != o->dlfo_link_map ||
	    m->start != (uintptr_t)o->dlfo_map_start || m->end != (uintptr_t)o->dlfo_map_end)
		return false;
	if (__atomic_load_n(&m->seen, __ATOMIC_RELAXED) == generation)
		return true;
	if (m->identity != syt_module_identity(o))
		return false;
	if (!syt_module_is_closing(generation))
		__atomic_store_n(&m->seen, generation, __ATOMIC_RELAXED);
	return true;
}

/* Marks M as unmapped. Exactly one thread writes this into the dump. */
static void mark_gone(struct syt_module *m)
{
	struct syt_meta_unmap gone = {.id = m->id, .ticks = syt_clock_release()};

	if (!__atomic_exchange_n(&m->is_gone, 1, __ATOMIC_ACQ_REL))
		syt_meta_append(SYT_META_UNMAP, &gone, sizeof(gone), NULL, 0, NULL, 0);
}

/* Makes a module with a new id for the object O and publishes the id in the index entry SLOT. Returns NULL
 * if another thread has filled SLOT first. */
static const struct syt_module *add(uint32_t *slot, const struct dl_find_object *o,
                                    uint64_t generation)
{
	uint32_t id = __atomic_add_fetch(&nr_modules, 1, __ATOMIC_RELAXED);

	if (id > SYT_MODULE_MAX) {
		__atomic_store_n(&nr_modules, SYT_MODULE_MAX, __ATOMIC_RELAXED);
		syt_lost(SYT_LOSS_META, 1);
		return &modules[0]; /* id 0: an address in no module */
	}

	struct syt_module *m = &modules[id];
	struct syt_image_extent image = syt_module_extent(o);
	uint32_t free_slot = 0;

	*m = (struct syt_module){
		.id = id,
		.start = (uintptr_t)o->dlfo_map_start,
		.end = (uintptr_t)o->dlfo_map_end,
		.bias = o->dlfo_link_map->l_addr,
		.load_start = image.start,
		.load_end = image.end,
		.eh_frame_hdr = o->dlfo_eh_frame,
		.map = o->dlfo_link_map,
		.identity = syt_module_identity(o),
		.seen = syt_module_is_closing(generation) ? 0 : generation,
	};
	/* the module's definition is in the dump before any event can name the module; pairs with the load
	 * in find() */
	define_first(m, o);
	if (__atomic_compare_exchange_n(slot, &free_slot, id, false, __ATOMIC_RELEASE,
	                                __ATOMIC_RELAXED))
		return m;
	/* another thread was first: this module id stays unused */
	mark_gone(m);
	return NULL;
}

static const struct syt_module *find(const struct dl_find_object *o, uint64_t generation)
{
	uint32_t i = first_slot((uintptr_t)o->dlfo_map_start);

	for (uint32_t nr = 0; nr < NR_INDEX; nr++, i = (i + 1) % NR_INDEX) {
		const struct syt_module *added;
		uint32_t id = __atomic_load_n(&module_index[i], __ATOMIC_ACQUIRE);

		while (!id) {
			added = add(&module_index[i], o, generation);
			if (added)
				return added;
			id = __atomic_load_n(&module_index[i], __ATOMIC_ACQUIRE);
		}
		if (is_same(&modules[id], o, generation))
			return &modules[id];
	}
	return NULL;
}

const struct syt_module *syt_module_find(uintptr_t pc)
{
	struct dl_find_object o;
	uint64_t generation = syt_module_generation();

	if (!modules || !_dl_find_object || _dl_find_object((void *)pc, &o))
		return NULL;
	return find(&o, generation);
}

bool syt_module_has(uintptr_t pc)
{
	struct dl_find_object o;

	return _dl_find_object && !_dl_find_object((void *)pc, &o);
}

uintptr_t syt_module_bias(uint32_t id)
{
	return id <= SYT_MODULE_MAX ? modules[id].bias : 0;
}

void syt_module_renew(void)
{
	__atomic_fetch_add(&syt_module_code, UINT64_C(1) << 16, __ATOMIC_ACQ_REL);
}

void syt_module_closing(void)
{
	__atomic_fetch_add(&syt_module_code, (UINT64_C(1) << 16) + 1, __ATOMIC_ACQ_REL);
}

/* Marks module ID if its mapping no longer exists. */
static void mark_if_gone(uint32_t id, uint64_t generation)
{
	struct syt_module *m = &modules[id];
	struct dl_find_object o;

	if (!m->map || __atomic_load_n(&m->is_gone, __ATOMIC_RELAXED))
		return;
	if (_dl_find_object((void *)m->start, &o) || !is_same(m, &o, generation))
		mark_gone(m);
}

void syt_module_closed(void)
{
	uint32_t nr = __atomic_load_n(&nr_modules, __ATOMIC_ACQUIRE);
	uint64_t old = syt_module_generation();

	if (nr > SYT_MODULE_MAX)
		nr = SYT_MODULE_MAX;
	for (uint32_t id = 1; modules && _dl_find_object && id <= nr; id++)
		mark_if_gone(id, old);

	/* a child that was forked during a dlclose has no dlclose running: syt_module_fork_child() */
	if (!syt_module_is_closing(old))
		syt_module_renew();
	while (syt_module_is_closing(old) &&
	       !__atomic_compare_exchange_n(&syt_module_code, &old, old + (UINT64_C(1) << 16) - 1,
	                                    true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

void syt_module_fork_child(void)
{
	struct dl_find_object o;
	uint64_t code = syt_module_generation();
	bool was_closing = syt_module_is_closing(code);

	/* the thread that was running dlclose does not exist in this forked child */
	if (was_closing)
		__atomic_store_n(&syt_module_code, ((code >> 16) + 1) << 16, __ATOMIC_RELEASE);
	for (uint32_t id = 1; modules && id <= nr_modules && id <= SYT_MODULE_MAX; id++) {
		struct syt_module *m = &modules[id];
		const struct syt_module_text *text = m->text;

		if (!m->map || m->is_gone)
			continue;
		/* without a dlclose since the last comparison, the mapping is the same */
		if ((was_closing || !text || m->seen != code) &&
		    (_dl_find_object((void *)m->start, &o) ||
		     !is_same(m, &o, was_closing ? 0 : code)))
			continue;
		if (text)
			define(m, (struct syt_build_id){text->bytes, text->build_id_bytes},
			       (const char *)text->bytes + text->build_id_bytes, text->path_bytes);
		else
			define_first(m, &o);
	}
}
