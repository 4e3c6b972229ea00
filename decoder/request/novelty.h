/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Classes of symbols: a class has one component and one call. The calls of some classes have ever new call paths, for example the
 * waits of a database for its locks. The number of symbols that the model saw once estimates how often a new symbol of the class
 * follows (Good and Turing).
 */
#ifndef SYT_DECODER_REQUEST_NOVELTY_H
#define SYT_DECODER_REQUEST_NOVELTY_H

#include "decoder/request/automaton.h"

struct syt_novelty {
	struct syt_text_set classes;
	size_t room;
	uint32_t *once; /* [class]: number of symbols that the automaton saw once */
};

/* SYMBOLS are the texts of the symbols of A. */
void syt_novelty_open(struct syt_novelty *n, const struct syt_automaton *a,
                      const struct syt_text_set *symbols);
void syt_novelty_close(struct syt_novelty *n);

/* Returns how many symbols of the class of SYMBOL the automaton saw once. */
uint32_t syt_novelty_of(const struct syt_novelty *n, const char *symbol);

#endif
