# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/diagnose/causes.c \
	decoder/report/diagnose/command.c \
	decoder/report/diagnose/view.h
report_commands += decoder/report/diagnose/command.c
dist_man_MANS += man/syntrace-decode-diagnose.1
report_tests += tests/report/diagnose.sh
