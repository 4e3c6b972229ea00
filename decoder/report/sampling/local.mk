# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/sampling/command.c \
	decoder/report/sampling/counts.c \
	decoder/report/sampling/samplers.c \
	decoder/report/sampling/view.h
report_commands += decoder/report/sampling/command.c
dist_man_MANS += man/syntrace-decode-sampling.1
report_tests += tests/report/sampling.sh
