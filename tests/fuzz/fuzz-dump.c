/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * libFuzzer: any bytes are a dump, which is read, ordered, checked and reported on.  Checksums would stop nearly every mutation, so they are set
 * right first, wherever something that looks like a header stands: the fuzzer then plays an
 * attacker who can compute them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "decoder/check/check.h"
#include "decoder/read/reader.h"
#include "decoder/report/contention.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One chunk or block header, or record, at P; LEFT bytes are left. */
static void repair(uint8_t *p, size_t left)
{
	struct syt_chunk c;
	struct syt_block b;
	struct syt_meta m;

	if (left >= sizeof(c) && (memcpy(&c, p, sizeof(c)), c.magic == SYT_CHUNK_MAGIC)) {
		c.checksum = XXH32(&c.first, 8, XXH32(&c.type, 16, 0));
		memcpy(p, &c, sizeof(c));
	} else if (left >= sizeof(b) && (memcpy(&b, p, sizeof(b)), b.magic == SYT_BLOCK_MAGIC)) {
		if (b.packed_bytes <= left - sizeof(b))
			b.payload_checksum = XXH32(p + sizeof(b), b.packed_bytes, 0);
		b.checksum = XXH32(&b, offsetof(struct syt_block, checksum), 0);
		memcpy(p, &b, sizeof(b));
	} else if (left >= sizeof(m) && (memcpy(&m, p, sizeof(m)), m.magic == SYT_META_MAGIC)) {
		if (m.bytes >= sizeof(m) && m.bytes <= left)
			m.checksum = XXH32(p + sizeof(m), m.bytes - sizeof(m), m.type);
		memcpy(p, &m, sizeof(m));
	}
}

static void report(const struct syt_order *order)
{
	struct syt_symbols *symbols = syt_symbols_create(false);
	struct syt_labels *labels = syt_labels_create(&order->places, symbols, 0);
	struct syt_contention contention;

	syt_contention_open(&contention, order, labels);
	syt_contention_close(&contention);
	syt_labels_destroy(labels);
	syt_symbols_destroy(symbols);
}

/* Whatever the result: it comes to one. */
static void order_and_check(const struct syt_trace_data *trace)
{
	struct syt_order order;
	struct syt_check check;

	if (syt_order_open(&order, trace))
		return;
	for (unsigned i = 0; i < syt_nr_invariants; i++) {
		syt_check_run(&check, &syt_invariants[i], &order, 2);
		syt_check_close(&check);
	}
	report(&order);
	syt_order_close(&order);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct syt_read_options options = {.nr_workers = 1, .problems_shown = 0};
	struct syt_read_report report;
	uint8_t *dump = malloc(size ? size : 1);

	memcpy(dump, data, size);
	if (size >= sizeof(struct syt_file)) {
		struct syt_file f;

		memcpy(&f, dump, sizeof(f));
		f.checksum =
			XXH32((uint8_t *)&f + 24, offsetof(struct syt_file, live_begin) - 24, 0);
		memcpy(dump, &f, sizeof(f));
	}
	for (size_t at = SYT_PAGE_BYTES; at < size; at += 8)
		repair(dump + at, size - at);
	struct syt_trace_data *trace = syt_read_memory(dump, size, &options, &report);

	if (trace->nr_images)
		order_and_check(trace);
	syt_trace_destroy(trace);
	free(dump);
	return 0;
}
