# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The wrappers.

noinst_LTLIBRARIES += libpreload.la
libpreload_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libpreload_la_CFLAGS = $(AM_CFLAGS) $(SYT_TRACED_CFLAGS)
libpreload_la_CCASFLAGS = $(SYT_BRANCH_CFLAGS)
libpreload_la_SOURCES = \
	preload/boot.S \
	preload/cond.c \
	preload/fd.c \
	preload/init.c \
	preload/io.c preload/io.h \
	preload/libc.h \
	preload/mutex.c \
	preload/object.h \
	preload/plain.c \
	preload/poll.c \
	preload/real.c preload/real.h \
	preload/socket.c \
	preload/version.h \
	preload/wrap.h

EXTRA_DIST += preload/versions.map.in
CLEANFILES += preload/versions.map
preload/versions.map: $(srcdir)/preload/versions.map.in $(srcdir)/format/calls.def
	$(AM_V_GEN)$(MKDIR_P) preload && $(CPP) -P -x assembler-with-cpp \
		-I$(srcdir) $(srcdir)/preload/versions.map.in >$@.tmp && mv $@.tmp $@
