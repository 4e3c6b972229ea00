/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads the times during which recording was paused. The shared file of the trace holds the begin and end of each
 * pause. The dumps tell when the last call that a pause left out (a call that was not recorded because of the
 * pause) had returned. */
#include "decoder/read/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* Marks the whole time of a process image as one pause, because the times of its pauses are unknown. */
static void set_unknown(struct syt_image *i)
{
	i->pauses = syt_realloc(i->pauses, 1, sizeof(*i->pauses));
	i->pauses[0] = (struct syt_pause_info){.to = UINT64_MAX, .complete = UINT64_MAX};
	i->nr_pauses = 1;
}

/* Returns true if pauses may concern the process image. Only the first SYT_NR_TRACE_PROCESSES
 * images of a trace are notified of pauses. */
static bool is_concerned(const struct syt_image *i)
{
	return i->file.was_paused || i->file.index >= SYT_NR_TRACE_PROCESSES;
}

/* Returns true if the ticks of the image measure time. A clock that stands still only counts its readings. */
static bool has_clock(const struct syt_image *i)
{
	for (uint64_t n = 0; n < i->nr_blind; n++)
		if (i->blind[n].what == SYT_BLIND_CLOCK)
			return false;
	return true;
}

/* Stores the pauses of the ring PAUSES, NR in all since the begin of the trace. The times of the pauses that the
 * ring has dropped are unknown: the oldest known pause then begins before the first event. */
static void set_pauses(struct syt_loading *l, const struct syt_pause *pauses, uint32_t nr)
{
	struct syt_image *i = &l->image;
	bool is_ticks = i->file.clock_source != SYT_CLOCK_MONOTONIC;
	syt_time start, after = 0;
	uint32_t hint = 0, nr_dropped = nr < SYT_NR_PAUSES ? 0 : nr - (SYT_NR_PAUSES - 1);

	start = syt_clock_time(l->clock, i->file.start.ticks, &hint);
	free(i->pauses);
	i->pauses = syt_calloc(SYT_NR_PAUSES, sizeof(*i->pauses));
	i->nr_pauses = 0;
	for (uint32_t n = nr_dropped; n < nr; n++) {
		const struct syt_pause *pause = &pauses[n % SYT_NR_PAUSES];
		uint64_t from = is_ticks ? pause->from_ticks : pause->from_ns;
		uint64_t to = is_ticks ? pause->to_ticks : pause->to_ns;
		struct syt_pause_info p = {
			.number = n + 1, .to = UINT64_MAX, .complete = UINT64_MAX};

		if (n > nr_dropped || !nr_dropped)
			p.from = syt_clock_time(l->clock, from, &hint);
		if (pause->to_ns)
			p.to = syt_clock_time(l->clock, to, &hint);
		/* the times are impossible: the file is damaged */
		if (p.from < after || p.to < p.from) {
			set_unknown(i);
			return;
		}
		after = p.to;
		if (p.to >= start)
			i->pauses[i->nr_pauses++] = p;
	}
	if (!i->nr_pauses && i->file.was_paused)
		set_unknown(i);
}

void syt_pauses_add(struct syt_loading **loadings, size_t nr, const void *bytes, size_t nr_bytes)
{
	const uint8_t *at = bytes;
	struct syt_pause pauses[SYT_NR_PAUSES];
	uint64_t magic;
	uint32_t nr_pauses, copied;
	uint16_t major;

	if (nr_bytes < SYT_PAGE_BYTES)
		return;
	memcpy(&magic, at, sizeof(magic));
	memcpy(&major, at + offsetof(struct syt_trace, major), sizeof(major));
	memcpy(&nr_pauses, at + offsetof(struct syt_trace, nr_pauses), sizeof(nr_pauses));
	memcpy(&copied, at + offsetof(struct syt_trace, copied), sizeof(copied));
	memcpy(pauses, at + offsetof(struct syt_trace, pauses), sizeof(pauses));
	if (magic != SYT_TRACE_MAGIC || major != SYT_FORMAT_MAJOR || nr_pauses > SYT_MOST_PAUSES)
		return;
	for (size_t n = 0; n < nr; n++) {
		struct syt_image *i = &loadings[n]->image;

		if (is_concerned(i) && has_clock(i) &&
		    !memcmp(at + offsetof(struct syt_trace, trace_id), i->file.trace_id,
		            sizeof(i->file.trace_id)) &&
		    !memcmp(at + offsetof(struct syt_trace, boot_id), i->file.boot_id,
		            sizeof(i->file.boot_id))) {
			set_pauses(loadings[n], pauses, nr_pauses);
			i->copied = copied;
		}
	}
}

/* Reads pauses from the shared file `trace` in the directory of the dump NAME. */
static void read_beside(struct syt_loading **loadings, size_t nr, const char *name)
{
	char *path = syt_input_shared(name);
	struct syt_input in;

	if (!syt_input_open(&in, path)) {
		syt_pauses_add(loadings, nr, in.data, in.bytes);
		syt_input_close(&in);
	}
	free(path);
}

void syt_pauses_read(struct syt_loading **loadings, size_t nr)
{
	for (size_t n = 0; n < nr; n++)
		if (loadings[n]->image.file.was_paused)
			set_unknown(&loadings[n]->image);
	for (size_t n = 0; n < nr; n++) {
		const struct syt_image *i = &loadings[n]->image;

		if (is_concerned(i) && (!i->nr_pauses || !i->pauses[0].number) &&
		    loadings[n]->in.fd >= 0)
			read_beside(loadings, nr, loadings[n]->in.name);
	}
}

/* Extends the effect of pause NUMBER to UNTIL, when a thread returned from a call that this pause left unrecorded. The call may
 * have lasted through later pauses, too, but not through pause BEFORE. The oldest known pause stands for all older ones. */
static void extend(struct syt_image *i, uint32_t number, uint32_t before, syt_time until)
{
	for (uint32_t n = 0; n < i->nr_pauses; n++) {
		struct syt_pause_info *p = &i->pauses[n];

		if (p->number >= number && p->number < before && until > p->complete)
			p->complete = until;
	}
}

/* Returns true if T's last event is the end of the thread. */
static bool has_ended(const struct syt_thread *t)
{
	return t->nr_rows &&
	       syt_row_call(t->image, &t->rows[t->nr_rows - 1])->shape == SYT_SHAPE_THREAD_END;
}

void syt_pauses_settle(struct syt_loading *l)
{
	struct syt_image *i = &l->image;
	uint32_t hint = 0, *next; /* for each thread, the pause of its next unrecorded calls */

	/* if a definition is missing, it is unknown which threads have returned from unrecorded calls */
	if (!i->nr_pauses || l->problems.nr || i->file.lost[SYT_LOSS_META])
		return;
	for (uint32_t n = 0; n < i->nr_pauses; n++)
		if (i->pauses[n].number)
			i->pauses[n].complete = i->pauses[n].to;
	next = syt_calloc(i->nr_threads, sizeof(*next));
	for (uint32_t n = 0; n < i->nr_threads; n++) {
		struct syt_thread *t = &i->threads[n];

		t->image = i;
		next[n] = t->skipped ? t->skipped : UINT32_MAX;
		if (t->skipped)
			extend(i, t->skipped, UINT32_MAX,
			       has_ended(t) ? t->rows[t->nr_rows - 1].out : UINT64_MAX);
	}
	for (size_t n = l->nr_returned; n--;) {
		const struct syt_meta_returned *r = &l->returned[n];
		bool is_known = r->thread < i->nr_threads;

		if (r->ticks == UINT64_MAX)
			extend(i, r->pause, is_known ? next[r->thread] : UINT32_MAX, UINT64_MAX);
		else
			extend(i, r->pause, UINT32_MAX, syt_clock_time(l->clock, r->ticks, &hint));
		if (is_known)
			next[r->thread] = r->pause;
	}
	free(next);
}
