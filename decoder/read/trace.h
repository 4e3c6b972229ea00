/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A trace in memory, as decoder/read/reader.c makes it from the dumps. All higher layers use it. It
 * is validated: every index is in range or is the documented "none" value.
 *
 * Time is fixed-point, 1/16 ns, on one time line for all images of a trace. Two different ticks of
 * one clock therefore never become equal. SYT_TIME_NS() converts to ns for output.
 */
#ifndef SYT_DECODER_TRACE_H
#define SYT_DECODER_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event.h"
#include "format/format.h"

typedef uint64_t syt_time;
#define SYT_TIME_SHIFT 4
#define SYT_TIME_NS(t_) ((t_) >> SYT_TIME_SHIFT)

#define SYT_NONE UINT32_MAX

/* One event; in time order within its thread. */
struct syt_row {
	syt_time in, out; /* equal if only one instant was stamped */
	int64_t result;
	uint32_t stack;  /* id in the image's stacks; 0: none */
	uint32_t object; /* index in the image's objects, or SYT_NONE */
	uint32_t extra;  /* index in the thread's extras, or SYT_NONE */
	uint16_t call;   /* index in the image's calls */
	uint16_t err;    /* errno if result < 0 */
};

/* The optional fields of an event (format/fields.def), validated. */
struct syt_extra {
	uint32_t object2; /* index in the image's objects, or SYT_NONE */
	uint32_t thread;  /* T, or SYT_NONE */
	uint64_t offset, offset2, bytes, cpu, pid, arg, count, status, flags, peer;
	uint32_t nr_ready;
	/* index of the first in the thread's ready array; objects in it are indices too */
	uint32_t ready;
};

struct syt_call_info {
	char *name;
	uint8_t shape; /* enum syt_shape; SYT_SHAPE_INFO if this decoder does not know it */
	uint8_t kind;
	bool stamp_in; /* the ordering stamp is `in` */
};

struct syt_module_info {
	uint32_t id;
	uint64_t start, end, bias;
	syt_time from, to; /* to: UINT64_MAX while mapped */
	char *path;
	uint8_t *build_id;
	uint32_t build_id_bytes;
};

/* An endpoint: struct syt_meta_endpoint with its addresses. */
struct syt_endpoint_info {
	uint16_t domain, type, protocol;
	uint16_t local_bytes, remote_bytes;
	uint32_t peer_object; /* index in the image's objects, or SYT_NONE */
	uint32_t peer_pid;
	uint64_t dev, inode, cookie, netns, tx, rx;
	uint8_t local[SYT_ADDRESS_BYTES], remote[SYT_ADDRESS_BYTES];
};

struct syt_object_info {
	enum syt_kind kind;
	uint16_t flags;          /* SYT_OBJECT_* */
	uint32_t generation, fd; /* fd: SYT_NONE if it never was one */
	uint32_t value;          /* with SYT_OBJECT_VALUE: the semaphore's value when first seen */
	uint64_t identity;
	syt_time first;
	/* or NULL. The last record wins, except that an empty address does not replace a known one. */
	const struct syt_endpoint_info *endpoint;
	char *name; /* SYT_TEXT_OBJECT_NAME, or NULL */
};

/* Counts and times of a group of events, for `stat`. */
struct syt_tally {
	uint64_t nr;                   /* number of events */
	uint64_t nr_waited;            /* events of these with both instants */
	uint64_t wait_ns, max_wait_ns; /* wait: out - in */
	uint64_t bytes;
};

/* Leaf tasks: the stretches in which threads ran between two synchronization points. */
struct syt_leaves {
	uint64_t nr, ns;
};

struct syt_image;
struct syt_kept;
struct syt_sparse;

/* A call that had not returned when the dump ended. */
struct syt_waiting_info {
	syt_time since;           /* begin of the call; 0: no such call is known */
	uint32_t call;            /* index in the image's calls */
	uint32_t object, object2; /* indices in the image's objects, or SYT_NONE */
	uint32_t stack, thread;   /* thread: T of the joined thread, or SYT_NONE */
};

/* A call that transfers bytes and never returned. */
struct syt_in_flight_info {
	uint64_t position; /* the object's byte counter when the call began */
	uint32_t object;   /* index in the image's objects, unchecked */
	bool is_out;       /* true: sends; false: receives */
	uint32_t thread;   /* T of the slot's present thread, unchecked; SYT_NONE: free */
};

struct syt_thread {
	struct syt_image *image;
	uint32_t index; /* T */
	uint32_t tid;
	uint32_t creator; /* T, or SYT_NONE */
	uint64_t handle;
	syt_time first; /* time at which the recorder first saw it */
	syt_time last;  /* end of its last event; 0: it has none */
	struct syt_waiting_info waiting;
	char *name; /* its last name, or NULL */
	/* number of the pause that left out a call still running at the end of the dump, or 0 */
	uint32_t skipped;
	/* events overwritten or damaged before the first row: N of row i is base + i */
	uint64_t base;
	uint64_t missing; /* events missing between and after rows (damage) */
	uint64_t gaps; /* event numbers between its blocks that no block has: dropped or damaged */
	uint64_t numbered; /* event numbers up to its last block: base + gaps + missing + nr_rows */
	/* overwritten events may be younger than the first row: a second lane lost them */
	bool is_uneven;
	uint64_t nr_rows;
	struct syt_row *rows;  /* read them with syt_thread_row() */
	struct syt_kept *kept; /* NULL: all rows are in memory; else see decoder/read/sparse.h */
	uint64_t nr_extras;
	struct syt_extra *extras;
	uint64_t nr_ready;
	struct syt_ready *ready;
};

/* A pause: a time without recording. */
struct syt_pause_info {
	uint32_t number;   /* in its trace, from 1; 0: its time is unknown */
	syt_time from, to; /* to: UINT64_MAX: paused until the end */
	/* all threads had returned from the calls that it left out; UINT64_MAX: unknown */
	syt_time complete;
};

#define SYT_MOST_FRAMES 4096u /* maximum of frames per stack: four times the recorder's limit */

struct syt_image {
	struct syt_trace_data *trace;
	uint32_t index;         /* P */
	char *path;             /* file name of the dump */
	struct syt_file file;   /* as read; only checked members can be trusted */
	bool has_home;          /* the dump's directory, and the trace it belongs to, are known */
	uint8_t home_id[16];    /* that trace's id (decoder/read/identity.h) */
	char *exe, *argv, *cwd; /* argv: arguments joined by spaces; may be NULL */
	char *argv0;            /* base name of the first argument; may be NULL */
	char *libc;             /* version, or NULL */
	char *pids; /* pid in all its pid namespaces, outermost first; NULL: only one namespace */
	double clock_hz; /* ticks per second, measured from the dump's clock pairs */
	uint32_t nr_pauses;
	struct syt_pause_info *pauses; /* in order of time */
	uint32_t nr_notes;
	char **notes; /* messages of the recorder to the user */
	uint32_t nr_calls, nr_modules, nr_objects, nr_threads;
	struct syt_call_info *calls;
	struct syt_module_info *modules; /* modules[id - 1] */
	struct syt_object_info *objects;
	struct syt_thread *threads; /* threads[T] */
	uint32_t nr_stacks;         /* ids 1..nr_stacks-1 */
	/* stacks[id]; at most SYT_MOST_FRAMES frames; a damaged one has parent 0, module 0,
	 * TRUNCATED */
	struct syt_stack_node *stacks;
	size_t nr_in_flight;
	struct syt_in_flight_info *in_flight;
	uint64_t nr_blind;
	struct syt_blind_spot {
		uint32_t what, thread;
		syt_time at;
		char *text;
	} * blind;
	/* accounting: recorded = decoded + overwritten + missing; lost: never recorded */
	uint64_t nr_recorded, nr_decoded, nr_overwritten, nr_missing, nr_lost;
	uint64_t bytes_events; /* bytes of the sealed and the current blocks */
	uint64_t bytes_file;   /* allocated bytes of the file */
	bool is_damaged;       /* the problem list has an entry */
	syt_time begin, end;   /* over all rows; UINT64_MAX and 0 if there are none */
	/* damaged before its events were counted: blocks or counters may be missing */
	bool is_garbled;
	/* only in a sparse trace, else NULL: by call, by T; its leaf tasks */
	struct syt_tally *call_uses, *thread_uses;
	struct syt_leaves leaves;
};

/* Two connected unix sockets, as the kernel reported them (decoder/read/peer.h). */
struct syt_peer_info {
	uint8_t boot_id[16];
	uint64_t cookie, inode;
	uint64_t peer_cookie; /* 0: unknown */
	uint64_t peer_inode;
};

struct syt_peers_info {
	size_t nr, room;
	struct syt_peer_info *all;
};

struct syt_trace_data {
	uint32_t nr_images;
	struct syt_image *images; /* in order of P */
	struct syt_peers_info peers;
	syt_time begin, end;       /* over all rows */
	unsigned nr_workers;       /* threads that may work on it in parallel; 0: one */
	struct syt_sparse *sparse; /* NULL: all rows are in memory */
};

/* The address of an event with the name "P.T.N". */
struct syt_ref {
	uint32_t image; /* index in trace->images, not P */
	uint32_t thread;
	uint64_t row;
};

static inline const struct syt_call_info *syt_row_call(const struct syt_image *i,
                                                       const struct syt_row *r)
{
	return &i->calls[r->call];
}

/* Returns a row outside of the kept rows: unpacks its block and keeps it from then on. Any thread. */
const struct syt_row *syt_kept_row(const struct syt_thread *t, uint64_t row);

static inline const struct syt_row *syt_thread_row(const struct syt_thread *t, uint64_t row)
{
	return t->kept ? syt_kept_row(t, row) : &t->rows[row];
}

/* Returns the program's name: the base name of argv[0], else of the executable, else "?". */
const char *syt_image_program(const struct syt_image *i);

#endif
