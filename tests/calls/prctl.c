/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests prctl: the recorder records thread names and restrictions, and forwards other operations.
 * tests/robustness/confine.c tests the restrictions. */
#include <sys/prctl.h>

#include "tests/calls/expect.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *named(void *arg)
{
	char name[16] = "";

	EXPECT(prctl(PR_SET_NAME, "a name of more than 15 bytes"), 0, "0.1 prctl - 0 arg=%d",
	       PR_SET_NAME);
	CHECK(prctl(PR_GET_NAME, name) == 0 && !strcmp(name, "a name of more "));
	return arg;
}

int main(void)
{
	char name[16] = "";
	pthread_t t;
	int mode = 0;

	expect("only prctl pthread_mutex_lock pthread_mutex_unlock");
	EXPECT(prctl(PR_SET_NAME, "short"), 0, "0.0 prctl - 0 arg=%d", PR_SET_NAME);
	CHECK(prctl(PR_GET_NAME, name) == 0 && !strcmp(name, "short"));
	EXPECT(prctl(PR_SET_NAME, (char *)8), -1, "0.0 prctl - -1 arg=%d errno=EFAULT",
	       PR_SET_NAME);
	CHECK(pthread_create(&t, NULL, named, NULL) == 0 && pthread_join(t, NULL) == 0);

	CHECK(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0 && prctl(PR_GET_DUMPABLE) == 1);
	CHECK(prctl(PR_SET_PDEATHSIG, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, 77) == -1 && errno == EINVAL);
	CHECK(prctl(-1) == -1 && errno == EINVAL);
	EXPECT(prctl(PR_SET_SECCOMP, 2 /* SECCOMP_MODE_FILTER */, NULL), -1,
	       "0.0 prctl - -1 arg=%d errno=EFAULT", PR_SET_SECCOMP);
	EXPECT(pthread_mutex_lock(&m), 0, "0.0 pthread_mutex_lock mutex:%p 0", (void *)&m);
#if defined(__x86_64__)
	EXPECT(prctl(PR_SET_TSC, PR_TSC_SIGSEGV), 0, "0.0 prctl - 0 arg=%d", PR_SET_TSC);
	CHECK(prctl(PR_GET_TSC, &mode) == 0 && mode == PR_TSC_SIGSEGV);
#endif
	EXPECT(pthread_mutex_unlock(&m), 0, "0.0 pthread_mutex_unlock mutex:%p 0", (void *)&m);
	EXPECT(pthread_mutex_lock(&m), 0, "0.0 pthread_mutex_lock mutex:%p 0", (void *)&m);
	return mode == 0;
}
