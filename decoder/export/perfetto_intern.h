/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes packets of a Perfetto trace, and the strings and call stacks to which packets refer by number. Each string
 * or stack is written once, in a separate packet before the first packet that needs it. Each kind (names, stacks,
 * ...) has its own numbers. */
#ifndef SYT_DECODER_PERFETTO_INTERN_H
#define SYT_DECODER_PERFETTO_INTERN_H

#include "decoder/export/exporter.h"
#include "decoder/export/perfetto.pb-c.h"

/* Numbers of the names of debug annotations. Every trace begins with these names. */
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
#define SYT_PERFETTO_TASK SYT_NR_KINDS /* category of leaf tasks, after kinds of objects */

struct syt_perfetto {
	const struct syt_export *x;
	uint8_t *buffer; /* buffer for one packet */
	size_t room;
	bool has_begun; /* at least one packet was written */
	struct syt_ids ids;
	/* marks by category and by label: its name was written */
	bool has_category[SYT_PERFETTO_TASK + 1], *has_label;
	uint64_t nr_frames;
	uint64_t *frames; /* [number of a stack]: number of its first written frame, or 0 */
};

void syt_perfetto_open(struct syt_perfetto *p, const struct syt_export *x);
void syt_perfetto_close(struct syt_perfetto *p);

void syt_perfetto_packet(struct syt_perfetto *p, Perfetto__TracePacket *packet);

/* Returns the number of an event category. CATEGORY is a kind of objects or SYT_PERFETTO_TASK. Writes its name
 * before the first use. */
uint64_t syt_perfetto_category(struct syt_perfetto *p, unsigned category);
/* Return the number of an event's name: of a call, or of a leaf task. */
uint64_t syt_perfetto_call(struct syt_perfetto *p, struct syt_place at);
uint64_t syt_perfetto_task(struct syt_perfetto *p, const struct syt_task *t);
/* Returns the number of the string that names OBJECT (an index in the whole trace). */
uint64_t syt_perfetto_object(struct syt_perfetto *p, uint32_t object);
/* Returns the number of the call stack STACK (not 0) of IMAGE. The source location of its innermost frame has the
 * same number. */
uint64_t syt_perfetto_stack(struct syt_perfetto *p, uint32_t image, uint32_t stack);

#endif
