#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# markdown.sh [-w DOCUMENT] FILE...: makes the tables of doc/performance.md from bench.jsonl and cost.jsonl, takes those of
# cost.md, and prints them.  With -w it puts them into DOCUMENT, in place of what stands there between the lines
#
#     <!-- figures: NAME -->
#     <!-- end of figures -->
#
# Tables for which there is nothing in the FILEs stay as they are.
set -eu
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
document=
while getopts w: option; do
	case $option in
	w) document=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || {
	echo "usage: $0 [-w DOCUMENT] FILE..." >&2
	exit 2
}
tables()
{
	for file; do
		case $file in
		*.md) cat "$file" ;;
		*) awk -f "$here/json.awk" -f "$here/markdown.awk" "$file" ;;
		esac
	done
}

if [ -z "$document" ]; then
	tables "$@"
	exit
fi
new=$(mktemp "$document.XXXXXX")
trap 'rm -f "$new"' EXIT
tables "$@" | awk '
	FNR == NR {
		if (/^<!-- figures: /)
			name = $0
		table[name] = table[name] $0 "\n"
		next
	}
	/^<!-- figures: / && ($0 in table) {
		printf "%s", table[$0]
		is_replaced = 1
	}
	!is_replaced
	/^<!-- end of figures -->/ { is_replaced = 0 }' - "$document" >"$new"
cat "$new" >"$document"
