# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/graph/command.c \
	decoder/report/graph/print.c \
	decoder/report/graph/view.h
report_commands += decoder/report/graph/command.c
dist_man_MANS += man/syntrace-decode-graph.1
