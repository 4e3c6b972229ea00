/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/critical_path/requests.h"

#include <inttypes.h>
#include <string.h>

#include "decoder/read/number.h"
#include "decoder/show/print.h"
#include "decoder/report/critical_path/request_view.h"

#define WORTH_TELLING 20u /* one of so many parts of the request */

void syt_request_choose(void *field, const char *name, const char *arg, struct argp_state *state)
{
	struct syt_request_choice *choice = field;
	static const char slowest[] = "slowest";
	uint64_t *to = &choice->number;
	const char *number = arg;

	*choice = (struct syt_request_choice){0, 0};
	if (strcmp(arg, slowest) == 0) {
		choice->rank = 1;
		return;
	}
	if (strncmp(arg, "slowest:", sizeof(slowest)) == 0) {
		number = arg + sizeof(slowest);
		to = &choice->rank;
	}
	if (!syt_number_parse(number, to) || !*to)
		argp_error(state,
		           "--%s takes a number that --requests prints, slowest or slowest:K, "
		           "not '%s'",
		           name, arg);
}

/* The index of the chosen one; false after it has said why there is none. */
static bool find_chosen(const struct syt_requests *rs, const struct syt_request_choice *choice,
                        uint64_t *index)
{
	if (!rs->nr) {
		syt_warn("there are no requests: on no connection that was accepted in the trace "
		         "was anything received");
		return false;
	}
	if (choice->rank > rs->nr_counted) {
		syt_warn("of %" PRIu64 " requests %" PRIu64
		         " count: --requests --all tells why not more",
		         rs->nr, rs->nr_counted);
		return false;
	}
	if (choice->number > rs->nr) {
		syt_warn("there is no request %" PRIu64 ": they are numbered up to %" PRIu64,
		         choice->number, rs->nr);
		return false;
	}
	*index = choice->rank ? rs->by_length[choice->rank - 1] : choice->number - 1;
	if (rs->all[*index].end_is == SYT_REQUEST_OPEN) {
		const struct syt_place at = rs->all[*index].x.received;
		const struct syt_thread *t = syt_place_thread(&rs->order->places, at);

		syt_warn("request %" PRIu64 ", which %" PRIu32 ".%" PRIu32 ".%" PRIu64
		         " received, has no end: nobody answered it, or closed its connection by a "
		         "call",
		         *index + 1, t->image->index, t->index, t->base + at.row);
		return false;
	}
	return true;
}

/* The path of the time in which it may have waited unseen, where that is worth telling. */
static bool open_before(const struct syt_order *order, const struct syt_requests *rs,
                        struct syt_request_view *view, struct syt_path *path)
{
	const struct syt_request_info *r = &rs->all[view->index];

	return syt_request_queued(rs, r, &view->queue) &&
	       r->begin - view->queue.from >= (r->end - r->begin) / WORTH_TELLING &&
	       !syt_path_open(path, order, view->queue.from, view->queue.to);
}

static enum syt_exit run_chosen(struct syt_command *c, const struct syt_order *order,
                                const struct syt_requests *rs, uint64_t index,
                                struct syt_path_view *v, syt_path_printer *text,
                                syt_path_printer *json)
{
	const struct syt_request_info *r = &rs->all[index];
	struct syt_request_view view = {.requests = rs, .index = index};
	struct syt_path_view before = {.symbols = c->symbols};
	struct syt_path path;
	struct syt_path_sum sum;
	enum syt_exit status;

	if (open_before(order, rs, &view, &path)) {
		before.labels = syt_labels_create(&order->places, c->symbols, 0);
		before.path = &path;
		before.sum = &sum;
		syt_path_sum_open(&sum, &path, before.labels, c->symbols);
		view.before = &before;
	}
	v->request = &view;
	v->from = r->begun;
	v->to = r->ended;
	status = syt_path_run(c, order, v, r->begin, text, json);
	v->request = NULL;
	if (view.before) {
		syt_path_sum_close(&sum);
		syt_path_close(&path);
		syt_labels_destroy(before.labels);
	}
	return status;
}

enum syt_exit syt_request_run(struct syt_command *c, const struct syt_order *order,
                              const struct syt_request_choice *choice, struct syt_path_view *v,
                              syt_path_printer *text, syt_path_printer *json)
{
	struct syt_requests rs;
	enum syt_exit status = SYT_EXIT_USAGE;
	uint64_t index;

	syt_requests_open(&rs, order);
	if (find_chosen(&rs, choice, &index))
		status = run_chosen(c, order, &rs, index, v, text, json);
	syt_requests_close(&rs);
	return status;
}

enum syt_exit syt_requests_run(struct syt_command *c, const struct syt_order *order, uint64_t limit,
                               bool has_all)
{
	struct syt_requests rs;
	struct syt_requests_view v = {
		.requests = &rs, .symbols = c->symbols, .limit = limit, .has_all = has_all};

	syt_requests_open(&rs, order);
	v.labels = syt_labels_create(&order->places, c->symbols, 0);
	(c->format == SYT_FORMAT_JSONL ? syt_requests_json : syt_requests_text)(c->out, &v);
	syt_labels_destroy(v.labels);
	syt_requests_close(&rs);
	return SYT_EXIT_OK;
}
