# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/what_if/command.c \
	decoder/report/what_if/findings.c \
	decoder/report/what_if/replay.c \
	decoder/report/what_if/replay.h \
	decoder/report/what_if/view.h
report_commands += decoder/report/what_if/command.c
dist_man_MANS += man/syntrace-decode-what-if.1
report_tests += tests/report/what-if.sh
