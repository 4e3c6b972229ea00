# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Formats of other tools, compared with the output of the verbs.
export_tests = tests/export/perfetto.sh tests/export/profiles.sh tests/export/sqlite.sh tests/export/ctf.sh \
	tests/export/part.sh tests/export/window.sh
TESTS += $(export_tests)
check_PROGRAMS += tests/export/rounds
tests_export_rounds_SOURCES = tests/export/rounds.c
tests_export_rounds_LDADD = -lpthread
check_PROGRAMS += tests/export/windows
tests_export_windows_SOURCES = tests/export/windows.c
tests_export_windows_LDADD = -lpthread
EXTRA_DIST += $(export_tests) tests/export/lib.sh tests/export/drawn.py tests/export/perfetto.py \
	tests/export/profiles.py tests/export/prototext.py tests/export/sqlite.py tests/export/ctf.py tests/export/part.py tests/export/window.py \
	tests/golden/0.1.0/pipeline.pftrace.text.xz
