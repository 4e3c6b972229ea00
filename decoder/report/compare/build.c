/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/compare/build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"

#define NS_PER_S UINT64_C(1000000000)

const char *const syt_names_texts[SYT_NR_NAMES] = {
	[SYT_NAMES_NONE] = "none",
	[SYT_NAMES_EXPORTED] = "exported",
	[SYT_NAMES_SYMBOLS] = "symbols",
	[SYT_NAMES_DEBUG] = "debug",
};

/* ---- builds ---- */

static int compare(const struct syt_build *a, const char *name, const char *id)
{
	int order = strcmp(a->name, name);

	return order ? order : strcmp(a->id, id);
}

void syt_builds_add(struct syt_builds *b, const char *name, const char *id, const char *names)
{
	size_t at = 0;

	while (at < b->nr && compare(&b->all[at], name, id) < 0)
		at++;
	if (at < b->nr && !compare(&b->all[at], name, id))
		return;
	syt_grow(&b->all, &b->room, b->nr + 1, sizeof(*b->all));
	memmove(&b->all[at + 1], &b->all[at], (b->nr++ - at) * sizeof(*b->all));
	b->all[at] = (struct syt_build){syt_asprintf("%s", name), syt_asprintf("%s", id),
	                                syt_asprintf("%s", names)};
}

void syt_builds_add_all(struct syt_builds *b, const struct syt_builds *from)
{
	for (size_t n = 0; n < from->nr; n++)
		syt_builds_add(b, from->all[n].name, from->all[n].id, from->all[n].names);
}

/* Returns a copy of the name TEXT, which a dump contains, without control characters. The caller frees it. */
static char *printable(const char *text)
{
	char *copy = syt_asprintf("%s", text && *text ? text : "?");

	for (char *p = copy; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	return copy;
}

static void add_file(void *builds, const struct syt_symbol_file *f)
{
	char *name = printable(f->name), *names, *id, *end;

	id = end = syt_alloc(2 * (size_t)f->build_id_bytes + 2, 1);
	strcpy(id, "-");
	for (uint32_t n = 0; n < f->build_id_bytes; n++)
		end += sprintf(end, "%02x", f->build_id[n]);
	names = syt_asprintf("%s%s%s", syt_names_texts[f->names], f->optimization ? " " : "",
	                     f->optimization ? f->optimization : "");
	syt_builds_add(builds, name, id, names);
	free(name);
	free(names);
	free(id);
}

void syt_builds_add_files(struct syt_builds *b, struct syt_symbols *s)
{
	if (s)
		syt_symbols_files(s, add_file, b);
}

void syt_builds_close(struct syt_builds *b)
{
	for (size_t n = 0; n < b->nr; n++) {
		free(b->all[n].name);
		free(b->all[n].id);
		free(b->all[n].names);
	}
	free(b->all);
	*b = (struct syt_builds){0, 0, NULL};
}

const struct syt_build *syt_builds_find(const struct syt_builds *b, const char *name)
{
	for (size_t n = 0; n < b->nr; n++)
		if (!strcmp(b->all[n].name, name))
			return &b->all[n];
	return NULL;
}

/* Returns true if B contains each build of A. A file without a build-id may be any build. */
static bool has_all(const struct syt_builds *b, const struct syt_builds *a)
{
	for (size_t n = 0; n < a->nr; n++) {
		const struct syt_build *x = &a->all[n];
		bool has = false;

		for (size_t k = 0; k < b->nr; k++)
			has |= !compare(&b->all[k], x->name, x->id) &&
			       !strcmp(b->all[k].names, x->names);
		if (!has || !strcmp(x->id, "-"))
			return false;
	}
	return true;
}

bool syt_builds_are_same(const struct syt_builds *a, const struct syt_builds *b)
{
	return a->nr && has_all(a, b) && has_all(b, a);
}

bool syt_builds_extend(const struct syt_builds *a, const struct syt_builds *b)
{
	return a->nr && b->nr && (has_all(a, b) || has_all(b, a));
}

/* ---- origin ---- */

static char *time_text(uint64_t ns)
{
	time_t s = (time_t)(ns / NS_PER_S);
	char text[32];
	struct tm tm;
	bool is_known = ns && gmtime_r(&s, &tm) && strftime(text, sizeof(text), "%FT%TZ", &tm);

	return syt_asprintf("%s", is_known ? text : "?");
}

struct syt_run_origin syt_run_origin_of(const struct syt_trace_data *t)
{
	const struct syt_image *first = &t->images[0];
	uint32_t v = first->file.tool_version;

	return (struct syt_run_origin){.recorded = time_text(first->file.start.real_ns),
	                               .host = printable(first->file.host),
	                               .recorder = syt_asprintf("%" PRIu32 ".%" PRIu32 ".%" PRIu32,
	                                                        v >> 16, v >> 8 & 0xff, v & 0xff),
	                               .program = printable(syt_image_program(first))};
}

static char *copy_of(const char *text)
{
	return syt_asprintf("%s", text ? text : "?");
}

struct syt_run_origin syt_run_origin_copy(const struct syt_run_origin *from)
{
	return (struct syt_run_origin){copy_of(from->recorded), copy_of(from->host),
	                               copy_of(from->recorder), copy_of(from->program)};
}

void syt_run_origin_close(struct syt_run_origin *o)
{
	free(o->recorded);
	free(o->host);
	free(o->recorder);
	free(o->program);
	*o = (struct syt_run_origin){NULL, NULL, NULL, NULL};
}
