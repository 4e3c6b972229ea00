/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Defines the dump: the data that the recorder writes and the decoder reads.
 *
 * A trace is a directory. A trace directory contains one `trace` file, which all processes of the trace share
 * (struct syt_trace), and one dump per process image. A dump is one header page (struct syt_file) followed by
 * chunks. Each chunk begins with a struct syt_chunk at a multiple of SYT_PAGE_BYTES. The comments of the structs
 * below describe the kinds of chunk. doc/format.md describes the format in prose.
 *
 * Rules for changes of the format: Numbers are little-endian. Fields are appended; they are never moved and never
 * get a new meaning. A reader skips chunks, records and event fields that it does not know. `major` changes only if
 * an old reader would read wrong data. Only decoder/read/record.c converts old dumps.
 *
 * This header includes only <stdint.h> and <stddef.h>, and defines no variables.
 */
#ifndef SYT_FORMAT_FORMAT_H
#define SYT_FORMAT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define SYT_FORMAT_MAJOR 1
#define SYT_FORMAT_MINOR 3
#define SYT_FORMAT_MAJOR_SAMPLED                                                                   \
	3 /* the dump of a sampled process image; the minor version is then 0 */
#define SYT_FORMAT_MAJOR_SAMPLED_OLD                                                               \
	2 /* the same, with events of SYT_EVENT_VERSION_CODED; recorders no longer write it */

#define SYT_FILE_MAGIC UINT64_C(0x0a45434152544e53)  /* "SNTRACE\n" */
#define SYT_TRACE_MAGIC UINT64_C(0x0a45524148534e53) /* "SNSHARE\n" */
#define SYT_PEERS_MAGIC UINT64_C(0x0a53524545504e53) /* "SNPEERS\n" */
#define SYT_SAVED_MAP_MAGIC UINT64_C(0x0a5350414d504e53) /* "SNPMAPS\n" */
#define SYT_PEER_MAGIC UINT32_C(0x45505953)          /* "SYPE" */
#define SYT_CHUNK_MAGIC UINT32_C(0x4b435953)         /* "SYCK" */
#define SYT_BLOCK_MAGIC UINT32_C(0x4c425953)         /* "SYBL" */
#define SYT_META_MAGIC UINT16_C(0x4d53)              /* "SM" */

#define SYT_PAGE_BYTES 4096u
#define SYT_TRACE_NAME "trace"      /* name of the file that all processes of a trace map */
/* name of the file with the pairs of connected unix sockets that syntrace record found */
#define SYT_PEERS_NAME "peers"
/* printf format of the name of a copy of /tmp/perf-PID.map, in which a program names its generated code for perf */
#define SYT_SAVED_MAP_NAME "perf-%u.map"
#define SYT_SAVED_MAP_BYTES (UINT64_C(256) << 20) /* a larger map is not copied and not read */
/* a dump is named P.PID.dump; P, the number of the process image, has at least four digits */
#define SYT_DUMP_SUFFIX ".dump"
#define SYT_DIR_DEFAULT "syntrace.data"
/* least size of a dump: definitions, one thread and a small ring */
#define SYT_DUMP_LEAST_BYTES (UINT64_C(512) << 10)

/* clang-format off */
enum syt_kind {
#define KIND(name_, text_) SYT_KIND_##name_,
#include "format/kinds.def"
#undef KIND
	SYT_NR_KINDS
};

enum syt_shape {
#define SHAPE(name_, text_, stamp_, unsampled_) SYT_SHAPE_##name_,
#include "format/shapes.def"
#undef SHAPE
	SYT_NR_SHAPES
};
/* clang-format on */

enum syt_clock_source {
	SYT_CLOCK_TSC = 1,	/* x86-64 rdtsc, if the counter is invariant and the kernel trusts it */
	SYT_CLOCK_MONOTONIC = 2, /* CLOCK_MONOTONIC in ns */
	SYT_CLOCK_CNTVCT = 3,	/* aarch64 cntvct_el0 */
};

/* One instant, read from the clock that stamps events and, as close as possible, from the kernel's clocks. */
struct syt_clock_pair {
	uint64_t ticks;
	uint64_t mono_ns; /* CLOCK_MONOTONIC */
	uint64_t real_ns; /* CLOCK_REALTIME; 0 if it was not read */
};

enum syt_mode { SYT_MODE_RING = 0, SYT_MODE_STREAM = 1 };

enum syt_state {
	SYT_STATE_RUNNING = 1, /* the process runs or was killed: the header does not distinguish these states */
	SYT_STATE_EXITED = 2,  /* the process called exit() or _exit(), or returned from main */
	SYT_STATE_EXECED = 3,  /* exec replaced the process image */
};

/* Reasons why the recorder could not record an event or a definition. The file header counts each reason. */
/* clang-format off */
#define SYT_LOSSES(LOSS) \
	LOSS(NO_SPACE,  "no space left for the thread's events")          \
	LOSS(NO_SLOT,   "no room for the events of one more thread")      \
	LOSS(NESTED,    "signal handlers nested too deeply to record them") \
	LOSS(OBJECTS,   "more locks and other objects than fit into the trace (events kept, object unknown)") \
	LOSS(STACKS,    "more different call stacks than fit into the trace (events kept, stack cut)") \
	LOSS(ENDPOINTS, "more sockets and pipes than fit into the trace (events kept, offsets unknown)") \
	LOSS(META,      "no space left for the names of calls, threads and objects") \
	LOSS(TOO_LARGE, "an event too large for the trace")               \
	LOSS(FORK,      "a forked process that could not create its own trace file")
/* clang-format on */

enum syt_loss {
#define LOSS(name_, text_) SYT_LOSS_##name_,
	SYT_LOSSES(LOSS)
#undef LOSS
	SYT_NR_LOSSES
};

/* First page of a dump. The recorder writes it once at the start. Later it updates only the members marked `live`,
 * with single stores; the checksum does not cover these members. */
struct syt_file {
	uint64_t magic;
	uint16_t major, minor;
	uint32_t header_bytes; /* size of this struct when the recorder wrote it */
	uint32_t checksum;     /* XXH32, seed 0, of bytes [24, offsetof(live_begin)) */
	uint32_t page_bytes;   /* SYT_PAGE_BYTES */
	/* identity of the trace, host, boot and process image */
	uint8_t trace_id[16];
	uint8_t boot_id[16];
	char host[64];	/* NUL-terminated node name */
	char machine[16]; /* as in uname -m */
	uint32_t index; /* number of the process image in its trace (P) */
	uint32_t pid, ppid;
	uint32_t uid;
	uint64_t start_time;	/* start of the process: field 22 of /proc/self/stat, clock ticks since boot */
	/* number (P) of the process image that created this image by fork or exec, or UINT32_MAX */
	uint32_t parent_index;
	uint32_t clock_source;	/* enum syt_clock_source */
	/* nominal ticks per second; 0 if unknown: a reader calibrates with the clock pairs */
	uint64_t clock_hz;
	struct syt_clock_pair start; /* clock pair read when this dump was created */
	uint32_t mode;		/* enum syt_mode */
	uint32_t block_bytes;	/* maximum size of an uncompressed block of events */
	uint64_t ring_bytes;	/* maximum bytes of sealed (complete) blocks that the ring of one slot keeps */
	uint64_t capacity;	/* maximum size of this file in bytes */
	uint32_t tool_version;	/* major << 16 | minor << 8 | patch of the recorder */
	uint32_t reserved;
	uint64_t live_begin[0];
	/* all members from here on are live */
	uint64_t used;	/* end of the last allocated chunk, counted from the start of the file */
	uint64_t state; /* enum syt_state | exit status << 8 */
	uint64_t lost[16]; /* indexed by enum syt_loss */
	uint64_t nr_seals;
	uint64_t nr_syscalls; /* system calls that the recorder made after its start */
	/* clock pair rewritten when a block of events is complete; may be torn, so it is checked against `start` */
	struct syt_clock_pair latest;
	/* number of further connections like SYT_BLIND_TCP, for which no record was written */
	uint64_t nr_unseen_tcp;
	/* 1: recording was paused while the process ran; struct syt_trace contains the times of pauses */
	uint64_t was_paused;
};

enum syt_chunk_type {
	SYT_CHUNK_META = 1,	/* the chunk contains struct syt_meta records */
	/* the chunk contains an array of struct syt_stack_node; `first` is the id of the first node */
	SYT_CHUNK_STACKS = 2,
	/* the chunk is a struct syt_slot: the buffers (lanes) into which a thread now writes its events */
	SYT_CHUNK_SLOT = 3,
	/* the chunk contains complete (sealed) blocks of slot `owner`: each a struct syt_block and its payload,
	 * 8-byte aligned */
	SYT_CHUNK_BLOCKS = 4,
};

/* Header of every chunk. A chunk begins at a multiple of SYT_PAGE_BYTES. */
struct syt_chunk {
	uint32_t magic;
	uint16_t type;
	uint16_t version; /* version of the chunk's format: 1 */
	uint64_t bytes;	/* size of the chunk with this header, a multiple of SYT_PAGE_BYTES */
	uint32_t owner; /* number of the thread slot (SLOT, BLOCKS); 0 in other chunks */
	uint32_t checksum; /* XXH32 of `first`, with XXH32 (seed 0) of the 16 bytes from `type` to `owner` as its seed */
	uint64_t first;	/* STACKS: id of the first stack node; BLOCKS: 0 */
	/* live */
	uint64_t used;	/* META, BLOCKS: bytes used after this header; STACKS: number of nodes used */
	/* BLOCKS: number of times the chunk was filled from its start; grows by one when the ring reuses it */
	uint64_t generation;
	uint64_t nr_events; /* BLOCKS: number of events in the blocks written in this generation */
	uint64_t reserved;
};

/* One frame of a call stack. The id of a stack is the id of its innermost frame. `parent` is the id of the caller's
 * frame and is smaller than the frame's own id. Id 0 is the empty stack, for which no frame is written. */
struct syt_stack_node {
	uint32_t parent;
	/* id of the module (SYT_META_MODULE); 0: the address is in no module, and `offset` is absolute */
	uint16_t module;
	uint16_t check;	/* checksum, syt_stack_check(), of the other members */
	uint64_t offset; /* return address minus the module's load bias; the top bits are SYT_STACK_* */
};

#define SYT_STACK_TRUNCATED (UINT64_C(1) << 63) /* outer frames of the stack are missing */
/* a signal interrupted this frame: `offset` is the exact pc, not a return address */
#define SYT_STACK_SIGNAL (UINT64_C(1) << 62)
#define SYT_STACK_OFFSET (SYT_STACK_SIGNAL - 1)

static inline uint16_t syt_stack_check(uint32_t parent, uint16_t module, uint64_t offset)
{
	uint64_t h = (parent ^ ((uint64_t)module << 32) ^ offset) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint16_t)(h >> 48);
}

/* number of event buffers (lanes) in a slot: lane 0 is for the thread, lane n for a signal handler that interrupted
 * the recorder at depth n */
#define SYT_NR_LANES 3
#define SYT_LANE0_BYTES 65536u
#define SYT_LANEN_BYTES 16384u

/* Versions of the event encoding, format/event.h. The recorder writes SYT_EVENT_VERSION_CODED, and in a sampled dump
 * SYT_EVENT_VERSION_GHOSTS. Earlier recorders wrote SYT_EVENT_VERSION, and tests still do. SYT_EVENT_VERSION_MIN is the
 * oldest version that readers know. No release wrote version 4, which had no objects in turn. */
#define SYT_EVENT_VERSION_CODED 5u
#define SYT_EVENT_VERSION_GHOSTS 6u
#define SYT_EVENT_VERSION 2u
#define SYT_EVENT_VERSION_MIN 1u
#define SYT_EVENT_VERSION_IS_KNOWN(v_)                                                             \
	((v_) >= SYT_EVENT_VERSION_MIN && (v_) <= SYT_EVENT_VERSION_GHOSTS && (v_) != 4)

/* Version of a block of SYT_CODEC_COLUMNS, whose events have version 2: older decoders know no codec but a version. */
#define SYT_EVENT_VERSION_COLUMNS 3u

enum syt_codec { SYT_CODEC_RAW = 0, SYT_CODEC_LZ4 = 1, SYT_CODEC_COLUMNS = 2 };

#define SYT_NR_COMMON 12

/* Begin of the payload of a block of SYT_CODEC_COLUMNS, format/columns.h. */
struct syt_columns {
	uint32_t nr_events;  /* number of events whose bytes are sorted; the others follow as they are */
	uint32_t time_bytes; /* size of the part `times` */
	/* the most common values of the upper bytes of a gap (0) and of a duration (1) */
	uint8_t common[2][SYT_NR_COMMON];
};

/* Header of a block of events. This header precedes the payload of a complete (sealed) block. The same struct
 * describes the block that a thread is now filling, in a lane of its slot. A block can be decoded without any other
 * block. */
struct syt_block {
	uint32_t magic;
	uint16_t
		version; /* SYT_EVENT_VERSION_CODED, or an older version of the event encoding, format/event.h */
	uint8_t codec;	/* enum syt_codec */
	uint8_t lane;
	uint32_t thread; /* number of the thread (T) */
	uint32_t raw_bytes;	/* size of the encoded events before compression */
	uint32_t packed_bytes; /* size of the payload that follows this header */
	uint32_t nr_events;
	/* number, from 0, of the block's first event among the events of its thread and lane */
	uint64_t first_seq;
	uint64_t first_ticks; /* stamp from which the first event's time difference is counted */
	uint64_t last_ticks;  /* not before the greatest stamp of an event in the block */
	struct syt_clock_pair cal; /* clock pair read when the block was complete */
	uint32_t payload_checksum; /* XXH32, seed 0, of the payload of the block */
	uint32_t checksum;	/* XXH32, seed 0, of the preceding bytes of this header */
};

/* A lane: a buffer of a thread's slot, with the block that the thread is now filling. All members are live. */
struct syt_lane {
	struct syt_block block; /* header of this block: only thread, lane, first_seq and first_ticks are set */
	/* number of complete events << 32 | bytes of complete events in the lane's buffer */
	uint64_t committed;
	uint32_t offset;	/* position of the lane's buffer, counted from the start of the chunk */
	uint32_t bytes;		/* size of the lane's buffer */
};

/* The last call of a thread that had to wait. The call has not returned if the thread has no event with a stamp, or
 * an end, at `since` or later. All members are live. */
struct syt_waiting {
	/* ticks just before the call; 0 while the other members are written, and before the first wait */
	uint64_t since;
	uint32_t thread; /* number of the thread (T) */
	uint32_t call;
	uint32_t stack;
	uint32_t object, object2;
	uint32_t joined; /* number (T) plus one of the thread that a join waits for; 0: none, or unknown */
};

#define SYT_NR_IN_FLIGHT 8u

/* A call that moves bytes (or messages, or units of an eventfd) and has not returned: it is in progress, longjmp or
 * an exception left it, or its process has ended. The call may have moved any number of bytes; the counters of
 * the object do not contain them. All members are live. */
struct syt_in_flight {
	uint64_t position; /* the object's counter of bytes, messages or units when the call began */
	uint32_t object;	/* 0 for an unused entry */
	uint32_t is_out;	/* 1: the call sends; 0: the call receives */
};

/* Start of a SLOT chunk: a slot, into which only one thread at a time writes its events. After this thread ends,
 * another thread reuses the slot. */
struct syt_slot {
	struct syt_chunk chunk;
	uint32_t slot;	/* number of the slot */
	uint32_t tid;	/* tid of the thread that owns the slot now; 0: the slot is free */
	uint32_t thread; /* number (T) of the thread that owns the slot */
	uint32_t reserved;
	uint64_t overwritten; /* number of events in blocks that the ring has overwritten */
	uint64_t dropped;	/* number of events dropped because there was no memory for them */
	uint64_t sealed;	/* number of events in all blocks of this slot that were completed (sealed) */
	struct syt_lane lanes[SYT_NR_LANES];
	struct syt_waiting waiting; /* all 0 in dumps of older recorders */
	/* calls that have not returned; all 0 in dumps of older recorders */
	struct syt_in_flight in_flight[SYT_NR_IN_FLIGHT];
	/* The number of the pause of recording, from 1, in which the slot's thread began calls but for which it has
	 * not yet written a struct syt_meta_returned; 0: none. The member is live. */
	uint32_t skipped;
	uint32_t reserved1;
};

/* ---- records of META chunks: definitions of calls, threads, objects ... ---- */

enum syt_meta_type {
	SYT_META_CALL = 1,	/* struct syt_meta_call */
	SYT_META_TEXT = 2,	/* struct syt_meta_text */
	SYT_META_MODULE = 3,	/* struct syt_meta_module */
	SYT_META_UNMAP = 4,	/* struct syt_meta_unmap */
	SYT_META_THREAD = 5,	/* struct syt_meta_thread */
	SYT_META_OBJECT = 6,	/* struct syt_meta_object */
	SYT_META_ENDPOINT = 7, /* struct syt_meta_endpoint */
	SYT_META_CLOCK = 8,	/* struct syt_clock_pair */
	SYT_META_BLIND = 9,	/* struct syt_meta_blind */
	SYT_META_RETURNED = 10, /* struct syt_meta_returned */
	SYT_META_CALLS = 11,	/* struct syt_meta_calls */
	SYT_META_ORIGIN = 12,	/* struct syt_meta_origin */
	SYT_META_LEFT_OUT = 13, /* struct syt_meta_left_out */
};

/* Header of a record. Records are 8-byte aligned and never span chunks. */
struct syt_meta {
	uint16_t magic; /* the recorder stores this member last: a record with the magic is complete */
	uint16_t type;
	uint32_t bytes; /* size of this header and the payload, without padding to 8 */
	uint32_t checksum; /* XXH32 of the payload, with the seed `type` */
	uint32_t reserved;
};

/* An entry of the recorder's call table. The decoder looks up the calls of a dump by these names, because the
 * numbers differ between releases. */
struct syt_meta_call {
	uint16_t call;
	uint8_t shape, kind;
	uint32_t reserved;
	/* the name of the call follows, without NUL */
};

/* Several entries of the recorder's call table, with consecutive call numbers from `first`. */
struct syt_meta_calls {
	uint16_t first;
	uint16_t nr;
	uint32_t reserved;
	/* for each call follow one byte for the shape, one byte for the kind, and the name with its NUL */
};

enum syt_text {
	SYT_TEXT_EXE = 1,	/* path of the executable */
	SYT_TEXT_ARGV = 2,	/* arguments, each with its NUL */
	SYT_TEXT_CWD = 3,
	SYT_TEXT_THREAD_NAME = 4, /* name of the thread with number `subject` */
	SYT_TEXT_LIBC = 5,	/* gnu_get_libc_version() */
	SYT_TEXT_VDSO = 6,
	SYT_TEXT_OBJECT_NAME = 7, /* name of the sync object with id `subject`, for example of a named semaphore */
	SYT_TEXT_NOTE = 8,	/* a message for the user, for example why recording stopped */
	/* pids of the process in all its pid namespaces, outermost first, if it has several */
	SYT_TEXT_PIDS = 9,
	SYT_TEXT_SAMPLER = 10, /* the sampler, as in SYNTRACE_SAMPLE; absent: the recorder does not sample */
};

struct syt_meta_text {
	uint32_t what;	/* enum syt_text */
	uint32_t subject;
	/* the bytes of the text follow, without NUL */
};

struct syt_meta_module {
	uint32_t id;	/* id of the module, from 1 */
	uint32_t build_id_bytes;
	uint64_t start, end; /* begin and end of the mapped addresses */
	uint64_t bias;	/* load bias: address in memory - address in the file's symbol table */
	uint64_t ticks; /* ticks at which the recorder first saw the module or object */
	/* the build-id follows, then the path without NUL */
};

struct syt_meta_unmap {
	uint32_t id;
	uint32_t reserved;
	uint64_t ticks;
};

struct syt_meta_thread {
	uint32_t thread; /* number of the thread (T), from 0 in order of creation */
	uint32_t tid;
	uint32_t creator; /* number (T) of the creating thread, or UINT32_MAX */
	uint32_t slot;
	uint64_t ticks; /* ticks at which the recorder registered the thread */
	uint64_t handle; /* the thread's pthread_t */
};

#define SYT_OBJECT_SHARED 1u  /* the object has the same identity in all processes of the trace */
/* the object is in shared memory of unknown identity: a decoder must not match its events across threads */
#define SYT_OBJECT_PRESHARED 2u
#define SYT_OBJECT_ADOPTED 4u /* the endpoint is older than its registration (inherited fd): its byte offsets count
				   from the registration; an event without a meaningful offset has the flag
				   SYT_EVENT_NOOFFSET */
/* the object is a semaphore, and `fd` is its value when first seen, before any recorded operation on it */
#define SYT_OBJECT_VALUE 8u
/* besides SYT_OBJECT_SHARED: the identity is a number of the trace, which in other traces means other objects */
#define SYT_OBJECT_IN_TRACE 16u

/* A sync object, to which the `object` of an event refers. */
struct syt_meta_object {
	uint32_t object; /* id of the object, from 1 */
	uint8_t kind;
	uint8_t reserved0;
	uint16_t flags; /* bits SYT_OBJECT_* */
	/* number, from 0, of the object among the objects that used the same address or fd one after the other */
	uint32_t generation;
	uint32_t fd;	/* fd when the recorder first saw the object, or UINT32_MAX; see SYT_OBJECT_VALUE */
	uint64_t identity; /* address, socket cookie, pipe inode, or a number that is unique in the trace */
	uint64_t ticks;	/* ticks at which the recorder first saw the module or object */
};

/* The first recorded use of a sync object. The decoder names the object by this call stack. */
struct syt_meta_origin {
	uint32_t object;
	uint32_t stack; /* id of the call stack, not 0 */
};

/* Number of calls that the recorder has left out at a site of a thread. The recorder writes it when the site loses its
 * entry in struct syt_sampling. */
struct syt_meta_left_out {
	uint32_t thread; /* number of the thread (T) */
	uint32_t stack;	/* id of the call stack of the site; 0: unknown */
	uint16_t call;
	uint16_t site;	/* number of the entry */
	uint32_t number; /* number of this record among those of the slot, from 1 */
	uint64_t left_out;
};

#define SYT_ADDRESS_BYTES 128 /* maximum size of one socket address */

/* The known facts of an endpoint (socket, pipe, ...). A later record for the same object replaces an earlier
 * record. The local and the remote socket address follow; each is a struct sockaddr from the kernel, local_bytes
 * and remote_bytes long. */
struct syt_meta_endpoint {
	uint32_t object;
	uint16_t domain, type, protocol; /* AF_*, SOCK_*, IPPROTO_*; 0 if the endpoint is not a socket */
	uint16_t local_bytes, remote_bytes;
	uint16_t reserved0;
	uint32_t peer_object; /* object id of the other end, if one call created both ends (socketpair) */
	uint32_t peer_pid; /* pid of the peer from SO_PEERCRED, for unix sockets */
	uint64_t dev, inode, cookie;
	uint64_t netns;	/* cookie of the network namespace */
	uint64_t tx, rx;	/* counters of sent and received bytes when the recorder registered the endpoint */
	/* local_bytes of the local address follow, then remote_bytes of the remote address */
};

/* A blind spot: an activity of the program that the recorder cannot record. */
enum syt_blind {
	SYT_BLIND_IO_URING = 1,
	SYT_BLIND_EXEC_STATIC = 2,
	SYT_BLIND_EXEC_SECURE = 3,
	SYT_BLIND_EXEC_CLASS = 4,	/* the program has another ELF class or machine */
	SYT_BLIND_DEEPBIND = 5,
	SYT_BLIND_SECCOMP = 6,
	SYT_BLIND_RAW_CLONE = 7,
	/* the program uses another dynamic loader, such as musl's, or a glibc that is too old */
	SYT_BLIND_EXEC_LIBC = 8,
	SYT_BLIND_EXEC_CONFINED = 9, /* seccomp forbids the system calls that start the recorder */
	SYT_BLIND_CLOCK = 10,	/* since then the event clock stands still, and stamps only count events */
	SYT_BLIND_EXEC_PLACE = 11, /* the recorder or the trace is unreachable: chroot, another user */
	SYT_BLIND_EXEC_32BIT = 12, /* written as SYT_BLIND_EXEC_CLASS in older dumps */
	SYT_BLIND_EXEC_MUSL = 13, /* written as SYT_BLIND_EXEC_LIBC in older dumps */
	SYT_BLIND_TCP = 14,	/* a connection that moved more bytes than were counted */
	SYT_BLIND_GO = 15,	/* a program or library of Go, whose runtime calls the kernel itself */
};

struct syt_meta_blind {
	uint32_t what; /* enum syt_blind */
	uint32_t thread; /* number of the thread (T) */
	uint64_t ticks;
	/* a text without NUL follows, for example the program's path */
};

/* During a pause of recording, the thread made calls that were not recorded; it had returned from all of them by
 * TICKS. Calls on locks, and calls that order no threads, are ignored here. TICKS is UINT64_MAX if the thread did
 * not return before it made such a call in a later pause. */
struct syt_meta_returned {
	uint32_t thread; /* number of the thread (T) */
	uint32_t pause;	/* number of the pause, from 1 */
	uint64_t ticks;
};

/* ---- the file `trace`, shared by all processes of a trace ---- */

#define SYT_NR_ENDPOINT_SLOTS (1u << 18)
#define SYT_NR_TRACE_PROCESSES 4096u

/* Byte counters of one endpoint, shared by all processes that hold it. refs is the number of these processes. When
 * refs falls to 0, the counters stay until another endpoint needs the slot, because the endpoint may be on its way
 * to another process (SCM_RIGHTS, exec). `state` is generation << 32 | SYT_ENDPOINT_* | refs. A counter is
 * (generation & 0xffff) << 48 | count: a process that counts for an earlier endpoint in this slot thus notices its
 * mistake. */
struct syt_endpoint_slot {
	uint64_t key;	/* hash of the endpoint's kind and its cookie or inode; 0: the slot was never used */
	uint64_t tx, rx; /* numbers of bytes, messages or units sent (tx) and received (rx) */
	/* generation << 32 | SYT_ENDPOINT_* | refs; refs: number of traced processes that hold the endpoint */
	uint64_t state;
};

#define SYT_ENDPOINT_REFS UINT64_C(0x00ffffff)
#define SYT_ENDPOINT_CLAIMED (UINT64_C(1) << 31) /* a process is initializing the slot */
#define SYT_ENDPOINT_ADOPTED (UINT64_C(1) << 30) /* the endpoint is older than its registration by the recorder */
#define SYT_ENDPOINT_UNKNOWN (UINT64_C(1) << 29) /* the counters of the endpoint are meaningless */
/* the program moved urgent bytes, which the counters do not contain */
#define SYT_ENDPOINT_BESIDE (UINT64_C(1) << 28)
/* calls that no wrapper counted have moved bytes, so the counters must be learned again (format/slot.h); also
 * SYT_ENDPOINT_UNKNOWN */
#define SYT_ENDPOINT_STALE (UINT64_C(1) << 27)
#define SYT_ENDPOINT_CLASS 7u /* the bits of `key` for the source of the identity */
#define SYT_ENDPOINT_SYSV 5u /* class of a System V message queue; all calls on it are counted */
#define SYT_ENDPOINT_LEARNED (UINT64_C(1) << 26) /* the slot was stale before, with the same owner */
#define SYT_ENDPOINT_COUNT ((UINT64_C(1) << 48) - 1)

#define SYT_NR_REQUESTS 1024u

enum syt_request_state {
	SYT_REQUEST_FREE = 0,
	SYT_REQUEST_BUSY = 1, /* a process is writing the request */
	SYT_REQUEST_POSTED = 2,
};

/* A request of a traced process to `syntrace record`: which socket is the peer of this unix socket? The traced
 * process cannot ask the kernel, because the recorder must not hold an fd in it. `syntrace record` writes the
 * answer to the file `peers`. */
struct syt_request {
	uint32_t state; /* enum syt_request_state */
	uint32_t pid;
	uint32_t fd;
	uint32_t reserved0;
	uint64_t cookie, inode, netns; /* cookie, inode and network namespace of the socket */
	uint64_t reserved[3];
};

#define SYT_NR_HOLDERS 1024u

/* An fd of a traced process for an object that the kernel cannot name. If an fd arrives in another process by an
 * unrecorded path, the recorder compares it with this fd (kcmp). */
struct syt_holder {
	/* pid << 32 | fd + 1; without the fd part: the entry is being written; 0: the entry is free; live */
	uint64_t who;
	uint64_t identity; /* identity of the object */
	uint64_t pid_ns; /* inode of the pid namespace of the pid */
	uint64_t since; /* time in ns at which the process's directory in /proc was created */
	uint32_t kind; /* enum syt_kind */
	uint32_t flags; /* flags of the endpoint */
};

#define SYT_NR_MARKS 1024u

/* A release in a kept turn of a sampled process: the acquire that it ends is kept, too (runtime/mark.h). */
struct syt_shared_mark {
	uint64_t key;  /* hash of the object's identity in the trace; live */
	uint64_t word; /* runtime/mark.c; 0: the entry is free; live */
};

/* A pause of recording: begin and end by CLOCK_MONOTONIC, and in ticks of the TSC or of cntvct_el0. The pause
 * begins before any process can read its number in `control`, and ends after all of them have read the new
 * value. */
struct syt_pause {
	uint64_t from_ns, from_ticks;
	uint64_t to_ns, to_ticks; /* end of the pause; 0: recording is still paused */
};

/* The table of pauses is a ring: pause N, counted from 1, is the entry (N - 1) % SYT_NR_PAUSES. The entry after
 * the newest one may be overwritten at any time, so a reader knows the last SYT_NR_PAUSES - 1 pauses. */
#define SYT_NR_PAUSES 96u
#define SYT_MOST_PAUSES 0x3ffffff0u /* greatest number of a pause; beyond it, the file is damaged */
#define SYT_CONTROL_DEEP 0x40000000u /* bit of `control`: the calls that move bytes are not counted */
#define SYT_CONTROL_SAMPLED 0x80000000u /* value of `control` if recording is not paused, but a sampler selects calls */
#define SYT_SAMPLER_TEXT_BYTES 128
#define SYT_DEADLINE_PASSES UINT64_C(1)
#define SYT_CONTROL_AT 128 /* offset of `control` in struct syt_trace; also for the assembler */

enum syt_bound { /* the limit that determines the maximum size of a dump */
	SYT_BOUND_WANTED = 0,	/* the size that the user requested (SYNTRACE_MAX_SIZE) */
	SYT_BOUND_DISK = 1,	/* half of the free space of the file system */
	SYT_BOUND_FILE_SIZE = 2, /* RLIMIT_FSIZE */
	SYT_BOUND_ADDRESSES = 3, /* a quarter of RLIMIT_AS, or the size that could be mapped */
};

/* The reason why a process image could open no dump. */
struct syt_refusal {
	uint32_t pid;
	uint32_t error; /* errno of the failure */
	uint32_t bound; /* enum syt_bound; valid if `room` is less than `least` */
	uint32_t reserved;
	uint64_t room;	/* maximum bytes that the dump could have taken */
	uint64_t least; /* minimum bytes that a dump needs */
};

/* The `trace` file, which every process of the trace maps. The file is sparse. */
struct syt_trace {
	uint64_t magic;
	uint16_t major, minor;
	uint32_t header_bytes;
	uint8_t trace_id[16];
	uint8_t boot_id[16];
	uint64_t real_ns; /* time at which the trace was created (CLOCK_REALTIME) */
	uint32_t nr_processes; /* number (P) that the next process image of the trace gets; live */
	uint32_t reserved;
	uint64_t next_identity; /* next unused identity for an object in the whole trace; live */
	uint32_t nr_refused; /* number of process images that could open no dump; live */
	uint32_t copied; /* number of the pause that is the time of a copy by syntrace snapshot; 0: none */
	struct syt_refusal refusal; /* reason of the first process image that could open no dump; live */
	uint8_t reserved1[SYT_CONTROL_AT - 112];
	/* number of the present pause of recording, from 1, with SYT_CONTROL_DEEP in a deep pause; 0: none; SYT_CONTROL_SAMPLED:
	 * none, and the calls are sampled. Every intercepted call reads it; live */
	uint32_t control;
	uint32_t nr_pauses; /* number of all pauses, also of those that the ring has dropped; live */
	struct syt_pause pauses[SYT_NR_PAUSES];
	/* Time by CLOCK_MONOTONIC in ns at which the recorder begins a pause itself (syntrace resume --for); 0: never;
	 * SYT_DEADLINE_PASSES: a thread is beginning this pause; live. */
	uint64_t deadline_ns;
	uint32_t unpaused; /* value of `control` while recording is not paused: 0 or SYT_CONTROL_SAMPLED */
	uint32_t is_shadow; /* 1: the recorder records all calls and marks those that the sampler does not select */
	char sampler[SYT_SAMPLER_TEXT_BYTES]; /* the sampler of all processes, NUL-terminated; empty: none */
	uint8_t reserved4[736]; /* format/budget.h; fills the page with the next members */
	uint32_t deepness; /* SYT_CONTROL_DEEP if the pauses that the recorder begins itself are deep, else 0; live */
	/* changes when a deep pause begins, and when a thread has returned from its last uncounted call of one; live */
	uint32_t nr_uncounted;
	/* [P]: pid of the process image P while it records, 0 after a regular end; live */
	uint32_t pids[SYT_NR_TRACE_PROCESSES];
	struct syt_endpoint_slot endpoints[SYT_NR_ENDPOINT_SLOTS];
	uint32_t answerer; /* pid of the syntrace record that answers requests, or 0; live */
	uint32_t bell; /* number of requests so far, used as a futex; live */
	uint32_t is_asleep; /* syntrace record waits on the futex `bell`; live */
	uint32_t reserved2;
	uint8_t reserved3[SYT_PAGE_BYTES - 16];
	struct syt_request requests[SYT_NR_REQUESTS];
	struct syt_holder holders[SYT_NR_HOLDERS];
	struct syt_shared_mark marks[SYT_NR_MARKS];
};

/* ---- the file `peers` of a trace ---- */

/* Header of the file `peers`. struct syt_peer records follow up to the end of the file. */
struct syt_peers {
	uint64_t magic;
	uint16_t major, minor;
	uint32_t header_bytes;
	uint8_t trace_id[16];
	uint8_t boot_id[16];
};

/* Begin of a copy of a map file of perf. The text of the file follows. */
struct syt_saved_map {
	uint64_t magic;
	uint16_t major, minor;
	uint32_t header_bytes;
	uint8_t trace_id[16];
};

/* Two unix sockets that were connected to each other. */
struct syt_peer {
	uint32_t magic;
	uint32_t checksum; /* XXH32, seed 0, of the members after this one */
	uint64_t cookie, inode; /* cookie and inode of the socket in the request */
	uint64_t peer_cookie; /* cookie of the peer; 0 if the socket was closed before the kernel answered */
	uint64_t peer_inode;
	uint64_t netns;
};

_Static_assert(sizeof(struct syt_chunk) == 64, "chunk header");
_Static_assert(sizeof(struct syt_stack_node) == 16, "stack node");
_Static_assert(sizeof(struct syt_block) == 80, "block header");
_Static_assert(sizeof(struct syt_columns) == 32, "header of columns");
_Static_assert(sizeof(struct syt_lane) == 96, "lane");
_Static_assert(sizeof(struct syt_waiting) == 32, "waiting");
_Static_assert(sizeof(struct syt_in_flight) == 16, "in flight");
_Static_assert(sizeof(struct syt_slot) <= SYT_PAGE_BYTES, "slot header fits in a page");
_Static_assert(sizeof(struct syt_file) <= SYT_PAGE_BYTES, "file header fits in a page");
_Static_assert(sizeof(struct syt_meta) == 16, "meta header");
_Static_assert(sizeof(struct syt_meta_object) == 32, "object");
_Static_assert(sizeof(struct syt_endpoint_slot) == 32, "endpoint slot");
_Static_assert(sizeof(struct syt_meta_endpoint) == 72, "endpoint");
_Static_assert(sizeof(struct syt_pause) == 32, "pause");
_Static_assert(sizeof(struct syt_meta_left_out) == 24, "calls left out");
_Static_assert(offsetof(struct syt_trace, control) == SYT_CONTROL_AT, "control");
_Static_assert(SYT_CONTROL_DEEP == 1u << 30 && SYT_MOST_PAUSES < SYT_CONTROL_DEEP, "deep pauses");
_Static_assert(offsetof(struct syt_trace, pids) == SYT_PAGE_BYTES, "shared header is a page");
_Static_assert(offsetof(struct syt_trace, endpoints) % SYT_PAGE_BYTES == 0, "slots fill whole pages");
_Static_assert(offsetof(struct syt_trace, requests) % SYT_PAGE_BYTES == 0, "requests fill whole pages");
_Static_assert(sizeof(struct syt_refusal) == 32, "refusal");
_Static_assert(sizeof(struct syt_request) == 64, "request");
_Static_assert(sizeof(struct syt_holder) == 40, "holder");
_Static_assert(offsetof(struct syt_trace, holders) % SYT_PAGE_BYTES == 0, "holders fill whole pages");
_Static_assert(sizeof(struct syt_saved_map) == 32, "header of a saved map");
_Static_assert(sizeof(struct syt_peers) == 48, "peers header");
_Static_assert(sizeof(struct syt_peer) == 48, "peer");
_Static_assert(SYT_NR_LOSSES <= 16, "loss counters");

#endif
