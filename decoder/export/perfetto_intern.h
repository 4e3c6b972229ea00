/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Packets of a Perfetto trace, and the strings and call stacks that packets name by numbers. Each string or stack
 * is written once, in a separate packet before the first packet that needs it. Each table has its own numbers.
 */
#ifndef SYT_DECODER_PERFETTO_INTERN_H
#define SYT_DECODER_PERFETTO_INTERN_H

#include "decoder/export/exporter.h"
#include "decoder/export/perfetto.pb-c.h"

/* Names of debug annotations, which every trace begins with. */
enum syt_perfetto_note {
	SYT_PERFETTO_ID = 1,
	SYT_PERFETTO_OBJECT,
	SYT_PERFETTO_RESULT,
	SYT_PERFETTO_ERRNO,
	SYT_PERFETTO_BYTES,
	SYT_PERFETTO_OFFSET,
	SYT_PERFETTO_CPU,
	SYT_PERFETTO_LABEL,
	SYT_PERFETTO_EDGES,
	SYT_PERFETTO_DURATION,
	SYT_PERFETTO_COVERAGE
};
#define SYT_PERFETTO_TASK SYT_NR_KINDS /* a category after the kinds of objects */

struct syt_perfetto {
	const struct syt_export *x;
	uint8_t *buffer; /* one packet */
	size_t room;
	bool has_begun; /* a packet was written */
	struct syt_ids ids;
	bool has_category[SYT_PERFETTO_TASK + 1], *has_label; /* [category], [label]: was written */
	uint64_t nr_frames;
	uint64_t *frames; /* [number of a stack]: number of its first frame, or 0 */
};

void syt_perfetto_open(struct syt_perfetto *p, const struct syt_export *x);
void syt_perfetto_close(struct syt_perfetto *p);

void syt_perfetto_packet(struct syt_perfetto *p, Perfetto__TracePacket *packet);

/* Returns the number of an event category: a kind of objects, or SYT_PERFETTO_TASK. */
uint64_t syt_perfetto_category(struct syt_perfetto *p, unsigned category);
/* Returns the number of an event name: of a call, or of a leaf task. */
uint64_t syt_perfetto_call(struct syt_perfetto *p, struct syt_place at);
uint64_t syt_perfetto_task(struct syt_perfetto *p, const struct syt_task *t);
/* Returns the number of an object's text, a string value. OBJECT is trace-wide. */
uint64_t syt_perfetto_object(struct syt_perfetto *p, uint32_t object);
/* Returns the number of a call stack (not 0) of IMAGE, and of the source location of its innermost frame. */
uint64_t syt_perfetto_stack(struct syt_perfetto *p, uint32_t image, uint32_t stack);

#endif
