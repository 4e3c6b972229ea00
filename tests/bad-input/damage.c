/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Makes bad input, reproducibly.
 *
 *	damage make OUT            an intact dump with a bit of everything
 *	damage cut IN OUT SEED     IN, cut at a random length
 *	damage flip IN OUT SEED    IN with one random byte changed
 *
 * The last two print where, and "live" when that byte is one that the recorder changes all the
 * time, so that no checksum can cover it, else "summed".
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		struct syt_ready ready = {objects[2], SYT_READY_IN};
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

/* ---- damage ---- */

/* Whether AT lies in a slot or among a header's live members. */
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

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "make") == 0) {
		make(argv[2]);
		return 0;
	}
	if (argc != 5) {
		fprintf(stderr, "usage: damage make OUT | cut IN OUT SEED | flip IN OUT SEED\n");
		return 2;
	}
	struct syt_random r = {strtoull(argv[4], NULL, 10)};
	size_t nr;
	uint8_t *dump = read_file(argv[2], &nr);
	size_t at = syt_random_below(&r, nr);

	if (strcmp(argv[1], "cut") == 0) {
		printf("summed %zu\n", at);
		nr = at;
	} else {
		printf("%s %zu\n", is_live(dump, nr, at) ? "live" : "summed", at);
		dump[at] ^= (uint8_t)(1 + syt_random_below(&r, 255));
	}
	write_file(argv[3], dump, nr);
	free(dump);
	return 0;
}
