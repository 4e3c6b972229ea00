# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/lock_order/arc.c \
	decoder/report/lock_order/arc.h \
	decoder/report/lock_order/command.c \
	decoder/report/lock_order/cycle.c \
	decoder/report/lock_order/findings.c \
	decoder/report/lock_order/gather.c \
	decoder/report/lock_order/listings.c \
	decoder/report/lock_order/lock_order.h \
	decoder/report/lock_order/page.c \
	decoder/report/lock_order/reply.c \
	decoder/report/lock_order/reply.h \
	decoder/report/lock_order/view.h \
	decoder/report/lock_order/walk.c \
	decoder/report/lock_order/walk.h
report_commands += decoder/report/lock_order/command.c
dist_man_MANS += man/syntrace-decode-lock-order.1
report_tests += tests/report/lock-order.sh tests/report/orders.sh
