/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Prints the locks of a live view as a screen, as text for a script, or as JSON lines. */
#ifndef SYT_DECODER_REPORT_TOP_PRINT_H
#define SYT_DECODER_REPORT_TOP_PRINT_H

#include "decoder/report/top/screen.h"
#include "decoder/report/top/locks.h"
#include "base/out.h"

struct syt_top_view {
	const struct syt_top_locks *locks;
	struct syt_symbols *symbols; /* NULL: print addresses, and no names of functions */
	uint64_t limit;              /* maximum number of locks; 0: all */
	struct syt_out *out;
};

/* The name and the key of each column: "waited" and 'w'. The upper case of the key means the total. */
extern const struct syt_top_word {
	const char *name;
	char key;
} syt_top_words[SYT_NR_TOP_KEYS];

/* Draws the screen S. Each line fits its width. */
void syt_top_draw(const struct syt_top_view *v, const struct syt_screen *s);
/* Prints all lines, however long. */
void syt_top_text(const struct syt_top_view *v);
void syt_top_json(const struct syt_top_view *v);

#endif
