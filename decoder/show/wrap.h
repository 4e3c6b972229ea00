/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints sentences as lines that fit the width of a page. */
#ifndef SYT_DECODER_SHOW_WRAP_H
#define SYT_DECODER_SHOW_WRAP_H

#include "base/out.h"

#define SYT_WRAP_COLUMNS 100u

/*
 * Prints a sentence that is written in pieces. syt_wrap_begin() makes WORDS a buffer for the pieces;
 * syt_wrap_end() breaks its text into lines and writes them to OUT.
 *
 *	struct syt_out words;
 *
 *	syt_wrap_begin(&words, out);
 *	syt_out_printf(&words, ...);
 *	syt_wrap_end(&words, out, 3);
 */
void syt_wrap_begin(struct syt_out *words, const struct syt_out *out);
void syt_wrap_end(struct syt_out *words, struct syt_out *out, unsigned indent);

/* Breaks each line of WORDS into lines that fit, and writes them to OUT. If a line begins with
 * spaces, its continuation lines are indented by 4 more columns; otherwise by 3. */
void syt_wrap_end_lines(struct syt_out *words, struct syt_out *out);

/* Breaks lines of facts, which programs may search, only to fit a terminal; a file gets whole lines. */
void syt_wrap_end_facts(struct syt_out *words, struct syt_out *out);

#endif
