/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * hurt SEED DUMP...: damages one in a hundred compressed blocks of events in these dumps, in place: a
 * byte of the events or of the header, all of it zeroed, or filled with noise. Prints the number of
 * damaged blocks and of all blocks. An unsealed block has no checksum, so its damage could not be
 * noticed.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "tests/lib/random.h"

struct dump {
	const char *path;
	uint8_t *bytes;
	size_t nr;
};

struct place {
	uint8_t *block;
	size_t bytes;
};

static struct place places[65536];
static size_t nr_places;

static void must(bool condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	exit(2);
}

static void read_dump(struct dump *d)
{
	FILE *f = fopen(d->path, "r");

	must(f && fseek(f, 0, SEEK_END) == 0, d->path);
	d->nr = (size_t)ftell(f);
	d->bytes = malloc(d->nr + 1);
	rewind(f);
	must(d->bytes && fread(d->bytes, 1, d->nr, f) == d->nr, d->path);
	fclose(f);
}

static void write_dump(const struct dump *d)
{
	FILE *f = fopen(d->path, "w");

	must(f && fwrite(d->bytes, 1, d->nr, f) == d->nr && fclose(f) == 0, d->path);
}

static void find_blocks(uint8_t *at, size_t nr)
{
	struct syt_block b;

	while (nr >= sizeof(b) && nr_places < sizeof(places) / sizeof(*places)) {
		memcpy(&b, at, sizeof(b));

		size_t bytes = sizeof(b) + b.packed_bytes;

		if (b.magic != SYT_BLOCK_MAGIC || bytes > nr)
			return;
		places[nr_places++] = (struct place){at, bytes};
		bytes = (bytes + 7) & ~(size_t)7;
		if (bytes > nr)
			return;
		at += bytes;
		nr -= bytes;
	}
}

static void find_chunks(const struct dump *d)
{
	for (size_t page = SYT_PAGE_BYTES; page + sizeof(struct syt_chunk) <= d->nr;) {
		struct syt_chunk c;

		memcpy(&c, d->bytes + page, sizeof(c));
		if (c.magic != SYT_CHUNK_MAGIC || !c.bytes || c.bytes > d->nr - page) {
			page += SYT_PAGE_BYTES;
			continue;
		}
		if (c.type == SYT_CHUNK_BLOCKS && c.used <= c.bytes - sizeof(c))
			find_blocks(d->bytes + page + sizeof(c), c.used);
		page += c.bytes;
	}
}

static void hurt(struct syt_random *r)
{
	const struct place *p = &places[syt_random_below(r, nr_places)];
	size_t header = sizeof(struct syt_block);

	switch (syt_random_below(r, 4)) {
	case 0:
		if (p->bytes > header)
			p->block[header + syt_random_below(r, p->bytes - header)] ^=
				(uint8_t)(1 + syt_random_below(r, 255));
		break;
	case 1:
		p->block[syt_random_below(r, header)] ^= (uint8_t)(1 + syt_random_below(r, 255));
		break;
	case 2:
		memset(p->block, 0, p->bytes);
		break;
	default:
		for (size_t n = 0; n < p->bytes; n++)
			p->block[n] = (uint8_t)syt_random_u64(r);
	}
}

int main(int argc, char **argv)
{
	struct dump *dumps = calloc((size_t)argc + 1, sizeof(*dumps));
	struct syt_random r;
	size_t nr;

	if (argc < 3) {
		fprintf(stderr, "usage: hurt SEED DUMP...\n");
		return 2;
	}
	r.state = strtoull(argv[1], NULL, 10);
	for (int n = 2; n < argc; n++) {
		dumps[n].path = argv[n];
		read_dump(&dumps[n]);
		find_chunks(&dumps[n]);
	}
	nr = nr_places ? (nr_places + 99) / 100 : 0;
	for (size_t n = 0; n < nr; n++)
		hurt(&r);
	for (int n = 2; n < argc; n++)
		write_dump(&dumps[n]);
	printf("%zu of %zu blocks\n", nr, nr_places);
	return 0;
}
