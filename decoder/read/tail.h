/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Follows a trace that is being recorded. The caller makes looks: each look reports the events recorded since the
 * last look.
 *
 * The files are read and never mapped, because a process that ends truncates its dump. No file is written. A look
 * costs a few system calls for each thread, plus the time to decode the new events. Each event is reported once.
 * The events of one lane (a thread itself, or its signal handlers at one nesting depth) are reported in their
 * order; different threads are reported in any order. An event comes either from a block that a thread is filling,
 * if its number is unchanged after reading, or from a complete (sealed) block with a right checksum. Events that a
 * ring has overwritten since the last look are reported as missing.
 */
#ifndef SYT_DECODER_TAIL_H
#define SYT_DECODER_TAIL_H

#include "decoder/read/image.h"

struct syt_tail_slot {
	uint64_t at, bytes;   /* position and size of the slot's chunk in the dump */
	struct syt_slot page; /* copy of the slot from before this look read its events */
	/* value of the slot's counter `sealed` when its blocks were last examined */
	uint64_t sealed;
	bool is_known; /* the slot was examined at least once */
	/* the last look ended before it had read all sealed blocks; their events come before those of the lanes */
	bool is_behind;
	/* a thread began a new block during the look, so the look has not reported its newest events */
	bool has_more;
	struct syt_tail_lane {
		uint32_t thread;
		/* first event number and first stamp of the block being written */
		uint64_t first_seq, first_ticks;
		/* bytes and number of events of this block that are decoded */
		uint32_t bytes, nr;
		/* decoder state after these bytes; NULL: nothing is decoded */
		struct syt_predictor *predictor;
	} lanes[SYT_NR_LANES];
};

struct syt_tail_image {
	/* definitions of the image, with times in ticks; only stacks that a callback requested */
	struct syt_loading loading;
	char *name;         /* file name of the dump */
	int fd;             /* file descriptor of the dump during a look, otherwise -1 */
	bool has_begun;     /* the header of the dump has been read */
	bool is_live;       /* as far as is known, the process records now */
	bool is_over;       /* the process exited, or was not live for DEAD_MAX looks */
	unsigned nr_dead;   /* number of looks at which the process did not record */
	uint64_t end;       /* end of the last known chunk in the dump */
	unsigned nr_stalls; /* number of looks that found no next chunk where one is due */
	size_t nr_chunks, room_chunks;
	struct syt_tail_chunk *chunks;
	size_t nr_slots, room_slots;
	struct syt_tail_slot *slots;
	size_t nr_threads, room_threads;
	struct syt_tail_thread *threads; /* threads of the image, by their number T */
	uint32_t nr_origins; /* number of objects whose first call stacks are read */
	double ns_per_tick;
	uint64_t now; /* ticks read before this look read any data */
	/* end of the last pause of recording; 0: none; UINT64_MAX: paused now */
	uint64_t resumed;
	const struct syt_tail_eye *eye; /* the caller's callbacks, during a look */
	void *own;                      /* pointer for the caller's use */
};

struct syt_tail {
	char *dir;
	int fd;
	/* number of process images begun, from the shared file of the trace */
	uint32_t nr_processes;
	size_t nr_images, room_images;
	struct syt_tail_image **images;
	struct syt_symbols *
		symbols; /* for names of objects; NULL: none. Set by the caller after syt_tail_open() */
	/* two buffers of at least SYT_RAW_MAX and of the size of a chunk of blocks */
	uint8_t *buffer, *raw;
	size_t buffer_bytes;
	bool has_unreadable; /* a dump could not be opened */
	/* Time of CLOCK_MONOTONIC at which a look ends, even if it has not read all sealed blocks. The next look
	 * continues there. 0: a look reads all new events. */
	uint64_t until_ns;
	bool is_behind; /* the last look ended at until_ns */
	bool skips_events; /* set by the caller: a look reads only the states of the processes */
};

/* The callbacks of the caller. */
struct syt_tail_eye {
	void *context;
	/* Called once for each process image, before all other callbacks for it. */
	void (*on_image)(void *context, struct syt_tail_image *i);
	void (*on_event)(void *context, struct syt_tail_image *i, uint32_t thread,
	                 const struct syt_event *e);
	/* Called when events of the thread before TICKS are missing. */
	void (*on_gap)(void *context, struct syt_tail_image *i, uint32_t thread, uint64_t ticks);
	/* Called after all new events and gaps of the image were reported. */
	void (*on_looked)(void *context, struct syt_tail_image *i);
};

/* Opens the trace directory DIR for following. Returns false after a message if this fails. */
bool syt_tail_open(struct syt_tail *t, const char *dir);
void syt_tail_close(struct syt_tail *t);

/* Makes one look: calls the callbacks of EYE for all new events. Returns false after a message if
 * the directory is gone. */
bool syt_tail_look(struct syt_tail *t, const struct syt_tail_eye *eye);

/* Returns true if any process of the trace records, or was killed or called exec in the last DEAD_MAX looks. */
bool syt_tail_is_live(const struct syt_tail *t);

/* Returns true if the trace has a dump, a dump could be read, and all dumps could be opened. Otherwise returns false
 * after a message. */
bool syt_tail_has_read(const struct syt_tail *t);

/* Reads the definitions that were added since the look began. Only callbacks call this function. */
void syt_tail_define(struct syt_tail_image *i);

/* Reads the frames of the call stack STACK and returns STACK, or 0 if there is no such stack. Only
 * callbacks call this function. */
uint32_t syt_tail_stack(struct syt_tail_image *i, uint32_t stack);

/* Reads the call stacks by which syt_object_title() names the objects that are defined now. Only callbacks call this
 * function. */
void syt_tail_origins(struct syt_tail_image *i);

#endif
