# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The traced program in places where a recorder could hurt it: doc/pitfalls.md.
harsh_tests = \
	tests/harsh/closing.sh \
	tests/harsh/confine.sh \
	tests/harsh/directory.sh \
	tests/harsh/forks.sh \
	tests/harsh/jumps.sh \
	tests/harsh/libraries.sh \
	tests/harsh/lifetime.sh \
	tests/harsh/many.sh \
	tests/harsh/places.sh \
	tests/harsh/sanitizers.sh \
	tests/harsh/stack.sh
harsh_programs = \
	tests/harsh/closing \
	tests/harsh/confine \
	tests/harsh/directory \
	tests/harsh/forks \
	tests/harsh/jumps \
	tests/harsh/lifetime \
	tests/harsh/many \
	tests/harsh/places \
	tests/harsh/stack
check_PROGRAMS += $(harsh_programs)
TESTS += $(harsh_tests)
EXTRA_DIST += $(harsh_tests) tests/harsh/lib.sh tests/harsh/sanitizers.c tests/harsh/sanitizers.cc
harsh_cflags = $(AM_CFLAGS) -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wno-unused-result

tests_harsh_closing_SOURCES = tests/harsh/closing.c tests/harsh/need.h
tests_harsh_closing_CFLAGS = $(harsh_cflags)
tests_harsh_confine_SOURCES = tests/harsh/confine.c
tests_harsh_confine_CFLAGS = $(harsh_cflags)
tests_harsh_directory_SOURCES = tests/harsh/directory.c tests/harsh/need.h
tests_harsh_directory_CFLAGS = $(harsh_cflags)
tests_harsh_forks_SOURCES = tests/harsh/forks.c tests/harsh/need.h
tests_harsh_forks_CFLAGS = $(harsh_cflags)
tests_harsh_jumps_SOURCES = tests/harsh/jumps.c tests/harsh/need.h
tests_harsh_jumps_CFLAGS = $(harsh_cflags)
tests_harsh_lifetime_SOURCES = tests/harsh/lifetime.c tests/harsh/need.h
tests_harsh_lifetime_CFLAGS = $(harsh_cflags)
# bound at once: the loader's own stack would hide what is measured
tests_harsh_stack_SOURCES = tests/harsh/stack.c tests/harsh/need.h
tests_harsh_stack_CFLAGS = $(harsh_cflags)
tests_harsh_stack_LDFLAGS = -Wl,-z,now
tests_harsh_places_SOURCES = tests/harsh/places.c tests/harsh/need.h
tests_harsh_places_CFLAGS = $(harsh_cflags)
tests_harsh_many_SOURCES = tests/harsh/many.c tests/harsh/need.h
tests_harsh_many_CFLAGS = $(harsh_cflags)
