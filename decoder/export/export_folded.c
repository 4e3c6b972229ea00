/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes folded stacks, for flamegraph.pl and speedscope. A line has one call stack, outermost frame first, joined
 * by semicolons, then a space and the waited nanoseconds. Each call stack has one line. In a profile of contention, the lock and the call path to
 * blame follow the waiter's stack. The format has no field for the coverage. The coverage is therefore the first
 * line, which readers skip, because it begins with # and does not end with a number. */
#include <inttypes.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/counts.h"
#include "base/err.h"
#include "decoder/export/wait_sum.h"
#include "decoder/export/words.h"
#include "decoder/read/call.h"
#include "decoder/analysis/blame.h"

/* Returns the frames of a line: the process, its call stack, the call and, for contention, the lock and the call path
 * to blame. The caller frees the text. */
static char *frames_of(const struct syt_export *x, const struct syt_wait_sum *s)
{
	const struct syt_image *i = &x->order->places.trace->images[s->image];
	const char *call = i->calls[s->call].name;
	char *process = syt_words_process(i), *path = syt_words_path(x, s->image, s->stack);
	char *text, *clean;
	size_t bytes;
	FILE *f = syt_memstream(&text, &bytes);

	syt_label_put_name(f, process);
	fprintf(f, ";%s%s", path, *path ? ";" : "");
	syt_label_put_name(f, call ? call : "?");
	if (s->lock != SYT_NONE) {
		char *lock = syt_words_object(x, s->lock);

		fputs(";[", f);
		syt_label_put_name(f, lock);
		fprintf(f, ": %s]", syt_blame_word((enum syt_blame_kind)s->kind));
		free(lock);
		if (s->culprit != SYT_NONE)
			fprintf(f, ";%s", syt_label_side_text(x->labels, s->culprit));
	}
	fclose(f);
	clean = syt_words_clean(text);
	free(text);
	free(path);
	free(process);
	return clean;
}

/* Adds the times of all sums with equal frames to the first of these sums, and sets the others to 0. One function can
 * wait at several addresses and in several processes. Keeps only hashes of the texts, because all texts can be large. */
static void merge(const struct syt_export *x, struct syt_wait_sums *waits)
{
	struct syt_counts first = {0}; /* number, from 1, of the first sum with these frames */

	for (size_t n = 0; n < waits->nr; n++) {
		char *frames = frames_of(x, &waits->all[n]);
		XXH128_hash_t h = XXH3_128bits(frames, strlen(frames));
		uint64_t *number = syt_counts_at(&first, h.low64, h.high64);

		free(frames);
		if (!*number) {
			*number = n + 1;
			continue;
		}
		waits->all[*number - 1].ns += waits->all[n].ns;
		waits->all[n].ns = 0;
	}
	syt_counts_fini(&first);
}

static int run(struct syt_export *x)
{
	char *coverage = syt_words_coverage(x->order), *frames;
	struct syt_wait_sums waits;

	syt_out_printf(x->out, "# ns ");
	syt_out_string(x->out, coverage);
	syt_out_char(x->out, '\n');
	syt_wait_sums_open(&waits, x);
	merge(x, &waits);
	for (size_t n = 0; n < waits.nr && !x->out->is_closed; n++) {
		if (!waits.all[n].ns)
			continue;
		frames = frames_of(x, &waits.all[n]);
		syt_out_string(x->out, frames);
		syt_out_printf(x->out, " %" PRIu64 "\n", waits.all[n].ns);
		free(frames);
	}
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
