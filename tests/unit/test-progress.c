/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* base/progress.c, with a pseudo-terminal as standard error. */
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/out.h"
#include "base/progress.h"

#define ERASED "\r\033[K"

static int terminal, saved;
static char text[65536];

static int set_up(void **state)
{
	int slave;

	(void)state;
	if (openpty(&terminal, &slave, NULL, NULL, NULL))
		return -1;
	fflush(stderr);
	saved = dup(STDERR_FILENO);
	dup2(slave, STDERR_FILENO);
	close(slave);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	syt_progress_close();
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(terminal);
	return 0;
}

/* Returns the text that reaches the terminal in the next MS milliseconds, or until it contains WANTED. */
static const char *shown(int ms, const char *wanted)
{
	struct pollfd fd = {.fd = terminal, .events = POLLIN};
	size_t used = 0;

	text[0] = 0;
	for (; ms > 0 && !(wanted && strstr(text, wanted)); ms -= 10) {
		ssize_t n = poll(&fd, 1, 10) > 0
		                    ? read(terminal, text + used, sizeof(text) - 1 - used)
		                    : 0;

		used += n > 0 ? (size_t)n : 0;
		text[used] = 0;
	}
	return text;
}

static void test_line_after_a_second(void **state)
{
	(void)state;
	syt_progress_open("reading");
	assert_string_equal(shown(700, NULL), "");
	assert_non_null(strstr(shown(5000, "reading: 1 s"), "\rreading: 1 s\033[K"));
	syt_progress_begin("ordering", 4);
	syt_progress_step();
	assert_non_null(strstr(shown(5000, "ordering: 25 %"), "ordering: 25 %"));
	syt_progress_end();
	syt_progress_rename("analyzing");
	assert_non_null(strstr(shown(5000, "analyzing: "), "analyzing: "));
	syt_progress_close();
	assert_non_null(strstr(shown(200, NULL), ERASED));
	assert_string_equal(shown(300, NULL), "");
}

static void test_message_is_alone(void **state)
{
	(void)state;
	syt_progress_open("reading");
	shown(5000, "reading: ");
	syt_err_open("program", 1, "");
	syt_warn("a message");
	assert_non_null(strstr(shown(5000, "a message"), ERASED "program: a message"));
}

static void test_output_ends_it(void **state)
{
	struct syt_out file, out;
	FILE *f = tmpfile();
	int fds[2];

	(void)state;
	assert_non_null(f);
	assert_int_equal(pipe(fds), 0);
	syt_progress_open("reading");
	shown(5000, "reading: ");
	syt_out_open(&file, fileno(f), false);
	syt_out_string(&file, "text");
	syt_out_close(&file);
	assert_non_null(strstr(shown(2000, "reading: "), "reading: "));
	syt_out_open(&out, fds[1], false);
	syt_out_string(&out, "text");
	syt_out_close(&out);
	shown(100, NULL);
	assert_string_equal(shown(300, NULL), "");
	close(fds[0]);
	close(fds[1]);
	fclose(f);
}

static void test_no_terminal(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDERR_FILENO);
	syt_progress_open("reading");
	usleep(1300000);
	syt_progress_close();
	close(fds[1]);
	dup2(saved, STDERR_FILENO);
	assert_int_equal(read(fds[0], text, sizeof(text)), 0);
	close(fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_line_after_a_second, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_message_is_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_output_ends_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_terminal, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
