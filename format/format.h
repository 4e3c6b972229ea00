/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The dump: the data that the recorder writes and the decoder reads. It is defined only here.
 *
 * A trace is a directory. It contains one `trace` file, which all processes of the trace share (struct syt_trace),
 * and one dump per process image. A dump is one header page (struct syt_file) followed by chunks. Each chunk begins
 * with a struct syt_chunk at a multiple of SYT_PAGE_BYTES. The comments of the structs below describe the kinds of
 * chunk. doc/format.md describes the same in prose.
 *
 * Rules of change: Numbers are little-endian. Fields are appended; they are never moved and never get a new meaning.
 * A reader skips chunks, records and event fields that it does not know. `major` changes only if an old reader would
 * read wrong data. Upgrades are in one place (decoder/read/record.c).
 *
 * This header may use <stdint.h> and <stddef.h> only, and holds no state.
 */
#ifndef SYT_FORMAT_FORMAT_H
#define SYT_FORMAT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define SYT_FORMAT_MAJOR 1
#define SYT_FORMAT_MINOR 0

#define SYT_FILE_MAGIC UINT64_C(0x0a45434152544e53)  /* "SNTRACE\n" */
#define SYT_TRACE_MAGIC UINT64_C(0x0a45524148534e53) /* "SNSHARE\n" */
#define SYT_PEERS_MAGIC UINT64_C(0x0a53524545504e53) /* "SNPEERS\n" */
#define SYT_PEER_MAGIC UINT32_C(0x45505953)          /* "SYPE" */
#define SYT_CHUNK_MAGIC UINT32_C(0x4b435953)         /* "SYCK" */
#define SYT_BLOCK_MAGIC UINT32_C(0x4c425953)         /* "SYBL" */
#define SYT_META_MAGIC UINT16_C(0x4d53)              /* "SM" */

#define SYT_PAGE_BYTES 4096u
#define SYT_TRACE_NAME "trace"      /* the shared file of a trace directory */
#define SYT_PEERS_NAME "peers"      /* pairs of connected sockets, which syntrace record learned from the kernel */
#define SYT_DUMP_SUFFIX ".dump"     /* a dump is named P.PID.dump, P with at least four digits */
#define SYT_DIR_DEFAULT "syntrace.data"
#define SYT_DUMP_LEAST_BYTES (UINT64_C(512) << 10) /* room that a dump needs: definitions, a thread, a small ring */

/* clang-format off */
enum syt_kind {
#define KIND(name_, text_) SYT_KIND_##name_,
#include "format/kinds.def"
#undef KIND
	SYT_NR_KINDS
};

enum syt_shape {
#define SHAPE(name_, text_, stamp_) SYT_SHAPE_##name_,
#include "format/shapes.def"
#undef SHAPE
	SYT_NR_SHAPES
};
/* clang-format on */

enum syt_clock_source {
	SYT_CLOCK_TSC = 1,	/* x86-64 rdtsc, invariant and trusted by the kernel */
	SYT_CLOCK_MONOTONIC = 2, /* CLOCK_MONOTONIC in ns */
	SYT_CLOCK_CNTVCT = 3,	/* aarch64 cntvct_el0 */
};

/* One instant, read from the event clock and, as close as possible, from the kernel's clocks. */
struct syt_clock_pair {
	uint64_t ticks;
	uint64_t mono_ns; /* CLOCK_MONOTONIC */
	uint64_t real_ns; /* CLOCK_REALTIME; 0 if it was not read */
};

enum syt_mode { SYT_MODE_RING = 0, SYT_MODE_STREAM = 1 };

enum syt_state {
	SYT_STATE_RUNNING = 1, /* or killed: the header does not distinguish them */
	SYT_STATE_EXITED = 2,  /* exit(), _exit(), return from main */
	SYT_STATE_EXECED = 3,  /* replaced by exec */
};

/* Reasons for missing records. Each is a counter in the file header. */
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

/* First page of a dump. It is written once at the start. The members marked `live` are updated with single stores and
 * are outside the checksum. */
struct syt_file {
	uint64_t magic;
	uint16_t major, minor;
	uint32_t header_bytes; /* size of this struct in the recorder that wrote it */
	uint32_t checksum;     /* XXH32, seed 0, of bytes [24, offsetof(live_begin)) */
	uint32_t page_bytes;   /* SYT_PAGE_BYTES */
	/* identity: of the trace, host, boot and process image */
	uint8_t trace_id[16];
	uint8_t boot_id[16];
	char host[64];	/* NUL-terminated node name */
	char machine[16]; /* as in uname -m */
	uint32_t index; /* P */
	uint32_t pid, ppid;
	uint32_t uid;
	uint64_t start_time;	/* process start, field 22 of /proc/self/stat, clock ticks since boot */
	uint32_t parent_index;	/* P of the image that forked or executed this image, or UINT32_MAX */
	uint32_t clock_source;	/* enum syt_clock_source */
	uint64_t clock_hz;	/* nominal ticks per second; 0 if unknown: calibrate with the clock pairs */
	struct syt_clock_pair start; /* at the creation of this dump */
	uint32_t mode;		/* enum syt_mode */
	uint32_t block_bytes;	/* capacity of a raw block */
	uint64_t ring_bytes;	/* maximal bytes of sealed blocks in one slot */
	uint64_t capacity;	/* maximal bytes of this file */
	uint32_t tool_version;	/* major << 16 | minor << 8 | patch of the recorder */
	uint32_t reserved;
	uint64_t live_begin[0];
	/* live from here on */
	uint64_t used;	/* end of the last chunk allocated, from the start of the file */
	uint64_t state; /* enum syt_state | exit status << 8 */
	uint64_t lost[16]; /* indexed by enum syt_loss */
	uint64_t nr_seals;
	uint64_t nr_syscalls; /* made by the recorder after its start */
	struct syt_clock_pair latest; /* rewritten at every seal; may be torn, so check it against `start` */
	uint64_t nr_unseen_tcp; /* further connections like SYT_BLIND_TCP, without a note */
	uint64_t was_paused; /* 1: recording was paused while the process ran; struct syt_trace has the times */
};

enum syt_chunk_type {
	SYT_CHUNK_META = 1,	/* struct syt_meta records */
	SYT_CHUNK_STACKS = 2, /* struct syt_stack_node array; `first` is the id of the first node */
	SYT_CHUNK_SLOT = 3,	/* struct syt_slot: the lanes into which threads write now */
	SYT_CHUNK_BLOCKS = 4, /* sealed blocks of slot `owner`: struct syt_block + payload, 8-byte aligned */
};

/* Start of every chunk, at a multiple of SYT_PAGE_BYTES. */
struct syt_chunk {
	uint32_t magic;
	uint16_t type;
	uint16_t version; /* 1 */
	uint64_t bytes;	/* whole chunk with this header, a multiple of SYT_PAGE_BYTES */
	uint32_t owner; /* slot number; 0 otherwise */
	uint32_t checksum; /* XXH32 of `first`, with XXH32 (seed 0) of the 16 bytes from `type` to `owner` as its seed */
	uint64_t first;	/* STACKS: id of the first node; BLOCKS: 0 */
	/* live */
	uint64_t used;	/* bytes used after this header (META, BLOCKS) or nodes used (STACKS) */
	uint64_t generation; /* BLOCKS: number of starts of the chunk; grows by one with each reuse */
	uint64_t nr_events; /* BLOCKS: events in the sealed blocks of this generation */
	uint64_t reserved;
};

/* One frame of a call stack. A stack id names its innermost frame. `parent` is the id of the caller's frame and is
 * smaller than the frame's own id. Id 0 is the empty stack and is never written. */
struct syt_stack_node {
	uint32_t parent;
	uint16_t module; /* META_MODULE id; 0: address in no module, and `offset` is absolute */
	uint16_t check;	/* syt_stack_check() of the other members */
	uint64_t offset; /* return address minus the module's load bias; top bits: SYT_STACK_* */
};

#define SYT_STACK_TRUNCATED (UINT64_C(1) << 63) /* outer frames are missing */
#define SYT_STACK_SIGNAL (UINT64_C(1) << 62)	/* interrupted here by a signal: the exact pc, not a return address */
#define SYT_STACK_OFFSET (SYT_STACK_SIGNAL - 1)

static inline uint16_t syt_stack_check(uint32_t parent, uint16_t module, uint64_t offset)
{
	uint64_t h = (parent ^ ((uint64_t)module << 32) ^ offset) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint16_t)(h >> 48);
}

#define SYT_NR_LANES 3	/* lane 0: the thread; lane n: a signal handler that interrupted the recorder at depth n */
#define SYT_LANE0_BYTES 65536u
#define SYT_LANEN_BYTES 16384u

enum syt_codec { SYT_CODEC_RAW = 0, SYT_CODEC_LZ4 = 1 };

/* Header of a block of events. The struct precedes a sealed block. It also describes the block that is being written in
 * a lane of a slot. A block can be decoded without any other block. */
struct syt_block {
	uint32_t magic;
	uint16_t version; /* of the event encoding in the block: 1, format/event.h */
	uint8_t codec;	/* enum syt_codec */
	uint8_t lane;
	uint32_t thread; /* T */
	uint32_t raw_bytes;	/* bytes of encoded events */
	uint32_t packed_bytes; /* bytes of payload that follow this header */
	uint32_t nr_events;
	uint64_t first_seq;	/* number of the first event in its (thread, lane), from 0 */
	uint64_t first_ticks; /* base of the first event's time difference */
	uint64_t last_ticks;	/* greatest stamp in the block */
	struct syt_clock_pair cal; /* read when the block was sealed */
	uint32_t payload_checksum; /* XXH32, seed 0, of the payload */
	uint32_t checksum;	/* XXH32, seed 0, of the preceding bytes of this header */
};

/* One lane of a slot.  Live. */
struct syt_lane {
	struct syt_block block; /* thread, lane, first_seq, first_ticks of the block being written */
	uint64_t committed;	/* nr_events << 32 | bytes of complete events in the lane's buffer */
	uint32_t offset;	/* of the lane's buffer, from the start of the chunk */
	uint32_t bytes;		/* its capacity */
};

/* The last call that had to wait. The call has not returned if its thread has no event with a stamp, or an end, at
 * `since` or later. Live. */
struct syt_waiting {
	uint64_t since;	/* ticks: the call's `in`; 0 while the other members are written, and before the first wait */
	uint32_t thread; /* T */
	uint32_t call;
	uint32_t stack;
	uint32_t object, object2;
	uint32_t joined; /* T + 1 of the thread that is being joined; 0: none, or unknown */
};

#define SYT_NR_IN_FLIGHT 8u

/* A call that moves bytes (units, messages) and has not returned: longjmp or an exception left it, its process has
 * ended, or it is in progress. It may have moved any amount, which is not counted. Live. */
struct syt_in_flight {
	uint64_t position; /* value of the object's counter when the call began */
	uint32_t object;	/* 0 for an unused entry */
	uint32_t is_out;	/* 1: it sends; 0: it receives */
};

/* Start of a SLOT chunk, into which one thread at a time writes. A slot is reused after its thread ends. */
struct syt_slot {
	struct syt_chunk chunk;
	uint32_t slot;	/* number */
	uint32_t tid;	/* kernel id of the thread that owns the slot now; 0: free */
	uint32_t thread; /* T of that thread */
	uint32_t reserved;
	uint64_t overwritten; /* events in blocks that the ring has overwritten */
	uint64_t dropped;	/* events for which there was no memory */
	uint64_t sealed;	/* events in all blocks that were sealed in this slot */
	struct syt_lane lanes[SYT_NR_LANES];
	struct syt_waiting waiting; /* all 0 in dumps of older recorders */
	struct syt_in_flight in_flight[SYT_NR_IN_FLIGHT]; /* likewise */
	/* The number of the pause, from 1, in which the slot's thread made calls without a struct syt_meta_returned
	 * yet; 0: none. Live. */
	uint32_t skipped;
	uint32_t reserved1;
};

/* ---- definitions: records of META chunks ---- */

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
};

/* Header of a record. Records are 8-byte aligned and never span chunks. */
struct syt_meta {
	uint16_t magic; /* stored last: its presence marks a complete record */
	uint16_t type;
	uint32_t bytes; /* of this header and the payload, without padding to 8 */
	uint32_t checksum; /* XXH32, seed = type, of the payload */
	uint32_t reserved;
};

/* An entry of the recorder's call table, by which a dump is read by names and not by numbers. */
struct syt_meta_call {
	uint16_t call;
	uint8_t shape, kind;
	uint32_t reserved;
	/* then the name, without NUL */
};

/* The same of several calls, numbered one after the other. */
struct syt_meta_calls {
	uint16_t first;
	uint16_t nr;
	uint32_t reserved;
	/* then for each: one byte shape, one byte kind, the name with its NUL */
};

enum syt_text {
	SYT_TEXT_EXE = 1,	/* path of the executable */
	SYT_TEXT_ARGV = 2,	/* arguments, each with its NUL */
	SYT_TEXT_CWD = 3,
	SYT_TEXT_THREAD_NAME = 4, /* subject: T */
	SYT_TEXT_LIBC = 5,	/* gnu_get_libc_version() */
	SYT_TEXT_VDSO = 6,
	SYT_TEXT_OBJECT_NAME = 7, /* subject: object id; for example of a named semaphore */
	SYT_TEXT_NOTE = 8,	/* a note for the user, for example why recording stopped */
	SYT_TEXT_PIDS = 9,	/* the pids in all its pid namespaces, outermost first, if there are several */
};

struct syt_meta_text {
	uint32_t what;	/* enum syt_text */
	uint32_t subject;
	/* then the bytes, without NUL */
};

struct syt_meta_module {
	uint32_t id;	/* from 1 */
	uint32_t build_id_bytes;
	uint64_t start, end; /* mapped addresses */
	uint64_t bias;	/* load bias: address in memory - address in the file's symbol table */
	uint64_t ticks; /* time of first sight */
	/* then the build-id, then the path without NUL */
};

struct syt_meta_unmap {
	uint32_t id;
	uint32_t reserved;
	uint64_t ticks;
};

struct syt_meta_thread {
	uint32_t thread; /* T, from 0 in order of creation */
	uint32_t tid;
	uint32_t creator; /* T of the creating thread, or UINT32_MAX */
	uint32_t slot;
	uint64_t ticks; /* time of the thread's registration */
	uint64_t handle; /* pthread_t */
};

#define SYT_OBJECT_SHARED 1u  /* the identity is the same in all processes of the trace */
#define SYT_OBJECT_PRESHARED 2u /* in shared memory of unknown identity: never match across threads */
#define SYT_OBJECT_ADOPTED 4u /* older than its registration (inherited fd): offsets are relative to it;
				   events without a meaningful offset carry SYT_EVENT_NOOFFSET */
#define SYT_OBJECT_VALUE 8u /* a semaphore: `fd` is its value at first sight, before any recorded operation on it */

/* A sync object, to which the `object` of an event refers. */
struct syt_meta_object {
	uint32_t object; /* id, from 1 */
	uint8_t kind;
	uint8_t reserved0;
	uint16_t flags; /* SYT_OBJECT_* */
	uint32_t generation; /* of this identity, from 0; a reused address or fd has the next */
	uint32_t fd;	/* number at first sight, or UINT32_MAX; see SYT_OBJECT_VALUE */
	uint64_t identity; /* address; socket cookie; pipe inode; trace-wide id */
	uint64_t ticks;	/* time of first sight */
};

#define SYT_ADDRESS_BYTES 128 /* maximal bytes of one address */

/* The known facts of an endpoint. A later record for the same object replaces an earlier record. The local and the
 * remote address follow with their length: each a struct sockaddr from the kernel. */
struct syt_meta_endpoint {
	uint32_t object;
	uint16_t domain, type, protocol; /* AF_*, SOCK_*, IPPROTO_*; 0 if it is not a socket */
	uint16_t local_bytes, remote_bytes;
	uint16_t reserved0;
	uint32_t peer_object; /* the other end, if one call created both (socketpair) */
	uint32_t peer_pid; /* SO_PEERCRED of unix sockets */
	uint64_t dev, inode, cookie;
	uint64_t netns;	/* network namespace's cookie */
	uint64_t tx, rx;	/* offsets at the endpoint's adoption */
	/* then local_bytes of the local address, then remote_bytes of the remote one */
};

/* An activity that the recorder cannot record. */
enum syt_blind {
	SYT_BLIND_IO_URING = 1,
	SYT_BLIND_EXEC_STATIC = 2,
	SYT_BLIND_EXEC_SECURE = 3,
	SYT_BLIND_EXEC_CLASS = 4,	/* other ELF class or machine */
	SYT_BLIND_DEEPBIND = 5,
	SYT_BLIND_SECCOMP = 6,
	SYT_BLIND_RAW_CLONE = 7,
	SYT_BLIND_EXEC_LIBC = 8, /* another dynamic loader, such as musl's, or a glibc that is too old */
	SYT_BLIND_EXEC_CONFINED = 9, /* seccomp forbids the system calls that start the recorder */
	SYT_BLIND_CLOCK = 10,	/* from then on the clock stands still and stamps only count */
	SYT_BLIND_EXEC_PLACE = 11, /* the recorder or the trace is unreachable: chroot, another user */
	SYT_BLIND_EXEC_32BIT = 12, /* (older dumps: CLASS) */
	SYT_BLIND_EXEC_MUSL = 13, /* (older dumps: LIBC) */
	SYT_BLIND_TCP = 14,	/* a connection that moved more bytes than were counted */
};

struct syt_meta_blind {
	uint32_t what; /* enum syt_blind */
	uint32_t thread; /* T */
	uint64_t ticks;
	/* then a text without NUL, for example the program's path */
};

/* The thread made calls in a pause, which were not recorded, and returned from them by TICKS. Calls on locks, and calls
 * that order no threads, do not count. TICKS is UINT64_MAX if the thread did not return before such a call in a later
 * pause. */
struct syt_meta_returned {
	uint32_t thread; /* T */
	uint32_t pause;	/* number, from 1 */
	uint64_t ticks;
};

/* ---- the shared file of a trace ---- */

#define SYT_NR_ENDPOINT_SLOTS (1u << 18)
#define SYT_NR_TRACE_PROCESSES 4096u

/* Byte counters of one endpoint, shared by all processes that hold it. If refs falls to 0, the counters stay until
 * another endpoint needs the slot, because the endpoint may be on its way to another process (SCM_RIGHTS, exec).
 * `state` is generation << 32 | SYT_ENDPOINT_* | refs. A counter is (generation & 0xffff) << 48 | count, so that a
 * process notices that it counts for an earlier owner. */
struct syt_endpoint_slot {
	uint64_t key;	/* hash of kind and cookie or inode; 0: never used */
	uint64_t tx, rx; /* bytes, messages or units moved in each direction */
	uint64_t state;	/* refs: number of traced processes that hold it */
};

#define SYT_ENDPOINT_REFS UINT64_C(0x00ffffff)
#define SYT_ENDPOINT_CLAIMED (UINT64_C(1) << 31) /* a process is filling it in */
#define SYT_ENDPOINT_ADOPTED (UINT64_C(1) << 30) /* older than its registration */
#define SYT_ENDPOINT_UNKNOWN (UINT64_C(1) << 29) /* its counters are meaningless */
#define SYT_ENDPOINT_BESIDE (UINT64_C(1) << 28) /* urgent bytes were moved, which are not counted */
#define SYT_ENDPOINT_COUNT ((UINT64_C(1) << 48) - 1)

#define SYT_NR_REQUESTS 1024u

enum syt_request_state {
	SYT_REQUEST_FREE = 0,
	SYT_REQUEST_BUSY = 1, /* being written */
	SYT_REQUEST_POSTED = 2,
};

/* A question of a traced process to `syntrace record`: the peer of its unix socket. The process must not hold an fd of
 * its own, so it cannot ask the kernel. `syntrace record` writes the answer to the file `peers`. */
struct syt_request {
	uint32_t state; /* enum syt_request_state */
	uint32_t pid;
	uint32_t fd;
	uint32_t reserved0;
	uint64_t cookie, inode, netns; /* of the socket */
	uint64_t reserved[3];
};

#define SYT_NR_HOLDERS 1024u

/* An fd of a traced process for an object that the kernel cannot name. An fd that arrives in another process by an
 * unrecorded path is compared with it (kcmp). */
struct syt_holder {
	uint64_t who; /* pid << 32 | fd + 1; without the fd: being filled in; 0: free; live */
	uint64_t identity; /* of the object */
	uint64_t pid_ns; /* inode of the pid namespace of the pid */
	uint64_t since; /* ns, creation of the process's directory in /proc */
	uint32_t kind; /* enum syt_kind */
	uint32_t flags; /* of the endpoint */
};

/* A time without recording: by CLOCK_MONOTONIC, and in ticks of the TSC or of cntvct_el0. It begins before any process
 * can read `control`, and ends after all processes have read the new value. */
struct syt_pause {
	uint64_t from_ns, from_ticks;
	uint64_t to_ns, to_ticks; /* 0: still paused */
};

#define SYT_NR_PAUSES 96u /* further pauses extend the last */
#define SYT_CONTROL_AT 128 /* offset of `control` in struct syt_trace; also for the assembler */

enum syt_bound { /* the limit of the size of a dump */
	SYT_BOUND_WANTED = 0,	/* the requested size (SYNTRACE_MAX_SIZE) */
	SYT_BOUND_DISK = 1,	/* half of the free space of the file system */
	SYT_BOUND_FILE_SIZE = 2, /* RLIMIT_FSIZE */
	SYT_BOUND_ADDRESSES = 3, /* a quarter of RLIMIT_AS, or the size that could be mapped */
};

/* Why a process image could open no dump. */
struct syt_refusal {
	uint32_t pid;
	uint32_t error; /* errno */
	uint32_t bound; /* enum syt_bound; when `room` is less than `least` */
	uint32_t reserved;
	uint64_t room;	/* bytes that the dump could have taken */
	uint64_t least; /* bytes that a dump needs */
};

/* The `trace` file, which every process of the trace maps. The file is sparse. */
struct syt_trace {
	uint64_t magic;
	uint16_t major, minor;
	uint32_t header_bytes;
	uint8_t trace_id[16];
	uint8_t boot_id[16];
	uint64_t real_ns; /* creation time */
	uint32_t nr_processes; /* P of the next process image; live */
	uint32_t reserved;
	uint64_t next_identity; /* next trace-wide object identity; live */
	uint32_t nr_refused; /* process images that could open no dump; live */
	uint32_t reserved5;
	struct syt_refusal refusal; /* of the first of them; live */
	uint8_t reserved1[SYT_CONTROL_AT - 112];
	uint32_t control; /* number of the present pause, from 1; 0: none. Every call reads it; live */
	uint32_t nr_pauses; /* live */
	struct syt_pause pauses[SYT_NR_PAUSES];
	uint8_t reserved4[SYT_PAGE_BYTES - SYT_CONTROL_AT - 8 - 32 * SYT_NR_PAUSES];
	/* pid of image P, 0 after a regular end: the images that record now; live */
	uint32_t pids[SYT_NR_TRACE_PROCESSES];
	struct syt_endpoint_slot endpoints[SYT_NR_ENDPOINT_SLOTS];
	uint32_t answerer; /* pid of the syntrace record that answers requests, or 0; live */
	uint32_t bell; /* number of requests; a futex; live */
	uint32_t is_asleep; /* syntrace record waits at the bell; live */
	uint32_t reserved2;
	uint8_t reserved3[SYT_PAGE_BYTES - 16];
	struct syt_request requests[SYT_NR_REQUESTS];
	struct syt_holder holders[SYT_NR_HOLDERS];
};

/* ---- the file `peers` of a trace ---- */

/* Header of the file. struct syt_peer records follow up to its end. */
struct syt_peers {
	uint64_t magic;
	uint16_t major, minor;
	uint32_t header_bytes;
	uint8_t trace_id[16];
	uint8_t boot_id[16];
};

/* Two unix sockets that were connected to each other. */
struct syt_peer {
	uint32_t magic;
	uint32_t checksum; /* XXH32, seed 0, of the following members */
	uint64_t cookie, inode; /* the socket of the request */
	uint64_t peer_cookie; /* 0 if the socket was closed before the kernel answered */
	uint64_t peer_inode;
	uint64_t netns;
};

_Static_assert(sizeof(struct syt_chunk) == 64, "chunk header");
_Static_assert(sizeof(struct syt_stack_node) == 16, "stack node");
_Static_assert(sizeof(struct syt_block) == 80, "block header");
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
_Static_assert(offsetof(struct syt_trace, control) == SYT_CONTROL_AT, "control");
_Static_assert(offsetof(struct syt_trace, pids) == SYT_PAGE_BYTES, "shared header is a page");
_Static_assert(offsetof(struct syt_trace, endpoints) % SYT_PAGE_BYTES == 0, "slots fill whole pages");
_Static_assert(offsetof(struct syt_trace, requests) % SYT_PAGE_BYTES == 0, "requests fill whole pages");
_Static_assert(sizeof(struct syt_refusal) == 32, "refusal");
_Static_assert(sizeof(struct syt_request) == 64, "request");
_Static_assert(sizeof(struct syt_holder) == 40, "holder");
_Static_assert(offsetof(struct syt_trace, holders) % SYT_PAGE_BYTES == 0, "holders fill whole pages");
_Static_assert(sizeof(struct syt_peers) == 48, "peers header");
_Static_assert(sizeof(struct syt_peer) == 48, "peer");
_Static_assert(SYT_NR_LOSSES <= 16, "loss counters");

#endif
