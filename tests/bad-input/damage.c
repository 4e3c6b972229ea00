/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Makes damaged dumps, always the same for the same arguments.
 *
 *  damage make OUT            an intact dump with a bit of everything damage holes OUT           a
 *  small sparse file whose slots say that they hold 48 MiB damage cut IN OUT SEED     IN, cut at a
 *  random length damage flip IN OUT SEED    IN with one random byte changed damage sweep IN NR
 *  decodes NR cuts and NR flips in this process: each must give
 *                             a result or a message
 *
 * cut and flip print the position. They also print "live" if the recorder changes the damaged byte all
 * the time, so that no checksum can cover it; otherwise they print "summed".
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "decoder/command/command.h"
#include "tests/lib/dump-writer.h"
#include "tests/lib/random.h"

static void must(bool ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(99);
	}
}

static void write_file(const char *path, const uint8_t *bytes, size_t nr)
{
	FILE *f = fopen(path, "w");

	must(f && fwrite(bytes, 1, nr, f) == nr && fclose(f) == 0, path);
}

static uint8_t *read_file(const char *path, size_t *nr)
{
	FILE *f = fopen(path, "r");

	must(f && fseek(f, 0, SEEK_END) == 0, path);
	*nr = (size_t)ftell(f);
	uint8_t *bytes = malloc(*nr);

	rewind(f);
	must(bytes && fread(bytes, 1, *nr, f) == *nr, path);
	fclose(f);
	return bytes;
}

/* ---- an intact dump ---- */

static void put_thread(struct syt_writer *w, uint32_t t, const uint32_t *objects, uint32_t stack)
{
	struct syt_random r = {t};
	uint64_t now = 1000 + t, sent = 0;

	for (unsigned n = 0; n < 3000; n++) {
		struct syt_ready ready = {objects[2], SYT_READY_IN, 0};
		struct syt_event lock = {.call = syt_writer_call(w, "pthread_mutex_lock"),
		                         .object = objects[n % 2],
		                         .stack = stack};
		struct syt_event unlock = {.call = syt_writer_call(w, "pthread_mutex_unlock"),
		                           .object = objects[n % 2],
		                           .stack = stack + 1};
		struct syt_event send = {.call = syt_writer_call(w, "send"),
		                         .object = objects[2],
		                         .stack = stack + 2,
		                         .offset = sent,
		                         .bytes = 10,
		                         .result = 10};
		struct syt_event wait = {.call = syt_writer_call(w, "epoll_wait"),
		                         .object = objects[3],
		                         .result = 1,
		                         .nr_ready = 1,
		                         .ready = &ready};

		lock.stamp = now += 50 + syt_random_below(&r, 100);
		lock.dur = n % 7 ? 0 : 30;
		syt_writer_event(w, t, &lock);
		unlock.stamp = now += 50 + syt_random_below(&r, 100);
		syt_writer_event(w, t, &unlock);
		if (n % 3 == 0) {
			send.stamp = now += 50;
			send.offset = sent;
			sent += 10;
			syt_writer_event(w, t, &send);
		}
		if (n % 5 == 0) {
			wait.stamp = now += 50;
			syt_writer_event(w, t, &wait);
		}
		if (n % 500 == 499)
			syt_writer_seal(w, t, 0);
		if (n % 1000 == 10)
			syt_writer_lane_event(w, t, 1, &lock);
	}
	syt_writer_seal(w, t, 1);
	syt_writer_event(w, t,
	                 &(struct syt_event){.stamp = now + 100,
	                                     .call = syt_writer_call(w, "pthread_mutex_lock")});
}

static void make(const char *path)
{
	struct syt_writer *w = syt_writer_create(0, 4711);
	struct syt_meta_endpoint endpoint = {.domain = 1, .local_bytes = 8};
	uint32_t objects[4];
	size_t bytes;

	syt_writer_text(w, SYT_TEXT_EXE, 0, "/usr/bin/example");
	uint32_t module = syt_writer_module(w, "[example]", "0123456789", 10, 0x400000);

	for (uint32_t t = 0; t < 3; t++)
		syt_writer_thread(w, 4711 + t, t ? 0 : UINT32_MAX, t ? "worker" : "main");
	objects[0] = syt_writer_object(w, SYT_KIND_MUTEX, 0x5000, 0, 0);
	objects[1] = syt_writer_object(w, SYT_KIND_MUTEX, 0x6000, 1, 0);
	objects[2] = syt_writer_object(w, SYT_KIND_STREAM, 77, 0, SYT_OBJECT_SHARED);
	objects[3] = syt_writer_object(w, SYT_KIND_EPOLL, 78, 0, 0);
	endpoint.object = objects[2];
	syt_writer_endpoint(w, &endpoint, "\x01\0/sock", NULL);
	uint32_t stack = syt_writer_stack(w, 0, (uint16_t)module, 0x1000);

	for (uint32_t n = 0; n < 50; n++)
		stack = syt_writer_stack(w, stack, (uint16_t)module, 0x1000 + 16 * n);
	for (uint32_t t = 0; t < 3; t++)
		put_thread(w, t, objects, stack - 10 - t);
	uint8_t *dump = syt_writer_finish(w, &bytes);

	write_file(path, dump, bytes);
	free(dump);
}

/* ---- hostile sizes ---- */

static void make_holes(const char *path)
{
	enum { NR_SLOTS = 16, LANE_BYTES = 1 << 20 };
	const uint64_t bytes = SYT_PAGE_BYTES + SYT_NR_LANES * LANE_BYTES;
	struct syt_writer *w = syt_writer_create(0, 4711);
	struct syt_file header = *syt_writer_header(w);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	size_t nr;

	free(syt_writer_finish(w, &nr));
	header.checksum =
		XXH32((uint8_t *)&header + 24, offsetof(struct syt_file, live_begin) - 24, 0);
	must(fd >= 0 && pwrite(fd, &header, sizeof(header), 0) == sizeof(header), path);
	for (uint32_t n = 0; n < NR_SLOTS; n++) {
		struct syt_slot s = {.slot = n, .tid = n + 1, .thread = n};
		off_t at = (off_t)(SYT_PAGE_BYTES + n * bytes);

		s.chunk = (struct syt_chunk){.magic = SYT_CHUNK_MAGIC,
		                             .type = SYT_CHUNK_SLOT,
		                             .version = 1,
		                             .bytes = bytes,
		                             .owner = n};
		s.chunk.checksum = XXH32(&s.chunk.first, 8, XXH32(&s.chunk.type, 16, 0));
		for (uint32_t lane = 0; lane < SYT_NR_LANES; lane++)
			s.lanes[lane] = (struct syt_lane){
				.block = {.version = 1, .thread = n, .lane = (uint8_t)lane},
				.committed = (uint64_t)(LANE_BYTES / 2) << 32 | LANE_BYTES,
				.offset = SYT_PAGE_BYTES + lane * LANE_BYTES,
				.bytes = LANE_BYTES,
			};
		must(pwrite(fd, &s, sizeof(s), at) == sizeof(s), path);
	}
	must(ftruncate(fd, (off_t)(SYT_PAGE_BYTES + NR_SLOTS * bytes)) == 0 && close(fd) == 0,
	     path);
}

/* ---- damage ---- */

/* Returns true if offset AT lies in a slot or in a header's members that change during recording, which
 * no checksum covers. */
static bool is_live(const uint8_t *dump, size_t nr, size_t at)
{
	if (at < SYT_PAGE_BYTES)
		return at >= offsetof(struct syt_file, live_begin);
	for (size_t page = SYT_PAGE_BYTES; page < nr;) {
		struct syt_chunk c;

		memcpy(&c, dump + page, sizeof(c));
		if (c.magic != SYT_CHUNK_MAGIC) {
			page += SYT_PAGE_BYTES;
			continue;
		}
		if (at >= page && at - page < c.bytes)
			return c.type == SYT_CHUNK_SLOT && at - page >= sizeof(c);
		page += c.bytes;
	}
	return false;
}

/* Cuts DUMP or changes a byte of it; returns the new length of DUMP. */
static size_t hurt(uint8_t *dump, size_t nr, bool is_cut, uint64_t seed, size_t *at, bool *live)
{
	struct syt_random r = {seed};

	*at = syt_random_below(&r, nr);
	*live = !is_cut && is_live(dump, nr, *at);
	if (is_cut)
		return *at;
	dump[*at] ^= (uint8_t)(1 + syt_random_below(&r, 255));
	return nr;
}

/* ---- all at once ---- */

/* Stores the output of one run of the decoder. All runs use the same file, so that the kernel need not
 * allocate its pages again. */
struct printed {
	int fd;
	size_t bytes;
};

static void begin_printing(struct printed *p)
{
	if (!p->fd)
		p->fd = memfd_create("printed", MFD_CLOEXEC);
	must(p->fd > 0 && lseek(p->fd, 0, SEEK_SET) == 0, "memfd");
}

static void end_printing(struct printed *p)
{
	off_t bytes = lseek(p->fd, 0, SEEK_CUR);

	must(bytes >= 0, "memfd");
	p->bytes = (size_t)bytes;
}

static void read_piece(const struct printed *p, size_t at, char *to, size_t nr)
{
	must(pread(p->fd, to, nr, (off_t)at) == (ssize_t)nr, "memfd");
}

static bool is_same(const struct printed *a, const struct printed *b)
{
	static char of_a[1 << 16], of_b[1 << 16];

	if (a->bytes != b->bytes)
		return false;
	for (size_t at = 0, nr; at < a->bytes; at += nr) {
		nr = a->bytes - at < sizeof(of_a) ? a->bytes - at : sizeof(of_a);
		read_piece(a, at, of_a, nr);
		read_piece(b, at, of_b, nr);
		if (memcmp(of_a, of_b, nr) != 0)
			return false;
	}
	return true;
}

static enum syt_exit run(const struct syt_report *verb, const struct syt_trace_data *trace, int fd)
{
	struct syt_out out;
	struct syt_command c = {
		.report = verb,
		.format = SYT_FORMAT_JSONL,
		.trace = trace,
		.symbols = syt_symbols_create(false),
		.out = &out,
		.options = calloc(1, verb->options_bytes + 1),
	};

	if (!(verb->formats >> c.format & 1))
		c.format = (enum syt_format)__builtin_ctz(verb->formats);
	syt_out_open(&out, fd, false);
	enum syt_exit status = verb->run(&c);

	must(syt_out_close(&out) == 0, "output");
	syt_symbols_destroy(c.symbols);
	free(c.options);
	return status;
}

/* Reads DUMP, prints its events, and runs one more command of syntrace-decode. */
static bool decode(const uint8_t *dump, size_t nr, const struct syt_report *verb,
                   struct printed *events, struct printed *messages)
{
	const struct syt_read_options options = {.nr_workers = 1, .problems_shown = 10};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), err = dup(STDERR_FILENO);
	struct syt_read_report report;
	bool is_good = null >= 0 && err >= 0;

	begin_printing(events);
	begin_printing(messages);
	must(is_good && dup2(messages->fd, STDERR_FILENO) >= 0, "/dev/null");
	struct syt_trace_data *trace = syt_read_memory(dump, nr, &options, &report);

	if (trace->nr_images) {
		is_good = run(&syt_report_events, trace, events->fd) == SYT_EXIT_OK;
		enum syt_exit status = run(verb, trace, null);

		/* damage of bytes without a checksum may make the trace inconsistent, which only
		 * `check` detects */
		is_good &= status == SYT_EXIT_OK ||
		           (verb == &syt_report_check && status == SYT_EXIT_FINDINGS);
	}
	syt_trace_destroy(trace);
	must(dup2(err, STDERR_FILENO) >= 0, "stderr");
	close(err);
	close(null);
	end_printing(events);
	end_printing(messages);
	return is_good;
}

static int sweep(const char *path, unsigned nr_seeds)
{
	unsigned nr_changed = 0, nr_failures = 0;
	static struct printed whole, events, messages;
	static char text[1 << 16];
	size_t nr;
	uint8_t *dump = read_file(path, &nr), *copy = malloc(nr);

	must(copy && decode(dump, nr, syt_reports[0], &whole, &messages), "the intact dump");
	for (unsigned n = 0; n < 2 * nr_seeds; n++) {
		unsigned seed = n / 2 + 1;
		const struct syt_report *verb = syt_reports[seed % SYT_NR_REPORTS];

		if (verb->reads_itself) /* this verb reads files, but the dump is in memory */
			verb = &syt_report_check;
		size_t at;
		bool live;

		memcpy(copy, dump, nr);
		size_t left = hurt(copy, nr, n % 2 == 0, seed, &at, &live);

		printf("%s at %zu (seed %u), %s\n", n % 2 ? "flip" : "cut", at, seed, verb->name);
		fflush(stdout); /* after a crash, the last line names the input */
		bool is_good = decode(copy, left, verb, &events, &messages);
		bool has_changed = !is_same(&events, &whole);
		size_t told = messages.bytes < sizeof(text) ? messages.bytes : sizeof(text) - 1;

		read_piece(&messages, 0, text, told);
		text[told] = 0;
		if (!is_good || (has_changed && !live && !strstr(text, "byte 0x"))) {
			printf("FAIL: %s\n%s",
			       is_good ? "other events, and no message with a position"
			               : "the status",
			       text);
			nr_failures++;
		}
		nr_changed += has_changed;
	}
	printf("%u of %u damages changed the result; %u failures\n", nr_changed, 2 * nr_seeds,
	       nr_failures);
	if (nr_changed <= nr_seeds / 2)
		printf("FAIL: this tests nothing\n");
	free(dump);
	free(copy);
	return nr_failures || nr_changed <= nr_seeds / 2;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "make") == 0) {
		make(argv[2]);
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "holes") == 0) {
		make_holes(argv[2]);
		return 0;
	}
	if (argc == 4 && strcmp(argv[1], "sweep") == 0)
		return sweep(argv[2], (unsigned)strtoul(argv[3], NULL, 10));
	if (argc != 5) {
		fprintf(stderr,
		        "usage: damage make|holes OUT | cut|flip IN OUT SEED | sweep IN NR\n");
		return 2;
	}
	size_t nr, at;
	uint8_t *dump = read_file(argv[2], &nr);
	bool live;

	nr = hurt(dump, nr, strcmp(argv[1], "cut") == 0, strtoull(argv[4], NULL, 10), &at, &live);
	printf("%s %zu\n", live ? "live" : "summed", at);
	write_file(argv[3], dump, nr);
	free(dump);
	return 0;
}
