/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* base/err.h: the format of a message, and memory of all sizes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"

/* Lets an allocation that is too large fail, also in a build with ASan, which would end the program. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void speak(void)
{
	syt_warn("a\x1b[31m\n%s\x7f", "\xc3\xa4");
	syt_warn_bytes("a\x1b \xc3\xa4");
	errno = ENOENT;
	syt_warn_errno("cannot open %s", "b");
	syt_die(7, "the end of %d", 3);
}

static void ask_for_too_much(void)
{
	syt_alloc(SIZE_MAX / 2, 3); /* the product is small */
}

/* Runs SAY in a child process. Stores its messages in *TEXT and returns its exit status. */
static int listen(void (*say)(void), char *text, size_t bytes)
{
	int ends[2], status;
	size_t nr = 0;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		syt_err_open("me", 9, ", sorry");
		say();
		_exit(0);
	}
	close(ends[1]);
	while ((n = read(ends[0], text + nr, bytes - 1 - nr)) > 0)
		nr += (size_t)n;
	text[nr] = 0;
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_messages(void **state)
{
	char text[1024];

	(void)state;
	assert_int_equal(listen(speak, text, sizeof(text)), 7);
	assert_string_equal(text, "me: a\\x1b[31m\\x0a\xc3\xa4\\x7f\n"
	                          "me: a\\x1b \\xc3\\xa4\n"
	                          "me: cannot open b: No such file or directory\n"
	                          "me: the end of 3\n");
}

static void test_no_memory(void **state)
{
	char text[1024], expected[1024];

	(void)state;
	assert_int_equal(listen(ask_for_too_much, text, sizeof(text)), 9);
	snprintf(expected, sizeof(expected), "me: out of memory (%zu x 3 bytes), sorry\n",
	         SIZE_MAX / 2);
	assert_string_equal(text, expected);
}

static void test_memory(void **state)
{
	uint32_t *all = NULL;
	size_t room = 0, bytes;
	char *text = syt_asprintf("%s-%d", "x", 5), *more;
	FILE *f = syt_memstream(&more, &bytes);

	(void)state;
	assert_string_equal(text, "x-5");
	free(text);
	fputs("12", f);
	fclose(f);
	assert_string_equal(more, "12");
	free(more);
	for (uint32_t i = 0; i < 1000; i++) {
		syt_grow(&all, &room, i + 1, sizeof(*all));
		assert_true(room > i);
		all[i] = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(all[i], i);
	all = syt_realloc(all, 0, sizeof(*all));
	assert_non_null(all);
	free(all);
	all = syt_calloc(3, sizeof(*all));
	assert_int_equal(all[0] | all[1] | all[2], 0);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
