#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode baseline and check --against, as in CI, on six programs (ci/) that contain 23 changes (-DCHANGE=N):
# no alarm in unchanged runs at two loads of the program, on an idle and on a busy machine; each change is reported, also
# in another build. Call paths match between builds that differ by -O, debug information or names, without an alarm.
#
# Long form: 120 unchanged runs, and 46 changed runs of all 23 changes; in the short form, 6, and 8 changed runs of 8 changes. The
# long form compares more builds.
. "$(dirname "$0")/../lib.sh"
: "${CC:=cc}"
need strip
cd "$dir" || exit 99
programs='server pipeline phases family events kinds'
loads=400
nr_unchanged=1 # unchanged runs of each program and load
changes='1 6 11 15 17 21 22 23' # at least one of each program
nr_expected=8 # changed runs
other_changes=1 # changes in another build
kinds='O0 stripped' # builds that match
matched=server # programs with several builds
[ -z "${SYNTRACE_TEST_LONG:-}" ] || loads='100 400' nr_unchanged=10 changes= nr_expected=46 other_changes='1 2 3 4' \
	kinds='O0 O1 O3 stripped' matched='server pipeline'
source=$top_srcdir/tests/report/ci
nr_runs=0 nr_alarms=0 nr_changes=0 nr_reported=0

# build DIRECTORY PROGRAM OPTION...
build()
{
	build_into=$1 build_program=$2
	shift 2
	mkdir -p "$build_into"
	# shellcheck disable=SC2086 # a compiler and its options
	$CC -std=gnu11 -Wall -Wextra -Werror -pthread "$@" -o "$build_into/$build_program" \
		"${from:-$source}/$build_program.c" || fail "$build_program $*: does not compile"
}

# record TRACE BUILD PROGRAM LOAD
record()
{
	mkdir -p "$(dirname "$1")"
	timeout -k 5 120 env SYNTRACE_DIR="$dir/$1" LD_PRELOAD="$lib" "./$2/$3" "$4" >said 2>&1 ||
		fail "$2/$3 $4: exit status $?: $(cat said)"
}

# Makes the machine busy with three processes until rest.
busy()
{
	busy_with=
	for busy_number in 1 2 3; do
		sh -c 'while :; do :; done' &
		remember
		busy_with="$busy_with $!"
	done
}

rest()
{
	# shellcheck disable=SC2086
	kill -KILL $busy_with
	# shellcheck disable=SC2086
	wait $busy_with 2>/dev/null
}

# check BASELINE TRACE STATUS: the comparison ends with STATUS.
check()
{
	timeout -k 5 60 "$decode" check --against="$1" "$2" >report 2>err
	check_status=$?
	[ $check_status = "$3" ] && return 0
	fail "$2: exit status $check_status instead of $3 from check --against=$1"
	cat report err
	return 1
}

for program in $programs; do
	build 0 "$program" -O2 -g
	for load in $loads; do
		for n in 1 2 3 4 5; do
			record "$program/$load/before/$n" 0 "$program" "$load"
		done
		status 0 "$decode" baseline "$program/$load/before" >"$program/$load.txt"
		for n in $(seq $nr_unchanged); do
			[ $((n % 2)) = 1 ] || busy
			record "$program/$load/$n" 0 "$program" "$load"
			[ $((n % 2)) = 1 ] || rest
			nr_runs=$((nr_runs + 1))
			check "$program/$load.txt" "$program/$load/$n" 0 || nr_alarms=$((nr_alarms + 1))
		done
	done
	for change in $(sed -n 's/.*CHANGE [=!]= \([0-9]*\).*/\1/p' "$source/$program.c" | sort -nu); do
		case " ${changes:-$change} " in *" $change "*) ;; *) continue ;; esac
		build "$change" "$program" -O2 -g -DCHANGE="$change"
		for load in $loads; do
			record "$program/$load/change-$change" "$change" "$program" "$load"
			nr_changes=$((nr_changes + 1))
			check "$program/$load.txt" "$program/$load/change-$change" 1 && nr_reported=$((nr_reported + 1))
		done
	done
done
echo "unchanged runs: $nr_runs, false alarms: $nr_alarms; changed runs: $nr_changes, reported: $nr_reported"
[ $nr_changes = $nr_expected ] || fail "$nr_changes changed runs instead of $nr_expected"

# The mix of the jobs of `kinds` varies from run to run: only the counts for each kind of job show a change.
# names CHANGE HEADLINE TASK PATH
names()
{
	status 1 "$decode" check --against="kinds/${loads##* }.txt" "kinds/${loads##* }/change-$1" >report
	awk '/^[0-9]+\. / { line = $0; next } /^   / { line = line $0; next } { print line; line = "" }
		END { print line }' report | grep -q "^[0-9]*\. $2 per task.*   task .*$3.*   part kinds: $4 on mutex:[^ ].*$" ||
		fail "kinds $1: no '$2', '$3', '$4' in $(cat report)"
}
names 21 'more in a task: 2 instead of 1' get 'work;get;look_up;pthread_mutex_lock'
# a task of two parts is gone if one of them is
status 1 "$decode" check --against="kinds/${loads##* }.txt" "kinds/${loads##* }/change-22" >report
grep -A 1 '^[0-9]*\. \(no more\|fewer\) \(in a task\|tasks\): ' report | grep -q '^   task [^ ]*set' ||
	fail "kinds 22: no finding about the task 'set' in $(cat report)"
names 23 'more in a task: 2 instead of 1' drop 'work;drop;pthread_mutex_lock'

# baseline --keep: after a change, the model in the baseline has other counts, and no other tasks. --rename: the user's names.
model_of()
{
	grep '^\(task\|part\|arc\)	' "$1" | cut -f 1,3-
}
old=kinds/${loads##* }.txt
changed=kinds/${loads##* }/change-21
status 0 "$decode" baseline --keep="$old" "$changed" "$changed" "$changed" >kept.txt
model_of "$old" >old.model
model_of kept.txt >kept.model
cmp old.model kept.model || fail "--keep: other tasks: $(diff old.model kept.model)"
grep -q '^part	2/task	get	kinds: work;get;look_up;pthread_mutex_lock$' kept.txt || fail "--keep: no new count: $(grep '	get	' kept.txt)"
status 0 "$decode" check --against=kept.txt "$changed" >report
before=kinds/${loads##* }/before
status 0 "$decode" baseline --keep="$old" "$before" >kept.txt
cmp "$old" kept.txt || fail "--keep of the same runs: $(diff "$old" kept.txt)"
first=$(sed -n 's/^task	[^	]*	\([^	]*\)	.*/\1/p' "$old" | sed -n 1p)
second=$(sed -n 's/^task	[^	]*	\([^	]*\)	.*/\1/p' "$old" | sed -n 2p)
printf '# names\n\n%s = GET\nabsent = nothing\n' "$first" >names
status 0 "$decode" baseline --rename=names "$before" >renamed.txt
grep -q '^task	[^	]*	GET	' renamed.txt && ! grep -qF "	$first	" renamed.txt || fail "baseline --rename '$first': $(grep '^task' renamed.txt)"
# names with blanks, UTF-8, and the marks of the file; a later baseline keeps them, and names other tasks
printf '%s = Auftrag  hol\303\251n @1 "x" \\t\\\n%s = \\set\n' "$first" "$second" >names
printf 'Auftrag  hol\303\251n @1 "x" \\t\\\n\\set\n' | sort >wanted
status 0 "$decode" baseline --rename=names "$before" >renamed.txt
cut -f 1,3 renamed.txt | sed -n 's/^task	//p' | grep 'Auftrag\|\\set' | sort | cmp - wanted || fail "--rename: other names: $(grep '^task' renamed.txt)"
status 0 "$decode" check --against=renamed.txt "$before/1" >report
echo 'absent = nothing' >names
status 0 "$decode" baseline --keep=renamed.txt --rename=names "$before" >kept.txt
cmp renamed.txt kept.txt || fail "--keep of names: $(diff renamed.txt kept.txt)"
status 0 "$decode" model "$changed" >report
name=$(sed -n 's/^1\. \(.*\) x[0-9]*: .*/\1/p' report)
echo "$name = first task" >names
status 0 "$decode" model --rename=names "$changed" >report
grep -q '^1\. first task x[0-9]*: ' report || fail "model --rename: $(head report)"
# Without the gets, the older baseline has the tasks work and work~new. The gets become a task with a name of its own.
python3 - "$old" >older.txt <<'END' || fail "no older baseline"
import sys
rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[1])]
rows = [row for row in rows if not any(word in ("get", "@get") or "work;get;" in word for word in row)]
types = "task", "part", "arc"
names = {"drop": "work~new", "@drop": "@work~new"}
rules = [[names.get(word, word) for word in row] for row in rows if row[0] in types]
rules.sort(key=lambda row: (types.index(row[0]), "\t".join(row[2:]).encode()))
for row in rows:
    print("\t".join(rules.pop(0) if row[0] in types else row))
END
status 0 "$decode" baseline --keep=older.txt "$before" >kept.txt
for task in 'work	1	kinds: work;pthread_mutex_lock' 'work~new	1	kinds: work;drop;.*' 'work~new2	1	kinds: work;get;.*'; do
	grep -qx "task	[^	]*	$task" kept.txt || fail "--keep: no '$task': $(grep '^task' kept.txt)"
done
status 0 "$decode" check --against=kept.txt "$before/1" >report
for wrong in "$first" ' = GET' "$first = " "$first = @GET" "$first = $second" "$(printf '# \303')"; do
	echo "$wrong" >names
	status 4 "$decode" baseline --rename=names "$before/1" >out 2>err
	grep -q '^syntrace-decode: names:1:[0-9]*: ' err || fail "--rename '$wrong': $(cat err)"
done

# ---- two builds ----

load=${loads##* }
for program in $matched; do
	for kind in $kinds; do
		case $kind in
		O0) build O0 "$program" -O0 -g ;;
		O[13]) build $kind "$program" -$kind ;;
		stripped)
			build stripped "$program" -O2
			strip "stripped/$program"
			;;
		esac
		record "$program/$kind" $kind "$program" "$load"
		check "$program/$load.txt" "$program/$kind" 0
		unwrap <report | grep -q "^The builds differ: $program has the build ID" || fail "$program/$kind: no builds"
	done
	unwrap <report | grep -q '^Not comparable in detail: [0-9]* call paths* contains* functions without names' ||
		fail "$program/stripped: it is not said that names are missing"
	# A program with another name, and the other direction.
	mkdir -p other runs
	cp "0/$program" "other/$program-2"
	record "$program/other" other "$program-2" "$load"
	check "$program/$load.txt" "$program/other" 0
	grep -q "^Renamed: the program $program is now $program-2\.$" report || fail "$program: the program is not renamed"
	for n in 1 2 3; do
		record "$program/O0-before/$n" O0 "$program" "$load"
	done
	status 0 "$decode" diff "$program/O0-before" "$program/$load/1" >report
	grep -q '^Matched: [0-9]* call paths* that differ' report || fail "$program: no matched call paths"
done

# Renamed functions, alone and with a change.
from=renamed
mkdir renamed
sed 's/locked_add/add_locked/g' "$source/ci.h" >renamed/ci.h
sed -e 's/\<answer\>/respond/g' -e 's/locked_add/add_locked/g' "$source/server.c" >renamed/server.c
build new-names server -O2 -g
build new-names-1 server -O2 -g -DCHANGE=1
from=
record server/new-names new-names server "$load"
check "server/$load.txt" server/new-names 0
for rename in 'answer is now respond' 'locked_add is now add_locked'; do
	grep -q "^Renamed: the function $rename\.$" report || fail "no '$rename': $(cat report)"
done
status 0 "$decode" check --format=jsonl --against="server/$load.txt" server/new-names >report
grep -q '"type":"renamed","kind":"function","before":"answer","after":"respond","paths":[1-9]' report || fail "JSON: no rename"
status 0 "$decode" check --format=markdown --against="server/$load.txt" server/new-names >report
grep -q 'Renamed: the function answer is now respond' report || fail "Markdown: no rename"
status 0 "$decode" check --format=junit --against="server/$load.txt" server/new-names >report
grep -q 'Renamed: the function answer is now respond' report || fail "JUnit: no rename"
record server/new-names-1 new-names-1 server "$load"
check "server/$load.txt" server/new-names-1 1

# A change is reported in another build, too.
for kind in ${SYNTRACE_TEST_LONG:+-O0 -O1} -s; do
	for change in $other_changes; do
		build "$change$kind" server "$kind" -DCHANGE=$change
		record "server/$change$kind" "$change$kind" server "$load"
		check "server/$load.txt" "server/$change$kind" 1
	done
done

finish
