# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Tests of single calls: NAME.call performs them and says what is to be decoded (tests/calls/expect.h).
# A new one: its name here, and a line for its source.
TEST_EXTENSIONS = .call
CALL_LOG_COMPILER = $(SHELL) $(srcdir)/tests/calls/run.sh
calls = \
	tests/calls/mutex.call

check_PROGRAMS += $(calls)
TESTS += $(calls)
EXTRA_DIST += tests/calls/run.sh tests/calls/compare.py tests/calls/expect.h
calls_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE

tests_calls_mutex_call_SOURCES = tests/calls/mutex.c
tests_calls_mutex_call_CPPFLAGS = $(calls_CPPFLAGS)
