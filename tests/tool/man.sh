#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Each verb has a manual page, which names each of its options and no other; pages are well-formed.
. "$(dirname "$0")/lib.sh"
man=$top_srcdir/man

options() # of a verb, from --help
{
	"$@" --help | sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/\2/p' | sort -u
}

documented() # in a page
{
	sed -n 's/^\.It .*/&/p' "$1" | grep -oE 'Fl Fl [a-z-]+' | sed 's/Fl Fl //' | sort -u
}

verbs() # of a tool
{
	"$1" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' | grep -vx or
}

# PAGE TOOL VERB [PAGE OF SHARED OPTIONS]
compare()
{
	[ -f "$1" ] || {
		echo "note: $3 has no manual page"
		undocumented=yes
		return
	}
	{
		documented "$1"
		[ $# -lt 4 ] || documented "$4"
	} | sort -u >documented
	options "$2" "$3" >have
	comm -23 have documented >out
	[ ! -s out ] || bad "$1 does not name these options"
	comm -13 have documented >out
	[ ! -s out ] || bad "$1 names these options, which $3 does not have"
}

undocumented=
for verb in $(verbs "$tool"); do
	compare "$man/syntrace-$verb.1" "$tool" "$verb"
	grep -q "^\.It Cm $verb\$" "$man/syntrace.1" || bad "syntrace.1 does not name $verb"
done
# one page for all verbs of syntrace-fleet
fleet=$top_builddir/syntrace-fleet
documented "$man/syntrace-fleet.1" >documented
for verb in $(verbs "$fleet"); do
	options "$fleet" "$verb"
	grep -qE "^\.It Cm $verb( |\$)" "$man/syntrace-fleet.1" || bad "syntrace-fleet.1 does not name $verb"
done | sort -u | grep -vxE 'help|usage' >have
comm -3 have documented >out
[ ! -s out ] || bad "syntrace-fleet.1 and --help name different options"
decode=$top_builddir/syntrace-decode
for verb in $(verbs "$decode"); do
	compare "$man/syntrace-decode-$verb.1" "$decode" "$verb" "$top_builddir/man/syntrace-decode.1"
	[ ! -f "$man/syntrace-decode-$verb.1" ] ||
		grep -q "^\.It Cm $verb\$" "$top_builddir/man/syntrace-decode.1" || bad "syntrace-decode.1 does not name $verb"
done

# Each row of reports.def has a page, and a local.mk of the decoder or of the manual installs it.
find "$top_srcdir/decoder" "$top_srcdir/man" -name local.mk -exec cat {} + | tr ' \t' '\n\n' >installed
for verb in $(sed -n 's/^REPORT(\([a-z_]*\))$/\1/p' "$top_srcdir/decoder/command/reports.def" | tr _ -); do
	[ -f "$man/syntrace-decode-$verb.1" ] || bad "the report $verb has no manual page"
	grep -qx "man/syntrace-decode-$verb\.1" installed || bad "no local.mk installs the page of the report $verb"
done

if command -v groff >/dev/null && printf '.Dd x\n.Dt X 1\n.Os\n' | groff -mdoc -Tutf8 >/dev/null 2>&1; then
	for page in "$man"/*.[1-9] "$top_builddir/man/syntrace-decode.1"; do
		groff -mdoc -Tutf8 -ww "$page" >/dev/null 2>out
		[ ! -s out ] || bad "$page is not well-formed"
	done
fi
[ -z "$undocumented" ] || [ $tool_failed -ne 0 ] || exit 77
tool_end
