#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Every SYNTRACE_* variable that the recorder reads stands in its one table and in doc/environment.md.
. "$(dirname "$0")/lib.sh"
[ -f "$lint_root/runtime/env.c" ] || lint_skip "no runtime/env.c"

# The variables that the code names in its own strings; SYNTRACE_TEST_* belong to the tests.
for file in $(lint_sources runtime preload tool); do
	grep -oE '"SYNTRACE_[A-Z_]+' "$lint_root/$file"
done | tr -d '"' | sort -u >"$lint_work/used"
sed -n 's/.*{"\(SYNTRACE_[A-Z_]*\)".*/\1/p' "$lint_root/runtime/env.c" | sort -u >"$lint_work/table"
grep -oE '^\| `SYNTRACE_[A-Z_]+' "$lint_root/doc/environment.md" | tr -d '|` ' | sort -u >"$lint_work/doc"

comm -23 "$lint_work/used" "$lint_work/table" | sed 's/$/: not in the table of runtime\/env.c/' | lint_fail_lines
comm -23 "$lint_work/table" "$lint_work/doc" | sed 's/$/: not in doc\/environment.md/' | lint_fail_lines
comm -13 "$lint_work/table" "$lint_work/doc" | sed 's/$/: in doc\/environment.md only/' | lint_fail_lines
lint_end
