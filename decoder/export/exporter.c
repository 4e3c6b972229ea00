/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/exporter.h"

#include <string.h>

static const struct syt_exporter *const exporters[] = {
#define EXPORTER(name_, summary_) &syt_exporter_##name_,
#include "decoder/export/exporters.def"
#undef EXPORTER
};

#define NR_EXPORTERS (sizeof(exporters) / sizeof(exporters[0]))

const struct syt_exporter *syt_exporter_at(size_t number)
{
	return number < NR_EXPORTERS ? exporters[number] : NULL;
}

const struct syt_exporter *syt_exporter_find(const char *name)
{
	for (size_t n = 0; n < NR_EXPORTERS; n++)
		if (!strcmp(exporters[n]->name, name))
			return exporters[n];
	return NULL;
}

const struct syt_exporter *syt_exporter_of_file(const char *path)
{
	size_t bytes = strlen(path);

	for (size_t n = 0; n < NR_EXPORTERS; n++) {
		size_t end = strlen(exporters[n]->suffix);

		if (bytes > end && !strcmp(path + bytes - end, exporters[n]->suffix))
			return exporters[n];
	}
	return NULL;
}
