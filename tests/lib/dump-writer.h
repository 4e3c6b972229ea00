/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Dumps for tests, made without the recorder but with the format's own encoder. The decoder must return
 * the same events. Each thread has its own slot; a full lane (event buffer) is sealed (compressed)
 * automatically.
 *
 *  struct syt_writer *w = syt_writer_create(0, 1000); uint32_t t = syt_writer_thread(w, 1000,
 *  UINT32_MAX, "main"); uint32_t m = syt_writer_object(w, SYT_KIND_MUTEX, 0x5000, 0, 0);
 *
 *  syt_writer_event(w, t, &(struct syt_event){.stamp = 10, .object = m,
 *                                             .call = syt_writer_call(w, "pthread_mutex_lock")});
 *  struct syt_trace_data *trace = syt_writer_read(w);    (ends W; free with syt_trace_destroy)
 *
 * The clock counts nanoseconds (SYT_CLOCK_MONOTONIC) unless the header is changed, so stamps are times.
 * Ids are as in the dump: objects, modules and stacks from 1. Wrong use fails an assertion.
 */
#ifndef SYT_TESTS_LIB_DUMP_WRITER_H
#define SYT_TESTS_LIB_DUMP_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "decoder/read/trace.h"
#include "format/event.h"
#include "format/format.h"
#include "format/sampling.h"

struct syt_writer;

/* Creates a writer for the dump of process image INDEX (P). All images of a test have one trace, host
 * and boot id. */
struct syt_writer *syt_writer_create(uint32_t index, uint32_t pid);

/* Returns the header of the dump, which the test may change; checksum and `used` are set at the end. */
struct syt_file *syt_writer_header(struct syt_writer *w);

/* Returns the id of the call NAME, which is defined at its first use with the shape and kind of
 * format/calls.def, or with the shape INFO. */
uint16_t syt_writer_call(struct syt_writer *w, const char *name);
/* Defines a call with the given shape (what the call does with its object). */
uint16_t syt_writer_define_call(struct syt_writer *w, const char *name, enum syt_shape shape,
                                enum syt_kind kind);

uint32_t syt_writer_module(struct syt_writer *w, const char *path, const void *build_id,
                           uint32_t build_id_bytes, uint64_t bias);
uint32_t syt_writer_stack(struct syt_writer *w, uint32_t parent, uint16_t module, uint64_t offset);
uint32_t syt_writer_object(struct syt_writer *w, enum syt_kind kind, uint64_t identity,
                           uint32_t generation, uint16_t flags);
/* Defines the endpoint E. The addresses of E->local_bytes and E->remote_bytes are at LOCAL and REMOTE. */
void syt_writer_endpoint(struct syt_writer *w, const struct syt_meta_endpoint *e, const void *local,
                         const void *remote);
/* Defines a thread and returns its number T. CREATOR is the creator's T or UINT32_MAX. NAME may be
 * NULL. */
uint32_t syt_writer_thread(struct syt_writer *w, uint32_t tid, uint32_t creator, const char *name);
void syt_writer_text(struct syt_writer *w, enum syt_text what, uint32_t subject, const char *text);
/* Any record. */
void syt_writer_meta(struct syt_writer *w, uint16_t type, const void *payload, size_t bytes);

/* Writes the event E. Its .object is an object id of the dump (from 1; 0: no object); its .thread is T
 * + 1. */
void syt_writer_event(struct syt_writer *w, uint32_t t, const struct syt_event *e);
void syt_writer_lane_event(struct syt_writer *w, uint32_t t, unsigned lane,
                           const struct syt_event *e);

/* Returns the state of the sampler in the slot of thread T, which the test may change. The dump has it if the test sets `major` of
 * the header to SYT_FORMAT_MAJOR_SAMPLED. */
struct syt_sampling *syt_writer_sampling(struct syt_writer *w, uint32_t t);

/* Compresses the events in LANE (event buffer) of thread T into a block; an empty lane stays unchanged. */
void syt_writer_seal(struct syt_writer *w, uint32_t t, unsigned lane);
/* Seals the lane, and kills the process before the lane starts again. So the dump contains the events of the lane
 * twice. */
void syt_writer_seal_and_die(struct syt_writer *w, uint32_t t, unsigned lane);
/* Removes the oldest compressed block of the lane, as if the ring had overwritten it. */
void syt_writer_overwrite(struct syt_writer *w, uint32_t t, unsigned lane);
/* The ring of T's slot has overwritten NR events of a thread that used the slot before, and of which no block is left. */
void syt_writer_overwrite_unseen(struct syt_writer *w, uint32_t t, uint32_t nr);
/* NR events of the lane find no space: counted as dropped, not written. */
void syt_writer_drop(struct syt_writer *w, uint32_t t, unsigned lane, uint32_t nr);

/* Both functions end W. syt_writer_finish returns the dump, which the caller frees with free(). */
uint8_t *syt_writer_finish(struct syt_writer *w, size_t *bytes);
/* Writes DIRECTORY/P.PID.dump. */
void syt_writer_save(struct syt_writer *w, const char *directory);
/* Returns the trace that the decoder reads from the dump; the trace has this one process image. */
struct syt_trace_data *syt_writer_read(struct syt_writer *w);

#endif
