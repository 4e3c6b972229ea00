/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Parses the text of a sampler: "p:0.01", "bump", "bump:lambda=4,floor=0.01,at=site,hops=2", "bucket:size=1,rate=1". Like
 * format/sampler.h, this file uses integers only and calls no function of libc. */
#ifndef SYT_FORMAT_SAMPLER_TEXT_H
#define SYT_FORMAT_SAMPLER_TEXT_H

#include "format/sampler.h"

#define SYT_SAMPLER_HOPS 2u /* default */
#define SYT_SAMPLER_MOST_HOPS 64u
#define SYT_SAMPLER_LEAST (SYT_SAMPLER_UNIT / 10)     /* least lambda and rate */
#define SYT_SAMPLER_MOST (1000ull * SYT_SAMPLER_UNIT) /* most lambda, size and rate */

/* Advances *TEXT behind WORD if *TEXT begins with it. Returns 1 if so. */
static inline int syt_sampler_word(const char **text, const char *word)
{
	const char *t = *text;

	for (; *word; word++, t++)
		if (*t != *word)
			return 0;
	*text = t;
	return 1;
}

/* Parses a decimal number with at most six digits behind the point, and advances *TEXT behind it. Stores the number of
 * millionths. Returns 0 if *TEXT begins with no number from LEAST to MOST millionths. */
static inline int syt_sampler_number(const char **text, uint64_t least, uint64_t most,
                                     uint64_t *millionths)
{
	const char *t = *text;
	uint64_t v = 0, unit = SYT_SAMPLER_UNIT;
	unsigned nr = 0;

	for (; *t >= '0' && *t <= '9' && nr < 10; t++, nr++)
		v = v * 10 + (uint64_t)(*t - '0');
	v *= SYT_SAMPLER_UNIT;
	if (*t == '.')
		for (t++; *t >= '0' && *t <= '9' && unit > 1; t++, nr++) {
			unit /= 10;
			v += (uint64_t)(*t - '0') * unit;
		}
	if (!nr || v < least || v > most)
		return 0;
	*text = t;
	*millionths = v;
	return 1;
}

/* Parses a parameter, "lambda=4". Returns 0 if the sampler has no such parameter, or if the value is wrong. */
static inline int syt_sampler_parameter(struct syt_sampler_options *o, const char **text)
{
	uint64_t hops;

	if (syt_sampler_word(text, "hops=")) {
		if (!syt_sampler_number(text, 0, SYT_SAMPLER_MOST_HOPS * SYT_SAMPLER_UNIT, &hops) ||
		    hops % SYT_SAMPLER_UNIT)
			return 0;
		o->hops = (uint8_t)(hops / SYT_SAMPLER_UNIT);
		return 1;
	}
	if (o->kind == SYT_SAMPLER_P)
		return 0;
	if (syt_sampler_word(text, "at=root"))
		o->at_root = 1;
	else if (syt_sampler_word(text, "at=site"))
		o->at_root = 0;
	else if (o->kind == SYT_SAMPLER_BUMP && syt_sampler_word(text, "lambda="))
		return syt_sampler_number(text, SYT_SAMPLER_LEAST, SYT_SAMPLER_MOST, &o->lambda);
	else if (o->kind == SYT_SAMPLER_BUMP && syt_sampler_word(text, "floor="))
		return syt_sampler_number(text, 0, SYT_SAMPLER_UNIT, &o->floor);
	else if (o->kind == SYT_SAMPLER_BUCKET && syt_sampler_word(text, "size="))
		return syt_sampler_number(text, SYT_SAMPLER_UNIT, SYT_SAMPLER_MOST, &o->size);
	else if (o->kind == SYT_SAMPLER_BUCKET && syt_sampler_word(text, "rate="))
		return syt_sampler_number(text, SYT_SAMPLER_LEAST, SYT_SAMPLER_MOST, &o->rate);
	else
		return 0;
	return 1;
}

/* Parses the sampler at the begin of TEXT. Returns the end of the sampler: the end of the text, or a comma before
 * another sampler. Returns NULL (0) if the text is wrong. */
static inline const char *syt_sampler_parse(struct syt_sampler_options *o, const char *text)
{
	static const struct syt_sampler_options defaults = {
		.hops = SYT_SAMPLER_HOPS,
		.lambda = 4 * SYT_SAMPLER_UNIT,
		.floor = SYT_SAMPLER_UNIT / 100,
		.size = SYT_SAMPLER_UNIT,
		.rate = SYT_SAMPLER_UNIT,
	};
	int has_more;

	*o = defaults;
	if (syt_sampler_word(&text, "p:")) {
		o->kind = SYT_SAMPLER_P;
		o->at_root = 1;
		if (!syt_sampler_number(&text, 0, SYT_SAMPLER_UNIT, &o->p))
			return 0;
		has_more = *text == ',';
	} else {
		if (syt_sampler_word(&text, "bump"))
			o->kind = SYT_SAMPLER_BUMP;
		else if (syt_sampler_word(&text, "bucket"))
			o->kind = SYT_SAMPLER_BUCKET;
		else
			return 0;
		has_more = *text == ':';
		if (has_more) {
			text++;
			if (!syt_sampler_parameter(o, &text))
				return 0;
			has_more = *text == ',';
		}
	}
	while (has_more) {
		const char *t = text + 1, *end = t;

		while (*end >= 'a' && *end <= 'z')
			end++;
		if (*end != '=')
			break; /* the comma is before another sampler */
		if (!syt_sampler_parameter(o, &t))
			return 0;
		text = t;
		has_more = *text == ',';
	}
	return *text && *text != ',' ? 0 : text;
}

#endif
