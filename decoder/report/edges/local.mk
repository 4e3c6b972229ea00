# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/edges/reach_print.c \
	decoder/report/edges/reach_print.h \
	decoder/report/edges/command.c
report_commands += decoder/report/edges/command.c
dist_man_MANS += man/syntrace-decode-edges.1
