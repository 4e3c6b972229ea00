# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Traces of several hosts: of one trace, tests/lib/rehost makes the traces of other hosts.
host_tests = \
	tests/host/clocks.sh \
	tests/host/datagrams.sh \
	tests/host/pause.sh \
	tests/host/rehost.sh \
	tests/host/reports.sh \
	tests/host/two-hosts.sh \
	tests/host/two-traces.sh
dist_check_SCRIPTS += $(host_tests)
TESTS += $(host_tests)
EXTRA_DIST += \
	tests/host/clocks.py \
	tests/host/datagrams.py \
	tests/host/echo.py \
	tests/host/exports.py \
	tests/host/page.py \
	tests/host/rehost.py \
	tests/host/reports.py \
	tests/host/two-hosts.py \
	tests/host/two-traces.py
check_PROGRAMS += tests/host/anonymous
tests_host_anonymous_SOURCES = tests/host/anonymous.c
tests_host_anonymous_CFLAGS = $(AM_CFLAGS) -D_GNU_SOURCE
tests_host_anonymous_LDADD = -lpthread
