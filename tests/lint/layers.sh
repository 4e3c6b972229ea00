#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The dependencies of doc/architecture.md: which directory may include or link which other.
. "$(dirname "$0")/lib.sh"

# One line "FILE:LINE:TEXT" per include. The rules are collected first: one process then tries them all.
lint_grep '^[[:space:]]*#[[:space:]]*include' format runtime preload base settings decoder tool fleet >"$lint_work/includes"

# DIR PATTERN UNLESS WHY [EXCEPT]: no source in DIR, except EXCEPT, includes a file that matches PATTERN and not UNLESS
# (extended regular expressions on the file's name with its quotes or brackets).
rule()
{
	printf '%s\t%s\t%s\t%s\t%s\n' "$1/" "$2" "${3:-^$}" "$4" "${5-}" >>"$lint_work/rules"
}

forbid() # DIR PATTERN WHY [EXCEPT]
{
	rule "$1" "$2" '' "$3" "${4-}"
}

only() # DIR PATTERN WHY
{
	rule "$1" '.' "$2" "$3"
}

only format '<(stdint|stddef)\.h>|"format/' 'format/ depends on nothing'

traced='<(stdio|stdlib|malloc|locale|wchar|langinfo|syslog|libintl|err|error|assert)\.h>'
forbid runtime "$traced" 'no malloc, stdio or locale in the traced program'
# libc.h alone: for the prototypes of intercepted functions
forbid preload "$traced" 'no malloc, stdio or locale in the traced program' preload/libc.h
forbid runtime '"(preload|base|settings|decoder|tool|tests)/' 'runtime/ knows format/ only'
forbid preload '"(base|settings|decoder|tool|tests)/' 'preload/ knows runtime/ and format/ only'
forbid preload '<(lz4.*|xxhash)\.h>' 'preload/ compresses nothing'
# The part of runtime/ that preload/ may use. A wrapper needs no raw system call, with the
# exceptions named.
forbid preload '"runtime/(arena|dump|ring|seal|meta|clock|map|env|text|slot|lz4|xxhash)' \
	'preload/ sees the recorder through frame.h, thread.h, session.h, object.h, endpoint.h'

forbid base '"(format|runtime|preload|settings|decoder|tool|tests)/' 'base/ depends on nothing'
forbid settings '"(format|runtime|preload|decoder|tool|tests)/' 'settings/ knows base/ only'
forbid decoder '"(runtime|preload|tool)/' 'decoder/ knows format/ and base/ only, its commands settings/, too'
# Its folders, the highest first: each uses those after it only.
above=
for folder in export report command html show sample request model analysis check order match history host read; do
	case $folder in
	command | report | export) ;;
	*) forbid "decoder/$folder" '"settings/' "decoder/$folder/ knows nothing of configuration files" ;;
	esac
	[ -z "$above" ] ||
		forbid "decoder/$folder" "\"decoder/($above)/" "decoder/$folder/ knows nothing of the folders above it"
	above=$folder${above:+"|$above"}
done
# A report stands alone, but for the reports that are named here: QUESTION USES...
while read -r question uses; do
	allowed=$question
	for use in $uses; do
		allowed="$allowed|$use"
	done
	rule "decoder/report/$question" '"decoder/report/' "\"decoder/report/($allowed)/" \
		"decoder/report/$question/ uses no other report"
done <<END
check compare
compare
contention
critical_path
diagnose
edges
events
graph
info stat
lock_order
model graph
page waits
sampling
stat
tasks
top
waits
watch waits requests
what_if
why critical_path
workload graph
END
forbid tool '"(runtime|preload|decoder|fleet)/' 'tool/ knows format/, base/ and settings/ only'
forbid fleet '"(format|runtime|preload|settings|decoder|tool|tests)/' 'fleet/ knows base/ only'
forbid decoder '"fleet/' 'decoder/ knows nothing of fleet/'

awk -F '\t' '
	FILENAME == ARGV[1] {
		dir[++n] = $1; pattern[n] = $2; unless[n] = $3; why[n] = $4; except[n] = $5
		next
	}
	{
		file = substr($0, 1, index($0, ":") - 1)
		name = $0
		sub(/.*include[ \t]*/, "", name)
		for (i = 1; i <= n; i++)
			if (index(file, dir[i]) == 1 && name ~ ("^(" pattern[i] ")") && name !~ ("^(" unless[i] ")") && file != except[i])
				print $0 " (" why[i] ")"
	}' "$lint_work/rules" "$lint_work/includes" | lint_fail_lines

# WHAT SED DIRECTORIES: the sources in DIRECTORIES (an alternation), renamed by SED, do not include each other in a circle.
no_circle()
{
	sed -nE "/^($3)\//s|^([^:]*):.*include[[:space:]]*\"(.*/.*\.h)\".*|\1 \2|p" "$lint_work/includes" | sed -E "$2" | tsort 2>&1 >/dev/null |
		sed "s|^tsort: -: .*|$1 include each other in a circle:|; s|^tsort: ||" | lint_fail_lines
}
no_circle headers '' 'format|runtime|preload|base|settings|decoder|tool|fleet'
# a header and the source of that name are one
no_circle modules 's/\.[ch]\>//g' 'base|settings|decoder|tool|fleet'

# Only the recorder makes raw system calls; a wrapper that needs one gives the reason beside its
# include.
grep -E '^preload/.*"runtime/sys.h"' "$lint_work/includes" | grep -vE '(//|/\*)' |
	sed 's|$| (raw system calls in preload/: say why beside the include)|' | lint_fail_lines
lint_grep '\<SYT_SYS_[0-6]\(' base settings decoder tool fleet | lint_fail_lines

# A wrapper opens no file: the only opens in preload/ are the wrapped ones.
lint_grep '(^|[^_A-Za-z(])(f?open(at)?(64)?|creat)[[:space:]]*\(' preload |
	grep -vE 'SYT_REAL|CALL|HAND|^[^:]*:[0-9]+:[[:space:]]*\*|SYT_EXPORT' |
	sed 's|$| (preload/ opens no file)|' | lint_fail_lines

# Linking: offline programs take no code that runs in the traced program, and the other way round.
for file in base/local.mk settings/local.mk decoder/local.mk tool/local.mk fleet/local.mk; do
	[ -f "$lint_root/$file" ] || continue
	grep -nE 'lib(runtime|preload|syntrace)\.l?a|(^|[[:space:]/])(runtime|preload)/[a-z_]+\.c' \
		"$lint_root/$file" | sed "s|^|$file:|" | lint_fail_lines
done
for file in runtime/local.mk preload/local.mk; do
	[ -f "$lint_root/$file" ] || continue
	grep -nE 'lib(base|settings|decoder|tool)\.l?a|(^|[[:space:]/])(base|settings|decoder|tool)/[a-z_]+\.c' \
		"$lint_root/$file" | sed "s|^|$file:|" | lint_fail_lines
done
lint_end
