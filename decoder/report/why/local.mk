# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/why/command.c \
	decoder/report/why/findings.c
report_commands += decoder/report/why/command.c
dist_man_MANS += man/syntrace-decode-why.1
