/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The output of the program: one big buffer in front of a file descriptor. The buffer is written whenever it is
 * full. If the reader has closed its end of the pipe (as head and pagers do), further output is silently discarded.
 * The errno of the first other write error is stored, and syt_out_close() returns it. One thread at a time may use
 * a struct syt_out. */
#ifndef SYT_BASE_OUT_H
#define SYT_BASE_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SYT_OUT_BYTES (UINT32_C(1) << 20) /* size of the buffer */

#define SYT_WALL_CLOCK_TEXT 40u /* size of the text of a wall-clock time */

enum syt_color { SYT_COLOR_NONE, SYT_COLOR_DIM, SYT_COLOR_BOLD, SYT_COLOR_RED, SYT_COLOR_CYAN };

/* Output in memory. All zero: empty. The owner frees `bytes`. */
struct syt_out_memory {
	char *bytes;
	size_t nr, room;
};

struct syt_out {
	char *buffer;
	size_t used;
	uint64_t written; /* bytes written before the buffer's contents */
	int fd;
	struct syt_out_memory *memory; /* the destination instead of fd, or NULL */
	int error;                     /* errno of the first failed write, or 0 */
	bool has_colors;
	bool is_unwrapped;     /* each sentence is one line, however long (decoder/show/wrap.h) */
	bool is_closed;        /* the reader closed the pipe: output is discarded; loops may stop */
	unsigned columns;      /* width of the terminal; 0: the output is not for a terminal */
	bool wants_pager;      /* the first write starts the pager */
	int pager;             /* pid of the pager, or 0 if there is none */
	unsigned json_version; /* version of the JSON format; 0 and 1: the first */
	bool has_wall_clock;   /* wall-clock times follow the times of the trace */
	int64_t wall_offset_ns; /* wall-clock time (CLOCK_REALTIME) minus time of the trace */
};

/* Opens O on FD, which the caller owns. */
void syt_out_open(struct syt_out *o, int fd, bool has_colors);
/* Opens O with the settings of LIKE. Flushing appends the buffer to MEMORY, so another thread can write to O while LIKE is in
 * use. */
void syt_out_open_memory(struct syt_out *o, const struct syt_out *like,
                         struct syt_out_memory *memory);
/* Writes the buffered bytes, and waits until the pager, if any, ends. Returns 0, or the errno of a failed write. */
int syt_out_close(struct syt_out *o);
void syt_out_flush(struct syt_out *o);

/* Prepares O, on the standard output, for a table: sets O->columns if it is a terminal, to COLUMNS or to the width that
 * the terminal reports. Makes wcwidth() work for UTF-8, because all output is UTF-8, in any locale. */
void syt_out_measure(struct syt_out *o);

/* Lets the first write start the user's pager (SYNTRACE_PAGER, PAGER, less), whose standard input then is the
 * destination of O. */
void syt_out_pager(struct syt_out *o);

void syt_out_many_bytes(struct syt_out *o, const void *bytes, size_t nr); /* any number of bytes */

static inline void syt_out_bytes(struct syt_out *o, const void *bytes, size_t nr)
{
	if (nr > SYT_OUT_BYTES - o->used) {
		syt_out_many_bytes(o, bytes, nr);
		return;
	}
	memcpy(o->buffer + o->used, bytes, nr);
	o->used += nr;
}

/* Writes trusted text unchanged. */
static inline void syt_out_string(struct syt_out *o, const char *text)
{
	syt_out_bytes(o, text, strlen(text));
}

static inline void syt_out_char(struct syt_out *o, char c)
{
	syt_out_bytes(o, &c, 1);
}

/* Ends a paragraph: writes a newline unless the output is empty or ends with a blank line. The function sees only the
 * buffer, so a blank line at the end of a full buffer may become two. */
void syt_out_blank_line(struct syt_out *o);

void syt_out_u64(struct syt_out *o, uint64_t v);
void syt_out_i64(struct syt_out *o, int64_t v);
void syt_out_hex(struct syt_out *o, uint64_t v); /* 0x… */
void syt_out_printf(struct syt_out *o, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Writes the wall-clock time in UTC that belongs to the time NS of the trace into TEXT, for example
 * "2026-11-22T13:05:49.123456789Z". Returns TEXT, or NULL if O shows no wall-clock times. */
const char *syt_out_wall_clock(const struct syt_out *o, uint64_t ns,
                               char text[SYT_WALL_CLOCK_TEXT]);

/* Writes text from a dump for a terminal: control characters and invalid UTF-8 become \xNN. */
void syt_out_safe(struct syt_out *o, const char *text);
void syt_out_safe_bytes(struct syt_out *o, const char *text, size_t bytes);
/* Writes text like syt_out_safe_bytes(), with XML escapes, for an element or an attribute of XML or HTML. */
void syt_out_xml(struct syt_out *o, const char *text, size_t bytes);

/* Returns the number of columns of a terminal that BYTES bytes of UTF-8 text occupy. Colour sequences occupy none. */
unsigned syt_out_columns(const char *text, size_t bytes);
/* Returns the number of bytes of the longest begin of TEXT that is at most COLUMNS wide and cuts no character. */
size_t syt_out_fitting(const char *text, unsigned columns);

/* Empties the buffer, and returns its contents without newlines at both ends. The caller frees the text. The fd of
 * O must be -1 (memory only). */
char *syt_out_take(struct syt_out *o);

void syt_out_color(struct syt_out *o, enum syt_color color); /* SYT_COLOR_NONE: normal colour */

/* Returns the length of the UTF-8 sequence at P, which ends before END, and stores the character in *CODE. Returns
 * 0 if the sequence is invalid (also for overlong forms, surrogates and values beyond U+10FFFF). */
unsigned syt_utf8(const unsigned char *p, const unsigned char *end, uint32_t *code);

#endif
