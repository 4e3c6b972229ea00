# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/check/command.c \
	decoder/report/check/expected.c \
	decoder/report/check/expected.h \
	decoder/report/check/print.c \
	decoder/report/check/view.h
report_commands += decoder/report/check/command.c
dist_man_MANS += man/syntrace-decode-check.1
report_tests += tests/report/expect.sh
