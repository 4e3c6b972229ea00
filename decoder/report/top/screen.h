/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The terminal of a live view: its size, its keys, and its state, which is restored at the end, also after a signal.
 * Without a terminal, there are no keys, and syt_screen_wait() only waits. */
#ifndef SYT_DECODER_REPORT_TOP_SCREEN_H
#define SYT_DECODER_REPORT_TOP_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

struct syt_screen {
	bool is_terminal; /* standard output is a terminal */
	bool has_keys;    /* standard input is a terminal */
	unsigned width, height;
};

/* The results of a wait without a key. */
#define SYT_SCREEN_TIMEOUT 0
#define SYT_SCREEN_RESIZED (-1)
#define SYT_SCREEN_END (-2) /* a signal ended the view, or its reader closed it */

/* Opens the screen on standard input and output. With MAY_DRAW, a terminal shows a screen of its own, and keys need
 * no Enter. SIGINT, SIGTERM, SIGHUP and SIGQUIT then end the next wait. */
void syt_screen_open(struct syt_screen *s, bool may_draw);
/* Restores the terminal. */
void syt_screen_close(struct syt_screen *s);

/* Waits until the time UNTIL_NS of CLOCK_MONOTONIC. Returns a key, or one of SYT_SCREEN_*. */
int syt_screen_wait(struct syt_screen *s, uint64_t until_ns);

#endif
