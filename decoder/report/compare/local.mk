# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/compare/alignment.c \
	decoder/report/compare/alignment.h \
	decoder/report/compare/baseline.c \
	decoder/report/compare/baseline.h \
	decoder/report/compare/build.c \
	decoder/report/compare/build.h \
	decoder/report/compare/command_baseline.c \
	decoder/report/compare/command_diff.c \
	decoder/report/compare/comparison.h \
	decoder/report/compare/consequence.c \
	decoder/report/compare/consequence.h \
	decoder/report/compare/count_model.c \
	decoder/report/compare/count_model.h \
	decoder/report/compare/difference.c \
	decoder/report/compare/difference.h \
	decoder/report/compare/document.c \
	decoder/report/compare/fact-types.def \
	decoder/report/compare/fact.c \
	decoder/report/compare/fact.h \
	decoder/report/compare/match.c \
	decoder/report/compare/match.h \
	decoder/report/compare/path_object.c \
	decoder/report/compare/path_object.h \
	decoder/report/compare/print.c \
	decoder/report/compare/runs.c \
	decoder/report/compare/runs.h \
	decoder/report/compare/task_rules.c \
	decoder/report/compare/task_rules.h \
	decoder/report/compare/view.h \
	decoder/report/compare/work_unit.c \
	decoder/report/compare/work_unit.h
report_commands += decoder/report/compare/command_baseline.c decoder/report/compare/command_diff.c
dist_man_MANS += man/syntrace-decode-diff.1 man/syntrace-decode-baseline.1
report_tests += tests/report/diff.sh tests/report/ci.sh tests/report/model-ci.sh
EXTRA_DIST += tests/report/ci/ci.h tests/report/ci/events.c tests/report/ci/family.c tests/report/ci/kinds.c tests/report/ci/phases.c \
	tests/report/ci/pipeline.c tests/report/ci/pools.c tests/report/ci/server.c tests/report/ci/strtoul.c
