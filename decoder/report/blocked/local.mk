# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/blocked/command.c \
	decoder/report/blocked/findings.c \
	decoder/report/blocked/listings.c \
	decoder/report/blocked/view.h
report_commands += decoder/report/blocked/command.c
dist_man_MANS += man/syntrace-decode-blocked.1
report_tests += tests/report/blocked.sh
