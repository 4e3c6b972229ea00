# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/top/command.c \
	decoder/report/top/print.c \
	decoder/report/top/print.h \
	decoder/report/top/screen.c \
	decoder/report/top/screen.h \
	decoder/report/top/locks.c \
	decoder/report/top/locks.h
report_commands += decoder/report/top/command.c
dist_man_MANS += man/syntrace-decode-top.1
