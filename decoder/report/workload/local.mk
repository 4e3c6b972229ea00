# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/workload/automaton.c \
	decoder/report/workload/command.c \
	decoder/report/workload/mix.c \
	decoder/report/workload/print.c \
	decoder/report/workload/view.h
report_commands += decoder/report/workload/command.c
dist_man_MANS += man/syntrace-decode-workload.1
