/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Endpoints: real file descriptors of this kernel, a real shared table, and doubles of the
 * functions that write into the dump.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/address.h"
#include "format/event.h"
#include "runtime/alive.h"
#include "runtime/endpoint.h"
#include "runtime/endpoint_inherit.h"
#include "runtime/endpoint_slot.h"
#include "runtime/meta.h"
#include "runtime/object.h"
#include "runtime/self.h"
#include "runtime/session.h"
#include "runtime/thread.h"

/* ---- doubles ---- */

static struct syt_trace *trace;
static bool is_shared_missing;
static bool is_vfork_child;
static int touched = -1; /* by the vfork child */
static uint32_t nr_objects;
static struct syt_meta_object last_object;
static struct syt_meta_endpoint last_endpoint;
static uint32_t nr_endpoints_defined, nr_lost;

struct syt_trace *syt_trace_shared(void)
{
	return is_shared_missing ? NULL : trace;
}

uint8_t syt_control_page[SYT_PAGE_BYTES];

uint32_t syt_thread_nr_others(void)
{
	return 0;
}

void syt_session_blind(enum syt_blind what, const char *text)
{
	/* fails, because no other process uses the connections of these tests */
	fail_msg("%u: %s", what, text);
}

void syt_unseen_tcp(void)
{
	fail();
}

bool syt_thread_was_borrowed = true;

bool syt_thread_is_borrowed_now(void)
{
	return is_vfork_child;
}

void syt_thread_touch(int fd)
{
	touched = fd;
}

bool syt_thread_has_touched(int fd)
{
	return touched == fd;
}

uint64_t syt_shared_identity(void)
{
	return __atomic_add_fetch(&trace->next_identity, 1, __ATOMIC_RELAXED);
}

uint32_t syt_object_define(const struct syt_meta_object *def)
{
	last_object = *def;
	return __atomic_add_fetch(&nr_objects, 1, __ATOMIC_RELAXED);
}

void syt_meta_append(enum syt_meta_type type, const void *fixed, size_t fixed_bytes,
                     const void *tail1, size_t tail1_bytes, const void *tail2, size_t tail2_bytes)
{
	(void)tail1, (void)tail2;
	assert_int_equal(type, SYT_META_ENDPOINT);
	assert_int_equal(fixed_bytes, sizeof(last_endpoint));
	memcpy(&last_endpoint, fixed, sizeof(last_endpoint));
	assert_int_equal(tail1_bytes, last_endpoint.local_bytes);
	assert_int_equal(tail2_bytes, last_endpoint.remote_bytes);
	nr_endpoints_defined++;
}

static uint32_t nr_names, named_object;
static char last_name[512];

void syt_object_name(uint32_t object, const char *name)
{
	nr_names++;
	named_object = object;
	snprintf(last_name, sizeof(last_name), "%s", name);
}

void syt_lost(enum syt_loss why, uint64_t nr)
{
	assert_int_equal(why, SYT_LOSS_ENDPOINTS);
	nr_lost += (uint32_t)nr;
}

/* ---- helpers ---- */

static uint64_t sent(int fd, uint64_t bytes)
{
	struct syt_endpoint e;
	bool known;

	assert_true(syt_endpoint_get(fd, &e));

	uint64_t offset = syt_endpoint_count(&e, true, bytes, &known);

	assert_true(known);
	return offset;
}

static uint64_t received(int fd, uint64_t bytes)
{
	struct syt_endpoint e;
	bool known;

	assert_true(syt_endpoint_get(fd, &e));

	uint64_t offset = syt_endpoint_count(&e, false, bytes, &known);

	assert_true(known);
	return offset;
}

static uint32_t object(int fd)
{
	struct syt_endpoint e;

	assert_true(syt_endpoint_get(fd, &e));
	return e.object;
}

static bool close_fd(int fd)
{
	struct syt_endpoint e;
	bool is_last = syt_endpoint_close(fd, &e);

	close(fd);
	return is_last;
}

/* ---- tests ---- */

static void test_pipe_is_one_object(void **state)
{
	int fds[2];
	struct syt_endpoint e, w;

	(void)state;
	assert_return_code(pipe(fds), 0);
	syt_endpoint_open_pipe(fds, &e);
	assert_int_equal(e.kind, SYT_KIND_PIPE);
	assert_false(e.flags & SYT_ENDPOINT_WRITER);
	assert_true(syt_endpoint_get(fds[1], &w));
	assert_int_equal(w.object, e.object);
	assert_true(w.flags & SYT_ENDPOINT_WRITER);
	assert_int_equal(last_object.flags, SYT_OBJECT_SHARED);
	assert_int_equal(sent(fds[1], 10), 0);
	assert_int_equal(sent(fds[1], 5), 10);
	assert_int_equal(received(fds[0], 15), 0);
	assert_int_equal(received(fds[0], 0), 15);
	assert_false(close_fd(fds[1]));
	assert_true(close_fd(fds[0]));
	assert_false(syt_endpoint_get(fds[0], &e));
	assert_int_equal(e.object, 0);
}

static void test_dup_keeps_the_endpoint(void **state)
{
	int fds[2], copy;
	struct syt_endpoint e, old;
	uint64_t word;

	(void)state;
	assert_return_code(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	struct syt_endpoint both[2];
	syt_endpoint_open_pair(fds, both);
	assert_int_not_equal(both[0].object, both[1].object);
	assert_int_equal(last_endpoint.object, both[0].object);
	assert_int_equal(last_endpoint.peer_object, both[1].object);
	assert_int_equal(last_endpoint.domain, AF_UNIX);
	copy = dup(fds[0]);
	syt_endpoint_dup(&both[0], copy);
	assert_int_equal(object(copy), both[0].object);
	assert_int_equal(sent(fds[0], 3), 0);
	assert_int_equal(sent(copy, 4), 3);
	assert_false(close_fd(fds[0]));
	assert_int_equal(sent(copy, 1), 7);

	/* dup2 onto an endpoint releases it; a failed dup2 restores it */
	word = syt_endpoint_detach(copy, &old);
	assert_int_equal(old.object, both[0].object);
	syt_endpoint_reattach(copy, word);
	assert_int_equal(object(copy), both[0].object);
	word = syt_endpoint_detach(copy, &old);
	assert_return_code(dup2(fds[1], copy), 0);
	assert_true(syt_endpoint_release(word));
	syt_endpoint_dup(&both[1], copy);
	assert_int_equal(object(copy), both[1].object);
	assert_false(close_fd(copy));
	assert_true(syt_endpoint_get(fds[1], &e));
	assert_true(close_fd(fds[1]));
}

/*
 * An endpoint that another thread opened on the same number during a call must not get the call's
 * bytes.
 */
static void test_reused_number_is_another_endpoint(void **state)
{
	int fds[2], other[2];
	struct syt_endpoint e, before;
	bool known;

	(void)state;
	assert_return_code(pipe(fds), 0);
	syt_endpoint_open_pipe(fds, &e);
	assert_true(syt_endpoint_get(fds[1], &before));
	close_fd(fds[0]);
	close_fd(fds[1]);
	assert_return_code(pipe(other), 0);
	assert_int_equal(other[1], fds[1]);
	syt_endpoint_open_pipe(other, &e);
	assert_int_not_equal(object(other[1]), before.object);
	/* the counters of the old endpoint still exist, because its slot has not been reused */
	syt_endpoint_count(&before, true, 100, &known);
	assert_int_equal(sent(other[1], 1), 0);
	assert_int_equal(syt_endpoint_object(before.word), 0);
	assert_int_equal(syt_endpoint_object(e.word), e.object);
	close_fd(other[0]);
	close_fd(other[1]);
}

static void test_close_that_is_not_seen(void **state)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), again;
	struct syt_endpoint e;

	(void)state;
	syt_endpoint_open_socket(fd, AF_INET, SOCK_DGRAM, &e);
	assert_int_equal(e.kind, SYT_KIND_DGRAM);
	assert_true(e.flags & SYT_ENDPOINT_INET);

	uint32_t first = e.object;

	close(fd);
	again = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(again, fd);
	syt_endpoint_open_socket(again, AF_INET, SOCK_STREAM, &e);
	assert_int_equal(e.kind, SYT_KIND_STREAM);
	assert_int_not_equal(e.object, first);
	close_fd(again);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	syt_endpoint_open(fd, &e);
	close(fd);
	syt_endpoint_forget(fd);
	assert_false(syt_endpoint_get(fd, &e));
}

static void test_adoption(void **state)
{
	int fds[2], ep = epoll_create1(0), ev = eventfd(0, 0), file = open("/dev/null", O_RDWR);
	struct syt_endpoint e;
	bool known;

	(void)state;
	/* the bytes in a pipe that the recorder first sees were sent before */
	assert_return_code(pipe(fds), 0);
	assert_int_equal(write(fds[1], "12345", 5), 5);
	assert_true(syt_endpoint_get(fds[1], &e));
	assert_true(last_object.flags & SYT_OBJECT_ADOPTED);
	assert_int_equal(last_endpoint.tx, 5);
	assert_true(e.flags & SYT_ENDPOINT_WRITER);
	assert_int_equal(sent(fds[1], 2), 5);
	assert_int_equal(received(fds[0], 5), 0);
	close_fd(fds[0]);
	close_fd(fds[1]);
	/* the byte count of a socket is unknown */
	assert_return_code(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_true(syt_endpoint_get(fds[0], &e));
	assert_true(last_object.flags & SYT_OBJECT_ADOPTED);
	syt_endpoint_count(&e, true, 1, &known);
	assert_false(known);
	close_fd(fds[0]);
	close_fd(fds[1]);
	assert_true(syt_endpoint_get(ep, &e));
	assert_int_equal(e.kind, SYT_KIND_EPOLL);
	assert_true(syt_endpoint_get(ev, &e));
	assert_int_equal(e.kind, SYT_KIND_EVENTFD);
	syt_endpoint_count(&e, true, 1, &known);
	assert_false(known);
	assert_true(syt_endpoint_get(file, &e));
	assert_int_equal(e.kind, SYT_KIND_FILE);
	assert_false(syt_endpoint_get(-1, &e));
	assert_false(syt_endpoint_get(INT32_MAX, &e));
	close_fd(ep);
	close_fd(ev);
	close_fd(file);
}

#define NR_FILES 600 /* more files than the recorder's cache remembers */

/* A file gets its path as its name once, and no other file's path. */
static void test_file_is_named(void **state)
{
	char path[] = "/tmp/syntrace-named-XXXXXX", other[] = "/tmp/syntrace-other-XXXXXX";
	int fd = mkstemp(path), next = mkstemp(other);
	struct syt_endpoint e, f;

	(void)state;
	nr_names = 0;
	assert_true(fd >= 0 && next >= 0);
	assert_true(syt_endpoint_get(fd, &e));
	syt_endpoint_name_file(fd, &e);
	syt_endpoint_name_file(fd, &e);
	assert_int_equal(nr_names, 1);
	assert_int_equal(named_object, e.object);
	assert_string_equal(last_name, path);
	/* during a call on NEXT, another thread closes NEXT and opens another file */
	assert_true(syt_endpoint_get(next, &f));
	close_fd(next);
	assert_int_equal(dup2(fd, next), next);
	syt_endpoint_name_file(next, &f);
	syt_endpoint_name_file(-1, &f);
	assert_int_equal(nr_names, 1);
	close(next);
	close_fd(fd);
	unlink(path);
	unlink(other);
}

/* A file is one object even if it is opened many times, as long as the cache remembers the file. */
static void test_file_is_defined_once(void **state)
{
	char path[] = "/tmp/syntrace-test-XXXXXX";
	uint32_t first, nr;
	int fd, status;

	(void)state;
	fd = mkstemp(path);
	assert_return_code(fd, 0);
	first = object(fd);
	assert_int_not_equal(first, 0);
	nr = nr_objects;
	close_fd(fd);
	for (unsigned i = 0; i < 1000; i++) {
		fd = open(path, O_RDONLY);
		assert_return_code(fd, 0);
		assert_int_equal(object(fd), first);
		assert_true(close_fd(fd));
	}
	assert_int_equal(nr_objects, nr);

	/* another dump */
	pid_t child = fork();

	assert_return_code(child, 0);
	if (!child) {
		syt_endpoint_fork_child();
		fd = open(path, O_RDONLY);
		first = object(fd);
		_exit(nr_objects != nr + 1 || first != nr + 1 ||
		      object(open(path, O_RDONLY)) != first);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);

	/* each of many other files is its own object */
	for (unsigned i = 0; i < NR_FILES; i++) {
		struct stat st;

		nr = nr_objects;
		fd = memfd_create("syntrace-test", 0);
		assert_return_code(fstat(fd, &st), 0);
		assert_int_equal(object(fd), nr + 1);
		assert_int_equal(last_object.kind, SYT_KIND_FILE);
		assert_int_equal(last_object.identity, (uint64_t)st.st_dev << 48 ^ st.st_ino);
		close_fd(fd);
	}
	unlink(path);
}

static void test_eventfd_starts_at_its_value(void **state)
{
	int fd = eventfd(7, EFD_SEMAPHORE);
	struct syt_endpoint e;

	(void)state;
	syt_endpoint_open_anon(fd, SYT_KIND_EVENTFD, 7, SYT_ENDPOINT_SEMAPHORE, &e);
	assert_true(e.flags & SYT_ENDPOINT_SEMAPHORE);
	assert_int_equal(last_endpoint.tx, 7);
	assert_int_equal(sent(fd, 3), 7);
	assert_int_equal(received(fd, 1), 0);
	close_fd(fd);
}

/*
 * Objects without a name in the kernel: the fd of a holder identifies the object, as long as the
 * entry is the holder's own.
 */
static void test_a_holder_identifies_an_object_without_a_name(void **state)
{
	int decoy = eventfd(0, 0), fd = eventfd(0, EFD_SEMAPHORE), copies[3];
	struct syt_endpoint e, copy;
	struct syt_holder *h = NULL;

	(void)state;
	syt_endpoint_open_anon(decoy, SYT_KIND_EVENTFD, 0, 0, &e);
	syt_endpoint_open_anon(fd, SYT_KIND_EVENTFD, 0, SYT_ENDPOINT_SEMAPHORE, &e);
	for (unsigned i = 0; i < 3; i++)
		copies[i] = dup(fd); /* unseen */
	assert_true(syt_endpoint_get(copies[0], &copy));
	assert_int_equal(copy.object, e.object);
	assert_true(copy.flags & SYT_ENDPOINT_SEMAPHORE);

	for (unsigned i = 0; i < SYT_NR_HOLDERS; i++)
		if (trace->holders[i].who && trace->holders[i].identity == last_object.identity)
			h = &trace->holders[i];
	assert_non_null(h);
	h->since++; /* the entry seems to belong to an earlier process with this pid */
	assert_true(syt_endpoint_get(copies[1], &copy));
	assert_int_not_equal(copy.object, e.object);
	h->since--;

	/* after the close, another file descriptor of the endpoint answers */
	close_fd(fd);
	assert_true(syt_endpoint_get(copies[2], &copy));
	assert_int_equal(copy.object, e.object);
	for (unsigned i = 0; i < 3; i++)
		close_fd(copies[i]);
	close_fd(decoy);
	for (unsigned i = 0; i < SYT_NR_HOLDERS; i++)
		assert_int_equal(trace->holders[i].who, 0);
}

static uint64_t option(int fd, int name)
{
	uint64_t value = 0;
	socklen_t bytes = sizeof(value);

	assert_return_code(getsockopt(fd, SOL_SOCKET, name, &value, &bytes), 0);
	return value;
}

/* Checks that the last definition, of FD, has the facts of the kernel. */
static void check_what_is_known(int fd)
{
	assert_int_equal(last_endpoint.domain, option(fd, SO_DOMAIN));
	assert_int_equal(last_endpoint.type, option(fd, SO_TYPE));
	assert_int_equal(last_endpoint.protocol, option(fd, SO_PROTOCOL));
	assert_int_equal(last_endpoint.cookie, option(fd, SO_COOKIE));
	assert_int_equal(last_endpoint.netns, option(fd, SO_NETNS_COOKIE));
}

static void test_names(void **state)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct sockaddr_in6 mapped = {.sin6_family = AF_INET6};
	socklen_t bytes = sizeof(a);
	struct syt_endpoint e;

	(void)state;
	syt_endpoint_open_socket(listener, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, &e);
	syt_endpoint_open_socket(client, AF_INET, SOCK_STREAM, &e);
	assert_return_code(bind(listener, (struct sockaddr *)&a, sizeof(a)), 0);
	syt_endpoint_named(listener, NULL, 0, &e);
	assert_int_equal(last_endpoint.local_bytes, sizeof(a));
	assert_int_equal(last_endpoint.remote_bytes, 0);
	assert_return_code(listen(listener, 5), 0);

	uint32_t before = e.object;

	syt_endpoint_listen(listener, &e);
	assert_int_equal(e.kind, SYT_KIND_LISTEN);
	assert_int_not_equal(e.object, before);
	assert_null(e.slot);
	before = e.object;
	syt_endpoint_listen(listener, &e);
	assert_int_equal(e.object, before);
	assert_return_code(getsockname(listener, (struct sockaddr *)&a, &bytes), 0);
	assert_return_code(connect(client, (struct sockaddr *)&a, sizeof(a)), 0);
	syt_endpoint_named(client, &a, sizeof(a), &e);
	assert_int_equal(last_endpoint.remote_bytes, sizeof(a));
	check_what_is_known(client);
	assert_int_equal(e.remote, syt_address_hash(&a, sizeof(a)));
	mapped.sin6_port = a.sin_port;
	memcpy(mapped.sin6_addr.s6_addr + 12, &a.sin_addr, 4);
	memset(mapped.sin6_addr.s6_addr + 10, 0xff, 2);
	assert_int_equal(e.remote, syt_address_hash(&mapped, sizeof(mapped)));
	a.sin_port++;
	assert_int_not_equal(e.remote, syt_address_hash(&a, sizeof(a)));
	assert_int_equal(syt_address_hash("\1\0/a\0", 5), syt_address_hash("\1\0/a", 4));
	assert_int_equal(syt_address_hash(NULL, 0), 0);

	/* connections have the kind of their listener; the caller may know the peer's address */
	int accepted = accept(listener, NULL, NULL);
	struct sockaddr_in told = {.sin_family = AF_INET, .sin_port = 1};
	struct syt_endpoint from;
	uint64_t peer;

	assert_true(syt_endpoint_get(listener, &from));
	syt_endpoint_accepted(accepted, &from, NULL, 0, &e);
	assert_int_equal(last_endpoint.object, e.object);
	assert_int_equal(last_endpoint.remote_bytes, sizeof(a));
	check_what_is_known(accepted);
	assert_true(e.flags & SYT_ENDPOINT_NAMED);
	assert_int_equal(e.kind, SYT_KIND_STREAM);
	peer = e.remote;
	syt_endpoint_accepted(accepted, &from, &told, sizeof(told), &e);
	assert_int_equal(e.remote, syt_address_hash(&told, sizeof(told)));
	assert_int_equal(last_endpoint.local_bytes, sizeof(a));
	check_what_is_known(accepted);
	/* without knowledge of the listener, the result is the same */
	syt_endpoint_accepted(accepted, &(struct syt_endpoint){0}, NULL, 0, &e);
	assert_int_equal(e.remote, peer);
	check_what_is_known(accepted);
	close_fd(accepted);
	close_fd(client);
	close_fd(listener);
}

/* After a fork, parent and child use the same byte counters, which survive when one process closes its
 * fds. */
static void test_fork_shares_offsets(void **state)
{
	int fds[2], sync[2], status;
	struct syt_endpoint e;

	(void)state;
	assert_return_code(pipe(fds), 0);
	assert_return_code(pipe(sync), 0);
	syt_endpoint_open_pipe(fds, &e);
	assert_int_equal(sent(fds[1], 10), 0);

	pid_t child = fork();

	if (child == 0) {
		char c;

		syt_endpoint_fork_child();
		nr_objects = 0;
		if (sent(fds[1], 5) != 10 || object(fds[1]) != 1 || object(fds[0]) != 1)
			_exit(1);
		close_fd(fds[0]);
		_exit(read(sync[0], &c, 1) == 1 && sent(fds[1], 1) == 15 ? 0 : 2);
	}
	close_fd(fds[1]);
	close_fd(fds[0]);
	assert_int_equal(write(sync[1], "x", 1), 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(sync[0]);
	close(sync[1]);
}

/* A close in a vfork child does not affect its parent's fds. */
static void test_borrowed_memory_is_left_alone(void **state)
{
	int fds[2];
	struct syt_endpoint e;

	(void)state;
	assert_return_code(pipe(fds), 0);
	syt_endpoint_open_pipe(fds, &e);

	uint32_t before = e.object;

	is_vfork_child = true;
	assert_false(syt_endpoint_close(fds[0], &e));
	syt_endpoint_forget(fds[0]);
	syt_endpoint_dup(&e, fds[0]);
	assert_true(syt_endpoint_get(fds[0], &e));
	assert_int_equal(e.object, 0);
	is_vfork_child = false;
	assert_int_equal(object(fds[0]), before);
	close_fd(fds[0]);
	close_fd(fds[1]);
}

static void test_next_known(void **state)
{
	int fds[2];
	struct syt_endpoint e;

	(void)state;
	assert_return_code(pipe(fds), 0);
	syt_endpoint_open_pipe(fds, &e);
	assert_int_equal(syt_endpoint_next(fds[0], ~0u), fds[0]);
	assert_int_equal(syt_endpoint_next(fds[0] + 1, ~0u), fds[1]);
	assert_int_equal(syt_endpoint_next(fds[1] + 1, ~0u), -1);
	assert_int_equal(syt_endpoint_next(0, (unsigned)fds[0] - 1), -1);
	close_fd(fds[0]);
	close_fd(fds[1]);
}

static void test_fifo_starts_again_when_data_was_lost(void **state)
{
	char dir[] = "/tmp/syt-fifo-XXXXXX", path[64];
	struct syt_endpoint e;
	uint64_t got;
	bool known;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_return_code(mkfifo(path, 0600), 0);

	int r = open(path, O_RDONLY | O_NONBLOCK), w = open(path, O_WRONLY);

	assert_int_equal(write(w, "abc", 3), 3);
	assert_true(syt_endpoint_get(w, &e));
	assert_int_equal(sent(w, 0), 3);
	/* the writer closes before the recorder first sees the reader: the data is still in the FIFO */
	close_fd(w);
	assert_int_equal(received(r, 0), 0);
	assert_int_equal(last_object.generation, e.generation);
	close_fd(r); /* now no process holds the FIFO, and the data is lost */
	r = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(syt_endpoint_get(r, &e));
	assert_int_equal(last_object.generation, e.generation);
	w = open(path, O_WRONLY);
	assert_int_equal(sent(w, 4), 0);
	assert_int_equal(received(r, 4), 0);
	/*
	 * another process was killed while it held the FIFO, and the data is gone: the count is
	 * unknown
	 */
	assert_int_equal(sent(w, 9), 4);
	assert_non_null(syt_endpoint_slot_take(
		syt_endpoint_key(SYT_CLASS_FIFO, last_object.identity), false, 0, 0, 0, &got));
	close_fd(r);
	close_fd(w);
	r = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(syt_endpoint_get(r, &e));
	syt_endpoint_count(&e, false, 1, &known);
	assert_false(known);
	close_fd(r);
	unlink(path);
	rmdir(dir);
}

static void test_full_table_is_counted(void **state)
{
	struct syt_endpoint_slot *taken[129], *s;
	uint16_t generations[128];
	uint64_t got;
	uint32_t n = 0;
	struct syt_endpoint e;
	int fd = eventfd(0, 0);
	bool known;

	(void)state;
	/* keys of one page, far from the keys of the other tests */
	while ((taken[n] = syt_endpoint_slot_take(
			syt_endpoint_key(SYT_CLASS_TRACE,
	                                 (uint64_t)(n + 9) * SYT_NR_ENDPOINT_SLOTS - 5),
			false, 0, 0, 0, &got)))
		generations[n++] = syt_endpoint_generation(got);
	assert_int_equal(n, 128);
	syt_endpoint_slot_drop(taken[77], generations[77]);
	s = syt_endpoint_slot_take(syt_endpoint_key(SYT_CLASS_TRACE, SYT_NR_ENDPOINT_SLOTS - 5),
	                           false, 0, 0, 0, &got);
	assert_ptr_equal(s, taken[77]);
	is_shared_missing = true;
	nr_lost = 0;
	syt_endpoint_open_anon(fd, SYT_KIND_EVENTFD, 0, 0, &e);
	is_shared_missing = false;
	assert_int_equal(nr_lost, 1);
	assert_int_not_equal(e.object, 0);
	syt_endpoint_count(&e, true, 1, &known);
	assert_false(known);
	close_fd(fd);
}

static void test_slot_of_another_owner_is_noticed(void **state)
{
	uint64_t a, b, key = syt_endpoint_key(SYT_CLASS_SOCKET, 777777);
	struct syt_endpoint_slot *s = syt_endpoint_slot_take(key, true, 0, 0, 0, &a), *t;
	bool known;

	(void)state;
	assert_int_equal(syt_endpoint_slot_count(s, &s->tx, syt_endpoint_generation(a), 9, &known),
	                 0);
	assert_true(known);
	syt_endpoint_slot_drop(s, syt_endpoint_generation(a));
	/* a slot without references is found again with its counters */
	t = syt_endpoint_slot_take(key, false, 0, 0, 0, &b);
	assert_ptr_equal(s, t);
	assert_int_equal(syt_endpoint_slot_count(t, &t->tx, syt_endpoint_generation(b), 1, &known),
	                 9);
	/* a new endpoint has the key: the earlier owner must not change the counters */
	t = syt_endpoint_slot_take(key, true, 0, 0, 0, &b);
	assert_ptr_equal(s, t);
	syt_endpoint_slot_count(s, &s->tx, syt_endpoint_generation(a), 5, &known);
	assert_false(known);
	assert_false(syt_endpoint_slot_ref(s, syt_endpoint_generation(a)));
	assert_int_equal(syt_endpoint_slot_count(t, &t->tx, syt_endpoint_generation(b), 1, &known),
	                 0);
	assert_true(known);
	/* a number that a counter cannot hold makes the counter unknown */
	syt_endpoint_slot_count(t, &t->tx, syt_endpoint_generation(b), SYT_ENDPOINT_COUNT, &known);
	assert_false(known);
	syt_endpoint_slot_count(t, &t->tx, syt_endpoint_generation(b), 1, &known);
	assert_false(known);
}

#define NR_RACERS 4
#define NR_KEYS 3000u

struct race {
	pthread_barrier_t barrier;
	struct syt_endpoint_slot *got[NR_RACERS][NR_KEYS];
};

static struct race *race;

static void *racer(void *arg)
{
	uintptr_t me = (uintptr_t)arg;

	for (uint32_t i = 0; i < NR_KEYS; i++) {
		uint64_t state, key = syt_endpoint_key(SYT_CLASS_PIPE, 1000 + i);

		if (i % 16 == 0)
			pthread_barrier_wait(&race->barrier);
		race->got[me][i] = syt_endpoint_slot_take(key, false, 0, 0, 0, &state);
		/* makes free slots between the keys, which a second slot of the same key could take */
		if (race->got[me][i] && i % 3 == 0)
			syt_endpoint_slot_drop(race->got[me][i], syt_endpoint_generation(state));
	}
	return NULL;
}

/* Threads that use a new endpoint at the same time get the same slot. */
static void test_adopting_at_once_agrees(void **state)
{
	pthread_t threads[NR_RACERS];

	(void)state;
	race = calloc(1, sizeof(*race));
	pthread_barrier_init(&race->barrier, NULL, NR_RACERS);
	for (uintptr_t i = 0; i < NR_RACERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, racer, (void *)i), 0);
	for (int i = 0; i < NR_RACERS; i++)
		pthread_join(threads[i], NULL);
	uint32_t nr_refused = 0;

	for (uint32_t i = 0; i < NR_KEYS; i++) {
		uint64_t key = syt_endpoint_key(SYT_CLASS_PIPE, 1000 + i);
		struct syt_endpoint_slot *slot = NULL;
		uint32_t nr_takers = 0;

		for (int j = 0; j < NR_RACERS; j++) {
			struct syt_endpoint_slot *got = race->got[j][i];

			/* a thread gives up after a long wait for a thread that claimed the slot and lost its
			 * processor */
			nr_refused += !got;
			nr_takers += got != NULL;
			if (i % 3 && got &&
			    slot) /* slots without references may have been reused meanwhile */
				assert_ptr_equal(got, slot);
			slot = got ? got : slot;
		}
		if (i % 3 == 0 || !slot)
			continue;
		assert_int_equal(slot->key, key);
		assert_int_equal(slot->state & SYT_ENDPOINT_REFS, nr_takers);
	}
	assert_true(nr_refused < NR_KEYS * NR_RACERS / 20);
	free(race);
}

static volatile bool is_over;
static volatile int churned[2];

static void *churn(void *arg)
{
	struct syt_endpoint e, now;
	uintptr_t nr_wrong = 0;
	bool known;

	for (int i = 0; i < 20000; i++) {
		int fd = eventfd(0, 0);

		syt_endpoint_open_anon(fd, SYT_KIND_EVENTFD, 0, 0, &e);
		churned[(intptr_t)arg] = fd;
		nr_wrong += e.kind != SYT_KIND_EVENTFD || !syt_endpoint_get(fd, &now) ||
		            now.object != e.object ||
		            syt_endpoint_count(&now, true, 3, &known) != 0 || !known;
		close_fd(fd);
	}
	return (void *)nr_wrong;
}

/* Reads file descriptors that other threads open and close: each snapshot must be consistent. */
static void *look(void *arg)
{
	uintptr_t nr_wrong = 0;

	(void)arg;
	for (int i = 0; !is_over; i++) {
		struct syt_endpoint e;

		if (syt_endpoint_get(churned[i % 2], &e) && e.object)
			nr_wrong += e.kind != SYT_KIND_EVENTFD && e.kind != SYT_KIND_FILE;
	}
	return (void *)nr_wrong;
}

static void test_numbers_reused_by_two_threads(void **state)
{
	pthread_t threads[3];
	void *nr_wrong[3];

	(void)state;
	is_over = false;
	churned[0] = churned[1] = -1;
	pthread_create(&threads[0], NULL, churn, (void *)0);
	pthread_create(&threads[1], NULL, churn, (void *)1);
	pthread_create(&threads[2], NULL, look, NULL);
	pthread_join(threads[0], &nr_wrong[0]);
	pthread_join(threads[1], &nr_wrong[1]);
	is_over = true;
	pthread_join(threads[2], &nr_wrong[2]);
	for (int i = 0; i < 3; i++)
		assert_null(nr_wrong[i]);
}

/* An endpoint that is inherited over exec is the same endpoint there, with its counters. */
static void test_exec_passes_names_on(void **state)
{
	struct syt_endpoint e;
	char text[1024], other[1024];
	uint64_t identity;
	int fd, closing, copy;

	(void)state;
	assert_int_equal(syt_endpoint_inherit_bytes(SYT_INHERIT_EXEC), 0);
	syt_endpoint_open_anon(fd = eventfd(3, 0), SYT_KIND_EVENTFD, 3, 0, &e);
	identity = last_object.identity;
	syt_endpoint_open_anon(closing = epoll_create1(EPOLL_CLOEXEC), SYT_KIND_EPOLL, 0, 0, &e);
	assert_true(syt_endpoint_get(fd, &e));
	syt_endpoint_dup(&e, copy = dup(fd));
	assert_int_equal(sent(fd, 4), 3);
	assert_int_equal(syt_endpoint_inherit_bytes(SYT_INHERIT_NONE), 0);
	assert_in_range(syt_endpoint_inherit_bytes(SYT_INHERIT_EXEC), 30, sizeof(text));
	assert_true(syt_endpoint_inherit_text(SYT_INHERIT_EXEC, text, sizeof(text)));
	snprintf(other, sizeof(other), "e%d:%d.%d.%" PRIu64 ".0:%d.%d.%" PRIu64 ".0", getpid(), fd,
	         SYT_KIND_EVENTFD, identity, copy, SYT_KIND_EVENTFD, identity);
	assert_string_equal(text, other);
	assert_false(syt_endpoint_inherit_text(SYT_INHERIT_NONE, other, sizeof(other)));
	assert_true(syt_endpoint_inherit_text(SYT_INHERIT_SPAWN, other, sizeof(other)));

	/*
	 * as in the new process image: the fd belongs to another process, or is of another kind, or
	 * is closed
	 */
	syt_endpoint_forget(fd);
	syt_endpoint_forget(copy);
	syt_endpoint_inherit(other);
	syt_endpoint_inherit(NULL);
	syt_endpoint_inherit("e");
	snprintf(other, sizeof(other), "e%d:%d.%d.%" PRIu64 ".0:999.%d.5.0:x", getpid(), fd,
	         SYT_KIND_EPOLL, identity, SYT_KIND_EVENTFD);
	syt_endpoint_inherit(other);
	assert_int_equal(syt_endpoint_next(fd, 1000), closing);
	syt_endpoint_inherit(text);
	assert_int_equal(sent(copy, 1), 7);
	assert_int_equal(last_object.identity, identity);
	assert_int_equal(last_object.flags & SYT_OBJECT_ADOPTED, 0);
	assert_int_equal(object(fd), object(copy));

	/* a vfork child has put something else there */
	is_vfork_child = true;
	syt_endpoint_dup(&e, copy);
	assert_true(syt_endpoint_inherit_text(SYT_INHERIT_EXEC, text, sizeof(text)));
	is_vfork_child = false;
	assert_int_equal(touched, copy);
	snprintf(other, sizeof(other), "e%d:%d.%d.%" PRIu64 ".0", getpid(), fd, SYT_KIND_EVENTFD,
	         identity);
	assert_string_equal(text, other);
	close_fd(fd);
	close_fd(copy);
	close_fd(closing);
}

/* The kernel knows the byte counts of a TCP connection from before the recorder met it. */
static void test_tcp_connection_is_met_late(void **state)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t bytes = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM, 0), c, s;
	struct syt_endpoint e;
	char b[100] = "";
	bool known;

	(void)state;
	assert_return_code(bind(l, (struct sockaddr *)&a, bytes), 0);
	assert_return_code(listen(l, 1), 0);
	assert_return_code(getsockname(l, (struct sockaddr *)&a, &bytes), 0);
	c = socket(AF_INET, SOCK_STREAM, 0);
	assert_return_code(connect(c, (struct sockaddr *)&a, bytes), 0);
	s = accept(l, NULL, NULL);
	assert_int_equal(send(c, b, 100, 0), 100);
	assert_int_equal(send(s, b, 7, 0), 7);
	assert_int_equal(recv(s, b, 30, MSG_WAITALL), 30);

	assert_int_equal(sent(c, 5), 100);
	assert_int_equal(received(c, 3), 0); /* the seven bytes are still unread */
	assert_int_equal(last_object.flags & SYT_OBJECT_ADOPTED, SYT_OBJECT_ADOPTED);
	assert_int_equal(received(s, 3), 30);
	assert_int_equal(sent(s, 3), 7);
	assert_int_equal(last_endpoint.tx, 7);
	assert_int_equal(last_endpoint.rx, 30);
	close_fd(c);
	close_fd(s);

	/* counts of a connection that is ending are not certain */
	c = socket(AF_INET, SOCK_STREAM, 0);
	assert_return_code(connect(c, (struct sockaddr *)&a, bytes), 0);
	s = accept(l, NULL, NULL);
	assert_return_code(shutdown(c, SHUT_WR), 0);
	assert_int_equal(recv(s, b, 1, 0), 0);
	assert_true(syt_endpoint_get(s, &e));
	syt_endpoint_count(&e, false, 1, &known);
	assert_false(known);
	close_fd(c);
	close_fd(s);
	close_fd(l);
}

/* ---- counters that a deep pause has made stale ---- */

/* Does what a wrapper does before a call. Returns whether the position of the next byte is known, and stores it in *AT. */
static bool begins(int fd, bool is_out, struct syt_endpoint *e, uint64_t *at)
{
	bool known;

	assert_true(syt_endpoint_get(fd, e));
	syt_endpoint_learn(fd, e);
	*at = syt_endpoint_count(e, is_out, 0, &known);
	return known;
}

static void moves_unseen(int from, int to, size_t bytes)
{
	char data[64] = "";

	assert_int_equal(write(from, data, bytes), bytes);
	assert_int_equal(read(to, data, bytes), bytes);
}

static void test_stale_positions_are_learned(void **state)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(a);
	int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), s, fds[2],
	    pair[2];
	int event = eventfd(0, EFD_NONBLOCK);
	struct syt_endpoint e, pairs[2];
	uint64_t at, one = 1;

	(void)state;
	assert_int_equal(bind(l, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(l, 1), 0);
	assert_int_equal(getsockname(l, (struct sockaddr *)&a, &length), 0);
	syt_endpoint_open(c, &e);
	assert_int_equal(connect(c, (struct sockaddr *)&a, sizeof(a)), 0);
	s = accept(l, NULL, NULL);
	syt_endpoint_open(s, &e);
	assert_int_equal(pipe(fds), 0);
	syt_endpoint_open_pipe(fds, &e);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	syt_endpoint_open_pair(pair, pairs);
	syt_endpoint_open_anon(event, SYT_KIND_EVENTFD, 0, 0, &e);

	moves_unseen(c, s, 30);
	moves_unseen(fds[1], fds[0], 40);
	assert_int_equal(write(fds[1], "abc", 3), 3);
	moves_unseen(pair[0], pair[1], 5);
	assert_int_equal(write(event, &one, sizeof(one)), 8);
	assert_int_equal(sent(fds[1], 11), 0);
	syt_endpoint_stale();

	/* TCP counts itself */
	assert_true(begins(c, true, &e, &at));
	assert_int_equal(at, 30);
	assert_int_equal(sent(c, 5), 30);
	assert_true(begins(s, false, &e, &at));
	assert_int_equal(at, 30);
	/* a pipe contains 3 bytes, and no position is used again */
	assert_true(begins(fds[0], false, &e, &at));
	assert_int_equal(at, 11);
	assert_true(begins(fds[1], true, &e, &at));
	assert_int_equal(at, 14);
	/* the kernel does not know the positions of unix sockets, nor the value of an eventfd that is not 0 */
	assert_false(begins(pair[0], true, &e, &at));
	assert_false(begins(event, false, &e, &at));
	assert_int_equal(read(event, &one, sizeof(one)), 8);
	assert_false(begins(event, false, &e, &at));
	syt_endpoint_stale();
	assert_true(begins(event, true, &e, &at));
	assert_true(begins(s, false, &e, &at));
	assert_int_equal(at, 30);

	/* the references are those of the owner: a slot without references can have another owner */
	close_fd(fds[0]);
	assert_true(close_fd(fds[1]));
	assert_int_equal(e.slot->state & SYT_ENDPOINT_REFS, 1);
	assert_true(close_fd(s));
	assert_int_equal(e.slot->state & SYT_ENDPOINT_REFS, 0);
	close_fd(c);
	close_fd(pair[0]);
	close_fd(pair[1]);
	close_fd(event);
	close(l);
}

static void test_late_calls_count_nothing(void **state)
{
	struct syt_endpoint early, e;
	struct syt_endpoint_slot *slot;
	uint64_t at, got;
	bool known;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	syt_endpoint_open_pipe(fds, &e);
	/* a call that ends before another call learns the position */
	assert_true(begins(fds[1], true, &early, &at));
	syt_endpoint_stale();
	syt_endpoint_count(&early, true, 7, &known);
	assert_false(known);
	assert_int_equal(syt_endpoint_no_offset(&early), SYT_EVENT_NOOFFSET);
	assert_true(begins(fds[1], true, &e, &at));
	assert_int_equal(at, 0);
	/* and one that ends after this: nobody knows whether its bytes are part of the position */
	syt_endpoint_count(&early, true, 7, &known);
	assert_false(known);
	assert_int_equal(syt_endpoint_no_offset(&early), SYT_EVENT_NOOFFSET | SYT_EVENT_UNCOUNTED);
	syt_endpoint_count(&e, true, 1, &known);
	assert_false(known);
	assert_false(begins(fds[1], true, &e, &at));
	/* another process may have a call in progress */
	syt_endpoint_stale();
	slot = syt_endpoint_slot_take(syt_endpoint_key(SYT_CLASS_PIPE, last_object.identity), false,
	                              0, 0, 0, &got);
	assert_ptr_equal(slot, e.slot);
	assert_false(begins(fds[1], true, &e, &at));
	syt_endpoint_slot_drop(slot, syt_endpoint_generation(slot->state));
	assert_false(begins(fds[1], true, &e, &at));
	syt_endpoint_stale();
	assert_true(begins(fds[1], true, &e, &at));
	/* in a deep pause, nothing is learned, and new endpoints are stale */
	syt_endpoint_stale();
	*(uint32_t *)(void *)(syt_control_page + SYT_CONTROL_AT) = 3 | SYT_CONTROL_DEEP;
	assert_false(begins(fds[1], true, &e, &at));
	close_fd(fds[0]);
	close_fd(fds[1]);
	assert_int_equal(pipe(fds), 0);
	syt_endpoint_open_pipe(fds, &e);
	assert_false(begins(fds[1], true, &e, &at));
	*(uint32_t *)(void *)(syt_control_page + SYT_CONTROL_AT) = 0;
	assert_true(begins(fds[1], true, &e, &at));
	close_fd(fds[0]);
	close_fd(fds[1]);
}

/* Connects LISTENER with itself. Opens both ends. */
static void connect_pair(int listener, int fds[2])
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	struct syt_endpoint e, of_listener;
	socklen_t length = sizeof(a);

	assert_int_equal(getsockname(listener, (struct sockaddr *)&a, &length), 0);
	fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	syt_endpoint_open_socket(fds[0], AF_INET, SOCK_STREAM, &e);
	assert_int_equal(connect(fds[0], (struct sockaddr *)&a, sizeof(a)), 0);
	syt_endpoint_named(fds[0], &a, sizeof(a), &e);
	assert_true(syt_endpoint_get(listener, &of_listener));
	fds[1] = accept(listener, NULL, NULL);
	syt_endpoint_accepted(fds[1], &of_listener, NULL, 0, &e);
}

/* A connection of a deep pause has a definition when it is used after the pause, and with its addresses. */
static void test_definitions_of_a_deep_pause_are_late(void **state)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int listener = socket(AF_INET, SOCK_STREAM, 0), fds[2], pair[2];
	struct syt_endpoint e, pairs[2];
	uint32_t nr, nr_details;

	(void)state;
	assert_int_equal(bind(listener, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(listener, 9), 0);
	object(listener);
	*(uint32_t *)(void *)(syt_control_page + SYT_CONTROL_AT) = 3 | SYT_CONTROL_DEEP;
	nr = nr_objects;
	nr_details = nr_endpoints_defined;
	for (int n = 0; n < 5; n++) {
		connect_pair(listener, fds);
		assert_int_equal(object(fds[0]), 0);
		assert_true(close_fd(fds[0]));
		assert_true(close_fd(fds[1]));
	}
	connect_pair(listener, fds);
	assert_int_equal(nr_objects, nr);
	assert_int_equal(nr_endpoints_defined, nr_details);
	/* the ends of a pair name each other */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	syt_endpoint_open_pair(pair, pairs);
	assert_int_equal(nr_objects, nr + 2);
	assert_int_equal(last_endpoint.object, pairs[0].object);
	assert_int_equal(last_endpoint.peer_object, pairs[1].object);
	*(uint32_t *)(void *)(syt_control_page + SYT_CONTROL_AT) = 0;
	nr_details = nr_endpoints_defined;
	assert_int_equal(object(fds[1]), nr + 3);
	assert_int_equal(nr_objects, nr + 3);
	assert_int_equal(nr_endpoints_defined, nr_details + 1);
	assert_int_equal(last_endpoint.object, object(fds[1]));
	assert_int_equal(last_endpoint.local_bytes, sizeof(a));
	assert_int_equal(last_endpoint.remote_bytes, sizeof(a));
	/* a call that began before the pause needs the definition in it */
	*(uint32_t *)(void *)(syt_control_page + SYT_CONTROL_AT) = 3 | SYT_CONTROL_DEEP;
	assert_true(syt_endpoint_get(fds[0], &e));
	assert_int_equal(e.object, 0);
	assert_int_equal(syt_endpoint_object(e.word), nr + 4);
	*(uint32_t *)(void *)(syt_control_page + SYT_CONTROL_AT) = 0;
	close_fd(fds[0]);
	close_fd(fds[1]);
	close_fd(pair[0]);
	close_fd(pair[1]);
	close_fd(listener);
}

/* For a connected unix socket the kernel is asked for the peer, where it supports this. */
static void test_peer_is_asked_for(void **state)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	struct syt_request *r = NULL;
	int l, c, s;
	struct stat st;

	(void)state;
	snprintf(name.sun_path, sizeof(name.sun_path), "%csyntrace-test-%d", 0, getpid());
	l = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_return_code(bind(l, (struct sockaddr *)&name, sizeof(name)), 0);
	assert_return_code(listen(l, 1), 0);
	for (unsigned is_answered = 0; is_answered < 2; is_answered++) {
		struct syt_endpoint e;

		trace->answerer = is_answered;
		c = socket(AF_UNIX, SOCK_STREAM, 0);
		assert_return_code(connect(c, (struct sockaddr *)&name, sizeof(name)), 0);
		s = accept(l, NULL, NULL);
		syt_endpoint_accepted(s, &(struct syt_endpoint){0}, NULL, 0, &e);
		assert_return_code(fstat(s, &st), 0);
		r = NULL;
		for (unsigned i = 0; i < SYT_NR_REQUESTS; i++)
			if (trace->requests[i].state == SYT_REQUEST_POSTED)
				r = &trace->requests[i];
		assert_int_equal(r != NULL, is_answered);
		close_fd(s);
		close(c);
	}
	assert_int_equal(r->inode, st.st_ino);
	assert_int_equal(r->pid, getpid());
	assert_int_not_equal(r->cookie, 0);
	/* sockets that are not connected have no peer */
	r->state = SYT_REQUEST_FREE;
	object(c = socket(AF_UNIX, SOCK_STREAM, 0));
	close_fd(c);
	for (unsigned i = 0; i < SYT_NR_REQUESTS; i++)
		assert_int_equal(trace->requests[i].state, SYT_REQUEST_FREE);
	/* entries that are never freed cost no time */
	for (unsigned i = 0; i < SYT_NR_REQUESTS; i++)
		trace->requests[i].state = SYT_REQUEST_BUSY;
	assert_return_code(c = socket(AF_UNIX, SOCK_STREAM, 0), 0);
	assert_return_code(connect(c, (struct sockaddr *)&name, sizeof(name)), 0);
	object(s = accept(l, NULL, NULL));
	close_fd(s);
	close_fd(c);
	close(l);
	memset(trace->requests, 0, sizeof(trace->requests));
	trace->answerer = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipe_is_one_object),
		cmocka_unit_test(test_peer_is_asked_for),
		cmocka_unit_test(test_stale_positions_are_learned),
		cmocka_unit_test(test_late_calls_count_nothing),
		cmocka_unit_test(test_definitions_of_a_deep_pause_are_late),
		cmocka_unit_test(test_tcp_connection_is_met_late),
		cmocka_unit_test(test_exec_passes_names_on),
		cmocka_unit_test(test_dup_keeps_the_endpoint),
		cmocka_unit_test(test_reused_number_is_another_endpoint),
		cmocka_unit_test(test_close_that_is_not_seen),
		cmocka_unit_test(test_adoption),
		cmocka_unit_test(test_file_is_named),
		cmocka_unit_test(test_file_is_defined_once),
		cmocka_unit_test(test_eventfd_starts_at_its_value),
		cmocka_unit_test(test_a_holder_identifies_an_object_without_a_name),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_fork_shares_offsets),
		cmocka_unit_test(test_borrowed_memory_is_left_alone),
		cmocka_unit_test(test_next_known),
		cmocka_unit_test(test_fifo_starts_again_when_data_was_lost),
		cmocka_unit_test(test_full_table_is_counted),
		cmocka_unit_test(test_slot_of_another_owner_is_noticed),
		cmocka_unit_test(test_adopting_at_once_agrees),
		cmocka_unit_test(test_numbers_reused_by_two_threads),
	};

	trace = mmap(NULL, sizeof(*trace), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
	             0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
