# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Hand-offs through queues, inferred, against programs that know them.
handoff_tests = tests/handoff/handoff.sh
TESTS += $(handoff_tests)
EXTRA_DIST += $(handoff_tests) \
	tests/handoff/mark.h \
	tests/handoff/pool.c \
	tests/handoff/pool.cc \
	tests/handoff/queues.py \
	tests/handoff/truth.py \
	tests/handoff/uv.c
