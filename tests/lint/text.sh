#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Every source starts with its licence; no file names a place on the machine where it was written;
# long files are reported (no failure: the reason stands in the commit).
. "$(dirname "$0")/lib.sh"
LINES_MAX=600

cd "$lint_root" || exit 99
files=$(find . -type f \( -name '*.[chS]' -o -name '*.def' -o -name '*.sh' -o -name '*.py' -o -name '*.mk' \
		-o -name '*.md' -o -name '*.[1-9]' -o -name '*.am' -o -name '*.ac' -o -name '*.list' \
		-o -name check -o -name demo \) \
	! -path './.git/*' ! -path './build*' ! -path './_*' ! -path './m4/*' ! -path './aclocal.m4' ! -path './autom4te.cache/*' \
	! -path './syntrace-[0-9]*' | sort)

# shellcheck disable=SC2086 # file names without spaces
awk -v max=$LINES_MAX '
	{ lines[FILENAME] = FNR }
	FNR <= 5 && /SPDX-License-Identifier: / { has_licence[FILENAME] = 1 }
	END {
		for (i = 1; i < ARGC; i++) {
			file = ARGV[i]
			if (!(file in has_licence) && file !~ /\.(md|mk|[1-9])$/)
				print "violation: " file ": no SPDX-License-Identifier in the first lines"
			if (lines[file] > max && file ~ /\.[chS]$/)
				print "note: " file " has " lines[file] " lines"
		}
	}' $files >"$lint_work/found"
sed -n 's/^violation: //p' "$lint_work/found" | lint_fail_lines
grep '^note: ' "$lint_work/found"

# Where this tree stands, and homes.  /usr and / are places on every machine.
for place in "$(cd "$top_srcdir/.." && pwd)" "$(cd "$top_builddir/.." && pwd)" "${HOME:-/}"; do
	case $place in
	/ | /usr | /usr/* | /tmp | /var/tmp | /root | /home | /build | /src) continue ;;
	esac
	# A path begins after a character that no path component has: for PLACE /x, $dir/x/ is no path below it.
	grep -nF "$place/" $files /dev/null | grep -E "(^|[^A-Za-z0-9_.}-])$place/" | lint_fail_lines
done
grep -nE '/home/[a-z]' $files /dev/null | lint_fail_lines

lint_end
