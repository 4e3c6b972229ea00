#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The dependencies of doc/architecture.md: which directory may include or link which other.
. "$(dirname "$0")/lib.sh"

# DIR PATTERN WHY [EXCEPT]: no source in DIR, except EXCEPT, includes a file that matches PATTERN
# (an extended regular expression on the file's name with its quotes or brackets).
forbid()
{
	for file in $(lint_sources "$1"); do
		[ "$file" != "${4-}" ] || continue
		grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*($2)" "$lint_root/$file" |
			sed "s|^|$file:|; s|\$| ($3)|" | lint_fail_lines
	done
}

# DIR PATTERN WHY: every include in DIR matches PATTERN.
only()
{
	for file in $(lint_sources "$1"); do
		grep -nE '^[[:space:]]*#[[:space:]]*include' "$lint_root/$file" |
			grep -vE "include[[:space:]]*($2)" |
			sed "s|^|$file:|; s|\$| ($3)|" | lint_fail_lines
	done
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
# Its folders, the lowest first: each uses those before it only.
folders='read host history match order check analysis model request sample show html command report export'
above=$folders
for folder in $folders; do
	above=${above#"$folder"}
	above=${above# }
	case $folder in
	command | report | export) ;;
	*) forbid "decoder/$folder" '"settings/' "decoder/$folder/ knows nothing of configuration files" ;;
	esac
	[ -z "$above" ] ||
		forbid "decoder/$folder" "\"decoder/($(echo "$above" | tr ' ' '|'))/" "decoder/$folder/ knows nothing of the folders above it"
done
# A report stands alone, but for the reports that are named here: QUESTION USES...
while read -r question uses; do
	allowed=$(echo "$question $uses" | sed 's/ *$//; s/ /|/g')
	for file in $(lint_sources "decoder/report/$question"); do
		grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"decoder/report/' "$lint_root/$file" |
			grep -vE "\"decoder/report/($allowed)/" |
			sed "s|^|$file:|; s|\$| (decoder/report/$question/ uses no other report)|" | lint_fail_lines
	done
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

# WHAT SED DIR...: the sources in DIR, renamed by SED, do not include each other in a circle.
no_circle()
{
	what=$1 name=$2
	shift 2
	for file in $(lint_sources "$@"); do
		sed -nE "s|^[[:space:]]*#[[:space:]]*include[[:space:]]*\"(.*/.*\.h)\".*|$file \1|p" "$lint_root/$file"
	done | sed -E "$name" | tsort 2>&1 >/dev/null |
		sed "s|^tsort: -: .*|$what include each other in a circle:|; s|^tsort: ||" | lint_fail_lines
}
no_circle headers '' format runtime preload base settings decoder tool fleet
# a header and the source of that name are one
no_circle modules 's/\.[ch]\>//g' base settings decoder tool fleet

# Only the recorder makes raw system calls; a wrapper that needs one gives the reason beside its
# include.
for file in $(lint_sources preload); do
	grep -n '"runtime/sys.h"' "$lint_root/$file" | grep -vE '(//|/\*)' |
		sed "s|^|$file:|; s|\$| (raw system calls in preload/: say why beside the include)|" |
		lint_fail_lines
done
for file in $(lint_sources base settings decoder tool fleet); do
	grep -nE '\<SYT_SYS_[0-6]\(' "$lint_root/$file" | sed "s|^|$file:|" | lint_fail_lines
done

# A wrapper opens no file: the only opens in preload/ are the wrapped ones.
for file in $(lint_sources preload); do
	grep -nE '(^|[^_A-Za-z(])(f?open(at)?(64)?|creat)[[:space:]]*\(' "$lint_root/$file" |
		grep -vE 'SYT_REAL|CALL|HAND|^[0-9]+:[[:space:]]*\*|SYT_EXPORT' |
		sed "s|^|$file:|; s|\$| (preload/ opens no file)|" | lint_fail_lines
done

# Linking: offline programs take no code that runs in the traced program, and the other way round.
for file in base/local.mk settings/local.mk decoder/local.mk tool/local.mk fleet/local.mk; do
	[ -f "$lint_root/$file" ] || continue
	grep -nE 'lib(runtime|preload|syntrace)\.la|(^|[[:space:]/])(runtime|preload)/[a-z_]+\.c' \
		"$lint_root/$file" | sed "s|^|$file:|" | lint_fail_lines
done
for file in runtime/local.mk preload/local.mk; do
	[ -f "$lint_root/$file" ] || continue
	grep -nE 'lib(base|settings|decoder|tool)\.la|(^|[[:space:]/])(base|settings|decoder|tool)/[a-z_]+\.c' \
		"$lint_root/$file" | sed "s|^|$file:|" | lint_fail_lines
done
lint_end
