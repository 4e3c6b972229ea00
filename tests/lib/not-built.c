/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The program of a test that this configuration cannot build: the test counts as skipped. */
#include <stdio.h>

int main(void)
{
	puts("skipped: configure found no " NOT_BUILT_FOR);
	return 77;
}
