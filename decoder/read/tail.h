/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A trace that is being recorded, look by look: at each of them what is new since the last one.
 *
 * Files are read and never mapped, because a process that ends cuts its dump off, and nothing is written.  A look costs a few
 * system calls for each thread, and what it takes to decode what was recorded since the last one.  Events come once; of each
 * lane of a thread in their order, and of different threads in any.  Where they come from does not matter: a lane whose number
 * is still the same afterwards, or a sealed block whose checksum is right.  What a ring has overwritten since the last look is
 * told as missing.
 */
#ifndef SYT_DECODER_TAIL_H
#define SYT_DECODER_TAIL_H

#include "decoder/read/image.h"

struct syt_tail_slot {
	uint64_t at, bytes;   /* of its chunk in the dump */
	struct syt_slot page; /* as it was before the events of this look were read */
	uint64_t sealed;      /* when its blocks were looked through last */
	bool is_known;        /* it has been looked at */
	struct syt_tail_lane {
		uint32_t thread;
		uint64_t first_seq, first_ticks; /* of the block that was being written */
		uint32_t bytes, nr;              /* decoded of it */
		struct syt_predictor *predictor; /* behind that; NULL: nothing is */
	} lanes[SYT_NR_LANES];
};

struct syt_tail_image {
	struct syt_loading
		loading;    /* its definitions, in ticks; no stacks but those that were asked for */
	char *name;         /* of the dump */
	int fd;             /* while it is looked at, otherwise -1 */
	bool has_begun;     /* its header is there */
	bool is_live;       /* its process records, as far as is known */
	bool is_over;       /* and has been looked at often enough since it no longer did */
	unsigned nr_dead;   /* looks at which its process did not record */
	uint64_t end;       /* of the chunks that are known */
	unsigned nr_stalls; /* looks since the next chunk should have been there */
	size_t nr_chunks, room_chunks;
	struct syt_tail_chunk *chunks;
	size_t nr_slots, room_slots;
	struct syt_tail_slot *slots;
	size_t nr_threads, room_threads;
	struct syt_tail_thread *threads; /* by T */
	double ns_per_tick;
	uint64_t now;     /* in ticks, before anything was read */
	uint64_t resumed; /* the end of the last pause, 0: there was none, UINT64_MAX: it goes on */
	void *own;        /* of who looks */
};

struct syt_tail {
	char *dir;
	int fd;
	uint32_t nr_processes; /* images that have been begun, as the trace says */
	size_t nr_images, room_images;
	struct syt_tail_image **images;
	uint8_t *buffer, *raw; /* SYT_RAW_MAX each, and as much as a chunk of blocks has */
	size_t buffer_bytes;
};

/* Who looks. */
struct syt_tail_eye {
	void *context;
	/* Once for each image, before anything else of it. */
	void (*on_image)(void *context, struct syt_tail_image *i);
	void (*on_event)(void *context, struct syt_tail_image *i, uint32_t thread,
	                 const struct syt_event *e);
	/* Events of the thread before TICKS are missing. */
	void (*on_gap)(void *context, struct syt_tail_image *i, uint32_t thread, uint64_t ticks);
	/* All that was there is told. */
	void (*on_looked)(void *context, struct syt_tail_image *i);
};

/* False after a message. */
bool syt_tail_open(struct syt_tail *t, const char *dir);
void syt_tail_close(struct syt_tail *t);

/* False after a message: the directory is gone. */
bool syt_tail_look(struct syt_tail *t, const struct syt_tail_eye *eye);

/* Whether any process records into it; one that was killed, or has called exec, counts for some looks more. */
bool syt_tail_is_live(const struct syt_tail *t);

/* For callbacks: reads the definitions that came since the look began. */
void syt_tail_define(struct syt_tail_image *i);

/* The same: reads the frames of STACK, and returns it; 0: there is none. */
uint32_t syt_tail_stack(struct syt_tail_image *i, uint32_t stack);

#endif
