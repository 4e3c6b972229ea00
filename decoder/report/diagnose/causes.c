/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The sentences about causes (decoder/analysis/cause.h): object, call path, count, mean, share, mechanism and
 * advice. */
#include <inttypes.h>
#include <stdio.h>

#include "decoder/report/diagnose/view.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/print.h"
#include "decoder/show/wrap.h"

/* Returns the kind of the call AT as a noun. */
static const char *call_noun(const struct syt_view *v, struct syt_place at)
{
	uint32_t object;

	if (at.thread == SYT_NONE)
		return "a long call";
	object = syt_cause_object(v->order, at);
	switch ((enum syt_shape)syt_place_call(&v->order->places, at)->shape) {
	case SYT_SHAPE_PAUSE:
		return "a sleep";
	case SYT_SHAPE_COND_WAIT:
		return "a wait for a condition";
	case SYT_SHAPE_SEM_WAIT:
		return "a wait for a semaphore";
	case SYT_SHAPE_LOCK:
	case SYT_SHAPE_RDLOCK:
		return "a wait for another lock";
	case SYT_SHAPE_JOIN:
		return "a wait for the end of a thread";
	case SYT_SHAPE_REAP:
		return "a wait for a child process";
	case SYT_SHAPE_BARRIER_WAIT:
		return "a wait at a barrier";
	case SYT_SHAPE_READY:
		return "a wait for a file descriptor";
	case SYT_SHAPE_ACCEPT:
	case SYT_SHAPE_CONNECT:
		return "a wait for a connection";
	case SYT_SHAPE_RECV:
	case SYT_SHAPE_SEND:
	case SYT_SHAPE_TRANSFER:
		break;
	default:
		return "a long call";
	}
	if (object != SYT_NONE && syt_object_kind(&v->order->objects, object) == SYT_KIND_FILE)
		return "a file operation";
	return syt_place_call(&v->order->places, at)->shape == SYT_SHAPE_RECV ? "a receive"
	                                                                      : "a send";
}

static void put_span(struct syt_out *out, syt_time time)
{
	syt_print_span(out, SYT_TIME_NS(time));
}

/* "4 threads waited for it 160 times, 2.1 ms each, in CALL" */
static void put_waits(struct syt_out *out, const struct syt_view *v, const struct syt_cause *c)
{
	if (c->nr_threads)
		syt_out_printf(out, "%" PRIu32 " thread%s", c->nr_threads,
		               c->nr_threads == 1 ? "" : "s");
	else
		syt_view_put_thread(v, out, c->at.thread);
	syt_out_printf(out, " waited %" PRIu64 " time%s, ", c->nr, c->nr == 1 ? "" : "s");
	put_span(out, c->mean);
	syt_out_string(out, " on average, in ");
	syt_view_put_call(v, out, c->waiter);
}

/* Writes the thread of C, or the number of threads. */
static void put_threads(struct syt_out *out, const struct syt_view *v, const struct syt_cause *c)
{
	if (c->thread != SYT_NONE)
		syt_view_put_thread(v, out, c->thread);
	else if (c->nr_threads > 1)
		syt_out_printf(out, "%" PRIu32 " threads", c->nr_threads);
	else
		syt_out_string(out, "Several threads");
}

static void put_title(struct syt_out *out, const struct syt_view *v, const struct syt_cause *c)
{
	static const char *const titles[SYT_NR_CAUSES] = {
		[SYT_CAUSE_HELD_ACROSS_WAIT] = "Lock held across a wait for another thread",
		[SYT_CAUSE_HELD_LONG] = "Lock contention",
		[SYT_CAUSE_HELD_WITHOUT_CPU] = "Lock held off the CPU (priority inversion, or a "
					       "call that is not recorded)",
		[SYT_CAUSE_HANDOVER] = "Slow hand-off of a lock",
		[SYT_CAUSE_HERD] = "Thundering herd",
		[SYT_CAUSE_FALSE_WAKEUP] = "False wake-ups",
		[SYT_CAUSE_MISSED_SIGNAL] = "Missed signals",
		[SYT_CAUSE_LATE_ARRIVAL] = "Barrier imbalance",
		[SYT_CAUSE_SEMAPHORE_LIMIT] = "Semaphore too small",
		[SYT_CAUSE_POLLING] = "Polling",
		[SYT_CAUSE_TIMEOUTS] = "Polling with short timeouts",
		[SYT_CAUSE_BUSY_TRY] = "Busy waiting",
		[SYT_CAUSE_BUSY_READY] = "Busy readiness calls",
		[SYT_CAUSE_STOLEN_READY] = "Thundering herd at a file descriptor",
		[SYT_CAUSE_SLOW_CONSUMER] = "Slow consumer",
		[SYT_CAUSE_SMALL_POOL] = "Pool too small",
		[SYT_CAUSE_ROUND_TRIPS] = "Many round trips for one request",
		[SYT_CAUSE_STOP_AND_WAIT] = "Stop-and-wait flow control",
		[SYT_CAUSE_DELAYED_ACK] = "Small sends delayed by the delayed acknowledgement of "
					  "the peer",
		[SYT_CAUSE_SHORT_THREADS] = "One thread per task",
		[SYT_CAUSE_SHORT_PROCESSES] = "One process per task",
		[SYT_CAUSE_SHORT_CONNECTIONS] = "One connection per request",
		[SYT_CAUSE_ACCEPT_QUEUE] = "Connections wait to be accepted",
		[SYT_CAUSE_SLOW_HANDLER] = "Event loop blocked by a slow handler",
		[SYT_CAUSE_TINY_TRANSFERS] = "Tiny transfers",
		[SYT_CAUSE_SENT_AGAIN] = "Datagrams sent again after a receive timeout",
		[SYT_CAUSE_TIMER_WAIT] = "Work waits for a timer",
		[SYT_CAUSE_FLUSHES] = "One disk flush per record",
	};

	syt_out_color(out, SYT_COLOR_BOLD);
	if (c->kind == SYT_CAUSE_HELD_ACROSS_CALL ||
	    (c->kind == SYT_CAUSE_HELD_ACROSS_WAIT && c->in.thread != SYT_NONE))
		syt_out_printf(out, "Lock held across %s", call_noun(v, c->in));
	else if (c->kind == SYT_CAUSE_STARVED)
		syt_out_string(out, c->is_shared ? "Writer starvation" : "Reader starvation");
	else
		syt_out_string(out, titles[c->kind]);
	if (c->is_convoy)
		syt_out_string(out, " (lock convoy)");
	syt_out_color(out, SYT_COLOR_NONE);
	if (c->object != SYT_NONE && c->kind != SYT_CAUSE_SHORT_CONNECTIONS) {
		syt_out_string(out, ": ");
		syt_view_put_object(v, out, c->object);
	}
	syt_out_string(out, ". ");
}

/* Writes the numbers and the place of C. */
static void put_facts(struct syt_out *out, const struct syt_view *v, const struct syt_cause *c)
{
	switch ((enum syt_cause_kind)c->kind) {
	case SYT_CAUSE_HELD_ACROSS_CALL:
	case SYT_CAUSE_HELD_ACROSS_WAIT:
	case SYT_CAUSE_HELD_LONG:
	case SYT_CAUSE_HELD_WITHOUT_CPU:
	case SYT_CAUSE_HANDOVER:
	case SYT_CAUSE_STARVED:
	case SYT_CAUSE_SEMAPHORE_LIMIT:
	case SYT_CAUSE_SLOW_CONSUMER:
		put_waits(out, v, c);
		break;
	case SYT_CAUSE_HERD:
		syt_out_printf(out, "%" PRIu64 " broadcasts by ", c->limit);
		syt_view_put_call(v, out, c->origin);
		syt_out_printf(out,
		               " woke %" PRIu64 " threads; %" PRIu64
		               " of them found no work and waited again",
		               c->of, c->nr);
		break;
	case SYT_CAUSE_FALSE_WAKEUP:
		syt_out_printf(out, "%" PRIu64 " of %" PRIu64 " wake-ups by ", c->nr, c->of);
		syt_view_put_call(v, out, c->origin);
		syt_out_string(out,
		               " were useless: the woken thread found no work and waited again");
		break;
	case SYT_CAUSE_MISSED_SIGNAL:
		syt_out_printf(out, "%" PRIu64 " of %" PRIu64 " waits", c->nr, c->of);
		if (c->nr_objects > 1)
			syt_out_printf(out, " for %" PRIu64 " condition variables", c->nr_objects);
		syt_out_string(out, " ran to their timeout, ");
		put_span(out, c->mean);
		syt_out_string(
			out,
			" on average, although the condition had been signalled just before, in ");
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_LATE_ARRIVAL:
		if (c->thread == SYT_NONE)
			syt_out_string(out, "A different thread");
		else
			syt_view_put_thread(v, out, c->thread);
		syt_out_printf(out,
		               " arrived last in %" PRIu64 " of %" PRIu64
		               " rounds; the other %" PRIu32 " thread%s waited ",
		               c->nr, c->of, c->nr_threads, c->nr_threads == 1 ? "" : "s");
		put_span(out, c->mean);
		syt_out_string(out, " each in each round, in ");
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_POLLING:
		put_threads(out, v, c);
		syt_out_printf(out, " slept %" PRIu64 " times, ", c->of);
		put_span(out, c->mean);
		syt_out_string(out, " on average, in ");
		syt_view_put_call(v, out, c->waiter);
		syt_out_printf(out, "; %" PRIu64 " of the checks after a sleep found no work",
		               c->nr);
		break;
	case SYT_CAUSE_TIMEOUTS:
		syt_out_printf(out, "%" PRIu64 " of %" PRIu64 " waits timed out after ", c->nr,
		               c->of);
		put_span(out, c->mean);
		syt_out_string(out, " on average, in ");
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_BUSY_TRY:
		put_threads(out, v, c);
		syt_out_printf(out,
		               " tried %" PRIu64 " times without waiting, and failed %" PRIu64
		               " times in a row, in ",
		               c->of, c->nr);
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_BUSY_READY:
		syt_out_printf(
			out, "%" PRIu64 " of %" PRIu64 " calls returned at once without work, in ",
			c->nr, c->of);
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_STOLEN_READY:
		syt_out_printf(out,
		               "%" PRIu64 " of %" PRIu64
		               " calls reported work that another thread took first, in ",
		               c->nr, c->of);
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_SMALL_POOL:
		syt_out_printf(out,
		               "%" PRIu64 " of %" PRIu64 " tasks came while the %" PRIu64
		               " worker%s busy; tasks come from ",
		               c->nr, c->of, c->limit, c->limit == 1 ? " was" : "s were all");
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_ROUND_TRIPS:
		syt_out_printf(out,
		               "each request needs %" PRIu64 " round trips (%" PRIu64
		               " for %" PRIu64 " requests), one after the other, ",
		               c->limit, c->nr, c->of);
		put_span(out, c->mean);
		syt_out_string(out, " each, in ");
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_STOP_AND_WAIT:
		put_threads(out, v, c);
		syt_out_printf(out, " sent %" PRIu64 " blocks of %" PRIu64 " bytes, and waited ",
		               c->nr, c->limit);
		put_span(out, c->mean);
		syt_out_string(out, " after each block for an acknowledgement, in ");
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_SLOW_HANDLER:
		syt_view_put_thread(v, out, c->thread);
		syt_out_printf(out,
		               " was in %" PRIu64 " long calls while %" PRIu64 " of %" PRIu64
		               " requests of %" PRIu32 " client threads waited for it, ",
		               c->limit, c->nr, c->of, c->nr_threads);
		put_span(out, c->mean);
		syt_out_string(out, " on average, mostly in ");
		syt_view_put_call(v, out, c->inside);
		break;
	case SYT_CAUSE_DELAYED_ACK:
		syt_out_printf(out,
		               "%" PRIu64 " of %" PRIu64 " sends of %" PRIu64 " bytes arrived ",
		               c->nr, c->of, c->limit);
		put_span(out, c->mean);
		syt_out_string(out, " late on average, although the peer waited, in ");
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_SHORT_THREADS:
	case SYT_CAUSE_SHORT_PROCESSES:
	case SYT_CAUSE_SHORT_CONNECTIONS:
		syt_out_printf(out, "%" PRIu64 " %s lived for ", c->nr,
		               c->kind == SYT_CAUSE_SHORT_THREADS     ? "threads"
		               : c->kind == SYT_CAUSE_SHORT_PROCESSES ? "processes"
		                                                      : "connections");
		put_span(out, c->mean);
		syt_out_printf(out,
		               " on average, at most %" PRIu64 " at the same time; created in ",
		               c->limit);
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_ACCEPT_QUEUE:
		syt_out_printf(out,
		               "%" PRIu64 " of %" PRIu64 " connections, of %" PRIu32
		               " client thread%s, waited ",
		               c->nr, c->of, c->nr_threads, c->nr_threads == 1 ? "" : "s");
		put_span(out, c->mean);
		syt_out_string(out, " on average, until they were accepted in ");
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_TINY_TRANSFERS:
		put_threads(out, v, c);
		syt_out_printf(out,
		               " made %" PRIu64 " transfers of %" PRIu64
		               " byte%s on average, one after the other, in ",
		               c->nr, c->limit, c->limit == 1 ? "" : "s");
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_SENT_AGAIN:
		put_threads(out, v, c);
		syt_out_printf(out, " sent datagrams again %" PRIu64 " times, after waits of ",
		               c->nr);
		put_span(out, c->mean);
		syt_out_string(out, " on average that timed out in ");
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_TIMER_WAIT:
		put_threads(out, v, c);
		syt_out_printf(out,
		               " got a signal, but waited again until the timeout, %" PRIu64
		               " times, in ",
		               c->nr);
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_CAUSE_FLUSHES:
		put_threads(out, v, c);
		syt_out_printf(out, " made %" PRIu64 " flushes, ", c->nr);
		put_span(out, c->mean);
		syt_out_string(out, " on average, while the next record was there already, in ");
		syt_view_put_call(v, out, c->waiter);
		break;
	case SYT_NR_CAUSES:
		break;
	}
	syt_out_char(out, '.');
}

static void put_inside(struct syt_out *out, const struct syt_view *v, const struct syt_cause *c)
{
	syt_out_printf(out, "%.0f %% of this time in ", c->inside_thousandths / 10.0);
	syt_view_put_call(v, out, c->inside);
}

/* Writes why the threads of C lost time. */
static void put_mechanism(struct syt_out *out, const struct syt_view *v, const struct syt_cause *c)
{
	switch ((enum syt_cause_kind)c->kind) {
	case SYT_CAUSE_HELD_ACROSS_CALL:
		syt_view_put_thread(v, out, c->thread);
		syt_out_string(out, " held the lock while it was in ");
		syt_view_put_call(v, out, c->inside);
		syt_out_printf(out, " (%.0f %% of the waiting time); the lock was taken in ",
		               c->inside_thousandths / 10.0);
		syt_view_put_call(v, out, c->origin);
		break;
	case SYT_CAUSE_HELD_ACROSS_WAIT:
		syt_out_string(out, "the holder took the lock in ");
		syt_view_put_call(v, out, c->origin);
		syt_out_string(out, "; with the lock, it waited");
		if (c->inside != SYT_NONE) {
			syt_out_string(out, " in ");
			syt_view_put_call(v, out, c->inside);
		}
		syt_out_string(out, " for ");
		syt_view_put_thread(v, out, c->thread);
		if (c->ender != SYT_NONE) {
			syt_out_string(out, ", which was in ");
			syt_view_put_call(v, out, c->ender);
		}
		if (c->nr_threads == 1)
			syt_out_string(out, "; if the waiter has the highest priority, this is a "
			                    "priority inversion");
		break;
	case SYT_CAUSE_HELD_LONG:
		syt_out_printf(out,
		               "the lock was held for %.0f %% of the time, %" PRIu64 " times for ",
		               c->busy_thousandths / 10.0, c->limit);
		put_span(out, c->limit ? (syt_time)c->busy_thousandths *
		                                 (v->causes->observed / 1000) / c->limit
		                       : 0);
		syt_out_string(
			out,
			" on average, by threads that ran: it serializes them. Most time since ");
		syt_view_put_call(v, out, c->origin);
		break;
	case SYT_CAUSE_HELD_WITHOUT_CPU:
		syt_view_put_thread(v, out, c->thread);
		syt_out_string(out, " held the lock since ");
		syt_view_put_call(v, out, c->origin);
		syt_out_printf(
			out,
			", and used a CPU for %.0f %% of its time between recorded calls: "
			"other threads had the CPU, or it was in a call that is not recorded",
			c->busy_thousandths / 10.0);
		break;
	case SYT_CAUSE_HANDOVER:
		syt_out_printf(out,
		               "%.0f %% of the waiting time passed between the release and the "
		               "wake-up of the waiter",
		               c->inside_thousandths / 10.0);
		break;
	case SYT_CAUSE_STARVED:
		syt_out_printf(out,
		               "during each wait, %s took and released the lock %" PRIu64 " times",
		               c->is_shared ? "readers" : "writers", c->limit);
		if (c->origin != SYT_NONE) {
			syt_out_string(out, ", in ");
			syt_view_put_call(v, out, c->origin);
		}
		syt_out_printf(out, ": the %s got no turn", c->is_shared ? "writer" : "reader");
		break;
	case SYT_CAUSE_HERD:
		syt_out_string(out,
		               "a broadcast wakes all waiters, but there is work for one of them");
		break;
	case SYT_CAUSE_FALSE_WAKEUP:
		syt_out_string(
			out,
			"the signal comes although the condition of the waiter is not yet true");
		break;
	case SYT_CAUSE_MISSED_SIGNAL:
		syt_out_string(
			out,
			"the signal came while no thread waited, so it was lost; it came from ");
		syt_view_put_call(v, out, c->origin);
		break;
	case SYT_CAUSE_LATE_ARRIVAL:
		if (c->inside != SYT_NONE) {
			syt_out_string(out, "before it arrived, the thread spent ");
			put_inside(out, v, c);
		} else {
			syt_out_string(out, "before it arrived, the thread ran: it has more work "
			                    "than the others");
		}
		break;
	case SYT_CAUSE_SEMAPHORE_LIMIT:
		syt_out_printf(out,
		               "the semaphore lets %" PRIu64 " of %" PRIu32 " threads in at a time",
		               c->limit, c->nr_threads);
		if (c->inside != SYT_NONE) {
			syt_out_string(out, "; threads inside spent ");
			put_inside(out, v, c);
		}
		break;
	case SYT_CAUSE_POLLING:
		if (c->origin != SYT_NONE) {
			syt_out_string(out, "the thread checks in ");
			syt_view_put_call(v, out, c->origin);
			syt_out_string(out, " instead of waiting for a wake-up");
		} else {
			syt_out_string(out, "the thread wakes up again and again instead of "
			                    "waiting for a wake-up");
		}
		break;
	case SYT_CAUSE_TIMEOUTS:
		syt_out_string(out, "the thread wakes up again and again, although no event came");
		break;
	case SYT_CAUSE_BUSY_TRY:
		syt_out_string(out, "the thread uses a CPU while it has no work");
		break;
	case SYT_CAUSE_BUSY_READY:
		syt_out_string(out, "the call reported the same ready file descriptor again, "
		                    "because no thread used it; "
		                    "the thread uses a CPU without work");
		break;
	case SYT_CAUSE_STOLEN_READY:
		syt_out_string(out,
		               "one event wakes several threads, and one of them takes the work");
		break;
	case SYT_CAUSE_SLOW_CONSUMER:
		syt_out_string(out, "the waiter needs a free place");
		if (c->limit)
			syt_out_printf(out, " (of %" PRIu64 ")", c->limit);
		syt_out_string(out, ", and the consumer ");
		syt_view_put_thread(v, out, c->thread);
		if (c->inside != SYT_NONE) {
			syt_out_string(out, " spent ");
			put_inside(out, v, c);
		} else {
			syt_out_string(out, " computes for a longer time than the waiter");
		}
		break;
	case SYT_CAUSE_SMALL_POOL:
		syt_out_string(out, "a task waited ");
		put_span(out, c->queued);
		syt_out_string(out, " for a worker and then took ");
		put_span(out, c->mean);
		syt_out_string(out, "; the workers spent ");
		put_inside(out, v, c);
		break;
	case SYT_CAUSE_ROUND_TRIPS:
		syt_out_string(out, "the thread sends the next query only after the answer to the "
		                    "last one (N+1 queries)");
		break;
	case SYT_CAUSE_STOP_AND_WAIT:
		syt_out_string(out, "only one block is on its way at a time (window of 1)");
		break;
	case SYT_CAUSE_SLOW_HANDLER:
		syt_out_string(out, "one thread serves all connections, and the other connections "
		                    "wait for the end of this call, which takes ");
		syt_out_printf(out, "%u %% of their delay", (c->inside_thousandths + 5) / 10);
		break;
	case SYT_CAUSE_DELAYED_ACK:
		syt_out_string(out, "the kernel keeps a small send back (Nagle's algorithm) until "
		                    "the peer acknowledges the send before it");
		if (c->origin != c->waiter) {
			syt_out_string(out, ", in ");
			syt_view_put_call(v, out, c->origin);
		}
		syt_out_string(out, "; the peer delays this acknowledgement, because it has "
		                    "nothing to send yet");
		break;
	case SYT_CAUSE_SHORT_THREADS:
	case SYT_CAUSE_SHORT_PROCESSES:
	case SYT_CAUSE_SHORT_CONNECTIONS:
		if (c->nr_objects) {
			syt_out_string(out, "each connection carries one request, but needs ");
			put_span(out, c->cost / c->nr);
			syt_out_printf(out,
			               " before it, for the connect and a handshake of %" PRIu64
			               " messages of the client",
			               c->nr_objects);
			break;
		}
		syt_out_string(out, "each creation took ");
		put_span(out, c->cost / c->nr);
		syt_out_string(out, c->kind == SYT_CAUSE_SHORT_CONNECTIONS
		                            ? ", for one or two messages"
		                            : ", for little work");
		break;
	case SYT_CAUSE_ACCEPT_QUEUE:
		if (c->limit == 1) {
			syt_out_string(out, "only ");
			syt_view_put_thread(v, out, c->thread);
			syt_out_string(out, " accepts, and it was busy with earlier connections");
		} else {
			syt_out_printf(out,
			               "all %" PRIu64
			               " accepting threads were busy with earlier connections",
			               c->limit);
		}
		if (c->inside != SYT_NONE) {
			syt_out_string(out, ": ");
			put_inside(out, v, c);
		}
		break;
	case SYT_CAUSE_TINY_TRANSFERS:
		syt_out_string(out, "none of these calls had to wait, and each is a system call of "
		                    "about 1 us");
		break;
	case SYT_CAUSE_SENT_AGAIN:
		syt_out_printf(out,
		               "datagrams or answers were lost: %" PRIu64 " were sent, and %" PRIu64
		               " answers came; the thread sends again in ",
		               c->of, c->limit);
		syt_view_put_call(v, out, c->origin);
		break;
	case SYT_CAUSE_TIMER_WAIT:
		syt_out_printf(out, "%" PRIu32 " thread%s waited for the result meanwhile, ",
		               c->nr_threads, c->nr_threads == 1 ? "" : "s");
		put_span(out, c->mean);
		syt_out_string(out, " per timeout in all, in ");
		syt_view_put_call(v, out, c->origin);
		break;
	case SYT_CAUSE_FLUSHES:
		if (c->limit)
			syt_out_printf(out, "each flush writes %" PRIu64 " bytes to the disk",
			               c->limit);
		else
			syt_out_string(out, "each task waits for its own flush");
		syt_out_string(out, "; a flush takes about as long for many records");
		break;
	case SYT_NR_CAUSES:
		break;
	}
	syt_out_char(out, '.');
}

static const char *const advice[SYT_NR_CAUSES] = {
	[SYT_CAUSE_HELD_ACROSS_CALL] =
		"move this call out of the critical section, and lock only the shared data.",
	[SYT_CAUSE_HELD_ACROSS_WAIT] = "release the lock before the wait, or let the holder run at "
				       "the priority of the waiter "
				       "(PTHREAD_PRIO_INHERIT).",
	[SYT_CAUSE_HELD_LONG] = "do less work under the lock, or split the lock by key or thread.",
	[SYT_CAUSE_HELD_WITHOUT_CPU] = "move calls that wait out of the critical section; with "
				       "thread priorities, use PTHREAD_PRIO_INHERIT.",
	[SYT_CAUSE_HANDOVER] =
		"take the lock less often: do several steps in one critical section.",
	[SYT_CAUSE_STARVED] = "prefer writers (PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP), "
			      "shorten the sections, or use a "
			      "copy of the data.",
	[SYT_CAUSE_HERD] = "use pthread_cond_signal, one signal for each task.",
	[SYT_CAUSE_FALSE_WAKEUP] = "signal only when the condition of the waiter is true, or use "
				   "one condition variable for each "
				   "condition.",
	[SYT_CAUSE_MISSED_SIGNAL] =
		"change and check the condition under the mutex, and check it before each wait.",
	[SYT_CAUSE_LATE_ARRIVAL] =
		"divide the work evenly, or let threads take the work in small pieces.",
	[SYT_CAUSE_SEMAPHORE_LIMIT] = "raise the count of the semaphore, or shorten the time for "
				      "which a thread keeps a token.",
	[SYT_CAUSE_POLLING] = "wait for a condition variable, semaphore or file descriptor that "
			      "the other thread signals.",
	[SYT_CAUSE_TIMEOUTS] = "wait without a timeout, or with a longer one, and let the other "
			       "thread end the wait.",
	[SYT_CAUSE_BUSY_TRY] =
		"wait for the event: use the blocking call, or a readiness call first.",
	[SYT_CAUSE_BUSY_READY] = "ask for an event only while there is work for it (EPOLLOUT only "
				 "with data to send), or use "
				 "EPOLLET.",
	[SYT_CAUSE_STOLEN_READY] =
		"use EPOLLEXCLUSIVE or EPOLLONESHOT, or let one thread take the events.",
	[SYT_CAUSE_SLOW_CONSUMER] =
		"make the consumer faster, or add consumers; more places only delay the wait.",
	[SYT_CAUSE_SMALL_POOL] = "add workers, or shorten this call.",
	[SYT_CAUSE_ROUND_TRIPS] = "ask for all rows in one query, or send the queries before the "
				  "first answer (pipelining).",
	[SYT_CAUSE_STOP_AND_WAIT] = "send several blocks before the wait for an acknowledgement.",
	[SYT_CAUSE_DELAYED_ACK] = "send all parts of a message with one writev, or set TCP_NODELAY "
				  "or TCP_CORK.",
	[SYT_CAUSE_SHORT_THREADS] = "use a pool of threads.",
	[SYT_CAUSE_SHORT_PROCESSES] = "use a pool of processes or threads.",
	[SYT_CAUSE_SHORT_CONNECTIONS] = "keep the connection open, or use a pool of connections.",
	[SYT_CAUSE_ACCEPT_QUEUE] =
		"use more accepting threads, or accept in one thread and hand the "
		"connections to others.",
	[SYT_CAUSE_SLOW_HANDLER] = "let another thread make this call, or make it without blocking "
				   "and return to the loop.",
	[SYT_CAUSE_TINY_TRANSFERS] = "use a buffer, so that one call transfers many bytes.",
	[SYT_CAUSE_SENT_AGAIN] = "send fewer datagrams at a time, enlarge the receive buffer "
				 "(SO_RCVBUF), or shorten the timeout.",
	[SYT_CAUSE_TIMER_WAIT] = "begin with the work at the signal, not at the timeout.",
	[SYT_CAUSE_FLUSHES] = "write all waiting records, then make one flush for all of them "
			      "(group commit).",
};

static double share(const struct syt_view *v, const struct syt_cause *c)
{
	return v->causes->observed ? 100.0 * (double)c->cost / (double)v->causes->observed : 0;
}

static void put_part(struct syt_out *out, const struct syt_view *v, const struct syt_cause *c,
                     const char *title,
                     void (*put)(struct syt_out *, const struct syt_view *,
                                 const struct syt_cause *))
{
	struct syt_out words;

	syt_wrap_begin(&words, out);
	syt_out_string(&words, title);
	put(&words, v, c);
	syt_wrap_end(&words, out, 5);
}

static void put_first(struct syt_out *out, const struct syt_view *v, const struct syt_cause *c)
{
	put_title(out, v, c);
	put_facts(out, v, c);
}

static void put_loss(struct syt_out *out, const struct syt_view *v, const struct syt_cause *c)
{
	syt_out_printf(out, "%.1f %% (", share(v, c));
	put_span(out, c->cost);
	syt_out_printf(out, "). Try: %s", advice[c->kind]);
}

/* Writes that woken threads waited for a CPU. This is no cause in the program: more CPUs or less other work help. */
static void put_late_wakes(struct syt_out *out, const struct syt_causes *c)
{
	struct syt_out words;

	if (!c->nr_late_wakes)
		return;
	syt_wrap_begin(&words, out);
	syt_out_string(&words,
	               "The CPUs were busy: after the release of a lock, its next holder waited ");
	put_span(&words, c->late_wakes / c->nr_late_wakes);
	syt_out_printf(&words, " for a CPU on average (%" PRIu64 " times).", c->nr_late_wakes);
	syt_wrap_end(&words, out, 0);
}

static void findings(struct syt_out *out, const struct syt_view *v)
{
	const struct syt_causes *c = v->causes;
	char number[24];

	if (!c->nr)
		syt_out_string(out, "Nothing stands out: no thread lost much time to another "
		                    "thread, and no call was repeated "
		                    "without work.\n");
	for (size_t i = 0; i < c->nr && i < SYT_FINDING_SENTENCES; i++) {
		snprintf(number, sizeof(number), "%zu. ", i + 1);
		put_part(out, v, &c->all[i], number, put_first);
		put_part(out, v, &c->all[i], "   Why: ", put_mechanism);
		put_part(out, v, &c->all[i], "   Lost: ", put_loss);
		if (v->has_stacks)
			syt_view_put_stack(v, out, "at", c->all[i].at);
	}
	put_late_wakes(out, c);
}

static void headline(struct syt_out *out, const struct syt_view *v)
{
	struct syt_out words;

	syt_wrap_begin(&words, out);
	syt_out_string(&words, "The trace is ");
	put_span(&words, v->causes->observed);
	syt_out_string(&words,
	               " long. Lost: time in which a thread with work to do could not do it, or "
	               "did useless work, as a "
	               "share of this length; several threads together can lose more than 100 %.");
	syt_wrap_end(&words, out, 0);
}

void syt_diagnose_find(const struct syt_view *v, struct syt_finding *f, struct syt_html *page)
{
	syt_causes_find(v->causes, v->blamer);
	f->tone = v->causes->nr ? SYT_TONE_BAD : SYT_TONE_GOOD;
	syt_finding_write(f, v, page || v->is_json, headline, findings);
}

/* ---- JSON ---- */

SYT_COLUMN_WORD(kind, struct syt_cause, syt_cause_word(r->kind));
SYT_COLUMN_WORD(try, struct syt_cause, advice[r->kind]);

static void json_share(struct syt_json *j, const char *key, const struct syt_cell *c)
{
	syt_json_thousandths(j, key, (unsigned)(share(c->view, c->row) * 10));
}

static const struct syt_column_type share_type = {.json = json_share};

#define CAUSE(member_) offsetof(struct syt_cause, member_)

/* clang-format off */
static const struct syt_column columns[] = {
	{NULL, SYT_KEY("kind", "cause_kind"), &kind,                   0},
	{NULL, "process",      &syt_column_process,     CAUSE(object)},
	{NULL, "object",       &syt_column_object,      CAUSE(object)},
	{NULL, "path",         &syt_column_path,        CAUSE(waiter)},
	{NULL, "origin",       &syt_column_path,        CAUSE(origin)},
	{NULL, "inside",       &syt_column_path,        CAUSE(inside)},
	{NULL, "thread",       &syt_column_thread,      CAUSE(thread)},
	{NULL, "threads",      &syt_column_u32,         CAUSE(nr_threads)},
	{NULL, "count",        &syt_column_u64,         CAUSE(nr)},
	{NULL, "of",           &syt_column_u64,         CAUSE(of)},
	{NULL, "limit",        &syt_column_u64,         CAUSE(limit)},
	{NULL, "mean_ns",      &syt_column_time,        CAUSE(mean)},
	{NULL, "lost_ns",      &syt_column_time,        CAUSE(cost)},
	{NULL, "lost_share",   &share_type,             0},
	{NULL, "example",      &syt_column_place,       CAUSE(at)},
	{NULL, "try",          &try,                    0},
};
/* clang-format on */

static const struct syt_listing causes = SYT_LISTING("cause", columns);

void syt_diagnose_list(const struct syt_view *v)
{
	syt_listing_all(&causes, v, v->causes->all, v->causes->nr, sizeof(*v->causes->all), NULL);
}
