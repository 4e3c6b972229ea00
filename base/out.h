/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Standard output of a verb: one big buffer in front of a file descriptor.  Streams; never holds
 * more than the buffer.  A reader that went away (head, a pager that was left) ends the writing
 * silently; any other failure is remembered and told once by syt_out_close.  One thread at a time.
 */
#ifndef SYT_BASE_OUT_H
#define SYT_BASE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SYT_OUT_BYTES (UINT32_C(1) << 20) /* of the buffer */

enum syt_color { SYT_COLOR_NONE, SYT_COLOR_DIM, SYT_COLOR_BOLD, SYT_COLOR_RED, SYT_COLOR_CYAN };

struct syt_out {
	char *buffer;
	size_t used;
	uint64_t written; /* bytes that were in the buffer before */
	int fd;
	int error; /* errno of the first failed write, or 0 */
	bool has_colors;
	bool is_unwrapped; /* sentences are one line each, however long (decoder/show/wrap.h) */
	bool is_closed; /* the reader went away: writes do nothing; loops may stop early */
	int pager;      /* pid, or 0 */
};

/* FD stays the caller's. */
void syt_out_open(struct syt_out *o, int fd, bool has_colors);
/* Flushes, ends the pager if there is one. Returns 0, or the errno of a write that failed. */
int syt_out_close(struct syt_out *o);
void syt_out_flush(struct syt_out *o);

/* Starts the user's pager (SYNTRACE_PAGER, PAGER, less) and writes into it; false when there is
 * none. */
bool syt_out_pager(struct syt_out *o);

void syt_out_many_bytes(struct syt_out *o, const void *bytes, size_t nr); /* any number */

static inline void syt_out_bytes(struct syt_out *o, const void *bytes, size_t nr)
{
	if (nr > SYT_OUT_BYTES - o->used) {
		syt_out_many_bytes(o, bytes, nr);
		return;
	}
	memcpy(o->buffer + o->used, bytes, nr);
	o->used += nr;
}

/* Trusted text, as it is. */
static inline void syt_out_string(struct syt_out *o, const char *text)
{
	syt_out_bytes(o, text, strlen(text));
}

static inline void syt_out_char(struct syt_out *o, char c)
{
	syt_out_bytes(o, &c, 1);
}

void syt_out_u64(struct syt_out *o, uint64_t v);
void syt_out_i64(struct syt_out *o, int64_t v);
void syt_out_hex(struct syt_out *o, uint64_t v); /* 0x… */
void syt_out_printf(struct syt_out *o, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Text from a dump, for a terminal: control characters and bytes that are no UTF-8 become \xNN. */
void syt_out_safe(struct syt_out *o, const char *text);
void syt_out_safe_bytes(struct syt_out *o, const char *text, size_t bytes);

/* What stands in the buffer, without newlines at its ends, to be freed; it is empty then. For one without a file (FD -1). */
char *syt_out_take(struct syt_out *o);

void syt_out_color(struct syt_out *o, enum syt_color color); /* NONE: back to normal */

/* The length of the UTF-8 sequence at P, which ends before END; 0 when it is none (overlong forms,
 * surrogates and values beyond U+10FFFF included). *CODE is the character. */
unsigned syt_utf8(const unsigned char *p, const unsigned char *end, uint32_t *code);

#endif
