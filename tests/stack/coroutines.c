/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Coroutines made by makecontext: switched at random, resumed by other threads, on stacks that are
 * unmapped and mapped again between captures.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/stack/oracle.h"

#define NOINLINE __attribute__((noinline))
#define NR_COROUTINES 16
#define STACK_BYTES (64 << 10)
#define NR_SWITCHES 20000

static struct coroutine {
	ucontext_t context, *back;
	char *stack;
	int left; /* number of switches until the coroutine ends; 0: not running */
} coroutines[NR_COROUTINES];

static NOINLINE void yield(struct coroutine *c)
{
	oracle_check();
	swapcontext(&c->context, c->back);
	oracle_check();
}

static NOINLINE void descend(struct coroutine *c, unsigned depth)
{
	volatile char local[40];

	local[0] = (char)depth;
	if (depth)
		descend(c, depth - 1);
	else
		yield(c);
	if (c->left > 0 && depth % 5 == 2) {
		c->left--;
		yield(c);
	}
	(void)local[0];
}

static void body(unsigned index)
{
	struct coroutine *c = &coroutines[index];

	while (c->left > 0) {
		c->left--;
		descend(c, oracle_random() % 30);
	}
	c->left = 0;
	setcontext(c->back);
}

static void start(unsigned index)
{
	struct coroutine *c = &coroutines[index];

	if (c->stack)
		munmap(c->stack, STACK_BYTES);
	c->stack =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->stack == MAP_FAILED)
		exit(1);
	getcontext(&c->context);
	c->context.uc_stack.ss_sp = c->stack;
	c->context.uc_stack.ss_size = STACK_BYTES;
	c->context.uc_link = NULL;
	c->left = (int)(oracle_random() % 10) + 1;
	makecontext(&c->context, (void (*)(void))body, 1, index);
}

static NOINLINE void resume(struct coroutine *c)
{
	ucontext_t here;

	c->back = &here;
	swapcontext(&here, &c->context);
	oracle_check();
}

static void *run(void *arg)
{
	for (unsigned i = 0; i < NR_SWITCHES; i++) {
		unsigned index = oracle_random() % NR_COROUTINES;

		if (!coroutines[index].left)
			start(index);
		resume(&coroutines[index]);
	}
	return arg;
}

int main(void)
{
	run(NULL);
	for (unsigned i = 0; i < 4; i++) {
		pthread_t t;

		/* this thread resumes a coroutine that the main thread suspended */
		if (pthread_create(&t, NULL, run, NULL) || pthread_join(t, NULL))
			return 1;
	}
	printf("coroutines: %lu stacks compared\n", oracle_nr_checks());
	return 0;
}
