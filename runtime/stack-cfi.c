/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Reads call frame information in three steps: the binary search table of .eh_frame_hdr gives the FDE of an
 * address, the FDE names its CIE, and the CFA instructions of CIE and FDE are executed up to the wanted
 * address.
 *
 * Every followed pointer must lie in the module's mapping, and every length is checked against it. This
 * code reads only search tables of (sdata4, sdata4) pairs relative to the header, because linkers write no
 * other tables.
 */
#include "runtime/stack-cfi.h"

#include <errno.h>
#include <stddef.h>

/* Pointer encodings (LSB 10.5.1). */
#define PE_OMIT 0xff
#define PE_FORMAT 0x0f
#define PE_BASE 0x70
#define PE_INDIRECT 0x80
#define PE_PCREL 0x10
#define PE_DATAREL 0x30
#define PE_TABLE 0x3b /* sdata4 | datarel */

#define NR_REMEMBERED 4 /* compilers nest one DW_CFA_remember_state, rarely two */

/* The fields of a CIE and an FDE that precede their CFA instructions. */
struct entry {
	struct syt_cursor cie, fde; /* the CFA instructions of the CIE and of the FDE */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;
	uintptr_t start, end; /* range of code addresses that the FDE covers */
	uint8_t encoding;     /* encoding of addresses in the FDE */
	bool has_size;        /* augmentation data begins with its length */
	bool is_signal;
};

struct program {
	const struct entry *entry;
	struct syt_cfi *rules;
	struct syt_cfi initial;
	struct syt_cfi saved[NR_REMEMBERED];
	unsigned nr_saved;
	uintptr_t at; /* code address to which the unwind rules computed so far apply */
	uintptr_t pc;
};

/* Reads a number in the format of the pointer encoding ENCODING. */
static uintptr_t get_number(struct syt_cursor *c, uint8_t encoding)
{
	switch (encoding & PE_FORMAT) {
	case 0x00: /* absptr */
	case 0x04: /* udata8 */
	case 0x0c: /* sdata8 */
		return syt_get_le(c, 8);
	case 0x01:
		return syt_get_varint(c);
	case 0x02:
		return syt_get_le(c, 2);
	case 0x03:
		return syt_get_le(c, 4);
	case 0x09:
		return (uintptr_t)syt_get_sleb(c);
	case 0x0a:
		return (uintptr_t)(int16_t)syt_get_le(c, 2);
	case 0x0b:
		return (uintptr_t)(int32_t)syt_get_le(c, 4);
	}
	c->failed = 1;
	return 0;
}

/* Reads a pointer in ENCODING. BASE is the header of the search table. */
static uintptr_t get_pointer(struct syt_cursor *c, uint8_t encoding, uintptr_t base)
{
	uintptr_t here = (uintptr_t)c->p, v = get_number(c, encoding);

	switch (encoding & PE_BASE) {
	case 0:
		return v;
	case PE_PCREL:
		return v + here;
	case PE_DATAREL:
		return v + base;
	}
	c->failed = 1;
	return 0;
}

static struct syt_cursor cursor_at(const struct syt_module *m, uintptr_t at)
{
	if (at < m->load_start || at >= m->load_end)
		return (struct syt_cursor){NULL, NULL, 1};
	return (struct syt_cursor){(const uint8_t *)at, (const uint8_t *)m->load_end, 0};
}

/* Narrows the cursor C to the CIE or FDE that begins at C. Stores the entry's second field in *ID and the
 * field's address in *ID_AT. */
static void open_entry(struct syt_cursor *c, uintptr_t *id_at, uint32_t *id)
{
	uint64_t bytes = syt_get_le(c, 4);

	if (bytes == UINT32_MAX)
		bytes = syt_get_le(c, 8);
	if (c->failed || bytes < 4 || bytes > (uint64_t)(c->end - c->p)) {
		c->failed = 1;
		return;
	}
	c->end = c->p + bytes;
	*id_at = (uintptr_t)c->p;
	*id = (uint32_t)syt_get_le(c, 4);
}

/* Returns the address of the FDE that the search table in .eh_frame_hdr gives for PC, or 0. */
static uintptr_t search(const struct syt_module *m, uintptr_t pc)
{
	uintptr_t hdr = (uintptr_t)m->eh_frame_hdr;
	struct syt_cursor c = cursor_at(m, hdr);
	uint8_t version = syt_get_u8(&c), frame_encoding = syt_get_u8(&c);
	uint8_t count_encoding = syt_get_u8(&c), table_encoding = syt_get_u8(&c);

	if (c.failed || version != 1 || count_encoding == PE_OMIT || table_encoding != PE_TABLE)
		return 0;
	get_pointer(&c, frame_encoding, hdr);

	uint64_t nr = get_pointer(&c, count_encoding, hdr);
	const struct {
		int32_t start, fde;
	} *table = (const void *)c.p;

	if (c.failed || !nr || nr > (uint64_t)(c.end - c.p) / sizeof(*table) ||
	    (uintptr_t)table % sizeof(table->start))
		return 0;

	int64_t key = (int64_t)(pc - hdr);
	uint64_t low = 0, high = nr; /* table[low].start <= key < table[high].start */

	if (key < table[0].start)
		return 0;
	while (high - low > 1) {
		uint64_t mid = low + (high - low) / 2;

		if (table[mid].start <= key)
			low = mid;
		else
			high = mid;
	}
	return hdr + (uintptr_t)(intptr_t)table[low].fde;
}

static int read_cie(struct entry *e, struct syt_cursor c)
{
	uintptr_t id_at;
	uint32_t id = 1;

	open_entry(&c, &id_at, &id);
	if (c.failed || id != 0)
		return -EINVAL;

	uint8_t version = syt_get_u8(&c);
	const uint8_t *augmentation = c.p;

	while (syt_get_u8(&c))
		;
	if (version != 1 && version != 3)
		return -EINVAL;
	e->code_align = syt_get_varint(&c);
	e->data_align = syt_get_sleb(&c);
	e->ra = version == 1 ? syt_get_u8(&c) : syt_get_varint(&c);
	e->encoding = 0;
	e->has_size = *augmentation == 'z';

	uint64_t bytes = e->has_size ? syt_get_varint(&c) : 0;

	if (c.failed || bytes > (uint64_t)(c.end - c.p) || (*augmentation && !e->has_size))
		return -EINVAL;

	struct syt_cursor data = {c.p, c.p + bytes, 0};

	for (const uint8_t *a = augmentation; *a; a++) {
		switch (*a) {
		case 'z':
			break;
		case 'R':
			e->encoding = syt_get_u8(&data);
			break;
		case 'P': {
			uint8_t encoding = syt_get_u8(&data);

			get_pointer(&data, encoding & ~PE_INDIRECT, 0);
			break;
		}
		case 'L':
			syt_get_u8(&data);
			break;
		case 'S':
			e->is_signal = true;
			break;
		case 'B': /* aarch64: pointers signed with the B key */
			break;
		default:
			return -EINVAL;
		}
	}
	c.p += bytes;
	e->cie = c;
	return c.failed || data.failed ? -EINVAL : 0;
}

static int read_fde(const struct syt_module *m, uintptr_t pc, struct entry *e)
{
	uintptr_t at = search(m, pc), id_at = 0, hdr = (uintptr_t)m->eh_frame_hdr;
	struct syt_cursor c = cursor_at(m, at);
	uint32_t id = 0;

	if (!at)
		return -ENOENT;
	open_entry(&c, &id_at, &id);
	if (c.failed || id == 0)
		return -EINVAL;

	int rv = read_cie(e, cursor_at(m, id_at - id));

	if (rv)
		return rv;
	e->start = get_pointer(&c, e->encoding & ~PE_INDIRECT, hdr);
	e->end = e->start + get_pointer(&c, e->encoding & PE_FORMAT, hdr);
	if (e->has_size) {
		uint64_t bytes = syt_get_varint(&c);

		if (c.failed || bytes > (uint64_t)(c.end - c.p))
			return -EINVAL;
		c.p += bytes;
	}
	e->fde = c;
	if (c.failed)
		return -EINVAL;
	return pc >= e->start && pc < e->end ? 0 : -ENOENT;
}

/* Sets the unwind rule of register REG. Returns true even for a register that is not followed, because the
 * instruction is valid. */
static bool set(struct syt_cfi *r, uint64_t reg, enum syt_cfi_kind kind, int64_t value)
{
	if (reg < SYT_CFI_NR_REGS)
		r->regs[reg] = (struct syt_cfi_rule){value, kind};
	return true;
}

/* Skips the DWARF expression at the cursor and returns the expression's address. */
static int64_t skip_expression(struct syt_cursor *c)
{
	int64_t at = (int64_t)(uintptr_t)c->p;
	uint64_t bytes = syt_get_varint(c);

	if (c->failed || bytes > (uint64_t)(c->end - c->p)) {
		c->failed = 1;
		return 0;
	}
	c->p += bytes;
	return at;
}

static bool restore(struct program *p, uint64_t reg)
{
	if (reg < SYT_CFI_NR_REGS)
		p->rules->regs[reg] = p->initial.regs[reg];
	return true;
}

static void advance(struct program *p, uint64_t delta)
{
	p->at += delta * p->entry->code_align;
}

/* Executes an instruction OP that defines the CFA. Returns false if OP is another instruction. */
static bool run_cfa(struct program *p, struct syt_cursor *c, uint8_t op)
{
	struct syt_cfi *r = p->rules;
	int64_t align = p->entry->data_align;

	switch (op) {
	case 0x0c: /* def_cfa */
		r->cfa = (struct syt_cfi_rule){(int64_t)syt_get_varint(c), SYT_CFI_REGISTER};
		r->cfa_offset = (int64_t)syt_get_varint(c);
		return true;
	case 0x0d: /* def_cfa_register */
		r->cfa = (struct syt_cfi_rule){(int64_t)syt_get_varint(c), SYT_CFI_REGISTER};
		return true;
	case 0x0e: /* def_cfa_offset */
		r->cfa_offset = (int64_t)syt_get_varint(c);
		return true;
	case 0x0f: /* def_cfa_expression */
		r->cfa = (struct syt_cfi_rule){skip_expression(c), SYT_CFI_VAL_EXPR};
		return true;
	case 0x12: /* def_cfa_sf */
		r->cfa = (struct syt_cfi_rule){(int64_t)syt_get_varint(c), SYT_CFI_REGISTER};
		r->cfa_offset = syt_get_sleb(c) * align;
		return true;
	case 0x13: /* def_cfa_offset_sf */
		r->cfa_offset = syt_get_sleb(c) * align;
		return true;
	}
	return false;
}

/* Executes an instruction OP that defines the rule of a register. Returns false if OP is another
 * instruction. */
static bool run_register(struct program *p, struct syt_cursor *c, uint8_t op)
{
	struct syt_cfi *r = p->rules;
	int64_t align = p->entry->data_align;
	uint64_t reg = op >= 0x05 && op <= 0x2f ? syt_get_varint(c) : 0;

	switch (op) {
	case 0x05: /* offset_extended */
		return set(r, reg, SYT_CFI_OFFSET, (int64_t)syt_get_varint(c) * align);
	case 0x06: /* restore_extended */
		return restore(p, reg);
	case 0x07:
		return set(r, reg, SYT_CFI_UNDEFINED, 0);
	case 0x08:
		return set(r, reg, SYT_CFI_SAME, 0);
	case 0x09:
		return set(r, reg, SYT_CFI_REGISTER, (int64_t)syt_get_varint(c));
	case 0x10:
		return set(r, reg, SYT_CFI_EXPR, skip_expression(c));
	case 0x11: /* offset_extended_sf */
		return set(r, reg, SYT_CFI_OFFSET, syt_get_sleb(c) * align);
	case 0x14:
		return set(r, reg, SYT_CFI_VAL_OFFSET, (int64_t)syt_get_varint(c) * align);
	case 0x15: /* val_offset_sf */
		return set(r, reg, SYT_CFI_VAL_OFFSET, syt_get_sleb(c) * align);
	case 0x16:
		return set(r, reg, SYT_CFI_VAL_EXPR, skip_expression(c));
	case 0x2f: /* GNU_negative_offset_extended */
		return set(r, reg, SYT_CFI_OFFSET, -(int64_t)syt_get_varint(c) * align);
	}
	return false;
}

static int run_extended(struct program *p, struct syt_cursor *c, uint8_t op)
{
	switch (op) {
	case 0x00: /* nop */
		return 0;
	case 0x01: /* set_loc */
		p->at = get_pointer(c, p->entry->encoding & ~PE_INDIRECT, 0);
		return 0;
	case 0x02:
		advance(p, syt_get_u8(c));
		return 0;
	case 0x03:
		advance(p, syt_get_le(c, 2));
		return 0;
	case 0x04:
		advance(p, syt_get_le(c, 4));
		return 0;
	case 0x0a: /* remember_state */
		if (p->nr_saved == NR_REMEMBERED)
			return -EINVAL;
		p->saved[p->nr_saved++] = *p->rules;
		return 0;
	case 0x0b: /* restore_state */
		if (!p->nr_saved)
			return -EINVAL;
		*p->rules = p->saved[--p->nr_saved];
		return 0;
	case 0x2e: /* GNU_args_size */
		syt_get_varint(c);
		return 0;
	}
	if ((op >= 0x0c && op <= 0x0f) || op == 0x12 || op == 0x13)
		return run_cfa(p, c, op) ? 0 : -EINVAL;
	return op < 0x40 && run_register(p, c, op) ? 0 : -EINVAL;
}

/* Executes the CFA instructions in C until their end, or until the rules apply to an address after PC. */
static int run(struct program *p, struct syt_cursor c)
{
	while (c.p < c.end && p->at <= p->pc) {
		uint8_t op = syt_get_u8(&c);
		unsigned low = op & 0x3f;
		int rv = 0;

		switch (op >> 6) {
		case 1:
			advance(p, low);
			break;
		case 2:
			set(p->rules, low, SYT_CFI_OFFSET,
			    (int64_t)syt_get_varint(&c) * p->entry->data_align);
			break;
		case 3:
			restore(p, low);
			break;
		default:
			rv = run_extended(p, &c, op);
		}
		if (rv || c.failed)
			return -EINVAL;
	}
	return 0;
}

int syt_cfi_find(const struct syt_module *m, uintptr_t pc, struct syt_cfi *rules)
{
	struct entry e = {.is_signal = false};
	int rv;

	if (!m->eh_frame_hdr)
		return -ENOENT;
	rv = read_fde(m, pc, &e);
	if (rv)
		return rv;
	if (e.ra != SYT_CFI_RA)
		return -EINVAL;
	*rules = (struct syt_cfi){.is_signal = e.is_signal};

	struct program p = {.entry = &e, .rules = rules, .at = e.start, .pc = pc};

	if (run(&p, e.cie))
		return -EINVAL;
	p.initial = *rules;
	p.at = e.start;
	return run(&p, e.fde);
}
