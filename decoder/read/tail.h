/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Follows a trace that is being recorded. Each look reports the events since the last look.
 *
 * The files are read and never mapped, because a process that ends truncates its dump. This code
 * writes no file. A look costs a few system calls for each thread, plus the time to decode the new
 * events. Each event is reported once. The events of one lane of a thread come in their order;
 * different threads come in any order. An event comes either from a lane whose number is unchanged
 * after reading, or from a sealed block with a right checksum. Events that a ring has overwritten
 * since the last look are reported as missing.
 */
#ifndef SYT_DECODER_TAIL_H
#define SYT_DECODER_TAIL_H

#include "decoder/read/image.h"

struct syt_tail_slot {
	uint64_t at, bytes;   /* position and size of its chunk in the dump */
	struct syt_slot page; /* the slot before this look read its events */
	uint64_t sealed;      /* the slot's counter when its blocks were last examined */
	bool is_known;        /* examined at least once */
	struct syt_tail_lane {
		uint32_t thread;
		uint64_t first_seq, first_ticks; /* of the block being written */
		uint32_t bytes, nr;              /* how much of that block is decoded */
		struct syt_predictor *predictor; /* state after these bytes; NULL: none decoded */
	} lanes[SYT_NR_LANES];
};

struct syt_tail_image {
	struct syt_loading loading; /* its definitions, in ticks; only stacks that were asked for */
	char *name;                 /* file name of the dump */
	int fd;                     /* open during a look, otherwise -1 */
	bool has_begun;             /* its header has been read */
	bool is_live;               /* as far as is known, its process records */
	bool is_over;               /* its process exited, or was not live for DEAD_MAX looks */
	unsigned nr_dead;           /* looks at which its process did not record */
	uint64_t end;               /* end of the last known chunk */
	unsigned nr_stalls;         /* looks that found no next chunk where one is due */
	size_t nr_chunks, room_chunks;
	struct syt_tail_chunk *chunks;
	size_t nr_slots, room_slots;
	struct syt_tail_slot *slots;
	size_t nr_threads, room_threads;
	struct syt_tail_thread *threads; /* by T */
	double ns_per_tick;
	uint64_t now;                   /* ticks before this look read any data */
	uint64_t resumed;               /* end of the last pause; 0: none; UINT64_MAX: paused now */
	const struct syt_tail_eye *eye; /* the caller's callbacks, during a look */
	void *own;                      /* for the caller's use */
};

struct syt_tail {
	char *dir;
	int fd;
	uint32_t nr_processes; /* number of images begun, from the shared file */
	size_t nr_images, room_images;
	struct syt_tail_image **images;
	uint8_t *buffer, *raw; /* at least SYT_RAW_MAX each, and the size of a chunk of blocks */
	size_t buffer_bytes;
};

/* The callbacks of the caller. */
struct syt_tail_eye {
	void *context;
	/* Called once for each image, before all other callbacks for it. */
	void (*on_image)(void *context, struct syt_tail_image *i);
	void (*on_event)(void *context, struct syt_tail_image *i, uint32_t thread,
	                 const struct syt_event *e);
	/* Events of the thread before TICKS are missing. */
	void (*on_gap)(void *context, struct syt_tail_image *i, uint32_t thread, uint64_t ticks);
	/* Called after all news of the image was reported. */
	void (*on_looked)(void *context, struct syt_tail_image *i);
};

/* Opens the trace directory DIR. Returns false after a message. */
bool syt_tail_open(struct syt_tail *t, const char *dir);
void syt_tail_close(struct syt_tail *t);

/* Makes one look. Returns false after a message if the directory is gone. */
bool syt_tail_look(struct syt_tail *t, const struct syt_tail_eye *eye);

/* Returns true if any process records, or was killed or called exec in the last DEAD_MAX looks. */
bool syt_tail_is_live(const struct syt_tail *t);

/* For callbacks: reads the definitions that were added since the look began. */
void syt_tail_define(struct syt_tail_image *i);

/* For callbacks: reads the frames of STACK and returns STACK, or 0 if there is none. */
uint32_t syt_tail_stack(struct syt_tail_image *i, uint32_t stack);

#endif
