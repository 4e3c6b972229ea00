# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Unit tests of the decoder's reading half: against libdecoder.la, with dumps made by tests/lib/.
if HAVE_CMOCKA
DECODER_TEST_CFLAGS = $(DECODER_CFLAGS) $(CMOCKA_CFLAGS)
DECODER_TEST_LIBS = libdumpwriter.la libdecoder.la $(CMOCKA_LIBS)

reading_tests = tests/unit/test-reader
tests_unit_test_reader_SOURCES = tests/unit/test-reader.c
tests_unit_test_reader_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_reader_LDADD = $(DECODER_TEST_LIBS)

check_PROGRAMS += $(reading_tests)
TESTS += $(reading_tests)
endif
