# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The decoder, given files that are no dump, or a damaged dump.
check_PROGRAMS += tests/bad-input/damage tests/bad-input/boots
tests_bad_input_boots_SOURCES = tests/bad-input/boots.c
tests_bad_input_boots_CFLAGS = $(DECODER_CFLAGS)
tests_bad_input_boots_LDADD = libdumpwriter.a $(decoder_libs)
tests_bad_input_damage_SOURCES = tests/bad-input/damage.c
tests_bad_input_damage_CFLAGS = $(DECODER_CFLAGS)
tests_bad_input_damage_LDADD = libdumpwriter.a $(decoder_libs)
dist_check_SCRIPTS += tests/bad-input/bad-input.sh tests/bad-input/boots.sh tests/bad-input/clock.sh
TESTS += tests/bad-input/bad-input.sh tests/bad-input/boots.sh tests/bad-input/clock.sh
