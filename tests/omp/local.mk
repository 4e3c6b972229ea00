# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Programs that use OpenMP.
omp_tests = tests/omp/order.sh tests/omp/plugin.sh
EXTRA_DIST += $(omp_tests) tests/omp/order.c
TESTS += $(omp_tests)
check_PROGRAMS += tests/omp/order
if HAVE_GOMP
omp_order_source = tests/omp/order.c
else
omp_order_source = tests/lib/not-built.c
endif
tests_omp_order_SOURCES = $(omp_order_source)
tests_omp_order_CPPFLAGS = $(AM_CPPFLAGS) -DNOT_BUILT_FOR='"libgomp"'
tests_omp_order_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
EXTRA_tests_omp_order_DEPENDENCIES = config.h
