#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A tag of a struct, a union or an enum that several files see has one meaning: each with the prefix syt_, and
# each in a header, is defined once. With several definitions a debugger shows any of them.
. "$(dirname "$0")/lib.sh"

for file in $(lint_sources format base runtime preload settings decoder tool fleet | grep '\.[ch]$'); do
	sed -nE 's/^[[:space:]]*(typedef[[:space:]]+)?(struct|union|enum)[[:space:]]+([A-Za-z_0-9]+)[[:space:]]*\{.*/\3/p' \
		"$lint_root/$file" |
		case $file in *.h) cat ;; *) grep '^syt_' ;; esac | sed "s|\$| $file|"
done | sort | awk '
	$1 == tag { print $2 ": the tag " tag " is defined in " file ", too" }
	{ tag = $1; file = $2 }' | lint_fail_lines
lint_end
