# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/model/boxes.c \
	decoder/report/model/boxes.h \
	decoder/report/model/command.c \
	decoder/report/model/costs.c \
	decoder/report/model/costs.h \
	decoder/report/model/digest.c \
	decoder/report/model/digest.h \
	decoder/report/model/dot.c \
	decoder/report/model/error.c \
	decoder/report/model/expand.c \
	decoder/report/model/hidden.c \
	decoder/report/model/json.c \
	decoder/report/model/page.c \
	decoder/report/model/svg.c \
	decoder/report/model/text.c \
	decoder/report/model/view.h
report_commands += decoder/report/model/command.c
dist_man_MANS += man/syntrace-decode-model.1
report_tests += tests/report/model.sh tests/report/model-picture.sh tests/report/model-properties.sh \
	tests/report/model-replicas.sh tests/report/model-turns.sh tests/report/model-servers.sh
