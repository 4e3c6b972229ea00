/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints how runs differ from a baseline, for people, programs, pull requests and CI servers. */
#ifndef SYT_DECODER_REPORT_COMPARE_VIEW_H
#define SYT_DECODER_REPORT_COMPARE_VIEW_H

#include "decoder/command/command.h"
#include "decoder/report/compare/match.h"

struct syt_difference_view {
	const struct syt_comparison *c;
	bool has_all; /* also shows differences that follow from other findings */
	bool is_part; /* JUnit: the caller writes the begin and the end of the document */
};

/* Prints the comparison of V in C's format. Returns SYT_EXIT_FINDINGS if there are findings. */
enum syt_exit syt_difference_print(struct syt_command *c, const struct syt_difference_view *v);

void syt_difference_markdown(struct syt_out *out, const struct syt_difference_view *v);
void syt_difference_junit(struct syt_out *out, const struct syt_difference_view *v);

/* ---- parts that the four formats share ---- */

/* Writes the size and the losses of the runs, without a newline: "5 runs, 62000 events (0 lost ...". */
void syt_difference_side_text(struct syt_out *out, const struct syt_comparison *c, bool is_after);
/* Returns note number NR about the builds of both sides and the matched call paths, a sentence that the caller frees.
 * Returns NULL if there are no more notes. */
char *syt_difference_note(const struct syt_comparison *c, unsigned nr);
/* Writes a difference as a headline: "new call: 1 per exchange (1000 in all)". */
void syt_difference_headline(struct syt_out *out, const struct syt_comparison *c,
                             const struct syt_difference *f);
/* Returns the role of the part with index PART in the name of a fact of TYPE, for example "under". Returns NULL if
 * the name has fewer parts, and "" for a part that is not shown. */
const char *syt_difference_role(enum syt_fact_type type, unsigned part);
/* Returns the part with index PART of the fact's name NAME, and its length in *BYTES. */
const char *syt_difference_part(const char *name, unsigned part, size_t *bytes);
/* Returns the name of the object of the call path PATH of BYTES, "mutex:server.lock". Prefers the name in the new runs.
 * Returns NULL if the call path has no object with a name. */
const char *syt_difference_object(const struct syt_comparison *c, const char *path, size_t bytes);
/* Returns true if the output names the task of F, in addition to the parts of the name of the fact. */
bool syt_difference_has_task(const struct syt_difference *f);
/* Writes TEXT as a Markdown code span in a cell of a table. */
void syt_difference_markdown_code(struct syt_out *out, const char *text, size_t bytes);
/* Returns true if F is shown: it does not follow from other findings and is not undecided, or V->has_all is set. */
bool syt_difference_is_shown(const struct syt_difference_view *v, const struct syt_difference *f);

#endif
