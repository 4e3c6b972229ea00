/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/window_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

#include "base/err.h"
#include "fleet/symbols.h"

#define MOST_TEXT 4096u                 /* bytes of a text */
#define MOST_FRAMES 4096u               /* frames of a stack */
#define MOST_NAME 200u                  /* bytes of the name of a module */
#define MOST_PATHS (UINT64_C(64) << 20) /* bytes of the paths of all stacks */
#define MOST_WEIGHT 1e15                /* a smaller probability is no probability of a fleet */

const char *const syt_window_words[SYT_NR_WORDS] = {"event",  "what",    "class",
                                                    "reason", "charged", "call"};

struct reader {
	struct syt_window_file *w;
	uint64_t nr_lines, nr_path_bytes;
	bool has_end;
	char *error; /* reason of the rejection, or NULL */
	char *line;
};

static bool fail(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Notes the reason of a rejection unless an earlier one is noted. Returns false. */
static bool fail(struct reader *r, const char *format, ...)
{
	char *reason;
	va_list args;

	if (r->error)
		return false;
	va_start(args, format);
	reason = syt_vasprintf(format, args);
	va_end(args);
	r->error = syt_asprintf("line %" PRIu64 ": %s", r->nr_lines, reason);
	free(reason);
	return false;
}

/* ---- members of a line ---- */

static bool get_integer(struct reader *r, const json_t *line, const char *key, int64_t *v)
{
	const json_t *member = json_object_get(line, key);

	if (!json_is_integer(member) || json_integer_value(member) < 0)
		return fail(r, "%s is no integer from 0 to 2^63 - 1", key);
	*v = json_integer_value(member);
	return true;
}

static bool get_optional_integer(struct reader *r, const json_t *line, const char *key, int64_t *v)
{
	*v = 0;
	return !json_object_get(line, key) || get_integer(r, line, key, v);
}

/* Returns true if TEXT has no control characters, which would confuse a terminal or a file of ids. */
static bool is_plain(const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0))
			return false;
	return true;
}

static bool get_text(struct reader *r, const json_t *line, const char *key, char **text)
{
	const json_t *member = json_object_get(line, key);

	if (!json_is_string(member))
		return fail(r, "%s is no text", key);
	if (json_string_length(member) > MOST_TEXT)
		return fail(r, "%s is longer than %u bytes", key, MOST_TEXT);
	if (!is_plain(json_string_value(member)))
		return fail(r, "%s contains a control character", key);
	if (*text)
		return fail(r, "%s occurs twice", key);
	*text = syt_strndup(json_string_value(member), json_string_length(member));
	return true;
}

static bool get_optional_text(struct reader *r, const json_t *line, const char *key, char **text)
{
	if (json_object_get(line, key))
		return get_text(r, line, key, text);
	*text = syt_strndup("", 0);
	return true;
}

static bool get_hex(struct reader *r, const json_t *line, const char *key, char **text)
{
	if (!get_text(r, line, key, text))
		return false;
	if (strspn(*text, "0123456789abcdef") != strlen(*text) || strlen(*text) % 2)
		return fail(r, "%s is no text of hex digits", key);
	return true;
}

static bool get_probability(struct reader *r, const json_t *line, const char *key, double *p)
{
	const json_t *member = json_object_get(line, key);

	*p = json_number_value(member);
	if (!json_is_number(member) || !(*p > 0 && *p <= 1))
		return fail(r, "%s is no probability above 0 and up to 1", key);
	return true;
}

/* Reads the number KEY of a definition, or of a reference to one of NR definitions. Numbers count from 1. */
static bool get_reference(struct reader *r, const json_t *line, const char *key, size_t nr,
                          size_t *index)
{
	int64_t number;

	if (!get_integer(r, line, key, &number))
		return false;
	if (number < 1 || (uint64_t)number > nr)
		return fail(r, "%s %" PRId64 " is not defined", key, number);
	*index = (size_t)number - 1;
	return true;
}

static bool has_next_number(struct reader *r, const json_t *line, const char *key, size_t nr)
{
	int64_t number;

	if (!get_integer(r, line, key, &number))
		return false;
	return (uint64_t)number == nr + 1 ||
	       fail(r, "%s %" PRId64 " is not the next number, %zu", key, number, nr + 1);
}

/* ---- lines ---- */

static bool read_window(struct reader *r, const json_t *line)
{
	struct syt_window_file *w = r->w;
	const json_t *coverage = json_object_get(line, "coverage");
	double p_host, p_time;
	int64_t version;

	if (w->id)
		return fail(r, "a second window");
	if (!get_integer(r, line, "v", &version))
		return false;
	if (version != 1)
		return fail(r, "version %" PRId64 " of the format is unknown", version);
	if (!get_hex(r, line, "id", &w->id))
		return false;
	if (strlen(w->id) != SYT_WINDOW_ID)
		return fail(r, "id has not %u hex digits", SYT_WINDOW_ID);
	if (!get_text(r, line, "host", &w->host) || !get_hex(r, line, "boot", &w->boot) ||
	    !get_text(r, line, "service", &w->service) ||
	    !get_text(r, line, "version", &w->version) || !get_text(r, line, "exe", &w->exe) ||
	    !get_hex(r, line, "build", &w->build) ||
	    !get_integer(r, line, "begin_ns", &w->begin_ns) ||
	    !get_integer(r, line, "length_ns", &w->length_ns) ||
	    !get_integer(r, line, "wall_ns", &w->wall_ns) ||
	    !get_integer(r, line, "events", &w->events) ||
	    !get_integer(r, line, "lost", &w->lost) ||
	    !get_probability(r, line, "p_host", &p_host) ||
	    !get_probability(r, line, "p_time", &p_time))
		return false;
	if (!*w->host || !*w->service)
		return fail(r, "host or service is empty");
	w->weight = 1 / (p_host * p_time);
	if (!(w->weight <= MOST_WEIGHT))
		return fail(r, "p_host * p_time is too small");
	if (coverage && !json_is_object(coverage))
		return fail(r, "coverage is no object");
	return !coverage || (get_optional_integer(r, coverage, "open", &w->open) &&
	                     get_optional_integer(r, coverage, "unseen", &w->unseen_ns) &&
	                     get_optional_integer(r, coverage, "paused", &w->paused_bytes));
}

static bool read_module(struct reader *r, const json_t *line)
{
	struct syt_window_file *w = r->w;
	char *path = NULL, *build = NULL;

	if (has_next_number(r, line, "module", w->nr_modules) && get_text(r, line, "path", &path) &&
	    get_hex(r, line, "build", &build)) {
		const char *slash = strrchr(path, '/'), *key = *build ? build : path;

		*SYT_ADD(w->modules, w->nr_modules, w->room_modules) = (struct syt_upload_module){
			XXH3_64bits(key, strlen(key)),
			syt_strndup(slash ? slash + 1 : path, MOST_NAME),
			syt_strndup(path, MOST_TEXT),
			syt_strndup(strlen(build) <= SYT_SYMBOLS_BUILD ? build : "",
		                    SYT_SYMBOLS_BUILD)};
	}
	free(path);
	free(build);
	return !r->error;
}

/* Reads a place, [module, offset]. */
static bool read_place(struct reader *r, const json_t *place, const struct syt_upload_module **m,
                       uint64_t *offset)
{
	const json_t *module = json_array_get(place, 0), *at = json_array_get(place, 1);

	if (json_array_size(place) != 2 || !json_is_integer(module) || !json_is_integer(at) ||
	    json_integer_value(at) < 0)
		return fail(r, "a place is no [module, offset]");
	if (json_integer_value(module) < 1 ||
	    (uint64_t)json_integer_value(module) > r->w->nr_modules)
		return fail(r, "module %" JSON_INTEGER_FORMAT " is not defined",
		            json_integer_value(module));
	*m = &r->w->modules[json_integer_value(module) - 1];
	*offset = (uint64_t)json_integer_value(at);
	return true;
}

static json_t *make_place(const struct syt_upload_module *m, uint64_t address)
{
	return json_pack("[s, s, I]", m->build, m->name, (json_int_t)address);
}

/* Adds the frame FRAME to the hash and to the array KEPT. Returns its name, which the caller frees, or NULL after an error. */
static char *read_frame(struct reader *r, const json_t *frame, XXH3_state_t *hash, json_t *kept)
{
	const struct syt_upload_module *m;
	uint64_t offset;
	char *name = NULL;

	if (json_is_string(frame)) {
		if (json_string_length(frame) > MOST_TEXT || !is_plain(json_string_value(frame))) {
			fail(r, "the name of a frame is too long or contains a control character");
			return NULL;
		}
		name = syt_strndup(json_string_value(frame), json_string_length(frame));
		for (char *p = name; *p; p++)
			*p = *p == ';' ? ':' : *p;
		XXH3_64bits_update(hash, name, strlen(name) + 1);
		json_array_append_new(kept, json_string(name));
		return name;
	}
	if (!read_place(r, frame, &m, &offset))
		return NULL;
	XXH3_64bits_update(hash, &m->key, sizeof(m->key));
	XXH3_64bits_update(hash, &offset, sizeof(offset));
	json_array_append_new(kept, make_place(m, offset));
	r->nr_path_bytes += strlen(m->build) + strlen(m->name);
	name = syt_asprintf("%s+0x%" PRIx64, m->name, offset);
	for (char *p = name; *p; p++)
		*p = *p == ';' ? ':' : *p;
	return name;
}

/* Returns 63 bits of the hash that are not all 0. */
static int64_t key_of(const XXH3_state_t *hash)
{
	int64_t key = (int64_t)(XXH3_64bits_digest(hash) >> 1);

	return key ? key : 1;
}

/* Joins the NAMES, the outermost first, and frees all but the innermost one. */
static char *join(char **names, size_t nr)
{
	char *path;
	size_t bytes;
	FILE *f = syt_memstream(&path, &bytes);

	for (size_t n = nr; n-- > 0;) {
		fprintf(f, "%s%s", names[n], n ? ";" : "");
		if (n)
			free(names[n]);
	}
	fclose(f);
	return path;
}

static bool read_stack(struct reader *r, const json_t *line)
{
	struct syt_window_file *w = r->w;
	const json_t *frames = json_object_get(line, "frames");
	size_t nr = json_array_size(frames), n = 0;
	XXH3_state_t *hash;
	json_t *kept;
	char **names;

	if (!has_next_number(r, line, "stack", w->nr_stacks))
		return false;
	if (!json_is_array(frames) || nr > MOST_FRAMES)
		return fail(r, "frames is no array of at most %u frames", MOST_FRAMES);
	hash = XXH3_createState();
	if (!hash)
		syt_die_of_memory(1, sizeof(XXH3_state_t *));
	XXH3_64bits_reset(hash);
	names = syt_calloc(nr, sizeof(*names));
	kept = json_array();
	while (n < nr && (names[n] = read_frame(r, json_array_get(frames, n), hash, kept)))
		r->nr_path_bytes += strlen(names[n++]) + 1;
	if (r->nr_path_bytes > MOST_PATHS)
		fail(r, "the names of all frames have more than %" PRIu64 " bytes", MOST_PATHS);
	if (!r->error)
		*SYT_ADD(w->stacks, w->nr_stacks, w->room_stacks) = (struct syt_upload_stack){
			key_of(hash), join(names, nr), nr ? names[0] : syt_strndup("", 0),
			json_dumps(kept, JSON_COMPACT)};
	else
		while (n-- > 0)
			free(names[n]);
	json_decref(kept);
	free(names);
	XXH3_freeState(hash);
	return !r->error;
}

/* Reads the name of a lock, or makes one of its place or of the stack that made it. Returns NULL after an error. */
static char *read_lock_name(struct reader *r, const json_t *line)
{
	const json_t *at = json_object_get(line, "at");
	const struct syt_upload_module *m;
	uint64_t offset;
	char *name = NULL;
	size_t made = 0;

	if (at)
		return read_place(r, at, &m, &offset)
		               ? syt_asprintf("%s+0x%" PRIx64, m->name, offset)
		               : NULL;
	if (!json_object_get(line, "made"))
		return get_text(r, line, "name", &name) ? name : NULL;
	return get_reference(r, line, "made", r->w->nr_stacks, &made)
	               ? syt_asprintf("%s()", r->w->stacks[made].function)
	               : NULL;
}

/* Adds the identity of the lock L to the hash, and keeps it. */
static void hash_lock(struct reader *r, const json_t *line, struct syt_upload_lock *l,
                      XXH3_state_t *hash)
{
	json_t *place = json_null();
	const json_t *at = json_object_get(line, "at");
	const struct syt_upload_module *m;
	uint64_t offset;
	size_t made = 0;

	if (at && read_place(r, at, &m, &offset)) {
		XXH3_64bits_update(hash, &m->key, sizeof(m->key));
		XXH3_64bits_update(hash, &offset, sizeof(offset));
		place = make_place(m, offset);
	} else if (json_object_get(line, "made") &&
	           get_reference(r, line, "made", r->w->nr_stacks, &made)) {
		l->made = r->w->stacks[made].key;
		XXH3_64bits_update(hash, &l->made, sizeof(l->made));
	} else {
		XXH3_64bits_update(hash, l->name, strlen(l->name));
	}
	l->place = json_dumps(place, JSON_COMPACT | JSON_ENCODE_ANY);
	json_decref(place);
}

static bool read_lock(struct reader *r, const json_t *line)
{
	struct syt_window_file *w = r->w;
	char *kind = NULL, *name;
	struct syt_upload_lock *l;
	XXH3_state_t *hash;

	if (!has_next_number(r, line, "lock", w->nr_locks) || !get_text(r, line, "kind", &kind) ||
	    !(name = read_lock_name(r, line))) {
		free(kind);
		return false;
	}
	hash = XXH3_createState();
	if (!hash)
		syt_die_of_memory(1, sizeof(XXH3_state_t *));
	XXH3_64bits_reset(hash);
	XXH3_64bits_update(hash, kind, strlen(kind) + 1);
	l = SYT_ADD(w->locks, w->nr_locks, w->room_locks);
	*l = (struct syt_upload_lock){.kind = kind, .name = name};
	hash_lock(r, line, l, hash);
	l->key = key_of(hash);
	XXH3_freeState(hash);
	return true;
}

static bool read_references(struct reader *r, const json_t *line, struct syt_upload_fact *f)
{
	const struct syt_window_file *w = r->w;
	size_t index = 0;

	if (!get_reference(r, line, "stack", w->nr_stacks, &index))
		return false;
	f->stack = w->stacks[index].key;
	if (json_object_get(line, "lock")) {
		if (!get_reference(r, line, "lock", w->nr_locks, &index))
			return false;
		f->lock = w->locks[index].key;
	}
	if (json_object_get(line, "culprit")) {
		if (!get_reference(r, line, "culprit", w->nr_stacks, &index))
			return false;
		f->culprit = w->stacks[index].key;
	}
	return true;
}

static bool read_fact(struct reader *r, const json_t *line)
{
	struct syt_window_file *w = r->w;
	struct syt_upload_fact *f;

	if (w->nr_facts == SYT_WINDOW_MOST_FACTS)
		return fail(r, "more than %u facts", SYT_WINDOW_MOST_FACTS);
	f = SYT_ADD(w->facts, w->nr_facts, w->room_facts);
	memset(f, 0, sizeof(*f));
	for (unsigned n = 0; n < SYT_NR_WORDS; n++) {
		bool is_optional =
			n == SYT_WORD_CLASS || n == SYT_WORD_REASON || n == SYT_WORD_CHARGED;

		if (!(is_optional ? get_optional_text : get_text)(r, line, syt_window_words[n],
		                                                  &f->words[n]))
			return false;
	}
	if (strcmp(f->words[SYT_WORD_EVENT], "wait") != 0 &&
	    strcmp(f->words[SYT_WORD_EVENT], "hold") != 0)
		return fail(r, "event is neither wait nor hold");
	if (!read_references(r, line, f) || !get_integer(r, line, "n", &f->n) ||
	    !get_integer(r, line, "ns", &f->ns) || !get_integer(r, line, "max_ns", &f->max_ns))
		return false;
	return f->max_ns <= f->ns || fail(r, "max_ns is larger than ns");
}

static bool read_end(struct reader *r, const json_t *line)
{
	int64_t nr;

	if (!get_integer(r, line, "lines", &nr))
		return false;
	r->has_end = true;
	return (uint64_t)nr == r->nr_lines ||
	       fail(r, "the file has %" PRIu64 " lines, and should have %" PRId64, r->nr_lines, nr);
}

static bool read_object(struct reader *r, const json_t *line)
{
	static const struct {
		const char *type;
		bool (*read)(struct reader *r, const json_t *line);
	} types[] = {{"window", read_window}, {"module", read_module}, {"stack", read_stack},
	             {"lock", read_lock},     {"fact", read_fact},     {"end", read_end}};
	const char *type = json_string_value(json_object_get(line, "type"));

	if (!type)
		return fail(r, "no type");
	if (r->has_end)
		return fail(r, "a line after the end");
	if (!r->w->id && strcmp(type, "window") != 0)
		return fail(r, "the first line is no window");
	for (size_t n = 0; n < sizeof(types) / sizeof(types[0]); n++)
		if (!strcmp(type, types[n].type))
			return types[n].read(r, line);
	return fail(r, "a line of an unknown type");
}

static bool read_line(struct reader *r, const char *line, size_t bytes)
{
	json_error_t error;
	json_t *object;
	bool is_good;

	r->nr_lines++;
	object = json_loadb(line, bytes, JSON_REJECT_DUPLICATES, &error);
	if (!object)
		return fail(r, "no JSON: %s", error.text);
	is_good = json_is_object(object) ? read_object(r, object) : fail(r, "no JSON object");
	json_decref(object);
	return is_good;
}

/* ---- the file ---- */

/* Reads the lines of the compressed or plain file F. */
static void read_lines(struct reader *r, gzFile f)
{
	uint64_t nr_bytes = 0;

	r->line = syt_alloc(SYT_WINDOW_MOST_LINE + 2, 1);
	while (!r->error) {
		/* gzgets() stops at a newline; a NUL byte before it makes the line invalid JSON */
		memset(r->line, 0, 2);
		if (!gzgets(f, r->line, SYT_WINDOW_MOST_LINE + 2))
			break;
		size_t bytes = strlen(r->line);

		nr_bytes += bytes;
		if (nr_bytes > SYT_WINDOW_MOST_BYTES) {
			fail(r, "the file unpacks to more than %" PRIu64 " bytes",
			     SYT_WINDOW_MOST_BYTES);
		} else if (!bytes || r->line[bytes - 1] != '\n') {
			r->nr_lines++;
			fail(r, bytes > SYT_WINDOW_MOST_LINE ? "longer than 1 MiB"
			                                     : "cut, or contains a NUL byte");
		} else {
			read_line(r, r->line, bytes - 1);
		}
	}
	int status = Z_OK;
	const char *text = gzerror(f, &status);

	if (status != Z_OK && status != Z_STREAM_END)
		fail(r, "%s", status == Z_ERRNO ? strerror(errno) : text);
	if (!r->has_end)
		fail(r, "the line of type end is missing");
	r->w->nr_bytes = nr_bytes + r->nr_path_bytes;
	free(r->line);
}

char *syt_window_file_read(struct syt_window_file *w, int dir, const char *name, bool *is_retry)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct reader r = {.w = w};
	struct stat st;
	gzFile f;

	memset(w, 0, sizeof(*w));
	*is_retry = false;
	if (fd < 0 || fstat(fd, &st)) {
		int error = errno;

		*is_retry = error != ELOOP;
		if (fd >= 0)
			close(fd);
		return syt_asprintf("%s", strerror(error));
	}
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > SYT_WINDOW_MOST_COMPRESSED) {
		close(fd);
		return syt_asprintf(S_ISREG(st.st_mode) ? "larger than 16 MiB" : "no regular file");
	}
	f = gzdopen(fd, "rb");
	if (!f)
		syt_die_of_memory(1, 1);
	read_lines(&r, f);
	gzclose_r(f);
	if (r.error)
		syt_window_file_close(w);
	return r.error;
}

void syt_window_file_close(struct syt_window_file *w)
{
	char *texts[] = {w->id, w->host, w->boot, w->service, w->version, w->exe, w->build};

	for (size_t n = 0; n < sizeof(texts) / sizeof(texts[0]); n++)
		free(texts[n]);
	for (size_t n = 0; n < w->nr_modules; n++) {
		free(w->modules[n].name);
		free(w->modules[n].path);
		free(w->modules[n].build);
	}
	for (size_t n = 0; n < w->nr_stacks; n++) {
		free(w->stacks[n].path);
		free(w->stacks[n].function);
		free(w->stacks[n].frames);
	}
	for (size_t n = 0; n < w->nr_locks; n++) {
		free(w->locks[n].kind);
		free(w->locks[n].name);
		free(w->locks[n].place);
	}
	for (size_t n = 0; n < w->nr_facts; n++)
		for (unsigned k = 0; k < SYT_NR_WORDS; k++)
			free(w->facts[n].words[k]);
	free(w->modules);
	free(w->stacks);
	free(w->locks);
	free(w->facts);
	memset(w, 0, sizeof(*w));
}
