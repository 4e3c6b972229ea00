/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Compares the decoder's account of a trace with the program's own (doc/oracle.md). */
#ifndef SYT_TESTS_ORACLE_JUDGE_H
#define SYT_TESTS_ORACLE_JUDGE_H

#include "decoder/order/order.h"
#include "decoder/order/reach.h"
#include "tests/oracle/log.h"

/* How much is to be expected. */
enum judge_mode {
	JUDGE_WHOLE,  /* everything was recorded */
	JUDGE_KILLED, /* all but the calls that were under way */
	JUDGE_LOSSY,  /* events are missing, and counted */
};

struct judge {
	const struct log_file *log;
	const struct syt_order *order;
	enum judge_mode mode;
	/* [slot][entry]: where the trace has it; thread SYT_NONE: nowhere */
	struct syt_place *places[LOG_SLOTS];
	/* [trace-wide thread][row]: the entry; NULL: none */
	const struct log_entry **entries[65536];
	struct syt_reach reach;
	uint64_t nr_entries, nr_mapped, nr_unsure;
	uint64_t nr_pairs;   /* known ordered, and looked for */
	uint64_t nr_implied; /* the pairs that follow from the threads' own orders */
	uint64_t nr_perhaps, nr_missed;
	uint64_t nr_edges; /* looked at */
	uint64_t nr_named; /* events whose source is known by name */
	uint64_t nr_failures;
};

/* The slot and seq of an entry of the log. */
uint32_t judge_slot(const struct judge *j, const struct log_entry *e);
uint32_t judge_seq(const struct judge *j, const struct log_entry *e);
const struct log_entry *judge_entry(const struct judge *j, uint32_t slot, uint32_t seq);
const char *judge_call(const struct log_entry *e);

/* NULL: the trace does not contain it, or the log has no entry for it. */
const struct syt_place *judge_place(const struct judge *j, uint32_t slot, uint32_t seq);
const struct log_entry *judge_at(const struct judge *j, struct syt_place at);

/* Reports the failure WHAT between A and B (either may be NULL). */
void judge_fail(struct judge *j, const char *what, const struct log_entry *a,
                const struct log_entry *b, const char *more);
/* Something that is known was not found: wrong when all was recorded, counted otherwise. */
void judge_miss(struct judge *j, const char *what, const struct log_entry *a,
                const struct log_entry *b, const char *more);

void judge_map(struct judge *j); /* judge_map.c: entries to events */
void judge_knowledge(
	struct judge *j); /* judge_knowledge.c: pairs that are known to be ordered are ordered */
void judge_edges(struct judge *j);  /* judge_edges.c: no edge contradicts the knowledge */
void judge_tokens(struct judge *j); /* judge_tokens.c: semaphores and conds, by counting */

#endif
