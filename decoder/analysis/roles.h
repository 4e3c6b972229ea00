/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Determines client/server roles: which thread asks and which thread answers. The roles are for threads that
 * exchange wake-ups or data through objects that do not name the sender: semaphores, condition variables, futexes,
 * eventfds and message queues.
 *
 * A thread gives to an object (post, signal, wake, send) and takes from it (wait, receive). Consider two threads
 * that use two objects, one in each direction, such as the semaphores of a queue for items and for free places. The
 * object to which a thread gave first carries the requests, because no thread can answer before there is a request.
 * The other object carries the answers.
 *
 * The conclusion which object carries requests requires for both objects that the thread which gave to the object
 * first also takes from the other object. Otherwise the first gift may have answered a request from a third object,
 * as where many threads report to one thread.
 *
 * An object is private to a thread if only this thread takes from it, and several threads give to it. The thread
 * may wait there for any reason, for a lock as well as for work. Two private objects therefore do not show which
 * thread asks.
 *
 * All functions work on the caller's memory, and cannot fail.
 */
#ifndef SYT_DECODER_ANALYSIS_ROLES_H
#define SYT_DECODER_ANALYSIS_ROLES_H

#include "decoder/order/order.h"

/* maximum number of stored objects: the most recent ones, each once */
#define SYT_SERVICE_ROLE_MOST_USES 8u

/* The objects that a thread used in one way (gave to, or took from), most recent first, with its last use of
 * each. */
struct syt_service_role_list {
	uint32_t nr;
	struct syt_service_role_use {
		uint32_t object, row;
	} all[SYT_SERVICE_ROLE_MOST_USES];
};

struct syt_service_role_uses {
	/* objects that the thread has used until the present event */
	struct syt_service_role_list given, taken;
	struct syt_service_role_list gives, takes; /* objects that it uses in the whole trace */
};

struct syt_service_role_object {
	syt_time first_given; /* time of the first gift to the object; 0: never */
	uint32_t first_giver; /* trace-wide index of the thread that gave first; SYT_NONE: none */
	bool has_many_givers; /* two or more threads give to it */
	/* number of threads that take from it; SYT_SERVICE_ROLE_MOST_USES + 1: more than `takers` can hold */
	uint32_t nr_takers;
	uint32_t takers[SYT_SERVICE_ROLE_MOST_USES];
};

/* Adds the event AT to the USES of its thread, if AT gives to an object or takes from one. */
void syt_service_role_note(struct syt_service_role_uses *uses, const struct syt_order *order,
                           struct syt_place at);

/* Returns which threads give to OBJECT (trace-wide index) and take from it, in the whole trace. Also adds OBJECT to
 * the lists `gives` or `takes` of each of these threads in USES, which has an element for each thread of the
 * trace. */
struct syt_service_role_object syt_service_role_object(const struct syt_order *order,
                                                       uint32_t object,
                                                       struct syt_service_role_uses *uses);

enum syt_service_role {
	SYT_SERVICE_ROLE_UNKNOWN,
	/* the thread is the client: it made a request since it took the last answer, or it needs an answer (such as
	 * a free place in a queue) to make its first request */
	SYT_SERVICE_ROLE_ASKS,
	/* the thread made a request, and never took an answer: this answer may belong to another thread */
	SYT_SERVICE_ROLE_BEGINS,
	/* the thread is the server: it waits for a request */
	SYT_SERVICE_ROLE_ANSWERS,
	/* the two threads exchange in both directions, but their first uses do not decide which one asks */
	SYT_SERVICE_ROLE_EITHER,
};

/* Returns the role of THREAD, which takes from OBJECT (or SYT_NONE) a wake-up or data that the thread GIVER gave.
 * USES is indexed by thread, and OBJECTS by object; both indices are trace-wide. The elements of OBJECTS are
 * results of syt_service_role_object(). */
enum syt_service_role syt_service_role_of(const struct syt_service_role_uses *uses, uint32_t thread,
                                          uint32_t giver,
                                          const struct syt_service_role_object *objects,
                                          uint32_t object);

/* Returns true if O is private to a thread: one thread takes from it, and several threads give to it. */
static inline bool syt_service_role_is_private(const struct syt_service_role_object *o)
{
	return o->nr_takers == 1 && o->has_many_givers;
}

#endif
