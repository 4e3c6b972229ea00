/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Stand-ins for the parts of runtime/ that the unit tests of the recording core do not test. */
#include "runtime/endpoint.h"
#include "runtime/endpoint_inherit.h"
#include "runtime/endpoint_slot.h"
#include "runtime/module.h"
#include "runtime/stack.h"

size_t syt_stack_state_bytes(void)
{
	return 64;
}

void syt_stack_state_reset(struct syt_stack_state *state)
{
	(void)state;
}

void syt_stack_state_fork_child(struct syt_stack_state *state)
{
	(void)state;
}

void syt_stack_state_abandon(struct syt_stack_state *state)
{
	(void)state;
}

int syt_stack_init(void)
{
	return 0;
}

uint32_t syt_stack_capture(struct syt_stack_state *state, const struct syt_stack_regs *regs,
                           uintptr_t top)
{
	(void)state, (void)regs, (void)top;
	return 7;
}

uint32_t syt_stack_capture_caller(struct syt_stack_state *state, const uintptr_t *fp, uintptr_t top)
{
	return syt_stack_capture(state, NULL, (uintptr_t)fp & top);
}

void syt_stack_prepare(void)
{
}

void syt_stack_fork_child(void)
{
}

void syt_module_fork_child(void)
{
}

uint64_t syt_endpoint_mark_key(const struct syt_endpoint *e, bool is_out)
{
	(void)e, (void)is_out;
	return 0;
}

uint64_t syt_endpoint_slot_count_rare(struct syt_endpoint_slot *slot, uint16_t generation,
                                      uint64_t was, uint64_t nr)
{
	(void)slot, (void)generation, (void)was, (void)nr;
	return 0;
}

uint64_t syt_endpoint_slot_no_offset(struct syt_endpoint_slot *slot, uint16_t generation)
{
	(void)slot, (void)generation;
	return 0;
}

void syt_endpoint_stale(void)
{
}

void syt_endpoint_inherit(const char *text)
{
	(void)text;
}

void syt_endpoint_fork_child(void)
{
}

void syt_endpoint_leave(void)
{
}

void syt_endpoint_stay(void)
{
}
