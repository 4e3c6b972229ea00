# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Programs that use OpenMP.
omp_tests = tests/omp/order.sh tests/omp/plugin.sh
EXTRA_DIST += $(omp_tests) tests/omp/order.c
if HAVE_GOMP
TESTS += $(omp_tests)
check_PROGRAMS += tests/omp/order
tests_omp_order_SOURCES = tests/omp/order.c
tests_omp_order_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
endif
