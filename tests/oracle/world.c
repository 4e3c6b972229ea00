/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "tests/oracle/world.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LOOPBACK "127.0.0.1"

struct world *the_world;
struct plan the_plan;

static struct object own[PLAN_OBJECTS];
static const char *log_path;
static sem_t *named[PLAN_OBJECTS];
static __thread int files[PLAN_OBJECTS]; /* fd + 1 */
static union {
	sem_t sem;
	char page[4096];
} fault __attribute__((aligned(4096)));

void must(bool condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	abort();
}

struct object *world_object(unsigned number)
{
	return the_plan.objects[number].is_private ? &own[number] : &the_world->objects[number];
}

sem_t *world_fault_sem(void)
{
	return &fault.sem;
}

void world_close_page(void)
{
	must(mprotect(&fault, sizeof(fault), PROT_READ) == 0, "mprotect");
}

bool world_open_page(const void *at)
{
	if ((const char *)at < fault.page || (const char *)at >= fault.page + sizeof(fault))
		return false;
	return mprotect(&fault, sizeof(fault), PROT_READ | PROT_WRITE) == 0;
}

void world_open(const char *path, uint64_t seed, bool is_new)
{
	size_t bytes = sizeof(struct log_file) + sizeof(struct world);
	int fd;

	log_path = path;
	fd = open(path, O_RDWR | O_CLOEXEC | (is_new ? O_CREAT | O_TRUNC : 0), 0600);

	must(fd >= 0, path);
	must(ftruncate(fd, (off_t)bytes) == 0, "ftruncate");
	the_log = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(the_log != MAP_FAILED, "mmap");
	close(fd);
	the_world = (struct world *)(the_log + 1);
	the_log->magic = LOG_MAGIC;
	the_log->seed = seed;
}

static void make_mutex(pthread_mutex_t *m, unsigned type, bool is_shared)
{
	static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
	                            PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setpshared(&a,
	                             is_shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE);
	if (type < 4)
		pthread_mutexattr_settype(&a, types[type]);
	else if (type == 4)
		pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	else
		pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	must(pthread_mutex_init(m, &a) == 0, "pthread_mutex_init");
	pthread_mutexattr_destroy(&a);
}

static void make_cond(pthread_cond_t *c, bool is_shared)
{
	pthread_condattr_t a;

	pthread_condattr_init(&a);
	pthread_condattr_setpshared(&a,
	                            is_shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE);
	must(pthread_cond_init(c, &a) == 0, "pthread_cond_init");
	pthread_condattr_destroy(&a);
}

static void make_queue(struct object *o, unsigned number, int flags)
{
	struct mq_attr a = {.mq_maxmsg = 10, .mq_msgsize = sizeof(struct word)};
	char name[64];

	snprintf(name, sizeof(name), "/oracle-%d-%u", (int)getpid(), number);
	o->fds[0] = mq_open(name, O_CREAT | O_EXCL | O_WRONLY | flags, 0600, &a);
	o->fds[1] = mq_open(name, O_RDONLY | flags);
	must(o->fds[0] >= 0 && o->fds[1] >= 0, "mq_open");
	mq_unlink(name);
	/* for processes after exec */
	must(!fcntl(o->fds[0], F_SETFD, 0) && !fcntl(o->fds[1], F_SETFD, 0), "fcntl");
}

sem_t *world_named(unsigned number)
{
	return named[number];
}

int world_file(unsigned number)
{
	if (!files[number]) {
		int fd = open(the_world->objects[number].name, O_RDWR | O_CLOEXEC);

		must(fd >= 0, "open");
		files[number] = fd + 1;
	}
	return files[number] - 1;
}

int world_signal(unsigned number)
{
	return SIGRTMIN + (int)(number % 30);
}

static void make_udp(struct object *o)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t bytes = sizeof(in);

	o->fds[1] = socket(AF_INET, SOCK_DGRAM, 0);
	o->fds[0] = socket(AF_INET, SOCK_DGRAM, 0);
	must(o->fds[0] >= 0 && o->fds[1] >= 0, "socket");
	must(bind(o->fds[1], (struct sockaddr *)&in, bytes) == 0, "bind");
	must(getsockname(o->fds[1], (struct sockaddr *)&in, &bytes) == 0, "getsockname");
	must(connect(o->fds[0], (struct sockaddr *)&in, bytes) == 0, "connect");
}

static void make_file(struct object *o, unsigned number)
{
	int fd;

	snprintf(o->name, sizeof(o->name), "%s.%u", log_path, number);
	fd = open(o->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	must(fd >= 0, o->name);
	close(fd);
}

static void make_pair(struct object *o, int type)
{
	must(socketpair(AF_UNIX, type, 0, o->fds) == 0, "socketpair");
}

static void listen_at(struct object *o, bool is_tcp, unsigned number, const char *own)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(own)};
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	socklen_t bytes = sizeof(in);

	o->fds[1] = socket(is_tcp ? AF_INET : AF_UNIX, SOCK_STREAM, 0);
	must(o->fds[1] >= 0, "socket");
	if (is_tcp) {
		must(bind(o->fds[1], (struct sockaddr *)&in, bytes) == 0, "bind");
		must(getsockname(o->fds[1], (struct sockaddr *)&in, &bytes) == 0, "getsockname");
		memcpy(o->address, &in, sizeof(in));
	} else {
		snprintf(un.sun_path + 1, sizeof(un.sun_path) - 1, "oracle-%d-%u", (int)getpid(),
		         number);
		bytes = (socklen_t)(sizeof(un.sun_family) + 1 + strlen(un.sun_path + 1));
		must(bind(o->fds[1], (struct sockaddr *)&un, bytes) == 0, "bind");
		memcpy(o->address, &un, bytes);
	}
	must(listen(o->fds[1], 64) == 0, "listen");
	/* from here on, other hosts connect */
	__atomic_store_n(&o->address_bytes, bytes, __ATOMIC_RELEASE);
}

static void make_tcp(struct object *o, unsigned number)
{
	int listening;

	listen_at(o, true, number, LOOPBACK);
	listening = o->fds[1];
	o->fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	must(connect(o->fds[0], (struct sockaddr *)o->address, o->address_bytes) == 0, "connect");
	o->fds[1] = accept(listening, NULL, NULL);
	must(o->fds[1] >= 0, "accept");
	close(listening);
}

static void make_channel(struct object *o, const struct plan_object *p, unsigned number)
{
	int flags = p->kind == PLAN_CROWD ? O_NONBLOCK : 0;

	switch (p->type) {
	case CHANNEL_PIPE:
		must(pipe2(o->fds, flags) == 0, "pipe2");
		int fd = o->fds[0];

		o->fds[0] = o->fds[1];
		o->fds[1] = fd;
		break;
	case CHANNEL_SOCKETPAIR:
		make_pair(o, SOCK_STREAM | (flags ? SOCK_NONBLOCK : 0));
		break;
	case CHANNEL_PACKET:
		make_pair(o, SOCK_SEQPACKET | (flags ? SOCK_NONBLOCK : 0));
		break;
	case CHANNEL_DATAGRAM:
		make_pair(o, SOCK_DGRAM | (flags ? SOCK_NONBLOCK : 0));
		break;
	case CHANNEL_TCP:
		make_tcp(o, number);
		break;
	case CHANNEL_EVENTFD:
		o->fds[0] = o->fds[1] = eventfd(0, 0);
		must(o->fds[0] >= 0, "eventfd");
		break;
	case CHANNEL_QUEUE:
		make_queue(o, number, flags);
		break;
	case CHANNEL_SYSV:
		o->queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
		must(o->queue >= 0, "msgget");
		o->has_queue = true;
		break;
	case CHANNEL_SEM:
		must(sem_init(&o->sem, 1, 0) == 0, "sem_init");
		break;
	case CHANNEL_GATE:
		make_mutex(&o->gate.mutex, 0, true);
		make_cond(&o->gate.cond, true);
		break;
	case CHANNEL_FUTEX:
	case CHANNEL_SIGNAL:
		break;
	case CHANNEL_SEMSET:
		o->semaphore = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
		must(o->semaphore >= 0 && semctl(o->semaphore, 0, SETVAL, 0) == 0, "semget");
		o->has_semaphore = true;
		break;
	case CHANNEL_PASS:
		make_pair(o, SOCK_STREAM);
		break;
	case CHANNEL_UDP:
		make_udp(o);
		break;
	case CHANNEL_NAMED:
		snprintf(o->name, sizeof(o->name), "/oracle-%d-%u", (int)getpid(), number);
		named[number] = sem_open(o->name, O_CREAT | O_EXCL, 0600, 0);
		must(named[number] != SEM_FAILED, "sem_open");
		break;
	default:
		abort();
	}
}

static void make_rwlock(struct object *o, const struct plan_object *p, int is_shared)
{
	pthread_rwlockattr_t a;

	pthread_rwlockattr_init(&a);
	pthread_rwlockattr_setpshared(&a, is_shared);
	if (p->type)
		pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	must(pthread_rwlock_init(&o->rwlock, &a) == 0, "pthread_rwlock_init");
	pthread_rwlockattr_destroy(&a);
}

static void make_object(unsigned number)
{
	const struct plan_object *p = &the_plan.objects[number];
	struct object *o = world_object(number);
	pthread_barrierattr_t a;

	switch (p->kind) {
	case PLAN_MUTEX:
		make_mutex(&o->mutex, p->type, !p->is_private);
		break;
	case PLAN_RWLOCK:
		make_rwlock(o, p, p->is_private ? PTHREAD_PROCESS_PRIVATE : PTHREAD_PROCESS_SHARED);
		break;
	case PLAN_SPIN:
		pthread_spin_init(&o->spin, !p->is_private);
		break;
	case PLAN_COND:
		make_cond(&o->cond, !p->is_private);
		break;
	case PLAN_SEM:
		must(sem_init(number == the_plan.fault ? &fault.sem : &o->sem, !p->is_private,
		              p->initial) == 0,
		     "sem_init");
		break;
	case PLAN_BARRIER:
		pthread_barrierattr_init(&a);
		if (!p->is_private)
			pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
		must(pthread_barrier_init(&o->barrier, &a, p->initial) == 0,
		     "pthread_barrier_init");
		break;
	case PLAN_ONCE:
		o->once = PTHREAD_ONCE_INIT;
		break;
	case PLAN_FILE:
		make_file(o, number);
		break;
	case PLAN_PORT:
		listen_at(o, p->type, number, LOOPBACK);
		break;
	default:
		make_channel(o, p, number);
		break;
	}
}

/* Opens the named semaphore again, because its address differs after an exec. */
static void find_named(unsigned number)
{
	const struct plan_object *p = &the_plan.objects[number];

	if (p->kind != PLAN_CHANNEL || p->type != CHANNEL_NAMED || named[number])
		return;
	named[number] = sem_open(the_world->objects[number].name, 0);
	must(named[number] != SEM_FAILED, "sem_open");
}

static bool has_inherited; /* false again in a new image */

void world_make_inherited(void)
{
	for (unsigned n = 0; n < the_plan.nr_objects; n++)
		if (the_plan.objects[n].is_inherited)
			make_object(n);
	has_inherited = true;
}

void world_make_objects(bool is_private)
{
	for (unsigned n = 0; n < the_plan.nr_objects; n++) {
		const struct plan_object *p = &the_plan.objects[n];

		if (p->is_private == is_private && !(p->is_inherited && has_inherited) &&
		    !plan_is_between_hosts(&the_plan, p))
			make_object(n);
		if (is_private)
			find_named(n);
	}
}

/* Waits until the host of the object's receiver listens. */
static void await_address(const struct object *o)
{
	for (unsigned n = 0; !__atomic_load_n(&o->address_bytes, __ATOMIC_ACQUIRE); n++) {
		must(n < 30000, "another host listens");
		usleep(1000);
	}
}

void world_join_hosts(unsigned process, const char *own)
{
	const struct plan_object *p = the_plan.objects;
	struct object *o = the_world->objects;

	for (unsigned n = 0; n < the_plan.nr_objects; n++)
		if (plan_is_between_hosts(&the_plan, &p[n]) && plan_process(p[n].to) == process)
			listen_at(&o[n], true, n, own);
	for (unsigned n = 0; n < the_plan.nr_objects; n++) {
		if (!plan_is_between_hosts(&the_plan, &p[n]))
			continue;
		await_address(&o[n]);
		if (p[n].kind != PLAN_CHANNEL || plan_process(p[n].from) != process)
			continue;
		o[n].fds[0] = socket(AF_INET, SOCK_STREAM, 0);
		must(o[n].fds[0] >= 0, "socket");
		must(connect(o[n].fds[0], (struct sockaddr *)o[n].address, o[n].address_bytes) == 0,
		     "connect");
	}
	for (unsigned n = 0; n < the_plan.nr_objects; n++) {
		if (!plan_is_between_hosts(&the_plan, &p[n]) || p[n].kind != PLAN_CHANNEL ||
		    plan_process(p[n].to) != process)
			continue;
		int listening = o[n].fds[1];

		o[n].fds[1] = accept(listening, NULL, NULL);
		must(o[n].fds[1] >= 0, "accept");
		close(listening);
	}
}

void world_remove(void)
{
	for (unsigned n = 0; n < the_plan.nr_objects; n++) {
		struct object *o = &the_world->objects[n];

		if (o->has_queue)
			msgctl(o->queue, IPC_RMID, NULL);
		if (o->has_semaphore)
			semctl(o->semaphore, 0, IPC_RMID);
		if (*o->name && the_plan.objects[n].kind == PLAN_FILE)
			unlink(o->name);
		else if (*o->name)
			sem_unlink(o->name);
	}
}
