/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/show/blind.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decoder/read/call.h"
#include "decoder/show/print.h"

#define NR_EXAMPLES 3u

struct kind {
	const char *name; /* name of this kind of blind spot in JSON */
	/* description for one process, and value in the JSON of the report stat */
	const char *text;
	/* texts after the number in the coverage line: for one, and for several */
	const char *one, *several;
};

/* clang-format off */
static const struct kind kinds[] = {
	[SYT_BLIND_IO_URING] = {"io_uring", "io_uring, whose rings are not seen", "use of io_uring", "uses of io_uring"},
	[SYT_BLIND_EXEC_STATIC] = {"static", "exec of a statically linked program", "static program", "static programs"},
	[SYT_BLIND_EXEC_SECURE] = {"setuid", "exec of a program with privileges (setuid, setgid, capabilities)", "setuid program", "setuid programs"},
	[SYT_BLIND_EXEC_CLASS] = {"class", "exec of a program for another machine", "program for another machine", "programs for other machines"},
	[SYT_BLIND_DEEPBIND] = {"deepbind", "library whose calls do not come to the recorder (RTLD_DEEPBIND, dlmopen)", "library that bypasses the recorder (RTLD_DEEPBIND, dlmopen)", "libraries that bypass the recorder (RTLD_DEEPBIND, dlmopen)"},
	[SYT_BLIND_SECCOMP] = {"seccomp", "system calls filtered by seccomp", "seccomp filter", "seccomp filters"},
	[SYT_BLIND_RAW_CLONE] = {"clone", "thread or process made by a raw clone", "raw clone", "raw clones"},
	[SYT_BLIND_EXEC_LIBC] = {"libc", "exec of a program with another libc", "program with another libc", "programs with another libc"},
	[SYT_BLIND_EXEC_PLACE] = {"place", "exec where the recorder or the trace is out of reach", "program without access to the recorder", "programs without access to the recorder"},
	[SYT_BLIND_EXEC_CONFINED] = {"confined", "exec of a program that seccomp confines", "program that seccomp confines", "programs that seccomp confines"},
	[SYT_BLIND_CLOCK] = {"clock", "the time: stamps only count from then on", "stopped clock", "stopped clocks"},
	[SYT_BLIND_EXEC_32BIT] = {"32-bit", "exec of a 32-bit program", "32-bit program", "32-bit programs"},
	[SYT_BLIND_EXEC_MUSL] = {"musl", "exec of a program with another libc (musl)", "musl program", "musl programs"},
	[SYT_BLIND_TCP] = {"tcp", "bytes of a TCP connection that nobody recorded", "TCP connection with unrecorded bytes", "TCP connections with unrecorded bytes"},
	[SYT_BLIND_GO] = {"go", "calls of the Go runtime, which makes its system calls itself", "Go runtime, which makes its system calls itself", "Go runtimes, which make their system calls themselves"},
};
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Kinds of blind spots of the whole trace, not of one process. The sums of these kinds follow the sums of
 * `kinds`. */
enum { OF_THREADS, OF_PEERS, OF_UNSEEN, OF_UNPAIRED, OF_FDS, OF_OTHERS, NR_WHOLE };
static const struct kind whole[NR_WHOLE] = {
	[OF_THREADS] = {"thread", NULL, "thread of unknown creator", "threads of unknown creator"},
	[OF_PEERS] = {"peer", NULL, "wait for, or receive from, a process that is not recorded", "waits for, or receives from, processes that are not recorded"},
	[OF_UNSEEN] = {"unseen", NULL, "receive of data from calls that are not recorded, such as stdio's", "receives of data from calls that are not recorded, such as stdio's"},
	[OF_UNPAIRED] = {"unpaired", NULL, "receive from one of several possible senders", "receives from one of several possible senders"},
	[OF_FDS] = {"fd", NULL, "eventfd or similar file descriptor that could not be identified", "eventfds or similar file descriptors that could not be identified"},
	[OF_OTHERS] = {"unknown", "unknown to this decoder", "blind spot of an unknown kind", "blind spots of unknown kinds"},
};
/* clang-format on */

const char *syt_blind_text(uint32_t what)
{
	return what < NR_KINDS && kinds[what].text ? kinds[what].text : whole[OF_OTHERS].text;
}

struct sum {
	const struct kind *kind;
	uint64_t nr, bytes;
	const char *examples[NR_EXAMPLES]; /* different descriptions of such blind spots */
	unsigned nr_examples;
	bool has_more;
	char own[256]; /* memory for the text of one example */
};

static void add_example(struct sum *s, const char *text)
{
	if (!text || !*text)
		return;
	for (unsigned i = 0; i < s->nr_examples; i++)
		if (!strcmp(s->examples[i], text))
			return;
	if (s->nr_examples < NR_EXAMPLES)
		s->examples[s->nr_examples++] = text;
	else
		s->has_more = true;
}

static bool is_execed(const struct syt_trace_data *t, uint32_t i)
{
	return (t->images[i].file.state & 0xff) == SYT_STATE_EXECED;
}

/* Returns the last process image that the process of image I got by calls of exec. */
static const struct syt_image *last_image(const struct syt_trace_data *t, uint32_t i)
{
	uint32_t last = i;

	while (++i < t->nr_images && is_execed(t, last))
		if (t->images[i].file.pid == t->images[last].file.pid &&
		    t->images[i].host == t->images[last].host)
			last = i;
	return &t->images[last];
}

/* Returns a process of the other end of the endpoint OBJECT. For a pipe, it is the process that held the writing
 * end last and never read the pipe. A process that executed another program precedes one that did not: a shell
 * closes its own copy of the end before or after the children for which it made the pipe. For a socket, it is the process that holds the other end. NULL: unknown. */
static const struct syt_image *writer(const struct syt_order *o, uint32_t object)
{
	uint32_t peer = o->objects.all[object].peer;
	struct syt_history h = syt_history_of(&o->histories, peer == SYT_NONE ? object : peer);
	uint32_t reader = SYT_NONE, found = SYT_NONE;

	if (peer != SYT_NONE && h.nr)
		return last_image(o->places.trace,
		                  syt_place_image_idx(&o->places, h.touches[h.nr - 1].place));
	for (uint64_t i = 0; i < h.nr && reader == SYT_NONE; i++)
		if (syt_place_call(&o->places, h.touches[i].place)->shape == SYT_SHAPE_RECV)
			reader = syt_place_image_idx(&o->places, h.touches[i].place);
	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_extra *x = syt_place_extra(&o->places, h.touches[i].place);
		uint32_t image = syt_place_image_idx(&o->places, h.touches[i].place);

		if (x->flags & SYT_EVENT_WRITER && image != reader &&
		    (found == SYT_NONE ||
		     is_execed(o->places.trace, image) >= is_execed(o->places.trace, found)))
			found = image;
	}
	return found == SYT_NONE ? NULL : last_image(o->places.trace, found);
}

/* Writes a description of an endpoint that received bytes without a recorded sender to TEXT:
 * "stream:0x7#0 127.0.0.1:80". If IS_UNSEEN, a traced process sent the bytes by unrecorded calls,
 * and its name follows: "pipe:0x9#0 /usr/bin/seq". */
static void example(const struct syt_order *o, uint32_t object, bool is_unseen, char *text,
                    size_t bytes)
{
	const struct syt_object_info *info = o->objects.all[object].info;
	const struct syt_endpoint_info *e = info->endpoint;
	const struct syt_image *image = is_unseen ? writer(o, object) : NULL;
	char name[SYT_OBJECT_TEXT], address[SYT_ADDRESS_TEXT] = "";

	syt_object_text(info, name, sizeof(name));
	if (e && e->remote_bytes > 2)
		syt_address_text(e->remote, e->remote_bytes, address, sizeof(address));
	else if (e && e->local_bytes > 2)
		syt_address_text(e->local, e->local_bytes, address, sizeof(address));
	if (image && image->exe)
		snprintf(text, bytes, "%s %s", name, image->exe);
	else
		snprintf(text, bytes, "%s%s%s", name, *address ? " " : "", address);
}

#define NR_SUMS (NR_KINDS + NR_WHOLE)

/* Adds to S the number of acquires whose source is unknown for REASON, and as an example the
 * endpoint that received most of their bytes. */
static void add_reason(struct sum *s, const struct syt_order *o, enum syt_reason reason)
{
	const struct syt_coverage *c = &o->coverage;

	s->nr += c->unattributed[reason];
	s->bytes += c->bytes_unmatched[reason];
	if (!c->most[reason].bytes || s->own[0])
		return;
	example(o, c->most[reason].object, reason == SYT_REASON_UNSEEN_WRITER, s->own,
	        sizeof(s->own));
	add_example(s, s->own);
}

static void sum_up(struct sum *sums, const struct syt_order *o)
{
	const struct syt_trace_data *t = o->places.trace;
	struct sum *of_whole = &sums[NR_KINDS];

	for (unsigned i = 0; i < NR_SUMS; i++)
		sums[i].kind = i < NR_KINDS ? &kinds[i] : &whole[i - NR_KINDS];
	of_whole[OF_FDS].nr = o->coverage.unknown_fds;
	for (uint32_t i = 0; i < t->nr_images; i++) {
		const struct syt_image *image = &t->images[i];

		for (uint64_t n = 0; n < image->nr_blind; n++) {
			const struct syt_blind_spot *b = &image->blind[n];
			struct sum *s = b->what < NR_KINDS && kinds[b->what].text
			                        ? &sums[b->what]
			                        : &of_whole[OF_OTHERS];

			s->nr++;
			add_example(s, b->text);
		}
		if (image->file.nr_unseen_tcp) {
			sums[SYT_BLIND_TCP].nr += image->file.nr_unseen_tcp;
			sums[SYT_BLIND_TCP].has_more = true;
		}
		/* the first thread of an image was not created in it: it existed before exec, or called fork() */
		for (uint32_t n = 1; n < image->nr_threads; n++) {
			if (image->threads[n].creator != SYT_NONE)
				continue;
			of_whole[OF_THREADS].nr++;
			add_example(&of_whole[OF_THREADS], image->threads[n].name);
		}
	}
	add_reason(&of_whole[OF_PEERS], o, SYT_REASON_UNTRACED_PEER);
	add_reason(&of_whole[OF_PEERS], o, SYT_REASON_UNTRACED_WRITER);
	add_reason(&of_whole[OF_UNSEEN], o, SYT_REASON_UNSEEN_WRITER);
	add_reason(&of_whole[OF_UNPAIRED], o, SYT_REASON_UNPAIRED);
}

static void print_sum(struct syt_out *out, const struct sum *s)
{
	const char *between = " (";

	syt_out_printf(out, "%" PRIu64 " %s", s->nr, s->nr == 1 ? s->kind->one : s->kind->several);
	if (s->bytes) {
		syt_out_printf(out, "%s%" PRIu64 " bytes", between, s->bytes);
		between = s->nr_examples ? ", most on " : "";
	}
	for (unsigned n = 0; n < s->nr_examples; n++) {
		syt_out_string(out, between);
		syt_out_safe(out, s->examples[n]);
		between = ", ";
	}
	if (s->bytes || s->nr_examples)
		syt_out_string(out, s->has_more ? ", ...)" : ")");
}

void syt_blind_line(struct syt_out *out, const struct syt_order *o)
{
	struct sum sums[NR_SUMS] = {0};
	bool is_first = true;

	sum_up(sums, o);
	for (unsigned i = 0; i < NR_SUMS; i++) {
		if (!sums[i].nr && !sums[i].bytes)
			continue;
		syt_out_string(out, is_first
		                            ? "Blind spots (activity that syntrace cannot record): "
		                            : ", ");
		print_sum(out, &sums[i]);
		is_first = false;
	}
	if (!is_first)
		syt_out_char(out, '.');
}

void syt_blind_json(struct syt_json *j, const struct syt_order *o)
{
	struct sum sums[NR_SUMS] = {0};

	sum_up(sums, o);
	syt_json_begin(j, "blind", '[');
	for (unsigned i = 0; i < NR_SUMS; i++) {
		const struct sum *s = &sums[i];

		if (!s->nr && !s->bytes)
			continue;
		syt_json_begin(j, NULL, '{');
		syt_json_string(j, "what", s->kind->name);
		syt_json_u64(j, "count", s->nr);
		if (s->bytes)
			syt_json_u64(j, "bytes", s->bytes);
		syt_json_begin(j, "examples", '[');
		for (unsigned n = 0; n < s->nr_examples; n++)
			syt_json_string(j, NULL, s->examples[n]);
		syt_json_end(j);
		syt_json_end(j);
	}
	syt_json_end(j);
}
