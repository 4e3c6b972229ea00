/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Calls before the recorder's constructor, and before it is relocated (an ifunc resolver). */
#include "tests/calls/expect.h"

int early_count(void);
int early_plus_one(int x);

int main(void)
{
	CHECK(early_count() == 1);
#if defined(__x86_64__)
	CHECK(early_plus_one(1) == 2);
#endif
	expect("only pthread_create pthread_join pthread_mutex_lock pthread_mutex_unlock");
	for (int i = 0; i < 2; i++) {
		expect("0.0 pthread_create - 0 thread=0.%d", i + 1);
		expect("0.%d pthread_mutex_lock mutex:$m 0", i + 1);
		expect("0.%d pthread_mutex_unlock mutex:$m 0", i + 1);
		expect("0.0 pthread_join - 0 thread=0.%d", i + 1);
	}
	return 0;
}
