/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/meta.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

void syt_meta_walk_init(struct syt_meta_walk *w, const struct syt_chunk_ref *chunk,
                        struct syt_problems *problems)
{
	*w = (struct syt_meta_walk){.chunk = chunk, .problems = problems};
}

static bool is_valid(const struct syt_meta *m, const uint8_t *p, uint64_t left)
{
	return m->magic == SYT_META_MAGIC && m->bytes >= sizeof(*m) && m->bytes <= left &&
	       m->checksum == XXH32(p + sizeof(*m), m->bytes - sizeof(*m), m->type);
}

bool syt_meta_next(struct syt_meta_walk *w, struct syt_meta_ref *r)
{
	const struct syt_chunk_ref *c = w->chunk;
	uint64_t bad = 0, reserved = 0;
	bool found = false;

	while (w->at < c->data_bytes && c->data_bytes - w->at >= sizeof(struct syt_meta)) {
		const uint8_t *p = c->data + w->at;
		uint64_t byte = c->byte + sizeof(struct syt_chunk) + w->at;
		struct syt_meta m;

		memcpy(&m, p, sizeof(m));
		if (is_valid(&m, p, c->data_bytes - w->at)) {
			r->type = m.type;
			r->bytes = m.bytes - (uint32_t)sizeof(m);
			r->data = p + sizeof(m);
			r->byte = byte;
			w->at += ((uint64_t)m.bytes + 7) & ~UINT64_C(7);
			found = true;
			break;
		}
		/* The header is zero, or has a length without a magic: a thread reserved memory for the record, and
		 * was killed (or its signal handler jumped away) before it wrote the record. */
		if (!m.magic && m.bytes >= sizeof(m) && m.bytes <= c->data_bytes - w->at)
			reserved = w->at + m.bytes;
		if (!bad && w->at >= reserved && (m.magic || m.type || m.bytes))
			bad = byte;
		w->at += 8;
	}
	if (bad)
		syt_problem(w->problems, bad,
		            "definitions, byte 0x%" PRIx64
		            ": no record, or an incomplete record; skipped to %s",
		            bad, found ? "the next record" : "the end of this part of the file");
	return found;
}
