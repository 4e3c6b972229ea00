/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes folded stacks, for flamegraph.pl and speedscope. A line has one call stack, outermost frame first, joined
 * by semicolons, then a space and the waited nanoseconds. In a profile of contention, the lock and the call path to
 * blame follow the waiter's stack. The format has no field for the coverage. The coverage is therefore the first
 * line, which readers skip, because it begins with # and does not end with a number. */
#include <inttypes.h>
#include <stdlib.h>

#include "decoder/export/wait_sum.h"
#include "decoder/export/words.h"
#include "decoder/read/call.h"
#include "decoder/analysis/blame.h"

/* Writes TEXT as valid UTF-8, without the characters that separate frames. */
static void put_frame(struct syt_out *out, const char *text)
{
	char *clean = syt_words_clean(text);

	for (char *p = clean; *p; p++)
		if (*p == ';')
			*p = ':';
	syt_out_string(out, clean);
	free(clean);
}

/* Writes the functions of STACK, outermost first. */
static void put_stack(const struct syt_export *x, const struct syt_image *i, uint32_t stack)
{
	const char **frames = NULL;
	size_t room = 0, nr = syt_words_frames(x, i, stack, &frames, &room);

	while (nr-- > 0) {
		put_frame(x->out, frames[nr]);
		syt_out_char(x->out, ';');
	}
	free(frames);
}

/* Writes a call path. The functions of a call path are already separated by semicolons. */
static void put_side(const struct syt_export *x, uint32_t side)
{
	if (side == SYT_NONE)
		return;
	char *clean = syt_words_clean(syt_label_side_text(x->labels, side));

	syt_out_char(x->out, ';');
	syt_out_string(x->out, clean);
	free(clean);
}

static void put_sum(const struct syt_export *x, const struct syt_wait_sum *s)
{
	const struct syt_image *i = &x->order->places.trace->images[s->image];
	const char *call = i->calls[s->call].name;
	char *process = syt_words_process(i);

	put_frame(x->out, process);
	syt_out_char(x->out, ';');
	put_stack(x, i, s->stack);
	put_frame(x->out, call ? call : "?");
	if (s->lock != SYT_NONE) {
		char *lock = syt_words_object(x, s->lock);

		syt_out_string(x->out, ";[");
		put_frame(x->out, lock);
		syt_out_printf(x->out, ": %s]", syt_blame_word((enum syt_blame_kind)s->kind));
		free(lock);
		put_side(x, s->culprit);
	}
	syt_out_printf(x->out, " %" PRIu64 "\n", s->ns);
	free(process);
}

static int run(struct syt_export *x)
{
	char *coverage = syt_words_coverage(x->order);
	struct syt_wait_sums waits;

	syt_out_printf(x->out, "# ns ");
	syt_out_string(x->out, coverage);
	syt_out_char(x->out, '\n');
	syt_wait_sums_open(&waits, x);
	for (size_t n = 0; n < waits.nr && !x->out->is_closed; n++)
		if (waits.all[n].ns)
			put_sum(x, &waits.all[n]);
	syt_wait_sums_close(&waits);
	free(coverage);
	return 0;
}

const struct syt_exporter syt_exporter_folded = {
	.name = "folded",
	.suffix = ".folded",
	.is_profile = true,
	.run = run,
};
