/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Shared by the programs of tests/robustness: a check that makes no intercepted call. */
#ifndef SYT_TESTS_ROBUSTNESS_NEED_H
#define SYT_TESTS_ROBUSTNESS_NEED_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEED(condition_)                                                                           \
	do {                                                                                       \
		if (!(condition_)) {                                                               \
			dprintf(STDOUT_FILENO, "%s:%d: not true: %s (errno %d)\n", __FILE__,       \
			        __LINE__, #condition_, errno);                                     \
			_exit(9);                                                                  \
		}                                                                                  \
	} while (0)

/* A mode of the program. The argument of `run` is the number on the command line. */
struct mode {
	const char *name;
	void (*run)(int nr);
};

#define MODES_MAIN(modes_)                                                                         \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		for (size_t i = 0; argc == 3 && i < sizeof(modes_) / sizeof(*(modes_)); i++) {     \
			if (!strcmp(argv[1], (modes_)[i].name)) {                                  \
				(modes_)[i].run(atoi(argv[2]));                                    \
				printf("%s: done\n", argv[1]);                                     \
				return 0;                                                          \
			}                                                                          \
		}                                                                                  \
		return 2;                                                                          \
	}

#endif
