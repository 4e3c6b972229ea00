/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The reference unwinder, and stand-ins for the functions of runtime/meta.h that write to the dump. */
#define _GNU_SOURCE
#include "tests/stack/oracle.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include "format/format.h"
#include "runtime/meta.h"
#include "runtime/session.h"

#define NR_NODES (1u << 21)
#define NR_MODULES 8192
#define NR_FRAMES (SYT_STACK_DEPTH + 64)

/* ---- the dump ---- */

static struct syt_stack_node *nodes; /* [NR_NODES] */
static uint32_t nr_nodes;
static struct module {
	struct syt_meta_module def;
	char path[256];
	bool is_gone;
} * modules; /* [NR_MODULES] */
static unsigned nr_modules;
static unsigned long nr_lost, nr_checks;
bool oracle_is_cut_expected;

__attribute__((constructor)) static void set_up(void)
{
	size_t bytes = NR_NODES * sizeof(*nodes) + NR_MODULES * sizeof(*modules);

	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED || syt_stack_init()) {
		perror("oracle: set-up");
		exit(1);
	}
	modules = (void *)((struct syt_stack_node *)p + NR_NODES);
	nodes = p;
}

void syt_meta_append(enum syt_meta_type type, const void *fixed, size_t fixed_bytes,
                     const void *tail1, size_t tail1_bytes, const void *tail2, size_t tail2_bytes)
{
	(void)fixed_bytes, (void)tail1, (void)tail1_bytes;
	if (type == SYT_META_MODULE) {
		const struct syt_meta_module *def = fixed;
		struct module *m = &modules[def->id % NR_MODULES];
		size_t bytes = tail2_bytes < sizeof(m->path) ? tail2_bytes : sizeof(m->path) - 1;

		m->def = *def;
		memcpy(m->path, tail2, bytes);
		__atomic_fetch_add(&nr_modules, 1, __ATOMIC_RELAXED);
	} else if (type == SYT_META_UNMAP) {
		modules[((const struct syt_meta_unmap *)fixed)->id % NR_MODULES].is_gone = true;
	}
}

uint32_t syt_meta_stack(uint32_t parent, uint16_t module, uint64_t offset)
{
	uint32_t id = __atomic_add_fetch(&nr_nodes, 1, __ATOMIC_RELAXED);

	if (id >= NR_NODES)
		return 0;
	nodes[id] = (struct syt_stack_node){parent, module, 0, offset};
	return id;
}

void syt_lost(enum syt_loss why, uint64_t nr)
{
	(void)why;
	__atomic_fetch_add(&nr_lost, nr, __ATOMIC_RELAXED);
}

void syt_session_blind(enum syt_blind what, const char *text)
{
	(void)what, (void)text;
}

unsigned oracle_frames(uint32_t id, uint64_t *pcs, unsigned max)
{
	unsigned nr = 0;

	for (; id; id = nodes[id].parent, nr++) {
		uint64_t flags = nodes[id].offset & ~SYT_STACK_OFFSET;
		uint64_t bias =
			nodes[id].module ? modules[nodes[id].module % NR_MODULES].def.bias : 0;

		if (nr < max)
			pcs[nr] = ((nodes[id].offset + bias) & SYT_STACK_OFFSET) | flags;
		if (nodes[id].parent >= id) {
			fprintf(stderr, "oracle: node %u has parent %u\n", id, nodes[id].parent);
			exit(1);
		}
	}
	return nr;
}

const char *oracle_module_path(uint32_t id, bool *is_gone)
{
	const struct module *m = &modules[id % NR_MODULES];

	if (m->def.id != id)
		return NULL;
	*is_gone = m->is_gone;
	return m->path;
}

uint32_t oracle_module_of_frame(uint32_t stack_id)
{
	return nodes[stack_id].module;
}

unsigned oracle_nr_modules(void)
{
	return nr_modules;
}

unsigned long oracle_nr_lost(void)
{
	return nr_lost;
}

bool oracle_is_set_up(void)
{
	return nodes != NULL;
}

unsigned long oracle_nr_checks(void)
{
	return nr_checks;
}

uint32_t oracle_random(void)
{
	static __thread uint64_t x;

	if (!x)
		x = (uint64_t)gettid() * 0x9e3779b97f4a7c15 | 1;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (uint32_t)(x >> 32);
}

/* ---- the reference ---- */

struct trace {
	uint64_t *pcs;
	unsigned nr, skip;
};

static _Unwind_Reason_Code collect(struct _Unwind_Context *c, void *arg)
{
	struct trace *t = arg;
	int is_exact = 0;
	uint64_t pc = _Unwind_GetIPInfo(c, &is_exact);

	if (t->skip) {
		t->skip--;
		return _URC_NO_REASON;
	}
	if (t->nr == NR_FRAMES || !pc)
		return _URC_END_OF_STACK;
	t->pcs[t->nr++] = pc | (is_exact ? SYT_STACK_SIGNAL : 0);
	return _URC_NO_REASON;
}

/*
 * The memory of a thread: its previous stack and buffers, one set for each level of nested signal
 * handlers.
 */
static __thread struct own {
	struct syt_stack_state *state;
	uintptr_t low, top;
	uint64_t (*ours)[NR_FRAMES], (*theirs)[NR_FRAMES];
	int depth;
} own;

static void open_own(void)
{
	size_t state_bytes = (syt_stack_state_bytes() + 4095) & ~(size_t)4095;
	size_t buffer_bytes = 8 * sizeof(uint64_t[NR_FRAMES]);
	pthread_attr_t attr;
	void *low;
	size_t bytes;
	char *p = mmap(NULL, state_bytes + 2 * buffer_bytes, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED || pthread_getattr_np(pthread_self(), &attr) ||
	    pthread_attr_getstack(&attr, &low, &bytes))
		abort();
	pthread_attr_destroy(&attr);
	own.low = (uintptr_t)low;
	own.top = own.low + bytes;
	own.ours = (void *)(p + state_bytes);
	own.theirs = (void *)(p + state_bytes + buffer_bytes);
	own.state = (void *)p;
}

static void print(const char *what, const uint64_t *pcs, unsigned nr)
{
	fprintf(stderr, "%s: %u frames\n", what, nr);
	for (unsigned i = 0; i < nr && i < 60; i++)
		fprintf(stderr, "  %2u %#lx%s%s\n", i, (unsigned long)(pcs[i] & SYT_STACK_OFFSET),
		        pcs[i] & SYT_STACK_SIGNAL ? " signal" : "",
		        pcs[i] & SYT_STACK_TRUNCATED ? " truncated" : "");
}

static void compare(const char *how, uint32_t id, const uint64_t *theirs, unsigned nr_theirs)
{
	uint64_t *ours = own.ours[own.depth - 1];
	unsigned nr = oracle_frames(id, ours, NR_FRAMES), i = 0;
	bool is_cut = nr && ours[nr - 1] & SYT_STACK_TRUNCATED;

	while (i < nr && i < nr_theirs && (ours[i] & ~SYT_STACK_TRUNCATED) == theirs[i])
		i++;
	if (i == nr && nr == nr_theirs && (!is_cut || oracle_is_cut_expected))
		return;
	if (i == nr && is_cut && nr == SYT_STACK_DEPTH && nr_theirs > nr)
		return;
	fprintf(stderr, "oracle: %s: frame %u differs, after %lu checks\n", how, i, nr_checks);
	print("captured", ours, nr);
	print("reference", theirs, nr_theirs);
	_exit(1);
}

__attribute__((noinline)) void oracle_check(void)
{
	const uintptr_t *fp = __builtin_frame_address(0);
	struct syt_stack_regs regs = {.pc = fp[1], .sp = (uintptr_t)(fp + 2), .bp = fp[0]};

	if (!own.state)
		open_own();

	int depth = own.depth++;
	bool is_own_stack = regs.sp >= own.low && regs.sp < own.top;
	uintptr_t top = is_own_stack ? own.top : 0;
	struct trace t = {own.theirs[depth], 0, 1};

	__asm__ volatile("" ::: "memory");

	uint32_t id = syt_stack_capture(depth ? NULL : own.state, &regs, top);

	_Unwind_Backtrace(collect, &t);
	compare(depth ? "nested" : "stitched", id, t.pcs, t.nr);
	compare("plain", syt_stack_capture(NULL, &regs, top), t.pcs, t.nr);
	if (t.nr < 200)
		compare("unknown top", syt_stack_capture(NULL, &regs, 0), t.pcs, t.nr);
	__atomic_fetch_add(&nr_checks, 1, __ATOMIC_RELAXED);
	own.depth = depth;
}
