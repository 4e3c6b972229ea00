/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* syntrace pause and resume: write one word of the shared file, which the traced processes read. The verbs
 * also store the begin and the end of the pause for the decoder. The stored begin time is before the first
 * process pauses. The stored end time is after the last process resumes. */
#define _GNU_SOURCE
#include "tool/options.h"
#include "base/err.h"
#include "tool/pause.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "format/slot.h"
#include "tool/directory.h"
#include "tool/verbs.h"

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns the time-stamp counter after all earlier instructions. */
static uint64_t now_ticks(void)
{
	uint64_t ticks = 0;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#if defined(__x86_64__)
	__builtin_ia32_lfence();
	ticks = __builtin_ia32_rdtsc();
	__builtin_ia32_lfence();
#elif defined(__aarch64__)
	__asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(ticks) : : "memory");
#endif
	return ticks;
}

static uint64_t now_ns(void)
{
	return ns_of(CLOCK_MONOTONIC);
}

struct syt_clock_pair syt_clock_pair_now(void)
{
	struct syt_clock_pair best = {.real_ns = ns_of(CLOCK_REALTIME)};
	uint64_t best_width = UINT64_MAX;

	for (int i = 0; i < 3; i++) {
		uint64_t before = now_ticks(), ns = now_ns(), width = now_ticks() - before;

		if (width < best_width) {
			best_width = width;
			best.ticks = before + width / 2;
			best.mono_ns = ns;
		}
	}
	return best;
}

struct syt_pause syt_pause_now(void)
{
	return (struct syt_pause){.from_ns = now_ns(), .from_ticks = now_ticks()};
}

/* Sets `was_paused` in the dump of the process image with index P. Returns false if the version of its recorder
 * does not support pauses. */
static bool mark(const struct syt_live *l, unsigned p, uint32_t pid)
{
	const uint64_t yes = 1;
	uint32_t header_bytes = 0;
	char name[SYT_DUMP_NAME_BYTES];
	ssize_t bytes;
	bool is_able;
	int fd;

	syt_dump_name(name, p, pid);
	fd = openat(l->fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		/* a process without a dump will see the pause when it makes its dump */
		return true;
	bytes = pread(fd, &header_bytes, sizeof(header_bytes),
	              offsetof(struct syt_file, header_bytes));
	if (bytes >= 0 && bytes < (ssize_t)sizeof(header_bytes)) {
		/* so will a process that has just created the file of its dump, which is still empty */
		close(fd);
		return true;
	}
	is_able = bytes == (ssize_t)sizeof(header_bytes) &&
	          (!header_bytes ||
	           header_bytes >= offsetof(struct syt_file, was_paused) + sizeof(yes));
	if (is_able && pwrite(fd, &yes, sizeof(yes), offsetof(struct syt_file, was_paused)) < 0)
		syt_warn_errno("cannot write to %s/%s", l->dir, name);
	close(fd);
	return is_able;
}

static bool mark_all(const struct syt_live *l)
{
	for (unsigned p = 0; p < SYT_NR_TRACE_PROCESSES; p++) {
		uint32_t pid = __atomic_load_n(&l->trace->pids[p], __ATOMIC_RELAXED);

		if (pid && !mark(l, p, pid)) {
			syt_warn("cannot pause: an older version of syntrace records process %u",
			         pid);
			return false;
		}
	}
	return true;
}

#define WAIT_NS 1000000
#define NR_WAITS 100

/* Removes the deadline of `syntrace resume --for`. Afterwards no recorder begins a pause. A recorder that is beginning one
 * needs some instructions, unless its process is killed then. */
static void clear_deadline(struct syt_trace *t)
{
	const struct timespec wait = {0, WAIT_NS};
	uint64_t deadline = __atomic_load_n(&t->deadline_ns, __ATOMIC_SEQ_CST);

	for (int i = 0; deadline == SYT_DEADLINE_PASSES && i < NR_WAITS; i++) {
		nanosleep(&wait, NULL);
		deadline = __atomic_load_n(&t->deadline_ns, __ATOMIC_SEQ_CST);
	}
	if (!__atomic_compare_exchange_n(&t->deadline_ns, &deadline, 0, false, __ATOMIC_SEQ_CST,
	                                 __ATOMIC_SEQ_CST) &&
	    deadline)
		clear_deadline(t); /* a recorder began a pause meanwhile */
}

/* Returns the number of the pause that a killed recorder wrote into the table and did not begin, or 0. */
static uint32_t unused_pause(const struct syt_trace *t)
{
	uint32_t nr = t->nr_pauses;

	return nr && !t->pauses[(nr - 1) % SYT_NR_PAUSES].to_ns ? nr : 0;
}

/* Makes the counters of all endpoints stale (format/slot.h). Returns false after a message. */
static bool make_stale(const struct syt_live *l)
{
	int fd = openat(l->fd, SYT_TRACE_NAME, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	const off_t begin = offsetof(struct syt_trace, endpoints),
		    end = begin + (off_t)sizeof(l->trace->endpoints);
	bool is_done = fd >= 0;

	/* most pages of the file do not exist */
	for (off_t at = fd < 0 ? -1 : lseek(fd, begin, SEEK_DATA); is_done && at >= 0 && at < end;
	     at = lseek(fd, at, SEEK_DATA)) {
		struct syt_endpoint_slot *slots;

		at -= at % SYT_PAGE_BYTES;
		slots = mmap(NULL, SYT_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
		is_done = slots != MAP_FAILED;
		for (size_t n = 0; is_done && n < SYT_PAGE_BYTES / sizeof(*slots); n++)
			if (__atomic_load_n(&slots[n].key, __ATOMIC_SEQ_CST))
				syt_slot_stale(&slots[n]);
		if (is_done)
			munmap(slots, SYT_PAGE_BYTES);
		at += SYT_PAGE_BYTES;
	}
	if (!is_done)
		syt_warn_errno("cannot change %s/%s", l->dir, SYT_TRACE_NAME);
	if (fd >= 0)
		close(fd);
	return is_done;
}

/* Begins the pause NR, and a deep one also if a pause with this number has begun. */
static void set_control(struct syt_trace *t, uint32_t nr, bool is_deep)
{
	if (is_deep)
		__atomic_fetch_add(&t->nr_uncounted, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&t->control, nr | (is_deep ? SYT_CONTROL_DEEP : 0), __ATOMIC_SEQ_CST);
}

bool syt_pause(struct syt_live *l, bool is_deep)
{
	struct syt_trace *t = l->trace;
	uint32_t nr;

	syt_live_lock(l);
	clear_deadline(t);
	t->deepness = is_deep ? SYT_CONTROL_DEEP : 0;
	nr = __atomic_load_n(&t->control, __ATOMIC_SEQ_CST);
	if (nr != t->unpaused) {
		if (is_deep && !(nr & SYT_CONTROL_DEEP))
			set_control(t, nr, true);
		return true;
	}
	if (!mark_all(l))
		return false;
	nr = t->nr_pauses;
	if (nr >= SYT_MOST_PAUSES) {
		syt_warn("cannot pause: %s/%s is damaged: it tells of %" PRIu32 " pauses", l->dir,
		         SYT_TRACE_NAME, nr);
		return false;
	}
	if (!unused_pause(t)) {
		t->pauses[nr % SYT_NR_PAUSES] = syt_pause_now();
		__atomic_store_n(&t->nr_pauses, ++nr, __ATOMIC_SEQ_CST);
	}
	set_control(t, nr, is_deep);
	mark_all(l); /* marks also the dumps of processes that have started since the first pass */
	return true;
}

bool syt_resume(struct syt_live *l, uint64_t for_ns)
{
	struct syt_trace *t = l->trace;
	struct syt_pause *p;
	uint32_t nr;

	syt_live_lock(l);
	clear_deadline(t);
	if (for_ns) {
		__atomic_store_n(&t->deadline_ns, now_ns() + for_ns, __ATOMIC_SEQ_CST);
		if (!mark_all(l)) {
			clear_deadline(t);
			return false;
		}
	}
	nr = __atomic_load_n(&t->control, __ATOMIC_SEQ_CST);
	if (nr != t->unpaused && nr & SYT_CONTROL_DEEP && !make_stale(l)) {
		clear_deadline(t);
		return false;
	}
	nr = __atomic_exchange_n(&t->control, t->unpaused, __ATOMIC_SEQ_CST);
	nr = nr != t->unpaused ? nr & ~SYT_CONTROL_DEEP : unused_pause(t);
	if (!nr)
		return true;
	p = &t->pauses[(nr - 1) % SYT_NR_PAUSES];
	p->to_ticks = now_ticks();
	__atomic_store_n(&p->to_ns, now_ns(), __ATOMIC_SEQ_CST);
	return true;
}

/* Stores PAIR in the dump of the process image with index P, if the image has not recorded its end. */
static bool mark_end(const struct syt_live *l, unsigned p, uint32_t pid, struct syt_clock_pair pair)
{
	char name[SYT_DUMP_NAME_BYTES];
	struct syt_file file;
	bool is_done;
	int fd;

	syt_dump_name(name, p, pid);
	fd = openat(l->fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	is_done = pread(fd, &file, sizeof(file), 0) == (ssize_t)sizeof(file) &&
	          file.header_bytes == sizeof(file) && (file.state & 0xff) == SYT_STATE_RUNNING;
	if (is_done && file.clock_source == SYT_CLOCK_MONOTONIC)
		pair.ticks = pair.mono_ns;
	is_done = is_done && file.latest.ticks < pair.ticks &&
	          pwrite(fd, &pair, sizeof(pair), offsetof(struct syt_file, latest)) ==
	                  (ssize_t)sizeof(pair);
	close(fd);
	return is_done;
}

bool syt_live_mark_end(const struct syt_live *l, uint32_t pid, const struct syt_clock_pair *now)
{
	bool is_done = false;

	for (unsigned p = 0; p < SYT_NR_TRACE_PROCESSES; p++)
		if (__atomic_load_n(&l->trace->pids[p], __ATOMIC_RELAXED) == pid)
			is_done |= mark_end(l, p, pid, *now);
	return is_done;
}

/* ---- the verbs ---- */

enum { KEY_FOR = 256, KEY_DEEP };

struct pause_options {
	const char *what;
	bool is_deep;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct pause_options *o = state->input;

	if (key != KEY_DEEP)
		return syt_live_parse(key, argument, state, &o->what);
	o->is_deep = true;
	return 0;
}

#define STATUSES                                                                                   \
	"\vExit status: 0 if the recording was paused or resumed, or had been before; 2 for "      \
	"wrong usage; 4 if the trace cannot be found or paused."

static int run_pause(void *options)
{
	const struct pause_options *o = options;
	struct syt_live l;
	bool is_done = syt_live_open(&l, o->what) && syt_pause(&l, o->is_deep);

	if (is_done)
		syt_warn("recording into %s is paused", l.dir);
	syt_live_close(&l);
	return is_done ? 0 : SYT_STATUS_UNREADABLE;
}

struct resume_options {
	const char *what;
	double seconds; /* 0: no deadline */
};

static error_t parse_resume(int key, char *argument, struct argp_state *state)
{
	struct resume_options *o = state->input;

	if (key != KEY_FOR)
		return syt_live_parse(key, argument, state, &o->what);
	if (!syt_parse_number(argument, 0.001, 1e9, &o->seconds))
		argp_error(state, "--for takes seconds, not '%s'", argument);
	return 0;
}

static int run_resume(void *options)
{
	const struct resume_options *o = options;
	struct syt_live l;
	bool is_done = syt_live_open(&l, o->what) && syt_resume(&l, (uint64_t)(o->seconds * 1e9));

	if (is_done && o->seconds > 0)
		syt_warn("recording into %s continues for %g s", l.dir, o->seconds);
	else if (is_done)
		syt_warn("recording into %s continues", l.dir);
	syt_live_close(&l);
	return is_done ? 0 : SYT_STATUS_UNREADABLE;
}

static const struct argp_option pause_rows[] = {
	{"deep", KEY_DEEP, NULL, SYT_OPTION_NOT_OF_PROJECT,
         "count no bytes in the pause: it then costs less, and later edges may be missing", 0},
	{0},
};

static const struct argp pause_argp = {
	.options = pause_rows,
	.parser = parse,
	.args_doc = "[PID|NAME|DIR]",
	.doc = "Pause the recording of all processes of a trace, until 'syntrace resume'. Name the "
	       "trace by the pid of a recorded process (PID), the name of the recorded program "
	       "(NAME), or the trace directory (DIR)." STATUSES,
};

static const struct argp_option resume_rows[] = {
	{"for", KEY_FOR, "SECONDS", SYT_OPTION_NOT_OF_PROJECT,
         "record for SECONDS, then pause again, without the help of this tool", 0},
	{0},
};

static const struct argp resume_argp = {
	.options = resume_rows,
	.parser = parse_resume,
	.args_doc = "[PID|NAME|DIR]",
	.doc = "Resume the recording of a paused trace. Name the trace by the pid of a recorded "
	       "process (PID), the name of the recorded program (NAME), or the trace directory "
	       "(DIR)." STATUSES,
};

const struct syt_launcher_verb syt_verb_pause = {.run = run_pause,
                                                 .argp = &pause_argp,
                                                 .options_bytes = sizeof(struct pause_options),
                                                 .usage = SYT_STATUS_USAGE};

const struct syt_launcher_verb syt_verb_resume = {.run = run_resume,
                                                  .argp = &resume_argp,
                                                  .options_bytes = sizeof(struct resume_options),
                                                  .usage = SYT_STATUS_USAGE};
