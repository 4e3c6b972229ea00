#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# doc/happens-before.md: each kind of edge is named in one heading, and below it stand a picture with that
# word at an arrow, the rule, why it is sound, and its limits.
. "$(dirname "$0")/lib.sh"
doc=$lint_root/doc/happens-before.md
[ -f "$doc" ] || lint_skip "no doc/happens-before.md"

sed -n 's/^EDGE([A-Z_]*, *"\([a-z-]*\)".*/\1/p' "$lint_root"/decoder/*/edge-kinds.def >"$lint_work/kinds"
[ -s "$lint_work/kinds" ] || lint_fail "no edge kinds"
while read -r kind; do
	awk -v kind="$kind" '
		/^##/ {
			on = index($0, "`" kind "`") > 0
			found += on
			next
		}
		!on { next }
		/^    / && /(─|═|▼)/ && index($0, kind) { has_picture = 1 }
		/^\*Rule\.\*/ { has_rule = 1 }
		/^\*Why it is sound\.\*/ { has_why = 1 }
		/^\*Limits\.\*/ { has_limits = 1 }
		END {
			if (!found)
				print "no heading names the edges `" kind "`"
			else if (!has_picture)
				print "no picture has an arrow with the word " kind
			else if (!(has_rule && has_why && has_limits))
				print "the rule of " kind " lacks one of *Rule.*, *Why it is sound.*, *Limits.*"
		}' "$doc" | sed 's/^/doc\/happens-before.md: /' | lint_fail_lines
done <"$lint_work/kinds"
# Within a section each of the three stands once: a second one was left behind by a merge.
awk '
	/^##/ { delete seen; next }
	/^\*(Rule|Why it is sound|Limits)\.\*/ {
		sub(/\.\*.*/, "")
		if (seen[$0]++)
			print "line " NR ": a second paragraph " $0 ".* in one section"
	}
	/^\*\*[A-Z][^*]*\.\*\*/ { print "line " NR ": a rule outside of a section of its own" }' "$doc" |
	sed 's/^/doc\/happens-before.md: /' | lint_fail_lines
lint_end
