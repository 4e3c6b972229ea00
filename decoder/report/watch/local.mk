# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/watch/alarm.c \
	decoder/report/watch/alarm.h \
	decoder/report/watch/command.c \
	decoder/report/watch/comparable.c \
	decoder/report/watch/comparable.h \
	decoder/report/watch/complete.c \
	decoder/report/watch/complete.h \
	decoder/report/watch/online.c \
	decoder/report/watch/online.h \
	decoder/report/watch/online_print.c \
	decoder/report/watch/pace.c \
	decoder/report/watch/pace.h \
	decoder/report/watch/print.c
report_commands += decoder/report/watch/command.c
dist_man_MANS += man/syntrace-decode-watch.1
report_tests += tests/report/watch-odd.sh
