/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Computes for each instruction of a seccomp filter whether it can be reached, and which of the two BPF
 * registers then hold a value that is the same on all paths. System call arguments, the instruction pointer and
 * scratch memory count as unknown values. A comparison with an unknown value takes both branches. The kernel
 * accepts only few instructions (seccomp_check_filter); this file treats a filter with other instructions as
 * denying the call. */
#include "runtime/seccomp.h"

#include <stddef.h>

#include <linux/audit.h>
#include <linux/seccomp.h>

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

struct value {
	uint32_t value;
	bool is_known;
};

struct state {
	struct value a, x;
	bool is_reached;
};

static struct state states[BPF_MAXINSNS];
static uint32_t is_busy;

static const struct value unknown;

static struct value known(uint32_t v)
{
	return (struct value){v, true};
}

static void merge_value(struct value *to, struct value from)
{
	if (!from.is_known || to->value != from.value)
		*to = unknown;
}

/* Merges FROM, the register state at the end of an instruction, into the state before instruction TO.
 * Returns false if TO is outside. */
static bool flow(const struct state *from, uint64_t to, uint32_t nr)
{
	if (to >= nr)
		return false;
	if (!states[to].is_reached) {
		states[to] = *from;
		return true;
	}
	merge_value(&states[to].a, from->a);
	merge_value(&states[to].x, from->x);
	return true;
}

static struct value load(uint32_t offset, long nr)
{
	switch (offset) {
	case offsetof(struct seccomp_data, nr):
		return known((uint32_t)nr);
	case offsetof(struct seccomp_data, arch):
		return known(OUR_ARCH);
	default:
		return unknown;
	}
}

/* Computes the register value *A after the operation CODE with B. Returns false if the divisor may be zero,
 * which would end the program. */
static bool compute(struct value *a, uint16_t code, struct value b)
{
	uint32_t v = a->value;

	if (BPF_OP(code) == BPF_DIV && !(b.is_known && b.value))
		return false;
	if (!a->is_known || (BPF_OP(code) != BPF_NEG && !b.is_known)) {
		*a = unknown;
		return true;
	}
	switch (BPF_OP(code)) {
	case BPF_ADD:
		v += b.value;
		break;
	case BPF_SUB:
		v -= b.value;
		break;
	case BPF_MUL:
		v *= b.value;
		break;
	case BPF_DIV:
		v /= b.value;
		break;
	case BPF_AND:
		v &= b.value;
		break;
	case BPF_OR:
		v |= b.value;
		break;
	case BPF_XOR:
		v ^= b.value;
		break;
	case BPF_LSH:
		v = b.value < 32 ? v << b.value : 0;
		break;
	case BPF_RSH:
		v = b.value < 32 ? v >> b.value : 0;
		break;
	case BPF_NEG:
		v = -v;
		break;
	default:
		return false;
	}
	*a = known(v);
	return true;
}

static bool compare(uint16_t code, uint32_t a, uint32_t b)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	default: /* BPF_JSET */
		return (a & b) != 0;
	}
}

static bool jump(const struct state *s, uint64_t at, const struct sock_filter *i, uint32_t nr)
{
	struct value b = BPF_SRC(i->code) == BPF_X ? s->x : known(i->k);

	if (BPF_OP(i->code) == BPF_JA)
		return flow(s, at + 1 + i->k, nr);
	if (s->a.is_known && b.is_known)
		return flow(s, at + 1 + (compare(i->code, s->a.value, b.value) ? i->jt : i->jf),
		            nr);
	return flow(s, at + 1 + i->jt, nr) && flow(s, at + 1 + i->jf, nr);
}

/* Returns true if the return instruction I allows the system call. SECCOMP_RET_LOG counts as a refusal,
 * because the log entry is visible. */
static bool is_harmless(const struct state *s, const struct sock_filter *i)
{
	struct value v = BPF_RVAL(i->code) == BPF_A ? s->a : known(i->k);

	return v.is_known && (v.value & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ALLOW;
}

/* Computes the states after the reachable instruction AT of the filter. Returns false if the instruction is
 * unknown or refuses the system call. */
static bool step(const struct sock_filter *program, uint32_t nr, uint32_t at, long call)
{
	const struct sock_filter *i = &program[at];
	struct state s = states[at];

	switch (BPF_CLASS(i->code)) {
	case BPF_RET:
		return is_harmless(&s, i);
	case BPF_JMP:
		return jump(&s, at, i, nr);
	case BPF_LD:
		s.a = i->code == (BPF_LD | BPF_W | BPF_ABS)   ? load(i->k, call)
		      : i->code == (BPF_LD | BPF_IMM)         ? known(i->k)
		      : i->code == (BPF_LD | BPF_W | BPF_LEN) ? known(sizeof(struct seccomp_data))
		                                              : unknown;
		break;
	case BPF_LDX:
		s.x = i->code == (BPF_LDX | BPF_IMM)           ? known(i->k)
		      : i->code == (BPF_LDX | BPF_W | BPF_LEN) ? known(sizeof(struct seccomp_data))
		                                               : unknown;
		break;
	case BPF_ST:
	case BPF_STX:
		break;
	case BPF_ALU:
		if (!compute(&s.a, i->code, BPF_SRC(i->code) == BPF_X ? s.x : known(i->k)))
			return false;
		break;
	case BPF_MISC:
		if (BPF_MISCOP(i->code) == BPF_TAX)
			s.x = s.a;
		else
			s.a = s.x;
		break;
	default:
		return false;
	}
	return flow(&s, (uint64_t)at + 1, nr);
}

bool syt_seccomp_allows(const struct sock_filter *program, uint32_t nr_instructions, long nr)
{
	bool is_allowed = nr_instructions && nr_instructions <= BPF_MAXINSNS;

	if (!is_allowed || __atomic_exchange_n(&is_busy, 1, __ATOMIC_ACQUIRE))
		return false;
	for (uint32_t i = 0; i < nr_instructions; i++)
		states[i].is_reached = false;
	states[0] = (struct state){known(0), known(0), true};
	for (uint32_t i = 0; i < nr_instructions && is_allowed; i++)
		if (states[i].is_reached)
			is_allowed = step(program, nr_instructions, i, nr);
	__atomic_store_n(&is_busy, 0, __ATOMIC_RELEASE);
	return is_allowed;
}
