/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the source lines of call paths: the store has the addresses of their frames, and the files of fleet/symbols.h have the lines. */
#ifndef SYT_FLEET_FRAMES_H
#define SYT_FLEET_FRAMES_H

#include "fleet/selection.h"
#include "fleet/store.h"
#include "fleet/symbols.h"

/* A function of a call path. */
struct syt_path_frame {
	const char *function; /* BYTES bytes of the path */
	size_t bytes;
	const char *build; /* build-id; "" in generated code, and if the store does not have it */
	size_t nr;         /* number of lines; 0: unknown */
	const struct syt_line *lines; /* innermost first; the last one is of the function itself */
};

struct syt_frames;

/* Begins to find the lines of stacks in the store S, by the symbols and the journal that Q names. Waits until another thread has
 * closed its frames. Without symbols, finds functions only, and waits for no one. Returns NULL after a message. */
struct syt_frames *syt_frames_open(struct syt_fleet_store *s, const struct syt_fleet_query *q);
void syt_frames_close(struct syt_frames *f);

/* Stores the frames of STACK, innermost first, in *ALL. PATH is the call path of the stack, and must live as long as they. They belong
 * to F and are valid until the next call. Returns their number, or -1 after a message: after a minute, too. */
int syt_frames_find(struct syt_frames *f, int64_t stack, const char *path,
                    const struct syt_path_frame **all);

#endif
