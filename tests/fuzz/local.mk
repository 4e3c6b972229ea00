# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# libFuzzer over the decoder's reading; skipped where clang is not there.
EXTRA_DIST += tests/fuzz/fuzz-dump.c
dist_check_SCRIPTS += tests/fuzz/fuzz.sh
TESTS += tests/fuzz/fuzz.sh
