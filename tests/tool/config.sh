#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Configuration files: precedence, errors with their position, options that a project's file may not
# set, and paths that are no files. ./decode looks for etc/syntrace.conf below the current
# directory; otherwise it is the program.
. "$(dirname "$0")/lib.sh"
decode=$top_builddir/tests/tool/decode-here
umask 022
unset SYNTRACE_CONFIG XDG_CONFIG_HOME NO_COLOR SYNTRACE_PAGER PAGER SYNTRACE_RING SYNTRACE_MODE SYNTRACE_MAX_SIZE SYNTRACE_DIR
HOME=$tool_work/home
export HOME
own=home/.config/syntrace/config
mkdir -p home/.config/syntrace etc elsewhere/syntrace place

# FILE LINE...: writes them.
write()
{
	file=$1
	shift
	printf '%s\n' "$@" >"$file"
}

clear_files()
{
	rm -rf .syntrace.conf "$own" etc/syntrace.conf elsewhere/syntrace/config
}

# OPTION...: writes the values in force into `out`, one line "SECTION KEY VALUE ORIGIN" for each
# option.
effective()
{
	timeout 20 "$decode" info --config --format=jsonl "$@" >lines 2>err || bad "info --config: exit status $?"
	jq -r 'select(.type == "setting") | "\(.section) \(.key) \(.value) \(
		if .from == "file" then "\(.file):\(.line)" else .variable // .from end)"' lines >out
}

# STATUS PATTERN COMMAND...: ends so, and says that.
says()
{
	says_status=$1
	says_what=$2
	shift 2
	status "$says_status" timeout 20 "$@"
	has err "$says_what"
}

# PATTERN: the decoder refuses the files that there are, and says so.
refused()
{
	says 2 "$1" "$decode" info --config
	[ ! -s out ] || bad 'something was printed nevertheless'
}

# PATTERN: a message, and the file is not obeyed.
ignored()
{
	says 0 "$1" "$decode" info --config --format=jsonl
	hasnt out '"line":'
}

command -v jq >/dev/null || {
	echo 'skipped: jq is not installed'
	exit 77
}

# ---- each layer overrides the previous layer ----
effective
has out '^decode jobs one per processor default$'
has out '^decode problems 10 default$'
has out '^decode debuginfod no default$'
has out '^decode pager less default$'
has out '^decode check limit 5 default$'
write etc/syntrace.conf '[decode]' 'jobs = 2' 'problems = 2' 'color = always' 'fail-on-loss = yes'
effective
has out '^decode jobs 2 etc/syntrace.conf:2$'
write $own '; mine' '' '[decode]' '	jobs: 3 ; three' '	color=always'
effective
has out "^decode jobs 3 $HOME/.config/syntrace/config:4\$"
write .syntrace.conf '[decode]' '# ours' 'jobs=4' 'fail-on-loss = no'
effective
has out '^decode jobs 4 .syntrace.conf:3$'
has out '^decode problems 2 etc/syntrace.conf:3$'
has out '^decode fail-on-loss no .syntrace.conf:4$'
NO_COLOR=1 PAGER=more SYNTRACE_PAGER='less -R' effective --jobs 5
has out '^decode jobs 5 command line$'
has out '^decode color never NO_COLOR$'
has out '^decode pager less -R SYNTRACE_PAGER$'
NO_COLOR='' PAGER=more effective -j6 --color=auto
has out '^decode jobs 6 command line$'
has out '^decode color auto command line$'
has out '^decode pager more PAGER$'
status 0 "$decode" info --config --format=text
has out '^etc/syntrace.conf +system +read'
has out '^decode +jobs +4 +.syntrace.conf:3$'
has out '^decode stat +modules +no +default$'
write elsewhere/syntrace/config '[decode]' 'memory = 1G'
XDG_CONFIG_HOME=$tool_work/elsewhere effective
has out "^decode memory 1G $tool_work/elsewhere/syntrace/config:2\$"
hasnt out home/.config
# one file in place of all, or none
SYNTRACE_CONFIG=elsewhere/syntrace/config effective
has out '^decode memory 1G elsewhere/syntrace/config:2$'
has out '^decode jobs one per processor default$'
SYNTRACE_CONFIG='' effective
hasnt out ':[0-9]+$'
says 2 'nowhere: No such file' env SYNTRACE_CONFIG=nowhere "$decode" info --config

# ---- sections ----
clear_files
write .syntrace.conf '[decode info]' 'jobs = 5' '[decode]' 'jobs = 4' 'format = dot' '[decode edges]' 'kind = mutex' 'kind = stream' \
	'[record]' 'no-such-key = of the other tool' '[decode events]' 'no-stacks = on'
effective
has out '^decode jobs 5 .syntrace.conf:2$'
has out '^decode edges kind stream .syntrace.conf:8$'
has out '^decode events no-stacks yes .syntrace.conf:12$'
has out '^decode events stacks no .syntrace.conf:12$'
write $own '[decode events]' 'no-stacks = yes' 'stacks = no'
write .syntrace.conf '[decode events]' 'no-stacks = no'
effective
has out '^decode events stacks yes .syntrace.conf:2$'
has out '^decode events no-stacks no .syntrace.conf:2$'
rm $own
write .syntrace.conf '[decode info]' 'format = jsonl'
status 0 "$decode" info --config
has out '^\{.*"key":"format","value":"jsonl","from":"file"'
status 0 "$decode" info --config --format=text
hasnt out '^\{'

# ---- errors, and their position ----
for line in 'jobs = many|--jobs takes a number from 1 to 64' 'jbos = 3|unknown key .jbos. in .decode.; did you mean .jobs.\? \(known keys: ' \
	'jobs|expected \[section\], key = value, or a comment' 'debuginfod = perhaps|debuginfod takes yes or no' \
	'limit = 3|an option of only some verbs belongs in .decode VERB.' '= 3|unknown key '; do
	write $own '[decode]' '' "${line%%|*}"
	refused "^syntrace-decode: $HOME/.config/syntrace/config:3: .*${line#*|}"
	hasnt err 'Try '
done
write $own '[decode]' 'jobs = 3' '[decode wiats]' 'limit = 1'
refused "config:4: unknown section \[decode wiats\]; did you mean 'waits'"
write $own '[recrod]' 'ring = 1M'
refused "config:2: unknown section \[recrod\]; did you mean 'record'"
says 125 "config:2: unknown section \[recrod\]" "$tool" record true
write $own 'jobs = 3'
refused 'config:1: the setting comes before the first \[section\]'
write $own '[decode waits]' 'limit = none'
refused 'config:2: --limit takes a number'
write $own "[decode]" "jobs = $(printf '\033[31m\303\244')"
refused 'not .\\x1b\[31m\\xc3\\xa4'
status 0 "$decode" stat --help

# ---- files that are none ----
rm $own
printf '[decode]\njobs = 1\000\n' >.syntrace.conf
refused '^syntrace-decode: .syntrace.conf:2: the line contains a NUL byte'
printf '[decode]\nmemory = %0300d\n' 1 >.syntrace.conf
refused '.syntrace.conf:2: the line is longer than the maximum of [0-9]+ bytes'
tr '\0' x </dev/zero | head -c 100000000 >.syntrace.conf
refused '.syntrace.conf: the file is longer than the maximum of 64 KiB'
rm .syntrace.conf
mkdir .syntrace.conf
ignored '.syntrace.conf: not a regular file; this file is ignored$'
rmdir .syntrace.conf
mkfifo .syntrace.conf
ignored '.syntrace.conf: not a regular file; this file is ignored$'
says 2 'not a regular file \(SYNTRACE_CONFIG names this file\)$' env SYNTRACE_CONFIG=.syntrace.conf "$decode" info --config
rm .syntrace.conf
write target '[decode]' 'jobs = 3'
ln -s target .syntrace.conf
ignored '.syntrace.conf: a symbolic link, which a project file must not be; this file is ignored$'
rm .syntrace.conf
write .syntrace.conf '[decode]' 'jobs = 3'
for mode in 666 620; do
	chmod $mode .syntrace.conf
	ignored '.syntrace.conf: other users can write to it; run chmod go-w on it; this file is ignored$'
done
chmod 000 .syntrace.conf
[ -r .syntrace.conf ] || ignored '.syntrace.conf: Permission denied; this file is ignored$'
chmod 644 .syntrace.conf
if [ "$(id -u)" = 0 ]; then
	chown 12345 .syntrace.conf
	ignored '.syntrace.conf: its owner is another user; change the owner with chown; this file is ignored$'
fi
rm -f .syntrace.conf
: >.syntrace.conf
effective
hasnt out ':[0-9]+$'

# ---- options that a project's file may not set ----
cannot()
{
	write .syntrace.conf "[$1]" "$2"
	shift 2
	says "$cannot_status" '.syntrace.conf:2: a project file cannot set ' "$@"
}
cannot_status=2
cannot 'decode export' 'output = place/x' "$decode" info --config
cannot 'decode report' 'output = place/x' "$decode" info --config
cannot 'decode' 'debuginfod = yes' "$decode" info --config
cannot 'snapshot' 'output = place/x' "$tool" snapshot 1
cannot_status=125
cannot record 'output = place/x' "$tool" record true
cannot record 'duration = 1' "$tool" true
cannot record 'trigger = USR1' "$tool" record true
# a command is no setting, in any file
write .syntrace.conf '[decode]' 'pager = touch place/x'
refused "unknown key 'pager'"
find place -mindepth 1 >out
[ ! -s out ] || bad 'a project wrote elsewhere'
# an option that names a place is one of them
for verb in $("$decode" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
	"$decode" "$verb" --help | sed -n 's/^  \(-., \|    \)--\([a-z-]*\)=\(FILE\|DIR\) .*/\2/p' | while read -r option; do
		write .syntrace.conf "[decode $verb]" "$option = x"
		"$decode" info --config 2>&1 | grep -q 'project file cannot' || echo "$verb --$option"
	done
done >out
[ ! -s out ] || bad 'a project may set these'

# ---- recording ----
clear_files
write $own '[record]' 'stream = yes' 'max-size = 64M' 'quiet = no'
write .syntrace.conf '[record]' 'ring = 1M' '[top]' 'interval = 5'
status 0 env SYNTRACE_MAX_SIZE=1G "$tool" info --config
has out '^record +ring +1M +.syntrace.conf:2$'
has out '^record +stream +no +default$'
has out '^record +max-size +1G +SYNTRACE_MAX_SIZE$'
has out "^record +quiet +no +$HOME/.config/syntrace/config:4\$"
has out '^top +interval +5 +.syntrace.conf:4$'
hasnt out '^(top|pause) +ring'
status 0 "$tool" info --config --format=jsonl
jq -e -s 'map(select(.section == "record" and .key == "ring")) ==
	[{v: 1, type: "setting", section: "record", key: "ring", value: "1M", from: "file", file: ".syntrace.conf", line: 2}]' \
	out >/dev/null || bad 'info --config --format=jsonl of syntrace'
says 2 'config is missing' "$tool" info
write .syntrace.conf '[top]' 'interval = often'
says 2 '.syntrace.conf:2: --interval takes seconds' "$tool" info --config
write .syntrace.conf '[record]' 'max-size = often'
says 2 ".syntrace.conf:2: a SIZE is a number of bytes.*not 'often'" "$tool" info --config
clear_files
[ -f "$top_builddir/.libs/libsyntrace.so" ] || tool_end
# WORD=VALUE...: of the only dump of ./syntrace.data
recorded()
{
	"$decode" info --format=jsonl syntrace.data >out
	for word; do
		has out "\"${word%%=*}\":\"?${word#*=}[\",}]"
	done
}
status 0 "$tool" info --config
has out '^record +ring +64M +default$'
has out '^record +max-size +16G +default$'
status 0 "$tool" true
recorded mode=ring ring_bytes=67108864 limit_bytes=17179869184
write $own '[record]' 'ring = 1M' 'max-size = 64M'
status 0 "$tool" true
has err 'recorded 1 process'
recorded mode=ring ring_bytes=1048576 limit_bytes=67108864
write .syntrace.conf '[record]' 'stream = yes' 'quiet = yes'
status 0 "$tool" record true
hasnt err .
recorded mode=stream
status 0 env SYNTRACE_MODE= "$tool" record true
recorded mode=stream
status 0 "$tool" record --ring=2M true
recorded mode=ring ring_bytes=2097152
status 0 env SYNTRACE_MODE=ring SYNTRACE_RING=4M "$tool" true
recorded mode=ring ring_bytes=4194304
write .syntrace.conf '[record]' 'ring = 2M'
status 0 env SYNTRACE_MODE=stream "$tool" true
recorded mode=stream
status 0 env SYNTRACE_MAX_SIZE=128M "$tool" true
recorded ring_bytes=2097152 limit_bytes=134217728
write $own '[record]' 'output = elsewhere/trace'
status 0 "$tool" true
[ -f elsewhere/trace/trace ] || bad 'the own file does not say where'
status 0 "$tool" record -o here true
[ -f here/trace ] || bad 'the command line does not say where'
rm .syntrace.conf
write $own '[record]' 'ring = 5 apples'
says 125 "config:2: a SIZE is a number of bytes" "$tool" true
write $own '[decode]' 'nonsense = of the other tool'
status 0 "$tool" true
# the process that watches for a trigger ignores the settings of the user
write $own '[decode watch]' 'hold = nonsense' '[decode]' 'format = jsonl'
status 0 "$tool" record --trigger slow=9s sleep 1
hasnt err 'has ended'
# the program sees the variable that is not the recorder's
write $own
status 0 env SYNTRACE_CONFIG=$own "$tool" record -q env
has out "^SYNTRACE_CONFIG=$own\$"
tool_end
