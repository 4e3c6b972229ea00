/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/analysis/call_rule.h"

#include <string.h>

/* The rules by which the program determines the number of calls. Some calls have no rule, among them the calls that a thread makes
 * only if it has to wait: for a condition that does not hold yet, or for the futex of a held lock. */
enum { NO_RULE, MAKES, SUCCEEDS, NAMES, SIGNALS, SENDS, RECEIVES, WAITS };

/* clang-format off */
static const uint8_t rules[SYT_NR_SHAPES] = {
	[SYT_SHAPE_CREATE] = MAKES,            [SYT_SHAPE_FORK] = MAKES,
	[SYT_SHAPE_SPAWN] = MAKES,             [SYT_SHAPE_EXEC] = MAKES,
	[SYT_SHAPE_INIT] = SUCCEEDS,           [SYT_SHAPE_DESTROY] = SUCCEEDS,
	[SYT_SHAPE_LOCK] = SUCCEEDS,           [SYT_SHAPE_RDLOCK] = SUCCEEDS,
	[SYT_SHAPE_UNLOCK] = SUCCEEDS,         [SYT_SHAPE_BARRIER_WAIT] = SUCCEEDS,
	[SYT_SHAPE_COND_SIGNAL] = SUCCEEDS,    [SYT_SHAPE_COND_BROADCAST] = SUCCEEDS,
	[SYT_SHAPE_SEM_POST] = SUCCEEDS,       [SYT_SHAPE_SEM_WAIT] = SUCCEEDS,
	[SYT_SHAPE_ONCE] = SUCCEEDS,           [SYT_SHAPE_JOIN] = SUCCEEDS,
	[SYT_SHAPE_REAP] = SUCCEEDS,           [SYT_SHAPE_LISTEN] = SUCCEEDS,
	[SYT_SHAPE_CONNECT] = SUCCEEDS,        [SYT_SHAPE_ACCEPT] = SUCCEEDS,
	[SYT_SHAPE_SHUTDOWN] = SUCCEEDS,       [SYT_SHAPE_TASK] = SUCCEEDS,
	[SYT_SHAPE_TEAM] = SUCCEEDS,           [SYT_SHAPE_FILE_LOCK] = SUCCEEDS,
	[SYT_SHAPE_CANCEL] = SUCCEEDS,         [SYT_SHAPE_OPEN] = NAMES,
	[SYT_SHAPE_DUP] = NAMES,               [SYT_SHAPE_CLOSE] = NAMES,
	[SYT_SHAPE_SIGNAL_SEND] = SIGNALS,     [SYT_SHAPE_SEND] = SENDS,
	[SYT_SHAPE_RECV] = RECEIVES,           [SYT_SHAPE_TRANSFER] = RECEIVES,
	[SYT_SHAPE_READY] = WAITS,             [SYT_SHAPE_EPOLL_CTL] = WAITS,
	[SYT_SHAPE_PAUSE] = WAITS,             [SYT_SHAPE_SIGNAL_RECV] = WAITS,
	[SYT_SHAPE_SEM_ZERO] = WAITS,          [SYT_SHAPE_TIMER_SET] = WAITS,
	[SYT_SHAPE_TEAM_BARRIER] = WAITS,      [SYT_SHAPE_TASK_WAIT] = WAITS,
};
/* clang-format on */

/* Returns the rule of a receive or a transfer. A message is read as a whole; a read of a stream returns
 * the bytes that are there, so the number of reads depends on time. */
static enum syt_call_rule rule_of_receive(enum syt_shape shape, enum syt_kind kind)
{
	bool is_message = kind == SYT_KIND_DGRAM || kind == SYT_KIND_QUEUE;

	return shape == SYT_SHAPE_RECV && is_message ? SYT_CALL_RULE_CALL : SYT_CALL_RULE_WAIT;
}

bool syt_call_opens_file(const struct syt_call_info *c)
{
	return c->shape == SYT_SHAPE_BLOCK && c->kind == SYT_KIND_FILE &&
	       (strstr(c->name, "open") || !strcmp(c->name, "creat"));
}

enum syt_call_rule syt_call_rule_of(const struct syt_places *p, struct syt_place at)
{
	const struct syt_row *r = syt_place_row(p, at);
	const struct syt_image *image = syt_place_image(p, at);
	const struct syt_call_info *c = syt_row_call(image, r);
	enum syt_kind kind =
		r->object == SYT_NONE ? SYT_KIND_OTHER : image->objects[r->object].kind;

	switch (rules[c->shape]) {
	case MAKES:
		return r->result >= 0 ? SYT_CALL_RULE_MAKE : SYT_CALL_RULE_NONE;
	case SUCCEEDS:
		return syt_row_succeeded(c, r) ? SYT_CALL_RULE_CALL : SYT_CALL_RULE_NONE;
	case NAMES:
		/* calls that open files are not recorded: the recorder registers a file when it is used */
		return r->result >= 0 && kind != SYT_KIND_FILE ? SYT_CALL_RULE_CALL
		                                               : SYT_CALL_RULE_NONE;
	case SIGNALS:
		return r->result == 0 && syt_place_is_point(p, at) ? SYT_CALL_RULE_CALL
		                                                   : SYT_CALL_RULE_NONE;
	case SENDS:
		return r->result > 0 && syt_place_is_point(p, at) ? SYT_CALL_RULE_CALL
		                                                  : SYT_CALL_RULE_NONE;
	case RECEIVES:
		return r->result > 0 && syt_place_is_point(p, at) ? rule_of_receive(c->shape, kind)
		                                                  : SYT_CALL_RULE_NONE;
	case WAITS:
		return r->result >= 0 ? SYT_CALL_RULE_WAIT : SYT_CALL_RULE_NONE;
	default:
		return SYT_CALL_RULE_NONE;
	}
}
