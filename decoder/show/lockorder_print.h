/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Lock order (decoder/report/lockorder.h) for people and as JSON lines. */
#ifndef SYT_DECODER_LOCKORDER_PRINT_H
#define SYT_DECODER_LOCKORDER_PRINT_H

#include "decoder/base/out.h"
#include "decoder/read/symbol.h"
#include "decoder/report/lockorder.h"

struct syt_lockorder_view {
	bool has_all;      /* also cycles that are no deadlocks */
	uint64_t limit;    /* of cycles and of locks that were kept; 0: none */
	bool has_no_steps; /* only what there is, and not who takes what where */
	struct syt_symbols *symbols;
};

void syt_lockorder_text(struct syt_out *out, const struct syt_lockorder *l,
                        const struct syt_lockorder_view *v);
void syt_lockorder_json(struct syt_out *out, const struct syt_lockorder *l,
                        const struct syt_lockorder_view *v);

/* Of the text: how much was looked at, in a line; and deadlocks and what can become one. */
void syt_lockorder_headline(struct syt_out *out, const struct syt_lockorder *l);
void syt_lockorder_findings(struct syt_out *out, const struct syt_lockorder *l,
                            const struct syt_lockorder_view *v);

/* "they take A, B in both orders"; PUT writes a lock's name. */
void syt_lockorder_sentence(struct syt_out *out, const struct syt_lockorder *l,
                            const struct syt_lockorder_cycle *c,
                            void (*put)(void *context, uint32_t object), void *context);

#endif
