/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/request/novelty.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* Returns the class of SYMBOL: its component and its call. The caller frees the text. */
static char *class_of(const char *symbol)
{
	const char *end = strchr(symbol, ':'), *call = strrchr(symbol, ';');

	if (!end)
		return syt_asprintf("%s", symbol);
	return syt_asprintf("%.*s:%s", (int)(end - symbol), symbol, call ? call + 1 : end + 1);
}

void syt_novelty_open(struct syt_novelty *n, const struct syt_automaton *a,
                      const struct syt_text_set *symbols)
{
	memset(n, 0, sizeof(*n));
	for (uint32_t i = 0; i < symbols->nr; i++) {
		uint32_t class, nr = n->classes.nr;
		char *text;

		if (syt_automaton_of_symbol(a, i) != 1)
			continue;
		text = class_of(symbols->all[i]);
		class = syt_text_set_add(&n->classes, text, strlen(text));
		free(text);
		if (class == nr)
			*SYT_ADD(n->once, nr, n->room) = 0;
		n->once[class]++;
	}
}

void syt_novelty_close(struct syt_novelty *n)
{
	syt_text_set_close(&n->classes);
	free(n->once);
	memset(n, 0, sizeof(*n));
}

uint32_t syt_novelty_of(const struct syt_novelty *n, const char *symbol)
{
	char *text = class_of(symbol);
	uint32_t class = syt_text_set_find(&n->classes, text);

	free(text);
	return class == SYT_HASH_NONE ? 0 : n->once[class];
}
