# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Targets for libFuzzer over the decoder's reading, over all of it, and over its text files. replay-* are the same without
# the fuzzer, for the inputs kept in corpus/; pack makes seeds out of traces.
fuzz_common = tests/fuzz/recipe.c tests/fuzz/recipe.h tests/fuzz/mutate.c tests/fuzz/mutate.h \
	tests/fuzz/replay.c
fuzz_programs = tests/fuzz/replay-block tests/fuzz/replay-record tests/fuzz/replay-decoder \
	tests/fuzz/replay-rules tests/fuzz/replay-expect tests/fuzz/replay-workload tests/fuzz/pack
check_PROGRAMS += $(fuzz_programs)
tests_fuzz_replay_block_SOURCES = tests/fuzz/fuzz-block.c $(fuzz_common)
tests_fuzz_replay_block_CFLAGS = $(DECODER_CFLAGS)
tests_fuzz_replay_block_LDADD = $(decoder_libs)
tests_fuzz_replay_record_SOURCES = tests/fuzz/fuzz-record.c $(fuzz_common)
tests_fuzz_replay_record_CFLAGS = $(DECODER_CFLAGS)
tests_fuzz_replay_record_LDADD = $(decoder_libs)
tests_fuzz_replay_decoder_SOURCES = tests/fuzz/fuzz-decoder.c $(fuzz_common)
tests_fuzz_replay_decoder_CFLAGS = $(DECODER_CFLAGS)
tests_fuzz_replay_decoder_LDADD = $(decoder_libs)
tests_fuzz_replay_rules_SOURCES = tests/fuzz/fuzz-rules.c tests/fuzz/replay.c
tests_fuzz_replay_rules_CFLAGS = $(DECODER_CFLAGS)
tests_fuzz_replay_rules_LDADD = $(decoder_libs)
tests_fuzz_replay_expect_SOURCES = tests/fuzz/fuzz-expect.c $(fuzz_common)
tests_fuzz_replay_expect_CFLAGS = $(DECODER_CFLAGS)
tests_fuzz_replay_expect_LDADD = $(decoder_libs)
tests_fuzz_replay_workload_SOURCES = tests/fuzz/fuzz-workload.c tests/fuzz/replay.c
tests_fuzz_replay_workload_CFLAGS = $(DECODER_CFLAGS)
tests_fuzz_replay_workload_LDADD = $(decoder_libs)
tests_fuzz_pack_SOURCES = tests/fuzz/pack.c tests/fuzz/recipe.h
tests_fuzz_pack_CFLAGS = $(DECODER_CFLAGS)
tests_fuzz_pack_LDADD = $(decoder_libs)
EXTRA_DIST += tests/fuzz/corpus
dist_check_SCRIPTS += tests/fuzz/fuzz.sh
TESTS += tests/fuzz/fuzz.sh
