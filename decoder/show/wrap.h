/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints sentences that fit the width of a page. */
#ifndef SYT_DECODER_SHOW_WRAP_H
#define SYT_DECODER_SHOW_WRAP_H

#include "base/out.h"

#define SYT_WRAP_COLUMNS 100u

/*
 * A sentence in pieces: begin returns the buffer to write the pieces to, end wraps them.
 *
 *	struct syt_out words;
 *
 *	syt_wrap_begin(&words, out);
 *	syt_out_printf(&words, ...);
 *	syt_wrap_end(&words, out, 3);
 */
void syt_wrap_begin(struct syt_out *words, const struct syt_out *out);
void syt_wrap_end(struct syt_out *words, struct syt_out *out, unsigned indent);

/* Wraps several lines. Indents the rest of a line that begins with spaces by 4 more columns, the rest
 * of other lines by 3. */
void syt_wrap_end_lines(struct syt_out *words, struct syt_out *out);

#endif
