/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/read/kept.h"

#include <stdlib.h>

#include "base/store.h"

void syt_kept_destroy(struct syt_kept *k)
{
	if (!k)
		return;
	for (uint64_t n = 0; n < k->nr_blocks; n++)
		syt_store_free(k->late[n]);
	free(k->late);
	syt_store_free(k->words);
	syt_store_free(k->before);
	free(k);
}
