#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The generated completion knows the verbs, their options and values; the other shells can read theirs.
. "$(dirname "$0")/lib.sh"
made=$top_builddir/completion
[ -f "$made/bash/syntrace" ] || {
	echo "skipped: no completion was made (cross build)"
	exit 77
}

# FUNCTION EXPECTED WORD...: completing the last word offers EXPECTED (a line of its own).
offers()
{
	local function=$1 expected=$2
	shift 2
	# shellcheck disable=SC2034 # read by the function
	COMP_WORDS=("$@")
	# shellcheck disable=SC2034
	COMP_CWORD=$(($# - 1))
	$function 2>/dev/null
	local word
	for word in "${COMPREPLY[@]:-}"; do # the list has one empty word, if it is empty
		[ "$word" != "$expected" ] || return
	done
	printf '%s\n' "${COMPREPLY[@]}" >out
	bad "'$*' does not offer $expected"
}

# shellcheck disable=SC1091 # generated
. "$made/bash/syntrace"
# shellcheck disable=SC1091
. "$made/bash/syntrace-decode"
offers _syntrace record syntrace ''
offers _syntrace doctor syntrace do
offers _syntrace --output= syntrace record --o
offers _syntrace --duration= syntrace record --d
offers _syntrace jsonl syntrace doctor --format = j
offers _syntrace text syntrace doctor -f ''
mkdir place
offers _syntrace place syntrace record -o pl
# the options of the program are not ours
offers _syntrace '' syntrace record -o x ./program --o
for verb in $("$top_builddir/syntrace-decode" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
	offers _syntrace_decode "$verb" syntrace-decode "${verb%?}"
	offers _syntrace_decode --format= syntrace-decode "$verb" --form
	offers _syntrace_decode --fail-on-loss syntrace-decode "$verb" --fa
done
offers _syntrace_decode jsonl syntrace-decode events -f ''
offers _syntrace_decode diagnose syntrace-decode help dia
for format in perfetto folded pprof sqlite ctf window; do
	offers _syntrace_decode $format syntrace-decode export --to = ''
done
[ ${#COMPREPLY[@]} = 6 ] || bad "export --to offers ${COMPREPLY[*]}"

# shellcheck disable=SC1091
. "$made/bash/syntrace-fleet"
offers _syntrace_fleet load syntrace-fleet lo
offers _syntrace_fleet --store= syntrace-fleet load --st
offers _syntrace_fleet jsonl syntrace-fleet sql --format = j

for tool_name in syntrace syntrace-decode syntrace-fleet; do
	if command -v zsh >/dev/null; then
		zsh -n "$made/zsh/_$tool_name" 2>err || bad "zsh cannot read _$tool_name"
	fi
	if command -v fish >/dev/null; then
		fish -n "$made/fish/$tool_name.fish" 2>err || bad "fish cannot read $tool_name.fish"
	fi
done

# What each shell makes of typed lines.
if command -v python3 >/dev/null; then
	for shell in bash zsh fish; do
		if ! command -v $shell >/dev/null; then
			echo "left out: $shell is not installed"
			continue
		fi
		mkdir "typed-$shell"
		# at the same time, because most of the time the test waits
		(cd "typed-$shell" && timeout 300 python3 "$top_srcdir/tests/tool/completion-typed.py" $shell "$made" >said 2>&1 || touch failed) &
	done
	wait
	for shell in typed-*; do
		cat "$shell/said"
		[ ! -e "$shell/failed" ] || tool_failed=1
	done
else
	echo "left out: no python3 to type into the shells"
fi
tool_end
