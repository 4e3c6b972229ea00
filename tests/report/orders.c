/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Small programs that take locks in more than one order. It is known whether each of them can
 * deadlock; tests/report/orders.sh compares the answers of several tools.
 *
 *	orders          prints one line for each program: NAME, and whether it can deadlock
 *	orders NAME     runs the program, which ends
 *	orders doomed   deadlocks at once: a wait for a condition cannot have its mutex back
 *	orders doomed-reply, doomed-sem: a thread waits for another while it holds the lock that the other needs
 *
 * Threads take turns by the variable `turn`, which no tool takes for an order that always holds,
 * unless the program is about an order that always holds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_THREADS 5

typedef void (*body_fn)(int i);

static pthread_mutex_t m[MOST_THREADS], recursive;
static pthread_rwlock_t rw[2];
static pthread_spinlock_t spin[2];
static pthread_cond_t cond;
static sem_t sem, binary[2], slots;
static atomic_int turn, is_over;
static body_fn body;
static int nr_threads, is_woken;

static void must(int err)
{
	if (err) {
		fprintf(stderr, "orders: %s\n", strerror(err));
		exit(1);
	}
}

static void await(int number)
{
	while (turn != number)
		usleep(500);
}

static void lock(int i)
{
	must(pthread_mutex_lock(&m[i]));
}

static void unlock(int i)
{
	must(pthread_mutex_unlock(&m[i]));
}

static void nest(int outer, int inner)
{
	lock(outer);
	lock(inner);
	unlock(inner);
	unlock(outer);
}

static struct timespec soon(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 30;
	return t;
}

/* ---- how threads run ---- */

static void *one_of(void *number)
{
	int i = (int)(long)number;

	await(i);
	body(i);
	turn = i + 1;
	return NULL;
}

/* Runs all threads at the same time; they do their work one after the other only by chance. */
static void by_luck(int nr, body_fn b)
{
	pthread_t threads[MOST_THREADS];

	body = b;
	nr_threads = nr;
	for (long i = 0; i < nr; i++)
		must(pthread_create(&threads[i], NULL, one_of, (void *)i));
	for (int i = 0; i < nr; i++)
		must(pthread_join(threads[i], NULL));
}

/* Joins each thread before the creation of the next thread. */
static void by_join(int nr, body_fn b)
{
	body = b;
	for (long i = 0; i < nr; i++) {
		pthread_t thread;

		must(pthread_create(&thread, NULL, one_of, (void *)i));
		must(pthread_join(thread, NULL));
	}
}

/* ---- the bodies of the threads ---- */

static void ring_body(int i)
{
	nest(i, (i + 1) % nr_threads);
}

static void two(void)
{
	by_luck(2, ring_body);
}

static void three(void)
{
	by_luck(3, ring_body);
}

static void five(void)
{
	by_luck(5, ring_body);
}

static void sorted_body(int i)
{
	int next = (i + 1) % nr_threads;

	nest(i < next ? i : next, i < next ? next : i);
}

static void sorted(void)
{
	by_luck(5, sorted_body);
}

static void gate_body(int i)
{
	lock(2);
	nest(i, !i);
	unlock(2);
}

static void gate(void)
{
	by_luck(2, gate_body);
}

static void half_gate_body(int i)
{
	if (i)
		lock(2);
	nest(i, !i);
	if (i)
		unlock(2);
}

static void half_gate(void)
{
	by_luck(2, half_gate_body);
}

static void alone_body(int i)
{
	(void)i;
	nest(0, 1);
	nest(1, 0);
}

static void alone(void)
{
	by_luck(1, alone_body);
}

static void joined(void)
{
	nr_threads = 2;
	by_join(2, ring_body);
}

static void handed_body(int i)
{
	if (i)
		while (sem_wait(&sem) && errno == EINTR)
			;
	nest(i, !i);
	if (!i)
		must(sem_post(&sem) ? errno : 0);
}

static void handed(void)
{
	by_luck(2, handed_body);
}

static void early_body(int i)
{
	(void)i;
	nest(1, 0);
}

static void early(void)
{
	nest(0, 1); /* the main thread nests the locks before another thread exists */
	by_luck(1, early_body);
}

static void readers_body(int i)
{
	must(pthread_rwlock_rdlock(&rw[i]));
	must(pthread_rwlock_rdlock(&rw[!i]));
	must(pthread_rwlock_unlock(&rw[!i]));
	must(pthread_rwlock_unlock(&rw[i]));
}

static void readers(void)
{
	by_luck(2, readers_body);
}

static void writers_body(int i)
{
	must(pthread_rwlock_rdlock(&rw[i]));
	must(pthread_rwlock_wrlock(&rw[!i]));
	must(pthread_rwlock_unlock(&rw[!i]));
	must(pthread_rwlock_unlock(&rw[i]));
}

static void writers(void)
{
	by_luck(2, writers_body);
}

static void mixed_body(int i)
{
	if (i)
		lock(0);
	must(pthread_rwlock_wrlock(&rw[0]));
	if (!i) {
		lock(0);
		unlock(0);
	}
	must(pthread_rwlock_unlock(&rw[0]));
	if (i)
		unlock(0);
}

static void mixed(void)
{
	by_luck(2, mixed_body);
}

static void try_inner_body(int i)
{
	lock(i);
	if (!i) {
		if (!pthread_mutex_trylock(&m[1]))
			unlock(1);
	} else {
		lock(0);
		unlock(0);
	}
	unlock(i);
}

static void try_inner(void)
{
	by_luck(2, try_inner_body);
}

static void try_outer_body(int i)
{
	if (!i) {
		if (pthread_mutex_trylock(&m[0]))
			return;
	} else {
		lock(1);
	}
	lock(!i);
	unlock(!i);
	unlock(i);
}

static void try_outer(void)
{
	by_luck(2, try_outer_body);
}

static void timed_body(int i)
{
	struct timespec until = soon();

	lock(i);
	must(pthread_mutex_timedlock(&m[!i], &until));
	unlock(!i);
	unlock(i);
}

static void timed(void)
{
	by_luck(2, timed_body);
}

static void again_body(int i)
{
	must(pthread_mutex_lock(&recursive));
	lock(0);
	must(pthread_mutex_lock(&recursive)); /* which it has */
	must(pthread_mutex_unlock(&recursive));
	unlock(0);
	must(pthread_mutex_unlock(&recursive));
	(void)i;
}

static void again(void)
{
	by_luck(2, again_body);
}

static void kept_body(int i)
{
	must(pthread_mutex_lock(&recursive));
	if (!i) {
		must(pthread_mutex_lock(&recursive));
		/* the recursive mutex is still locked after this unlock */
		must(pthread_mutex_unlock(&recursive));
		lock(0);
		unlock(0);
		must(pthread_mutex_unlock(&recursive));
		return;
	}
	must(pthread_mutex_unlock(&recursive));
	lock(0);
	must(pthread_mutex_lock(&recursive));
	must(pthread_mutex_unlock(&recursive));
	unlock(0);
}

static void kept(void)
{
	by_luck(2, kept_body);
}

static void spins_body(int i)
{
	must(pthread_spin_lock(&spin[i]));
	must(pthread_spin_lock(&spin[!i]));
	must(pthread_spin_unlock(&spin[!i]));
	must(pthread_spin_unlock(&spin[i]));
}

static void spins(void)
{
	by_luck(2, spins_body);
}

/* The wait for the condition locks mutex 0 again while the thread holds mutex 1. */
static void waiting_body(int i)
{
	if (!i) {
		lock(0);
		lock(1);
		turn = 1;
		while (!is_woken)
			must(pthread_cond_wait(&cond, &m[0]));
		unlock(1);
		unlock(0);
		is_over = 1;
		return;
	}
	lock(0);
	is_woken = 1;
	must(pthread_cond_signal(&cond));
	unlock(0);
	while (!is_over)
		usleep(500);
	nest(0, 1);
}

static void waiting(void)
{
	by_luck(2, waiting_body);
}

/* The thread that has mutex 0 needs the mutex that the waiting thread holds. */
static void doomed_body(int i)
{
	if (!i) {
		lock(1);
		lock(0);
		turn = 1;
		for (;;)
			must(pthread_cond_wait(&cond, &m[0]));
	}
	lock(0);
	must(pthread_cond_signal(&cond));
	turn = 2;
	lock(1);
}

static void doomed_by(body_fn b)
{
	pthread_t threads[2];

	body = b;
	for (long i = 0; i < 2; i++)
		must(pthread_create(&threads[i], NULL, one_of, (void *)i));
	await(2);
	sleep(1); /* waits until both threads are blocked */
}

static void doomed(void)
{
	doomed_by(doomed_body);
}

static void reused_body(int i)
{
	nest(i, !i);
	for (int n = 0; n < 2; n++) {
		must(pthread_mutex_destroy(&m[n]));
		must(pthread_mutex_init(&m[n], NULL));
	}
}

static void reused(void)
{
	by_luck(2, reused_body);
}

static void apart_body(int i)
{
	lock(i);
	unlock(i);
	lock(!i);
	unlock(!i);
}

static void apart(void)
{
	by_luck(2, apart_body);
}

/* Releases the mutexes in the order of acquisition: mutex 0 is released while mutex 1 is held. */
static void crossed_body(int i)
{
	lock(0);
	lock(1);
	unlock(0);
	if (i) {
		unlock(1);
		return;
	}
	lock(2);
	unlock(2);
	unlock(1);
}

static void crossed(void)
{
	by_luck(2, crossed_body);
}

static void crossed_back_body(int i)
{
	lock(i ? 1 : 0);
	lock(i ? 2 : 1);
	unlock(i ? 1 : 0);
	lock(i ? 1 : 2); /* 0: has 1 and takes 2; 1: has 2 and takes 1 */
	unlock(i ? 1 : 2);
	unlock(i ? 2 : 1);
}

static void crossed_back(void)
{
	by_luck(2, crossed_back_body);
}

/* ---- semaphores ---- */

static void down(sem_t *s)
{
	while (sem_wait(s))
		must(errno == EINTR ? 0 : errno);
}

static void up(sem_t *s)
{
	must(sem_post(s) ? errno : 0);
}

static void sems_body(int i)
{
	down(&binary[i]);
	down(&binary[!i]);
	up(&binary[!i]);
	up(&binary[i]);
}

static void sems(void)
{
	by_luck(2, sems_body);
}

static void sems_sorted_body(int i)
{
	(void)i;
	sems_body(0);
}

static void sems_sorted(void)
{
	by_luck(2, sems_sorted_body);
}

static void sem_and_mutex_body(int i)
{
	if (!i)
		down(&binary[0]);
	lock(0);
	if (i)
		down(&binary[0]);
	up(&binary[0]);
	unlock(0);
}

static void sem_and_mutex(void)
{
	by_luck(2, sem_and_mutex_body);
}

/* A queue has one slot. One thread takes the slot, and another thread returns the slot. Each thread holds its own
 * mutex. */
static void sem_queue_body(int i)
{
	if (!i) {
		turn = 1; /* both threads may run at the same time from here on */
		for (int n = 0; n < 4; n++) {
			lock(0);
			down(&slots);
			up(&sem);
			unlock(0);
		}
		return;
	}
	for (int n = 0; n < 4; n++) {
		lock(1);
		down(&sem);
		up(&slots);
		unlock(1);
	}
}

static void sem_queue(void)
{
	by_luck(2, sem_queue_body);
}

/* ---- replies ---- */

/* A client asks and waits for the answer of a server, in two threads and in two processes. */
static struct talk {
	pthread_mutex_t mutex; /* of both processes */
	atomic_int asleep;     /* tid of the thread that is about to wait */
	atomic_int turn;
} * talk;
static int ask_in, ask_out, answer_in, answer_out;

static void put(int fd)
{
	must(write(fd, "x", 1) == 1 ? 0 : errno);
}

static void get(int fd)
{
	char c;

	must(read(fd, &c, 1) == 1 ? 0 : EPIPE);
}

static void await_talk(int number)
{
	while (talk->turn != number)
		usleep(500);
}

static void await_sleep_of(pid_t tid)
{
	char path[64], text[256];
	const char *state = NULL;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	do {
		FILE *f = fopen(path, "re");

		usleep(500);
		state = f && fgets(text, sizeof(text), f) ? strrchr(text, ')') : NULL;
		if (f)
			fclose(f);
	} while (!state || state[2] != 'S');
}

/* The other thread blocks in a call, for any flags of the file descriptor. */
static void await_sleep(void)
{
	while (!talk->asleep)
		usleep(500);
	await_sleep_of(talk->asleep);
}

static void open_talk(void)
{
	pthread_mutexattr_t attr;

	talk = mmap(NULL, sizeof(*talk), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(talk == MAP_FAILED ? errno : 0);
	must(pthread_mutexattr_init(&attr));
	must(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED));
	must(pthread_mutex_init(&talk->mutex, &attr));
}

static void touch(void)
{
	must(pthread_mutex_lock(&talk->mutex));
	must(pthread_mutex_unlock(&talk->mutex));
}

enum answer { TAKES_FIRST, TAKES_LATER, TAKES_BEFORE_HELLO };

/* Sends a greeting for which the client waits, gets a request and answers it; takes the mutex once. */
static void be_asked(enum answer how)
{
	await_sleep();
	if (how == TAKES_BEFORE_HELLO)
		touch();
	put(answer_out);
	get(ask_in);
	if (how == TAKES_FIRST)
		touch();
	talk->turn = 1; /* by chance, this thread was quick enough */
	if (how == TAKES_LATER)
		await_talk(2);
	put(answer_out);
	if (how == TAKES_LATER)
		touch();
}

static void ask(enum answer how)
{
	talk->asleep = gettid();
	get(answer_in);
	put(ask_out);
	await_talk(1);
	must(pthread_mutex_lock(&talk->mutex));
	if (how == TAKES_LATER)
		talk->turn = 2;
	get(answer_in);
	must(pthread_mutex_unlock(&talk->mutex));
}

static void open_pipes(void)
{
	int pipes[2][2];

	open_talk();
	must(pipe(pipes[0]) || pipe(pipes[1]) ? errno : 0);
	ask_in = pipes[0][0];
	ask_out = pipes[0][1];
	answer_in = pipes[1][0];
	answer_out = pipes[1][1];
}

static void by_processes(enum answer how)
{
	pid_t child;

	open_pipes();
	child = fork();
	if (!child) {
		be_asked(how);
		exit(0);
	}
	ask(how);
	must(waitpid(child, NULL, 0) == child ? 0 : errno);
}

static void reply_pipe(void)
{
	by_processes(TAKES_FIRST);
}

static void reply_pipe_later(void)
{
	by_processes(TAKES_LATER);
}

static void *asked(void *how)
{
	be_asked((enum answer)(long)how);
	return NULL;
}

static void by_threads(enum answer how)
{
	pthread_t thread;
	int sockets[2];

	open_talk();
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) ? errno : 0);
	ask_out = answer_in = sockets[0];
	ask_in = answer_out = sockets[1];
	must(pthread_create(&thread, NULL, asked, (void *)(long)how));
	ask(how);
	must(pthread_join(thread, NULL));
}

static void reply_socket(void)
{
	by_threads(TAKES_FIRST);
}

static void reply_socket_told(void)
{
	by_threads(TAKES_BEFORE_HELLO);
}

/* Thread 1 holds mutex 0 while it waits for a post. Thread 0 took mutex 0 earlier by chance. */
static void reply_sem_body(int i)
{
	if (i) {
		lock(0);
		down(&sem);
		unlock(0);
		return;
	}
	lock(0);
	unlock(0);
	turn = 1;
	up(&sem);
}

static void reply_sem(void)
{
	by_luck(2, reply_sem_body);
}

static void reply_sem_later_body(int i)
{
	if (i) {
		lock(0);
		down(&sem);
		unlock(0);
		return;
	}
	turn = 1;
	up(&sem);
	lock(0);
	unlock(0);
}

static void reply_sem_later(void)
{
	by_luck(2, reply_sem_later_body);
}

static void reply_timed_body(int i)
{
	struct timespec until = soon();

	if (!i) {
		reply_sem_body(i);
		return;
	}
	lock(0);
	must(sem_timedwait(&sem, &until) ? errno : 0);
	unlock(0);
}

static void reply_timed(void)
{
	by_luck(2, reply_timed_body);
}

/* A mutex around the lock and the reply is no gate lock, because the other thread waits for this mutex,
 * too. */
static void reply_inside_body(int i)
{
	lock(1);
	lock(0);
	if (i)
		down(&sem);
	unlock(0);
	unlock(1);
	if (i)
		return;
	turn = 1;
	up(&sem);
}

static void reply_inside(void)
{
	by_luck(2, reply_inside_body);
}

/* The outer mutex is a gate lock if thread 0 had it before it told thread 1 to continue. */
static void reply_gate_body(int i)
{
	if (i)
		down(&sem);
	lock(1);
	if (!i)
		up(&sem);
	lock(0);
	if (i)
		down(&sem);
	unlock(0);
	unlock(1);
	if (i)
		return;
	turn = 1;
	up(&sem);
}

static void reply_gate(void)
{
	by_luck(2, reply_gate_body);
}

/* Thread 0 takes mutex 1, and thread 2 holds mutex 1 when it takes mutex 0. */
static void reply_further_body(int i)
{
	switch (i) {
	case 0:
		lock(1);
		unlock(1);
		turn = 1;
		up(&sem);
		break;
	case 1:
		lock(0);
		down(&sem);
		unlock(0);
		break;
	default:
		nest(1, 0);
	}
}

static void reply_further(void)
{
	by_luck(3, reply_further_body);
}

/* Thread 2 gives thread 1 its reply when it has the reply of thread 0. */
static void reply_passed_body(int i)
{
	switch (i) {
	case 0:
		lock(0);
		unlock(0);
		turn = 1;
		up(&sem);
		break;
	case 1:
		lock(0);
		turn = 2;
		/* the semaphore has a token from the begin, which the thread does not need */
		down(&slots);
		down(&slots);
		unlock(0);
		break;
	default:
		down(&sem);
		up(&slots);
	}
}

static void reply_passed(void)
{
	by_luck(3, reply_passed_body);
}

static void reply_cond_body(int i)
{
	if (i) {
		lock(0);
		lock(1);
		turn = 2;
		while (!is_woken)
			must(pthread_cond_wait(&cond, &m[1]));
		unlock(1);
		unlock(0);
		return;
	}
	lock(0);
	unlock(0);
	turn = 1;
	await(2);
	lock(1);
	is_woken = 1;
	must(pthread_cond_signal(&cond));
	unlock(1);
}

static void reply_cond(void)
{
	pthread_t threads[2];

	body = reply_cond_body;
	for (long i = 0; i < 2; i++)
		must(pthread_create(&threads[i], NULL, one_of, (void *)i));
	for (int i = 0; i < 2; i++)
		must(pthread_join(threads[i], NULL));
}

/* The client asks twice. The second time it holds the mutex that the server takes before its answer. */
static void doomed_reply(void)
{
	pid_t children[2];

	open_pipes();
	children[0] = fork();
	if (!children[0]) {
		for (int i = 0;; i++) {
			get(ask_in);
			talk->turn = 1 + i;
			touch();
			put(answer_out);
		}
	}
	children[1] = fork();
	if (!children[1]) {
		put(ask_out);
		get(answer_in);
		must(pthread_mutex_lock(&talk->mutex));
		put(ask_out);
		get(answer_in);
	}
	await_talk(2);
	for (int i = 0; i < 2; i++)
		await_sleep_of(children[i]);
	for (int i = 0; i < 2; i++) {
		must(kill(children[i], SIGKILL) ? errno : 0);
		must(waitpid(children[i], NULL, 0) == children[i] ? 0 : errno);
	}
}

/* Thread 0 posts one token, and must post a second token when thread 1 waits for it. */
static void doomed_sem_body(int i)
{
	if (i) {
		down(&sem);
		lock(0);
		turn = 2;
		down(&sem);
	}
	up(&sem);
	turn = 1;
	await(2);
	lock(0);
	up(&sem);
}

static void doomed_sem(void)
{
	doomed_by(doomed_sem_body);
}

static void *touches(void *later)
{
	if (later)
		await(1);
	lock(0);
	unlock(0);
	turn = 1;
	return NULL;
}

/* Waits for the end of a thread, and holds the lock that this thread needs. */
static void join_held(void)
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, touches, NULL));
	await(1);
	lock(0);
	must(pthread_join(thread, NULL));
	unlock(0);
}

static void join_given_back(void)
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, touches, &turn));
	lock(0);
	turn = 1;
	unlock(0);
	must(pthread_join(thread, NULL));
}

static const struct {
	const char *name;
	int can_deadlock;
	void (*run)(void);
} programs[] = {
	{"two", 1, two},
	{"three", 1, three},
	{"five", 1, five},
	{"sorted", 0, sorted},
	{"gate", 0, gate},
	{"half-gate", 1, half_gate},
	{"alone", 0, alone},
	{"joined", 0, joined},
	{"handed", 0, handed},
	{"early", 0, early},
	{"readers", 0, readers},
	{"writers", 1, writers},
	{"mixed", 1, mixed},
	{"try-inner", 0, try_inner},
	{"try-outer", 1, try_outer},
	{"timed", 0, timed},
	{"again", 0, again},
	{"kept", 1, kept},
	{"spins", 1, spins},
	{"waiting", 1, waiting},
	{"reused", 0, reused},
	{"apart", 0, apart},
	{"crossed", 0, crossed},
	{"crossed-back", 1, crossed_back},
	{"sems", 1, sems},
	{"sems-sorted", 0, sems_sorted},
	{"sem-and-mutex", 1, sem_and_mutex},
	{"sem-queue", 0, sem_queue},
	{"reply-pipe", 1, reply_pipe},
	{"reply-pipe-later", 0, reply_pipe_later},
	{"reply-socket", 1, reply_socket},
	{"reply-socket-told", 0, reply_socket_told},
	{"reply-sem", 1, reply_sem},
	{"reply-sem-later", 0, reply_sem_later},
	{"reply-timed", 0, reply_timed},
	{"reply-inside", 1, reply_inside},
	{"reply-gate", 0, reply_gate},
	{"reply-further", 1, reply_further},
	{"reply-passed", 1, reply_passed},
	{"reply-cond", 1, reply_cond},
	{"join-held", 1, join_held},
	{"join-given-back", 0, join_given_back},
};

static const struct {
	const char *name;
	void (*run)(void);
} dooms[] = {{"doomed", doomed}, {"doomed-reply", doomed_reply}, {"doomed-sem", doomed_sem}};

int main(int argc, char **argv)
{
	pthread_mutexattr_t attr;

	must(pthread_mutexattr_init(&attr));
	must(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE));
	must(pthread_mutex_init(&recursive, &attr));
	for (int i = 0; i < MOST_THREADS; i++)
		must(pthread_mutex_init(&m[i], NULL));
	for (int i = 0; i < 2; i++) {
		must(pthread_rwlock_init(&rw[i], NULL));
		must(pthread_spin_init(&spin[i], PTHREAD_PROCESS_PRIVATE));
	}
	must(pthread_cond_init(&cond, NULL));
	must(sem_init(&sem, 0, 0) ? errno : 0);
	must(sem_init(&slots, 0, 1) ? errno : 0);
	for (int i = 0; i < 2; i++)
		must(sem_init(&binary[i], 0, 1) ? errno : 0);
	for (size_t i = 0; argc > 1 && i < sizeof(dooms) / sizeof(*dooms); i++) {
		if (strcmp(argv[1], dooms[i].name))
			continue;
		dooms[i].run();
		return 0;
	}
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		if (argc == 1) {
			printf("%s %s\n", programs[i].name,
			       programs[i].can_deadlock ? "yes" : "no");
		} else if (!strcmp(argv[1], programs[i].name)) {
			programs[i].run();
			return 0;
		}
	}
	return argc != 1;
}
