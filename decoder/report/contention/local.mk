# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/contention/page.c \
	decoder/report/contention/causes.c \
	decoder/report/contention/command.c \
	decoder/report/contention/gather.c \
	decoder/report/contention/contention.h \
	decoder/report/contention/herd.c \
	decoder/report/contention/listings.c \
	decoder/report/contention/paths.c \
	decoder/report/contention/paths.h \
	decoder/report/contention/findings.c
report_commands += decoder/report/contention/command.c
dist_man_MANS += man/syntrace-decode-contention.1
report_tests += tests/report/contention.sh
