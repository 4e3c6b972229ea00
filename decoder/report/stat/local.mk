# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/stat/command.c \
	decoder/report/stat/hosts.c \
	decoder/report/stat/listings.c \
	decoder/report/stat/object_summary.c \
	decoder/report/stat/object_summary.h \
	decoder/report/stat/order.c \
	decoder/report/stat/process.c \
	decoder/report/stat/stat.h \
	decoder/report/stat/summary.c \
	decoder/report/stat/summary.h
report_commands += decoder/report/stat/command.c
dist_man_MANS += man/syntrace-decode-stat.1
