/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Assigns slots (memory to record into) to threads. A slot goes to another thread only when its owner was
 * joined, or the kernel says that its owner is gone. A thread may record until its very end: destructors of thread-local data run after
 * every notification that the recorder can get. */
#include "runtime/thread.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>

#include "runtime/arena.h"
#include "runtime/clock.h"
#include "runtime/forked.h"
#include "runtime/map.h"
#include "runtime/mark.h"
#include "runtime/meta.h"
#include "runtime/self.h"
#include "runtime/sys.h"

#define NR_SLOTS_MAX 65536u
#define NR_RECLAIM_TRIES 64u
#define NR_HANDLES 65536u

/* Memory for the states of this many threads is mapped at once (a slab): one mapping for each thread would
 * halve the number of threads that the program can have (vm.max_map_count). */
#define SLAB_THREADS 16u
#define NR_SLABS (NR_SLOTS_MAX / SLAB_THREADS)

enum slot_state { SLOT_LIVE = 1, SLOT_ENDED, SLOT_CLAIMED };

__thread struct syt_self *syt_self_tls;
/* address of the frame that is attaching this thread to the recorder, or 0 */
static __thread uintptr_t attaching_at;
static __thread bool is_refused;

static struct syt_self *slots[NR_SLOTS_MAX]; /* thread states by slot number */
/* memory of the thread states: state N is in slab N / SLAB_THREADS */
static uint8_t *slabs[NR_SLABS];
SYT_FORKED static uint32_t nr_slots, nr_ended, reclaim_at, next_thread;

/* Table from pthread_t to thread number. Most of its pages are never touched. */
static struct handle {
	uint64_t handle;
	uint32_t thread; /* T + 1 */
} handles[NR_HANDLES] __attribute__((aligned(SYT_PAGE_BYTES)));

/* One bit for each thread that has stored its own pthread_t. A bit is reused when the pthread_create of its
 * thread must have ended. */
#define NR_BEGUN 1024u
static uint64_t has_begun[NR_BEGUN];

/* T + 1 of a thread that was joined, and so is gone, at the place T % NR_JOINED. */
#define NR_JOINED (SYT_PAGE_BYTES / sizeof(uint32_t))
static uint32_t joined[NR_JOINED] __attribute__((aligned(SYT_PAGE_BYTES)));

#define LINE_MASK 63u

static size_t whole_lines(size_t bytes)
{
	return (bytes + LINE_MASK) & ~(size_t)LINE_MASK;
}

/* In memory, a thread's state is followed by its stack state, by struct syt_slot_rest and by the memory
 * for sealing. The memory consists of whole pages, most of which are never touched. */
static size_t stack_state_at(void)
{
	return whole_lines(sizeof(struct syt_self));
}

static size_t slot_rest_at(void)
{
	return whole_lines(stack_state_at() + syt_stack_state_bytes());
}

static size_t packer_at(void)
{
	return whole_lines(slot_rest_at() + sizeof(struct syt_slot_rest));
}

static size_t self_bytes(void)
{
	return (packer_at() + syt_slot_packer_bytes() + SYT_PAGE_BYTES - 1) &
	       ~(size_t)(SYT_PAGE_BYTES - 1);
}

/* Returns the slab that contains thread state NUMBER, and maps the slab at its first use. Returns NULL if
 * out of memory. */
static uint8_t *get_slab(uint32_t number)
{
	return syt_map_chunk((void **)&slabs[number / SLAB_THREADS], SLAB_THREADS * self_bytes());
}

void syt_thread_init(void)
{
	get_slab(0);
}

/* Returns the place of thread state NUMBER in SLAB. The first state is the last one in memory, so that it is close to the
 * tables that were mapped before. */
static struct syt_self *state_in(uint8_t *slab, uint32_t number)
{
	return (struct syt_self *)(slab +
	                           (SLAB_THREADS - 1 - number % SLAB_THREADS) * self_bytes());
}

void syt_thread_prepare(void)
{
	uint32_t n = __atomic_load_n(&nr_slots, __ATOMIC_RELAXED);

	for (uint32_t number = n; number <= n + SLAB_THREADS && number < NR_SLOTS_MAX;
	     number += SLAB_THREADS)
		get_slab(number);
}

uint32_t syt_thread_announce(void)
{
	uint32_t thread = __atomic_fetch_add(&next_thread, 1, __ATOMIC_RELAXED);

	__atomic_fetch_and(&has_begun[thread / 64 % NR_BEGUN], ~(UINT64_C(1) << thread % 64),
	                   __ATOMIC_RELAXED);
	return thread;
}

/* Returns whether the owner of S, which the caller has claimed, is gone. */
static bool is_gone(const struct syt_self *s, uint32_t pid)
{
	return __atomic_load_n(&joined[s->thread % NR_JOINED], __ATOMIC_ACQUIRE) == s->thread + 1 ||
	       SYT_SYS_3(SYS_tgkill, pid, s->tid, 0) == -ESRCH;
}

/* Returns the state of a thread that has ended and is gone, so that its slot can be reused, or NULL. */
static struct syt_self *reclaim(void)
{
	uint32_t n = __atomic_load_n(&nr_slots, __ATOMIC_ACQUIRE);
	uint32_t pid = syt_arena_file()->pid; /* a vfork child's own pid differs from this pid */

	if (n > NR_SLOTS_MAX)
		n = NR_SLOTS_MAX;
	for (uint32_t tries = 0; tries < NR_RECLAIM_TRIES && tries < n; tries++) {
		if (!__atomic_load_n(&nr_ended, __ATOMIC_RELAXED))
			return NULL;
		uint32_t i = __atomic_fetch_add(&reclaim_at, 1, __ATOMIC_RELAXED) % n;
		struct syt_self *s = __atomic_load_n(&slots[i], __ATOMIC_ACQUIRE);
		uint32_t ended = SLOT_ENDED;

		if (!s || !__atomic_compare_exchange_n(&s->slot.state, &ended, SLOT_CLAIMED, false,
		                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		if (is_gone(s, pid)) {
			__atomic_fetch_sub(&nr_ended, 1, __ATOMIC_RELAXED);
			return s;
		}
		__atomic_store_n(&s->slot.state, SLOT_ENDED, __ATOMIC_RELEASE);
	}
	return NULL;
}

static struct syt_self *create(void)
{
	struct syt_self *s;
	uint32_t number;
	uint8_t *slab;

	do
		number = __atomic_fetch_add(&nr_slots, 1, __ATOMIC_ACQ_REL);
	while (number < NR_SLOTS_MAX && slots[number]); /* a forked child keeps its slot's number */
	if (number >= NR_SLOTS_MAX) {
		__atomic_store_n(&nr_slots, NR_SLOTS_MAX, __ATOMIC_RELEASE);
		return NULL;
	}
	slab = get_slab(number);
	if (!slab)
		return NULL;
	s = state_in(slab, number);
	s->slot.rest = (struct syt_slot_rest *)((uint8_t *)s + slot_rest_at());
	if (!syt_slot_create(&s->slot, number))
		return NULL;
	s->stack_state = (struct syt_stack_state *)((uint8_t *)s + stack_state_at());
	s->slot.packer = (uint8_t *)s + packer_at();
	__atomic_store_n(&slots[number], s, __ATOMIC_RELEASE);
	return s;
}

/* Returns the tid of the calling thread, or 0 if the system call is denied. */
static uint32_t own_tid(void)
{
	long tid = SYT_SYS_0(SYS_gettid);

	return tid > 0 ? (uint32_t)tid : 0;
}

/* Returns one past the highest address of the calling thread's stack. glibc puts a thread's descriptor at
 * the top of its stack. In the main thread, the environment's strings and the bytes of AT_RANDOM are above
 * all frames. */
static uintptr_t stack_top(uint32_t tid)
{
	if (tid && tid == syt_arena_file()->pid)
		return (uintptr_t)getauxval(AT_RANDOM);
	return (uintptr_t)pthread_self();
}

static void define(const struct syt_self *s, uint32_t creator)
{
	struct syt_meta_thread m = {
		.thread = s->thread,
		.tid = s->tid,
		.creator = creator,
		.slot = s->slot.number,
		.ticks = syt_clock_release(),
		.handle = s->handle,
	};

	syt_meta_append(SYT_META_THREAD, &m, sizeof(m), NULL, 0, NULL, 0);
}

static struct syt_self *take_slot(void)
{
	struct syt_self *s = reclaim();

	if (!s)
		s = create();
	if (!s)
		syt_lost(SYT_LOSS_NO_SLOT, 1);
	return s;
}

/* Cleans up after a thread that was cancelled, or left the recorder by a jump, while it recorded an event. */
static void recover(struct syt_self *s)
{
	uint32_t torn = (s->torn & ~(SYT_SKIPPED | SYT_SAMPLED)) | ((1u << s->depth) - 1);

	/* the last owner of the slot is gone, so its skipped call is over */
	if (s->torn & SYT_SKIPPED)
		syt_self_returned(s, syt_clock_release());
	if (s->torn & SYT_SAMPLED)
		syt_sample_end(s);

	for (unsigned lane = 0; lane < SYT_NR_LANES; lane++)
		if (torn >> lane & 1)
			syt_lane_recover(&s->slot, lane);
	if (torn)
		syt_stack_state_abandon(s->stack_state);
	s->torn = 0;
	s->depth = 0;
}

static void start(struct syt_self *s, uint32_t thread, uint32_t creator, uint32_t tid)
{
	recover(s);
	s->thread = thread == SYT_THREAD_NONE ? syt_thread_announce() : thread;
	s->tid = tid;
	s->handle = (uint64_t)pthread_self();
	s->borrower = 0;
	s->fresh = 0;
	s->is_exiting = false;
	s->top = stack_top(s->tid);
	memset(s->onces, 0, sizeof(s->onces));
	syt_stack_state_reset(s->stack_state);
	syt_slot_assign(&s->slot, s->thread, s->tid);
	__atomic_store_n(&s->slot.state, SLOT_LIVE, __ATOMIC_RELEASE);
	define(s, creator);
}

struct syt_self *syt_thread_attach(uint32_t thread, uint32_t creator)
{
	struct syt_self *s;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	/* if a deeper frame was attaching the thread and a signal handler jumped out of that frame, attach
	 * again */
	if ((attaching_at && here < attaching_at) || is_refused) {
		syt_lost(is_refused ? SYT_LOSS_NO_SLOT : SYT_LOSS_NESTED, 1);
		return NULL;
	}
	attaching_at = here;
	s = take_slot();
	if (!s) {
		is_refused = true;
	} else {
		start(s, thread, creator, own_tid());
		syt_thread_bind((uint64_t)pthread_self(), s->thread);
		syt_self_tls = s;
	}
	attaching_at = 0;
	return s;
}

bool syt_thread_was_borrowed;

static void lend(struct syt_self *s, uint32_t pid)
{
	if (pid)
		__atomic_store_n(&syt_thread_was_borrowed, true, __ATOMIC_RELAXED);
	syt_sample_ask_always();
	s->borrower = pid;
}

struct syt_self *syt_thread_attach_cloned(uint32_t tid, uint32_t pid)
{
	struct syt_self *s = take_slot();

	if (!s)
		return NULL;
	start(s, SYT_THREAD_NONE, SYT_THREAD_NONE, tid);
	s->top = 0; /* the stack of a cloned task may lie anywhere */
	lend(s, pid);
	return s;
}

void syt_thread_detach(struct syt_self *s)
{
	__atomic_fetch_add(&nr_ended, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&s->slot.state, SLOT_ENDED, __ATOMIC_RELEASE);
}

/* Returns the state of the calling thread or task if it records, else NULL. */
static struct syt_self *self(void)
{
	return __builtin_expect(syt_thread_may_be_cloned(), 0) ? syt_cloned_self(true)
	                                                       : syt_self_tls;
}

/* The number of pthread_once initializers that were run in this process, by a hash of the controls'
 * addresses. */
static uint16_t once_runs[SYT_NR_ONCES];

static unsigned once_hash(const void *control)
{
	return (unsigned)(((uintptr_t)control >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

/* Returns a mark that identifies the pthread_once_t at CONTROL. A later pthread_once_t at this address has
 * another mark, because its initializer was run since. */
static uintptr_t once_mark(const void *control)
{
	uint16_t runs = __atomic_load_n(&once_runs[once_hash(control)], __ATOMIC_RELAXED);

	return (uintptr_t)control ^ (uintptr_t)runs << 48;
}

void syt_once_was_run(const void *control)
{
	__atomic_fetch_add(&once_runs[once_hash(control)], 1, __ATOMIC_RELEASE);
}

bool syt_thread_knows_once(const void *control)
{
	return syt_self_tls && syt_self_tls->onces[once_hash(control)] == once_mark(control);
}

void syt_thread_learn_once(const void *control)
{
	if (syt_self_tls)
		syt_self_tls->onces[once_hash(control)] = once_mark(control);
}

void syt_thread_begin(uint32_t thread, uint32_t creator)
{
	if (*syt_alive && !syt_self_tls)
		syt_thread_attach(thread, creator);
}

void syt_thread_end(void)
{
	struct syt_self *s = self();

	if (s)
		syt_thread_detach(s);
}

void syt_thread_exiting(void)
{
	if (syt_self_tls)
		syt_self_tls->is_exiting = true;
}

bool syt_thread_is_exiting(void)
{
	return syt_self_tls && syt_self_tls->is_exiting;
}

void syt_thread_borrow(uint32_t pid)
{
	struct syt_self *s = self();

	if (!s)
		return;
	lend(s, pid);
	s->nr_touched = 0;
}

void syt_thread_touch(int fd)
{
	struct syt_self *s = self();

	if (s && s->nr_touched < SYT_NR_TOUCHED)
		s->touched[s->nr_touched++] = fd;
}

bool syt_thread_has_touched(int fd)
{
	const struct syt_self *s = self();

	if (!s || s->nr_touched == SYT_NR_TOUCHED)
		return true;
	for (uint32_t i = 0; i < s->nr_touched; i++)
		if (s->touched[i] == fd)
			return true;
	return false;
}

bool syt_thread_is_borrowed_now(void)
{
	const struct syt_self *s = self();

	return s && s->borrower;
}

uint32_t syt_thread_nr_others(void)
{
	uint32_t n = __atomic_load_n(&nr_slots, __ATOMIC_ACQUIRE), nr = 0;

	for (uint32_t i = 0; i < n && i < NR_SLOTS_MAX; i++) {
		const struct syt_self *s = __atomic_load_n(&slots[i], __ATOMIC_ACQUIRE);

		nr += s && s != syt_self_tls &&
		      __atomic_load_n(&s->slot.state, __ATOMIC_ACQUIRE) == SLOT_LIVE;
	}
	return nr;
}

/* Releases all slabs of thread states except the slab of S, and resets the other states in that slab.
 * Returns the number of S. */
static uint32_t keep_slab_of(struct syt_self *s)
{
	/* the number includes slabs that syt_thread_prepare mapped ahead of use */
	uint32_t nr = (nr_slots < NR_SLOTS_MAX ? nr_slots : NR_SLOTS_MAX) / SLAB_THREADS + 3;
	size_t bytes = self_bytes();
	uint8_t *kept = NULL;
	uint32_t number = 0;

	for (uint32_t i = 0; i < nr && i < NR_SLABS; i++) {
		uint8_t *slab = slabs[i];

		if (slab && s && (uint8_t *)s >= slab && (uint8_t *)s < slab + SLAB_THREADS * bytes)
			kept = slab;
		else if (slab)
			syt_map_release(slab, SLAB_THREADS * bytes);
		if (slab && (i || slab != kept))
			slabs[i] = NULL;
	}
	if (slabs[0] != kept)
		slabs[0] = kept;
	if (kept) {
		number = SLAB_THREADS - 1 - (uint32_t)((size_t)((uint8_t *)s - kept) / bytes);
		if (nr_slots <= (number == 0)) /* no other state was ever used */
			return number;
		if (number)
			syt_map_reset((uint8_t *)s + bytes, number * bytes);
		if (number + 1 < SLAB_THREADS)
			syt_map_reset(kept, (SLAB_THREADS - 1 - number) * bytes);
	}
	return number;
}

/* Most processes that fork have one thread. A value that is already right is not written again, because a
 * write makes the kernel copy the page. */
void syt_thread_fork_child(void)
{
	bool was_cloned = syt_cloned_fork_child();
	struct syt_self *s = syt_self_tls;
	uint32_t n = nr_slots < NR_SLOTS_MAX ? nr_slots : NR_SLOTS_MAX, number = keep_slab_of(s);

	syt_sample_ask_always();
	for (uint32_t i = 0; i < n; i++)
		if (slots[i] && (i != number || slots[i] != s))
			slots[i] = NULL;
	/* if the parent had only one thread, its pthread_t is unchanged and already belongs to thread
	 * number 0 */
	if (!s || s->thread || next_thread != 1 || was_cloned) {
		syt_map_reset(handles, sizeof(handles));
		syt_map_reset(joined, sizeof(joined));
	}
	nr_slots = 0;
	nr_ended = 0;
	next_thread = 1;
	is_refused = false;
	attaching_at = 0;
	if (!s) {
		syt_thread_attach(0, SYT_THREAD_NONE);
		return;
	}
	s->thread = 0;
	if (was_cloned) { /* the forked task may be a clone that shares another thread's memory */
		s->top = 0;
		s->handle = (uint64_t)pthread_self();
	}
	s->borrower = 0;
	s->fresh = 0;                   /* object ids start again */
	s->tid = syt_arena_file()->pid; /* the child's first thread */
	/* a signal handler forked, perhaps while it interrupted the capture of a stack */
	if (s->depth)
		syt_stack_state_abandon(s->stack_state);
	else
		syt_stack_state_fork_child(s->stack_state);
	s->depth = 0;
	syt_mark_forked(s);
	s->torn &= SYT_SKIPPED;
	if (!syt_slot_create(&s->slot, number)) {
		slots[number] = NULL;
		syt_self_tls = NULL;
		is_refused = true;
		return;
	}
	if (slots[number] != s)
		slots[number] = s;
	syt_slot_assign(&s->slot, 0, s->tid);
	if (s->torn & SYT_SKIPPED) /* a signal handler forked during a call that a pause left out */
		s->slot.shared->skipped = s->skipped_in & ~SYT_CONTROL_DEEP;
	s->slot.state = SLOT_LIVE;
	s->cpu_at = s->slot.lane0.predictor.end; /* as after the first event of a thread */
	define(s, SYT_THREAD_NONE);
	syt_thread_bind(s->handle, 0);
}

static struct handle *find_handle(uint64_t handle, bool is_new)
{
	uint32_t at = (uint32_t)((handle * UINT64_C(0x9e3779b97f4a7c15)) >> 48);

	for (uint32_t i = 0; i < 256; i++) {
		struct handle *h = &handles[(at + i) % NR_HANDLES];
		uint64_t found = __atomic_load_n(&h->handle, __ATOMIC_ACQUIRE);

		if (!found && is_new &&
		    __atomic_compare_exchange_n(&h->handle, &found, handle, false, __ATOMIC_ACQ_REL,
		                                __ATOMIC_ACQUIRE))
			return h;
		if (found == handle)
			return h;
		if (!found)
			return NULL;
	}
	return NULL;
}

void syt_thread_bind(uint64_t handle, uint32_t thread)
{
	struct handle *h = find_handle(handle, true);
	uint64_t *begun = &has_begun[thread / 64 % NR_BEGUN], bit = UINT64_C(1) << thread % 64;

	if (h && __atomic_load_n(&h->thread, __ATOMIC_RELAXED) != thread + 1)
		__atomic_store_n(&h->thread, thread + 1, __ATOMIC_RELEASE);
	if (!(__atomic_load_n(begun, __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(begun, bit, __ATOMIC_RELEASE);
}

void syt_thread_bind_created(uint64_t handle, uint32_t thread)
{
	struct handle *h = find_handle(handle, true);
	uint32_t old = h ? __atomic_load_n(&h->thread, __ATOMIC_ACQUIRE) : 0;
	uint64_t begun = __atomic_load_n(&has_begun[thread / 64 % NR_BEGUN], __ATOMIC_ACQUIRE);

	if (!h || begun >> thread % 64 & 1)
		return;
	/* fails if the new thread stores its number at this moment */
	__atomic_compare_exchange_n(&h->thread, &old, thread + 1, false, __ATOMIC_RELEASE,
	                            __ATOMIC_RELAXED);
}

void syt_thread_unbind(uint64_t handle, uint32_t thread)
{
	struct handle *h = find_handle(handle, false);
	uint32_t old = thread + 1;

	__atomic_store_n(&joined[thread % NR_JOINED], thread + 1, __ATOMIC_RELEASE);
	if (h)
		__atomic_compare_exchange_n(&h->thread, &old, 0, false, __ATOMIC_RELEASE,
		                            __ATOMIC_RELAXED);
}

uint32_t syt_thread_find(uint64_t handle)
{
	struct handle *h = find_handle(handle, false);
	uint32_t thread = h ? __atomic_load_n(&h->thread, __ATOMIC_ACQUIRE) : 0;

	return thread ? thread - 1 : SYT_THREAD_NONE;
}

void syt_thread_name(uint32_t thread, const char *name)
{
	if (*syt_alive && name && thread != SYT_THREAD_NONE)
		syt_meta_text(SYT_TEXT_THREAD_NAME, thread, name, strlen(name));
}
