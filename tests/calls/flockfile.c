/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests a stdio stream's lock: it is recursive, threads wait for it, and it ends with its stream. */
#include "tests/calls/expect.h"

static FILE *f;

static void *waiter(void *arg)
{
	CHECK(ftrylockfile(f) != 0);
	expect("0.1 ftrylockfile stdio:%p *", (void *)f);
	errno = 0xbeef;
	flockfile(f);
	CHECK(errno == 0xbeef);
	expect("0.1 flockfile stdio:%p 0 flags=blocked", (void *)f);
	funlockfile(f);
	expect("0.1 funlockfile stdio:%p 0", (void *)f);
	return arg;
}

int main(void)
{
	pthread_t thread;
	void *was;

	expect("only flockfile ftrylockfile funlockfile");
	f = fopen("/dev/null", "w");
	CHECK(f);
	errno = 0xbeef;
	flockfile(f);
	expect("0.0 flockfile stdio:%p#0 0 flags=", (void *)f);
	CHECK(ftrylockfile(f) == 0);
	expect("0.0 ftrylockfile stdio:%p#0 0", (void *)f);
	CHECK(fputs("held", f) >= 0); /* libc takes the stream's lock once more internally */
	CHECK(errno == 0xbeef);
	CHECK(pthread_create(&thread, NULL, waiter, NULL) == 0);
	await_others_asleep();
	funlockfile(f);
	expect("0.0 funlockfile stdio:%p 0", (void *)f);
	await_others_asleep(); /* still held */
	funlockfile(f);
	expect("0.0 funlockfile stdio:%p 0", (void *)f);
	CHECK(pthread_join(thread, NULL) == 0);
	was = f;
	CHECK(fclose(f) == 0);
	f = fopen("/dev/null", "w");
	CHECK(f);
	flockfile(f);
	expect("0.0 flockfile stdio:%p#%d 0 flags=", (void *)f, f == was);
	funlockfile(f);
	expect("0.0 funlockfile stdio:%p#%d 0", (void *)f, f == was);
	CHECK(fclose(f) == 0);
	return 0;
}
