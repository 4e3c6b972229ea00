# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/requests/command.c \
	decoder/report/requests/findings.c \
	decoder/report/requests/json.c \
	decoder/report/requests/odd.c \
	decoder/report/requests/odd.h \
	decoder/report/requests/page.c \
	decoder/report/requests/text.c \
	decoder/report/requests/trail.c \
	decoder/report/requests/view.h
report_commands += decoder/report/requests/command.c
dist_man_MANS += man/syntrace-decode-requests.1
report_tests += tests/report/requests-pipeline.sh tests/report/requests-properties.sh tests/report/requests-open.sh tests/report/requests-shop.sh tests/report/requests-windows.sh
