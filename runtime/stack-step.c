/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Unwinds the frames that the simple rules in the table (plain rows) do not cover: signal frames, walks that
 * follow all registers, and frames whose CFA is an expression or relative to a register other than sp and the
 * frame pointer. */
#include "runtime/stack-step.h"

#include <stddef.h>

#include "format/wire.h"
#include "runtime/module.h"

#define NR_EXPR_STACK 16
#define NR_EXPR_STEPS 256

bool syt_walk_extend(struct syt_walk *w, uintptr_t at)
{
	if (w->is_top_known || at < w->lo || at >= w->reach || w->reach - at < 8) {
		w->is_end_uncertain |= !w->is_top_known;
		return false;
	}
	while (w->hi - at < 8 || at >= w->hi) {
		if (!syt_peek_can_byte(w->hi)) {
			w->is_end_uncertain = true;
			return false;
		}
		w->hi += SYT_PAGE_BYTES;
	}
	return true;
}

#if defined(__x86_64__)
/* Loads a word from the address AT that an unusual unwind rule gives: in the stack, or at any readable
 * address. */
static bool load(struct syt_walk *w, uintptr_t at, uint64_t *v)
{
	if (at % 8)
		return false;
	if ((at < w->lo || !syt_walk_can_read(w, at)) && !syt_peek_can_byte(at))
		return false;
	*v = *(const uint64_t *)at;
	return true;
}

struct machine {
	struct syt_walk *w;
	const struct syt_step_regs *regs;
	uint64_t stack[NR_EXPR_STACK];
	unsigned nr;
};

static bool push(struct machine *m, uint64_t v)
{
	if (m->nr == NR_EXPR_STACK)
		return false;
	m->stack[m->nr++] = v;
	return true;
}

/* Executes the DWARF operation OP on the two topmost values of the expression stack. */
static bool apply_binary(struct machine *m, uint8_t op)
{
	if (m->nr < 2)
		return false;

	uint64_t b = m->stack[--m->nr], a = m->stack[--m->nr];
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case 0x16: /* swap */
		return push(m, b) && push(m, a);
	case 0x1a:
		return push(m, a & b);
	case 0x1c:
		return push(m, a - b);
	case 0x1e:
		return push(m, a * b);
	case 0x21:
		return push(m, a | b);
	case 0x22:
		return push(m, a + b);
	case 0x24:
		return push(m, b < 64 ? a << b : 0);
	case 0x25:
		return push(m, b < 64 ? a >> b : 0);
	case 0x26:
		return push(m, (uint64_t)(sa >> (b < 63 ? b : 63)));
	case 0x27:
		return push(m, a ^ b);
	case 0x29:
		return push(m, sa == sb);
	case 0x2a:
		return push(m, sa >= sb);
	case 0x2b:
		return push(m, sa > sb);
	case 0x2c:
		return push(m, sa <= sb);
	case 0x2d:
		return push(m, sa < sb);
	case 0x2e:
		return push(m, sa != sb);
	}
	return false;
}

static enum syt_step push_register(struct machine *m, uint64_t reg, int64_t offset)
{
	if (reg >= SYT_CFI_NR_REGS)
		return SYT_STEP_CUT;
	if (!(m->regs->known >> reg & 1))
		return SYT_STEP_REGS;
	return push(m, m->regs->values[reg] + (uint64_t)offset) ? SYT_STEP_OK : SYT_STEP_CUT;
}

/* Executes a DWARF operation that uses no register. Returns false if the operation is invalid. */
static bool apply(struct machine *m, struct syt_cursor *c, uint8_t op)
{
	uint64_t *top = m->nr ? &m->stack[m->nr - 1] : NULL;

	if (op >= 0x30 && op <= 0x4f) /* lit0..31 */
		return push(m, op - 0x30u);
	switch (op) {
	case 0x06: /* deref */
		return top && load(m->w, *top, top);
	case 0x08: /* const1u, const1s, and so on */
		return push(m, syt_get_u8(c));
	case 0x09:
		return push(m, (uint64_t)(int64_t)(int8_t)syt_get_u8(c));
	case 0x0a:
		return push(m, syt_get_le(c, 2));
	case 0x0b:
		return push(m, (uint64_t)(int64_t)(int16_t)syt_get_le(c, 2));
	case 0x0c:
		return push(m, syt_get_le(c, 4));
	case 0x0d:
		return push(m, (uint64_t)(int64_t)(int32_t)syt_get_le(c, 4));
	case 0x0e:
	case 0x0f:
		return push(m, syt_get_le(c, 8));
	case 0x10: /* constu */
		return push(m, syt_get_varint(c));
	case 0x11: /* consts */
		return push(m, (uint64_t)syt_get_sleb(c));
	case 0x14: /* over */
		return m->nr >= 2 && push(m, m->stack[m->nr - 2]);
	}
	if (!top)
		return false;
	switch (op) {
	case 0x12: /* dup */
		return push(m, *top);
	case 0x13: /* drop */
		m->nr--;
		return true;
	case 0x1f: /* neg */
		*top = -*top;
		return true;
	case 0x20: /* not */
		*top = ~*top;
		return true;
	case 0x23: /* plus_uconst */
		*top += syt_get_varint(c);
		return true;
	}
	return apply_binary(m, op);
}

static enum syt_step apply_step(struct machine *m, struct syt_cursor *c)
{
	uint8_t op = syt_get_u8(c);
	uint64_t reg = op == 0x92 ? syt_get_varint(c) : op - 0x70u;

	if (op == 0x92 || (op >= 0x70 && op <= 0x8f)) /* bregx, breg0..31 */
		return push_register(m, reg, syt_get_sleb(c));
	return apply(m, c, op) && !c->failed ? SYT_STEP_OK : SYT_STEP_CUT;
}

/* Evaluates a DWARF expression (DWARF 5, 2.5) without calls, pieces and types. INITIAL is first pushed on
 * the expression stack unless IS_BARE. */
static enum syt_step evaluate(struct syt_walk *w, const struct syt_step_regs *regs, int64_t at,
                              bool is_bare, uint64_t initial, uint64_t *result)
{
	/* syt_cfi_find() has checked that the whole expression lies in the module */
	struct syt_cursor c = {(const uint8_t *)(uintptr_t)at,
	                       (const uint8_t *)(uintptr_t)at + SYT_VARINT_MAX, 0};
	uint64_t bytes = syt_get_varint(&c);
	struct machine m = {.w = w, .regs = regs};
	enum syt_step rv = SYT_STEP_OK;

	c.end = c.p + bytes;
	if (!is_bare)
		push(&m, initial);
	for (unsigned nr = 0; c.p < c.end; nr++) {
		if (nr == NR_EXPR_STEPS)
			return SYT_STEP_CUT;
		rv = apply_step(&m, &c);
		if (rv != SYT_STEP_OK)
			return rv;
	}
	if (!m.nr)
		return SYT_STEP_CUT;
	*result = m.stack[m.nr - 1];
	return SYT_STEP_OK;
}

/* Computes the caller's register REG by RULE and stores it in NEXT. */
static enum syt_step recover(struct syt_walk *w, const struct syt_step_regs *regs, unsigned reg,
                             struct syt_cfi_rule rule, uint64_t cfa, struct syt_step_regs *next)
{
	enum syt_step rv = SYT_STEP_OK;
	uint64_t v = 0;

	switch (rule.kind) {
	case SYT_CFI_UNSPECIFIED:
		if (reg == SYT_CFI_SP) {
			v = cfa;
			break;
		}
		/* fall through */
	case SYT_CFI_SAME:
		if (!(regs->known >> reg & 1))
			return SYT_STEP_OK;
		v = regs->values[reg];
		break;
	case SYT_CFI_OFFSET:
		if (!load(w, cfa + (uint64_t)rule.value, &v))
			return SYT_STEP_CUT;
		break;
	case SYT_CFI_VAL_OFFSET:
		v = cfa + (uint64_t)rule.value;
		break;
	case SYT_CFI_REGISTER:
		if (rule.value < 0 || rule.value >= SYT_CFI_NR_REGS ||
		    !(regs->known >> rule.value & 1))
			return SYT_STEP_OK;
		v = regs->values[rule.value];
		break;
	case SYT_CFI_EXPR:
		rv = evaluate(w, regs, rule.value, false, cfa, &v);
		if (rv == SYT_STEP_OK && !load(w, v, &v))
			rv = SYT_STEP_CUT;
		break;
	case SYT_CFI_VAL_EXPR:
		rv = evaluate(w, regs, rule.value, false, cfa, &v);
		break;
	default: /* undefined */
		return SYT_STEP_OK;
	}
	if (rv == SYT_STEP_OK) {
		next->values[reg] = v;
		next->known |= 1u << reg;
	}
	return rv;
}

/* Computes the CFA of the frame whose registers are REGS. */
static enum syt_step find_cfa(struct syt_walk *w, const struct syt_step_regs *regs,
                              const struct syt_cfi *rules, uint64_t *cfa)
{
	if (rules->cfa.kind == SYT_CFI_VAL_EXPR)
		return evaluate(w, regs, rules->cfa.value, true, 0, cfa);
	if (rules->cfa.kind != SYT_CFI_REGISTER || rules->cfa.value < 0 ||
	    rules->cfa.value >= SYT_CFI_NR_REGS)
		return SYT_STEP_CUT;
	if (!(regs->known >> rules->cfa.value & 1))
		return SYT_STEP_REGS;
	*cfa = regs->values[rules->cfa.value] + (uint64_t)rules->cfa_offset;
	return SYT_STEP_OK;
}

/* Makes the frame with the registers REGS the current frame of the walk. */
static enum syt_step arrive(struct syt_walk *w, const struct syt_step_regs *regs, bool is_signal)
{
	uint32_t needed = 1u << SYT_CFI_RA | 1u << SYT_CFI_SP;
	uintptr_t sp = w->sp;

	if ((regs->known & needed) != needed)
		return regs->known & 1u << SYT_CFI_RA ? SYT_STEP_CUT : SYT_STEP_END;
	w->pc = regs->values[SYT_CFI_RA];
	w->sp = regs->values[SYT_CFI_SP];
	w->bp = regs->values[SYT_CFI_BP];
	w->is_exact = is_signal;
	w->is_signal |= is_signal;
	if (!w->pc)
		return SYT_STEP_END;
	if (!syt_walk_is_pc(w->pc) || w->sp % 8)
		return SYT_STEP_CUT;
	if (is_signal && (w->sp < sp || w->sp >= w->hi)) {
		/* the interrupted code may use another stack than the signal handler, and its red zone of
		 * 128 bytes is below sp */
		if (!syt_peek_can_byte(w->sp - 128))
			return SYT_STEP_CUT;
		w->is_top_known = false;
		w->lo = w->sp - 128;
		w->hi = syt_walk_page_end(w->lo);
		w->reach = w->hi + SYT_STEP_REACH_BYTES;
		return SYT_STEP_OK;
	}
	return w->sp > sp ? SYT_STEP_OK : SYT_STEP_CUT;
}

/* Computes the caller's registers NEXT from REGS by the complete unwind rules of the current pc. */
static enum syt_step step(struct syt_walk *w, const struct syt_step_regs *regs,
                          struct syt_step_regs *next)
{
	uintptr_t at = w->pc - !w->is_exact;
	const struct syt_module *m = syt_module_find(at);
	struct syt_cfi rules;
	uint64_t cfa = 0;
	enum syt_step rv;

	next->known = 0;
	if (!m || syt_cfi_find(m, at, &rules))
		return SYT_STEP_CUT;
	if (rules.regs[SYT_CFI_RA].kind == SYT_CFI_UNDEFINED)
		return SYT_STEP_END;
	rv = find_cfa(w, regs, &rules, &cfa);
	if (rv != SYT_STEP_OK)
		return rv;
	for (unsigned reg = 0; reg < SYT_CFI_NR_REGS; reg++) {
		rv = recover(w, regs, reg, rules.regs[reg], cfa, next);
		if (rv != SYT_STEP_OK)
			return rv;
	}
	return arrive(w, next, rules.is_signal);
}

enum syt_step syt_walk_special(struct syt_walk *w)
{
	struct syt_step_regs regs, next;

	if (w->row == SYT_STACK_ROW_END)
		return SYT_STEP_END;
	if (w->row == SYT_STACK_ROW_NONE)
		return SYT_STEP_CUT;
	regs.values[SYT_CFI_SP] = w->sp;
	regs.values[SYT_CFI_BP] = w->bp;
	regs.values[SYT_CFI_RA] = w->pc;
	regs.known = 1u << SYT_CFI_SP | 1u << SYT_CFI_BP | 1u << SYT_CFI_RA;

	enum syt_step rv = step(w, &regs, &next);

	/* the frame pointer may be saved in a register that only the walk with all registers follows */
	if (rv == SYT_STEP_OK && !(next.known >> SYT_CFI_BP & 1))
		return SYT_STEP_REGS;
	return rv;
}

enum syt_step syt_walk_full(struct syt_walk *w)
{
	struct syt_step_regs next;
	enum syt_step rv = step(w, w->regs, &next);

	if (rv == SYT_STEP_OK)
		*w->regs = next;
	/* this walk already follows all registers, so the missing register stays unknown */
	return rv == SYT_STEP_REGS ? SYT_STEP_CUT : rv;
}
#else
enum syt_step syt_walk_special(struct syt_walk *w)
{
	return w->row == SYT_STACK_ROW_END ? SYT_STEP_END : SYT_STEP_CUT;
}

enum syt_step syt_walk_full(struct syt_walk *w)
{
	(void)w;
	return SYT_STEP_CUT;
}
#endif
