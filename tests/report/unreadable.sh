#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Each verb exits with status 4, after a message that names the input, if any of its inputs cannot be read. In the short form
# diff and check read each kind of unreadable input, and each other verb reads one kind, in turn; in the long form it reads all.
. "$(dirname "$0")/../lib.sh"
cd "$dir" || exit 99

SYNTRACE_DIR=good LD_PRELOAD="$lib" "$top_builddir/tests/calls/sem.call" >said || fail "exit status $? of sem.call"
status 0 "$decode" baseline good >base.txt 2>err
dump=$(basename good/*.dump)

# the kinds of unreadable inputs
mkdir empty
echo 'This is a text file.' >text
: >zero
mkfifo pipe
for kind in cut garbled closed-dump closed-directory half; do
	cp -r good $kind
done
head -c 100 "good/$dump" >"cut/$dump"
head -c 5000 /dev/urandom >"garbled/$dump"
cp "good/$dump" half/1.1.dump
kinds="missing empty text zero cut garbled"
as=
if [ "$(id -u)" != 0 ]; then
	kinds="$kinds closed-dump closed-directory half"
elif setpriv --bounding-set -dac_override,-dac_read_search true 2>/dev/null; then
	kinds="$kinds closed-dump closed-directory half"
	as='setpriv --bounding-set -dac_override,-dac_read_search'
else
	echo "note: root reads all files here: permissions are not tried"
fi
chmod 0 "closed-dump/$dump" closed-directory half/1.1.dump

# refuses VERB NAME ARGUMENT...: VERB with these arguments has status 4 and a message about NAME.
refuses()
{
	refuses_verb=$1 refuses_name=$2
	shift 2
	# shellcheck disable=SC2086 # a command and its options
	timeout -k 5 60 $as "$decode" "$refuses_verb" "$@" >out 2>err
	refuses_status=$?
	[ $refuses_status = 4 ] || fail "$refuses_verb $*: exit status $refuses_status"
	while read -r refuses_line; do
		case $refuses_line in "syntrace-decode: $refuses_name"*) return ;; esac
	done <err
	fail "$refuses_verb $*: no message about $refuses_name: $(cat err)"
}

verbs=$("$decode" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
[ "$(echo "$verbs" | wc -l)" -ge 15 ] || fail "--help lists fewer than 15 verbs"
rest=
for verb in $verbs; do
	# The next kind of the round.
	# shellcheck disable=SC2086 # words
	set -- ${rest:-$kinds}
	tried=$1
	shift
	rest=$*
	case $verb in diff | check) tried=$kinds ;; esac
	[ -z "${SYNTRACE_TEST_LONG:-}" ] || tried=$kinds
	case $verb in
	export) set -- --to=folded ;;
	what-if) set -- --speed-up=main=50% ;;
	report) set -- -o page.html ;;
	*) set -- ;;
	esac
	for kind in $tried; do
		case $verb in
		diff)
			refuses diff "$kind" good "$kind"
			refuses diff "$kind" "$kind" good
			;;
		watch | top) refuses "$verb" "$kind" "$kind" ;;
		check)
			refuses check "$kind" good "$kind"
			refuses check "$kind" --against=base.txt "$kind"
			refuses check "$kind" --against=base.txt good "$kind"
			refuses check "$kind" --against=base.txt "$kind" good
			refuses check "$kind" --against="$kind" good
			;;
		*)
			refuses "$verb" "$kind" "$@" "$kind"
			refuses "$verb" "$kind" "$@" good "$kind"
			;;
		esac
	done
done

# A status of findings or of losses does not hide an unreadable input.
refuses check missing --fail-on-loss good missing
# A directory of runs in which one run cannot be read is not compared without this run.
mkdir runs
cp -r good runs/1
cp -r cut runs/2
refuses baseline runs/2 runs
refuses diff runs/2 good runs
refuses check runs/2 --against=base.txt runs
# A run that cannot be read gives one message, and is no incomplete trace.
refuses baseline missing missing
[ "$(wc -l <err)" -eq 1 ] || fail "several messages about one run: $(cat err)"
# The readable inputs are still reported.
"$decode" events --format=jsonl good >whole
status 4 "$decode" events --format=jsonl good missing >out 2>err
cmp -s whole out || fail "events are missing beside an unreadable input"
finish
