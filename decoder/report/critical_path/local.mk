# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/critical_path/command.c \
	decoder/report/critical_path/findings.c \
	decoder/report/critical_path/listings.c \
	decoder/report/critical_path/page.c \
	decoder/report/critical_path/request_findings.c \
	decoder/report/critical_path/request_listings.c \
	decoder/report/critical_path/view.h
report_commands += decoder/report/critical_path/command.c
dist_man_MANS += man/syntrace-decode-critical-path.1
report_tests += tests/report/critical-path.sh tests/report/requests.sh
