/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Options as rows of a table. A row contains the option of argp, the field that receives the value, and the parser
 * of the value.
 *
 *	static const struct syt_option options[] = {
 *		SYT_OPTION_LIMIT(offsetof(struct options, limit), "at most N locks"),
 *		{{"object", 0, "OBJECT", 0, "only this lock", 0}, offsetof(struct options, object), syt_parse_text},
 *		{{0}, 0, NULL},
 *	};
 *
 * The key of a row is the short option letter, or 0. If an option has a default, its help text ends in "(default:
 * VALUE)"; the report `info --config` prints this value.
 */
#ifndef SYT_DECODER_COMMAND_OPTION_H
#define SYT_DECODER_COMMAND_OPTION_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "decoder/read/trace.h"
#include "settings/settings.h"

/* Parses ARG and stores the value in FIELD. If ARG is wrong, the parser calls argp_error() and returns without
 * harm, because the value may come from a configuration file. ARG lives as long as the program. NAME is the
 * option's name, without dashes. */
typedef void syt_option_parser(void *field, const char *name, const char *arg,
                               struct argp_state *state);

struct syt_option {
	struct argp_option argp;
	size_t at; /* offset of the receiving field in the report's options */
	syt_option_parser *parse;
};

syt_option_parser syt_parse_true;   /* stores true in a bool */
syt_option_parser syt_parse_false;  /* stores false in a bool */
syt_option_parser syt_parse_text;   /* stores ARG in a const char * */
syt_option_parser syt_parse_word;   /* stores ARG, which must not be empty, in a const char * */
syt_option_parser syt_parse_number; /* stores a number in a struct syt_option_number */
syt_option_parser syt_parse_limit;  /* stores a number from 1 on in a uint64_t */
syt_option_parser syt_parse_least;  /* stores a percentage as thousandths in an unsigned */
syt_option_parser syt_parse_moment; /* stores a time in a struct syt_moment (read/number.h) */

/* The values of an option that may be given several times: patterns (fnmatch), of which one must match. */
struct syt_option_list {
	const char **items;
	size_t nr, room;
};
/* Add ARG to a struct syt_option_list: any text; a number or a pattern of numbers; P.T, a thread id or a pattern. */
syt_option_parser syt_parse_list, syt_parse_number_list, syt_parse_thread_list;

/* Returns true if TEXT matches an item of L, or if L is empty. */
bool syt_list_matches(const struct syt_option_list *l, const char *text);
/* Returns true if the thread id or the id P.T of T matches an item of L, or if L is empty. */
bool syt_list_matches_thread(const struct syt_option_list *l, const struct syt_thread *t);

/* Returns the index of ARG in the array WORDS, which has NR words, or NR if it does not contain ARG. */
unsigned syt_word_find(const char *const *words, unsigned nr, const char *arg);

/* A numeric option that the user may omit. */
struct syt_option_number {
	bool is_given;
	uint64_t value;
};

/* Default value of --limit: 10 rows as text, all rows in JSON. syt_limit_of() computes the number. */
#define SYT_LIMIT_AUTO UINT64_MAX

static inline uint64_t syt_limit_of(uint64_t limit, bool is_text)
{
	return limit != SYT_LIMIT_AUTO ? limit : is_text ? 10 : 0;
}

/* Rows of options that several reports have. */
/* clang-format off */
#define SYT_OPTION_LIMIT(at_, help_)  {{"limit", 0, "N", 0, help_, 0}, at_, syt_parse_limit}
#define SYT_OPTION_LEAST(at_, help_)  {{"least", 0, "PERCENT", 0, help_, 0}, at_, syt_parse_least}
#define SYT_OPTION_STACKS(at_, help_) {{"stacks", 0, NULL, 0, help_, 0}, at_, syt_parse_true}
#define SYT_OPTION_OBJECT(at_, help_) {{"object", 0, "OBJECT", 0, help_, 0}, at_, syt_parse_text}
#define SYT_OPTION_PERF(at_)          {{"perf", 0, "FILE", SYT_OPTION_NOT_OF_PROJECT, "name the functions between calls from FILE, the text of perf script", 0}, at_, syt_parse_word}
#define SYT_OPTION_PID(at_, help_)    {{"pid", 0, "PID", 0, help_, 0}, at_, syt_parse_number}
#define SYT_OPTION_THREADS(at_, help_) {{"thread", 0, "P.T", 0, help_ " of thread number T of process number P, as printed; a plain number is a thread id of the kernel", 0}, at_, syt_parse_thread_list}
#define SYT_OPTION_END                {{NULL, 0, NULL, 0, NULL, 0}, 0, NULL}
/* clang-format on */

#endif
