/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Compares the happens-before order that the decoder finds with the order that the program logged
 * (doc/oracle.md). */
#ifndef SYT_TESTS_ORACLE_JUDGE_H
#define SYT_TESTS_ORACLE_JUDGE_H

#include "decoder/order/order.h"
#include "decoder/order/reach.h"
#include "tests/oracle/log.h"

/* How complete the trace is expected to be. */
enum judge_mode {
	JUDGE_WHOLE,  /* everything was recorded */
	JUDGE_KILLED, /* the trace has all events except calls in progress at the kill */
	JUDGE_LOSSY,  /* some events are missing, and the trace counts them */
};

struct judge {
	const struct log_file *log;
	const struct syt_order *order;
	enum judge_mode mode;
	/* [slot][entry]: the event of this log entry; thread SYT_NONE: no event */
	struct syt_place *places[LOG_SLOTS];
	/* [trace-wide thread][index of the event]: its log entry, or NULL */
	const struct log_entry **entries[65536];
	struct syt_reach reach;
	uint64_t nr_entries, nr_mapped, nr_unsure;
	/* number of pairs that the program knows to be ordered, which were checked */
	uint64_t nr_pairs;
	uint64_t nr_implied; /* number of pairs that follow from the order within threads */
	uint64_t nr_perhaps, nr_missed;
	uint64_t nr_edges; /* looked at */
	uint64_t nr_named; /* number of events whose source the log names */
	uint64_t nr_failures;
};

/* Get the slot and the sequence number of a log entry. */
uint32_t judge_slot(const struct judge *j, const struct log_entry *e);
uint32_t judge_seq(const struct judge *j, const struct log_entry *e);
const struct log_entry *judge_entry(const struct judge *j, uint32_t slot, uint32_t seq);
const char *judge_call(const struct log_entry *e);

/* Returns the event of the call, or NULL if the trace does not contain the call or the log has no entry
 * for it. */
const struct syt_place *judge_place(const struct judge *j, uint32_t slot, uint32_t seq);
const struct log_entry *judge_at(const struct judge *j, struct syt_place at);

/* Reports the failure WHAT between A and B (either may be NULL). */
void judge_fail(struct judge *j, const char *what, const struct log_entry *a,
                const struct log_entry *b, const char *more);
/* Reports that an order known to the log was not found in the trace: an error if all was recorded,
 * otherwise only counted. */
void judge_miss(struct judge *j, const char *what, const struct log_entry *a,
                const struct log_entry *b, const char *more);

void judge_map(struct judge *j); /* judge_map.c: maps log entries to events */
void judge_knowledge(
	/* judge_knowledge.c: checks that pairs which the log knows to be ordered are ordered */
	struct judge *j);
/* judge_edges.c: checks that no happens-before edge contradicts the log */
void judge_edges(struct judge *j);
/* judge_tokens.c: checks semaphores and condition variables by counting */
void judge_tokens(struct judge *j);

#endif
