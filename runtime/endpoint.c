/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A sparse table, private to the process: for each fd one 64-bit word that identifies its endpoint, i.e.
 * its socket or pipe (endpoint_record.h).
 *
 * The kernel can reuse an fd's number before close returns. So an fd's entry is removed before the real
 * close and inserted after the real open.
 */
#include "runtime/endpoint.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "runtime/alive.h"
#include "runtime/endpoint_holder.h"
#include "runtime/endpoint_peek.h"
#include "runtime/endpoint_probe.h"
#include "runtime/endpoint_record.h"
#include "runtime/endpoint_slot.h"
#include "runtime/fd-words.h"
#include "runtime/forked.h"
#include "runtime/meta.h"
#include "runtime/object.h"
#include "runtime/request.h"
#include "runtime/session.h"
#include "runtime/sys.h"
#include "runtime/text.h"
#include "runtime/thread.h"

#define TEXT_BYTES 64
#define PATH_BYTES 512 /* a longer path is cut */

SYT_FORKED struct syt_fd_words syt_endpoint_words;

static uint64_t *word_of(int fd, bool make)
{
	return syt_fd_word(&syt_endpoint_words, fd, make);
}

static inline bool is_same_endpoint(uint64_t a, uint64_t b)
{
	return a && ((a ^ b) & ~SYT_WORD_WRITER) == 0;
}

/* Returns true in a vfork child, whose fds have no stored words. Notes that the parent's table entry for FD
 * is no longer right in the child. */
static bool is_borrowed(int fd)
{
	uint64_t *w;

	if (__builtin_expect(!syt_thread_is_borrowed(), 1))
		return false;
	w = word_of(fd, false);
	if (w && __atomic_load_n(w, __ATOMIC_RELAXED))
		syt_thread_touch(fd);
	return true;
}

/* ---- holders of endpoints without a kernel name ---- */

static void publish(int fd, uint64_t word)
{
	struct syt_endpoint_anon a;

	if (syt_endpoint_record_anon(word, &a))
		syt_holder_put(fd, &a);
}

/* Returns true if the kernel has no unique number for endpoints of KIND (as for an eventfd). */
static bool is_nameless(uint8_t kind)
{
	return kind == SYT_KIND_EVENTFD || kind == SYT_KIND_TIMERFD || kind == SYT_KIND_SIGNALFD ||
	       kind == SYT_KIND_EPOLL;
}

/* Removes FD from the shared table of holders of WORD's endpoint. If FD was in the table and this process
 * has another fd of the endpoint, that fd replaces FD. */
static void withdraw(int fd, uint64_t word)
{
	struct syt_endpoint_anon a;

	if (!syt_endpoint_record_anon(word, &a) || !syt_holder_remove(fd, a.identity) ||
	    !syt_endpoint_record_has_others(word))
		return;
	for (int i = syt_endpoint_next(0, INT32_MAX); i >= 0;
	     i = syt_endpoint_next(i + 1, INT32_MAX))
		if (i != fd &&
		    is_same_endpoint(word, __atomic_load_n(word_of(i, false), __ATOMIC_ACQUIRE))) {
			syt_holder_put(i, &a);
			return;
		}
}

/* ---- birth and adoption ---- */

static void clear(struct syt_endpoint *e)
{
	*e = (struct syt_endpoint){.kind = SYT_KIND_OTHER};
}

/* Stores WORD, which identifies an endpoint, in W, FD's table entry. An older word there belongs to an fd
 * that was closed without a wrapper. */
static void replace(int fd, uint64_t *w, uint64_t word)
{
	uint64_t old = __atomic_exchange_n(w, word, __ATOMIC_ACQ_REL);

	if (old) {
		withdraw(fd, old);
		syt_endpoint_record_drop(old);
	}
}

void syt_endpoint_name_file(int fd, const struct syt_endpoint *e)
{
	char link[TEXT_BYTES], path[PATH_BYTES];
	struct syt_text_buffer b = {.text = link, .capacity = sizeof(link)};
	const uint64_t *w = word_of(fd, false);
	long n;

	if (!w || syt_thread_is_borrowed() || !syt_endpoint_record_needs_name(e))
		return;
	syt_text_add(&b, "/proc/thread-self/fd/");
	syt_text_add_number(&b, (unsigned)fd, 0);
	n = SYT_SYS_4(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
	/* another thread may have closed FD, and its number may stand for another file now */
	if (n <= 0 || __atomic_load_n(w, __ATOMIC_ACQUIRE) != e->word)
		return;
	path[n] = 0;
	syt_object_name(e->object, path);
}

static void install(int fd, uint64_t word, struct syt_endpoint *e)
{
	uint64_t *w = word_of(fd, true);

	clear(e);
	if (!word)
		return;
	if (!w) {
		syt_endpoint_record_drop(word);
		return;
	}
	replace(fd, w, word);
	publish(fd, word);
	syt_endpoint_record_read(word, fd, e);
}

/* Identifies FD, which has no kernel name, by comparing FD (kcmp) with fds of other processes. Returns its
 * flags. */
static unsigned identify(int fd, struct syt_probe *p)
{
	struct syt_endpoint_anon a = {.kind = p->kind};

	if (p->class || p->kind == SYT_KIND_FILE || p->kind == SYT_KIND_OTHER ||
	    !syt_holder_find(fd, &a))
		return 0;
	p->class = SYT_CLASS_TRACE;
	p->identity = a.identity;
	return a.flags & SYT_ENDPOINT_SEMAPHORE;
}

/* Asks `syntrace record` for the peer of a connected unix socket: the addresses do not tell which socket is
 * the peer. */
static void request_peer(int fd, const struct syt_probe *p)
{
	if (p->kind == SYT_KIND_STREAM || p->meta.type == SOCK_SEQPACKET)
		if (p->meta.domain == AF_UNIX && p->meta.peer_pid)
			syt_request_peer(fd, &p->meta);
}

/* Gets the endpoint of FD in the unusual cases. */
static __attribute__((noinline)) bool get_slow(int fd, struct syt_endpoint *e)
{
	uint64_t *w = word_of(fd, false), word = w ? __atomic_load_n(w, __ATOMIC_ACQUIRE) : 0;
	struct syt_probe p;
	unsigned flags;

	if (__builtin_expect(syt_thread_is_borrowed(), 0)) {
		clear(e);
		return fd >= 0;
	}
	if (word != 0 && syt_endpoint_record_read(word, fd, e))
		return true;
	clear(e);
	if (fd < 0 || syt_probe(fd, &p))
		return false;
	w = word_of(fd, true);
	if (!w)
		return true;
	flags = identify(fd, &p);
	e->word = syt_endpoint_record_find(&p);
	if (e->word) {
		syt_endpoint_dup(e, fd);
		word = __atomic_load_n(w, __ATOMIC_ACQUIRE);
		if (word && syt_endpoint_record_read(word, fd, e))
			return true;
		clear(e);
	}
	syt_probe_addresses(fd, &p);
	request_peer(fd, &p);
	for (word = syt_endpoint_record_add(fd, &p, false, flags); word;) {
		uint64_t now = 0;

		if (__atomic_compare_exchange_n(w, &now, word, false, __ATOMIC_ACQ_REL,
		                                __ATOMIC_ACQUIRE)) {
			publish(fd, word);
			return syt_endpoint_record_read(word, fd, e), true;
		}
		/* another thread has stored the endpoint of FD first */
		if (syt_endpoint_record_read(now, fd, e)) {
			syt_endpoint_record_drop(word);
			return true;
		}
	}
	return true;
}

bool syt_endpoint_get(int fd, struct syt_endpoint *e)
{
	if (__builtin_expect(!syt_thread_is_borrowed() && syt_endpoint_peek(fd, e), 1)) {
		syt_endpoint_mark_writer(e);
		return true;
	}
	return get_slow(fd, e);
}

void syt_endpoint_file(int fd, const struct stat *st)
{
	uint64_t *w = word_of(fd, true), word, none = 0;
	struct syt_probe p;

	if (!w || __atomic_load_n(w, __ATOMIC_RELAXED) || syt_thread_is_borrowed() ||
	    !syt_probe_file(fd, st, &p))
		return;
	word = syt_endpoint_record_add(fd, &p, false, 0);
	if (word &&
	    !__atomic_compare_exchange_n(w, &none, word, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		/* another thread has stored the endpoint of FD first */
		syt_endpoint_record_drop(word);
}

void syt_endpoint_open(int fd, struct syt_endpoint *e)
{
	struct syt_probe p;

	clear(e);
	if (!is_borrowed(fd) && !syt_probe(fd, &p))
		install(fd, syt_endpoint_record_add(fd, &p, true, 0), e);
}

void syt_endpoint_open_socket(int fd, int domain, int type, struct syt_endpoint *e)
{
	struct syt_inet known;
	struct syt_probe p;

	clear(e);
	if (is_borrowed(fd))
		return;
	known = syt_probe_birth(fd, domain, type);
	if (!syt_probe_inet(fd, &known, &p))
		install(fd, syt_endpoint_record_add(fd, &p, true, 0), e);
}

void syt_endpoint_accepted(int fd, const struct syt_endpoint *listener, const void *remote,
                           uint32_t remote_bytes, struct syt_endpoint *e)
{
	struct syt_inet known = syt_endpoint_record_inet(listener->word);
	struct syt_probe p;

	clear(e);
	/* multipath TCP accepts plain TCP, too */
	if (known.protocol != IPPROTO_TCP)
		known.domain = 0;
	if (is_borrowed(fd) || syt_probe_inet(fd, &known, &p))
		return;
	if (remote && p.is_inet && remote_bytes <= sizeof(p.remote))
		syt_probe_local(fd, remote, remote_bytes, &p);
	else
		syt_probe_addresses(fd, &p);
	request_peer(fd, &p);
	install(fd, syt_endpoint_record_add(fd, &p, true, 0), e);
}

void syt_endpoint_open_anon(int fd, enum syt_kind kind, uint64_t initial, unsigned flags,
                            struct syt_endpoint *e)
{
	struct syt_probe p = {.kind = (uint8_t)kind, .meta = {.tx = initial}};

	clear(e);
	if (!is_borrowed(fd))
		install(fd, syt_endpoint_record_add(fd, &p, true, flags), e);
}

void syt_endpoint_open_pair(const int fds[2], struct syt_endpoint e[2])
{
	bool is_borrowed_0 = is_borrowed(fds[0]), is_borrowed_1 = is_borrowed(fds[1]);
	struct syt_probe p[2];

	clear(&e[0]);
	clear(&e[1]);
	if (is_borrowed_0 || is_borrowed_1 || syt_probe(fds[0], &p[0]) || syt_probe(fds[1], &p[1]))
		return;
	syt_probe_addresses(fds[0], &p[0]);
	syt_probe_addresses(fds[1], &p[1]);
	install(fds[0], syt_endpoint_record_add(fds[0], &p[0], true, 0), &e[0]);
	/* one end names the other one, so a pair has definitions at once */
	p[1].meta.peer_object = e[0].object = syt_endpoint_object(e[0].word);
	install(fds[1], syt_endpoint_record_add(fds[1], &p[1], true, 0), &e[1]);
	syt_endpoint_record_pair(e[0].word, e[1].word);
	if (!e[0].object || !e[1].object)
		return;
	p[0].meta.object = e[0].object;
	p[0].meta.peer_object = e[1].object;
	syt_meta_append(SYT_META_ENDPOINT, &p[0].meta, sizeof(p[0].meta), p[0].local,
	                p[0].meta.local_bytes, p[0].remote, p[0].meta.remote_bytes);
}

void syt_endpoint_open_pipe(const int fds[2], struct syt_endpoint *e)
{
	struct syt_endpoint other;

	syt_endpoint_open(fds[0], e);
	if (!e->word)
		return;
	other = *e;
	other.word |= SYT_WORD_WRITER;
	syt_endpoint_dup(&other, fds[1]);
}

void syt_endpoint_named(int fd, const void *remote, uint32_t remote_bytes, struct syt_endpoint *e)
{
	const uint8_t *from = remote;
	struct syt_inet known;
	struct syt_probe p;

	if (!syt_endpoint_get(fd, e) || !e->word || syt_thread_is_borrowed())
		return;
	known = syt_endpoint_record_inet(e->word);
	if (syt_probe_inet(fd, &known, &p))
		return;
	syt_probe_addresses(fd, &p);
	/* AF_UNSPEC dissolves a connection */
	if (!p.meta.remote_bytes && from && remote_bytes > 2 && (from[0] || from[1]) &&
	    remote_bytes <= sizeof(p.remote)) {
		memcpy(p.remote, from, remote_bytes);
		p.meta.remote_bytes = (uint16_t)remote_bytes;
	}
	syt_endpoint_record_name(e, &p);
}

void syt_endpoint_listen(int fd, struct syt_endpoint *e)
{
	struct syt_probe p;

	if (!syt_endpoint_get(fd, e) || !e->word || syt_thread_is_borrowed() ||
	    e->kind == SYT_KIND_LISTEN || syt_probe(fd, &p) || p.kind != SYT_KIND_LISTEN)
		return;
	syt_probe_addresses(fd, &p);
	syt_endpoint_record_listen(e->word, &p);
	syt_endpoint_record_read(e->word, fd, e);
}

void syt_endpoint_split(int fd, uint16_t bytes)
{
	struct syt_endpoint e;

	if (syt_endpoint_get(fd, &e) && e.word)
		syt_endpoint_record_split(e.word, bytes);
}

bool syt_endpoint_anon(int fd, struct syt_endpoint_anon *a)
{
	uint64_t *w = word_of(fd, false), word = w ? __atomic_load_n(w, __ATOMIC_ACQUIRE) : 0;

	return word && syt_endpoint_record_anon(word, a);
}

void syt_endpoint_take_over(int fd, const struct syt_endpoint_anon *a)
{
	struct syt_endpoint e;
	struct syt_probe p;

	if (syt_probe(fd, &p) || p.class || p.kind != a->kind || !a->identity)
		return;
	p.class = SYT_CLASS_TRACE;
	p.identity = a->identity;
	e.word = syt_endpoint_record_find(&p);
	if (e.word)
		syt_endpoint_dup(&e, fd);
	else
		install(fd,
		        syt_endpoint_record_add(fd, &p, false, a->flags & SYT_ENDPOINT_SEMAPHORE),
		        &e);
}

/* ---- more fds, fewer fds ---- */

void syt_endpoint_dup(const struct syt_endpoint *from, int to)
{
	uint64_t *w = word_of(to, true), word = from->word;

	if (is_borrowed(to) || !w)
		return;
	if (word && !syt_endpoint_record_hold(word))
		word = 0; /* FROM was closed meanwhile: TO gets an endpoint at its next use */
	replace(to, w, word);
}

uint64_t syt_endpoint_detach(int fd, struct syt_endpoint *e)
{
	uint64_t *w = word_of(fd, false), word;

	clear(e);
	if (!w || !__atomic_load_n(w, __ATOMIC_RELAXED) || is_borrowed(fd))
		return 0;
	word = __atomic_exchange_n(w, 0, __ATOMIC_ACQ_REL);
	if (word && syt_endpoint_record_read(word, -1, e) && is_nameless(e->kind))
		withdraw(fd, word);
	return word;
}

bool syt_endpoint_release(uint64_t word)
{
	return word && syt_endpoint_record_drop(word);
}

void syt_endpoint_reattach(int fd, uint64_t word)
{
	uint64_t *w = word_of(fd, false), now = 0;

	if (!word)
		return;
	if (w &&
	    __atomic_compare_exchange_n(w, &now, word, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		publish(fd, word);
	else
		syt_endpoint_record_drop(word);
}

/* Returns true if the close of FD may matter to the decoder: sockets, pipes and FIFOs. */
static bool is_socket_or_fifo(int fd)
{
	struct stat st;

	return SYT_SYS_2(SYS_fstat, fd, &st) == 0 && (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode));
}

/* For each of the first 16 TCP connections with bytes that no wrapper saw, the dump gets a note; notes are
 * never overwritten, so their number must be limited. At the close of these connections the kernel's
 * numbers are read up to 64 times. A program with more such connections probably moves all its bytes
 * unseen, so further connections are only counted. */
#define NR_UNSEEN_NAMED 16u
#define NR_LOOKS 64u
#define NR_LOOKS_MORE 4u

SYT_FORKED static uint32_t nr_unseen_named; /* number of connections with a note; may be too high */

/* Called by the last holder that closes a TCP connection. Detects use of the connection that was
 * not recorded: io_uring, an untraced child, stdio. */
static void report_unseen_bytes(int fd, uint64_t word, const struct syt_endpoint *e)
{
	bool is_named = __atomic_load_n(&nr_unseen_named, __ATOMIC_RELAXED) < NR_UNSEEN_NAMED;
	char text[TEXT_BYTES];
	struct syt_text_buffer b = {text, sizeof(text), 0, false};
	uint64_t tx, rx;

	if (!e->slot || e->kind != SYT_KIND_STREAM || !(e->flags & SYT_ENDPOINT_INET) ||
	    syt_control_is_deep(syt_control()) || syt_endpoint_record_has_others(word) ||
	    !syt_endpoint_slot_is_complete(e->slot, e->generation) ||
	    !syt_probe_unrecorded(fd, e->slot, is_named ? NR_LOOKS : NR_LOOKS_MORE, &tx, &rx))
		return;
	if (!is_named ||
	    __atomic_fetch_add(&nr_unseen_named, 1, __ATOMIC_RELAXED) >= NR_UNSEEN_NAMED) {
		syt_unseen_tcp();
		return;
	}
	syt_text_add_number(&b, tx, 1);
	syt_text_add(&b, " sent, ");
	syt_text_add_number(&b, rx, 1);
	syt_text_add(&b, " received");
	syt_session_blind(SYT_BLIND_TCP, text);
}

bool syt_endpoint_close(int fd, struct syt_endpoint *e)
{
	uint64_t *w = word_of(fd, false), word;

	clear(e);
	if (fd < 0 || syt_thread_is_borrowed())
		return false;
	if ((!w || !__atomic_load_n(w, __ATOMIC_RELAXED)) && is_socket_or_fifo(fd))
		syt_endpoint_get(fd, e);
	word = syt_endpoint_detach(fd, e);
	report_unseen_bytes(fd, word, e);
	return syt_endpoint_release(word);
}

void syt_endpoint_forget(int fd)
{
	struct syt_endpoint e;

	syt_endpoint_release(syt_endpoint_detach(fd, &e));
}

int syt_endpoint_next(int fd, unsigned last)
{
	return syt_fd_words_next(&syt_endpoint_words, fd, last);
}

/* ---- counting ---- */

void syt_endpoint_learn(int fd, struct syt_endpoint *e)
{
	if (__builtin_expect(e->slot && __atomic_load_n(&e->slot->state, __ATOMIC_RELAXED) &
	                                        SYT_ENDPOINT_LEARNED,
	                     0))
		syt_endpoint_record_learn(fd, e);
}

void syt_endpoint_stale(void)
{
	syt_endpoint_record_stale();
}

void syt_endpoint_urgent(const struct syt_endpoint *e)
{
	if (e->slot)
		syt_endpoint_slot_urgent(e->slot, e->generation);
}

void syt_endpoint_note_reader(const struct syt_endpoint *e, uint32_t thread)
{
	struct syt_endpoint_record *r = syt_endpoint_record_of(e->word);

	if (syt_endpoint_record_is_of(r, e->word))
		__atomic_store_n(&r->reader, thread + 1, __ATOMIC_RELAXED);
}

uint64_t syt_endpoint_reader_position(const struct syt_endpoint *e, uint32_t thread)
{
	const struct syt_endpoint_record *r = syt_endpoint_record_of(e->word);
	uint32_t reader;
	uint64_t position;
	bool is_known;

	if (!e->slot || !syt_endpoint_record_is_of(r, e->word) ||
	    !syt_endpoint_slot_is_complete(e->slot, e->generation))
		return 0;
	position = syt_endpoint_count(e, false, 0, &is_known);
	reader = __atomic_load_n(&r->reader, __ATOMIC_RELAXED);
	return is_known && (!reader || reader == thread + 1) ? position + 1 : 0;
}

bool syt_endpoint_of(uint64_t word, struct syt_endpoint *e)
{
	return word &&
	       (syt_endpoint_record_peek(word, e) || syt_endpoint_record_read(word, -1, e));
}

uint32_t syt_endpoint_object(uint64_t word)
{
	struct syt_endpoint e;
	uint64_t *w;
	int fd;

	if (__builtin_expect(word && syt_endpoint_record_peek(word, &e), 1))
		return e.object;
	fd = syt_endpoint_record_fd(word);
	w = word_of(fd, false);
	if (!w || !is_same_endpoint(word, __atomic_load_n(w, __ATOMIC_ACQUIRE)))
		fd = -1;
	return syt_endpoint_record_object(word, fd);
}

static void publish_all(void)
{
	for (int fd = syt_endpoint_next(0, INT32_MAX); fd >= 0;
	     fd = syt_endpoint_next(fd + 1, INT32_MAX))
		publish(fd, __atomic_load_n(word_of(fd, false), __ATOMIC_ACQUIRE));
}

void syt_endpoint_fork_child(void)
{
	nr_unseen_named = 0;
	syt_endpoint_record_fork_child();
	publish_all();
}

void syt_endpoint_leave(void)
{
	syt_endpoint_record_leave();
	syt_holder_leave();
}

void syt_endpoint_stay(void)
{
	syt_endpoint_record_stay();
	publish_all();
}
