# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The recorder with a sampler (doc/sampling.md). list-dump prints dumps without the decoder.
check_PROGRAMS += tests/sample/chain tests/sample/list-dump tests/sample/mixed
dist_check_SCRIPTS += tests/sample/budget.sh tests/sample/marks.sh tests/sample/recorder.sh
EXTRA_DIST += tests/sample/compare.awk
TESTS += tests/sample/budget.sh tests/sample/marks.sh tests/sample/recorder.sh

tests_sample_list_dump_SOURCES = tests/sample/list-dump.c
tests_sample_list_dump_CFLAGS = $(AM_CFLAGS) $(LZ4_CFLAGS)
tests_sample_list_dump_LDADD = $(LZ4_LIBS)
tests_sample_mixed_CFLAGS = $(AM_CFLAGS) -O1
