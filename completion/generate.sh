#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# generate.sh SHELL TOOL: completion of TOOL for bash, zsh or fish, on standard output.  Asks the tool
# itself: its --help names the verbs, a verb's --help the options (both print argp's tables).
set -eu
shell=$1 tool=$2
name=$(basename "$tool")
tab=$(printf '\t')

# verb TAB what
verbs=$("$tool" --help | sed -n "s/^  \([a-z][a-z-]*\)  *\([^ ].*\)/\1$tab\2/p" | grep -v "^or$tab" || :)

# verb TAB short TAB long TAB argument (with [ when optional) TAB what
options=$(echo "$verbs" | cut -f1 | while read -r verb; do
	"$tool" "$verb" --help | awk -v verb="$verb" '
		function flush()
		{
			if ((long == "format" || long == "to") && arg == "FORMAT") { # "print the output as text, jsonl (default: text)"
				arg = what
				sub(/^print the output as /, "", arg)
				gsub(/ *\([^)]*\)/, "", arg)
				gsub(/, */, "|", arg)
			}
			if (short == "?")
				short = ""
			if (long != "")
				printf "%s\t%s\t%s\t%s\t%s\n", verb, short, long, arg, what
			long = ""
		}
		/^$/ { flush(); next }
		/^  (-.,|   ) --/ {
			flush()
			short = substr($0, 3, 1) == "-" ? substr($0, 4, 1) : ""
			rest = substr($0, 7)
			head = rest
			sub(/ .*/, "", head)
			what = rest
			if (!sub(/^[^ ]+ +/, "", what))
				what = ""
			long = head
			sub(/[=\[].*/, "", long)
			sub(/^--/, "", long)
			arg = head
			if (!sub(/^[^=]*=/, "", arg))
				arg = ""
			if (head ~ /\[/)
				arg = "[" arg
			next
		}
		/^ {20}/ && long != "" {
			sub(/^ +/, "")
			what = what (what == "" ? "" : " ") $0
			next
		}
		{ flush() }
		END { flush() }'
done)

# VERB: its options as words, with = after those that need an argument.
words()
{
	echo "$options" | awk -F"$tab" -v verb="$1" '
		$1 == verb {
			if ($2 != "")
				printf "-%s ", $2
			printf "--%s%s ", $3, $4 != "" && $4 !~ /^\[/ ? "=" : ""
		}'
}

# Options with a separate argument, as a pattern of case.
with_argument()
{
	echo "$options" | awk -F"$tab" -v verb="$1" '
		$1 == verb && $4 != "" && $4 !~ /^\[/ {
			if ($2 != "")
				printf "%s-%s", n++ ? "|" : "", $2
			printf "%s--%s", n++ ? "|" : "", $3
		}'
}

# VERB OPTION...: the argument of an option that names its values (a|b|c), as a list of words.
values()
{
	echo "$options" | awk -F"$tab" -v verb="$1" '
		$1 == verb && $4 ~ /^\[?[a-z|-]+$/ && $4 ~ /\|/ {
			gsub(/\[/, "", $4)
			gsub(/\|/, " ", $4)
			printf "%s\001%s\001%s\n", $2, $3, $4
		}'
}

bash_verb()
{
	echo "	$1)"
	echo "		case \$prev in"
	values "$1" | while IFS=$(printf '\001') read -r short long list; do
		echo "		${short:+-$short|}--$long) COMPREPLY=(\$(compgen -W '$list' -- \"\$cur\")); return ;;"
	done
	[ "$1" != record ] ||
		echo "		-o|--output) COMPREPLY=(\$(compgen -d -- \"\$cur\")); return ;;"
	echo "		esac"
	if [ "$1" = record ]; then
		cat <<END
		local i=2
		while [ \$i -lt \$COMP_CWORD ]; do
			case \${COMP_WORDS[i]} in
			--) i=\$((i + 1)); break ;;
			=) i=\$((i + 1)) ;;
			$(with_argument record)) [ "\${COMP_WORDS[i + 1]}" = = ] || i=\$((i + 1)) ;;
			-*) ;;
			*) break ;;
			esac
			i=\$((i + 1))
		done
		if [ \$i -lt \$COMP_CWORD ]; then # the words of the program
			! declare -F _command_offset >/dev/null || _command_offset \$i
			return
		fi
END
	fi
	echo "		case \$cur in"
	echo "		-*) COMPREPLY=(\$(compgen -W '$(words "$1")' -- \"\$cur\")) ;;"
	case $1 in
	record | doctor) echo "		*) COMPREPLY=(\$(compgen -c -f -- \"\$cur\")); return ;;" ;;
	*) echo "		*) COMPREPLY=(\$(compgen -f -- \"\$cur\")); return ;;" ;;
	esac
	cat <<'END'
		esac
		case ${COMPREPLY[0]-} in *=) compopt -o nospace ;; esac
		;;
END
}

bash_completion()
{
	function=_$(echo "$name" | tr - _)
	cat <<END
# Completion of $name for bash; made from its --help.
$function()
{
	local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}

	COMPREPLY=()
	# --option=value comes as three words
	if [ "\$cur" = = ]; then
		cur=
	elif [ "\$prev" = = ] && [ \$COMP_CWORD -ge 2 ]; then
		prev=\${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if [ \$COMP_CWORD -eq 1 ]; then
		COMPREPLY=(\$(compgen -W '$(echo "$verbs" | cut -f1 | tr '\n' ' ')--help --version' -- "\$cur"))
		return
	fi
	case \${COMP_WORDS[1]} in
END
	echo "$verbs" | cut -f1 | while read -r verb; do
		bash_verb "$verb"
	done
	printf '\tesac\n}\ncomplete -o filenames -o bashdefault -F %s %s\n' "$function" "$name"
}

# A text inside of single quotes and, for zsh, brackets.
quoted()
{
	echo "$1" | sed "s/'/'\\\\''/g; s/[]:[]/\\\\&/g"
}

zsh_completion()
{
	echo "#compdef $name"
	echo "# Completion of $name for zsh; made from its --help."
	echo "local -a verbs=("
	echo "$verbs" | while IFS=$tab read -r verb what; do
		echo "	'$verb:$(quoted "$what")'"
	done
	cat <<'END'
)
if (( CURRENT == 2 )); then
	_describe verb verbs
	return
fi
shift words
(( CURRENT-- ))
case $words[1] in
END
	echo "$verbs" | cut -f1 | while read -r verb; do
		echo "$verb)"
		echo "	_arguments -S \\"
		echo "$options" | awk -F"$tab" -v verb="$verb" '$1 == verb' | tr "$tab" '\001' |
			while IFS=$(printf '\001') read -r _ short long arg what; do
				tail=
				case $arg in
				'') ;;
				\[*) ;;
				*[A-Z]*'|'*) tail=":$arg: " ;;
				*'|'*) tail=":value:($(echo "$arg" | tr '|' ' '))" ;;
				DIR) tail=":$arg:_files -/" ;;
				*) tail=":$arg: " ;;
				esac
				equals=
				[ -z "$tail" ] || equals='='
				if [ -n "$short" ]; then
					echo "		'(-$short --$long)'{-$short,--$long${equals}}'[$(quoted "$what")]$tail' \\"
				else
					echo "		'--$long${equals}[$(quoted "$what")]$tail' \\"
				fi
			done
		case $verb in
		record) echo "		'*::program:_normal'" ;;
		doctor) echo "		'1:program:_command_names -e'" ;;
		*) echo "		'*:trace:_files'" ;;
		esac
		echo "	;;"
	done
	echo "esac"
}

# A text inside of single quotes for fish.
fish_quoted()
{
	echo "$1" | sed "s/[\\\\']/\\\\&/g"
}

fish_completion()
{
	echo "# Completion of $name for fish; made from its --help."
	echo "$verbs" | while IFS=$tab read -r verb what; do
		echo "complete -c $name -n __fish_use_subcommand -f -a $verb -d '$(fish_quoted "$what")'"
	done
	echo "$options" | tr "$tab" '\001' | while IFS=$(printf '\001') read -r verb short long arg what; do
		list=
		case $arg in
		*[A-Z]*'|'*) list=" -r" ;;
		*'|'*) list=" -x -a '$(echo "$arg" | tr -d '[]' | tr '|' ' ')'" ;;
		'' | \[*) ;;
		*) list=" -r" ;;
		esac
		echo "complete -c $name -n '__fish_seen_subcommand_from $verb'${short:+ -s $short} -l $long$list -d '$(fish_quoted "$what")'"
	done
}

"${shell}_completion"
