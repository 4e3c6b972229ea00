#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The decoded output depends neither on the number of threads nor on the memory: --jobs, --memory.
. "$(dirname "$0")/lib.sh"
tool_need_library
decode=$top_builddir/syntrace-decode

# 30000 events are some 2 MB of rows and histories; --memory=1M does not leave all of them in memory. The long form takes
# 300000, tries more numbers of threads and amounts of memory, and also the second printer of each report. The second trace has the
# state of rules for futexes, locks on files, readiness, signals and so on, the third that of OpenMP teams: in the short form, only
# the verbs that show this state read them.
record() # DIRECTORY COMMAND...
{
	trace=$1
	shift
	env SYNTRACE_DIR="$tool_work/$trace" LD_PRELOAD="$top_builddir/.libs/libsyntrace.so" "$@" >out || exit 99
}
nr=30000
[ -z "${SYNTRACE_TEST_LONG:-}" ] || nr=300000
record load "$top_builddir/syntrace-bench-load" $nr
record kinds "$top_builddir/syntrace-many-kinds" 3000
traces="load kinds"
if [ -x "$top_builddir/tests/calls/omp-edges" ]; then # where there is OpenMP
	record teams "$top_builddir/tests/calls/omp-edges"
	traces="$traces teams"
fi
sync ./*/* # stat prints the size of a dump on the disk, which is final only after this
mkdir spill
TMPDIR=$tool_work/spill
export TMPDIR

verbs() # DIRECTORY OPTION...
{
	trace=$1
	shift
	is_short=
	[ "$trace" = load ] || [ -n "${SYNTRACE_TEST_LONG:-}" ] || is_short=1
	for verb in 'stat --objects --format=jsonl' edges 'edges --program --to=+1ms' 'edges --verify' \
		'edges --inferred --format=jsonl' 'tasks --format=jsonl' 'check --format=jsonl' 'contention --format=jsonl' \
		'lock-order --all --format=jsonl' 'blocked --format=jsonl' 'waits --format=jsonl' \
		'critical-path --format=jsonl' 'critical-path --requests --all --format=jsonl' \
		'requests --per=main --format=jsonl' 'sampling --replay=p:0.1,bump,bucket' \
		'what-if --speed-up=main=50%' 'diagnose --format=jsonl' \
		'export --to=perfetto -o -' 'report -o -' 'events --no-stacks' 'graph --format=json'; do
		case $is_short$verb in 1edges | 1edges\ --ver* | 1stat* | 1check* | 1waits* | 1diagnose* | [!1]*) ;; *) continue ;; esac
		# shellcheck disable=SC2086
		"$decode" $verb "$@" "$trace" 2>>told || echo "exit status $?"
	done
	[ -z "${SYNTRACE_TEST_LONG:-}" ] || for verb in stat 'edges --format=jsonl --kind=mutex' 'edges --class=causal' \
		tasks 'tasks --summary --format=jsonl' check contention waits critical-path why diagnose \
		'events --format=jsonl --call=pthread_cond*'; do
		# shellcheck disable=SC2086
		"$decode" $verb "$@" "$trace" 2>>told || echo "exit status $?"
	done
	[ -n "$is_short" ] || "$decode" diff "$@" "$trace" "$trace" 2>>told || echo "exit status $?" # from itself
}

all_verbs() # OPTION...
{
	for traced in $traces; do
		verbs $traced "$@"
	done
}

all_verbs --jobs=1 >expected
[ "$(grep -c . expected)" -gt $nr ] || bad "only $(grep -c . expected) lines of output"
grep 'exit status' expected >out && bad "a verb failed"
set -- '--memory=1M --jobs=7'
[ -z "${SYNTRACE_TEST_LONG:-}" ] || set -- "$@" --jobs=7 '--memory=1M --jobs=3' --jobs=2 '-j 64' --memory=1M --memory=40M
for options in "$@"; do
	: >told
	# shellcheck disable=SC2086
	all_verbs $options >got
	cmp expected got >out || bad "$options: another result"
	grep -vE 'MiB of memory, more than --memory|spill: is in memory, so' told >err && bad "$options: it complained"
done
[ -z "$(ls -A spill)" ] || bad "files were left in TMPDIR: $(ls -A spill)"

# Without --objects stat keeps few rows (a sparse trace), with it all of them.
"$decode" stat --objects --format=jsonl load 2>>told | grep '^{"v":1,"type":"\(process\|call\|tasks\|thread\|blind\|coverage\)"' >want
for options in --jobs=1 --jobs=2 --jobs=5 '--memory=1M --jobs=2'; do
	# shellcheck disable=SC2086
	"$decode" stat --format=jsonl $options load >out 2>>told || bad "stat $options failed"
	cmp want out >err || bad "stat $options: what was not kept would have changed the result"
done
[ "$(grep -c '"type":"coverage"' want)" -eq 1 ] || bad "no coverage to compare"

# Tasks one by one (of all rows), summed up by label, and counted by stat: as many, as long.
"$decode" tasks --format=jsonl load >out || bad "tasks failed"
sed 's/.*"dur":\([0-9]*\).*/1 \1/' out | awk '{ n += $1; t += $2 } END { printf "%.0f %.0f\n", n, t }' >want
"$decode" tasks --summary --format=jsonl load >out || bad "tasks --summary failed"
sed 's/.*"tasks":\([0-9]*\),"total":\([0-9]*\).*/\1 \2/' out | awk '{ n += $1; t += $2 } END { printf "%.0f %.0f\n", n, t }' >got
cmp want got >err || bad "the sums of tasks are $(cat got), one by one they are $(cat want)"
"$decode" stat --format=jsonl load | sed -n 's/.*"tasks":\([0-9]*\),"ran":\([0-9]*\).*/\1 \2/p' >got
cmp want got >err || bad "stat has tasks $(cat got), one by one they are $(cat want)"

# Without a place for files everything stays in memory, and that is said.
TMPDIR=$tool_work/nowhere status 0 "$decode" stat --memory=1M load
has err 'nowhere: cannot create a temporary file of [0-9]+ MiB: .*uses more memory'
[ "$(grep -c nowhere err)" -eq 1 ] || bad "it is said more than once"
"$decode" stat load >expected
cmp expected out || bad "without temporary files: another result"

for wrong in --memory=0 --memory=1023K --memory=1X --memory=1MB --memory= --memory=99999999999999T --jobs=0 --jobs=65 \
	--jobs=x; do
	status 2 "$decode" stat "$wrong" load
	has err "${wrong%%=*} takes"
done
tool_end
