/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Options as rows: the option of argp, the field that receives its value, and the parser of the value.
 *
 *	static const struct syt_option options[] = {
 *		SYT_OPTION_LIMIT(offsetof(struct options, limit), "at most N locks"),
 *		{{"object", 0, "OBJECT", 0, "only this lock", 0}, offsetof(struct options, object), syt_parse_text},
 *		{{0}, 0, NULL},
 *	};
 *
 * The key of a row is its short letter, or 0.  A help text ends in "(default: VALUE)" if the option has a default; the verb
 * `info --config` prints it.
 */
#ifndef SYT_DECODER_COMMAND_OPTION_H
#define SYT_DECODER_COMMAND_OPTION_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Stores ARG in FIELD.  On a wrong value it calls argp_error() and returns without harm, because the value may come from a
 * configuration file.  ARG lives as long as the program.  NAME is the option's name, without dashes.
 */
typedef void syt_option_parser(void *field, const char *name, const char *arg,
                               struct argp_state *state);

struct syt_option {
	struct argp_option argp;
	size_t at; /* offset of the field in the report's options */
	syt_option_parser *parse;
};

syt_option_parser syt_parse_true;   /* bool: true */
syt_option_parser syt_parse_false;  /* bool: false */
syt_option_parser syt_parse_text;   /* const char *: ARG */
syt_option_parser syt_parse_word;   /* const char *: ARG, which must not be empty */
syt_option_parser syt_parse_number; /* struct syt_option_number */
syt_option_parser syt_parse_limit;  /* uint64_t: a number from 1 on */
syt_option_parser syt_parse_least;  /* unsigned: PERCENT as thousandths */
syt_option_parser syt_parse_moment; /* struct syt_moment (decoder/read/number.h) */

/* Returns the index of ARG in the NR words of WORDS, or NR if it is not among them. */
unsigned syt_word_find(const char *const *words, unsigned nr, const char *arg);

/* A number that may be absent. */
struct syt_option_number {
	bool is_given;
	uint64_t value;
};

/* Default of a limit: 10 rows as text, all rows in JSON. syt_limit_of() resolves it. */
#define SYT_LIMIT_AUTO UINT64_MAX

static inline uint64_t syt_limit_of(uint64_t limit, bool is_text)
{
	return limit != SYT_LIMIT_AUTO ? limit : is_text ? 10 : 0;
}

/* Options that several reports have. */
/* clang-format off */
#define SYT_OPTION_LIMIT(at_, help_)  {{"limit", 0, "N", 0, help_, 0}, at_, syt_parse_limit}
#define SYT_OPTION_LEAST(at_, help_)  {{"least", 0, "PERCENT", 0, help_, 0}, at_, syt_parse_least}
#define SYT_OPTION_STACKS(at_, help_) {{"stacks", 0, NULL, 0, help_, 0}, at_, syt_parse_true}
#define SYT_OPTION_OBJECT(at_, help_) {{"object", 0, "OBJECT", 0, help_, 0}, at_, syt_parse_text}
#define SYT_OPTION_PID(at_, help_)    {{"pid", 0, "PID", 0, help_, 0}, at_, syt_parse_number}
#define SYT_OPTION_END                {{NULL, 0, NULL, 0, NULL, 0}, 0, NULL}
/* clang-format on */

#endif
