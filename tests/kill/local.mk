# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Sudden ends lose no completed call.
check_PROGRAMS += tests/kill/worker
tests_kill_worker_SOURCES = tests/kill/worker.c
tests_kill_worker_LDADD = -lpthread
TESTS += tests/kill/kill.sh
EXTRA_DIST += tests/kill/kill.sh
