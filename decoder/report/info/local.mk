# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/info/command.c
report_commands += decoder/report/info/command.c
dist_man_MANS += man/syntrace-decode-info.1
