/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* System V's semaphores: sets, operations on several at once, waiting for zero, across processes.
 */
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

union semun {
	int val;
	unsigned short *array;
	struct semid_ds *info;
};

static int set;

static int one(unsigned short index, short amount, short flags)
{
	struct sembuf op = {index, amount, flags};

	return semop(set, &op, 1);
}

static void values(key_t key)
{
	unsigned short all[3] = {1, 0, 5};
	struct semid_ds info;

	set = semget(key, 3, IPC_CREAT | IPC_EXCL | 0600);
	expect("0.0 semget sem:$a %d", set);
	expect("0.0 semget_new sem:$a 0 arg=- count=1");
	expect("0.0 semget_new sem:$b 0 arg=- count=1");
	expect("0.0 semget_new sem:$c 0 arg=- count=1");
	EXPECT(semget(key, 3, IPC_CREAT | IPC_EXCL), -1, "0.0 semget - -1 errno=EEXIST");
	EXPECT(semget(key, 3, IPC_CREAT), set, "0.0 semget sem:$a %d", set);
	EXPECT(semctl(set, 1, SETVAL, (union semun){.val = 4}), 0, "0.0 semctl sem:$b 0 arg=4");
	CHECK(semctl(set, 1, GETVAL) == 4);                                 /* no event */
	CHECK(semctl(set, 0, IPC_STAT, (union semun){.info = &info}) == 0); /* neither */
	CHECK(info.sem_nsems == 3);
	CHECK(semctl(set, 0, SETALL, (union semun){.array = all}) == 0);
	expect("0.0 semctl sem:$a 0 arg=1 count=-");
	expect("0.0 semctl sem:$b 0 arg=-");
	expect("0.0 semctl sem:$c 0 arg=5");
	EXPECT(semctl(set, 7, SETVAL, (union semun){.val = 4}), -1,
	       "0.0 semctl - -1 errno=EINVAL arg=-");
}

static void operations(void)
{
	struct sembuf ops[3] = {{2, -3, 0}, {1, 2, SEM_UNDO}, {0, -1, SEM_UNDO}};
	struct timespec limit = {0, 1000000}, bad = {0, -1};

	errno = 0xbeef;
	EXPECT(one(0, -1, 0), 0, "0.0 semop sem:$a 0 count=1 arg=- flags=");
	EXPECT(one(0, 0, 0), 0, "0.0 semop_zero sem:$a 0 count=- flags=");
	EXPECT(one(0, 1, 0), 0, "0.0 semop_post sem:$a 0 count=1 arg=-");
	CHECK(semop(set, ops, 3) == 0);
	expect("0.0 semop_post sem:$b 0 count=2 arg=1");
	expect("0.0 semop sem:$c 0 count=3 arg=-");
	expect("0.0 semop sem:$a 0 count=1 arg=1");
	CHECK(errno == 0xbeef);
	EXPECT(one(0, -1, IPC_NOWAIT), -1, "0.0 semop sem:$a -1 errno=EAGAIN flags=");
	ops[0] = (struct sembuf){0, -1, 0};
	EXPECT(semtimedop(set, ops, 1, &limit), -1,
	       "0.0 semtimedop sem:$a -1 errno=EAGAIN flags=blocked");
	EXPECT(semtimedop(set, ops, 1, &bad), -1, "0.0 semtimedop sem:$a -1 errno=EINVAL flags=");
	ops[0] = (struct sembuf){2, -1, 0};
	EXPECT(semtimedop(set, ops, 1, &limit), 0, "0.0 semtimedop sem:$c 0 count=1 flags=");
	EXPECT(semop(set, (struct sembuf *)16, 1), -1, "0.0 semop - -1 errno=EFAULT");
	EXPECT(semop(set, ops, 0), -1, "0.0 semop - -1 errno=EINVAL");
	EXPECT(one(9, 1, 0), -1, "0.0 semop_post sem:* -1 errno=EFBIG");
}

static void *poster(void *arg)
{
	await_others_asleep();
	CHECK(one(0, 1, 0) == 0);
	expect("0.1 semop_post sem:$a 0 count=1");
	return arg;
}

static void waiting(void)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, poster, NULL) == 0);
	errno = 0xbeef;
	EXPECT(one(0, -1, 0), 0, "0.0 semop sem:$a 0 count=1 flags=blocked");
	CHECK(errno == 0xbeef);
	CHECK(pthread_join(thread, NULL) == 0);
}

/* The child takes one unit with SEM_UNDO and ends, so the kernel gives the unit back. */
static void shared(key_t key)
{
	int status;
	pid_t child;

	EXPECT(one(0, 1, 0), 0, "0.0 semop_post sem:$a 0 count=1");
	child = fork();
	if (child == 0) {
		CHECK(semget(key, 0, 0) == set);
		expect("1.0 semget sem:$a %d", set);
		CHECK(one(0, -1, SEM_UNDO) == 0);
		expect("1.0 semop sem:$a 0 count=1 arg=1");
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	EXPECT(one(0, -1, 0), 0, "0.0 semop sem:$a 0 count=1 arg=- flags=");
}

/* Makes a semop with more operations than the wrapper copies before the call. */
static void many(void)
{
	struct sembuf ops[40];

	for (int i = 0; i < 40; i++) {
		ops[i] = (struct sembuf){0, 1, 0};
		expect("0.0 semop_post sem:$a 0 count=1");
	}
	CHECK(semop(set, ops, 40) == 0);
}

int main(void)
{
	key_t key = (key_t)(0x53595300 ^ getpid());
	int probe = semget(IPC_PRIVATE, 1, 0600);

	expect("ignore fork waitpid _exit pthread_create pthread_join");
	if (probe < 0) {
		fprintf(stderr, "no semaphores here\n");
		return 77;
	}
	expect("0.0 semget sem:$probe %d", probe);
	expect("0.0 semget_new sem:$probe 0 count=1");
	EXPECT(semctl(probe, 0, IPC_RMID), 0, "0.0 semctl_remove sem:$probe 0");
	values(key);
	operations();
	waiting();
	shared(key);
	many();
	EXPECT(semctl(set, 0, IPC_RMID), 0, "0.0 semctl_remove sem:$a 0");
	EXPECT(one(0, 1, 0), -1, "0.0 semop_post sem:$a -1 errno=EINVAL");
	return 0;
}
