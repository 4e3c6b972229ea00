# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/events/batch.c \
	decoder/report/events/batch.h \
	decoder/report/events/command.c \
	decoder/report/events/print.c \
	decoder/report/events/print.h
report_commands += decoder/report/events/command.c
dist_man_MANS += man/syntrace-decode-events.1
