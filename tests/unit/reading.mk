# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Unit tests of the decoder's reading half: against libdecoder.a, with dumps made by tests/lib/.
DECODER_TEST_CFLAGS = $(DECODER_CFLAGS) $(CMOCKA_CFLAGS)
DECODER_TEST_LIBS = libdumpwriter.a $(decoder_libs) $(CMOCKA_LIBS)

reading_tests = tests/unit/test-bisect tests/unit/test-block tests/unit/test-boot tests/unit/test-check-dump tests/unit/test-clock tests/unit/test-columns \
	tests/unit/test-component \
	tests/unit/test-err tests/unit/test-event tests/unit/test-hash tests/unit/test-json tests/unit/test-live-read \
	tests/unit/test-longest tests/unit/test-meta tests/unit/test-ordered tests/unit/test-progress tests/unit/test-reader tests/unit/test-sampled tests/unit/test-sort tests/unit/test-store tests/unit/test-symbol tests/unit/test-table tests/unit/test-wire

tests_unit_test_bisect_SOURCES = tests/unit/test-bisect.c
tests_unit_test_bisect_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_bisect_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_block_SOURCES = tests/unit/test-block.c
tests_unit_test_block_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_block_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_boot_SOURCES = tests/unit/test-boot.c
tests_unit_test_boot_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_boot_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_check_dump_SOURCES = tests/unit/test-check-dump.c
tests_unit_test_check_dump_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_check_dump_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_clock_SOURCES = tests/unit/test-clock.c
tests_unit_test_clock_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_clock_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_columns_SOURCES = tests/unit/test-columns.c
tests_unit_test_columns_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_columns_LDADD = $(CMOCKA_LIBS) -llz4
tests_unit_test_component_SOURCES = tests/unit/test-component.c
tests_unit_test_component_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_component_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_err_SOURCES = tests/unit/test-err.c
tests_unit_test_err_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_err_LDADD = libbase.a $(CMOCKA_LIBS)
tests_unit_test_event_SOURCES = tests/unit/test-event.c
tests_unit_test_event_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_event_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_hash_SOURCES = tests/unit/test-hash.c
tests_unit_test_hash_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_hash_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_json_SOURCES = tests/unit/test-json.c
tests_unit_test_json_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_json_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_meta_SOURCES = tests/unit/test-meta.c
tests_unit_test_meta_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_meta_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_live_read_SOURCES = tests/unit/test-live-read.c
tests_unit_test_live_read_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_live_read_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_reader_SOURCES = tests/unit/test-reader.c
tests_unit_test_reader_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_reader_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_sampled_SOURCES = tests/unit/test-sampled.c
tests_unit_test_sampled_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_sampled_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_longest_SOURCES = tests/unit/test-longest.c
tests_unit_test_longest_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_longest_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_progress_SOURCES = tests/unit/test-progress.c
tests_unit_test_progress_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_progress_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_ordered_SOURCES = tests/unit/test-ordered.c
tests_unit_test_ordered_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_ordered_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_sort_SOURCES = tests/unit/test-sort.c
tests_unit_test_sort_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_sort_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_store_SOURCES = tests/unit/test-store.c
tests_unit_test_store_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_store_LDADD = libbase.a $(CMOCKA_LIBS) -lpthread
tests_unit_test_table_SOURCES = tests/unit/test-table.c
tests_unit_test_table_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_table_LDADD = libbase.a $(CMOCKA_LIBS) -lpthread
tests_unit_test_symbol_SOURCES = tests/unit/test-symbol.c
tests_unit_test_symbol_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_symbol_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_wire_SOURCES = tests/unit/test-wire.c
tests_unit_test_wire_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_wire_LDADD = $(DECODER_TEST_LIBS)

check_PROGRAMS += $(reading_tests)
TESTS += $(reading_tests)
