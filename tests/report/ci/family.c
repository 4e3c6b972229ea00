/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* A parent that sends jobs to its child processes through pipes, with a semaphore in shared memory. */
#include "ci.h"

#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define NR_CHILDREN 3

struct child {
	int jobs, results;
	pid_t pid;
};

static sem_t *turn;

static APART void say(int fd, const void *text, size_t bytes)
{
	MUST(write(fd, text, bytes) == (ssize_t)bytes);
}

static APART void work(int job, int results)
{
	int fds[2];

	if (CHANGE != 15)
		sem_wait(turn);
	job *= 2;
	if (CHANGE != 15)
		sem_post(turn);
	if (CHANGE == 16) {
		MUST(pipe(fds) == 0);
		close(fds[0]);
		close(fds[1]);
	}
	if (CHANGE == 14) {
		say(results, &job, 2);
		say(results, (char *)&job + 2, 2);
	} else {
		say(results, &job, 4);
	}
}

static APART void run(int jobs, int results)
{
	int job;

	if (CHANGE == 13 && !fork())
		_exit(0);
	while (read(jobs, &job, sizeof(job)) == sizeof(job))
		work(job, results);
	if (CHANGE == 13)
		wait(NULL);
}

static APART struct child make(void)
{
	int jobs[2], results[2];
	struct child c;

	MUST(pipe(jobs) == 0 && pipe(results) == 0);
	c = (struct child){jobs[1], results[0], fork()};
	if (!c.pid) {
		close(jobs[1]);
		run(jobs[0], results[1]);
		exit(0);
	}
	close(jobs[0]);
	close(results[1]);
	return c;
}

static APART int result(int fd)
{
	char bytes[4];
	int value;

	for (size_t n = 0; n < sizeof(bytes);) {
		ssize_t got = read(fd, bytes + n, sizeof(bytes) - n);

		MUST(got > 0);
		n += (size_t)got;
	}
	__builtin_memcpy(&value, bytes, sizeof(value));
	return value;
}

int main(int argc, char **argv)
{
	struct child children[NR_CHILDREN];
	int load = load_of(argc, argv);
	long sum = 0;

	turn = mmap(NULL, sizeof(*turn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	MUST(turn != MAP_FAILED && sem_init(turn, 1, 1) == 0);
	for (int n = 0; n < NR_CHILDREN; n++)
		children[n] = make();
	for (int job = 0; job < load; job++) {
		for (int n = 0; n < NR_CHILDREN; n++)
			say(children[n].jobs, &job, sizeof(job));
		for (int n = 0; n < NR_CHILDREN; n++)
			sum += result(children[n].results);
	}
	/* in reverse, because each child has the parent's ends of the children before it */
	for (int n = NR_CHILDREN; n-- > 0;) {
		close(children[n].jobs);
		MUST(waitpid(children[n].pid, NULL, 0) == children[n].pid);
	}
	printf("%ld\n", sum);
	return 0;
}
