#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Each header compiles alone, and twice.
. "$(dirname "$0")/lib.sh"

for header in $(lint_sources format runtime preload base settings decoder tool fleet tests | grep '\.h$'); do
	printf '#include "%s"\n#include "%s"\n' "$header" "$header" >"$lint_work/alone.c"
	$CC -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -fsyntax-only -I "$lint_root" -I "$top_builddir" \
		$(pkg-config --cflags libdw cmocka 2>/dev/null) \
		-x c "$lint_work/alone.c" >"$lint_work/out" 2>&1 || {
		lint_fail "$header does not compile alone:"
		head -n 5 "$lint_work/out"
	}
done
lint_end
