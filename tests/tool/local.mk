# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
tool_tests = \
	tests/tool/blind.sh \
	tests/tool/doctor.sh \
	tests/tool/record.sh \
	tests/tool/config.sh \
	tests/tool/pairs.sh \
	tests/tool/pause.sh \
	tests/tool/deep.sh \
	tests/tool/progress.sh \
	tests/tool/snapshot.sh \
	tests/tool/top.sh \
	tests/tool/trigger.sh \
	tests/tool/perf-map.sh \
	tests/tool/reach.sh \
	tests/tool/memory.sh \
	tests/tool/completion.sh \
	tests/tool/man.sh \
	tests/tool/usage.sh \
	tests/tool/prepare.sh \
	tests/tool/check-again.sh \
	tests/tool/install.sh
TESTS += $(tool_tests)
EXTRA_DIST += $(tool_tests) tests/tool/completion-typed.py tests/tool/progress.py tests/tool/top-typed.py tests/tool/lib.sh
# Input of tests/tool/memory.sh.
check_PROGRAMS += syntrace-many-kinds
syntrace_many_kinds_SOURCES = tests/tool/many-kinds.c
syntrace_many_kinds_CFLAGS = $(AM_CFLAGS) -O2
syntrace_many_kinds_LDADD = -lpthread
# Input of tests/tool/top.sh, and a reader of a trace in parts.
check_PROGRAMS += syntrace-many-locks syntrace-tail-parts
syntrace_many_locks_SOURCES = tests/tool/many-locks.c
syntrace_many_locks_CFLAGS = $(AM_CFLAGS) -O2
syntrace_many_locks_LDADD = -lpthread
syntrace_tail_parts_SOURCES = tests/tool/tail-parts.c
syntrace_tail_parts_CFLAGS = $(DECODER_CFLAGS)
syntrace_tail_parts_LDADD = $(decoder_libs)
# The decoder with its system's configuration file below the current directory, for tests/tool/config.sh.
check_PROGRAMS += tests/tool/decode-here
tests_tool_decode_here_SOURCES = $(syntrace_decode_SOURCES) $(libsettings_a_SOURCES)
tests_tool_decode_here_CPPFLAGS = $(AM_CPPFLAGS) $(INIH_CFLAGS) -DSYT_SYSCONFDIR='"etc"'
tests_tool_decode_here_CFLAGS = $(DECODER_CFLAGS)
tests_tool_decode_here_LDADD = $(decoder_libs) $(INIH_LIBS)
