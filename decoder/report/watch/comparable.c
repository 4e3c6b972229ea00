/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/watch/comparable.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define OFFSET "+0x" /* a function without a name is FILE+0x1234 */

/* Returns true if MODEL, too, has functions of the file of which TEXT, up to END, is the name, as FILE+0x. */
static bool has_offsets(const struct syt_workload *model, const char *text, const char *end)
{
	char *function = syt_strndup(text, (size_t)(end - text) + strlen(OFFSET));
	bool is_found = false;

	for (uint32_t i = 0; i < model->known.symbols.nr && !is_found; i++)
		is_found = strstr(model->known.symbols.all[i], function);
	free(function);
	return is_found;
}

bool syt_symbol_is_comparable(const struct syt_workload *model, const struct syt_symbols *symbols,
                              const char *symbol)
{
	const char *begin = symbol;

	if (!syt_symbols_lack_file(symbols, symbol))
		return true;
	for (const char *c = symbol; *c; c++) {
		if (*c == ';' || *c == ':')
			begin = c + 1;
		if (!strncmp(c, OFFSET, strlen(OFFSET)) && !has_offsets(model, begin, c))
			return false;
	}
	return true;
}
