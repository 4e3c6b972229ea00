# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Programs that make it hard, and circumstances in which recording fails.
check_PROGRAMS += tests/stress/churn
tests_stress_churn_SOURCES = tests/stress/churn.c
tests_stress_churn_LDADD = -lpthread
check_PROGRAMS += tests/stress/descriptors
tests_stress_descriptors_SOURCES = tests/stress/descriptors.c
tests_stress_descriptors_LDADD = -lpthread
stress_tests = tests/stress/descriptors.sh tests/stress/stress.sh tests/stress/trouble.sh tests/stress/transparent.sh
TESTS += $(stress_tests)
EXTRA_DIST += $(stress_tests)
