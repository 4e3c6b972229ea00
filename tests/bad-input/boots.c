/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Makes the dumps of many hosts with broken clocks, always the same for the same arguments: boots KIND NR DIRECTORY.
 *
 * Host N exchanges messages with the hosts N - 1 and N + 1 over TCP. KIND tells what is wrong: see kinds[].
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/address.h"
#include "tests/lib/dump-writer.h"
#include "tests/lib/random.h"

#define NR_MESSAGES 40u
#define NR_PAIRS 5u
#define MS UINT64_C(1000000)
#define EPOCH UINT64_C(1700000000000000000)

/* Breaks pair NR of a host. */
typedef void damage(struct syt_clock_pair *p, uint32_t nr, struct syt_random *r);

static void zero(struct syt_clock_pair *p, uint32_t nr, struct syt_random *r)
{
	(void)nr, (void)r;
	*p = (struct syt_clock_pair){0};
}

static void equal(struct syt_clock_pair *p, uint32_t nr, struct syt_random *r)
{
	(void)nr, (void)r;
	p->ticks = 5 * MS;
}

static void still(struct syt_clock_pair *p, uint32_t nr, struct syt_random *r)
{
	(void)nr, (void)r;
	p->mono_ns = 5 * MS;
}

static void backward(struct syt_clock_pair *p, uint32_t nr, struct syt_random *r)
{
	(void)r;
	p->mono_ns = 100 * MS - nr * MS;
}

static void fast(struct syt_clock_pair *p, uint32_t nr, struct syt_random *r)
{
	(void)r;
	p->mono_ns = 1 + nr * UINT64_C(1000000000000000000);
}

static void slow(struct syt_clock_pair *p, uint32_t nr, struct syt_random *r)
{
	(void)r;
	p->ticks = 1 + nr * UINT64_C(3000000000000000000);
	p->mono_ns = 1 + nr;
}

static void most(struct syt_clock_pair *p, uint32_t nr, struct syt_random *r)
{
	(void)nr, (void)r;
	memset(p, 0xff, sizeof(*p));
}

static void anything(struct syt_clock_pair *p, uint32_t nr, struct syt_random *r)
{
	(void)nr;
	p->ticks = syt_random_magnitude(r);
	p->mono_ns = syt_random_magnitude(r);
	p->real_ns = syt_random_magnitude(r);
}

static const struct {
	const char *name;
	damage *damage; /* NULL: the pairs are right */
	bool has_one_boot;
	uint8_t boot; /* first byte of the boot id, if all have one */
} kinds[] = {
	{"sound", NULL, false, 0},
	{"zero", zero, false, 0},
	{"equal", equal, false, 0},
	{"still", still, false, 0},
	{"backward", backward, false, 0},
	{"fast", fast, false, 0},
	{"slow", slow, false, 0},
	{"most", most, false, 0},
	{"anything", anything, false, 0},
	{"clones", NULL, true, 1},
	{"clones-anything", anything, true, 1},
	{"unknown", NULL, true, 0},
	{"unknown-anything", anything, true, 0},
};
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void address(uint8_t *to, uint32_t host, uint16_t port)
{
	memset(to, 0, 16);
	to[0] = SYT_AF_INET;
	to[2] = (uint8_t)(port >> 8);
	to[3] = (uint8_t)port;
	to[4] = 10;
	to[5] = (uint8_t)(host >> 16);
	to[6] = (uint8_t)(host >> 8);
	to[7] = (uint8_t)host;
}

/* Adds the socket of host N to host PEER. The host with the lower number connects. */
static uint32_t put_socket(struct syt_writer *w, uint32_t n, uint32_t peer)
{
	struct syt_meta_endpoint e = {.domain = SYT_AF_INET,
	                              .type = 1,
	                              .local_bytes = 16,
	                              .remote_bytes = 16,
	                              .netns = 1,
	                              .cookie = 1 + (peer > n)};
	uint8_t local[16], remote[16];

	address(local, n, n < peer ? 40000 : 80);
	address(remote, peer, n < peer ? 80 : 40000);
	e.object = syt_writer_object(w, SYT_KIND_STREAM, e.cookie, 0, SYT_OBJECT_SHARED);
	syt_writer_endpoint(w, &e, local, remote);
	return e.object;
}

/* The peer with the lower number sends at the even ms, the other one at the odd ms. A message takes 0.1 ms. */
static void put_traffic(struct syt_writer *w, uint32_t t, uint32_t object, bool is_first,
                        uint64_t ahead)
{
	for (uint32_t k = 0; k < NR_MESSAGES; k++) {
		bool is_send = (k % 2 == 0) == is_first;
		uint64_t at = (10 + k) * MS + (is_send ? 0 : MS / 10);

		syt_writer_event(
			w, t,
			&(struct syt_event){.call = syt_writer_call(w, is_send ? "send" : "recv"),
		                            .stamp = at + ahead,
		                            .dur = 1000,
		                            .object = object,
		                            .offset = k / 2 * 10,
		                            .bytes = 10,
		                            .result = 10});
	}
}

/* Writes the pages of the dump that are not all zero. */
static void save(struct syt_writer *w, const char *directory, uint32_t n)
{
	static const uint8_t zeros[SYT_PAGE_BYTES];
	size_t bytes;
	uint8_t *dump = syt_writer_finish(w, &bytes);
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%04u.%u.dump", directory, n, 1000 + n);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0) {
		perror(path);
		exit(99);
	}
	for (size_t at = 0; at < bytes; at += SYT_PAGE_BYTES)
		if (memcmp(dump + at, zeros, SYT_PAGE_BYTES) != 0 &&
		    pwrite(fd, dump + at, SYT_PAGE_BYTES, (off_t)at) != SYT_PAGE_BYTES) {
			perror(path);
			exit(99);
		}
	close(fd);
	free(dump);
}

static void make(size_t kind, uint32_t n, uint32_t nr, const char *directory)
{
	struct syt_writer *w = syt_writer_create(n, 1000 + n);
	struct syt_file *f = syt_writer_header(w);
	struct syt_random r = {n + 1};
	/* two clocks differ by at least 10 s */
	uint64_t ahead = UINT64_C(10000) * (n * UINT64_C(7919) % 100003) * MS;

	f->clock_source = n % 3 ? SYT_CLOCK_TSC : SYT_CLOCK_MONOTONIC;
	f->clock_hz = n % 3 == 2 ? 0 : kinds[kind].damage && n % 5 == 4 ? UINT64_MAX : 1000000000;
	memset(f->boot_id, 0, sizeof(f->boot_id));
	f->boot_id[0] = kinds[kind].has_one_boot ? kinds[kind].boot : 1;
	if (!kinds[kind].has_one_boot)
		memcpy(f->boot_id + 4, &n, sizeof(n));
	memcpy(f->trace_id, &n, sizeof(n));
	for (uint32_t k = 0; k < NR_PAIRS; k++) {
		struct syt_clock_pair p = {ahead + (5 + 10 * k) * MS, ahead + (5 + 10 * k) * MS,
		                           EPOCH + (5 + 10 * k) * MS};

		if (kinds[kind].damage)
			kinds[kind].damage(&p, k, &r);
		if (!k)
			f->start = p;
		f->latest = p;
		syt_writer_meta(w, SYT_META_CLOCK, &p, sizeof(p));
	}

	uint32_t t = syt_writer_thread(w, 1000 + n, UINT32_MAX, "main");

	if (n)
		put_traffic(w, t, put_socket(w, n, n - 1), false, ahead);
	if (n + 1 < nr) {
		t = syt_writer_thread(w, 500000 + n, 0, "second");
		put_traffic(w, t, put_socket(w, n, n + 1), true, ahead);
	}
	save(w, directory, n);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "kinds")) {
		for (size_t k = 0; k < NR_KINDS; k++)
			puts(kinds[k].name);
		return 0;
	}
	for (size_t k = 0; argc == 4 && k < NR_KINDS; k++) {
		if (strcmp(argv[1], kinds[k].name) != 0)
			continue;
		uint32_t nr = (uint32_t)strtoul(argv[2], NULL, 10);

		for (uint32_t n = 0; n < nr; n++)
			make(k, n, nr, argv[3]);
		return 0;
	}
	fprintf(stderr, "usage: boots kinds | boots KIND NR DIRECTORY\n");
	return 2;
}
