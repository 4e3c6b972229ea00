/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/exporter.h"

#include <stdlib.h>

#include "base/err.h"

static const struct syt_exporter *const exporters[] = {
#define EXPORTER(name_, summary_) &syt_exporter_##name_,
#include "decoder/export/exporters.def"
#undef EXPORTER
};

#define NR_EXPORTERS (sizeof(exporters) / sizeof(exporters[0]))

const struct syt_exporter *syt_exporter_at(size_t number)
{
	return number < NR_EXPORTERS ? exporters[number] : NULL;
}

const struct syt_exporter *syt_exporter_find(const char *name)
{
	for (size_t n = 0; n < NR_EXPORTERS; n++)
		if (!strcmp(exporters[n]->name, name))
			return exporters[n];
	return NULL;
}

static bool ends_in(const char *path, size_t bytes, const char *end)
{
	size_t nr = strlen(end);

	return bytes > nr && !memcmp(path + bytes - nr, end, nr);
}

size_t syt_exporter_stem(const char *path)
{
	size_t bytes = strlen(path);

	if (ends_in(path, bytes, ".gz"))
		bytes -= strlen(".gz");
	if (ends_in(path, bytes, ".tar"))
		bytes -= strlen(".tar");
	return bytes;
}

const struct syt_exporter *syt_exporter_of_file(const char *path)
{
	size_t bytes = strlen(path), stem = syt_exporter_stem(path);

	for (size_t n = 0; n < NR_EXPORTERS; n++) {
		if (ends_in(path, bytes, exporters[n]->suffix) ||
		    ends_in(path, stem, exporters[n]->suffix))
			return exporters[n];
	}
	return NULL;
}

void syt_ids_open(struct syt_ids *n, const struct syt_order *o)
{
	const struct syt_trace_data *t = o->places.trace;

	*n = (struct syt_ids){.calls = syt_calloc(t->nr_images, sizeof(*n->calls)),
	                      .stacks = syt_calloc(t->nr_images, sizeof(*n->stacks)),
	                      .modules = syt_calloc(t->nr_images, sizeof(*n->modules))};
	for (uint32_t i = 0; i < t->nr_images; i++) {
		n->calls[i] = n->nr_calls;
		n->stacks[i] = n->nr_stacks;
		n->modules[i] = n->nr_modules;
		n->nr_calls += t->images[i].nr_calls;
		n->nr_stacks += t->images[i].nr_stacks;
		n->nr_modules += t->images[i].nr_modules;
	}
	n->has_call = syt_calloc(n->nr_calls, sizeof(bool));
	n->has_stack = syt_store_alloc(n->nr_stacks, sizeof(bool));
	n->has_module = syt_calloc(n->nr_modules + t->nr_images, sizeof(bool));
	n->has_object = syt_calloc(o->objects.nr, sizeof(bool));
}

void syt_ids_close(struct syt_ids *n)
{
	free(n->calls);
	free(n->stacks);
	free(n->modules);
	free(n->has_call);
	syt_store_free(n->has_stack);
	free(n->has_module);
	free(n->has_object);
}
