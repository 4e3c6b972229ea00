#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Each header compiles alone, and twice. A header that is the first include of a source compiles alone in the build; this
# test compiles the others, and the long form all. An include guard of its own, around all of it, lets a header compile twice.
. "$(dirname "$0")/lib.sh"

cd "$lint_root" || exit 99
lint_sources format runtime preload base settings decoder tool fleet tests | grep '\.[ch]$' | xargs awk '
	function judge()
	{
		if (guard != "" && last !~ /^#endif/)
			print "violation " file ": its include guard does not end with the file"
	}
	FNR == 1 {
		judge()
		file = FILENAME
		guard = last = ""
		nr_directives = 0
		if (file ~ /\.h$/)
			print "header " file
	}
	/^[ \t]*#/ { nr_directives++ }
	file ~ /\.h$/ {
		if (!/^[ \t]*$/)
			last = $0
		if (/^[ \t]*#/ && nr_directives == 1) {
			guard = $2
			if ($1 != "#ifndef" || guard in guards)
				print "violation " file ": it does not begin with an include guard of its own"
			guards[guard] = 1
		} else if (/^[ \t]*#/ && nr_directives == 2 && $0 != "#define " guard) {
			print "violation " file ": its include guard is not defined"
		} else if (nr_directives < 2 && /[;}]/ && !/^[ \t]*(\/?\*|\/\/)/) {
			print "violation " file ": code before its include guard"
		}
		next
	}
	/^#define _GNU_SOURCE/ { nr_directives-- }
	nr_directives == 1 && /^#include "/ {
		print "first " substr($2, 2, length($2) - 2)
		nr_directives++
	}
	END { judge() }' >"$lint_work/found"
sed -n 's/^violation //p' "$lint_work/found" | lint_fail_lines

flags=$(pkg-config --cflags libdw cmocka 2>/dev/null)
awk -v is_long="${SYNTRACE_TEST_LONG:+1}" '
	$1 == "header" { headers[$2] = 1 }
	$1 == "first" && !is_long { compiled[$2] = 1 }
	END { for (header in headers) if (!(header in compiled)) print header }' "$lint_work/found" >"$lint_work/headers"
while read -r header; do
	# shellcheck disable=SC2086 # flags
	printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
		$CC -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -fsyntax-only -I . -I "$top_builddir" $flags \
			-x c - >"$lint_work/out" 2>&1 || {
		lint_fail "$header does not compile alone:"
		head -n 5 "$lint_work/out"
	}
done <"$lint_work/headers"
lint_end
