# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/tasks/command.c
report_commands += decoder/report/tasks/command.c
dist_man_MANS += man/syntrace-decode-tasks.1
