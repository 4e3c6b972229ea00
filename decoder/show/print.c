/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/show/print.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/err.h"
#include "decoder/read/call.h"
#include "decoder/show/wrap.h"

#define NAME_KEY_MAX 80u /* longest key of an object with the suffix _name */

void syt_print_id(struct syt_out *o, const struct syt_thread *t, uint64_t row)
{
	syt_out_u64(o, t->image->index);
	syt_out_char(o, '.');
	syt_out_u64(o, t->index);
	syt_out_char(o, '.');
	syt_out_u64(o, t->base + row);
}

void syt_json_id(struct syt_json *j, const char *key, const struct syt_thread *t, uint64_t row)
{
	syt_json_open_string(j, key);
	syt_print_id(j->out, t, row);
	syt_json_close_string(j);
}

void syt_print_object(struct syt_out *o, const struct syt_image *i, uint32_t object)
{
	if (object != SYT_NONE)
		syt_out_safe(o, syt_object_title(i, object));
}

static void print_address(struct syt_out *o, const struct syt_object_info *info)
{
	syt_out_string(o, syt_kind_text(info->kind));
	syt_out_char(o, ':');
	syt_out_hex(o, info->identity);
	syt_out_char(o, '#');
	syt_out_u64(o, info->generation);
}

void syt_json_object(struct syt_json *j, const char *key, const struct syt_image *i,
                     uint32_t object)
{
	if (object == SYT_NONE) {
		syt_json_null(j, key);
		return;
	}
	syt_json_open_string(j, key);
	print_address(j->out, &i->objects[object]);
	syt_json_close_string(j);
	const char *name = key ? syt_object_name(i, object) : NULL;

	if (name) {
		char name_key[NAME_KEY_MAX];

		snprintf(name_key, sizeof(name_key), "%s_name", key);
		syt_json_string(j, name_key, name);
	}
}

void syt_print_seconds(struct syt_out *o, uint64_t ns)
{
	char digits[9], wall[SYT_WALL_CLOCK_TEXT];
	uint64_t rest = ns % 1000000000;

	for (unsigned n = sizeof(digits); n-- > 0; rest /= 10)
		digits[n] = (char)('0' + rest % 10);
	syt_out_u64(o, ns / 1000000000);
	syt_out_char(o, '.');
	syt_out_bytes(o, digits, sizeof(digits));
	if (syt_out_wall_clock(o, ns, wall)) {
		syt_out_char(o, ' ');
		syt_out_string(o, wall);
	}
}

void syt_print_no_match(struct syt_out *o, const struct syt_trace_data *t, const char *noun,
                        uint64_t nr)
{
	uint64_t nr_threads = 0;
	struct syt_out words;

	for (uint32_t n = 0; n < t->nr_images; n++)
		nr_threads += t->images[n].nr_threads;
	syt_wrap_begin(&words, o);
	if (nr) {
		syt_out_printf(&words,
		               "No %s matches the options. The trace has %" PRIu64
		               " %s%s of %" PRIu64 " thread%s, from ",
		               noun, nr, noun, nr == 1 ? "" : "s", nr_threads,
		               nr_threads == 1 ? "" : "s");
		syt_print_seconds(&words, SYT_TIME_NS(t->begin));
		syt_out_string(&words, " to ");
		syt_print_seconds(&words, SYT_TIME_NS(t->end));
		syt_out_string(&words, ".\n");
	} else {
		syt_out_printf(&words, "The trace has no %ss.\n", noun);
	}
	syt_wrap_end_lines(&words, o);
}

uint64_t syt_print_span_unit(uint64_t ns)
{
	/* 999.5 us has three digits as 1 ms */
	return ns < 1000 ? 1 : ns < 999500 ? 1000 : ns < 999500000 ? 1000000 : 1000000000;
}

void syt_print_span(struct syt_out *o, uint64_t ns)
{
	switch (syt_print_span_unit(ns)) {
	case 1:
		syt_out_printf(o, "%u ns", (unsigned)ns);
		break;
	case 1000:
		syt_out_printf(o, "%.3g us", (double)ns / 1e3);
		break;
	case 1000000:
		syt_out_printf(o, "%.3g ms", (double)ns / 1e6);
		break;
	default:
		syt_out_printf(o, "%.6g s", (double)ns / 1e9);
	}
}

void syt_print_colored(struct syt_out *o, enum syt_color color, const char *text)
{
	syt_out_color(o, color);
	syt_out_safe(o, text);
	syt_out_color(o, SYT_COLOR_NONE);
}

static void print_symbol(struct syt_out *o, const struct syt_location *l,
                         const struct syt_symbol *sym)
{
	syt_out_safe(o, sym && sym->fn ? sym->fn : l->label);
	if (sym && sym->file) {
		syt_out_string(o, " at ");
		syt_out_safe(o, sym->file);
		if (sym->line)
			syt_out_printf(o, ":%" PRIu32, sym->line);
	} else if (l->module) {
		syt_out_string(o, " (");
		syt_out_safe(o, l->module);
		syt_out_char(o, ')');
	}
	if (sym && sym->is_inlined)
		syt_out_string(o, " [inlined]");
}

void syt_print_stack(struct syt_out *o, struct syt_symbols *s, const struct syt_image *i,
                     uint32_t stack, const char *indent)
{
	for (; stack; stack = i->stacks[stack].parent) {
		const struct syt_stack_node *node = &i->stacks[stack];

		if (node->offset == SYT_STACK_TRUNCATED && !node->module) {
			syt_out_string(o, indent);
			syt_out_string(o, "... (not in the dump)\n");
			return;
		}
		const struct syt_location *l = syt_symbol_locate(s, i, stack);

		if (l->is_recorder)
			continue;
		for (uint32_t n = 0; n < (l->nr_symbols ? l->nr_symbols : 1); n++) {
			syt_out_string(o, indent);
			print_symbol(o, l, l->nr_symbols ? &l->symbols[n] : NULL);
			if (!n && node->offset & SYT_STACK_SIGNAL)
				syt_out_string(o, " [interrupted by a signal]");
			syt_out_char(o, '\n');
		}
		if (node->offset & SYT_STACK_TRUNCATED) {
			syt_out_string(o, indent);
			syt_out_string(o, "... (cut)\n");
		}
	}
}

static void json_frame(struct syt_json *j, const struct syt_location *l,
                       const struct syt_symbol *sym, uint64_t flags)
{
	syt_json_begin(j, NULL, '{');
	syt_json_hex(j, "pc", l->pc);
	syt_json_string(j, "module", l->module);
	syt_json_string(j, "fn", sym ? sym->fn : NULL);
	if (sym && sym->file) {
		syt_json_string(j, "file", sym->file);
		if (sym->line)
			syt_json_u64(j, "line", sym->line);
	}
	if (l->module)
		syt_json_hex(j, SYT_KEY("offset", "module_offset"), l->offset);
	if (sym && sym->is_inlined)
		syt_json_bool(j, "inlined", true);
	if (flags & SYT_STACK_SIGNAL)
		syt_json_bool(j, "signal", true);
	if (flags & SYT_STACK_TRUNCATED)
		syt_json_bool(j, "truncated", true);
	syt_json_end(j);
}

void syt_json_stack(struct syt_json *j, const char *key, struct syt_symbols *s,
                    const struct syt_image *i, uint32_t stack)
{
	syt_json_begin(j, key, '[');
	for (; stack; stack = i->stacks[stack].parent) {
		const struct syt_location *l = syt_symbol_locate(s, i, stack);
		uint64_t flags = i->stacks[stack].offset & ~SYT_STACK_OFFSET;

		if (l->is_recorder)
			continue;
		if (!l->nr_symbols)
			json_frame(j, l, NULL, flags);
		for (uint32_t n = 0; n < l->nr_symbols; n++)
			json_frame(j, l, &l->symbols[n], n + 1 < l->nr_symbols ? 0 : flags);
	}
	syt_json_end(j);
}

const char *syt_errno_name(unsigned err)
{
	return err && err < 4096 ? strerrorname_np((int)err) : NULL;
}

static void unix_text(const uint8_t *address, unsigned bytes, char *text, size_t room)
{
	const char *path = (const char *)address + offsetof(struct sockaddr_un, sun_path);
	int n = (int)(bytes - offsetof(struct sockaddr_un, sun_path));

	if (bytes <= offsetof(struct sockaddr_un, sun_path))
		snprintf(text, room, "unix:");
	else if (!path[0])
		snprintf(text, room, "unix:@%.*s", n - 1, path + 1);
	else
		snprintf(text, room, "unix:%.*s", n, path);
}

char *syt_address_text(const uint8_t *address, unsigned bytes, char *text, size_t room)
{
	char host[INET6_ADDRSTRLEN];
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	sa_family_t family;

	text[0] = 0;
	if (bytes < sizeof(family))
		return text;
	memcpy(&family, address, sizeof(family));
	if (family == AF_INET && bytes >= sizeof(in)) {
		memcpy(&in, address, sizeof(in));
		inet_ntop(AF_INET, &in.sin_addr, host, sizeof(host));
		snprintf(text, room, "%s:%u", host, ntohs(in.sin_port));
	} else if (family == AF_INET6 && bytes >= offsetof(struct sockaddr_in6, sin6_scope_id)) {
		memset(&in6, 0, sizeof(in6));
		memcpy(&in6, address, bytes < sizeof(in6) ? bytes : sizeof(in6));
		inet_ntop(AF_INET6, &in6.sin6_addr, host, sizeof(host));
		snprintf(text, room, "[%s]:%u", host, ntohs(in6.sin6_port));
	} else if (family == AF_UNIX) {
		unix_text(address, bytes, text, room);
	} else {
		snprintf(text, room, "family %u", family);
	}
	return text;
}
