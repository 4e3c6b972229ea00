/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A program whose order is known: oracle SEED LOG NOISE [remove|hosts|host PROCESS ADDRESS].
 *
 * The program makes a plan from SEED, executes the plan with several processes and threads, and
 * writes the order of its calls into LOG. The program works the same traced and untraced
 * (doc/oracle.md). With "hosts", the program only makes LOG, and each process is then started on its host, with "host", its
 * number, and the address of the host.
 */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "tests/lib/random.h"
#include "tests/oracle/world.h"

static char *const *arguments;

struct birth {
	uint32_t slot;
	struct call_name by;
	unsigned role, object;
	pthread_t thread;
};

/* ---- signal handlers that synchronize ---- */

static void on_alarm(int signal)
{
	(void)signal;
	if (my_slot == LOG_SLOTS || the_log->slots[my_slot].nr > LOG_ENTRIES / 2)
		return;
	channel_handler();
	lock_handler();
}

/* Handles the signal in the middle of the call of OP_FAULT_POST. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	(void)number;
	if (my_slot != LOG_SLOTS && the_log->slots[my_slot].nr < LOG_ENTRIES / 2)
		channel_handler();
	if (!world_open_page(info->si_addr))
		signal(SIGSEGV, SIG_DFL);
}

/* Blocks, in all threads, the signals for which threads wait. */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (int n = SIGRTMIN; n < SIGRTMAX; n++)
		sigaddset(&set, n);
	must(sigprocmask(SIG_BLOCK, &set, NULL) == 0, "sigprocmask");
}

static void handle_signals(unsigned interval_us)
{
	struct sigaction alarmed = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct sigaction faulted = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct itimerval t = {{0, (suseconds_t)interval_us}, {0, (suseconds_t)interval_us}};

	must(sigaction(SIGALRM, &alarmed, NULL) == 0, "sigaction");
	must(sigaction(SIGSEGV, &faulted, NULL) == 0, "sigaction");
	if (interval_us)
		must(setitimer(ITIMER_REAL, &t, NULL) == 0, "setitimer");
}

static void stop_alarm(void)
{
	struct itimerval t = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &t, NULL);
}

/* ---- steps that make threads and processes ---- */

static void *dying_thread(void *argument)
{
	const struct birth *b = argument;

	write_start(b->slot, b->by);
	lock_forever(b->object);
	return NULL;
}

/*
 * Only the wait may be cancelled: not the code before it, and not a signal handler that writes to
 * the log during that code.
 */
static void *cancelled_thread(void *argument)
{
	const struct birth *b = argument;
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	must(pthread_sigmask(SIG_BLOCK, &alarm, NULL) == 0, "pthread_sigmask");
	write_start(b->slot, b->by);
	lock_await_cancel(b->object);
	return NULL;
}

static void *short_thread(void *argument)
{
	const struct birth *b = argument;

	write_start(b->slot, b->by);
	channel_shout(b->object);
	return NULL;
}

static void follow_process(struct log_entry *e, uint32_t pid)
{
	for (uint32_t n = 0; n < LOG_SLOTS; n++)
		if (the_log->slots[n].pid == pid)
			write_source(e, (struct call_name){n, the_log->slots[n].nr}, LOG_BY_LIFE,
			             LOG_SURE);
}

static struct log_entry *create(struct birth *b, void *(*start)(void *))
{
	struct log_entry *e = write_begin(LOG_pthread_create, 0);

	b->by = write_name(e);
	must(write_end(e, pthread_create(&b->thread, NULL, start, b)) == 0, "pthread_create");
	return e;
}

static void join(struct birth *b)
{
	struct log_entry *e = write_begin(LOG_pthread_join, 0);

	must(write_end(e, pthread_join(b->thread, NULL)) == 0, "pthread_join");
	write_source(e, (struct call_name){b->slot, the_log->slots[b->slot].nr}, LOG_BY_LIFE,
	             LOG_SURE);
}

static void reap(pid_t pid)
{
	struct log_entry *e;
	int status;

	do
		e = write_begin(LOG_waitpid, 0);
	while (write_end(e, waitpid(pid, &status, 0)) < 0);
	follow_process(e, (uint32_t)pid);
	must(status == 0, "a process' exit status");
}

static void step_thread(unsigned object, void *(*start)(void *))
{
	struct birth b = {.slot = write_new_slot(), .object = object};

	create(&b, start);
	join(&b);
}

static void step_cancel(unsigned object, unsigned how)
{
	struct birth b = {.slot = write_new_slot(), .object = object};
	struct log_entry *e;

	create(&b, cancelled_thread);
	usleep(how * 4);
	e = write_begin(LOG_pthread_cancel, 0);
	write_end(e, pthread_cancel(b.thread));
	join(&b);
}

static void step_spawn(void)
{
	uint32_t slot = write_new_slot();
	char number[16];
	char *argv[] = {arguments[0], arguments[1], arguments[2], arguments[3],
	                "shout",      number,       NULL};
	struct log_entry *e = write_begin(LOG_posix_spawn, 0);
	pid_t pid;

	snprintf(number, sizeof(number), "%u", (unsigned)slot);
	the_world->spawned_by[slot] = write_name(e);
	must(write_end(e, posix_spawn(&pid, arguments[0], NULL, NULL, argv, environ)) == 0,
	     "posix_spawn");
	reap(pid);
}

static void step_fork(void)
{
	uint32_t slot = write_new_slot();
	struct log_entry *e = write_begin(LOG_fork, 0);
	struct call_name by = write_name(e);
	pid_t pid = fork();

	must(pid >= 0, "fork");
	if (!pid) {
		write_start(slot, by);
		channel_shout(the_plan.crowd);
		_exit(0);
	}
	write_end(e, pid);
	reap(pid);
}

#define NOISY_LOCKS 16u

/*
 * Makes calls that no other code makes, and that the log omits: they fill rings with data that does
 * not compress well.
 */
static void make_noise(unsigned nr)
{
	mtx_t locks[NOISY_LOCKS];
	static __thread struct syt_random r;

	for (unsigned n = 0; n < NOISY_LOCKS; n++)
		mtx_init(&locks[n], mtx_plain);
	while (nr--) {
		unsigned n = (unsigned)syt_random_below(&r, NOISY_LOCKS);

		mtx_lock(&locks[n]);
		for (volatile unsigned k = (unsigned)syt_random_below(&r, 100); k; k--)
			;
		mtx_unlock(&locks[n]);
	}
	for (unsigned n = 0; n < NOISY_LOCKS; n++)
		mtx_destroy(&locks[n]);
}

static void take_step(const struct plan_step *s)
{
	switch (s->op) {
	case OP_THREAD:
		step_thread(the_plan.crowd, short_thread);
		break;
	case OP_DIE:
		step_thread(s->object, dying_thread);
		break;
	case OP_CANCEL:
		step_cancel(s->object, s->how);
		break;
	case OP_SPAWN:
		step_spawn();
		break;
	case OP_FORK:
		step_fork();
		break;
	case OP_REST:
		usleep(s->how * 4u);
		break;
	case OP_NOISE:
		make_noise(s->count);
		break;
	default:
		if (the_plan.objects[s->object].kind >= PLAN_CHANNEL)
			channel_step(s);
		else
			lock_step(s);
	}
}

static void take_steps(unsigned role)
{
	for (unsigned n = 0; n < the_plan.nr_steps; n++)
		if (the_plan.steps[n].role == role)
			take_step(&the_plan.steps[n]);
}

/* ---- the processes ---- */

static void *planned_thread(void *argument)
{
	const struct birth *b = argument;

	write_start(b->slot, b->by);
	take_steps(b->role);
	return NULL;
}

/* Runs the steps of the process, in its final process image. */
static void run_process(unsigned process)
{
	struct birth births[PLAN_THREADS];
	unsigned nr = the_plan.nr_threads[process];

	world_make_objects(true);
	block_signals();
	handle_signals(the_plan.alarm_us[process]);
	for (unsigned n = 1; n < nr; n++) {
		births[n] = (struct birth){.slot = write_new_slot(),
		                           .role = process * PLAN_THREADS + n};
		create(&births[n], planned_thread);
	}
	take_steps(process * PLAN_THREADS);
	for (unsigned n = 1; n < nr; n++)
		join(&births[n]);
	stop_alarm();
}

static void start_image(unsigned process)
{
	char number[16];
	char *argv[] = {arguments[0], arguments[1], arguments[2], arguments[3], number, NULL};
	struct log_entry *e;

	snprintf(number, sizeof(number), "%u", process);
	the_world->heirs[process] = write_new_slot();
	e = write_begin(LOG_execv, 0);
	the_world->exec[process] = write_name(e);
	execv(arguments[0], argv);
	must(false, "execv");
}

static void start_processes(pid_t *pids)
{
	for (unsigned n = 1; n < the_plan.nr_processes; n++) {
		uint32_t slot = write_new_slot();
		struct log_entry *e = write_begin(LOG_fork, 0);
		struct call_name by = write_name(e);

		pids[n] = fork();
		must(pids[n] >= 0, "fork");
		if (pids[n]) {
			write_end(e, pids[n]);
			continue;
		}
		write_start(slot, by);
		if (the_plan.is_execed[n])
			start_image(n);
		run_process(n);
		exit(0);
	}
}

static void name_objects(void)
{
	static const uint8_t kinds[] = {
		[PLAN_MUTEX] = LOG_IS_MUTEX,   [PLAN_RWLOCK] = LOG_IS_RWLOCK,
		[PLAN_SPIN] = LOG_IS_SPIN,     [PLAN_COND] = LOG_IS_COND,
		[PLAN_SEM] = LOG_IS_SEM,       [PLAN_BARRIER] = LOG_IS_BARRIER,
		[PLAN_ONCE] = LOG_IS_ONCE,     [PLAN_CHANNEL] = LOG_IS_CHANNEL,
		[PLAN_CROWD] = LOG_IS_CHANNEL, [PLAN_PORT] = LOG_IS_CHANNEL,
	};

	the_log->nr_objects = the_plan.nr_objects;
	for (unsigned n = 0; n < the_plan.nr_objects; n++) {
		const struct plan_object *p = &the_plan.objects[n];

		the_log->objects[n] = (struct log_object){
			.kind = kinds[p->kind], .initial = p->initial, .is_private = p->is_private};
	}
}

static void run_host(unsigned process, const char *address)
{
	world_join_hosts(process, address);
	write_start(write_new_slot(), (struct call_name){0, 0});
	run_process(process);
	if (__atomic_add_fetch(&the_world->nr_over, 1, __ATOMIC_ACQ_REL) == the_plan.nr_processes)
		the_log->is_over = 1;
}

int main(int argc, char **argv)
{
	pid_t pids[PLAN_PROCESSES];

	if (argc < 4) {
		fprintf(stderr, "usage: oracle SEED LOG NOISE\n");
		return 2;
	}
	arguments = argv;
	bool makes_hosts = argc == 5 && !strcmp(argv[4], "hosts");
	bool is_host = argc == 7 && !strcmp(argv[4], "host");

	plan_make(&the_plan, strtoull(argv[1], NULL, 10), (unsigned)atoi(argv[3]),
	          makes_hosts || is_host);
	world_open(argv[2], strtoull(argv[1], NULL, 10), argc == 4 || makes_hosts);
	if (makes_hosts) {
		name_objects();
		return 0;
	}
	if (is_host) {
		run_host((unsigned)atoi(argv[5]), argv[6]);
		return 0;
	}
	if (argc > 4 && !strcmp(argv[4], "remove")) { /* the files that a killed run has left */
		world_remove();
		return 0;
	}
	if (argc > 5) { /* spawned */
		uint32_t slot = (uint32_t)atoi(argv[5]);

		write_start(slot, the_world->spawned_by[slot]);
		channel_shout(the_plan.crowd);
		return 0;
	}
	if (argc > 4) {
		unsigned process = (unsigned)atoi(argv[4]);

		write_start(the_world->heirs[process], the_world->exec[process]);
		run_process(process);
		return 0;
	}
	name_objects();
	world_make_objects(false);
	world_make_inherited();
	write_start(write_new_slot(), (struct call_name){0, 0});
	start_processes(pids);
	run_process(0);
	for (unsigned n = 1; n < the_plan.nr_processes; n++)
		reap(pids[n]);
	world_remove();
	the_log->is_over = 1;
	return 0;
}
