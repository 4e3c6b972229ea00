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
			if ((long == "format" || long == "to") && arg ~ /^FORMAT/) { # "print the output as text, jsonl (default: text)"
				arg = what
				sub(/^print the output as /, "", arg)
				gsub(/ *\([^)]*\)/, "", arg)
				gsub(/, */, "|", arg)
			}
			if (arg == "[WHEN")
				arg = "[auto|always|never"
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
			if (head ~ /\[=/) {
				sub(/\]$/, "", arg)
				arg = "[" arg
			}
			next
		}
		# 20 spaces: mawk knows no {20}
		/^                    / && long != "" {
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
	case $name in
	syntrace) echo "		-o|--output) COMPREPLY=(\$(compgen -d -- \"\$cur\")); return ;;" ;;
	*) echo "		-o|--output|--against) COMPREPLY=(\$(compgen -f -- \"\$cur\")); return ;;" ;;
	esac
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
			if declare -F _command_offset >/dev/null; then
				_command_offset \$i
			else
				COMPREPLY=(\$(compgen -f -- "\$cur"))
			fi
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
	names=$(echo "$verbs" | cut -f1 | paste -sd' ')
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
		COMPREPLY=(\$(compgen -W '$names help --help --version' -- "\$cur"))
		return
	fi
	case \${COMP_WORDS[1]} in
	help) COMPREPLY=(\$(compgen -W '$names' -- "\$cur")) ;;
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
	'help:print the options of a verb'
)
if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then
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
				\[*'|'*) tail="::value:($(echo "${arg#?}" | tr '|' ' '))" ;;
				\[*) ;;
				*[A-Z]*'|'*) tail=":$arg: " ;;
				*'|'*) tail=":value:($(echo "$arg" | tr '|' ' '))" ;;
				DIR) tail=":$arg:_files -/" ;;
				FILE | BASELINE) tail=":$arg:_files" ;;
				*) tail=":$arg: " ;;
				esac
				equals=
				case $tail in
				::*) equals='=-' ;;
				:*) equals='=' ;;
				esac
				if [ -n "$short" ]; then
					echo "		'(-$short --$long)'{-$short${equals:++},--$long${equals}}'[$(quoted "$what")]$tail' \\"
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
		echo "complete -c $name -n '__fish_seen_subcommand_from help' -f -a $verb -d '$(fish_quoted "$what")'"
	done
	echo "complete -c $name -n __fish_use_subcommand -f -a help -d 'print the options of a verb'"
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
	[ "$name" != syntrace ] || cat <<'END'
complete -c syntrace -n '__fish_seen_subcommand_from record' -x -a '(__fish_complete_subcommand --fcs-skip=2)'
complete -c syntrace -n '__fish_seen_subcommand_from doctor' -x -a '(__fish_complete_command)'
END
}

"${shell}_completion"
