/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Who asks and who answers, of threads that hand things over to each other through objects that do not
 * say from whom: semaphores, condition variables, futexes, eventfds, message queues.
 *
 * Of two such objects by which things go to and fro between two threads the one that was ever given
 * to first is for requests, because nobody can answer before: a queue's items, and its free places.
 * So it is where who gave to the one first takes from the other one, too.  Else that may have been the
 * answer to what had come through a third object, as of many that report to one.
 *
 * An object that one thread alone takes from, and several give to, is that thread's parking place, where
 * it waits for whatever it has to: it says nothing about a second one of that kind.
 */
#ifndef SYT_DECODER_REPORT_WAITS_ROLES_H
#define SYT_DECODER_REPORT_WAITS_ROLES_H

#include "decoder/order/order.h"

#define SYT_SERVICE_ROLE_MOST_USES 8u /* of different objects, the last ones */

/* What a thread did last to which objects, the last one first. */
struct syt_service_role_list {
	uint32_t nr;
	struct syt_service_role_use {
		uint32_t object, row;
	} all[SYT_SERVICE_ROLE_MOST_USES];
};

struct syt_service_role_uses {
	struct syt_service_role_list given, taken; /* until now */
	struct syt_service_role_list gives, takes; /* ever */
};

struct syt_service_role_object {
	syt_time first_given; /* 0: never */
	uint32_t first_giver; /* thread */
	bool has_givers;      /* several */
	uint32_t nr_takers;   /* threads; one more than there is room for: many */
	uint32_t takers[SYT_SERVICE_ROLE_MOST_USES];
};

/* The thread has come to the event AT. */
void syt_service_role_note(struct syt_service_role_uses *uses, const struct syt_order *order,
                           struct syt_place at);

/* What is done to OBJECT.  Notes who ever gives to it and takes from it, in *USES_OF(CONTEXT, thread). */
struct syt_service_role_object
syt_service_role_object(const struct syt_order *order, uint32_t object, void *context,
                        struct syt_service_role_uses *(*uses_of)(void *context, uint32_t thread));

enum syt_service_role {
	SYT_SERVICE_ROLE_UNKNOWN,
	SYT_SERVICE_ROLE_ASKS, /* made a request since it had the last answer, or needs one to make the first */
	SYT_SERVICE_ROLE_BEGINS, /* made one, and never had an answer: it may have been another's */
	SYT_SERVICE_ROLE_ANSWERS, /* waits for a request */
	SYT_SERVICE_ROLE_EITHER, /* things go to and fro, and others than the two have begun that */
};

/* That of a thread with the uses T that takes from OBJECT (trace-wide, or SYT_NONE) what one with the
 * uses GIVER gave. */
enum syt_service_role
syt_service_role_of(const struct syt_service_role_uses *t,
                    const struct syt_service_role_uses *giver,
                    const struct syt_service_role_object *objects, uint32_t object, void *context,
                    struct syt_service_role_uses *(*uses_of)(void *context, uint32_t thread));

/* One thread alone takes from it, and several give to it. */
static inline bool syt_service_role_is_parking_place(const struct syt_service_role_object *o)
{
	return o->nr_takers == 1 && o->has_givers;
}

#endif
