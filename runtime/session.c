/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE /* dladdr */
#include "runtime/session.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "config.h"
#include "format/calls.h"
#include "runtime/arena.h"
#include "runtime/clock.h"
#include "runtime/control.h"
#include "runtime/dump.h"
#include "runtime/endpoint.h"
#include "runtime/endpoint_inherit.h"
#include "runtime/env.h"
#include "runtime/forked.h"
#include "runtime/frame.h"
#include "runtime/image.h"
#include "runtime/libc.h"
#include "runtime/meta.h"
#include "runtime/module.h"
#include "runtime/old-trace.h"
#include "runtime/place.h"
#include "runtime/quick-site.h"
#include "runtime/sample.h"
#include "runtime/self.h"
#include "runtime/stack.h"
#include "runtime/sys.h"
#include "runtime/text.h"
#include "runtime/thread.h"

#define MADV_WIPEONFORK_ 18 /* Linux 4.14; older headers lack the name */

uint32_t syt_alive[SYT_PAGE_BYTES / sizeof(uint32_t)] __attribute__((aligned(SYT_PAGE_BYTES)));
/* number of forks since the first process image started, as in syt_alive[0] */
SYT_FORKED static uint32_t epoch;

enum start_state { START_NEVER, START_NOW, START_DONE, START_REFUSED };

/* Space in chunks that the dump keeps for each thread that still runs at the process end, enough for about
 * 100,000 events. */
#define SPARE_CHUNKS 4u

/* State of the recording of this process image. */
SYT_FORKED static struct {
	uint32_t start; /* enum start_state; changes at run time */
	uint32_t index; /* P in doc/format.md */
	uint32_t pid;
} running;

/* State of the recording that a forked child inherits unchanged. */
static struct {
	struct syt_env env;
	/* pair of clock readings, read as early as possible and kept by forked children: see open_dump */
	struct syt_clock_pair first;
	char libc[32]; /* version of libc */
	struct syt_trace_dir place;
	char library[SYT_PATH_BYTES];
	char id[33]; /* id of the trace in hexadecimal digits */
} session;

/* Paths of fewer bytes use a buffer on the stack. Longer paths use a static buffer, because a forked
 * child's stack may be small. */
#define SHORT_BYTES 256u
static char scratch[SYT_PATH_BYTES];

/* Returns the path of this process image's dump file, in SHORTER or in the static buffer; NULL: the path is
 * too long. */
static const char *dump_path(char shorter[SHORT_BYTES])
{
	if (!syt_place_dump_path(&session.place, running.index, running.pid, shorter, SHORT_BYTES))
		return shorter;
	return syt_place_dump_path(&session.place, running.index, running.pid, scratch,
	                           sizeof(scratch))
	               ? NULL
	               : scratch;
}

/* Returns field 22 (start time) of /proc/self/stat. The last ')' ends field 2, the program name, which may
 * contain any character. */
static uint64_t read_start_time(void)
{
	char text[1024];
	size_t n = syt_image_read("/proc/self/stat", text, sizeof(text) - 1);
	uint64_t value = 0;
	const char *p;

	text[n] = 0;
	p = strrchr(text, ')');
	for (int field = 2; p && field < 22; field++) {
		p = strchr(p + 1, ' ');
	}
	if (p) {
		p++;
		syt_text_number(&p, &value);
	}
	return value;
}

#define NS_PER_TICK 10000000u /* unit of the start time in /proc/self/stat: USER_HZ is 100 */

/* Returns the start time of a process that began after BEFORE (syt_session_before_fork(), or 0). Reading
 * the start time from /proc takes 10 us, because the kernel must create /proc/PID first. Usually the whole
 * fork lies in one tick of 10 ms, so the start time need not be read. */
static uint64_t start_time_since(uint64_t before)
{
	uint64_t now = before ? syt_clock_boot_ns() : 0;

	return now >= before && now && before / NS_PER_TICK == now / NS_PER_TICK
	               ? now / NS_PER_TICK
	               : read_start_time();
}

/* Returns P, the number of the process image from which this image comes. After an exec, that is the last
 * image with the same pid, and this function removes the old image's pid. Otherwise, it is the image of the
 * parent process. */
static uint32_t find_parent(uint32_t pid, uint32_t ppid)
{
	struct syt_trace *t = session.place.trace;
	uint32_t n = t->nr_processes, parent = UINT32_MAX, replaced = UINT32_MAX;

	for (uint32_t i = 0; i < n && i < SYT_NR_TRACE_PROCESSES; i++) {
		if (t->pids[i] == pid && i != running.index) {
			replaced = i;
			t->pids[i] = 0;
		} else if (t->pids[i] == ppid) {
			parent = i;
		}
	}
	return replaced != UINT32_MAX ? replaced : parent;
}

static void write_header(uint32_t parent, uint64_t before)
{
	struct syt_file *f = syt_arena_file();
	const struct syt_process_image *image = syt_image();
	unsigned version[3] = {0, 0, 0};
	const char *p = PACKAGE_VERSION;

	for (int i = 0; i < 3; i++) {
		uint64_t v = 0;

		if (!syt_text_number(&p, &v))
			break;
		version[i] = (unsigned)v;
		p += *p == '.';
	}
	f->major = syt_sample_is_real() ? SYT_FORMAT_MAJOR_SAMPLED : SYT_FORMAT_MAJOR;
	f->minor = syt_sample_is_real() ? 0 : SYT_FORMAT_MINOR;
	f->header_bytes = sizeof(*f);
	f->page_bytes = SYT_PAGE_BYTES;
	memcpy(f->trace_id, session.place.trace->trace_id, 16);
	memcpy(f->boot_id, image->boot_id, sizeof(f->boot_id));
	memcpy(f->host, image->host, sizeof(f->host));
	memcpy(f->machine, image->machine, sizeof(f->machine));
	f->index = running.index;
	f->pid = running.pid;
	f->ppid = (uint32_t)SYT_SYS_0(SYS_getppid);
	f->uid = (uint32_t)SYT_SYS_0(SYS_geteuid);
	f->start_time = start_time_since(before);
	f->parent_index = parent != UINT32_MAX ? parent : find_parent(f->pid, f->ppid);
	f->clock_source = syt_clock_source;
	f->clock_hz = syt_clock_hz();
	f->start = syt_clock_pair();
	f->latest = f->start;
	f->mode = session.env.mode;
	f->block_bytes = SYT_LANE0_BYTES;
	f->ring_bytes = session.env.ring_bytes;
	f->tool_version = version[0] << 16 | version[1] << 8 | version[2];
	f->state = SYT_STATE_RUNNING;
	/* a later `syntrace pause` or `syntrace resume --for` writes this field, too */
	if (session.place.trace->control != session.place.trace->unpaused ||
	    session.place.trace->deadline_ns)
		f->was_paused = 1;
	f->checksum = XXH32((const uint8_t *)f + 24, offsetof(struct syt_file, live_begin) - 24, 0);
	__atomic_store_n(&f->magic, SYT_FILE_MAGIC, __ATOMIC_RELEASE);
}

/* The names of the intercepted calls from number 1 on, like struct syt_meta_calls, and the number of bytes
 * of each entry. */
/* clang-format off */
static const struct {
#define ROW(name_) struct { uint8_t shape, kind; char name[sizeof(#name_)]; } call_##name_;
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) ROW(name_)
#define HAND(name_, shape_, kind_) ROW(name_)
#define MARK(name_, shape_, kind_) ROW(name_)
#include "format/calls.def"
#undef ROW
} calls = {
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) {SYT_SHAPE_##shape_, SYT_KIND_##kind_, #name_},
#define HAND(name_, shape_, kind_) {SYT_SHAPE_##shape_, SYT_KIND_##kind_, #name_},
#define MARK(name_, shape_, kind_) {SYT_SHAPE_##shape_, SYT_KIND_##kind_, #name_},
#include "format/calls.def"
};

static const uint8_t call_bytes[] = {
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) 2 + sizeof(#name_),
#define HAND(name_, shape_, kind_) 2 + sizeof(#name_),
#define MARK(name_, shape_, kind_) 2 + sizeof(#name_),
#include "format/calls.def"
};
/* clang-format on */

/* calls in one definition: if it is damaged, no other calls lose their names */
#define NR_CALLS_EACH 32u

static void define_calls(void)
{
	const uint8_t *at = (const uint8_t *)&calls;

	for (uint16_t i = 0; i < sizeof(call_bytes);) {
		struct syt_meta_calls m = {.first = (uint16_t)(i + 1)};
		size_t bytes = 0;

		for (; m.nr < NR_CALLS_EACH && i < sizeof(call_bytes); i++, m.nr++)
			bytes += call_bytes[i];
		syt_meta_append(SYT_META_CALLS, &m, sizeof(m), at, bytes, NULL, 0);
		at += bytes;
	}
}

/* Records the program, its arguments, its working directory and its libc. */
static void define_process(void)
{
	const struct syt_process_image *image = syt_image();
	char shorter[SHORT_BYTES], *text = shorter;
	long n;

	if (image->exe_bytes)
		syt_meta_text(SYT_TEXT_EXE, 0, image->exe, image->exe_bytes);
	if (image->argv_bytes)
		syt_meta_text(SYT_TEXT_ARGV, 0, image->argv, image->argv_bytes);
	n = SYT_SYS_2(SYS_getcwd, text, sizeof(shorter));
	if (n == -ERANGE) {
		text = scratch;
		n = SYT_SYS_2(SYS_getcwd, text, sizeof(scratch));
	}
	if (n > 1)
		syt_meta_text(SYT_TEXT_CWD, 0, text, (size_t)n - 1);
	syt_meta_text(SYT_TEXT_LIBC, 0, session.libc, strlen(session.libc));
	if (syt_sample_is_on())
		syt_meta_text(SYT_TEXT_SAMPLER, 0, session.place.trace->sampler,
		              strnlen(session.place.trace->sampler, SYT_SAMPLER_TEXT_BYTES));
}

/* The inode of the initial pid namespace, the parent of all others: a constant of the kernel. */
#define FIRST_PID_NAMESPACE UINT64_C(0xeffffffc)

/* Records the ids that this process has in the pid namespaces outside its own, because other programs use them.
 * Called only at the start: a forked child is in its parent's namespace, or its outer ids stay unknown. */
static void define_pids(void)
{
	static char text[2048];
	struct stat ns;
	char *line = text;
	size_t n;

	if (SYT_SYS_4(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/pid", &ns, 0) == 0 &&
	    ns.st_ino == FIRST_PID_NAMESPACE)
		return;
	n = syt_image_read("/proc/self/status", text, sizeof(text) - 1);
	text[n] = 0;
	while (*line && strncmp(line, "NSpid:", 6)) {
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	if (!*line)
		return;
	line += 6;
	line += strspn(line, "\t ");
	n = strcspn(line, "\n");
	for (size_t i = 0; i < n; i++)
		if (line[i] == '\t')
			line[i] = ' ';
	if (memchr(line, ' ', n))
		syt_meta_text(SYT_TEXT_PIDS, 0, line, n);
}

/* A dump below this size records the reason for its size. */
#define SMALL_DUMP (UINT64_C(8) << 20)

static const char *bound_text(enum syt_bound bound)
{
	switch (bound) {
	case SYT_BOUND_DISK:
		return "half of the free space on its file system";
	case SYT_BOUND_FILE_SIZE:
		return "the limit on the size of a file (ulimit -f)";
	case SYT_BOUND_ADDRESSES:
		return "a quarter of the limit on address space (ulimit -v)";
	case SYT_BOUND_WANTED:
		break;
	}
	return "the value of --max-size or SYNTRACE_MAX_SIZE";
}

/* Writes a message for users into the dump if the dump is small. */
static void define_notes(void)
{
	static char text[2 * SYT_PATH_BYTES + 128];
	struct syt_text_buffer b = {.text = text, .capacity = sizeof(text)};

	if (syt_arena.room < SMALL_DUMP) {
		text[0] = 0;
		syt_text_add(&b, "the dump was limited to ");
		syt_text_add_number(&b, syt_arena.room >> 10, 1);
		syt_text_add(&b, " KiB: ");
		syt_text_add(&b, bound_text(syt_arena.bound));
		syt_meta_text(SYT_TEXT_NOTE, 0, text, b.length);
	}
}

/* Writes a message for users into the dump if the previous trace did not get its usual name. */
static void define_old_trace(void)
{
	static char text[2 * SYT_PATH_BYTES + 128];
	struct syt_text_buffer b = {.text = text, .capacity = sizeof(text)};

	if (!session.place.old_nr)
		return;
	text[0] = 0;
	syt_text_add(&b, "the previous trace is ");
	syt_old_trace_name(&b, session.place.dir, session.place.old_nr);
	syt_text_add(&b, ": ");
	syt_old_trace_name(&b, session.place.dir, 0);
	syt_text_add(&b, " is not a finished trace, or holds other files, so it was not replaced");
	syt_meta_text(SYT_TEXT_NOTE, 0, text, b.length);
}

/* Opens the dump's file. Returns 0 or -errno. */
static int open_file(void)
{
	char shorter[SHORT_BYTES];
	/* this call also finds the directory if it was renamed */
	long dir = syt_place_directory(&session.place);
	const char *path = dump_path(shorter);
	int rv = -ENAMETOOLONG;

	if (dir < 0)
		return (int)dir;
	if (path)
		rv = syt_arena_open(dir, strrchr(path, '/') + 1, session.env.max_bytes);
	SYT_SYS_1(SYS_close, dir);
	return rv;
}

/* Notes in the shared file why this process could open no dump. */
static void note_refusal(int error)
{
	struct syt_refusal r = {
		.pid = running.pid,
		.error = (uint32_t)-error,
		.bound = syt_arena.bound,
		.room = syt_arena.room,
		.least = SYT_DUMP_LEAST_BYTES,
	};

	syt_place_refuse(&session.place, &r);
}

/* Opens a new dump for this process image with the pid PID. PARENT: P of the image that forked it, or
 * UINT32_MAX to search for it. BEFORE: as for syt_session_fork_child(). Returns false on failure. */
static bool open_dump(uint32_t pid, uint32_t parent, uint64_t before)
{
	int rv;

	running.pid = pid;
	syt_arena.room = UINT64_MAX;
	rv = syt_place_register(&session.place, running.pid, &running.index);
	if (rv == 0)
		rv = open_file();
	if (rv < 0) {
		note_refusal(rv);
		syt_place_unregister(&session.place, running.index);
		return false;
	}
	write_header(parent, before);
	syt_ring_configure(session.env.mode, session.env.ring_bytes, syt_arena.room);
	syt_meta_begin();
	define_calls();
	define_process();
	define_notes();
	/* Besides the pair of clock readings in the header, the dump gets an earlier and a later pair. With
	 * them, the decoder can calibrate the clock of a process that was killed before it compressed any
	 * events. */
	syt_meta_append(SYT_META_CLOCK, &session.first, sizeof(session.first), NULL, 0, NULL, 0);
	syt_arena_file()->latest = syt_clock_pair();
	return true;
}

/* Records the first event of the process image: the end of a fork, spawn or exec. */
static void record_start(void)
{
	struct syt_frame f;
	struct syt_event e = {.call = SYT_CALL_process_start, .pid = running.pid};

	/* the event gets no call stack, which would show only the recorder */
	if (!syt_enter(&f, NULL))
		return;
	syt_stamp_in(&f);
	syt_leave_in(&f, &e);
}

/* Finds the path of libsyntrace.so, which descendants get in LD_PRELOAD. */
static void find_library(void)
{
	__typeof__(dladdr) *const address_info =
		(__typeof__(address_info))(uintptr_t)syt_libc("dladdr");
	Dl_info info;

	if (!address_info || !address_info((const void *)find_library, &info) || !info.dli_fname ||
	    syt_place_absolute(session.library, info.dli_fname) < 0)
		session.library[0] = 0;
}

static void print_id(void)
{
	struct syt_text_buffer b = {.text = session.id, .capacity = sizeof(session.id)};

	for (unsigned i = 0; i < sizeof(session.place.trace->trace_id); i++)
		syt_text_add_hex(&b, session.place.trace->trace_id[i], 2);
}

/* If RLIMIT_AS is smaller than this, the recorder does not start, because its mappings could take the
 * address space that the program needs. */
#define ADDRESS_SPACE_MIN (UINT64_C(256) << 20)

static bool is_roomy(void)
{
	struct rlimit limit;

	return SYT_SYS_4(SYS_prlimit64, 0, RLIMIT_AS, 0, &limit) < 0 ||
	       limit.rlim_cur >= ADDRESS_SPACE_MIN;
}

static bool start(char **envp)
{
	const char *version = gnu_get_libc_version();

	syt_env_read(&session.env, envp);
	if (session.env.is_disabled || getauxval(AT_SECURE) || !is_roomy())
		return false;
	syt_clock_init();
	session.first = syt_clock_pair();
	memcpy(session.libc, version, strnlen(version, sizeof(session.libc) - 1));
	if (syt_place_open(&session.place, &session.env) < 0)
		return false;
	SYT_SYS_3(SYS_madvise, syt_alive, sizeof(syt_alive), MADV_WIPEONFORK_);
	syt_sample_start(session.place.trace);
	/* These tables are mapped between the trace's shared file and the dump, which is large: at a fork, the kernel makes a
	 * page table for each 2 MiB with memory in use. */
	if (syt_stack_init() < 0)
		return false;
	syt_thread_init();
	if (!open_dump((uint32_t)SYT_SYS_0(SYS_getpid), UINT32_MAX, 0))
		return false;
	define_pids();
	define_old_trace();
	find_library();
	print_id();
	__atomic_store_n(syt_alive, SYT_ALIVE, __ATOMIC_RELEASE);
	syt_alive_count(syt_sample_is_real() ? SYT_SITE_SPREAD : 0);
	return true;
}

void syt_session_start(char **envp)
{
	uint32_t state = __atomic_load_n(&running.start, __ATOMIC_ACQUIRE);

	if (state != START_NEVER || !envp)
		return;
	/* a second thread or a signal handler that arrives here during the start records from its next call
	 * on */
	if (!__atomic_compare_exchange_n(&running.start, &state, START_NOW, false, __ATOMIC_ACQUIRE,
	                                 __ATOMIC_RELAXED))
		return;

	bool is_started = start(envp);

	__atomic_store_n(&running.start, is_started ? START_DONE : START_REFUSED, __ATOMIC_RELEASE);
	if (is_started) {
		syt_thread_attach(SYT_THREAD_NONE, SYT_THREAD_NONE);
		record_start();
		syt_endpoint_inherit(session.env.fds);
	}
}

void syt_session_obey(void)
{
	uint32_t state = __atomic_load_n(&running.start, __ATOMIC_ACQUIRE);

	if (state == START_DONE)
		syt_place_share_control(&session.place);
	else if (state == START_REFUSED)
		syt_control_refuse();
}

void syt_session_check_fork(void)
{
	if (__atomic_load_n(&running.start, __ATOMIC_ACQUIRE) == START_DONE && !*syt_alive &&
	    syt_arena.base)
		syt_session_fork_child(0);
}

uint64_t syt_session_before_fork(void)
{
	return syt_clock_boot_ns();
}

void syt_session_fork_child(uint64_t before)
{
	uint32_t parent = running.index;

	long pid = SYT_SYS_0(SYS_getpid);

	if (__atomic_load_n(&running.start, __ATOMIC_ACQUIRE) != START_DONE || !syt_arena.base ||
	    (long)running.pid == pid)
		return;
	epoch += SYT_ALIVE_EPOCH;
	if (!open_dump((uint32_t)pid, parent, before)) {
		/* counts, in the parent's dump, a forked child that could not record */
		syt_lost(SYT_LOSS_FORK, 1);
		syt_arena_abandon();
		syt_self_tls = NULL;
		__atomic_store_n(&running.start, START_REFUSED, __ATOMIC_RELEASE);
		syt_control_refuse();
		return;
	}
	syt_objects_reset();
	syt_stack_fork_child();
	syt_module_fork_child();
	syt_thread_fork_child();
	syt_endpoint_fork_child();
	*syt_alive = epoch | SYT_ALIVE;
	if (syt_sample_is_real())
		syt_alive_count(SYT_SITE_SPREAD);
	record_start();
}

/* Returns true in the process that owns the dump, false in a vfork child, which borrows its memory. */
static bool is_own(void)
{
	long pid = SYT_SYS_0(SYS_getpid);

	return syt_arena.base && *syt_alive &&
	       (pid == SYT_SYS_DENIED ? !syt_thread_is_borrowed() : pid == (long)running.pid);
}

static void note_time(void)
{
	struct syt_clock_pair now = syt_clock_pair();

	if (now.ticks)
		syt_arena_file()->latest = now;
}

void syt_session_end(uint32_t state, uint32_t status)
{
	char shorter[SHORT_BYTES];
	const char *path;

	if (!is_own())
		return;
	note_time();
	syt_endpoint_leave();
	__atomic_store_n(&syt_arena_file()->state, state | (uint64_t)status << 8, __ATOMIC_RELEASE);
	path = dump_path(shorter);
	/* threads that still run may need space in the dump until the process ends; without space their
	 * events would be lost */
	if (path)
		syt_arena_trim(path,
		               syt_thread_nr_others() * SPARE_CHUNKS * syt_ring_chunk_bytes());
	if (state != SYT_STATE_EXECED)
		syt_place_unregister(&session.place, running.index);
}

void syt_session_end_of_thread(uint32_t status)
{
	if (!syt_thread_nr_others())
		syt_session_end(SYT_STATE_EXITED, status);
}

void syt_session_resume(void)
{
	char shorter[SHORT_BYTES];
	const char *path;

	if (!is_own())
		return;
	__atomic_store_n(&syt_arena_file()->state, SYT_STATE_RUNNING, __ATOMIC_RELEASE);
	path = dump_path(shorter);
	if (path)
		syt_arena_untrim(path);
	if (running.index < SYT_NR_TRACE_PROCESSES)
		__atomic_store_n(&session.place.trace->pids[running.index], running.pid,
		                 __ATOMIC_RELAXED);
	syt_endpoint_stay();
}

uint32_t syt_session_pid(void)
{
	return running.pid;
}

/* If the address space is limited, the dump keeps at most one part in LIMITED_PART of it mapped, because
 * the program may need the rest. */
#define LIMITED_PART 16u
#define LOCKED_BYTES (UINT64_C(8) << 20)

void syt_session_limited(void)
{
	struct rlimit limit;

	syt_session_check_fork();
	if (is_own() && SYT_SYS_4(SYS_prlimit64, 0, RLIMIT_AS, 0, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY)
		syt_arena_shrink(limit.rlim_cur / LIMITED_PART);
}

void syt_session_locked(void)
{
	syt_session_check_fork();
	if (is_own())
		syt_arena_shrink(LOCKED_BYTES);
}

const char *syt_session_dir(void)
{
	return __atomic_load_n(&running.start, __ATOMIC_ACQUIRE) == START_DONE ? session.place.dir
	                                                                       : "";
}

bool syt_session_follow(void)
{
	return syt_place_follow(&session.place);
}

const char *syt_session_id(void)
{
	return session.id;
}

const char *syt_session_library(void)
{
	return session.library;
}

bool syt_session_is_variable(const char *entry)
{
	return syt_env_is_variable(entry);
}

bool syt_session_disables(const char *entry)
{
	return syt_env_disables(entry);
}

void syt_session_blind(enum syt_blind what, const char *text)
{
	struct syt_meta_blind m = {
		.what = what, .thread = syt_self(), .ticks = syt_clock_release()};

	if (*syt_alive)
		syt_meta_append(SYT_META_BLIND, &m, sizeof(m), text, strlen(text), NULL, 0);
}

struct syt_trace *syt_trace_shared(void)
{
	return session.place.trace;
}
