/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Matches the call paths of two builds of a program: doc/reports.md, "Two builds".
 *
 * A compiler replaces a call at the end of a function by a jump (tail call), or inlines the function, so that a function
 * disappears from call paths. Without debug information, inlined functions are invisible; without a symbol table, most
 * functions have no name. A programmer renames a function. None of this changes the behaviour of the program.
 */
#ifndef SYT_DECODER_REPORT_COMPARE_MATCH_H
#define SYT_DECODER_REPORT_COMPARE_MATCH_H

#include "decoder/report/compare/difference.h"

/* A program or function that has another name in the new runs. */
struct syt_rename {
	char *before, *after;
	bool is_program;
	size_t nr_paths; /* number of matched call paths with the function */
};

/* The call paths of two builds that were matched although their texts differ. */
struct syt_matches {
	size_t nr_paths; /* number of call paths of the old runs that have another text in the new runs */
	size_t nr_unnamed; /* number of these call paths that contain functions without names */
	/* the rules of the tasks would need other texts: functions have other names or no names, or several call paths
	 * became one */
	bool has_other_rules;
	size_t nr, room;
	struct syt_rename *renames; /* sorted by name */
};

/* The sides of a comparison. Each run, and BEFORE, belong to the caller. */
struct syt_sides {
	struct syt_baseline *before;
	struct syt_run *old; /* the runs from which `before` was learnt; NULL: it is from a file */
	size_t nr_old;
	struct syt_run *after;
	size_t nr_after;
};

/* Finds the matching call paths of both sides and gives their facts the same names. Facts with equal names become
 * one fact. The function changes nothing if the sides do not differ, or if both sides are the same build. */
void syt_match(struct syt_matches *m, struct syt_sides *sides);
void syt_matches_close(struct syt_matches *m);

#endif
