# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace(1): the launcher and doctor.  Knows of the recorder only where its library is.
bin_PROGRAMS += syntrace
syntrace_SOURCES = tool/main.c tool/verbs.h tool/record.c tool/doctor.c tool/info.c tool/launch.c \
	tool/launch.h tool/live.c tool/live.h tool/pause.c tool/pause.h tool/options.c tool/options.h tool/copy.c \
	tool/copy.h tool/snapshot.c tool/snapshot.h tool/top.c tool/child.c tool/child.h tool/trigger.c \
	tool/trigger.h tool/answer.c tool/answer.h tool/diag.c tool/diag.h tool/directory.c tool/directory.h \
	tool/summary.c tool/summary.h tool/agent.c tool/agent_policy.c tool/agent_policy.h tool/agent_spool.c tool/agent_spool.h \
	tool/agent_window.c tool/agent_window.h tool/program.c tool/program.h tool/elf.c tool/elf.h tool/perf_map.c tool/perf_map.h
# The library is also found when the whole installation has been moved: by the way from bin to it.
syntrace_CPPFLAGS = $(AM_CPPFLAGS) $(LIBELF_CFLAGS) $(XXHASH_CFLAGS) $(ZLIB_CFLAGS) -DSYT_LIBDIR='"$(libdir)"' \
	-DSYT_LIB_FROM_BIN='"'$$(realpath -m -s --relative-to='$(bindir)' '$(libdir)')'"'
syntrace_CFLAGS = $(SYT_OFFLINE_CFLAGS)
syntrace_LDADD = libsettings.a libbase.a $(INIH_LIBS) $(LIBELF_LIBS) $(XXHASH_LIBS) $(ZLIB_LIBS) -lm -lpthread
