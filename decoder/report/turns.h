/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Who asks and who answers, of threads that hand things over to each other through objects that do not
 * say from whom: semaphores, condition variables, futexes, eventfds, message queues.
 *
 * Of two such objects by which things go to and fro between two threads the one that was ever given
 * to first is for requests, because nobody can answer before: a queue's items, and its free places.
 */
#ifndef SYT_DECODER_TURNS_H
#define SYT_DECODER_TURNS_H

#include "decoder/order/order.h"

#define SYT_TURN_MOST_USES 8u /* of different objects, the last ones */

/* What a thread did last to which objects, the last one first. */
struct syt_turn_list {
	uint32_t nr;
	struct syt_turn_use {
		uint32_t object, row;
	} all[SYT_TURN_MOST_USES];
};

struct syt_turn_uses {
	struct syt_turn_list given, taken; /* until now */
	struct syt_turn_list gives;        /* ever */
};

/* The thread has come to the event AT. */
void syt_turn_note(struct syt_turn_uses *uses, const struct syt_order *order, struct syt_place at);

/* When something was first given to OBJECT; 0: never. Notes who ever does, in *USES_OF(CONTEXT, thread). */
syt_time syt_turn_givers(const struct syt_order *order, uint32_t object, void *context,
                         struct syt_turn_uses *(*uses_of)(void *context, uint32_t thread));

enum syt_turn {
	SYT_TURN_UNKNOWN,
	SYT_TURN_ASKS, /* made a request since it had the last answer, or needs one to make the first */
	SYT_TURN_BEGINS,  /* made one, and never had an answer: it may have been another's */
	SYT_TURN_ANSWERS, /* waits for a request */
};

/* That of a thread with the uses T that takes from OBJECT (trace-wide, or SYT_NONE) what one with the
 * uses GIVER gave. FIRST_GIVEN: by object. */
enum syt_turn syt_turn_of(const struct syt_turn_uses *t, const struct syt_turn_uses *giver,
                          const syt_time *first_given, uint32_t object);

#endif
