#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# doc/pitfalls.md: all of its rows are there, each names a file of the remedy and a test, and both
# files exist.
. "$(dirname "$0")/lib.sh"
doc=$lint_root/doc/pitfalls.md
[ -f "$doc" ] || lint_skip "no doc/pitfalls.md"

awk -F'|' '
	/^\|/ && $2 ~ /^ *[0-9]+ *$/ {
		nr = $2 + 0
		if (nr != ++expected)
			print "row " nr " stands where row " expected " belongs"
		if ($5 !~ /`/)
			print "row " nr ": no file of the remedy"
		if ($6 !~ /`tests\//)
			print "row " nr ": no test"
	}
	END { if (!expected) print "no rows" }' "$doc" | sed 's/^/doc\/pitfalls.md: /' | lint_fail_lines
awk -F'|' '/^\|/ && $2 ~ /^ *[0-9]+ *$/ { print $5 " " $6 }' "$doc" | grep -oE '`[^`]+`' | tr -d '`' | sort -u |
	while read -r file; do
		[ -f "$lint_root/$file" ] || echo "doc/pitfalls.md: names $file, which does not exist"
	done | lint_fail_lines
lint_end
