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

# Where python3 is a script that looks for a version, as that of pyenv, each of a thousand starts takes ten times as long. Then
# the tests find a link to the interpreter first.
check_DATA += tests/lib/path/made
tests/lib/path/made:
	$(AM_V_GEN)rm -rf tests/lib/path && $(MKDIR_P) tests/lib/path
	@python=`command -v python3` && test "`head -c 2 "$$python"`" = '#!' && \
		ln -s "`"$$python" -c 'import sys; print(sys.executable)'`" tests/lib/path/python3 || :
	@touch $@
CLEANFILES += tests/lib/path/made tests/lib/path/python3
