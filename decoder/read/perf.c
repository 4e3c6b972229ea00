/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The first line of a sample is not indented:
 *
 *	COMM [PID/]TID [CPU] SECONDS.FRACTION: [PERIOD] [EVENT:] [ADDRESS SYMBOL (DSO)]
 *
 * Its call stack follows, innermost function first, one indented line ADDRESS SYMBOL+OFFSET (DSO) for each function.
 * COMM may contain spaces. The name of a sample is its innermost function outside of the kernel.
 */
#include "decoder/read/perf.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/err.h"
#include "base/sort.h"
#include "base/store.h"

#define LINE_BYTES 2048u        /* a longer line is cut */
#define MOST_SAMPLES (1u << 24) /* 256 MiB of samples */
#define MOST_NAMES (1u << 18)   /* further names become the last name */
#define KERNEL " (in the kernel)"
#define UNKNOWN "[unknown]"

struct parser {
	struct syt_perf *p;
	bool has_sample;
	struct syt_perf_sample sample;
	bool has_name, is_kernel;
	char name[LINE_BYTES + sizeof(KERNEL)];
};

static uint32_t name_number(struct syt_perf *p, const char *name)
{
	uint64_t a = UINT64_C(14695981039346656037);
	uint32_t hash, n;

	for (const char *c = name; *c; c++)
		a = (a ^ (unsigned char)*c) * UINT64_C(1099511628211);
	hash = syt_hash_words(a, 0);
	n = SYT_HASH_FIND(&p->index, hash, i, !strcmp(p->names[i], name));
	if (n != SYT_HASH_NONE)
		return n;
	if (p->nr_names == MOST_NAMES)
		return MOST_NAMES - 1;
	if (p->nr_names == MOST_NAMES - 1)
		name = "(other functions)";
	n = syt_hash_add(&p->index, hash, p->nr_names);
	*SYT_ADD(p->names, p->nr_names, p->room_names) = syt_strndup(name, LINE_BYTES);
	return n;
}

static void end_sample(struct parser *x)
{
	struct syt_perf *p = x->p;

	if (!x->has_sample)
		return;
	x->has_sample = false;
	if (p->nr == MOST_SAMPLES) {
		p->nr_skipped++;
		return;
	}
	if (x->is_kernel)
		strcat(x->name, KERNEL);
	x->sample.name = name_number(p, x->name);
	*SYT_STORE_ADD(p->all, p->nr, p->room) = x->sample;
}

/* Parses "ADDRESS SYMBOL+OFFSET (DSO)". The first frame is the innermost. Frames behind the name are ignored. */
static void parse_frame(struct parser *x, char *text, bool is_first)
{
	char *symbol, *end;
	bool is_kernel;

	text += strspn(text, " \t");
	end = text + strspn(text, "0123456789abcdefABCDEF");
	if (end == text || *end != ' ' || x->has_name)
		return;
	is_kernel = end - text == 16 && (*text == 'f' || *text == 'F');
	if (is_first)
		x->is_kernel = is_kernel;
	symbol = end + strspn(end, " ");
	for (char *c = symbol; (c = strstr(c, " (")); c++)
		end = c; /* the last one: a symbol may contain spaces and parentheses */
	if (end > symbol)
		*end = 0;
	end = strrchr(symbol, '+');
	if (end && end > symbol && !strncmp(end, "+0x", 3))
		*end = 0;
	if (!*symbol || (is_kernel && !is_first) || !strcmp(symbol, UNKNOWN))
		return;
	strcpy(x->name, symbol);
	x->has_name = !is_kernel;
}

/* Parses "SECONDS.FRACTION:". Returns false if TEXT is no time. */
static bool parse_time(const char *text, uint64_t *ns)
{
	size_t whole = strspn(text, "0123456789"), part;
	uint64_t value = 0;

	if (!whole || whole > 9 || text[whole] != '.')
		return false;
	part = strspn(text + whole + 1, "0123456789");
	if (!part || part > 9 || strcmp(text + whole + 1 + part, ":"))
		return false;
	for (size_t i = 0; i < whole; i++)
		value = value * 10 + (uint64_t)(text[i] - '0');
	for (size_t i = 0; i < 9; i++)
		value = value * 10 + (i < part ? (uint64_t)(text[whole + 1 + i] - '0') : 0);
	*ns = value;
	return true;
}

/* Parses "TID" or "PID/TID". */
static bool parse_tid(const char *text, uint32_t *tid)
{
	const char *slash = strchr(text, '/'), *number = slash ? slash + 1 : text;
	size_t digits = strspn(number, "0123456789");

	if (!digits || digits > 9 || number[digits] ||
	    (slash && strspn(text, "0123456789") != (size_t)(slash - text)))
		return false;
	*tid = (uint32_t)strtoul(number, NULL, 10);
	return true;
}

static void parse_header(struct parser *x, char *line)
{
	const char *before = ""; /* the token before the time, apart from the CPU */
	char *rest = NULL, *event;
	bool has_time = false;

	for (char *token = strtok_r(line, " \t", &rest); token;
	     token = strtok_r(NULL, " \t", &rest)) {
		has_time = parse_time(token, &x->sample.ns);
		if (has_time)
			break;
		if (*token != '[')
			before = token;
	}
	if (!has_time || !parse_tid(before, &x->sample.tid)) {
		x->p->nr_skipped++;
		return;
	}
	x->has_sample = true;
	x->has_name = x->is_kernel = false;
	strcpy(x->name, UNKNOWN);
	/* without call stacks, the function is on this line, behind the event */
	event = rest ? strstr(rest, ": ") : NULL;
	if (event)
		parse_frame(x, event + 1, true);
}

static void parse_line(struct parser *x, char *line, unsigned *nr_frames)
{
	if (*line == ' ' || *line == '\t') {
		if (x->has_sample)
			parse_frame(x, line, !(*nr_frames)++);
	} else if (*line && *line != '#') {
		end_sample(x);
		*nr_frames = 0;
		parse_header(x, line);
	}
}

static int by_time(const void *a_, const void *b_)
{
	const struct syt_perf_sample *a = a_, *b = b_;

	SYT_ORDER_BY(tid);
	SYT_ORDER_BY(ns);
	SYT_ORDER_BY(name);
	return 0;
}

int syt_perf_open(struct syt_perf *p, const char *path)
{
	struct parser x = {.p = p};
	char line[LINE_BYTES];
	unsigned nr_frames = 0;
	bool is_rest = false, is_failed;
	FILE *f = fopen(path, "re");

	memset(p, 0, sizeof(*p));
	if (!f) {
		syt_warn("%s: %s", path, strerror(errno));
		return -1;
	}
	while (fgets(line, sizeof(line), f)) {
		size_t n = strlen(line);
		bool is_end = n && line[n - 1] == '\n';

		if (is_end)
			line[n - 1] = 0;
		if (!is_rest)
			parse_line(&x, line, &nr_frames);
		is_rest = !is_end;
	}
	is_failed = ferror(f);
	if (is_failed)
		syt_warn("%s: %s", path, strerror(errno));
	fclose(f);
	end_sample(&x);
	syt_sort(p->all, p->nr, sizeof(*p->all), by_time);
	if (!is_failed && p->nr)
		return 0;
	if (!is_failed)
		syt_warn("%s: no samples; make the file by 'perf script -F "
		         "comm,tid,time,event,ip,sym,dso'",
		         path);
	syt_perf_close(p);
	return -1;
}

void syt_perf_close(struct syt_perf *p)
{
	for (size_t i = 0; i < p->nr_names; i++)
		free(p->names[i]);
	free(p->names);
	syt_store_free(p->all);
	syt_hash_close(&p->index);
	memset(p, 0, sizeof(*p));
}

void syt_perf_sum_open(struct syt_perf_sum *s, const struct syt_perf *perf)
{
	*s = (struct syt_perf_sum){.perf = perf,
	                           .counts = syt_calloc(perf->nr_names, sizeof(*s->counts))};
}

void syt_perf_sum_close(struct syt_perf_sum *s)
{
	free(s->counts);
	memset(s, 0, sizeof(*s));
}

void syt_perf_add(struct syt_perf_sum *s, uint32_t tid, uint64_t from_ns, uint64_t to_ns)
{
	const struct syt_perf *p = s->perf;

	for (size_t i = SYT_BISECT(n, (size_t)0, p->nr,
	                           p->all[n].tid < tid ||
	                                   (p->all[n].tid == tid && p->all[n].ns < from_ns));
	     i < p->nr && p->all[i].tid == tid && p->all[i].ns < to_ns; i++) {
		s->counts[p->all[i].name]++;
		s->nr++;
	}
}

const char *syt_perf_next(struct syt_perf_sum *s, uint64_t *nr)
{
	size_t most = 0;

	for (size_t i = 1; i < s->perf->nr_names; i++)
		if (s->counts[i] > s->counts[most])
			most = i;
	*nr = s->perf->nr_names ? s->counts[most] : 0;
	if (!*nr)
		return NULL;
	s->counts[most] = 0;
	return s->perf->names[most];
}
