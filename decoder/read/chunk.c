/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/chunk.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

void syt_chunk_walk_init(struct syt_chunk_walk *w, const struct syt_input *in,
                         struct syt_problems *problems, uint64_t end)
{
	*w = (struct syt_chunk_walk){
		.in = in,
		.problems = problems,
		.at = SYT_PAGE_BYTES,
		.end = end < in->bytes ? end : in->bytes,
	};
}

bool syt_chunk_is_valid(const struct syt_chunk *c)
{
	return c->magic == SYT_CHUNK_MAGIC && c->bytes >= SYT_PAGE_BYTES &&
	       c->bytes % SYT_PAGE_BYTES == 0 &&
	       c->checksum == XXH32(&c->first, 8, XXH32(&c->type, 16, 0));
}

/* Returns true if the recorder never finished the chunk: its thread was killed, or a signal handler jumped away,
 * before it wrote the magic, or there was no space. No data follows the header of such a chunk. */
static bool is_unfinished(const struct syt_chunk_walk *w, const struct syt_chunk *c)
{
	const uint8_t *p = w->in->data + w->at + sizeof(*c);
	uint64_t left = w->end - w->at < SYT_PAGE_BYTES ? w->end - w->at : SYT_PAGE_BYTES;

	if (c->magic || c->used || c->generation)
		return false;
	return left == sizeof(*c) || (!*p && !memcmp(p, p + 1, left - sizeof(*c) - 1));
}

static bool next_valid(struct syt_chunk_walk *w, struct syt_chunk *c)
{
	uint64_t bad = 0;
	uint64_t bad_bytes = 0;

	for (;;) {
		uint64_t data = syt_input_next_data(w->in, w->at);

		if (data > w->at)
			w->at = data & ~(uint64_t)(SYT_PAGE_BYTES - 1);
		if (w->at >= w->end || w->end - w->at < sizeof(*c))
			break;
		memcpy(c, w->in->data + w->at, sizeof(*c));
		if (syt_chunk_is_valid(c))
			break;
		if (!is_unfinished(w, c) || bad) {
			bad = bad ? bad : w->at;
			bad_bytes = w->at + SYT_PAGE_BYTES - bad;
		}
		w->at += SYT_PAGE_BYTES;
	}
	if (bad && w->problems)
		syt_problem(w->problems, bad,
		            "part %" PRIu64 " of the file, byte 0x%" PRIx64 ": no header: %" PRIu64
		            " bytes skipped, the following chunks are kept",
		            w->number, bad, bad_bytes);
	return w->at < w->end && w->end - w->at >= sizeof(*c);
}

static void tell(struct syt_chunk_walk *w, uint64_t byte, const char *what)
{
	if (w->problems)
		syt_problem(w->problems, byte,
		            "part %" PRIu64 " of the file, byte 0x%" PRIx64 ": "
		            "%s",
		            w->number, byte, what);
}

bool syt_chunk_next(struct syt_chunk_walk *w, struct syt_chunk_ref *c)
{
	if (!next_valid(w, &c->header))
		return false;

	uint64_t room = c->header.bytes - sizeof(c->header);
	uint64_t present = w->in->bytes - w->at - sizeof(c->header);

	c->byte = w->at;
	c->data = w->in->data + w->at + sizeof(c->header);
	/* No checksum covers `used`. A ring reuses BLOCKS chunks, so older data may follow the used
	 * bytes. Chunks of all other types have zeros there, so all their bytes are read. */
	c->data_bytes = c->header.type == SYT_CHUNK_BLOCKS ? c->header.used : room;
	if (c->data_bytes > room) {
		tell(w, w->at,
		     "this part of the file claims more bytes than it can hold: read to "
		     "its end");
		c->data_bytes = room;
	}
	if (c->data_bytes > present) {
		tell(w, w->at + sizeof(c->header) + present,
		     "the file ends inside of this part: the events before the end are kept");
		c->data_bytes = present;
	}
	c->number = w->number++;
	w->at = c->header.bytes > w->end - w->at ? w->end : w->at + c->header.bytes;
	return true;
}
