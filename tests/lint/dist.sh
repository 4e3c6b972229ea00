#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Every file that git tracks is in the distribution (a header that no makefile names breaks distcheck),
# and none is so large that it must be there by mistake.
BYTES_MAX=1048576

. "$(dirname "$0")/lib.sh"
git -C "$lint_root" rev-parse --show-toplevel >/dev/null 2>&1 || lint_skip "not a git tree"
[ -f "$top_builddir/Makefile" ] || lint_skip "not configured"

git -C "$lint_root" ls-files | grep -vE '(^|/)\.gitignore$|^check$' | sort >"$lint_work/tracked"
# shellcheck disable=SC2016 # make's variables
${MAKE:-make} -s -C "$top_builddir" --no-print-directory \
	--eval='syt-distfiles: ; @printf "%s\n" $(patsubst $(srcdir)/%,%,$(DISTFILES))' \
	syt-distfiles 2>/dev/null | sed 's|^\./||' | sort -u >"$lint_work/dist"
[ -s "$lint_work/dist" ] || lint_skip "make does not tell what it distributes"
# A folder may be distributed whole.
awk '
	NR == FNR { dist[$0] = 1; next }
	{
		for (path = $0; !(path in dist); sub(/\/[^\/]*$/, "", path))
			if (path !~ /\//) {
				print $0 ": tracked, but in no local.mk: make dist leaves it out"
				break
			}
	}' "$lint_work/dist" "$lint_work/tracked" | lint_fail_lines
(cd "$lint_root" && git ls-files -z | xargs -0 -r stat -c '%s %n' 2>/dev/null) |
	awk -v max=$BYTES_MAX '$1 > max { print $2 ": " $1 " bytes are tracked" }' | lint_fail_lines
lint_end
