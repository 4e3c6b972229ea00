/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Lock order (decoder/report/lockorder.h) for people and as JSON lines. */
#ifndef SYT_DECODER_LOCKORDER_PRINT_H
#define SYT_DECODER_LOCKORDER_PRINT_H

#include "decoder/base/out.h"
#include "decoder/read/symbol.h"
#include "decoder/report/lockorder.h"

struct syt_lockorder_view {
	bool has_all;   /* also cycles that are no deadlocks */
	uint64_t limit; /* of cycles and of locks that were kept; 0: none */
	struct syt_symbols *symbols;
};

void syt_lockorder_text(struct syt_out *out, const struct syt_lockorder *l,
                        const struct syt_lockorder_view *v);
void syt_lockorder_json(struct syt_out *out, const struct syt_lockorder *l,
                        const struct syt_lockorder_view *v);

/* How much was looked at: a line of the text. */
void syt_lockorder_headline(struct syt_out *out, const struct syt_lockorder *l);

/* "they take A, B in both orders"; PUT writes a lock's name. */
void syt_lockorder_sentence(struct syt_out *out, const struct syt_lockorder *l,
                            const struct syt_lockorder_cycle *c,
                            void (*put)(void *context, uint32_t object), void *context);

#endif
