/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The sentences about work that passed from thread to thread along ways that the trace does not contain. */
#include <inttypes.h>

#include "base/err.h"
#include "decoder/order/label.h"
#include "decoder/report/model/view.h"

/* Returns the number of hand-offs of KIND, and sets *MOST to the call path with the most of them. */
static uint64_t count(const struct syt_model_input *in, enum syt_hidden kind, const char **most)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < in->nr_hidden; i++) {
		if (in->hidden[i].kind != kind)
			continue;
		*most = nr ? *most : in->hidden[i].path;
		nr += in->hidden[i].count;
	}
	return nr;
}

char *syt_model_hidden_text(const struct syt_model_input *in, enum syt_hidden kind)
{
	const char *path, *most;
	uint64_t nr = count(in, kind, &path);

	if (!nr)
		return NULL;
	most = syt_label_short(path, 2);
	if (kind == SYT_HIDDEN_REQUEST)
		return syt_asprintf(
			"Hidden hand-offs: %" PRIu64
			" time%s, a thread found a connection readable, another thread "
			"received the request, and no recorded event led from the first "
			"thread to the second (most in %s). The threads pass this work by "
			"atomic operations or direct system calls, which are not recorded; "
			"the tasks lack these arcs.",
			nr, nr == 1 ? "" : "s", most);
	return syt_asprintf("Possibly hidden hand-offs: %" PRIu64
	                    " wake-up%s of condition variables for which no thread ever waited "
	                    "(most in %s). Threads that find work there without a wait may use "
	                    "atomic operations, which are not recorded; the tasks lack such arcs.",
	                    nr, nr == 1 ? "" : "s", most);
}

void syt_model_put_hidden_short(struct syt_out *out, const struct syt_model_input *in)
{
	const char *path;
	uint64_t requests = count(in, SYT_HIDDEN_REQUEST, &path);
	uint64_t wakes = count(in, SYT_HIDDEN_WAKE, &path);

	if (requests)
		syt_out_printf(out, "Hidden hand-offs, not drawn: %" PRIu64 ". ", requests);
	if (wakes)
		syt_out_printf(out, "Possibly hidden hand-offs, not drawn: %" PRIu64 ". ", wakes);
	if (requests || wakes)
		syt_out_string(out, "The text of syntrace-decode model explains them.");
}
