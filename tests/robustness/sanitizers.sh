#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Traces programs built with each sanitizer of gcc and clang, by `syntrace record` and by LD_PRELOAD alone.  A correct
# program has the same exit status and output as untraced, and its events are in the trace.  A faulty program has the
# same report as untraced: the same kind, at the same addresses of the program.  The short form leaves out the leak sanitizers and
# clang's for undefined behaviour.
. "$(dirname "$0")/lib.sh"
tool=$top_builddir/syntrace
source=$top_srcdir/tests/robustness/sanitizers

# The runtimes of gcc 12 and clang 14 fail on kernels that randomize more address bits.
fixed=
if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28)" -gt 28 ]; then
	setarch -R true 2>/dev/null || skip "the kernel lays out memory in a way that the runtimes do not know"
	fixed='setarch -R'
fi
# Without symbols the test compares addresses and needs no symbolizer.
ASAN_OPTIONS=symbolize=0 LSAN_OPTIONS=symbolize=0 MSAN_OPTIONS=symbolize=0
TSAN_OPTIONS=symbolize=0:detect_deadlocks=1 UBSAN_OPTIONS=symbolize=0:print_stacktrace=1
export ASAN_OPTIONS LSAN_OPTIONS MSAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS

# run HOW OUT CMD...: untraced, by the tool, or preloaded; the trace becomes OUT.trace. Returns the exit status.
run()
{
	run_how=$1 run_out=$2
	shift 2
	rm -rf "$run_out.trace"
	case $run_how in
	untraced) ;;
	record) set -- "$tool" record -q -o "$run_out.trace" "$@" ;;
	preload) set -- env SYNTRACE_DIR="$run_out.trace" LD_PRELOAD="$lib" "$@" ;;
	esac
	timeout -k 5 100 $fixed "$@" >"$run_out" 2>"$run_out.err" </dev/null
}

# report PROGRAM FILE: prints the parts of a report that are equal in each run: kinds, and addresses in PROGRAM.
report()
{
	sed -nE -e 's/=*[0-9]+=*(ERROR|WARNING): /\1: /; s/\(pid=[0-9]+\)//; s/ (on|at) .*address .*//; s/ \(tid=.*//' \
		-e 's/0x[0-9a-f]{8,}/ADDRESS/g; /^(ERROR|WARNING): |^SUMMARY|runtime error|leak of|(Read|Write) of/p' \
		-e 's/^ *#[0-9]+ .*(\('"$(basename "$1")"'|\/'"$(basename "$1")"')(\+0x[0-9a-f]+).*/in the program \2/p' "$2"
}

# correct PROGRAM HOW [CALL LEAST MOST]...
correct()
{
	correct_program=$1 correct_how=$2
	shift 2
	run "$correct_how" "$correct_program.out" "$correct_program"
	correct_status=$?
	[ $correct_status = 3 ] || fail "$correct_program, $correct_how: exit status $correct_status instead of 3"
	for stream in '' .err; do
		cmp -s "$correct_program.untraced$stream" "$correct_program.out$stream" || {
			fail "$correct_program, $correct_how: another output"
			head -n 20 "$correct_program.out$stream"
		}
	done
	"$decode" stat "$correct_program.out.trace" >"$dir/stat" 2>&1 ||
		fail "$correct_program, $correct_how: no trace: $(head -n 3 "$dir/stat")"
	# ThreadSanitizer starts a thread in a forked child, and the child's exec may leave this thread without room.
	grep -E '^  lost ' "$dir/stat" | grep -v 'no room for the events of one more thread$' >"$dir/lost" &&
		fail "$correct_program, $correct_how: $(cat "$dir/lost")"
	while [ $# -gt 0 ]; do
		counted "$1" "$2" "$3"
		shift 3
	done
}

# faulty PROGRAM FAULT
faulty()
{
	run untraced "$1.fault" "$1" "$2"
	faulty_wanted=$?
	report "$1" "$1.fault.err" >"$1.wanted"
	[ -s "$1.wanted" ] || {
		fail "$1: $2 is not reported untraced: $(head -n 5 "$1.fault.err")"
		return
	}
	cp "$1.fault" "$1.fault.untraced"
	run record "$1.fault" "$1" "$2"
	faulty_got=$?
	report "$1" "$1.fault.err" >"$1.got"
	[ $faulty_got = $faulty_wanted ] || fail "$1: $2: exit status $faulty_got instead of $faulty_wanted"
	cmp -s "$1.fault.untraced" "$1.fault" || fail "$1: $2: another output"
	diff "$1.wanted" "$1.got" >"$1.diff" || {
		fail "$1: $2: another report"
		cat "$1.diff"
	}
}

# sanitizer COMPILER C++-COMPILER NAME FAULT...
sanitizer()
{
	cc=$1 cxx=$2 name=$3
	shift 3
	dir=$dir/$cc.$name
	program=$dir/$cc-$name
	mkdir -p "$dir"
	set -- "$program" "$@"
	if ! $cc -O1 -g1 -w "-fsanitize=$name" -pthread -o "$program" "$source.c" 2>"$dir/cc.out"; then
		echo "skipped: $cc -fsanitize=$name cannot be built here"
		return
	fi
	languages=c
	if [ "$name" = memory ]; then
		echo "skipped: $cxx -fsanitize=memory: needs a C++ library that was built with it"
	elif $cxx -O1 -g1 -w "-fsanitize=$name" -pthread -o "$program-cc" "$source.cc" 2>"$dir/cc.out"; then
		languages='c cc'
	else
		echo "skipped: $cxx -fsanitize=$name cannot be built here"
	fi
	run untraced "$program.untraced" "$program"
	status=$?
	[ $status = 3 ] || {
		echo "skipped: $cc -fsanitize=$name: does not run here: $(head -n 1 "$program.untraced.err")"
		return
	}

	hows='record preload'
	[ "$cc $name" != 'gcc address' ] || hows=record # its runtime insists on being the first
	for how in $hows; do
		# ThreadSanitizer's pthread_once calls no other: in front of the recorder it hides the program's calls
		nr_once=3
		case $name.$cc.$how in
		thread.gcc.preload) ;;
		thread.*)
			nr_once=0
			"$tool" doctor "$program" | grep -q '^  sanitizer .*pthread_once is not recorded' ||
				fail "$program: doctor does not name pthread_once"
			;;
		esac
		correct "$program" $how pthread_join 3 3 pthread_barrier_wait 3 3 fork 1 1 execl 1 1 waitpid 1 1 \
			sem_post 2 2 sem_wait 2 2 pthread_rwlock_rdlock 2 2 pthread_rwlock_wrlock 1 1 \
			pthread_spin_lock 2 2 pthread_mutex_lock 203 1000 pthread_cond_broadcast 201 201 \
			pthread_cond_wait 1 1000 recv 50 50 pthread_once $nr_once $nr_once process_start 3 3 process_end 2 2
		[ "$(grep -c '^Process ' "$dir/stat")" = 3 ] || fail "$program, $how: $(grep -c '^Process ' "$dir/stat") processes"
	done
	if [ "$languages" != c ]; then
		run untraced "$program-cc.untraced" "$program-cc"
		for how in $hows; do
			correct "$program-cc" $how pthread_join 4 4 fork 1 1 waitpid 1 1 pthread_mutex_lock 104 1000 \
				pthread_cond_broadcast 1 2 pthread_cond_signal 100 100
		done
	fi
	shift
	for fault; do
		faulty "$program" "$fault"
	done
	# A runtime behind the recorder must see locks and no tries.
	if [ "$cc $name" = 'gcc thread' ]; then
		for fault in race inversion; do
			run preload "$program.fault" "$program" $fault
			status=$?
			[ $status = 66 ] && grep -q "WARNING: ThreadSanitizer: $(echo $fault |
				sed 's/race/data race/; s/inversion/lock-order-inversion/')" "$program.fault.err" ||
				fail "$program, preload: $fault: exit status $status, $(grep -m 1 WARNING "$program.fault.err")"
		done
	fi
	echo "$cc -fsanitize=$name: $languages, $hows; reported:${1:+ $*}"
	return $nr_failed
}

# some COMPILER.NAME...: tests them in turn; each has a log.
some()
{
	for some_what; do
		case $some_what in
		*.thread) some_faults='race inversion' ;;
		*.address) some_faults='overflow leak' ;;
		*.leak) some_faults=leak ;;
		*.undefined) some_faults=undefined ;;
		*.memory) some_faults=uninitialized ;;
		esac
		case $some_what in
		gcc.*) some_cxx=g++ ;;
		*) some_cxx=clang++ ;;
		esac
		(
			trap - EXIT
			# shellcheck disable=SC2086 # words
			sanitizer "${some_what%.*}" $some_cxx "${some_what#*.}" $some_faults
		) >"$dir/$some_what.log" 2>&1 || : >"$dir/$some_what.failed"
	done
}

some gcc.thread clang.address gcc.undefined ${SYNTRACE_TEST_LONG:+gcc.leak} &
half=$!
remember
some clang.thread gcc.address clang.memory ${SYNTRACE_TEST_LONG:+clang.undefined clang.leak}
wait $half
cat "$dir"/*.log
for failed in "$dir"/*.failed; do
	[ ! -e "$failed" ] || fail "$(basename "$failed" .failed)"
done
[ "$(cat "$dir"/*.log | grep -c '; reported:')" != 0 ] || skip "no sanitizer's program runs here"
finish
