# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/waits/page.c \
	decoder/report/waits/command.c \
	decoder/report/waits/demand.c \
	decoder/report/waits/demand.h \
	decoder/report/waits/demand_client.c \
	decoder/report/waits/listings.c \
	decoder/report/waits/findings.c \
	decoder/report/waits/waits.c \
	decoder/report/waits/waits.h
report_commands += decoder/report/waits/command.c
dist_man_MANS += man/syntrace-decode-waits.1
report_tests += tests/report/waits.sh
