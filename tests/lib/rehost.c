/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Copies a trace directory as if another host had recorded it. The truth about the two clocks is then known exactly.
 *
 *	rehost [--boot HEX] [--boot-add N] [--trace-id HEX] [--host NAME] [--origin NS] [--offset NS] [--drift PPM]
 *	       [--wave AMPLITUDE,PERIOD]... [--wall NS] [--ticks NS] IN OUT
 *
 * At the original time t (CLOCK_MONOTONIC in ns), each clock of the copy is ahead of the original by
 *
 *	D(t) = offset + drift (t - origin) / 10^6 + sum of AMPLITUDE sin(2 pi (t - origin) / PERIOD)
 *
 * The event clock, CLOCK_MONOTONIC and CLOCK_REALTIME all follow D; CLOCK_REALTIME is also ahead by --wall, and the event
 * clock by --ticks. All values are in ns except the drift. The origin is the start of the earliest dump; rehost prints it. The
 * ticks are rewritten in every event, at a constant rate of ticks: the clock pairs keep their noise. Ticks are rounded, so two
 * events that were a tick apart can get equal ticks if D falls. The inputs must be sound and complete traces, which no process
 * records any more. HEX has up to 32 digits; zeros are the unknown boot.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <lz4.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/err.h"
#include "decoder/read/image.h"
#include "format/event.h"

#define ID_BYTES 16
#define MOST_WAVES 16
#define PI 3.14159265358979323846L

struct wave {
	long double amplitude, period;
};

static struct {
	bool has_boot, has_trace;
	uint8_t boot[ID_BYTES], trace[ID_BYTES];
	uint64_t boot_add;
	const char *host;
	bool has_origin;
	uint64_t origin;
	int64_t offset, wall, ticks;
	long double drift;
	struct wave waves[MOST_WAVES];
	unsigned nr_waves;
	/* the ticks of the original clock: pair (ticks, mono_ns) and rate */
	struct syt_clock_pair zero;
	long double ns_per_tick;
} how;

static const struct syt_image *image; /* the dump that is being copied, for its calls */

/* ---- time ---- */

/* Not rounded: a step of 1 ns is several ticks, and would exchange two events. */
static long double ahead_ns(long double t)
{
	long double since = t - (long double)how.origin, d = how.drift * since / 1e6L;

	for (unsigned n = 0; n < how.nr_waves; n++)
		d += how.waves[n].amplitude * sinl(2 * PI * since / how.waves[n].period);
	return how.offset + d;
}

static uint64_t moved(uint64_t value, int64_t by)
{
	if (by < 0 ? value < -(uint64_t)by : value + (uint64_t)by < value)
		syt_die(1, "the time %" PRIu64 " moved by %" PRId64 " is out of range", value, by);
	return value + (uint64_t)by;
}

static long double ahead_at_ticks(uint64_t ticks)
{
	return ahead_ns((long double)how.zero.mono_ns +
	                (long double)(int64_t)(ticks - how.zero.ticks) * how.ns_per_tick);
}

static uint64_t new_ticks(uint64_t ticks)
{
	long double ahead = ahead_at_ticks(ticks) + (long double)how.ticks;

	return moved(ticks, llroundl(ahead / how.ns_per_tick));
}

/* Replaces the 64-bit ticks at P unless they are 0 or UINT64_MAX, which mean "none". */
static void move_ticks(void *p)
{
	uint64_t ticks;

	memcpy(&ticks, p, sizeof(ticks));
	if (ticks && ticks != UINT64_MAX)
		ticks = new_ticks(ticks);
	memcpy(p, &ticks, sizeof(ticks));
}

static void move_pair(void *p)
{
	struct syt_clock_pair pair;

	memcpy(&pair, p, sizeof(pair));
	if (!pair.ticks)
		return;
	int64_t by = llroundl(ahead_at_ticks(pair.ticks));

	pair.ticks = new_ticks(pair.ticks);
	pair.mono_ns = moved(pair.mono_ns, by);
	if (pair.real_ns)
		pair.real_ns = moved(moved(pair.real_ns, by), how.wall);
	memcpy(p, &pair, sizeof(pair));
}

/* ---- events ---- */

struct buffer {
	uint8_t *data;
	size_t bytes, room;
};

static uint8_t *put(struct buffer *b, const void *data, size_t bytes)
{
	syt_grow(&b->data, &b->room, b->bytes + bytes, 1);
	if (data)
		memcpy(b->data + b->bytes, data, bytes);
	else
		memset(b->data + b->bytes, 0, bytes);
	b->bytes += bytes;
	return b->data + b->bytes - bytes;
}

static void move_event(struct syt_event *e)
{
	bool is_in = e->call < image->nr_calls && image->calls[e->call].stamp_in;
	uint64_t other = is_in ? e->stamp + e->dur : e->stamp - e->dur;
	uint64_t stamp = new_ticks(e->stamp);

	if (e->dur) {
		other = new_ticks(other);
		e->dur = is_in ? other - stamp : stamp - other;
		e->dur += !e->dur; /* 0 would mean that only one of the two times was read */
	}
	e->stamp = stamp;
}

/* Appends the events of S, with new ticks, to OUT. Returns their greatest stamp. */
static uint64_t put_events(struct buffer *out, const struct syt_segment *s)
{
	static uint8_t unpacked[SYT_RAW_MAX], one[SYT_EVENT_MAX];
	struct syt_ready ready[SYT_NR_READY];
	struct syt_predictor from = {0}, to = {0};
	struct syt_event e = {.ready = ready};
	const uint8_t *raw = syt_segment_raw(s, unpacked);
	uint64_t last = 0;

	if (!raw)
		syt_die(1, "a block of events is damaged");
	struct syt_cursor c = {raw, raw + s->raw_bytes, 0};

	syt_predictor_begin(&from, s->version, s->first_ticks, &c);
	syt_predictor_init(&to, new_ticks(s->first_ticks));
	for (uint32_t n = 0; n < s->nr_events; n++) {
		if (syt_event_decode(&from, &c, &e) < 0)
			syt_die(1, "an event is damaged");
		move_event(&e);
		last = e.stamp > last ? e.stamp : last;
		put(out, one, (size_t)(syt_event_encode(&to, one, &e, 0) - one));
	}
	return last;
}

static void put_block(struct buffer *out, const struct syt_block *was, const struct syt_segment *s)
{
	struct buffer raw = {NULL, 0, 0};
	struct syt_block b = *was;

	b.last_ticks = put_events(&raw, s);
	b.raw_bytes = (uint32_t)raw.bytes;
	move_ticks(&b.first_ticks);
	move_pair(&b.cal);

	int most = LZ4_compressBound((int)raw.bytes);
	uint8_t *packed = syt_alloc((size_t)most, 1);

	b.version = SYT_EVENT_VERSION;
	b.codec = SYT_CODEC_LZ4;
	b.packed_bytes = (uint32_t)LZ4_compress_default((const char *)raw.data, (char *)packed,
	                                                (int)raw.bytes, most);
	if (b.packed_bytes >= b.raw_bytes) {
		b.codec = SYT_CODEC_RAW;
		b.packed_bytes = b.raw_bytes;
		memcpy(packed, raw.data, raw.bytes);
	}
	b.payload_checksum = XXH32(packed, b.packed_bytes, 0);
	b.checksum = XXH32(&b, offsetof(struct syt_block, checksum), 0);
	put(out, &b, sizeof(b));
	put(out, packed, b.packed_bytes);
	put(out, NULL, -(size_t)b.packed_bytes & 7);
	free(packed);
	free(raw.data);
}

/* ---- chunks ---- */

/* Ends the chunk that begins at byte AT of OUT: fills its last page, and sets its size and checksum. */
static void end_chunk(struct buffer *out, size_t at)
{
	struct syt_chunk c;

	put(out, NULL, -(out->bytes - at) & (SYT_PAGE_BYTES - 1));
	memcpy(&c, out->data + at, sizeof(c));
	c.bytes = out->bytes - at;
	c.checksum = XXH32(&c.first, 8, XXH32(&c.type, 16, 0));
	memcpy(out->data + at, &c, sizeof(c));
}

static void put_blocks(struct buffer *out, const struct syt_chunk_ref *c,
                       struct syt_problems *problems)
{
	struct syt_block_walk walk;
	struct syt_segment s;
	struct syt_chunk header = c->header;
	uint32_t number = 0;
	size_t at = out->bytes;

	put(out, &header, sizeof(header));
	syt_block_walk_init(&walk, c, problems, &number);
	while (syt_block_next(&walk, &s)) {
		struct syt_block b;

		memcpy(&b, c->data + (s.byte - c->byte - sizeof(struct syt_chunk)), sizeof(b));
		put_block(out, &b, &s);
	}
	header.used = out->bytes - at - sizeof(header);
	memcpy(out->data + at, &header, sizeof(header));
	end_chunk(out, at);
}

static void put_slot(struct buffer *out, const struct syt_chunk_ref *c,
                     struct syt_problems *problems)
{
	size_t at = out->bytes;
	struct syt_slot slot;

	memcpy(&slot, c->data - sizeof(struct syt_chunk), sizeof(slot));
	put(out, NULL, SYT_PAGE_BYTES);
	for (unsigned n = 0; n < SYT_NR_LANES; n++) {
		struct syt_lane *l = &slot.lanes[n];
		size_t from = out->bytes;
		struct syt_segment s;

		if (syt_lane_segment(c, &slot, n, problems, &s) && s.nr_events) {
			put_events(out, &s);
			l->committed = (uint64_t)s.nr_events << 32 | (out->bytes - from);
			l->block.version = SYT_EVENT_VERSION;
		}
		l->offset = (uint32_t)(from - at);
		if (out->bytes - from < l->bytes)
			put(out, NULL, l->bytes - (out->bytes - from));
		l->bytes = (uint32_t)(out->bytes - from);
		put(out, NULL, -out->bytes & 7);
		move_ticks(&l->block.first_ticks);
	}
	move_ticks(&slot.waiting.since);
	memcpy(out->data + at, &slot, sizeof(slot));
	end_chunk(out, at);
}

static void put_metas(struct buffer *out, const struct syt_chunk_ref *c,
                      struct syt_problems *problems)
{
	static const size_t ticks_at[] = {
		[SYT_META_MODULE] = offsetof(struct syt_meta_module, ticks),
		[SYT_META_UNMAP] = offsetof(struct syt_meta_unmap, ticks),
		[SYT_META_THREAD] = offsetof(struct syt_meta_thread, ticks),
		[SYT_META_OBJECT] = offsetof(struct syt_meta_object, ticks),
		[SYT_META_BLIND] = offsetof(struct syt_meta_blind, ticks),
		[SYT_META_RETURNED] = offsetof(struct syt_meta_returned, ticks),
	};
	struct syt_meta_walk walk;
	struct syt_meta_ref r;
	size_t at = out->bytes;

	put(out, c->data - sizeof(struct syt_chunk), sizeof(struct syt_chunk) + c->data_bytes);
	syt_meta_walk_init(&walk, c, problems);
	while (syt_meta_next(&walk, &r)) {
		uint8_t *payload = out->data + at + (r.byte - c->byte) + sizeof(struct syt_meta);
		struct syt_meta m;

		if (r.type == SYT_META_CLOCK)
			move_pair(payload);
		else if (r.type < sizeof(ticks_at) / sizeof(ticks_at[0]) && ticks_at[r.type])
			move_ticks(payload + ticks_at[r.type]);
		memcpy(&m, payload - sizeof(m), sizeof(m));
		m.checksum = XXH32(payload, r.bytes, r.type);
		memcpy(payload - sizeof(m), &m, sizeof(m));
	}
	end_chunk(out, at);
}

static void put_chunk(struct buffer *out, const struct syt_chunk_ref *c,
                      struct syt_problems *problems)
{
	size_t at = out->bytes;

	if (c->header.type == SYT_CHUNK_META) {
		put_metas(out, c, problems);
	} else if (c->header.type == SYT_CHUNK_SLOT) {
		put_slot(out, c, problems);
	} else if (c->header.type == SYT_CHUNK_BLOCKS) {
		put_blocks(out, c, problems);
	} else {
		put(out, c->data - sizeof(struct syt_chunk),
		    sizeof(struct syt_chunk) + c->data_bytes);
		end_chunk(out, at);
	}
}

/* ---- files ---- */

static void set_ids(uint8_t *trace_id, uint8_t *boot_id)
{
	if (how.has_trace)
		memcpy(trace_id, how.trace, ID_BYTES);
	if (how.has_boot && boot_id)
		memcpy(boot_id, how.boot, ID_BYTES);
	for (uint64_t carry = how.boot_add, n = ID_BYTES; boot_id && carry && n--; carry >>= 8) {
		carry += boot_id[n];
		boot_id[n] = (uint8_t)carry;
	}
}

static void put_header(struct buffer *out, struct syt_file f)
{
	set_ids(f.trace_id, f.boot_id);
	if (how.host)
		snprintf(f.host, sizeof(f.host), "%s", how.host);
	move_pair(&f.start);
	move_pair(&f.latest);
	f.checksum = XXH32(
		(const uint8_t *)&f + offsetof(struct syt_file, trace_id),
		offsetof(struct syt_file, live_begin) - offsetof(struct syt_file, trace_id), 0);
	f.used = out->bytes;
	memcpy(out->data, &f, sizeof(f));
}

static void copy_dump(struct buffer *out, struct syt_input *in)
{
	struct syt_loading l = {.in = *in};
	struct syt_chunk_walk walk;
	struct syt_chunk_ref c;
	const char *why;

	syt_problems_init(&l.problems);
	why = syt_image_index(&l);
	if (why)
		syt_die(1, "%s: %s", in->name, why);
	image = &l.image;
	put(out, in->data, SYT_PAGE_BYTES);
	syt_chunk_walk_init(&walk, in, &l.problems, UINT64_MAX);
	while (syt_chunk_next(&walk, &c))
		put_chunk(out, &c, &l.problems);
	put_header(out, l.image.file);
	if (l.problems.nr) {
		syt_problems_print(&l.problems, in->name, 10);
		syt_die(1, "%s: the dump is damaged", in->name);
	}
	syt_loading_fini(&l);
	syt_image_fini(&l.image);
}

static void move_pauses(struct syt_trace *t)
{
	for (uint32_t n = 0; n < t->nr_pauses && n < SYT_NR_PAUSES; n++) {
		struct syt_pause *p = &t->pauses[n];

		p->from_ns = moved(p->from_ns, llroundl(ahead_ns((long double)p->from_ns)));
		move_ticks(&p->from_ticks);
		if (!p->to_ns)
			continue;
		p->to_ns = moved(p->to_ns, llroundl(ahead_ns((long double)p->to_ns)));
		move_ticks(&p->to_ticks);
	}
	t->real_ns = moved(t->real_ns, how.offset + how.wall);
}

/* Copies a file of the trace that is no dump. All such files but the unknown ones begin with a magic number, and have
 * the trace id after the same number of bytes. */
static void copy_other(struct buffer *out, const struct syt_input *in)
{
	struct syt_trace *t;
	uint64_t magic = 0;

	put(out, in->data, in->bytes);
	if (in->bytes >= sizeof(struct syt_saved_map))
		memcpy(&magic, out->data, sizeof(magic));
	t = (struct syt_trace *)(void *)out->data;
	if (magic == SYT_TRACE_MAGIC && in->bytes >= SYT_PAGE_BYTES) {
		set_ids(t->trace_id, t->boot_id);
		move_pauses(t);
	} else if (magic == SYT_PEERS_MAGIC && in->bytes >= sizeof(struct syt_peers)) {
		set_ids(t->trace_id, t->boot_id);
	} else if (magic == SYT_SAVED_MAP_MAGIC) {
		set_ids(t->trace_id, NULL);
	}
}

/* Writes the pages of OUT that are not all zero, because a trace is sparse. */
static void save(const struct buffer *out, const char *path)
{
	static const uint8_t zeros[SYT_PAGE_BYTES];
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	bool is_ok = fd >= 0 && !ftruncate(fd, (off_t)out->bytes);

	for (size_t at = 0; is_ok && at < out->bytes; at += SYT_PAGE_BYTES) {
		size_t bytes = out->bytes - at < SYT_PAGE_BYTES ? out->bytes - at : SYT_PAGE_BYTES;

		if (memcmp(out->data + at, zeros, bytes) != 0)
			is_ok = pwrite(fd, out->data + at, bytes, (off_t)at) == (ssize_t)bytes;
	}
	if (!is_ok || close(fd)) {
		syt_warn_errno("%s", path);
		exit(1);
	}
}

static void copy_file(const char *from, const char *to, const char *name)
{
	char *path = syt_asprintf("%s/%s", from, name);
	struct buffer out = {NULL, 0, 0};
	struct syt_input in;
	int rv = syt_input_open(&in, path);

	if (rv < 0)
		syt_die(1, "%s: %s", path, strerror(-rv));
	free(path);
	path = syt_asprintf("%s/%s", to, name);
	if (syt_input_is_dump(name))
		copy_dump(&out, &in);
	else
		copy_other(&out, &in);
	save(&out, path);
	if (!syt_input_is_dump(name))
		syt_input_close(&in);
	free(out.data);
	free(path);
}

/* Takes the rate and the origin of the original clock from the earliest dump of the directory FROM. */
static void find_origin(const char *from, struct dirent *const *names, int nr)
{
	struct syt_file first = {.start.ticks = UINT64_MAX};

	for (int n = 0; n < nr; n++) {
		char *path = syt_asprintf("%s/%s", from, names[n]->d_name);
		struct syt_input in;
		struct syt_file f;

		if (syt_input_is_dump(names[n]->d_name) && !syt_input_open(&in, path)) {
			if (in.bytes < SYT_PAGE_BYTES)
				syt_die(1, "%s: no dump", path);
			memcpy(&f, in.data, sizeof(f));
			if (f.start.ticks < first.start.ticks)
				first = f;
			syt_input_close(&in);
		}
		free(path);
	}
	if (first.magic != SYT_FILE_MAGIC)
		syt_die(1, "%s: contains no dump", from);
	how.zero = first.start;
	how.ns_per_tick = first.clock_hz ? 1e9L / (long double)first.clock_hz : 0;
	if (!first.clock_hz && first.latest.ticks > first.start.ticks)
		how.ns_per_tick = (long double)(first.latest.mono_ns - first.start.mono_ns) /
		                  (long double)(first.latest.ticks - first.start.ticks);
	if (!(how.ns_per_tick > 0))
		syt_die(1, "%s: the rate of the clock is unknown", from);
	if (!how.has_origin)
		how.origin = first.start.mono_ns;
}

/* ---- options ---- */

/* Reads up to 32 hex digits, the low bytes of ID. */
static void read_id(uint8_t *id, const char *hex)
{
	size_t nr = strlen(hex);

	if (nr > 2 * ID_BYTES || strspn(hex, "0123456789abcdefABCDEF") != nr)
		syt_die(2, "not an id: %s", hex);
	memset(id, 0, ID_BYTES);
	for (size_t n = 0; n < nr; n++) {
		char digit[] = {hex[nr - 1 - n], 0};

		id[ID_BYTES - 1 - n / 2] |= (uint8_t)(strtoul(digit, NULL, 16) << (n % 2 ? 4 : 0));
	}
}

static void read_wave(const char *text)
{
	char *end;

	if (how.nr_waves == MOST_WAVES)
		syt_die(2, "too many waves");
	struct wave *w = &how.waves[how.nr_waves++];

	w->amplitude = strtold(text, &end);
	w->period = *end == ',' ? strtold(end + 1, &end) : 0;
	if (*end || !(w->period > 0))
		syt_die(2, "not an amplitude and a period: %s", text);
}

static void set_option(const char *name, const char *value)
{
	char *end = "";

	if (!strcmp(name, "--boot")) {
		how.has_boot = true;
		read_id(how.boot, value);
	} else if (!strcmp(name, "--boot-add")) {
		how.boot_add = strtoull(value, &end, 10);
	} else if (!strcmp(name, "--trace-id")) {
		how.has_trace = true;
		read_id(how.trace, value);
	} else if (!strcmp(name, "--host")) {
		how.host = value;
	} else if (!strcmp(name, "--origin")) {
		how.has_origin = true;
		how.origin = strtoull(value, &end, 10);
	} else if (!strcmp(name, "--offset")) {
		how.offset = strtoll(value, &end, 10);
	} else if (!strcmp(name, "--drift")) {
		how.drift = strtold(value, &end);
	} else if (!strcmp(name, "--wave")) {
		read_wave(value);
	} else if (!strcmp(name, "--wall")) {
		how.wall = strtoll(value, &end, 10);
	} else if (!strcmp(name, "--ticks")) {
		how.ticks = strtoll(value, &end, 10);
	} else {
		syt_die(2, "unknown option %s", name);
	}
	if (*end)
		syt_die(2, "%s: not a number: %s", name, value);
}

int main(int argc, char **argv)
{
	struct dirent **names;
	int at = 1, nr;

	syt_err_open("rehost", 1, "");
	for (; at + 1 < argc && !strncmp(argv[at], "--", 2); at += 2)
		set_option(argv[at], argv[at + 1]);
	if (argc - at != 2)
		syt_die(2, "usage: rehost [OPTION VALUE]... IN OUT");
	nr = scandir(argv[at], &names, NULL, alphasort);
	if (nr < 0) {
		syt_warn_errno("%s", argv[at]);
		return 1;
	}
	find_origin(argv[at], names, nr);
	if (mkdir(argv[at + 1], 0777)) {
		syt_warn_errno("%s", argv[at + 1]);
		return 1;
	}
	for (int n = 0; n < nr; n++) {
		if (names[n]->d_name[0] != '.')
			copy_file(argv[at], argv[at + 1], names[n]->d_name);
		free(names[n]);
	}
	free(names);
	printf("origin %" PRIu64 "\n", how.origin);
	return 0;
}
