# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Suites that others wrote, run untraced and traced: doc/transparency.md. Each module of suites/ is a test; a new one: its
# name here.
TEST_EXTENSIONS += .py
PY_LOG_COMPILER = timeout -k 10 $(SYNTRACE_SUITE_SECONDS) $(SHELL) $(srcdir)/tests/transparency/check.sh
SYNTRACE_SUITE_SECONDS = 900
transparency_suites = tests/transparency/suites/cpython.py tests/transparency/suites/glibc.py \
	tests/transparency/suites/libuv.py tests/transparency/suites/programs.py tests/transparency/suites/stress_ng.py
TESTS += tests/transparency/selftest.sh $(transparency_suites)
transparency_programs = tests/transparency/programs/build.sh tests/transparency/programs/chromium.sh \
	tests/transparency/programs/common.sh tests/transparency/programs/compress.sh \
	tests/transparency/programs/ffmpeg.sh tests/transparency/programs/git.sh tests/transparency/programs/java.sh \
	tests/transparency/programs/launch.sh \
	tests/transparency/programs/memcached.sh tests/transparency/programs/nginx.sh tests/transparency/programs/node.sh \
	tests/transparency/programs/postgres.sh tests/transparency/programs/python3.sh \
	tests/transparency/programs/redis.sh tests/transparency/programs/shell.sh tests/transparency/programs/ssh.sh
EXTRA_DIST += $(transparency_programs) tests/transparency/calls.py tests/transparency/cpython_module.py \
	tests/transparency/stress_ng.sh
EXTRA_DIST += $(transparency_suites) tests/transparency/check.sh tests/transparency/known tests/transparency/run.py \
	tests/transparency/selftest.sh tests/transparency/source.sh tests/transparency/suite.py \
	tests/transparency/suites/glibc.core tests/transparency/suites/libuv.core
