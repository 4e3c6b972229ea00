/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * One event and its encoding. The encoder and the decoder are in one file because both use the
 * predictor. The predictor is a small table, empty at the start of every block. The predictor guesses the stack of
 * an event from the previous event's stack, and the call and the object from the stack. A correctly predicted value
 * is not written. The predictor also guesses how many bytes a call moves, and their offset, or which descriptor is
 * ready, or that a call waits. Version 5 has three forms of an event:
 *
 *   begins with   form
 *   0x00 to 0xaf  the predictor guesses all but the gap and the duration, which follow: format/codes.h
 *   0xb0, 0xb1    the predictor guesses all but dt, in 1 or 2 bytes; the event has no duration and no optional field
 *   0xb2 to 0xbf  a call that found descriptors ready, with a short list of them: see below
 *   0xc0 to 0xff  0xc0 and the flags SYT_HAS_*, then the parts that they announce:
 *
 *   times    the gap and the duration as in the first form, or 0xb0 and dt and dur as varints    if SYT_HAS_DUR
 *            else dt as a varint
 *   call     varint, 2 * call + 1 if SYT_HAS_CALL. 1: a release: the stamp is the time before the call
 *   stack    varint, zigzag(stack - previous stack), modulo 2^32  if SYT_HAS_STACK
 *   object   varint                  if SYT_HAS_OBJECT
 *   result   varint, zigzag; then errno as a varint if the result is negative  if SYT_HAS_RESULT
 *   extra    varint length, then (number, varint) pairs: format/fields.def  if SYT_HAS_EXTRA
 *            length 0: the fields, and without SYT_HAS_RESULT also the result, are as the predictor guesses them
 *
 * A short list: the first byte is 0xb2 + 2 * min(nr - 1, 6), plus 1 if the stack is not guessed. Then follow the times as in
 * the first form, the stack as above if it is not guessed, nr in one byte if it is above 6, and for each descriptor one
 * byte: the number of the entry of `seen` with its object and events, or 0x80 and then object << 8 | events as a varint.
 * The predictor guesses the call and the object; the result and `count` are nr.
 *
 * dt is the stamp minus the end of the previous event: the stamp of an event, and of a release the stamp plus the duration.
 *
 * Version 6 is version 5 in a sampled dump. In the place of its stack, an event without a call stack has SYT_GHOST_KEY of
 * a number that the recorder chooses for its site. The predictor can then guess this event like others. The field
 * GUESSED has the value of `left_out`. It means that the predictor guesses all other fields except `gap`, and the result
 * if the flag SYT_HAS_RESULT is missing.
 *
 * Version 2 has one form: the flags with the width of dt, then dt in 1, 2, 3 or 8 bytes, call, stack, object, dur as a
 * varint, result, extra. dt is the stamp minus the previous event's stamp. The call is not doubled. Version 1 is version 2
 * without an extra of length 0. Only tests write version 2.
 *
 * The stamp of an event is the time by which events are ordered: just before or just after the call
 * (format/shapes.def). The stamps of the events in one lane increase; a lane belongs to the thread, or to signal
 * handlers at one nesting depth. A signal handler that records an event while the thread is inside a call is an
 * exception.
 */
#ifndef SYT_FORMAT_EVENT_H
#define SYT_FORMAT_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "format/codes.h"
#include "format/wire.h"

#define SYT_EVENT_PEEK 1u      /* the call received data without consuming them (MSG_PEEK) */
#define SYT_EVENT_EOF 2u       /* the result 0 means end of file */
#define SYT_EVENT_CAPPED 4u    /* ready[] contains only the first SYT_NR_READY of `count` ready fds */
#define SYT_EVENT_VFORK 8u     /* the call was made by a vfork child on this thread; `pid` is the child */
#define SYT_EVENT_NOOFFSET 16u /* the member `offset` is unknown */
#define SYT_EVENT_BLOCKED 32u  /* the call waited: its non-blocking attempt failed */
#define SYT_EVENT_WRITER 64u   /* close() or dup2() closed a writing end of a pipe */
/* MSG_OOB: `result` counts the urgent byte, but the stream's byte offsets do not */
#define SYT_EVENT_URGENT 128u
#define SYT_EVENT_FULL 256u /* the datagram filled the buffer and may have been longer */
/* the counters were learned again during the call (runtime/endpoint_record.h): other offsets of the endpoint may be wrong; with
 * SYT_EVENT_NOOFFSET */
#define SYT_EVENT_UNCOUNTED 512u

/* Values of `arg` in a FILE_LOCK event. */
#define SYT_LOCK_SHARED 1u
#define SYT_LOCK_EXCLUSIVE 2u
#define SYT_LOCK_NONE 3u        /* the call unlocked the range */
#define SYT_LOCK_MODE 3u        /* mask of the three values SYT_LOCK_SHARED, SYT_LOCK_EXCLUSIVE, SYT_LOCK_NONE */
#define SYT_LOCK_DESCRIPTION 4u /* the open file description owns the lock, not the process */
#define SYT_LOCK_CLOSED 8u      /* closing an fd unlocked all ranges of the file */

#define SYT_NR_READY 64u

#define SYT_READY_IN 1u
#define SYT_READY_OUT 2u
#define SYT_READY_ERR 4u
#define SYT_READY_HUP 8u
#define SYT_READY_PRI 16u
#define SYT_READY_RDHUP 32u

struct syt_ready {
	uint32_t object;
	uint32_t events; /* bits SYT_READY_* */
	/* with a sampler: 1 + number of bytes (eventfd: units) that were received before; 0: another thread received last, or
	 * the number is unknown */
	uint64_t position;
};

/* Values of `decision`. */
#define SYT_DECISION_OUT 1u
#define SYT_DECISION_GHOST 2u

/* One completed intercepted call. A member that the call does not have is 0. */
struct syt_event {
	uint64_t stamp; /* ticks just before (in) or just after (out) the call, as the call's shape says */
	uint64_t dur;   /* ticks between the start and the end of the call; 0 if only one of them was read */
	uint32_t call;
	uint32_t stack;
	uint32_t object;
	uint32_t object2;
	int64_t result;
	uint64_t err; /* errno, if `result` is negative */
	uint64_t offset, offset2, bytes;
	uint64_t cpu;
	uint64_t thread, pid, arg, count, status, flags, peer;
	uint64_t left_out, gap, crossed, decision;
	uint32_t nr_ready;
	uint32_t reserved;
	struct syt_ready *ready; /* array of nr_ready entries, owned by the caller */
};

/* clang-format off */
enum syt_field {
	SYT_FIELD_END,
#define FIELD(name_, member_) SYT_FIELD_##name_,
#include "format/fields.def"
#undef FIELD
	SYT_NR_FIELDS,
	SYT_FIELD_GUESSED = 61, /* version 6: see above */
	SYT_FIELD_READER = 62, /* follows the field READY of its object; the value is the member `position` */
	SYT_FIELD_READY = 63, /* one for each ready object; the value is object << 8 | events */
};
/* clang-format on */

#define SYT_HAS_STACK 1u
#define SYT_HAS_OBJECT 2u
#define SYT_HAS_CALL 4u
#define SYT_HAS_DUR 8u
#define SYT_HAS_RESULT 16u
#define SYT_HAS_EXTRA 32u
/* The first byte of events of version 5, after those of SYT_CODES_END: with only dt, and with flags. */
#define SYT_FORM_PLAIN SYT_CODES_END
#define SYT_FORM_LIST 0xb2u
#define SYT_FORM_PARTS 0xc0u
/* the numbers of descriptors that the first byte of a short list tells, and the entry of a descriptor that is not seen yet */
#define SYT_LIST_SHORT 6u
#define SYT_LIST_NEW 0x80u
/* version 2: position of the width of dt in the flags. 0 to 2: dt has one to three bytes; 3: eight bytes, two's complement */
#define SYT_DT_SHIFT 6

/* Maximum size in bytes of one encoded event: the fixed part, then the optional fields and the ready list. */
#define SYT_EVENT_FIXED_MAX (1 + 7 * SYT_VARINT_MAX)
#define SYT_EVENT_MAX                                                                              \
	(SYT_EVENT_FIXED_MAX + 2 + (SYT_NR_FIELDS + 2 * SYT_NR_READY) * (1 + SYT_VARINT_MAX))

#define SYT_NR_SEEN 128u

#define SYT_PREDICT_BITS 8
#define SYT_NR_PREDICT (1u << SYT_PREDICT_BITS)

/* The call of an event, and in bit 0 whether its stamp is the time before the call and it has a duration. */
#define SYT_CALL_OF(call, is_release) ((uint32_t)(call) << 1 | ((is_release) ? 1u : 0u))

/* The number in the place of the stack of an event without a call stack, in version 6. NUMBER: less than 2^16. */
#define SYT_GHOST_KEY(number_) (UINT32_MAX - (uint32_t)(number_))
#define SYT_GHOST_LAST SYT_GHOST_KEY(UINT16_MAX)

/* An entry of the predictor: the last event with the stack `stack`, and the stack of the event after it. */
struct syt_guess {
	uint32_t stack, call_of, object, next; /* call_of: SYT_CALL_OF() */
};

/* Values of `object` in an entry: the object is the descriptor in turn, or the next one, in the last list of ready
 * descriptors. No recorder gives these ids to objects. */
#define SYT_OBJECT_IN_TURN UINT32_C(0xffffffff)
#define SYT_OBJECT_NEXT UINT32_C(0xfffffffe)

/* An entry of the predictor: the offset behind the bytes that `call` moved last on `object`. */
struct syt_position {
	uint64_t key; /* object << 32 | call */
	uint64_t end;
};

/* An entry of the predictor: the fields of the last event of SYT_HABIT_REPEAT, and how much its offset was above the one before. */
struct syt_repeat {
	int64_t result;
	uint64_t bytes, flags; /* flags: the lower half is `flags`, the upper half `arg` */
	uint64_t peer, offset, step;
};

struct syt_predictor {
	/* These tables come first, because most threads never touch the page with them. */
	struct syt_repeat repeats[SYT_NR_PREDICT];
	struct syt_position positions[SYT_NR_PREDICT];
	/* for each entry of `guesses`, what the last call with one of its stacks did: the number of bytes that it
	 * moved, or SYT_HABIT_READY and the one descriptor that was ready, or SYT_HABIT_WAITED and the second object
	 * of a call that waited, or SYT_HABIT_REPEAT: the entry of `repeats` is valid */
	uint64_t habits[SYT_NR_PREDICT];
	union {
		struct {
			/* version 5: ready descriptors, each at the lowest bits of its object: object << 8 | events */
			uint64_t seen[SYT_NR_SEEN];
			/* version 5: after a 0, the objects of the last list of ready descriptors, then a 0 */
			uint32_t listed[SYT_NR_READY + 2];
			uint32_t turn; /* the place in the list of the descriptor in turn */
		};
		uint8_t page[4096]; /* the members below need no further page */
	};
	uint64_t has_habits; /* the members above are not empty */
	/* version 5: the tables of the block, of which the decoder only needs `common`; else 0 */
	const struct syt_codes *codes;
	struct syt_common common;
	uint32_t is_coded; /* 1 from version 5 on, 2 from version 6 on */
	uint64_t end;   /* of the previous event; in version 2 its stamp */
	uint32_t stack; /* of the previous event */
	uint32_t at;    /* byte offset in `guesses` member of the previous event's entry */
	struct syt_guess guesses[SYT_NR_PREDICT];
};

/* These bits of a habit tell what its other bits are: the value of a field READY, or the value of a field OBJECT2.
 * Without these bits, the habit is a number of bytes. */
#define SYT_HABIT_READY (UINT64_C(1) << 63)
#define SYT_HABIT_WAITED (UINT64_C(1) << 62)
#define SYT_HABIT_KIND (SYT_HABIT_READY | SYT_HABIT_WAITED)
#define SYT_HABIT_REPEAT SYT_HABIT_KIND

/* Returns the byte offset in `guesses` of the entry for STACK. */
static inline uint32_t syt_guess_at(uint32_t stack)
{
	return (stack * UINT32_C(0x9e3779b1) >> (28 - SYT_PREDICT_BITS)) & (SYT_NR_PREDICT - 1)
	                                                                           << 4;
}
_Static_assert(sizeof(struct syt_guess) == 1 << 4, "as syt_guess_at has it");

static inline struct syt_guess *syt_guess(struct syt_predictor *p, uint32_t at)
{
	return (struct syt_guess *)((char *)p->guesses + at);
}

typedef uint64_t syt_two_words __attribute__((vector_size(16), aligned(8), may_alias));

/* Prepares P for the first event of a block. P was used before or is all zero. FIRST is the block's first_ticks.
 * The function does not write to entries that are already empty, so that unused memory stays untouched. */
static inline void syt_predictor_init(struct syt_predictor *p, uint64_t first)
{
	struct syt_guess *g = p->guesses;

	for (unsigned i = 0; i < SYT_NR_PREDICT; i += 4) {
		const syt_two_words *w = (const syt_two_words *)&g[i];
		syt_two_words any = w[0] | w[1] | w[2] | w[3];

		if (any[0] | any[1])
			__builtin_memset(&g[i], 0, 4 * sizeof(*g));
	}
	if (p->has_habits) {
		for (unsigned i = 0; i < SYT_NR_PREDICT; i++) {
			p->habits[i] = 0;
			p->positions[i] = (struct syt_position){0, 0};
		}
		__builtin_memset(p->seen, 0, sizeof(p->seen));
		__builtin_memset(p->listed, 0, sizeof(p->listed));
		p->turn = 0;
		p->has_habits = 0;
	}
	p->end = first;
	p->stack = 0;
	p->at = syt_guess_at(0);
}

/* Does syt_predictor_init() for the decoder of a block of VERSION, whose bytes begin at the cursor. */
static inline void syt_predictor_begin(struct syt_predictor *p, unsigned version, uint64_t first,
                                       struct syt_cursor *c)
{
	syt_predictor_init(p, first);
	p->is_coded = (version >= 5) + (version >= 6);
	if (p->is_coded)
		syt_get_common(c, &p->common);
}

/* Returns true if P has events of a sampled dump in version 6. */
static inline int syt_predictor_has_ghosts(const struct syt_predictor *p)
{
	return p->is_coded > 1;
}

/* Returns the encoded difference of STACK to the stack of the previous event, modulo 2^32. */
static inline uint64_t syt_stack_step(const struct syt_predictor *p, uint32_t stack)
{
	return syt_zigzag((int32_t)(stack - p->stack));
}

/* Returns true if an event that begins with FIRST has optional fields. */
static inline int syt_event_has_extra(const struct syt_predictor *p, unsigned first)
{
	if (p->is_coded && first < SYT_FORM_PARTS)
		return first < SYT_FORM_PLAIN || first >= SYT_FORM_LIST;
	return (first & SYT_HAS_EXTRA) != 0;
}

/* Returns the object that the entry G guesses. */
static inline uint32_t syt_guessed_object(const struct syt_predictor *p, const struct syt_guess *g)
{
	if (__builtin_expect(g->object < SYT_OBJECT_NEXT, 1))
		return g->object;
	return p->listed[p->turn + (g->object == SYT_OBJECT_NEXT)];
}

/* Takes the turn on for an event that the entry G guesses. */
static inline void syt_take_turn(struct syt_predictor *p, const struct syt_guess *g)
{
	p->turn += g->object == SYT_OBJECT_NEXT && p->listed[p->turn + 1];
}

/* Returns what the entry G for STACK will guess after an event on OBJECT with a duration, and sets the turn. An entry guesses the
 * last object until that is wrong; then the turn, if OBJECT is in the list. */
static inline uint32_t syt_learn_turn(struct syt_predictor *p, const struct syt_guess *g,
                                      uint32_t stack, uint32_t object)
{
	uint32_t i = p->turn;

	if (g->stack != stack || g->object == object || !object)
		return object;
	if (g->object == SYT_OBJECT_NEXT && p->listed[i + 1] == object) {
		p->turn++;
		return SYT_OBJECT_NEXT;
	}
	if (p->listed[i] == object)
		return SYT_OBJECT_IN_TURN;
	while (p->listed[i] != object)
		if (!p->listed[++i])
			return object;
	p->turn = i;
	return SYT_OBJECT_NEXT;
}

/* Updates the predictor with an event. AT is the byte offset of the entry for the event's stack. HAS_DUR: version 5, and the event
 * has a duration. The encoder and the decoder both call this function. */
static inline void syt_predictor_learn(struct syt_predictor *p, uint32_t at, uint64_t end,
                                       uint32_t call_of, uint32_t stack, uint32_t object,
                                       int has_dur)
{
	struct syt_guess *g = syt_guess(p, at);

	if (has_dur)
		object = syt_learn_turn(p, g, stack, object);
	syt_guess(p, p->at)->next = stack;
	g->stack = stack;
	g->call_of = call_of;
	g->object = object;
	p->end = end;
	p->stack = stack;
	p->at = at;
}

/* Returns the entry for the offsets of CALL on OBJECT, which may belong to another pair. */
static inline struct syt_position *syt_position(struct syt_predictor *p, uint32_t object, uint32_t call)
{
	return &p->positions[((object << 8 ^ call) * UINT32_C(0x9e3779b1)) >>
	                     (32 - SYT_PREDICT_BITS)];
}

static inline uint64_t syt_position_key(uint32_t object, uint32_t call)
{
	return (uint64_t)object << 32 | call;
}

/* Returns syt_position_key() of the members of the entry G, with one load. */
static inline uint64_t syt_guess_key(const struct syt_guess *g)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return syt_position_key(g->object, g->call_of);
#else
	uint64_t key;

	_Static_assert(offsetof(struct syt_guess, object) ==
	                       offsetof(struct syt_guess, call_of) + 4,
	               "call and object make up the key");
	__builtin_memcpy(&key, &g->call_of, sizeof(key));
	return key;
#endif
}

/* Returns the habit of the stack of the previous event, which is the event in hand after syt_predictor_learn(). */
static inline uint64_t *syt_habit(struct syt_predictor *p)
{
	return &p->habits[p->at / sizeof(struct syt_guess)];
}

/* Returns true if the result of E is the number of the bytes that its call moved, at a known offset. */
static inline int syt_event_is_moved(const struct syt_event *e)
{
	return e->result > 0 && (uint64_t)e->result == e->bytes && !e->flags && !e->nr_ready &&
	       !(e->bytes & SYT_HABIT_KIND);
}

/* Returns true if E is a call that waited and returned 0. */
static inline int syt_event_is_waited(const struct syt_event *e)
{
	return e->flags == SYT_EVENT_BLOCKED && !e->result && !e->nr_ready;
}

/* Returns true if E is a call that found one descriptor ready. */
static inline int syt_event_is_ready(const struct syt_event *e)
{
	return e->nr_ready == 1 && e->result == 1 && e->count == 1 && !e->ready[0].position;
}

static inline uint64_t syt_ready_value(const struct syt_ready *r)
{
	return (uint64_t)r->object << 8 | r->events;
}

/* Updates the predictor with the bytes of a call at OFFSET, after syt_predictor_learn() for the same event. */
static inline void syt_predictor_move(struct syt_predictor *p, struct syt_position *at, uint64_t key,
                                      uint64_t offset, uint64_t bytes)
{
	p->has_habits = 1;
	*syt_habit(p) = bytes;
	at->key = key;
	at->end = offset + bytes;
}

/* Returns true if R predicts these fields: they are equal, and the offset is one step above the last one. */
static inline __attribute__((always_inline)) int syt_is_repeated(const struct syt_repeat *r,
                                                                 int64_t result, uint64_t offset,
                                                                 uint64_t bytes, uint64_t flags,
                                                                 uint64_t peer)
{
	return !((uint64_t)(r->result ^ result) | (r->offset + r->step - offset) |
	         (r->bytes ^ bytes) | (r->flags ^ flags) | (r->peer ^ peer));
}

/* Updates the predictor with an event that has an optional field and no ready object, after syt_predictor_learn() for it.
 * HAS_OTHERS: it has optional fields besides these. Bytes moved to or from the end of the last ones are a habit of their
 * own; in version 5, other fields repeat. */
static inline void syt_predictor_learn_fields(struct syt_predictor *p, uint32_t call,
                                              uint32_t object, int64_t result, uint64_t offset,
                                              uint64_t bytes, uint64_t flags, uint64_t peer,
                                              int has_others)
{
	struct syt_position *at = syt_position(p, object, call);
	uint64_t key = syt_position_key(object, call), *habit = syt_habit(p);
	struct syt_repeat *r = &p->repeats[p->at / sizeof(struct syt_guess)];
	int is_moved =
		result > 0 && (uint64_t)result == bytes && !flags && !(bytes & SYT_HABIT_KIND);

	if (is_moved && (!p->is_coded || (!peer && (at->key != key || at->end == offset)))) {
		syt_predictor_move(p, at, key, offset, bytes);
		return;
	}
	if (!p->is_coded || has_others || result < 0)
		return;
	*r = (struct syt_repeat){result, bytes,
	                         flags,  peer,
	                         offset, *habit == SYT_HABIT_REPEAT ? offset - r->offset : 0};
	*habit = SYT_HABIT_REPEAT;
	p->has_habits = 1;
	if (is_moved && !peer) {
		at->key = key;
		at->end = offset + bytes;
	}
}

/* Returns 0 if E has none of the optional fields that the predictor never guesses, but perhaps `left_out` and `gap`. */
static inline uint64_t syt_event_rare_but_gap(const struct syt_event *e)
{
	return e->offset2 | e->cpu | e->thread | e->pid | e->status | e->crossed | e->decision;
}

static inline uint64_t syt_event_rare_but_arg(const struct syt_event *e)
{
	return syt_event_rare_but_gap(e) | e->left_out | e->gap;
}

/* Returns 0 if E has none of the optional fields that few events have. */
static inline uint64_t syt_event_rare(const struct syt_event *e)
{
	return syt_event_rare_but_arg(e) | e->arg;
}

/* Returns 0 if the predictor may guess the optional fields of E: in version 6 all but `left_out` and `gap`, if there are others. */
static inline uint64_t syt_event_unguessable(const struct syt_predictor *p,
                                             const struct syt_event *e)
{
	if (syt_predictor_has_ghosts(p) && e->left_out &&
	    (e->offset | e->bytes | e->flags | e->peer | e->arg))
		return syt_event_rare_but_gap(e);
	return syt_event_rare_but_arg(e);
}

/* Returns `flags` and `arg` of E as in struct syt_repeat. */
static inline uint64_t syt_repeat_flags(const struct syt_event *e)
{
	return e->flags | e->arg << 32;
}

/* Stores the ready descriptor R, number I of its list. */
static inline void syt_learn_ready(struct syt_predictor *p, const struct syt_ready *r, uint32_t i)
{
	p->seen[r->object % SYT_NR_SEEN] = syt_ready_value(r);
	p->listed[i + 1] = r->object;
}

/* Ends a list of NR ready descriptors. */
static inline void syt_learn_list(struct syt_predictor *p, uint32_t nr)
{
	p->listed[nr + 1] = 0;
	p->turn = 0;
	p->has_habits = 1;
}

/* Updates the predictor with the optional fields of E, after syt_predictor_learn() for E. The encoder and the decoder
 * both call this function for each event with optional fields. */
static inline void syt_predictor_learn_extra(struct syt_predictor *p, const struct syt_event *e)
{
	if (p->is_coded && e->nr_ready && e->nr_ready <= SYT_NR_READY) {
		for (uint32_t i = 0; i < e->nr_ready; i++)
			syt_learn_ready(p, &e->ready[i], i);
		syt_learn_list(p, e->nr_ready);
	}
	if (syt_event_is_ready(e)) {
		p->has_habits = 1;
		*syt_habit(p) = SYT_HABIT_READY | syt_ready_value(&e->ready[0]);
	} else if (syt_event_is_waited(e)) {
		p->has_habits = 1;
		*syt_habit(p) = SYT_HABIT_WAITED | e->object2;
	} else if (!e->nr_ready) {
		syt_predictor_learn_fields(p, e->call, e->object, e->result, e->offset, e->bytes,
		                           p->is_coded ? syt_repeat_flags(e) : e->flags, e->peer,
		                           (syt_event_unguessable(p, e) | e->count | e->object2 |
		                            e->arg >> 32 | e->flags >> 32) != 0);
	}
}

/* Returns true if the predictor guesses all optional fields of E, which has no rare ones but perhaps `arg`. */
static inline int syt_predictor_guesses(struct syt_predictor *p, const struct syt_event *e)
{
	uint64_t habit = *syt_habit(p);

	if (habit == SYT_HABIT_REPEAT)
		return !(e->count | e->object2 | e->nr_ready) &&
		       syt_is_repeated(&p->repeats[p->at / sizeof(struct syt_guess)], e->result,
		                       e->offset, e->bytes, syt_repeat_flags(e), e->peer) &&
		       !(e->arg >> 32 | e->flags >> 32);
	if (e->peer | e->arg)
		return 0;
	if (syt_event_is_moved(e)) {
		const struct syt_position *at = syt_position(p, e->object, e->call);

		return !(e->count | e->object2) && !(habit & SYT_HABIT_KIND) &&
		       at->key == syt_position_key(e->object, e->call) && at->end == e->offset;
	}
	if (e->offset | e->bytes)
		return 0;
	if (syt_event_is_ready(e))
		return !(e->flags | e->object2) &&
		       habit == (SYT_HABIT_READY | syt_ready_value(&e->ready[0]));
	return syt_event_is_waited(e) && !e->count && habit == (SYT_HABIT_WAITED | e->object2);
}

/* Returns the result of the event whose optional fields the predictor guesses by the entry AT of the habits. */
static inline int64_t syt_guessed_result(const struct syt_predictor *p, uint32_t at)
{
	uint64_t habit = p->habits[at];

	if (habit == SYT_HABIT_REPEAT)
		return p->repeats[at].result;
	return habit & SYT_HABIT_READY ? 1 : habit & SYT_HABIT_WAITED ? 0 : (int64_t)habit;
}

static inline uint8_t *syt_put_field(uint8_t *q, unsigned field, uint64_t value)
{
	if (!value)
		return q;
	*q++ = (uint8_t)field;
	return syt_put_varint(q, value);
}

/* Does syt_put_varint(), with one store if V takes one or two bytes. */
static inline uint8_t *syt_put_short_varint(uint8_t *q, uint64_t v)
{
	if (__builtin_expect(v >> 14, 0))
		return syt_put_varint(q, v);
	if (v < 0x80) {
		*q = (uint8_t)v;
		return q + 1;
	}
	syt_put_le16(q, (uint32_t)((v & 0x7f) | 0x80 | v >> 7 << 8));
	return q + 2;
}

/* Writes the optional fields of an event that has LEFT_OUT, which the field number FIELD tells, and GAP, after their length. */
static inline uint8_t *syt_put_gap(uint8_t *q, unsigned field, uint64_t left_out, uint64_t gap)
{
	uint8_t *fields = ++q;

	if (left_out) {
		*q++ = (uint8_t)field;
		q = syt_put_short_varint(q, left_out);
	}
	if (gap) {
		*q++ = SYT_FIELD_GAP;
		q = syt_put_short_varint(q, gap);
	}
	fields[-1] = (uint8_t)(q - fields);
	return q;
}

/* Returns true if the predictor guesses these members of an event without a duration. AT is the byte offset of the entry for STACK. */
static inline __attribute__((always_inline)) int syt_is_guessed(struct syt_predictor *p,
                                                                uint32_t at, uint32_t call_of,
                                                                uint32_t stack, uint32_t object)
{
	const struct syt_guess *g = syt_guess(p, at);

	return __builtin_expect(syt_guess(p, p->at)->next == stack && g->stack == stack &&
	                                syt_guess_key(g) == syt_position_key(object, call_of),
	                        1);
}

/* Returns true if the entry G for the event's stack guesses the call and the object of an event with a duration. */
static inline __attribute__((always_inline)) int syt_is_guessed_by(const struct syt_predictor *p,
                                                                   const struct syt_guess *g,
                                                                   uint32_t call_of,
                                                                   uint32_t object)
{
	return __builtin_expect(syt_guess_key(g) == syt_position_key(object, call_of), 1) ||
	       (g->object >= SYT_OBJECT_NEXT && object && g->call_of == call_of &&
	        syt_guessed_object(p, g) == object);
}

/* Does syt_is_guessed() for an event with a duration. */
static inline __attribute__((always_inline)) int syt_is_guessed_timed(struct syt_predictor *p,
                                                                      uint32_t at, uint32_t call_of,
                                                                      uint32_t stack,
                                                                      uint32_t object)
{
	const struct syt_guess *g = syt_guess(p, at);

	return __builtin_expect(syt_guess(p, p->at)->next == stack && g->stack == stack, 1) &&
	       syt_is_guessed_by(p, g, call_of, object);
}

/* Writes the duration DUR of an event of version 5 and its time difference, where SYT_FORM_PARTS has them. Returns their end. */
static inline uint8_t *syt_put_times(const struct syt_predictor *p, uint8_t *q, uint64_t stamp,
                                     uint64_t dur, int is_release)
{
	unsigned bytes;

	if (!dur)
		return syt_put_varint(q, stamp - p->end);
	bytes = syt_put_long_codes(p->codes, q, stamp - (is_release ? 0 : dur) - p->end, dur);
	if (bytes)
		return q + bytes;
	*q++ = SYT_CODES_END;
	return syt_put_varint(syt_put_varint(q, stamp - p->end), dur);
}

/* Writes the first parts of an event with FLAGS, and SYT_HAS_DUR if DUR is not 0: those before its result. Sets its first byte
 * and updates the predictor. Returns the end of the written bytes. */
static inline uint8_t *syt_put_head(struct syt_predictor *p, uint8_t *head, uint64_t stamp,
                                    uint32_t call_of, uint32_t stack, uint32_t object, uint64_t dur,
                                    unsigned flags)
{
	uint64_t dt = stamp - p->end, end = stamp;
	uint32_t at = syt_guess_at(stack);
	const struct syt_guess *g = syt_guess(p, at);
	int known = g->stack == stack, has_dur = p->is_coded && dur;
	uint8_t *q = head + 1;

	flags |= dur ? SYT_HAS_DUR : 0;
	if (p->is_coded) {
		q = syt_put_times(p, q, stamp, dur, call_of & 1);
		end += call_of & 1 ? dur : 0;
		flags |= SYT_FORM_PARTS;
	} else {
		unsigned width = dt < (1u << 24) ? (dt > 0xff) + (dt > 0xffff) : 3;

		syt_put_le64(q, dt);
		q += width == 3 ? 8 : width + 1;
		flags |= width << SYT_DT_SHIFT;
		call_of &= ~1u;
	}
	if (!known || g->call_of != call_of) {
		flags |= SYT_HAS_CALL;
		q = syt_put_varint(q, p->is_coded ? call_of : call_of >> 1);
	}
	if (syt_guess(p, p->at)->next != stack) {
		flags |= SYT_HAS_STACK;
		q = syt_put_varint(q, syt_stack_step(p, stack));
	}
	if (!known || (has_dur ? syt_guessed_object(p, g) : g->object) != object) {
		flags |= SYT_HAS_OBJECT;
		q = syt_put_varint(q, object);
	}
	if (dur && !p->is_coded)
		q = syt_put_varint(q, dur);
	syt_predictor_learn(p, at, end, call_of, stack, object, has_dur);
	*head = (uint8_t)flags;
	return q;
}

/* Writes an event of version 5 that has only a stamp, call, stack and object. Returns the end of the written bytes. The result is that of
 * syt_put_head(), in two thirds of the instructions. Locks with many call stacks have such events. */
static inline uint8_t *syt_event_encode_plain(struct syt_predictor *p, uint8_t *head,
                                              uint64_t stamp, uint32_t call, uint32_t stack,
                                              uint32_t object)
{
	uint32_t at = syt_guess_at(stack), call_of = SYT_CALL_OF(call, 0);
	const struct syt_guess *g = syt_guess(p, at);
	int known = g->stack == stack;
	uint8_t *q = syt_put_short_varint(head + 1, stamp - p->end);
	unsigned flags = SYT_FORM_PARTS;

	if (!known || g->call_of != call_of) {
		flags |= SYT_HAS_CALL;
		q = syt_put_short_varint(q, call_of);
	}
	if (syt_guess(p, p->at)->next != stack) {
		flags |= SYT_HAS_STACK;
		q = syt_put_short_varint(q, syt_stack_step(p, stack));
	}
	if (!known || g->object != object) {
		flags |= SYT_HAS_OBJECT;
		q = syt_put_short_varint(q, object);
	}
	syt_predictor_learn(p, at, stamp, call_of, stack, object, 0);
	*head = (uint8_t)flags;
	return q;
}

/* Does syt_event_encode_plain() in version 5 with a single store if the predictor guesses the event, and the time difference
 * fits into two bytes. Returns the number of bytes written. Otherwise returns 0 and changes no data. */
static inline __attribute__((always_inline)) unsigned
syt_event_encode_foreseen(struct syt_predictor *p, uint8_t *q, uint64_t stamp, uint32_t call,
                          uint32_t stack, uint32_t object)
{
	uint64_t dt = stamp - p->end;
	uint32_t at = syt_guess_at(stack);
	unsigned width = dt > UINT8_MAX;

	if (__builtin_expect(!syt_is_guessed(p, at, SYT_CALL_OF(call, 0), stack, object) ||
	                             dt > UINT16_MAX,
	                     0))
		return 0;
	syt_put_le32(q, (uint32_t)dt << 8 | (SYT_FORM_PLAIN + width));
	p->end = stamp;
	p->stack = stack;
	p->at = at;
	return width + 2;
}

/* Writes an event of version 5 of which the predictor guesses all but the times. AT is the byte offset of the entry for
 * STACK. Returns the number of bytes written, or 0 if a time is too long. */
static inline __attribute__((always_inline)) unsigned syt_put_guessed(struct syt_predictor *p,
                                                                      uint8_t *head, uint64_t in,
                                                                      uint64_t out, uint32_t stack,
                                                                      uint32_t at)
{
	unsigned bytes = syt_put_codes(p->codes, head, in - p->end, out - in);

	if (__builtin_expect(!bytes, 0))
		return 0;
	syt_take_turn(p, syt_guess(p, at));
	p->end = out;
	p->stack = stack;
	p->at = at;
	return bytes;
}

/* Writes V, which is mostly a hash, as a varint. */
static inline uint8_t *syt_put_varint_long(uint8_t *q, uint64_t v)
{
	uint64_t x = (v & 0x0fffffff) | (v & UINT64_C(0xfffffff0000000)) << 4;

	if (v >> 56 == 0)
		return syt_put_varint(q, v);
	/* eight groups of seven bits, each in its own byte */
	x = (x & UINT64_C(0x00003fff00003fff)) | (x & UINT64_C(0x0fffc0000fffc000)) << 2;
	x = (x & UINT64_C(0x007f007f007f007f)) | (x & UINT64_C(0x3f803f803f803f80)) << 1;
	syt_put_le64(q, x | UINT64_C(0x8080808080808080));
	return syt_put_varint(q + 8, v >> 56);
}

/* Writes the optional fields of E after their length at Q. RARE: syt_event_rare(). Returns the end of the written bytes. */
static inline uint8_t *syt_put_extra(uint8_t *q, const struct syt_event *e, uint64_t rare)
{
	uint8_t *length = q++; /* most lengths fit into one byte; two bytes hold any length up to 16383 */

	if (__builtin_expect(rare != 0, 0)) {
#define FIELD(name_, member_) q = syt_put_field(q, SYT_FIELD_##name_, e->member_);
#include "format/fields.def"
#undef FIELD
	} else {
		q = syt_put_field(q, SYT_FIELD_OBJECT2, e->object2);
		q = syt_put_field(q, SYT_FIELD_OFFSET, e->offset);
		q = syt_put_field(q, SYT_FIELD_BYTES, e->bytes);
		q = syt_put_field(q, SYT_FIELD_COUNT, e->count);
		q = syt_put_field(q, SYT_FIELD_FLAGS, e->flags);
		if (e->peer) {
			*q++ = SYT_FIELD_PEER;
			q = syt_put_varint_long(q, e->peer);
		}
	}
	for (uint32_t i = 0; i < e->nr_ready; i++) {
		*q++ = SYT_FIELD_READY;
		q = syt_put_varint(q, syt_ready_value(&e->ready[i]));
		q = syt_put_field(q, SYT_FIELD_READER, e->ready[i].position);
	}
	unsigned bytes = (unsigned)(q - length - 1);

	*length = (uint8_t)bytes;
	if (bytes >= 0x80) {
		for (unsigned i = bytes; i; i--)
			length[1 + i] = length[i];
		length[0] = (uint8_t)(bytes | 0x80);
		length[1] = (uint8_t)(bytes >> 7);
		q++;
	}
	return q;
}

/* Writes a short list of the NR ready descriptors READY (1 to SYT_NR_READY) of a call. Returns its end, or NULL if the predictor
 * does not guess the call and the object or a time is too long; then it has changed no data. */
static inline uint8_t *syt_put_list(struct syt_predictor *p, uint8_t *head, uint64_t in,
                                    uint64_t out, uint32_t call_of, uint32_t stack, uint32_t object,
                                    const struct syt_ready *ready, uint32_t nr)
{
	uint32_t at = syt_guess_at(stack), last = nr - 1 < SYT_LIST_SHORT ? nr - 1 : SYT_LIST_SHORT;
	struct syt_guess *g = syt_guess(p, at), *before = syt_guess(p, p->at);
	unsigned bytes;
	uint8_t *q;

	/* an object in turn is one of the list before, which the decoder has then lost */
	if (g->stack != stack || syt_guess_key(g) != syt_position_key(object, call_of))
		return NULL;
	bytes = syt_put_codes(p->codes, head + 1, in - p->end, out - in);
	if (!bytes)
		return NULL;
	q = head + 1 + bytes;
	*head = (uint8_t)(SYT_FORM_LIST + 2 * last);
	if (before->next != stack) {
		++*head;
		q = syt_put_varint(q, syt_stack_step(p, stack));
		before->next = stack;
	}
	if (last == SYT_LIST_SHORT)
		*q++ = (uint8_t)nr;
	p->end = out;
	p->stack = stack;
	p->at = at;
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t value = syt_ready_value(&ready[i]);
		uint32_t n = ready[i].object % SYT_NR_SEEN;

		*q++ = (uint8_t)n;
		if (__builtin_expect(p->seen[n] != value, 0)) {
			q[-1] = SYT_LIST_NEW;
			q = syt_put_varint(q, value);
		}
		syt_learn_ready(p, &ready[i], i);
	}
	syt_learn_list(p, nr);
	if (nr == 1)
		*syt_habit(p) = SYT_HABIT_READY | syt_ready_value(&ready[0]);
	return q;
}

/* Returns true if E, which has no rare fields, is a call that found all descriptors of its list ready. */
static inline int syt_event_is_list(const struct syt_event *e)
{
	if (!e->nr_ready || e->result != (int64_t)e->nr_ready || e->count != e->nr_ready ||
	    e->offset | e->bytes | e->flags | e->peer)
		return 0;
	for (uint32_t i = 0; i < e->nr_ready; i++)
		if (e->ready[i].position)
			return 0;
	return 1;
}

/* Writes an event from IN to OUT if its fields repeat and the predictor guesses all else. FLAGS is as in struct syt_repeat. Returns
 * the number of bytes written. Otherwise returns 0 and changes no data. */
static inline __attribute__((always_inline)) unsigned
syt_put_repeated(struct syt_predictor *p, uint8_t *head, uint64_t in, uint64_t out,
                 uint32_t call_of, uint32_t stack, uint32_t object, int64_t result, uint64_t offset,
                 uint64_t bytes, uint64_t flags, uint64_t peer)
{
	uint32_t at = syt_guess_at(stack);
	struct syt_repeat *r = &p->repeats[at / sizeof(struct syt_guess)];
	unsigned written;

	if (__builtin_expect(p->habits[at / sizeof(struct syt_guess)] != SYT_HABIT_REPEAT, 0) ||
	    !syt_is_repeated(r, result, offset, bytes, flags, peer) ||
	    !syt_is_guessed_timed(p, at, call_of, stack, object))
		return 0;
	written = syt_put_guessed(p, head, in, out, stack, at);
	if (__builtin_expect(!written, 0))
		return 0;
	if (peer || flags || (uint64_t)result != bytes)
		r->offset = offset; /* syt_predictor_learn_fields() would change no more */
	else
		syt_predictor_learn_fields(p, call_of >> 1, object, result, offset, bytes, flags,
		                           peer, 0);
	return written;
}

/* Writes the event E at Q, where SYT_EVENT_MAX bytes must be free. IS_RELEASE: its stamp is the time before the call.
 * Returns the end of the written bytes. */
static inline uint8_t *syt_event_encode(struct syt_predictor *p, uint8_t *head,
                                        const struct syt_event *e, int is_release)
{
	uint64_t rare = syt_event_rare(e), in = e->stamp - (is_release ? 0 : e->dur);

	if (p->is_coded && e->dur && !(rare | e->object2) && syt_event_is_list(e) &&
	    p->habits[syt_guess_at(e->stack) / sizeof(struct syt_guess)] !=
	            (SYT_HABIT_READY | syt_ready_value(&e->ready[0]))) {
		uint8_t *end =
			syt_put_list(p, head, in, in + e->dur, SYT_CALL_OF(e->call, is_release),
		                     e->stack, e->object, e->ready, e->nr_ready);

		if (end)
			return end;
	}

	/* most events with `arg` are of close() */
	if (p->is_coded && e->dur && e->arg &&
	    !(syt_event_rare_but_arg(e) | e->count | e->object2 | e->nr_ready | e->arg >> 32 |
	      e->flags >> 32)) {
		unsigned written = syt_put_repeated(
			p, head, in, in + e->dur, SYT_CALL_OF(e->call, is_release), e->stack,
			e->object, e->result, e->offset, e->bytes, syt_repeat_flags(e), e->peer);

		if (written)
			return head + written;
	}

	int has_extra = (rare | e->offset | e->bytes | e->count | e->flags | e->peer | e->object2 |
	                 e->nr_ready) != 0;
	uint8_t *q = syt_put_head(p, head, e->stamp, SYT_CALL_OF(e->call, is_release && e->dur),
	                          e->stack, e->object, e->dur, has_extra ? SYT_HAS_EXTRA : 0);
	int is_guessed = has_extra && !syt_event_unguessable(p, e) && syt_predictor_guesses(p, e);

	if (e->result !=
	    (is_guessed ? syt_guessed_result(p, p->at / sizeof(struct syt_guess)) : 0)) {
		*head |= SYT_HAS_RESULT;
		q = syt_put_varint(q, syt_zigzag(e->result));
		if (e->result < 0)
			q = syt_put_varint(q, e->err);
	}
	if (has_extra) {
		if (is_guessed)
			q = syt_put_gap(q, SYT_FIELD_GUESSED, e->left_out, e->gap);
		else
			q = syt_put_extra(q, e, rare);
		syt_predictor_learn_extra(p, e);
	}
	return q;
}

/*
 * The functions below do syt_event_encode() in version 5 for a call from IN to OUT. OUT is later than IN. CALL_OF is
 * SYT_CALL_OF(call, is_release).
 */

/* Writes the parts before the result of an event with FLAGS and a duration. Sets its first byte and updates the predictor.
 * Returns the end of the written bytes. */
static inline __attribute__((always_inline)) uint8_t *
syt_put_until_result(struct syt_predictor *p, uint8_t *head, uint64_t in, uint64_t out,
                     uint32_t call_of, uint32_t stack, uint32_t object, unsigned flags)
{
	uint32_t at = syt_guess_at(stack);
	unsigned bytes;

	if (syt_is_guessed_timed(p, at, call_of, stack, object)) {
		bytes = syt_put_guessed(p, head + 1, in, out, stack, at);
		if (__builtin_expect(bytes, 1)) {
			*head = (uint8_t)(SYT_FORM_PARTS | SYT_HAS_DUR | flags);
			return head + 1 + bytes;
		}
	}
	return syt_put_head(p, head, call_of & 1 ? in : out, call_of, stack, object, out - in,
	                    flags);
}

/* Writes the optional fields of a call that moved bytes, those that are not 0. */
static inline __attribute__((always_inline)) uint8_t *
syt_put_moved(uint8_t *q, uint64_t offset, uint64_t bytes, uint64_t flags, uint64_t peer)
{
	q = syt_put_field(q, SYT_FIELD_OFFSET, offset);
	q = syt_put_field(q, SYT_FIELD_BYTES, bytes);
	q = syt_put_field(q, SYT_FIELD_FLAGS, flags);
	if (peer) {
		*q++ = SYT_FIELD_PEER;
		q = syt_put_varint_long(q, peer);
	}
	return q;
}

/* The event has the result RESULT, the errno ERR if RESULT is negative, and with HAS_EXTRA these optional fields, of which
 * one is not 0. It has no others. FLAGS has not SYT_EVENT_BLOCKED. The function writes all fields that do not repeat. */
static inline __attribute__((always_inline)) uint8_t *
syt_event_encode_fields(struct syt_predictor *p, uint8_t *head, uint64_t in, uint64_t out,
                        uint32_t call_of, uint32_t stack, uint32_t object, int64_t result,
                        uint64_t err, int has_extra, uint64_t offset, uint64_t bytes,
                        uint64_t flags, uint64_t peer)
{
	uint8_t *q, *fields;
	unsigned written = has_extra ? syt_put_repeated(p, head, in, out, call_of, stack, object,
	                                                result, offset, bytes, flags, peer)
	                             : 0;

	if (__builtin_expect(written, 1))
		return head + written;
	q = syt_put_until_result(p, head, in, out, call_of, stack, object,
	                         (result ? SYT_HAS_RESULT : 0) | (has_extra ? SYT_HAS_EXTRA : 0));
	if (result)
		q = syt_put_varint(q, syt_zigzag(result));
	if (result < 0)
		q = syt_put_varint(q, err);
	if (!has_extra)
		return q;
	fields = ++q;
	q = syt_put_moved(q, offset, bytes, flags, peer);
	fields[-1] = (uint8_t)(q - fields);
	syt_predictor_learn_fields(p, call_of >> 1, object, result, offset, bytes, flags, peer, 0);
	return q;
}

/* The event is E, whatever its stamp, dur and stack are. It has optional fields, but neither rare ones (syt_event_rare)
 * nor a second object; its members with these fields need not be set. The result is not negative. */
static inline __attribute__((always_inline)) uint8_t *
syt_event_encode_list(struct syt_predictor *p, uint8_t *head, uint64_t in, uint64_t out,
                      uint32_t call_of, uint32_t stack, const struct syt_event *e)
{
	uint8_t *q = syt_event_is_list(e) ? syt_put_list(p, head, in, out, call_of, stack,
	                                                 e->object, e->ready, e->nr_ready)
	                                  : NULL;

	if (q)
		return q;
	q = syt_put_until_result(p, head, in, out, call_of, stack, e->object,
	                         (e->result ? SYT_HAS_RESULT : 0) | SYT_HAS_EXTRA);
	if (e->result)
		q = syt_put_varint(q, syt_zigzag(e->result));
	q = syt_put_extra(q, e, 0);
	syt_predictor_learn_extra(p, e);
	return q;
}

/* The call moved BYTES, from 1 to 2^62 - 1, to or from OFFSET of a stream. The event has no other optional fields. */
static __attribute__((noinline, unused)) uint8_t *
syt_event_encode_moved(struct syt_predictor *p, uint8_t *head, uint64_t in, uint64_t out,
                       uint32_t call_of, uint32_t stack, uint32_t object, uint64_t bytes,
                       uint64_t offset)
{
	uint8_t *q = syt_put_until_result(p, head, in, out, call_of, stack, object, SYT_HAS_EXTRA);
	uint32_t call = call_of >> 1;
	const struct syt_position *at = syt_position(p, object, call);
	uint64_t key = syt_position_key(object, call), habit = *syt_habit(p);
	int is_guessed = at->key == key && at->end == offset && !(habit & SYT_HABIT_KIND);
	uint8_t *fields;

	syt_predictor_learn_fields(p, call, object, (int64_t)bytes, offset, bytes, 0, 0, 0);
	if (is_guessed && habit == bytes) {
		*q++ = 0;
		return q;
	}
	*head |= SYT_HAS_RESULT;
	q = syt_put_varint(q, syt_zigzag((int64_t)bytes));
	fields = ++q;
	if (!is_guessed) {
		q = syt_put_field(q, SYT_FIELD_OFFSET, offset);
		q = syt_put_field(q, SYT_FIELD_BYTES, bytes);
	}
	fields[-1] = (uint8_t)(q - fields);
	return q;
}

/* Does syt_event_encode_moved() if the predictor guesses all that it can. Returns the number of bytes written. Otherwise
 * returns 0 and changes no data. */
static inline __attribute__((always_inline)) unsigned
syt_event_encode_moved_foreseen(struct syt_predictor *p, uint8_t *head, uint64_t in, uint64_t out,
                                uint32_t call_of, uint32_t stack, uint32_t object, uint64_t bytes,
                                uint64_t offset)
{
	uint32_t at = syt_guess_at(stack), call = call_of >> 1;
	struct syt_position *position = syt_position(p, object, call);
	unsigned written;

	if (__builtin_expect(!syt_is_guessed_timed(p, at, call_of, stack, object) ||
	                             p->habits[at / sizeof(struct syt_guess)] != bytes ||
	                             position->end != offset ||
	                             position->key != syt_position_key(object, call),
	                     0))
		return 0;
	written = syt_put_guessed(p, head, in, out, stack, at);
	position->end = written ? offset + bytes : offset;
	return written;
}

/* The call waited and returned 0. The event has at most the optional field OBJECT2. */
static __attribute__((noinline, unused)) uint8_t *
syt_event_encode_waited(struct syt_predictor *p, uint8_t *head, uint64_t in, uint64_t out,
                        uint32_t call_of, uint32_t stack, uint32_t object, uint32_t object2)
{
	uint8_t *q = syt_put_until_result(p, head, in, out, call_of, stack, object, SYT_HAS_EXTRA);
	uint8_t *fields = ++q;

	if (*syt_habit(p) != (SYT_HABIT_WAITED | object2)) {
		q = syt_put_field(q, SYT_FIELD_OBJECT2, object2);
		q = syt_put_field(q, SYT_FIELD_FLAGS, SYT_EVENT_BLOCKED);
		p->has_habits = 1;
		*syt_habit(p) = SYT_HABIT_WAITED | object2;
	}
	fields[-1] = (uint8_t)(q - fields);
	return q;
}

/* Does syt_event_encode_waited() or syt_event_encode_ready() as syt_event_encode_moved_foreseen() does syt_event_encode_moved(). */
static inline __attribute__((always_inline)) unsigned
syt_event_encode_habit_foreseen(struct syt_predictor *p, uint8_t *head, uint64_t in, uint64_t out,
                                uint32_t call_of, uint32_t stack, uint32_t object, uint64_t habit)
{
	uint32_t at = syt_guess_at(stack);

	if (__builtin_expect(!syt_is_guessed_timed(p, at, call_of, stack, object) ||
	                             p->habits[at / sizeof(struct syt_guess)] != habit,
	                     0))
		return 0;
	return syt_put_guessed(p, head, in, out, stack, at);
}

static inline __attribute__((always_inline)) unsigned
syt_event_encode_waited_foreseen(struct syt_predictor *p, uint8_t *head, uint64_t in, uint64_t out,
                                 uint32_t call_of, uint32_t stack, uint32_t object,
                                 uint32_t object2)
{
	return syt_event_encode_habit_foreseen(p, head, in, out, call_of, stack, object,
	                                       SYT_HABIT_WAITED | object2);
}

/* The call waited for descriptors and found one, READY. The event has no other optional fields. */
static __attribute__((noinline, unused)) uint8_t *
syt_event_encode_ready(struct syt_predictor *p, uint8_t *head, uint64_t in, uint64_t out,
                       uint32_t call_of, uint32_t stack, uint32_t object, struct syt_ready ready)
{
	struct syt_event e = {
		.object = object, .result = 1, .count = 1, .nr_ready = 1, .ready = &ready};

	return syt_event_encode_list(p, head, in, out, call_of, stack, &e);
}

static inline __attribute__((always_inline)) unsigned
syt_event_encode_ready_foreseen(struct syt_predictor *p, uint8_t *head, uint64_t in, uint64_t out,
                                uint32_t call_of, uint32_t stack, uint32_t object,
                                struct syt_ready ready)
{
	unsigned bytes = syt_event_encode_habit_foreseen(p, head, in, out, call_of, stack, object,
	                                                 SYT_HABIT_READY | syt_ready_value(&ready));

	if (__builtin_expect(bytes, 1)) {
		syt_learn_ready(p, &ready, 0);
		syt_learn_list(p, 1);
	}
	return bytes;
}

/* Sets the optional fields of E, which has none yet, to those that the predictor guesses, and with HAS_RESULT also its
 * result. AT is the byte offset of the entry for E's stack. */
static inline void syt_predictor_guess_extra(struct syt_predictor *p, uint32_t at, int has_result,
                                             struct syt_event *e)
{
	uint64_t habit = p->habits[at / sizeof(struct syt_guess)];
	const struct syt_position *position = syt_position(p, e->object, e->call);
	const struct syt_repeat *r = &p->repeats[at / sizeof(struct syt_guess)];

	if (has_result)
		e->result = syt_guessed_result(p, at / sizeof(struct syt_guess));
	if (habit == SYT_HABIT_REPEAT) {
		e->bytes = r->bytes;
		e->flags = (uint32_t)r->flags;
		e->arg = r->flags >> 32;
		e->peer = r->peer;
		e->offset = r->offset + r->step;
		return;
	}
	if (habit & SYT_HABIT_READY) {
		e->ready[0] = (struct syt_ready){(uint32_t)(habit >> 8), (uint32_t)(habit & 0xff), 0};
		e->nr_ready = 1;
		e->count = 1;
		return;
	}
	if (habit & SYT_HABIT_WAITED) {
		e->flags = SYT_EVENT_BLOCKED;
		e->object2 = (uint32_t)habit;
		return;
	}
	e->bytes = (uint64_t)e->result;
	if (position->key == syt_position_key(e->object, e->call))
		e->offset = position->end;
}

/* The parts of an encoded event before its call. */
struct syt_times {
	unsigned flags;
	int is_guessed;     /* the event has no other parts */
	int has_gap;        /* `time` is the gap, else dt */
	unsigned
		nr_listed; /* of a short list: the number of descriptors; more than SYT_LIST_SHORT: it follows */
	uint64_t time, dur; /* dur: 0 in version 2, where it has another place */
};

/* Reads the first parts of an event of version 5. Returns 0, or -1 if the bytes are not an event. */
static inline int syt_get_times(const struct syt_common *common, struct syt_cursor *c,
                                struct syt_times *t)
{
	unsigned first = syt_get_u8(c), codes = first;

	if (first < SYT_CODES_END) {
		t->flags = SYT_HAS_DUR | SYT_HAS_EXTRA;
		t->is_guessed = 1;
	} else if (first >= SYT_FORM_LIST && first < SYT_FORM_PARTS) {
		t->flags = SYT_HAS_DUR | SYT_HAS_EXTRA |
		           ((first - SYT_FORM_LIST) & 1 ? SYT_HAS_STACK : 0);
		t->nr_listed = (first - SYT_FORM_LIST) / 2 + 1;
		codes = syt_get_u8(c);
		if (codes >= SYT_CODES_END)
			return -1;
	} else if (first < SYT_FORM_PARTS) {
		t->time = syt_get_le(c, first - SYT_FORM_PLAIN + 1);
		return 0;
	} else {
		t->flags = first - SYT_FORM_PARTS;
		codes = t->flags & SYT_HAS_DUR ? syt_get_u8(c) : SYT_CODES_END;
		if (codes >= SYT_CODES_END) {
			t->time = syt_get_varint(c);
			t->dur = t->flags & SYT_HAS_DUR ? syt_get_varint(c) : 0;
			return codes > SYT_CODES_END ? -1 : 0;
		}
	}
	t->has_gap = 1;
	t->time = syt_get_coded(c, codes >> 4, SYT_NR_COMMON_GAPS, common->gaps);
	t->dur = syt_get_coded(c, codes & 15, SYT_NR_COMMON_DURS, common->durs);
	return 0;
}

/* Reads the descriptors of a short list, of which T tells the number, into E. Returns 0, or -1 if the bytes are none. */
static inline int syt_get_list(struct syt_predictor *p, struct syt_cursor *c,
                               const struct syt_times *t, struct syt_event *e)
{
	uint32_t nr = t->nr_listed > SYT_LIST_SHORT ? syt_get_u8(c) : t->nr_listed;

	if (!nr || nr > SYT_NR_READY)
		return -1;
	for (uint32_t i = 0; i < nr; i++) {
		unsigned n = syt_get_u8(c);
		uint64_t value;

		if (n > SYT_LIST_NEW)
			return -1;
		value = n == SYT_LIST_NEW ? syt_get_varint(c) : p->seen[n];
		e->ready[i] =
			(struct syt_ready){(uint32_t)(value >> 8), (uint32_t)(value & 0xff), 0};
		syt_learn_ready(p, &e->ready[i], i);
	}
	e->nr_ready = nr;
	e->count = nr;
	e->result = nr;
	return c->failed ? -1 : 0;
}

/* Skips the parts of a short list behind its times T. */
static inline void syt_skip_list(struct syt_cursor *c, const struct syt_times *t)
{
	uint32_t nr;

	if (t->flags & SYT_HAS_STACK)
		syt_get_varint(c);
	nr = t->nr_listed > SYT_LIST_SHORT ? syt_get_u8(c) : t->nr_listed;
	for (; nr && !c->failed; nr--)
		if (syt_get_u8(c) == SYT_LIST_NEW)
			syt_get_varint(c);
}

/* Decodes one event at the cursor into E. E->ready must point to SYT_NR_READY entries; the function sets all other
 * members. Returns 0, or -1 if the bytes are not an event; the cursor is then inside these bytes. */
static inline int syt_event_decode(struct syt_predictor *p, struct syt_cursor *c,
                                   struct syt_event *e)
{
	struct syt_times t = {0};

	if (p->is_coded) {
		if (syt_get_times(&p->common, c, &t))
			return -1;
	} else {
		unsigned first = syt_get_u8(c), width = first >> SYT_DT_SHIFT;

		t.flags = first & ((1u << SYT_DT_SHIFT) - 1);
		t.time = syt_get_le_at_once(c, width == 3 ? 8 : width + 1);
	}

	unsigned flags = t.flags;
	uint64_t call_of = flags & SYT_HAS_CALL ? syt_get_varint(c) : 0;
	uint32_t stack = syt_guess(p, p->at)->next;

	if (!p->is_coded && call_of <= UINT16_MAX)
		call_of *= 2;
	if (flags & SYT_HAS_STACK)
		stack = p->stack + (uint32_t)syt_unzigzag(syt_get_varint(c));

	uint32_t at = syt_guess_at(stack);
	const struct syt_guess *g = syt_guess(p, at);

	if (!(flags & SYT_HAS_CALL))
		call_of = g->call_of;

	uint64_t object = flags & SYT_HAS_OBJECT ? syt_get_varint(c)
	                  : p->is_coded          ? syt_guessed_object(p, g)
	                                         : g->object;

	if (call_of > 2 * UINT16_MAX + 1 || object > UINT32_MAX)
		return -1;
	e->call = (uint32_t)call_of >> 1;
	e->stack = syt_predictor_has_ghosts(p) && stack >= SYT_GHOST_LAST ? 0 : stack;
	e->object = (uint32_t)object;
	e->dur = t.dur;
	if (!p->is_coded && flags & SYT_HAS_DUR)
		e->dur = syt_get_varint(c);
	e->stamp = p->end + t.time + (t.has_gap && !(call_of & 1) ? e->dur : 0);
	e->result = flags & SYT_HAS_RESULT ? syt_unzigzag(syt_get_varint(c)) : 0;
	e->err = e->result < 0 ? syt_get_varint(c) : 0;
	e->nr_ready = 0;
#define FIELD(name_, member_) e->member_ = 0;
#include "format/fields.def"
#undef FIELD
	if (t.nr_listed && syt_get_list(p, c, &t, e))
		return -1;
	if (flags & SYT_HAS_EXTRA && !t.nr_listed) {
		uint64_t bytes = t.is_guessed ? 0 : syt_get_varint(c);

		if (c->failed || bytes > (uint64_t)(c->end - c->p))
			return -1;
		if (!bytes)
			syt_predictor_guess_extra(p, at, !(flags & SYT_HAS_RESULT), e);

		struct syt_cursor x = {c->p, c->p + bytes, 0};

		c->p += bytes;
		while (x.p < x.end) {
			unsigned field = syt_get_u8(&x);
			uint64_t value = syt_get_varint(&x);

			switch (field) {
#define FIELD(name_, member_)                                                                      \
	case SYT_FIELD_##name_:                                                                    \
		e->member_ = (__typeof__(e->member_))value;                                        \
		break;
#include "format/fields.def"
#undef FIELD
			case SYT_FIELD_READY:
				if (e->nr_ready == SYT_NR_READY)
					return -1;
				e->ready[e->nr_ready].object = (uint32_t)(value >> 8);
				e->ready[e->nr_ready].position = 0;
				e->ready[e->nr_ready++].events = (uint32_t)(value & 0xff);
				break;
			case SYT_FIELD_READER:
				if (e->nr_ready)
					e->ready[e->nr_ready - 1].position = value;
				break;
			case SYT_FIELD_GUESSED:
				if (syt_predictor_has_ghosts(p)) {
					e->left_out = value;
					syt_predictor_guess_extra(p, at, !(flags & SYT_HAS_RESULT),
					                          e);
				}
				break;
			default: /* a field that a newer recorder wrote */
				break;
			}
		}
		if (x.failed)
			return -1;
	}
	if (c->failed)
		return -1;
	syt_predictor_learn(p, at, e->stamp + (call_of & 1 ? e->dur : 0), (uint32_t)call_of, stack,
	                    e->object, p->is_coded && flags & SYT_HAS_DUR);
	if (flags & SYT_HAS_EXTRA)
		syt_predictor_learn_extra(p, e);
	return 0;
}

#endif
