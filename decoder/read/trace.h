/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A trace in memory. decoder/read/reader.c makes it from the dumps, and all higher layers use it. The trace is
 * validated: every index is in its range or is the value that means "none".
 *
 * Time is fixed-point in units of 1/16 ns, on one time line for all process images of a trace. The units are so
 * small that two different ticks of one clock never become equal. SYT_TIME_NS() converts a time to ns for output.
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

/* One event of a thread. The rows of a thread are in the order of time. */
struct syt_row {
	/* times just before and just after the call; equal if only one of them was recorded */
	syt_time in, out;
	int64_t result;
	uint32_t stack;  /* id of the call stack in the image's stacks; 0: none */
	uint32_t object; /* index of the sync object in the image's objects, or SYT_NONE */
	uint32_t extra;  /* index of the optional fields in the thread's extras, or SYT_NONE */
	uint16_t call;   /* index of the call in the image's calls */
	uint16_t err;    /* errno if `result` is negative */
};

/* The optional fields of an event (format/fields.def), validated. */
struct syt_extra {
	uint32_t object2; /* index of the sync object in the image's objects, or SYT_NONE */
	uint32_t thread;  /* number (T) of a thread, or SYT_NONE */
	uint64_t offset, offset2, bytes, cpu, pid, arg, count, peer;
	uint32_t status;
	/* The next three members are 0 in a full trace; they do not exceed UINT32_MAX. */
	uint32_t
		left_out; /* number of calls of the thread that the sampler left out before the event */
	uint32_t
		gap; /* time from the begin of the first of these calls to the stamp of the event */
	uint32_t
		crossed; /* other calls moved this amount of data during the call, just before `offset` */
	uint16_t flags; /* bits SYT_EVENT_* and SYT_EXTRA_* */
	uint16_t nr_ready;
	/* index of the event's first entry in the thread's ready array; objects in this array are indices too */
	uint32_t ready;
};

/* The optional fields of an event as a thread keeps them: mostly few of them, with small values. */
struct syt_packed_extra {
	uint64_t offset;
	uint32_t bytes, object2;
	/* the member `ready`; with SYT_EXTRA_WIDE: index in the array `wide` of the thread; if no fd is ready: `arg` */
	uint32_t ready;
	uint16_t flags;
	uint8_t count;
	uint8_t nr_ready; /* or SYT_EXTRA_WIDE: some field does not fit here */
};
#define SYT_EXTRA_WIDE UINT8_MAX

/* Flags of the decoder, in struct syt_extra. */
#define SYT_EXTRA_GHOST 0x8000u /* a sampler did not select the call: the event has no call stack */
#define SYT_EXTRA_UNSELECTED 0x2000u /* in a shadow recording: the sampler did not keep the event */
#define SYT_EXTRA_LEFT_OUT 0x4000u /* only while the reader reads a trace as if it were sampled */
#define SYT_EXTRA_FLAGS (SYT_EXTRA_GHOST | SYT_EXTRA_UNSELECTED | SYT_EXTRA_LEFT_OUT)

struct syt_call_info {
	char *name;
	uint8_t shape; /* enum syt_shape; SYT_SHAPE_INFO if this decoder does not know the shape */
	uint8_t kind;
	bool stamp_in; /* events of this call are ordered by `in`, not by `out` */
};

struct syt_module_info {
	uint32_t id;
	uint64_t start, end, bias;
	syt_time from, to; /* begin and end of the mapping; `to` is UINT64_MAX while it exists */
	char *path;
	uint8_t *build_id;
	uint32_t build_id_bytes;
};

/* An endpoint (one end of a connection or pipe): struct syt_meta_endpoint with its socket addresses. */
struct syt_endpoint_info {
	uint16_t domain, type, protocol;
	uint16_t local_bytes, remote_bytes;
	uint32_t peer_object; /* index of the sync object in the image's objects, or SYT_NONE */
	uint32_t peer_pid;
	uint64_t dev, inode, cookie, netns, tx, rx;
	uint8_t local[SYT_ADDRESS_BYTES], remote[SYT_ADDRESS_BYTES];
};

struct syt_object_info {
	enum syt_kind kind;
	uint16_t flags;          /* SYT_OBJECT_* */
	uint32_t generation, fd; /* fd: SYT_NONE if the object never had an fd */
	uint32_t value;          /* semaphore with SYT_OBJECT_VALUE: its value when first seen */
	uint64_t identity;
	syt_time first;
	/* facts of the endpoint, or NULL. The last record in the dump wins, except that an empty
	 * address does not replace a known address. */
	const struct syt_endpoint_info *endpoint;
	char *name; /* name that the program gave to the object (SYT_TEXT_OBJECT_NAME), or NULL */
	uint32_t origin; /* call stack of the first recorded use, unchecked; 0: unknown */
};

/* Counts and times of a group of events, for `stat`. */
struct syt_tally {
	uint64_t nr;                   /* number of events */
	uint64_t nr_waited;            /* number of these events that have both `in` and `out` */
	uint64_t wait_ns, max_wait_ns; /* sum and maximum of the waits (out - in) */
	uint64_t bytes;
};

/* Number and time of leaf tasks. A leaf task is the execution of a thread between two synchronization points. */
struct syt_leaves {
	uint64_t nr, ns;
};

struct syt_image;
struct syt_names;
struct syt_counts;
struct syt_kept;
struct syt_sparse;
struct syt_hosts;

/* A call in which a thread waited when the dump ended. */
struct syt_waiting_info {
	syt_time since;           /* begin of the call; 0: no unreturned call is known */
	uint32_t call;            /* index of the call in the image's calls */
	uint32_t object, object2; /* indices in the image's objects, or SYT_NONE */
	uint32_t stack, thread;   /* thread: number (T) of the thread to be joined, or SYT_NONE */
};

/* A call that transfers bytes and never returned. */
struct syt_in_flight_info {
	uint64_t position; /* byte counter of the object when the call began */
	uint32_t object;   /* index of the object in the image's objects, unchecked */
	bool is_out;       /* true: the call sends; false: it receives */
	/* number (T) of the slot's present thread, unchecked; SYT_NONE: the slot is free */
	uint32_t thread;
};

struct syt_thread {
	struct syt_image *image;
	uint32_t index; /* number (T) of the thread */
	uint32_t tid;
	uint32_t creator; /* number (T) of a thread, or SYT_NONE */
	uint64_t handle;
	syt_time first; /* time at which the recorder first saw the thread */
	syt_time last;  /* end of the thread's last event; 0: it has none */
	struct syt_waiting_info waiting;
	char *name; /* last name of the thread, or NULL */
	/* number of the pause of recording that left out a call still running at the end of the dump, or 0 */
	uint32_t skipped;
	/* number of events overwritten or damaged before the first row: row i is event number base + i */
	uint64_t base;
	uint64_t missing; /* number of damaged events between and after the rows */
	/* number of events between the thread's blocks that no block contains: dropped or damaged */
	uint64_t gaps;
	/* number of events up to the thread's last block: base + gaps + missing + nr_rows */
	uint64_t numbered;
	/* The blocks have all events of the thread that ended later, except damaged ones; 0: they have all events.
	 * syt_image_complete_from() also knows of events that left no trace in the thread's blocks. */
	syt_time complete_from;
	/* There are rows from before complete_from: the events of a signal handler, or those outside of handlers, were
	 * overwritten up to a later time. */
	bool is_uneven;
	uint64_t nr_rows;
	struct syt_row *rows;  /* rows of the thread: read them with syt_thread_row() */
	struct syt_kept *kept; /* NULL: all rows are in memory; else see decoder/read/sparse.h */
	uint64_t nr_extras, nr_wide; /* `extras` may contain unused elements */
	struct syt_packed_extra *extras;
	struct syt_extra *wide; /* the optional fields that do not fit into `extras` */
	uint64_t nr_ready;
	struct syt_ready *ready;
	size_t room_wide, room_ready;
	/* The other members are 0 in a full trace (decoder/read/part.h). */
	uint64_t nr_parts; /* number of elements of `parts` */
	struct syt_part {
		uint64_t row; /* index of the first row of the part, not 0 */
		syt_time
			gap_from; /* begin of the first call that was left out before; UINT64_MAX: none */
	} * parts;
	uint64_t nr_ghosts;
	uint64_t nr_left_out;   /* number of calls that the sampler left out; at most UINT64_MAX */
	uint64_t left_out_last; /* number of these calls after the last row */
	syt_time left_out_from; /* begin of the first of the latter; UINT64_MAX: unknown */
};

/* Calls of a thread that a sampler left out at one site. */
struct syt_left_out_info {
	uint32_t thread; /* number (T) of a thread */
	uint32_t stack;  /* id of the call stack of the site; 0: unknown */
	uint32_t call;   /* index of the call in the image's calls */
	uint64_t nr;
};

/* A pause: a time without recording. */
struct syt_pause_info {
	uint32_t number;   /* number of the pause in its trace, from 1; 0: its time is unknown */
	syt_time from, to; /* begin and end; to: UINT64_MAX: recording was paused until the end */
	/* time by which all threads had returned from the calls that the pause left out; UINT64_MAX: unknown */
	syt_time complete;
};

#define SYT_MOST_FRAMES 4096u /* maximum of frames in a stack: four times the recorder's limit */

struct syt_image {
	struct syt_trace_data *trace;
	struct syt_names *names; /* names of the objects (decoder/read/name.h) */
	uint32_t index;          /* number of the process image (P) */
	/* Numbers from 0, in the order of P. Names that the kernel gave (pids, cookies, inodes, addresses) identify only
	 * within one host, which is one clock of one boot. Numbers that the recorder gave identify only within one recording, which
	 * is the part of a trace from one host. */
	uint32_t host, recording;
	uint32_t
		twin; /* number of the clock among the clocks with one boot id (decoder/read/boot.h) */
	char *path;           /* file name of the dump */
	struct syt_file file; /* file header as read; only checked members can be trusted */
	/* the dump's directory, and the trace to which it belongs, are known */
	bool has_home;
	uint8_t home_id[16];    /* id of this trace (decoder/read/identity.c) */
	char *exe, *argv, *cwd; /* argv: arguments joined by spaces; each may be NULL */
	char *argv0;            /* base name of the program's first argument; may be NULL */
	char *component;        /* program and host; NULL: the trace has one host */
	char *libc;             /* version of libc, or NULL */
	/* pids of the process in all its pid namespaces, outermost first; NULL: only one namespace */
	char *pids;
	double clock_hz; /* ticks per second, measured from the dump's clock pairs */
	uint32_t nr_pauses;
	struct syt_pause_info *pauses; /* pauses of recording, in the order of time */
	uint32_t
		copied; /* number of the pause at which syntrace snapshot copied the trace; 0: none */
	uint32_t nr_notes;
	char **notes; /* messages of the recorder to the user */
	uint32_t nr_calls, nr_modules, nr_objects, nr_threads;
	struct syt_call_info *calls;
	struct syt_module_info *modules; /* element modules[id - 1] has the id `id` */
	struct syt_object_info *objects;
	struct syt_thread *threads; /* threads[T] is the thread with number T */
	uint32_t nr_stacks;         /* the stacks of the image have the ids 1..nr_stacks-1 */
	/* innermost frame of each stack, by its id; a stack has at most SYT_MOST_FRAMES frames; a
	 * damaged frame has parent 0, module 0, TRUNCATED */
	struct syt_stack_node *stacks;
	bool is_sampled; /* a sampler left out calls of the process */
	char *sampler; /* its text, as in SYNTRACE_SAMPLE; NULL: unknown, or there was no sampler */
	size_t nr_left_out;
	struct syt_left_out_info *left_out; /* the calls that the sampler left out, by site */
	size_t nr_in_flight;
	struct syt_in_flight_info *in_flight;
	uint64_t nr_blind;
	struct syt_blind_spot {
		uint32_t what, thread;
		syt_time at;
		char *text;
	} * blind;
	/* the same as complete_from of a thread, for overwritten events of threads that have ended; UINT64_MAX: never */
	syt_time complete_from;
	/* numbers of events: recorded = decoded + overwritten + missing; lost: never recorded */
	uint64_t nr_recorded, nr_decoded, nr_overwritten, nr_missing, nr_lost;
	/* bytes of the complete (sealed) blocks and of the blocks being filled */
	uint64_t bytes_events;
	uint64_t bytes_file; /* bytes of the file that are allocated on disk */
	bool is_damaged;     /* the reader found a problem in the dump */
	/* first begin and last end of all rows; UINT64_MAX and 0 if there are none */
	syt_time begin, end;
	syt_time until; /* the process ran or was recorded at least until then; 0: unknown */
	/* the dump was found damaged before its events were counted: blocks or counters may be missing */
	bool is_garbled;
	/* only in a sparse trace, otherwise NULL: counts by call and by T, and the leaf tasks of the image */
	struct syt_tally *call_uses, *thread_uses;
	struct syt_leaves leaves;
};

/* Two connected unix sockets, as the kernel reported them (decoder/read/peer.h). */
struct syt_peer_info {
	uint8_t boot_id[16], trace_id[16];
	uint64_t cookie, inode;
	uint64_t peer_cookie; /* cookie of the peer; 0: unknown */
	uint64_t peer_inode;
};

struct syt_peers_info {
	size_t nr, room;
	struct syt_peer_info *all;
};

struct syt_trace_data {
	uint32_t nr_images;
	struct syt_image *images; /* process images, sorted by P and by recording */
	struct syt_peers_info peers;
	struct syt_counts *shared; /* shared objects, for their names (decoder/read/name.c) */
	syt_time begin, end;       /* first begin and last end of all rows */
	/* time at which the reader began to read a trace that was being recorded: of each thread, events that began later
	 * may be missing; 0: the recording had ended */
	syt_time read_at;
	/* wall-clock time (CLOCK_REALTIME) minus time of the trace: the median of the clock pairs; 0: unknown */
	int64_t wall_offset_ns;
	/* number of threads that may work on the trace in parallel; 0: one */
	unsigned nr_workers;
	struct syt_sparse *sparse; /* NULL: all rows are in memory */
	struct syt_hosts *hosts;   /* decoder/host/join.h; NULL: one host and one network */
	void (*hosts_destroy)(struct syt_hosts *hosts);
};

/* The position of an event, from which its name "P.T.N" is made. */
struct syt_ref {
	uint32_t image; /* index in trace->images, which may differ from P */
	uint32_t thread;
	uint64_t row;
};

static inline const struct syt_call_info *syt_row_call(const struct syt_image *i,
                                                       const struct syt_row *r)
{
	return &i->calls[r->call];
}

/* Returns a row that was not in memory: unpacks its block and keeps the block's rows from then on. Any
 * thread may call this function. */
const struct syt_row *syt_kept_row(const struct syt_thread *t, uint64_t row);

/* Packs X into P. Returns false if a field of X does not fit. */
static inline bool syt_extra_pack(struct syt_packed_extra *p, const struct syt_extra *x)
{
	*p = (struct syt_packed_extra){
		.offset = x->offset,
		.bytes = (uint32_t)x->bytes,
		.object2 = x->object2,
		.ready = x->nr_ready ? x->ready : (uint32_t)x->arg,
		.flags = x->flags,
		.count = (uint8_t)x->count,
		.nr_ready = (uint8_t)x->nr_ready,
	};
	return x->thread == SYT_NONE && x->nr_ready < SYT_EXTRA_WIDE && !(x->nr_ready && x->arg) &&
	       !(x->offset2 | x->cpu | x->pid | x->status | x->peer | x->bytes >> 32 |
	         x->arg >> 32 | x->count >> 8 | x->left_out | x->gap | x->crossed);
}

/* Returns the optional fields with the number INDEX. EXTRAS and WIDE are as in struct syt_thread. */
static inline struct syt_extra syt_extra_unpack(const struct syt_packed_extra *extras,
                                                const struct syt_extra *wide, uint32_t index)
{
	const struct syt_packed_extra *p = &extras[index];

	if (p->nr_ready == SYT_EXTRA_WIDE)
		return wide[p->ready];
	return (struct syt_extra){
		.object2 = p->object2,
		.thread = SYT_NONE,
		.offset = p->offset,
		.bytes = p->bytes,
		.arg = p->nr_ready ? 0 : p->ready,
		.count = p->count,
		.flags = p->flags,
		.nr_ready = p->nr_ready,
		.ready = p->nr_ready ? p->ready : 0,
	};
}

static inline struct syt_extra syt_extra_of(const struct syt_thread *t, const struct syt_row *r)
{
	if (r->extra == SYT_NONE)
		return (struct syt_extra){.object2 = SYT_NONE, .thread = SYT_NONE};
	return syt_extra_unpack(t->extras, t->wide, r->extra);
}

/* Evaluates to a pointer to the optional fields of an event, never NULL. Absent fields have the value 0 or SYT_NONE. The
 * pointer is valid until the end of the block around it. Code that follows reads only the fields that it uses. */
#define syt_thread_extra(t_, r_) ((const struct syt_extra[]){syt_extra_of(t_, r_)})

/* Returns the time from which the rows of IMAGE have all events of its threads, except those that were never recorded; 0: from
 * the begin, UINT64_MAX: never certain. */
syt_time syt_image_complete_from(const struct syt_image *image);

static inline const struct syt_row *syt_thread_row(const struct syt_thread *t, uint64_t row)
{
	return t->kept ? syt_kept_row(t, row) : &t->rows[row];
}

/* Returns the image that made the image with the index I by fork or exec, as an index in trace->images, or SYT_NONE
 * (decoder/read/identity.c). */
uint32_t syt_image_parent(const struct syt_trace_data *trace, uint32_t i);

/* Returns the number of the only host with the ids of a boot and a trace (16 bytes each), or else of the only one with this
 * boot, or SYT_NONE. */
uint32_t syt_host_find(const struct syt_trace_data *trace, const uint8_t *boot_id,
                       const uint8_t *trace_id);

/* Returns the number of the host or of the recording within which the identity of a shared object (SYT_OBJECT_SHARED)
 * of image I is unique. */
uint32_t syt_object_scope(const struct syt_image *i, const struct syt_object_info *info);

/* Returns the program's name: the base name of argv[0], or of the executable if there is no argv[0], or "?". */
const char *syt_image_program(const struct syt_image *i);
/* Returns the program's name; in a trace of several hosts, the name with that of the host: "redis@db", or "redis@db#2" if
 * several hosts have this name. */
const char *syt_image_component(const struct syt_image *i);

/* Returns the name of the thread. A main thread that never got a name has the program's name. Returns NULL for another
 * thread without a name. */
const char *syt_thread_name(const struct syt_thread *t);

#endif
