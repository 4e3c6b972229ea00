#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# doc/format.md agrees with format/: every struct member with its offset and size, and every
# optional field of an event with its number.
. "$(dirname "$0")/lib.sh"
doc=$lint_root/doc/format.md
[ -f "$doc" ] || lint_skip "no doc/format.md"

# "struct member" of format.h.
awk '
	{
		line = $0
		$0 = ""
		while (line != "") {
			at = index(line, comment ? "*/" : "/*")
			if (!comment)
				$0 = $0 (at ? substr(line, 1, at - 1) : line)
			line = at ? substr(line, at + 2) : ""
			if (at)
				comment = !comment
		}
	}
	/^struct syt_[a-z_]+ \{$/ { name = $2; next }
	/^\};/ { name = "" }
	name != "" && /;/ {
		sub(/;.*/, "")
		sub(/^[ \t]*(struct )?[a-z_0-9]+ /, "")
		n = split($0, members, ",")
		for (i = 1; i <= n; i++) {
			gsub(/[ \t*]|\[.*/, "", members[i])
			print name, members[i]
		}
	}' "$lint_root/format/format.h" | sort >"$lint_work/code"

# "struct member at bytes" of the tables under headings that name a struct.
awk -F'|' '
	/^#/ { name = "" }
	/^### `struct syt_/ { name = $0; sub(/^### `struct /, "", name); sub(/`.*/, "", name) }
	name != "" && $2 ~ /^ *[0-9]+ *$/ {
		gsub(/[ `]/, "", $4)
		print name, $4, $2 + 0, $3 + 0
	}' "$doc" | sort >"$lint_work/prose"

cut -d' ' -f1,2 "$lint_work/prose" | comm -23 "$lint_work/code" - |
	sed 's/$/: in format.h, not in doc\/format.md/' | lint_fail_lines
cut -d' ' -f1,2 "$lint_work/prose" | comm -13 "$lint_work/code" - |
	sed 's/$/: in doc\/format.md, not in format.h/' | lint_fail_lines

{
	echo '#include <stddef.h>'
	echo '#include "format/format.h"'
	awk '{ printf "_Static_assert(offsetof(struct %s, %s) == %d, \"%s.%s: offset\");\n", $1, $2, $3, $1, $2
	       printf "_Static_assert(sizeof(((struct %s *)0)->%s) == %d, \"%s.%s: size\");\n", $1, $2, $4, $1, $2 }' \
		"$lint_work/prose"
} >"$lint_work/layout.c"
$CC -std=gnu11 -fsyntax-only -I "$lint_root" "$lint_work/layout.c" 2>&1 |
	sed -n 's/.*error: //p' | sed 's/$/ in doc\/format.md/' | lint_fail_lines

# The optional fields.
if [ -f "$lint_root/format/fields.def" ]; then
	sed -n 's/^FIELD([A-Z0-9_]*, *\([a-z0-9_]*\)).*/\1/p' "$lint_root/format/fields.def" |
		awk '{ print NR, $1 }' >"$lint_work/fields"
	awk -F'|' '
		/^\| field \|/ { on = 1; next }
		!/^\|/ { on = 0 }
		on && $2 ~ /[0-9]/ { gsub(/[ `]/, "", $3); print $2 + 0, $3 }' "$doc" >"$lint_work/prose-fields"
	diff "$lint_work/fields" "$lint_work/prose-fields" | grep '^[<>]' |
		sed 's/^</fields.def has:/; s/^>/doc\/format.md has:/' | lint_fail_lines
fi
lint_end
