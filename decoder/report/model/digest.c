/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/model/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/counts.h"
#include "base/err.h"
#include "decoder/analysis/call_path.h"
#include "decoder/analysis/exchange.h"
#include "decoder/order/label.h"
#include "decoder/read/call.h"
#include "decoder/show/coverage_print.h"
#include "decoder/show/print.h"

#define LEAST_MESSAGES                                                                             \
	0.2 /* percent of the latencies of all tasks with messages from which a task comes first */
#define LEAST_OUTSIDE 5.0 /* percent of the time from which work outside of tasks is printed */
#define MAIN_THREAD "main thread of "
#define MOST_BUSY 5u   /* number of groups of threads in the first lines */
#define MOST_GROUPS 3u /* number of names of threads and of addresses */

struct syt_model_digest {
	const struct syt_model *m;
	struct syt_model_walker *walker;
	struct syt_model_latency **latencies; /* [task]: NULL: not computed yet */
	uint32_t *order;
	syt_time *work; /* [task]: for a top task, the sum of latencies by which it is sorted */
	double all_work, messages; /* sum over all top tasks, and over those with messages */
	/* [thread]: name of its group, from malloc */
	char **groups;
	uint32_t *
		entries; /* [thread]: label of its last leaf, which begins with its function; or SYT_NONE */
	struct syt_servers servers;
	struct lock *locks; /* [label of the model]; NULL: not computed yet */
};

/* The object with which the leaves with one label begin. */
struct lock {
	const struct syt_image *image; /* NULL: no leaf yet */
	uint32_t object;               /* SYT_NONE: none, or several */
};

/* ---- latencies ---- */

const struct syt_model_latency *syt_model_digest_latency(struct syt_model_digest *d, uint32_t task)
{
	if (!d->latencies[task]) {
		d->latencies[task] = syt_alloc(1, sizeof(struct syt_model_latency));
		syt_model_latency_open(d->latencies[task], d->walker, task);
	}
	return d->latencies[task];
}

static double percent(double part, double all)
{
	return all > 0 ? 100 * part / all : 0;
}

double syt_model_digest_share(struct syt_model_digest *d, uint32_t part)
{
	uint32_t task = d->m->parts[part].task;
	const struct syt_model_latency *l = syt_model_digest_latency(d, task);

	return percent((double)l->parts[part - d->m->tasks[task].first_part], (double)l->all);
}

/* ---- the names of locks ---- */

static const char *name_of(const struct lock *l)
{
	return l->image && l->object != SYT_NONE ? syt_object_name(l->image, l->object) : NULL;
}

static void add_lock(struct lock *l, const struct syt_image *image, uint32_t object)
{
	struct lock other = {image, object};

	if (!l->image) {
		*l = other;
	} else if (l->object != SYT_NONE && (l->image != image || l->object != object)) {
		const char *a = name_of(l), *b = name_of(&other);

		if (!a || !b || strcmp(a, b) != 0) /* the processes of a program have equal names */
			l->object = SYT_NONE;
	}
}

const char *syt_model_digest_lock(struct syt_model_digest *d, uint32_t label)
{
	const struct syt_model *m = d->m;
	const struct syt_places *p = &m->in->order->places;

	if (!d->locks) {
		d->locks = syt_calloc(m->nr_labels, sizeof(*d->locks));
		SYT_EACH(i, 0, m->in->nr_leaves) {
			struct syt_place at = syt_model_place(m, (uint32_t)i);

			add_lock(&d->locks[syt_model_what(m, (uint32_t)i).number],
			         p->threads[at.thread]->image, syt_place_row(p, at)->object);
		}
	}
	return name_of(&d->locks[label])
	               ? syt_object_title(d->locks[label].image, d->locks[label].object)
	               : NULL;
}

/* ---- the order of tasks ---- */

struct rank {
	const char *name;
	syt_time latency;
	uint32_t task;
	uint8_t class;
};

SYT_COMPARATOR(by_rank, struct rank)
{
	SYT_ORDER_BY(class);
	if (a->latency != b->latency)
		return a->latency > b->latency ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Returns the latency of TASK without waits for the readiness of descriptors. */
static syt_time work_of(struct syt_model_digest *d, uint32_t task)
{
	const struct syt_model_latency *l = syt_model_digest_latency(d, task);
	syt_time time = l->all;

	for (size_t i = 0; i < l->nr; i++) {
		const char *path = syt_call_path_text(d->m->in->paths, l->costs[i].path);

		if (l->costs[i].kind == SYT_COST_IN &&
		    syt_call_shape(syt_label_short(path, 1)) == SYT_SHAPE_READY)
			time -= l->costs[i].time;
	}
	return time;
}

static bool has_messages(const struct syt_model_task *t)
{
	return t->profile.sent || t->profile.received;
}

static void sort_tasks(struct syt_model_digest *d)
{
	const struct syt_model *m = d->m;
	struct rank *all = syt_calloc(m->nr_tasks, sizeof(*all));

	for (uint32_t t = 0; t < m->nr_tasks; t++) {
		bool is_message = has_messages(&m->tasks[t]);

		all[t] = (struct rank){.name = m->tasks[t].name, .task = t, .class = 3};
		if (!m->tasks[t].is_top)
			continue;
		all[t].class = is_message ? 0 : 1;
		all[t].latency = is_message ? syt_model_digest_latency(d, t)->all : work_of(d, t);
		d->messages += is_message ? (double)all[t].latency : 0;
	}
	for (uint32_t t = 0; t < m->nr_tasks; t++)
		if (!all[t].class && percent((double)all[t].latency, d->messages) < LEAST_MESSAGES)
			all[t].class = 2;
	if (m->nr_tasks)
		qsort(all, m->nr_tasks, sizeof(*all), by_rank);
	d->order = syt_alloc(m->nr_tasks, sizeof(*d->order));
	d->work = syt_calloc(m->nr_tasks, sizeof(*d->work));
	for (uint32_t t = 0; t < m->nr_tasks; t++) {
		d->order[t] = all[t].task;
		d->work[all[t].task] = all[t].latency;
		d->all_work += (double)all[t].latency;
	}
	free(all);
}

const uint32_t *syt_model_digest_order(struct syt_model_digest *d)
{
	if (!d->order)
		sort_tasks(d);
	return d->order;
}

double syt_model_digest_weight(struct syt_model_digest *d, uint32_t task)
{
	syt_model_digest_order(d);
	return percent((double)d->work[task],
	               has_messages(&d->m->tasks[task]) ? d->messages : d->all_work);
}

/* ---- work outside of tasks ---- */

/* Returns true if a call of this shape usually waits for new work. */
static bool waits_for_work(enum syt_shape shape)
{
	switch (shape) {
	case SYT_SHAPE_COND_WAIT:
	case SYT_SHAPE_SEM_WAIT:
	case SYT_SHAPE_FUTEX_WAIT:
	case SYT_SHAPE_JOIN:
	case SYT_SHAPE_ACCEPT:
	case SYT_SHAPE_RECV:
	case SYT_SHAPE_READY:
	case SYT_SHAPE_REAP:
	case SYT_SHAPE_SIGNAL_RECV:
		return true;
	default:
		return false;
	}
}

/* The leaves with one label that are in no task. */
struct loose {
	syt_time in, after; /* time in the call with which they begin, and after it */
	uint64_t nr;
	uint32_t label;
};

SYT_COMPARATOR(by_time, struct loose)
{
	syt_time time_a = a->in + a->after, time_b = b->in + b->after;

	if (time_a != time_b)
		return time_a > time_b ? -1 : 1;
	return SYT_COMPARE(a->label, b->label);
}

/* Adds up the leaves outside of tasks by label. The caller frees the array. */
static struct loose *find_loose(const struct syt_model *m)
{
	const struct syt_places *p = &m->in->order->places;
	struct loose *all = syt_calloc(m->in->nr_labels, sizeof(*all));

	for (uint32_t i = 0; i < m->in->nr_labels; i++)
		all[i].label = i;
	SYT_EACH(i, 0, m->in->nr_leaves) {
		const struct syt_model_leaf *leaf = &m->in->leaves[i];
		struct loose *l = &all[leaf->label];
		const struct syt_row *r;
		struct syt_place at;

		if (m->up[i] != SYT_NONE)
			continue;
		at = syt_model_place(m, (uint32_t)i);
		r = syt_place_row(p, at);
		l->nr++;
		if (!waits_for_work(syt_place_call(p, at)->shape))
			l->in += r->out - r->in;
		for (uint64_t t = 0; t < syt_model_leaf_tasks(m->in, (uint32_t)i); t++)
			l->after += syt_task_span(m->in->tasks, &m->in->tasks->all[leaf->task + t]);
	}
	for (uint32_t i = 0; i < m->in->nr_labels; i++)
		if (all[i].nr < m->options.least) /* rare, as the begin of a process */
			all[i].in = all[i].after = 0;
	if (m->in->nr_labels)
		qsort(all, m->in->nr_labels, sizeof(*all), by_time);
	return all;
}

bool syt_model_digest_put_outside(struct syt_out *out, struct syt_model_digest *d, unsigned most)
{
	struct loose *all = find_loose(d->m);
	double time = 0;
	bool has_any;

	syt_model_digest_order(d);
	for (uint32_t i = 0; i < d->m->in->nr_labels; i++)
		time += (double)(all[i].in + all[i].after);
	has_any = time > 0 && percent(time, d->all_work + time) >= LEAST_OUTSIDE;
	for (uint32_t i = 0; has_any && i < d->m->in->nr_labels && i < most; i++) {
		const struct loose *l = &all[i];

		if (percent((double)(l->in + l->after), time) < LEAST_OUTSIDE)
			break;
		syt_out_string(out, i ? ", " : "");
		syt_print_span(out, SYT_TIME_NS(l->in + l->after));
		syt_out_string(out, l->in > l->after ? " in " : " running after ");
		syt_model_put_path(out, d->m->in->labels[l->label].text);
		syt_out_printf(out, " (x%" PRIu64 ")", l->nr);
	}
	free(all);
	return has_any;
}

/* ---- threads ---- */

/* Returns the name of the thread's group, from malloc: its name without digits at the end, or the function with which
 * it begins. */
static char *group_of(const struct syt_model_digest *d, uint32_t thread)
{
	/* functions of libc with which threads begin, the outermost first */
	static const char *const starts[] = {"__clone3", "__clone", "clone", "start_thread"};
	const struct syt_thread *t = d->m->in->order->places.threads[thread];
	const char *name = syt_thread_name(t), *program = syt_image_program(t->image), *entry;
	size_t bytes = name ? strlen(name) : 0;

	/* the kernel cuts names after 15 bytes; a thread has the program's name until it gets its own */
	if (bytes && (strncmp(name, program, bytes) != 0 || (bytes < 15 && program[bytes]))) {
		while (bytes && strchr("0123456789#-_:", name[bytes - 1]))
			bytes--;
		if (bytes)
			return syt_strndup(name, bytes);
	}
	if (!t->index)
		return syt_asprintf(MAIN_THREAD "%s", program);
	entry = d->entries[thread] == SYT_NONE ? NULL : d->m->in->labels[d->entries[thread]].text;
	if (entry && strstr(entry, ": ")) {
		entry = strstr(entry, ": ") + 2;
		bytes = strcspn(entry, ";");
		for (size_t i = 0; entry[bytes] && i < sizeof(starts) / sizeof(starts[0]); i++) {
			if (strlen(starts[i]) != bytes || memcmp(starts[i], entry, bytes) != 0)
				continue;
			entry += bytes + 1;
			bytes = strcspn(entry, ";");
		}
		if (entry[bytes] && !memmem(entry, bytes, "+0x", 3))
			return syt_strndup(entry, bytes);
	}
	return syt_asprintf("%s", program);
}

static const char *group(struct syt_model_digest *d, uint32_t thread)
{
	if (!d->groups[thread])
		d->groups[thread] = group_of(d, thread);
	return d->groups[thread];
}

static void put_group(struct syt_out *out, const char *text, uint64_t nr)
{
	bool is_main = !strncmp(text, MAIN_THREAD, strlen(MAIN_THREAD));

	syt_out_safe(out, text);
	if (nr > 1)
		syt_out_printf(out, " (%" PRIu64 " %s)", nr, is_main ? "processes" : "threads");
}

struct place {
	const char *text;
	uint64_t nr;
	bool is_root;
};

SYT_COMPARATOR(by_importance, struct place)
{
	if (a->is_root != b->is_root)
		return a->is_root ? -1 : 1;
	if (a->nr != b->nr)
		return a->nr > b->nr ? -1 : 1;
	return strcmp(a->text, b->text);
}

static void count_text(struct place **all, size_t *nr, size_t *room, const char *text, bool is_root)
{
	size_t i = 0;

	while (i < *nr && strcmp((*all)[i].text, text) != 0)
		i++;
	if (i == *nr)
		*SYT_ADD(*all, *nr, *room) = (struct place){.text = text};
	(*all)[i].nr++;
	(*all)[i].is_root |= is_root;
}

void syt_model_digest_put_threads(struct syt_out *out, struct syt_model_digest *d, uint32_t task)
{
	const struct syt_model *m = d->m;
	const struct syt_model_task *t = &m->tasks[task];
	uint8_t *seen = syt_calloc(m->in->nr_threads, sizeof(*seen)); /* 1: a part, 2: a root */
	struct place *all = NULL;
	size_t nr = 0, room = 0;

	for (uint64_t i = 0; i < t->count; i++) {
		uint32_t node = m->instances[t->first_instance + i];
		struct syt_model_walk w = syt_model_walk_of(node);

		for (uint32_t n; (n = syt_model_walk_next(m, &w)) != SYT_NONE;)
			if (syt_model_is_leaf(m, n))
				seen[m->in->leaves[n].thread] |= 1;
		seen[m->in->leaves[syt_model_root(m, node)].thread] |= 2;
	}
	for (uint32_t i = 0; i < m->in->nr_threads; i++) {
		if (!seen[i])
			continue;
		count_text(&all, &nr, &room, group(d, i), seen[i] & 2);
	}
	if (nr)
		qsort(all, nr, sizeof(*all), by_importance);
	for (size_t i = 0; i < nr && i < MOST_GROUPS; i++) {
		syt_out_string(out, i ? ", " : "");
		put_group(out, all[i].text, all[i].nr);
	}
	if (nr > MOST_GROUPS)
		syt_out_printf(out, ", and %zu more", nr - MOST_GROUPS);
	free(all);
	free(seen);
}

/* The threads of a group, and the time that they ran: the time outside of recorded calls. */
struct busy {
	const char *text;
	syt_time ran;
	uint64_t nr;
	uint32_t last; /* the last counted thread */
};

SYT_COMPARATOR(by_ran, struct busy)
{
	if (a->ran != b->ran)
		return a->ran > b->ran ? -1 : 1;
	return strcmp(a->text, b->text);
}

void syt_model_digest_put_busiest(struct syt_out *out, struct syt_model_digest *d)
{
	struct busy *all = NULL;
	size_t nr = 0, room = 0;

	for (uint32_t thread = 0; thread < d->m->in->nr_threads; thread++) {
		const struct syt_thread *t = d->m->in->order->places.threads[thread];
		size_t at = 0;

		if (!t->nr_rows)
			continue;
		while (at < nr && strcmp(all[at].text, group(d, thread)) != 0)
			at++;
		if (at == nr)
			*SYT_ADD(all, nr, room) = (struct busy){.text = group(d, thread)};
		all[at].nr++;
		SYT_EACH(i, 1, t->nr_rows) {
			syt_time since = syt_thread_row(t, i - 1)->out,
				 until = syt_thread_row(t, i)->in;

			all[at].ran += until > since ? until - since : 0;
		}
	}
	if (nr)
		qsort(all, nr, sizeof(*all), by_ran);
	for (size_t i = 0; i < nr && i < MOST_BUSY; i++) {
		syt_out_string(out, i ? ", " : "");
		put_group(out, all[i].text, all[i].nr);
		syt_out_char(out, ' ');
		syt_print_span(out, SYT_TIME_NS(all[i].ran));
	}
	if (nr > MOST_BUSY)
		syt_out_printf(out, ", and %zu more", nr - MOST_BUSY);
	free(all);
}

/* ---- connections ---- */

/* Writes the address of the connection OBJECT, a trace-wide number, into TEXT. Returns false if it is unknown. */
static bool address_of(const struct syt_model_digest *d, uint32_t object, char *text, size_t bytes)
{
	const struct syt_endpoint_info *e = d->m->in->order->objects.all[object].info->endpoint;
	bool is_accepted = d->servers.accepted[object] != SYT_ACCEPTED_NOT;
	char address[SYT_ADDRESS_TEXT];

	if (!e || !(is_accepted ? e->local_bytes : e->remote_bytes))
		return false;
	syt_address_text(is_accepted ? e->local : e->remote,
	                 is_accepted ? e->local_bytes : e->remote_bytes, address, sizeof(address));
	if (!strcmp(address, "unix:")) /* a socket without an address */
		return false;
	snprintf(text, bytes, "%s %s", is_accepted ? "clients of" : "server", address);
	return true;
}

void syt_model_digest_put_peers(struct syt_out *out, struct syt_model_digest *d, uint32_t task)
{
	const struct syt_order *o = d->m->in->order;
	const struct syt_model *m = d->m;
	const struct syt_model_task *t = &m->tasks[task];
	struct syt_counts seen = {0};
	struct place *all = NULL;
	size_t nr = 0, room = 0;

	if (!t->profile.sent && !t->profile.received)
		return;
	for (uint64_t i = 0; i < t->count; i++) {
		uint32_t node = m->instances[t->first_instance + i];
		struct syt_model_walk w = syt_model_walk_of(node);

		for (uint32_t n; (n = syt_model_walk_next(m, &w)) != SYT_NONE;) {
			struct syt_place at;
			const struct syt_row *r;
			uint8_t shape;

			if (!syt_model_is_leaf(m, n))
				continue;
			at = syt_model_place(m, n);
			shape = syt_place_call(&o->places, at)->shape;
			r = syt_place_row(&o->places, at);
			if ((shape == SYT_SHAPE_SEND || shape == SYT_SHAPE_RECV ||
			     shape == SYT_SHAPE_TRANSFER) &&
			    r->object != SYT_NONE && r->result > 0)
				++*syt_counts_at(&seen,
				                 syt_object_of(&o->objects,
				                               syt_place_image_idx(&o->places, at),
				                               r->object),
				                 0);
		}
	}
	char(*texts)[SYT_ADDRESS_TEXT + 16] = syt_calloc(seen.nr, sizeof(*texts));

	for (size_t i = 0; i < seen.nr; i++)
		if (address_of(d, (uint32_t)seen.all[i].a, texts[i], sizeof(texts[i])))
			count_text(&all, &nr, &room, texts[i], false);
	if (nr)
		qsort(all, nr, sizeof(*all), by_importance);
	for (size_t i = 0; i < nr && i < MOST_GROUPS; i++) {
		syt_out_string(out, i ? ", " : " with ");
		syt_out_safe(out, all[i].text);
	}
	if (nr > MOST_GROUPS)
		syt_out_printf(out, ", and %zu more", nr - MOST_GROUPS);
	free(all);
	free(texts);
	syt_counts_fini(&seen);
}

/* ---- the digest ---- */

struct syt_model_digest *syt_model_digest_create(const struct syt_model *m)
{
	struct syt_model_digest *d = syt_calloc(1, sizeof(*d));

	d->m = m;
	d->walker = syt_model_walker_create(m);
	d->latencies = syt_calloc(m->nr_tasks, sizeof(struct syt_model_latency *));
	d->groups = syt_calloc(m->in->nr_threads, sizeof(char *));
	d->entries = syt_alloc(m->in->nr_threads, sizeof(*d->entries));
	memset(d->entries, 0xff, m->in->nr_threads * sizeof(*d->entries));
	SYT_EACH(i, 0, m->in->nr_leaves)
		d->entries[m->in->leaves[i].thread] = m->in->leaves[i].label;
	syt_servers_open(&d->servers, m->in->order);
	return d;
}

void syt_model_digest_destroy(struct syt_model_digest *d)
{
	for (uint32_t i = 0; i < d->m->nr_tasks; i++) {
		if (!d->latencies[i])
			continue;
		syt_model_latency_close(d->latencies[i]);
		free(d->latencies[i]);
	}
	for (uint32_t i = 0; i < d->m->in->nr_threads; i++)
		free(d->groups[i]);
	free(d->latencies);
	free(d->groups);
	free(d->entries);
	free(d->order);
	free(d->work);
	free(d->locks);
	syt_servers_close(&d->servers);
	syt_model_walker_destroy(d->walker);
	free(d);
}
