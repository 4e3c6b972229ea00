/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Writes a window file: the waits and the holdings of locks of one window of one service, as JSON lines for the store of
 * a fleet (doc/fleet.md). Modules, call stacks and locks are defined before the first fact that names them. The file
 * contains no address of the process: a frame is a module and an offset, and a lock is the place of its variable or
 * the call stack that made it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/counts.h"
#include "base/err.h"
#include "base/json.h"
#include "decoder/export/window_facts.h"
#include "decoder/export/words.h"
#include "decoder/analysis/classify.h"
#include "decoder/read/call.h"

#define MOST_FRAMES 128u /* innermost frames of a stack */
#define MOST_NAME 120u   /* bytes of the name of a function in generated code */
#define MOST_TEXT 1000u  /* bytes of any other text from the trace */

struct writer {
	const struct syt_export *x;
	struct syt_window_facts facts;
	struct syt_json j;
	uint64_t nr_lines;
	struct syt_counts by_module; /* hash of build-id and path -> number */
	uint32_t nr_modules, nr_stacks, nr_locks;
	uint32_t *stacks,
		*locks; /* number in the file of each stack and lock of `facts`; 0: not yet defined */
	uint32_t other; /* number of the stack of the facts "other", or 0 */
};

static void begin_line(struct writer *w, const char *type)
{
	syt_json_begin(&w->j, NULL, '{');
	syt_json_string(&w->j, "type", type);
	w->nr_lines++;
}

/* Returns the number of bytes of TEXT before the character at which it is cut to MOST bytes. */
static size_t cut(const char *text, size_t most)
{
	size_t bytes = strlen(text);

	if (bytes <= most)
		return bytes;
	for (bytes = most; bytes && ((unsigned char)text[bytes] & 0xc0) == 0x80; bytes--)
		;
	return bytes;
}

/* Writes untrusted text as valid UTF-8 of at most MOST bytes. */
static void put_text(struct writer *w, const char *key, const char *text, size_t most)
{
	char *clean = syt_words_clean(text);

	clean[cut(clean, most)] = '\0';
	syt_json_string(&w->j, key, clean);
	free(clean);
}

static void put_hex(struct writer *w, const char *key, const uint8_t *bytes, size_t nr)
{
	char *text = syt_calloc(2 * nr + 1, 1);

	for (size_t n = 0; n < nr; n++)
		snprintf(text + 2 * n, 3, "%02x", bytes[n]);
	syt_json_string(&w->j, key, text);
	free(text);
}

static void put_probability(struct writer *w, const char *key, double p)
{
	syt_json_key(&w->j, key);
	syt_out_printf(w->x->out, "%.17g", p);
}

/* ---- definitions ---- */

static uint32_t put_module(struct writer *w, const struct syt_module_info *m)
{
	const char *path = m->path ? m->path : "";
	XXH128_hash_t h = XXH3_128bits_withSeed(path, strlen(path),
	                                        XXH3_64bits(m->build_id, m->build_id_bytes));
	uint64_t *number = syt_counts_at(&w->by_module, h.low64, h.high64);

	if (*number)
		return (uint32_t)*number;
	*number = ++w->nr_modules;
	begin_line(w, "module");
	syt_json_u64(&w->j, "module", w->nr_modules);
	put_hex(w, "build", m->build_id, m->build_id_bytes);
	put_text(w, "path", path, MOST_TEXT);
	syt_json_end_line(&w->j);
	return w->nr_modules;
}

static const struct syt_module_info *module_of(const struct syt_image *i, uint32_t stack)
{
	uint32_t module = i->stacks[stack].module;

	return module && module <= i->nr_modules && i->modules[module - 1].id
	               ? &i->modules[module - 1]
	               : NULL;
}

/* Returns the offset of a frame, so that the code one byte before it made the call. The exact address of a frame that
 * a signal interrupted is the offset minus one. */
static uint64_t offset_of(const struct syt_stack_node *node)
{
	return (node->offset & SYT_STACK_OFFSET) + (node->offset & SYT_STACK_SIGNAL ? 1 : 0);
}

static void put_frame(struct writer *w, const struct syt_image *i, uint32_t at,
                      const struct syt_location *l)
{
	const struct syt_module_info *m = module_of(i, at);

	if (m) {
		syt_json_begin(&w->j, NULL, '[');
		syt_json_u64(&w->j, NULL, put_module(w, m));
		syt_json_u64(&w->j, NULL, offset_of(&i->stacks[at]));
		syt_json_end(&w->j);
	} else {
		put_text(w, NULL, l->nr_symbols && l->symbols[0].fn ? l->symbols[0].fn : "?",
		         MOST_NAME);
	}
}

/* Writes the definition of a stack unless it is already written, and returns its number. */
static uint32_t put_stack(struct writer *w, uint32_t idx)
{
	const struct syt_window_stack *s = &w->facts.stacks[idx];
	const struct syt_image *i = &w->x->order->places.trace->images[s->image];
	unsigned nr = 0;

	if (w->stacks[idx])
		return w->stacks[idx];
	for (uint32_t at = s->stack; at && nr < MOST_FRAMES; at = i->stacks[at].parent) {
		if (syt_symbol_locate(w->x->symbols, i, at)->is_recorder)
			continue;
		if (module_of(i, at))
			put_module(w, module_of(i, at));
		nr++;
	}
	nr = 0;
	w->stacks[idx] = ++w->nr_stacks;
	begin_line(w, "stack");
	syt_json_u64(&w->j, "stack", w->nr_stacks);
	syt_json_begin(&w->j, "frames", '[');
	for (uint32_t at = s->stack; at && nr < MOST_FRAMES; at = i->stacks[at].parent) {
		const struct syt_location *l = syt_symbol_locate(w->x->symbols, i, at);

		if (l->is_recorder)
			continue;
		put_frame(w, i, at, l);
		nr++;
	}
	syt_json_end(&w->j);
	syt_json_end_line(&w->j);
	return w->stacks[idx];
}

/* Writes the definition of a lock unless it is already written, and returns its number. */
static uint32_t put_lock(struct writer *w, uint32_t idx)
{
	const struct syt_window_lock *l = &w->facts.locks[idx];
	const struct syt_object *s = &w->x->order->objects.all[l->object];
	uint32_t module = 0, made = 0;

	if (w->locks[idx])
		return w->locks[idx];
	if (l->module != SYT_NONE)
		module = put_module(
			w, &w->x->order->places.trace->images[s->image].modules[l->module]);
	else if (l->made != SYT_NONE)
		made = put_stack(w, l->made);
	w->locks[idx] = ++w->nr_locks;
	begin_line(w, "lock");
	syt_json_u64(&w->j, "lock", w->nr_locks);
	syt_json_string(&w->j, "kind", syt_kind_text(s->info->kind));
	if (module) {
		syt_json_begin(&w->j, "at", '[');
		syt_json_u64(&w->j, NULL, module);
		syt_json_u64(&w->j, NULL, l->offset);
		syt_json_end(&w->j);
	} else if (made) {
		syt_json_u64(&w->j, "made", made);
	} else {
		put_text(w, "name", s->info->name, MOST_TEXT);
	}
	syt_json_end_line(&w->j);
	return w->locks[idx];
}

/* Writes the stack of the facts "other", and returns its number. */
static uint32_t put_other(struct writer *w)
{
	if (w->other)
		return w->other;
	w->other = ++w->nr_stacks;
	begin_line(w, "stack");
	syt_json_u64(&w->j, "stack", w->other);
	syt_json_begin(&w->j, "frames", '[');
	syt_json_string(&w->j, NULL, "other");
	syt_json_end(&w->j);
	syt_json_end_line(&w->j);
	return w->other;
}

/* ---- facts ---- */

static void put_words(struct writer *w, const struct syt_window_fact *f)
{
	const struct syt_call_info *call =
		&w->x->order->places.trace->images[f->image].calls[f->call];

	syt_json_string(&w->j, "what", syt_waits_kinds[f->kind].word);
	if (!f->is_hold) {
		syt_json_string(&w->j, "class",
		                syt_waits_classes[syt_waits_reasons[f->reason].class]);
		syt_json_string(&w->j, "reason", syt_waits_reasons[f->reason].word);
	}
	if (f->blame != SYT_NR_BLAMES)
		syt_json_string(&w->j, "charged", syt_blame_word((enum syt_blame_kind)f->blame));
	put_text(w, "call", call->name ? call->name : "?", MOST_NAME);
}

static void put_fact(struct writer *w, const struct syt_window_fact *f)
{
	uint32_t stack = f->is_other ? put_other(w) : put_stack(w, f->stack), lock = 0, culprit = 0;

	if (!f->is_other && f->lock != SYT_NONE)
		lock = put_lock(w, f->lock);
	if (!f->is_other && f->culprit != SYT_NONE)
		culprit = put_stack(w, f->culprit);
	begin_line(w, "fact");
	syt_json_string(&w->j, "event", f->is_hold ? "hold" : "wait");
	if (f->is_other) {
		syt_json_string(&w->j, "what", "other");
		syt_json_string(&w->j, "call", "");
	} else {
		put_words(w, f);
	}
	if (lock)
		syt_json_u64(&w->j, "lock", lock);
	syt_json_u64(&w->j, "stack", stack);
	if (culprit)
		syt_json_u64(&w->j, "culprit", culprit);
	syt_json_u64(&w->j, "n", f->nr);
	syt_json_u64(&w->j, "ns", f->ns);
	syt_json_u64(&w->j, "max_ns", f->most_ns);
	syt_json_end_line(&w->j);
}

/* ---- the window ---- */

/* Writes the id of the window: a hash of the boot, the trace and the begin, so that an export that is repeated has the same
 * id. */
static void put_id(struct writer *w, const struct syt_image *i, uint64_t begin_ns)
{
	uint8_t content[sizeof(i->file.boot_id) + sizeof(i->file.trace_id) + sizeof(begin_ns)];
	XXH128_canonical_t id;

	memcpy(content, i->file.boot_id, sizeof(i->file.boot_id));
	memcpy(content + sizeof(i->file.boot_id), i->file.trace_id, sizeof(i->file.trace_id));
	for (unsigned n = 0; n < sizeof(begin_ns); n++)
		content[sizeof(content) - sizeof(begin_ns) + n] = (uint8_t)(begin_ns >> 8 * n);
	XXH128_canonicalFromHash(&id, XXH3_128bits(content, sizeof(content)));
	put_hex(w, "id", id.digest, sizeof(id.digest));
}

/* Returns the module of the program of image I, or NULL. */
static const struct syt_module_info *program_of(const struct syt_image *i)
{
	for (uint32_t m = 0; i->exe && m < i->nr_modules; m++)
		if (i->modules[m].path && !strcmp(i->modules[m].path, i->exe))
			return &i->modules[m];
	return NULL;
}

static void put_coverage(struct writer *w)
{
	const struct syt_window_facts *f = &w->facts;

	syt_json_begin(&w->j, "coverage", '{');
	syt_json_u64(&w->j, "open", f->nr_open);
	syt_json_u64(&w->j, "unseen", SYT_TIME_NS(f->unseen));
	syt_json_u64(&w->j, "paused", w->x->order->coverage.bytes_unmatched[SYT_REASON_PAUSED]);
	syt_json_end(&w->j);
}

static void put_window(struct writer *w)
{
	const struct syt_trace_data *t = w->x->order->places.trace;
	const struct syt_window_names *names = &w->x->window;
	const struct syt_window_facts *f = &w->facts;
	const struct syt_image *i = &t->images[0];
	const struct syt_module_info *program = program_of(i);
	uint64_t begin_ns = SYT_TIME_NS(f->from);

	w->nr_lines++;
	syt_json_begin(&w->j, NULL, '{');
	syt_json_u64(&w->j, "v", 1);
	syt_json_string(&w->j, "type", "window");
	put_id(w, i, begin_ns);
	put_text(w, "host", names->host ? names->host : i->file.host, MOST_TEXT);
	put_hex(w, "boot", i->file.boot_id, sizeof(i->file.boot_id));
	put_text(w, "service", names->service ? names->service : syt_image_program(i), MOST_TEXT);
	if (names->version || !program)
		put_text(w, "version", names->version, MOST_TEXT);
	else
		put_hex(w, "version", program->build_id, program->build_id_bytes);
	put_text(w, "exe", i->exe, MOST_TEXT);
	put_hex(w, "build", program ? program->build_id : NULL,
	        program ? program->build_id_bytes : 0);
	syt_json_u64(&w->j, "begin_ns", begin_ns + (uint64_t)t->wall_offset_ns);
	syt_json_u64(&w->j, "length_ns", SYT_TIME_NS(f->until) - begin_ns);
	syt_json_u64(&w->j, "wall_ns", SYT_TIME_NS(f->wall));
	syt_json_u64(&w->j, "events", f->nr_events);
	syt_json_u64(&w->j, "lost", f->nr_lost <= INT64_MAX ? f->nr_lost : INT64_MAX);
	put_probability(w, "p_host", names->p_host);
	put_probability(w, "p_time", names->p_time);
	put_coverage(w);
	syt_json_end_line(&w->j);
}

static int run(struct syt_export *x)
{
	struct writer w = {.x = x, .j = {.out = x->out}};
	const struct syt_trace_data *t = x->order->places.trace;

	if (!t->nr_images || (t->hosts && t->hosts->nr > 1)) {
		syt_warn("a window is of the processes of one host: export the trace of each host "
		         "alone");
		return -1;
	}
	syt_window_facts_open(&w.facts, x);
	w.stacks = syt_calloc(w.facts.nr_stacks, sizeof(*w.stacks));
	w.locks = syt_calloc(w.facts.nr_locks, sizeof(*w.locks));
	put_window(&w);
	for (size_t n = 0; n < w.facts.nr && !x->out->is_closed; n++)
		put_fact(&w, &w.facts.all[n]);
	begin_line(&w, "end");
	syt_json_u64(&w.j, "lines", w.nr_lines);
	syt_json_end_line(&w.j);
	syt_counts_fini(&w.by_module);
	free(w.stacks);
	free(w.locks);
	syt_window_facts_close(&w.facts);
	return 0;
}

const struct syt_exporter syt_exporter_window = {
	.name = "window",
	.suffix = ".jsonl",
	.is_window = true,
	.run = run,
};
