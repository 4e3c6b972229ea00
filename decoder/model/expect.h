/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Expectations about a model: doc/models.md, "Expectations".
 *
 *	# a comment
 *	commit: RpcAsyncCallChain = 1
 *	commit: Mutate before RpcCallReply
 *	get: latency <= 5ms in 99 %
 *
 * The text is untrusted input, with the limits of base/lines.h.
 */
#ifndef SYT_DECODER_MODEL_EXPECT_H
#define SYT_DECODER_MODEL_EXPECT_H

#include "decoder/model/model.h"

#define SYT_EXPECT_ALL UINT32_C(100000000) /* 100 %: shares are in millionths of a percent */

enum syt_expect_what {
	SYT_EXPECT_COUNT, /* number of occurrences of `name` in an instance */
	SYT_EXPECT_BEFORE, /* 1: all occurrences of `name` happen before all occurrences of `later` */
	SYT_EXPECT_LATENCY, /* ns, as the other times */
	SYT_EXPECT_RAN,
	SYT_EXPECT_CPU,
	SYT_EXPECT_SENT, /* bytes */
	SYT_EXPECT_RECEIVED,
	SYT_EXPECT_THREADS,
	SYT_EXPECT_WAIT,
};

struct syt_expectation {
	char *text;    /* the line without comment */
	uint32_t line; /* its number, from 1 */
	enum syt_expect_what what;
	uint8_t wait;         /* enum syt_waits_kind; SYT_NR_WAITS_KINDS: all waits */
	char *subject;        /* name of a task; NULL: all tasks */
	char *name, *later;   /* parts, tasks or functions; NULL unless `what` needs them */
	uint64_t least, most; /* the expected values */
	uint32_t share;       /* share of the instances that must have an expected value */
};

struct syt_expect {
	size_t nr, room;
	struct syt_expectation *all;
};

/* The first mistake of a text. */
struct syt_expect_error {
	const char *message;
	uint32_t line, column; /* from 1; columns count bytes */
};

/* Parses the BYTES at TEXT into E. Returns false, and describes the mistake in *ERROR, if the text is wrong. */
bool syt_expect_parse(struct syt_expect *e, const char *text, size_t bytes,
                      struct syt_expect_error *error);
/* Reads E from the file at PATH. Returns false after a message that names the line and the column. */
bool syt_expect_read(struct syt_expect *e, const char *path);
void syt_expect_close(struct syt_expect *e);

enum syt_expect_verdict {
	SYT_EXPECT_HOLDS,
	SYT_EXPECT_FAILS,
	SYT_EXPECT_NO_TASK,  /* the model has no task with the name of the subject */
	SYT_EXPECT_NO_PART,  /* BEFORE: no instance contains both `name` and `later` */
	SYT_EXPECT_NO_VALUE, /* the trace lacks the values */
};

struct syt_expect_result {
	const struct syt_expectation *e;
	enum syt_expect_verdict verdict;
	uint64_t nr,
		nr_failed; /* numbers of instances with a value, and with an unexpected value */
	uint32_t node;     /* the first instance with an unexpected value, or SYT_NONE */
	uint64_t value;    /* its value */
	const char *
		missing; /* NO_PART: the name that no instance contains; NULL: each name alone occurs */
	uint32_t first,
		second; /* BEFORE: two of its leaves in the wrong order, or without an order */
};

/* Returns true if an expectation of E is about times or bytes, and its check needs profiles. */
bool syt_expect_needs_profiles(const struct syt_expect *e);

/* Compares the expectation E with the instances of M. PROFILES are from syt_model_profile_instances(); NULL: the values are
 * unknown. Returns the result. */
struct syt_expect_result syt_expect_check(const struct syt_expectation *e,
                                          const struct syt_model *m,
                                          const struct syt_model_profile *profiles);

#endif
