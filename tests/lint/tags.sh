#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A tag of a struct, a union or an enum that several files see has one meaning: each with the prefix syt_, and
# each in a header, is defined once. With several definitions a debugger shows any of them.
. "$(dirname "$0")/lib.sh"

lint_sources format base runtime preload settings decoder tool fleet | grep '\.[ch]$' | (cd "$lint_root" && xargs awk '
	/^[ \t]*(typedef[ \t]+)?(struct|union|enum)[ \t]+[A-Za-z_0-9]+[ \t]*\{/ {
		tag = $0
		sub(/[ \t]*\{.*/, "", tag)
		sub(/.*[ \t]/, "", tag)
		if (FILENAME !~ /\.h$/ && tag !~ /^syt_/)
			next
		if (tag in file)
			print FILENAME ": the tag " tag " is defined in " file[tag] ", too"
		file[tag] = FILENAME
	}') | lint_fail_lines
lint_end
