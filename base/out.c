/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/out.h"

#include <endian.h>
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "base/err.h"
#include "base/progress.h"

#define MOST_COLUMNS 10000u

void syt_out_open(struct syt_out *o, int fd, bool has_colors)
{
	*o = (struct syt_out){.fd = fd, .has_colors = has_colors};
	o->buffer = syt_alloc(SYT_OUT_BYTES, 1);
}

void syt_out_open_memory(struct syt_out *o, const struct syt_out *like,
                         struct syt_out_memory *memory)
{
	*o = *like;
	o->buffer = syt_alloc(SYT_OUT_BYTES, 1);
	o->used = 0;
	o->written = 0;
	o->fd = -1;
	o->memory = memory;
	o->wants_pager = false;
	o->pager = 0;
}

static void write_to_memory(struct syt_out_memory *m, const char *p, size_t nr)
{
	syt_grow(&m->bytes, &m->room, m->nr + nr, 1);
	memcpy(m->bytes + m->nr, p, nr);
	m->nr += nr;
}

static void write_all(struct syt_out *o, const char *p, size_t nr)
{
	if (o->memory) {
		write_to_memory(o->memory, p, nr);
		return;
	}
	while (nr && !o->error && !o->is_closed) {
		ssize_t n = write(o->fd, p, nr);

		if (n >= 0) {
			p += n;
			nr -= (size_t)n;
		} else if (errno == EPIPE) {
			o->is_closed = true;
		} else if (errno != EINTR) {
			o->error = errno;
			o->is_closed = true;
		}
	}
}

static void start_pager(struct syt_out *o);

/* Prepares the first or a further write: nothing else may write to the terminal. */
static void prepare_write(struct syt_out *o)
{
	if (o->wants_pager)
		start_pager(o);
	if (o->fd >= 0)
		syt_progress_yield(o->fd);
}

void syt_out_flush(struct syt_out *o)
{
	if (!o->used)
		return;
	prepare_write(o);
	write_all(o, o->buffer, o->used);
	o->written += o->used;
	o->used = 0;
}

int syt_out_close(struct syt_out *o)
{
	syt_out_flush(o);
	free(o->buffer);
	o->buffer = NULL;
	if (o->pager) {
		close(o->fd);
		while (waitpid(o->pager, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return o->error;
}

void syt_out_measure(struct syt_out *o)
{
	const char *columns = getenv("COLUMNS");
	unsigned long nr = columns ? strtoul(columns, NULL, 10) : 0;
	struct winsize size;

	setlocale(LC_CTYPE, "C.UTF-8");
	if (!isatty(STDOUT_FILENO))
		return;
	if (!nr && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		nr = size.ws_col;
	o->columns = nr < MOST_COLUMNS ? (unsigned)nr : MOST_COLUMNS;
}

void syt_out_pager(struct syt_out *o)
{
	o->wants_pager = true;
}

static void start_pager(struct syt_out *o)
{
	const char *pager = getenv("SYNTRACE_PAGER");
	int fds[2];

	o->wants_pager = false;
	if (!pager)
		pager = getenv("PAGER");
	if (!pager)
		pager = "less";
	if (!*pager || strcmp(pager, "cat") == 0 || pipe(fds) < 0)
		return;
	pid_t pid = fork();

	if (pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return;
	}
	if (pid == 0) {
		dup2(fds[0], STDIN_FILENO);
		close(fds[0]);
		close(fds[1]);
		setenv("LESS", "FRX", 0);
		execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
		_exit(127);
	}
	close(fds[0]);
	o->fd = fds[1];
	o->pager = pid;
}

void syt_out_many_bytes(struct syt_out *o, const void *bytes, size_t nr)
{
	syt_out_flush(o);
	if (nr > SYT_OUT_BYTES) {
		prepare_write(o);
		write_all(o, bytes, nr);
		o->written += nr;
		return;
	}
	memcpy(o->buffer, bytes, nr);
	o->used = nr;
}

#define TEN_8 UINT64_C(100000000)

/* Returns the eight digits of V, which is less than TEN_8, each in a byte, the first one in the lowest byte. The steps halve
 * four, then two digits in all parts of the word at the same time. */
static uint64_t digits_of(uint64_t v)
{
	uint64_t quotients;

	v = v / 10000 | v % 10000 << 32;
	quotients = v * 5243 >> 19 & UINT64_C(0x0000007f0000007f);
	v = quotients | (v - 100 * quotients) << 16;
	quotients = v * 103 >> 10 & UINT64_C(0x000f000f000f000f);
	return quotients | (v - 10 * quotients) << 8;
}

/* Writes the digits W, without the first SKIPPED ones, in a store of eight bytes. Returns the end of the digits. */
static char *put_digits(char *to, uint64_t w, unsigned skipped)
{
	w = htole64((w | UINT64_C(0x3030303030303030)) >> 8 * skipped);
	memcpy(to, &w, sizeof(w));
	return to + 8 - skipped;
}

static char *put_first_digits(char *to, uint64_t v)
{
	uint64_t w = digits_of(v);

	return put_digits(to, w, w ? (unsigned)__builtin_ctzll(w) / 8 : 7);
}

void syt_out_u64(struct syt_out *o, uint64_t v)
{
	char *p;

	if (SYT_OUT_BYTES - o->used < 24)
		syt_out_flush(o);
	p = o->buffer + o->used;
	if (v < 10) {
		*p++ = (char)('0' + v);
	} else if (v < TEN_8) {
		p = put_first_digits(p, v);
	} else if (v < TEN_8 * TEN_8) {
		p = put_first_digits(p, v / TEN_8);
		p = put_digits(p, digits_of(v % TEN_8), 0);
	} else {
		p = put_first_digits(p, v / (TEN_8 * TEN_8));
		p = put_digits(p, digits_of(v / TEN_8 % TEN_8), 0);
		p = put_digits(p, digits_of(v % TEN_8), 0);
	}
	o->used = (size_t)(p - o->buffer);
}

void syt_out_i64(struct syt_out *o, int64_t v)
{
	if (v < 0)
		syt_out_char(o, '-');
	syt_out_u64(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void syt_out_hex(struct syt_out *o, uint64_t v)
{
	char digits[18];
	unsigned at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	digits[--at] = 'x';
	digits[--at] = '0';
	syt_out_bytes(o, digits + at, sizeof(digits) - at);
}

void syt_out_printf(struct syt_out *o, const char *format, ...)
{
	char small[256];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(small, sizeof(small), format, args);

	va_end(args);
	if (n < (int)sizeof(small)) {
		syt_out_bytes(o, small, n > 0 ? (size_t)n : 0);
		return;
	}

	char *large = syt_alloc((size_t)n + 1, 1);

	va_start(args, format);
	vsnprintf(large, (size_t)n + 1, format, args);
	va_end(args);
	syt_out_bytes(o, large, (size_t)n);
	free(large);
}

unsigned syt_utf8(const unsigned char *p, const unsigned char *end, uint32_t *code)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned bytes = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc0 ? 2 : 0;

	if (!bytes || *p > 0xf4 || (size_t)(end - p) < bytes)
		return 0;
	uint32_t c = bytes == 1 ? *p : *p & (0x7fu >> bytes);

	for (unsigned i = 1; i < bytes; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[bytes] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*code = c;
	return bytes;
}

void syt_out_safe_bytes(struct syt_out *o, const char *text, size_t nr)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + nr;

	while (p < end) {
		uint32_t code = 0;
		unsigned bytes = syt_utf8(p, end, &code);

		/* C0 and C1 controls, DEL, and bidirectional overrides, which disguise text */
		if (!bytes || code < 0x20 || (code >= 0x7f && code < 0xa0) ||
		    (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) {
			bytes = bytes ? bytes : 1;
			for (unsigned i = 0; i < bytes; i++)
				syt_out_printf(o, "\\x%02x", p[i]);
		} else {
			syt_out_bytes(o, p, bytes);
		}
		p += bytes;
	}
}

void syt_out_safe(struct syt_out *o, const char *text)
{
	syt_out_safe_bytes(o, text, strlen(text));
}

/* Returns the bytes and the columns of the character or colour sequence at P. */
static size_t measure_character(const unsigned char *p, const unsigned char *end, unsigned *columns)
{
	uint32_t code = 0;
	unsigned bytes = syt_utf8(p, end, &code);
	int width = bytes > 1 ? wcwidth((wchar_t)code) : 1;

	if (*p == '\033') {
		for (bytes = 1; p + bytes < end && p[bytes - 1] != 'm'; bytes++)
			;
		width = 0;
	}
	*columns = width < 0 ? 1 : (unsigned)width;
	return bytes ? bytes : 1;
}

unsigned syt_out_columns(const char *text, size_t bytes)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + bytes;
	unsigned all = 0, columns;

	for (; p < end; all += columns)
		p += measure_character(p, end, &columns);
	return all;
}

size_t syt_out_fitting(const char *text, unsigned columns)
{
	const unsigned char *begin = (const unsigned char *)text, *p = begin,
			    *end = p + strlen(text);

	while (p < end) {
		unsigned next;
		size_t bytes = measure_character(p, end, &next);

		if (next > columns)
			break;
		columns -= next;
		p += bytes;
	}
	return (size_t)(p - begin);
}

void syt_out_blank_line(struct syt_out *o)
{
	if ((o->used || o->written) &&
	    !(o->used > 1 && o->buffer[o->used - 1] == '\n' && o->buffer[o->used - 2] == '\n'))
		syt_out_char(o, '\n');
}

void syt_out_xml(struct syt_out *o, const char *text, size_t bytes)
{
	for (size_t i = 0, from = 0; i <= bytes; i++) {
		const char *as = i == bytes        ? ""
		                 : text[i] == '<'  ? "&lt;"
		                 : text[i] == '>'  ? "&gt;"
		                 : text[i] == '&'  ? "&amp;"
		                 : text[i] == '"'  ? "&quot;"
		                 : text[i] == '\'' ? "&apos;"
		                                   : NULL;

		if (!as)
			continue;
		syt_out_safe_bytes(o, text + from, i - from);
		syt_out_string(o, as);
		from = i + 1;
	}
}

char *syt_out_take(struct syt_out *o)
{
	const char *from = o->buffer, *to = from + o->used;
	char *text;

	while (from < to && *from == '\n')
		from++;
	while (from < to && to[-1] == '\n')
		to--;
	text = syt_strndup(from, (size_t)(to - from));
	o->used = 0;
	return text;
}

const char *syt_out_wall_clock(const struct syt_out *o, uint64_t ns, char text[SYT_WALL_CLOCK_TEXT])
{
	int64_t wall;
	time_t s;
	struct tm tm;
	size_t bytes;

	if (!o->has_wall_clock || __builtin_add_overflow(o->wall_offset_ns, ns, &wall) || wall < 0)
		return NULL;
	s = (time_t)(wall / 1000000000);
	if (!gmtime_r(&s, &tm) || !(bytes = strftime(text, SYT_WALL_CLOCK_TEXT, "%FT%T", &tm)))
		return NULL;
	snprintf(text + bytes, SYT_WALL_CLOCK_TEXT - bytes, ".%09uZ",
	         (unsigned)(wall % 1000000000));
	return text;
}

void syt_out_color(struct syt_out *o, enum syt_color color)
{
	static const char *const codes[] = {
		[SYT_COLOR_NONE] = "\033[0m",  [SYT_COLOR_DIM] = "\033[2m",
		[SYT_COLOR_BOLD] = "\033[1m",  [SYT_COLOR_RED] = "\033[31m",
		[SYT_COLOR_CYAN] = "\033[36m",
	};

	if (o->has_colors)
		syt_out_string(o, codes[color]);
}
