# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The traced program in places where a recorder could hurt it: doc/pitfalls.md.
harsh_tests = tests/harsh/confine.sh
harsh_programs = tests/harsh/confine
check_PROGRAMS += $(harsh_programs)
TESTS += $(harsh_tests)
EXTRA_DIST += $(harsh_tests)
harsh_cflags = $(AM_CFLAGS) -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls

tests_harsh_confine_SOURCES = tests/harsh/confine.c
tests_harsh_confine_CFLAGS = $(harsh_cflags)
