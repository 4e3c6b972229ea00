# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Code shared by the tests of several modules.
check_LIBRARIES += libdumpwriter.a
libdumpwriter_a_CFLAGS = $(DECODER_CFLAGS)
libdumpwriter_a_SOURCES = tests/lib/dump-writer.c tests/lib/dump-writer.h tests/lib/pack-columns.h tests/lib/random.h
# Joins the network namespaces of tests with several hosts.
check_PROGRAMS += tests/lib/wire
tests_lib_wire_SOURCES = tests/lib/wire.c tests/lib/random.h
tests_lib_wire_CFLAGS = $(AM_CFLAGS) -D_GNU_SOURCE
EXTRA_DIST += tests/lib/not-built.c
check_PROGRAMS += tests/lib/rehost
tests_lib_rehost_SOURCES = tests/lib/rehost.c
tests_lib_rehost_CFLAGS = $(DECODER_CFLAGS)
tests_lib_rehost_LDADD = $(decoder_libs) -lm
