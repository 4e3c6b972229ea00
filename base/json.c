/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "base/json.h"

#include <stdio.h>

#define KEY_MAX 60u /* longest key that is copied at once with its punctuation */

static bool has_version_2(const struct syt_json *j)
{
	return j->out->json_version >= 2;
}

/* Returns the name of KEY, which may be a SYT_KEY, in the version of the output. */
static const char *name_of(const struct syt_json *j, const char *key)
{
	if (!key || *key != SYT_KEY_MARK)
		return key;
	key++;
	return has_version_2(j) ? key + strlen(key) + 1 : key;
}

bool syt_json_has(const struct syt_json *j, const char *key)
{
	return *key != SYT_KEY_MARK || *name_of(j, key);
}

/* Copies NR bytes, mostly few, without a call. Returns the end of the copy. */
static inline char *put_few(char *to, const char *from, size_t nr)
{
	char *end = to + nr;

	for (; nr >= 8; nr -= 8, to += 8, from += 8)
		memcpy(to, from, 8);
	if (nr >= 4) {
		memcpy(to, from, 4);
		nr -= 4;
		to += 4;
		from += 4;
	}
	while (nr--)
		*to++ = *from++;
	return end;
}

void syt_json_key(struct syt_json *j, const char *key_)
{
	const char *key = name_of(j, key_);
	uint64_t bit = UINT64_C(1) << (j->depth & 63);
	size_t nr = key ? strlen(key) : 0;
	struct syt_out *o = j->out;
	char *p;

	if (SYT_OUT_BYTES - o->used < KEY_MAX + 4)
		syt_out_flush(o);
	p = o->buffer + o->used;
	if (j->has_member & bit)
		*p++ = ',';
	j->has_member |= bit;
	if (key && nr <= KEY_MAX) {
		*p++ = '"';
		p = put_few(p, key, nr);
		*p++ = '"';
		*p++ = ':';
	}
	o->used = (size_t)(p - o->buffer);
	if (nr > KEY_MAX) {
		syt_out_char(j->out, '"');
		syt_out_bytes(j->out, key, nr);
		syt_out_bytes(j->out, "\":", 2);
	}
}

void syt_json_begin(struct syt_json *j, const char *key, char bracket)
{
	if (j->depth)
		syt_json_key(j, key);
	syt_out_char(j->out, bracket);
	j->depth++;

	uint64_t bit = UINT64_C(1) << (j->depth & 63);

	j->has_member &= ~bit;
	j->is_array = bracket == '[' ? j->is_array | bit : j->is_array & ~bit;
}

void syt_json_end(struct syt_json *j)
{
	syt_out_char(j->out, j->is_array >> (j->depth & 63) & 1 ? ']' : '}');
	j->depth--;
}

void syt_json_begin_line(struct syt_json *j, const char *type)
{
	syt_json_begin(j, NULL, '{');
	syt_json_u64(j, "v", has_version_2(j) ? 2 : 1);
	syt_json_string(j, "type", type);
}

void syt_json_end_line(struct syt_json *j)
{
	syt_json_end(j);
	syt_out_char(j->out, '\n');
}

void syt_json_u64(struct syt_json *j, const char *key, uint64_t v)
{
	syt_json_key(j, key);
	syt_out_u64(j->out, v);
}

void syt_json_time(struct syt_json *j, const char *key, uint64_t ns)
{
	char text[SYT_WALL_CLOCK_TEXT], wall_key[KEY_MAX];

	syt_json_u64(j, key, ns);
	if (syt_out_wall_clock(j->out, ns, text)) {
		snprintf(wall_key, sizeof(wall_key), "%s_wall", name_of(j, key));
		syt_json_string(j, wall_key, text);
	}
}

void syt_json_i64(struct syt_json *j, const char *key, int64_t v)
{
	syt_json_key(j, key);
	syt_out_i64(j->out, v);
}

void syt_json_thousandths(struct syt_json *j, const char *key, unsigned v)
{
	syt_json_key(j, key);
	syt_out_printf(j->out, "%u.%03u", v / 1000, v % 1000);
}

void syt_json_bool(struct syt_json *j, const char *key, bool v)
{
	syt_json_key(j, key);
	syt_out_string(j->out, v ? "true" : "false");
}

void syt_json_null(struct syt_json *j, const char *key)
{
	syt_json_key(j, key);
	syt_out_string(j->out, "null");
}

void syt_json_hex(struct syt_json *j, const char *key, uint64_t v)
{
	syt_json_key(j, key);
	syt_out_char(j->out, '"');
	syt_out_hex(j->out, v);
	syt_out_char(j->out, '"');
}

void syt_json_string(struct syt_json *j, const char *key, const char *text)
{
	if (!text) {
		syt_json_null(j, key);
		return;
	}
	syt_json_open_string(j, key);
	syt_json_piece(j, text, strlen(text));
	syt_json_close_string(j);
}

void syt_json_open_string(struct syt_json *j, const char *key)
{
	syt_json_key(j, key);
	syt_out_char(j->out, '"');
}

static void put_escape(struct syt_out *o, uint32_t c)
{
	switch (c) {
	case '"':
	case '\\':
		syt_out_char(o, '\\');
		syt_out_char(o, (char)c);
		return;
	case '\n':
		syt_out_string(o, "\\n");
		return;
	case '\t':
		syt_out_string(o, "\\t");
		return;
	default:
		syt_out_printf(o, "\\u%04x", c);
	}
}

static bool is_markup(uint32_t c)
{
	return c == '<' || c == '>' || c == '&';
}

void syt_json_piece(struct syt_json *j, const char *text, size_t nr)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + nr;
	const unsigned char *plain = p; /* start of text without escapes */

	while (p < end) {
		uint32_t code = 0xfffd;

		if (*p >= 0x20 && *p < 0x7f && *p != '"' && *p != '\\' &&
		    !(j->is_in_markup && is_markup(*p))) {
			p++;
			continue;
		}
		unsigned bytes = *p < 0x80 ? 1 : syt_utf8(p, end, &code);

		if (*p < 0x80)
			code = *p;
		/* C1 controls and line separators are legal JSON, but not harmless in all programs */
		if (bytes && code >= 0x20 && code != '"' && code != '\\' && code != 0x7f &&
		    !(j->is_in_markup && is_markup(code)) && !(code >= 0x80 && code < 0xa0) &&
		    code != 0x2028 && code != 0x2029) {
			p += bytes;
			continue;
		}
		syt_out_bytes(j->out, plain, (size_t)(p - plain));
		put_escape(j->out, code);
		p += bytes ? bytes : 1;
		plain = p;
	}
	syt_out_bytes(j->out, plain, (size_t)(end - plain));
}

void syt_json_close_string(struct syt_json *j)
{
	syt_out_char(j->out, '"');
}
