/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Identity: the trace id in each dump equals the id in the shared file of the same directory. If there is no shared
 * file, the first dump in the directory determines the id.
 *
 * A process joins a trace by its shared file, and reads this file again when it makes its dump. A dump with another
 * id was therefore copied into the directory, or a process with an older recorder wrote it there although the
 * directory belonged to another trace. Reading two directories together is no violation.
 */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "decoder/check/check.h"

#define ID_BYTES sizeof(((struct syt_file *)0)->trace_id)

static void print_id(char *to, const uint8_t *id)
{
	for (size_t i = 0; i < ID_BYTES; i++)
		snprintf(to + 2 * i, 3, "%02x", id[i]);
}

void syt_check_identity(struct syt_check *c)
{
	const struct syt_trace_data *trace = c->order->places.trace;

	for (uint32_t n = 0; n < trace->nr_images; n++) {
		const struct syt_image *i = &trace->images[n];
		char own[2 * ID_BYTES + 1], home[2 * ID_BYTES + 1];

		if (!i->has_home)
			continue;
		c->nr_checked++;
		if (!memcmp(i->file.trace_id, i->home_id, ID_BYTES))
			continue;
		print_id(own, i->file.trace_id);
		print_id(home, i->home_id);

		char *text = syt_asprintf("the trace file %s belongs to trace %s, but its "
		                          "directory belongs to trace %s",
		                          i->path, own, home);

		syt_check_violation(
			c, (struct syt_violation){
				   .what = text, .text = text, .object = SYT_NONE, .image = n});
	}
}
