# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Suites that others wrote, run untraced and traced: doc/transparency.md. Each module of suites/ is a test; a new one: its
# name here.
TEST_EXTENSIONS += .py
PY_LOG_COMPILER = timeout -k 10 $(SYNTRACE_SUITE_SECONDS) $(SHELL) $(srcdir)/tests/transparency/check.sh
SYNTRACE_SUITE_SECONDS = 900
transparency_suites = tests/transparency/suites/glibc.py tests/transparency/suites/libuv.py
TESTS += tests/transparency/selftest.sh $(transparency_suites)
EXTRA_DIST += $(transparency_suites) tests/transparency/suites/glibc.core tests/transparency/suites/libuv.core tests/transparency/check.sh tests/transparency/known tests/transparency/run.py \
	tests/transparency/selftest.sh tests/transparency/source.sh tests/transparency/suite.py
