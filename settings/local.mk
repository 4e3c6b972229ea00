# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The library that reads the configuration files of both tools.
noinst_LIBRARIES += libsettings.a
libsettings_a_SOURCES = settings/command_line.c settings/file.c settings/file.h settings/launcher-verbs.def settings/layers.c \
	settings/layers.h settings/settings.h settings/show.c settings/nearest.c settings/nearest.h \
	settings/use.c settings/use.h
libsettings_a_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(INIH_CFLAGS) -DSYT_SYSCONFDIR='"$(sysconfdir)"'
libsettings_a_CFLAGS = $(SYT_OFFLINE_CFLAGS) -O2 -g
