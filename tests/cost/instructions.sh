#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# instructions.sh [-p | -u]: counts, with callgrind, the instructions of an event, part by part. It
# measures no time, so the load of the machine does not matter. The test fails if a part takes more
# than `instructions.expected` allows. The short form leaves out the kinds `no-hops-…`, `paused-…`, `deep-…` and `unselected-sem`.
#
#   -p   prints the table of doc/performance.md instead (make cost), between the lines that markdown.sh looks for
#   -u   writes instructions.expected anew, for a change that is worth its price or saves some
#
# Each operation runs a few times and many times: the difference is the cost of the additional ones. The operations
# of two threads make several events, of which the table shows the mean.
# A part is the code compiled from the files that parts.awk names, wherever the compiler put it. The
# instructions of libc and of the program are not the recorder's and are not compared. A call that
# is not recorded, in a program that has SYNTRACE_DISABLE or while recording is paused, has one
# part: all instructions of the library. A lock that a sampler does not select has a second part: the functions of
# preload/fast-entry.S, which skip 254 of 255 such calls.
# The kinds `paused-…` and `deep-…` are calls in a pause and in a deep pause.
# The kinds `unselected-…` are calls that a sampler does not select (p:0): they leave counters, a ghost or nothing. The kinds
# `no-hops-…` are readiness calls of a sampler that makes no marks.
#
# The compressor's work depends on the time stamps, so also on the load of the machine. The part `sealing` of an
# operation therefore may grow much. The part `sealing` of the program seal.c, which invents its stamps, may not.
. "$(dirname "$0")/../lib.sh"

is_long=${SYNTRACE_TEST_LONG:-}${1:-}
FEW=4096
MANY=24576
SEALED=8 # times as many events are sealed
expected=$top_srcdir/tests/cost/instructions.expected
ops=$top_builddir/syntrace-bench-ops
seal=$top_builddir/tests/cost/seal
moves=$top_builddir/tests/cost/moves

need valgrind readelf python3 unshare
[ "$(uname -m)" = x86_64 ] || skip "counted on x86_64 only"
[ -x "$ops" ] || skip "syntrace-bench-ops is not built"
[ -x "$seal" ] || skip "tests/cost/seal is not built"
[ -x "$moves" ] || skip "tests/cost/moves is not built"
# Without the TSC the clock is a call of the kernel's, with other counts. So if the kernel does not use the TSC, as in many
# virtual machines, the test runs in a mount namespace where the file says that it does. No time is measured.
clock=/sys/devices/system/clocksource/clocksource0/current_clocksource
if ! grep -qsx tsc $clock; then
	[ -z "${SYNTRACE_TEST_CLOCK:-}" ] || skip "the file $clock cannot be replaced in a mount namespace"
	unshare --map-root-user --mount true || skip "no mount namespace can be made here"
	echo tsc >"$dir/clock"
	SYNTRACE_TEST_CLOCK=$dir/clock unshare --map-root-user --mount sh -c 'mount --bind "$SYNTRACE_TEST_CLOCK" '$clock'
		exec sh "$0" "$@"' "$0" "$@"
	exit $?
fi

# The counts hold for one compiler and its options.
compiler=$(readelf --debug-dump=info --dwarf-depth=1 "$lib" 2>/dev/null |
	sed -n 's/.*DW_AT_producer.*: \(GNU C[0-9]* [0-9.]*\) .*/\1/p' | sort -u)
flags=$(sed -n 's/^CFLAGS = //p' "$top_builddir/Makefile")
built="$compiler, $flags"
interpreter=$(readelf -l "$ops" | sed -n 's/.*interpreter: \(.*\)]$/\1/p')

# Valgrind assigns only one section of code to a library: in this copy, .text also covers .text.early (preload/order.ld).
python3 - "$lib" "$dir/libsyntrace.so" <<'END' || exit 99
import struct, sys
HEADER = '<IIQQQQ'  # name, type, flags, address, offset, size
data = bytearray(open(sys.argv[1], 'rb').read())
at, = struct.unpack_from('<Q', data, 0x28)
entry, nr, names = struct.unpack_from('<HHH', data, 0x3a)
names_at = struct.unpack_from(HEADER, data, at + names * entry)[4]
sections = {}
for n in range(nr):
    header = struct.unpack_from(HEADER, data, at + n * entry)
    name_at = names_at + header[0]
    sections[data[name_at:data.index(0, name_at)].decode()] = (at + n * entry, header)
early = sections.get('.text.early')
if early:
    text_at, text = sections['.text']
    first = early[1]
    struct.pack_into(HEADER, data, text_at, *text[:3], first[3], first[4], text[3] + text[5] - first[3])
open(sys.argv[2], 'wb').write(data)
END
lib=$dir/libsyntrace.so

# callgrind NAME TIMES OPERATION: as $dir/NAME.TIMES.
callgrind()
{
	# The loader preloads, because the library would be taken away from valgrind's own static program.
	SYNTRACE_DIR=$dir/trace timeout -k 5 250 valgrind -q --tool=callgrind --compress-strings=no --compress-pos=no \
		--fair-sched=yes --callgrind-out-file="$dir/$1.$2" "$interpreter" --preload "$lib" "$ops" -n "$2" "$3" >&2 </dev/null
}

# count OPERATION TIMES: as $dir/OPERATION.TIMES; prints how many events were recorded.
count()
{
	callgrind "$1" "$2" "$1" || return 1
	"$decode" stat --format=jsonl "$dir/trace" |
		sed -n 's/.*"type":"process".*"recorded":\([0-9]*\).*/\1/p'
	rm -rf "$dir/trace"
}

# parts OPERATION EVENTS: a line "OPERATION PART INSTRUCTIONS" for each part.
parts()
{
	awk -v operation="$1" -v events="$2" "$(cat "$top_srcdir/tests/cost/parts.awk")"'
		FNR == 1 { sign = sign ? 1 : -1 }
		/^ob=/ { object = substr($0, 4); next }
		/^fl=/ { home = file = substr($0, 4); next }
		/^f[ie]=/ { file = substr($0, 4); next }
		/^fn=/ { name = substr($0, 4); file = home; next }
		/^calls=/ { getline; next } # the cost of the callee is counted with the callee
		/^[0-9]+ [0-9]+$/ { n[part_of(object, file, name)] += sign * $2 }
		END {
			for (i in n)
				printf "%s %s %.1f\n", operation, i, (n[i] > 0 ? n[i] / events : 0)
		}' "$dir/$1.$FEW" "$dir/$1.$MANY" | sort
}

# count_moves [PREFIX]: a line "PREFIXKIND calls INSTRUCTIONS" for each kind of calls of the program moves.c, without the sealing.
count_moves()
{
	SYNTRACE_DIR=$dir/trace timeout -k 5 250 valgrind -q --tool=callgrind --compress-strings=no --compress-pos=no \
		--dump-before=mark --callgrind-out-file="$dir/moves" "$interpreter" --preload "$lib" "$moves" \
		</dev/null >"$dir/kinds" || return 1
	rm -rf "$dir/trace"
	nr=0
	while read -r kind calls; do
		nr=$((nr + 2)) # callgrind writes one file at each mark
		awk -v kind="${1:-}$kind" -v calls="$calls" "$(cat "$top_srcdir/tests/cost/parts.awk")"'
			/^ob=/ { object = substr($0, 4); next }
			/^fl=/ { home = file = substr($0, 4); next }
			/^f[ie]=/ { file = substr($0, 4); next }
			/^fn=/ { name = substr($0, 4); file = home; next }
			/^calls=/ { getline; next }
			/^[0-9]+ [0-9]+$/ && part_of(object, file, name) !~ /^(program|sealing|samples)$/ { n += $2 }
			END { printf "%s calls %.1f\n", kind, n / calls }' "$dir/moves.$nr"
	done <"$dir/kinds"
}

# unrecorded NAME [PART FUNCTIONS]: a line "NAME library INSTRUCTIONS", for each of the calls that the pair `mutex` makes.
unrecorded()
{
	awk -v name="$1" -v part="${2:-library}" -v functions="${3:-.}" -v calls=$((2 * (MANY - FEW))) '
		FNR == 1 { sign = sign ? 1 : -1 }
		/^ob=/ { object = substr($0, 4); next }
		/^fn=/ { function_name = substr($0, 4); next }
		/^calls=/ { getline; next }
		/^[0-9]+ [0-9]+$/ && object ~ /libsyntrace\.so/ && function_name ~ functions { n += sign * $2 }
		END { printf "%s %s %.1f\n", name, part, n / calls }' "$dir/$1.$FEW" "$dir/$1.$MANY"
}

# measure_rare_moves: appends the instructions of calls in a pause, and without hops, to $dir/found.
measure_rare_moves()
{
	SYNTRACE_SAMPLE=p:0,hops=0 count_moves no-hops- >"$dir/no-hops" || fail "moves, no hops: the program or valgrind failed"
	grep poll "$dir/no-hops" >>"$dir/found"
	# these rows are enough: the wrappers differ only before they reach libc
	"$top_builddir/syntrace" record -q --paused -o "$dir/deep.trace" true || fail "no trace could be paused"
	SYNTRACE_SESSION=$dir/deep.trace count_moves paused- >"$dir/paused.moves" || fail "moves, paused: the program or valgrind failed"
	"$top_builddir/syntrace" pause --deep "$dir/deep.trace" 2>/dev/null || fail "no deep pause"
	SYNTRACE_SESSION=$dir/deep.trace count_moves deep- >"$dir/deep" || fail "moves, deep: the program or valgrind failed"
	grep -E -- '-(read-write|send-recv|epoll-none-two) ' "$dir/paused.moves" "$dir/deep" | sed 's/.*://' >>"$dir/found"
}

# measure: writes the instructions of all parts to $dir/found.
measure()
{
	: >"$dir/found"
	for operation in mutex:2 stacks:2 sem:4 cond:4 sock:6 tcp:4; do
		per=${operation#*:} operation=${operation%:*}
		if ! few=$(count $operation $FEW) || ! many=$(count $operation $MANY); then
			fail "$operation: the program or valgrind failed"
			finish
		fi
		events=$((many - few))
		# PER events in each repetition; all other work is the same in both runs, but a condition variable may wake
		# a thread too early in one of them
		wanted=$((per * (MANY - FEW)))
		[ $events -ge $((wanted - wanted / 1000)) ] && [ $events -le $((wanted + wanted / 1000)) ] || fail "$operation: $events events instead of $wanted"
		parts $operation $events >>"$dir/found"
	done
	count_moves >>"$dir/found" || fail "moves: the program or valgrind failed"
	SYNTRACE_SAMPLE=p:0 count_moves unselected- >>"$dir/found" || fail "moves, p:0: the program or valgrind failed"
	[ -z "$is_long" ] || measure_rare_moves
	for operation in ${is_long:+sem} cond; do
		for times in $FEW $MANY; do
			SYNTRACE_SAMPLE=p:0 callgrind unselected-$operation $times $operation ||
				fail "$operation, p:0: the program or valgrind failed"
			rm -rf "$dir/trace"
		done
		parts unselected-$operation $((4 * (MANY - FEW))) |
			awk '$2 !~ /^(program|sealing|samples)$/ { n += $3 } END { print $1, "calls", n }' >>"$dir/found"
	done
	for times in $FEW $MANY; do
		SYNTRACE_DISABLE=1 callgrind disabled $times mutex || fail "disabled: the program or valgrind failed"
		# a paused trace, which this program joins
		"$top_builddir/syntrace" record -q --paused -o "$dir/paused.trace" true || fail "no trace could be paused"
		SYNTRACE_SESSION=$dir/paused.trace callgrind paused $times mutex || fail "paused: the program or valgrind failed"
		SYNTRACE_SAMPLE=p:0 callgrind unsampled $times mutex || fail "unsampled: the program or valgrind failed"
		rm -rf "$dir/trace"
	done
	for times in $FEW $MANY; do
		valgrind -q --tool=callgrind --compress-strings=no --compress-pos=no --callgrind-out-file="$dir/seal.$times" \
			"$seal" "$dir/seal.$times.dump" $((SEALED * times)) >&2 || fail "seal: the program or valgrind failed"
		rm -f "$dir/seal.$times.dump"
	done
	parts seal $((SEALED * (MANY - FEW))) | grep '^seal sealing ' >>"$dir/found"
	unrecorded disabled >>"$dir/found"
	unrecorded paused >>"$dir/found"
	unrecorded unsampled >>"$dir/found"
	unrecorded unsampled entry '^(syt_sampled_)?pthread_mutex_(un)?lock$' >>"$dir/found"
}

# keep_least: keeps the least number of each part of all measurements so far, in $dir/least.
keep_least()
{
	touch "$dir/least"
	awk '{ part = $1 " " $2; if (!(part in least) || $3 < least[part]) least[part] = $3 }
		END { for (part in least) print part, least[part] }' "$dir/least" "$dir/found" | sort >"$dir/least.new"
	mv "$dir/least.new" "$dir/least"
}

# compare: writes the parts that take too many instructions to $dir/wrong, and prints the parts that take fewer.
compare()
{
	awk -v is_long="$is_long" '
		FNR == NR { found[$1 " " $2] = $3; next }
		/^#/ || /^built / { next }
		{
			part = $1 " " $2
			known[part] = 1
			if (!is_long && !(part in found) && part ~ /^(no-hops-|paused-|deep-|unselected-sem )/)
				next
			room = $3 * $4 / 100 > 2 ? $3 * $4 / 100 : 2
			if (found[part] > $3 + room)
				printf "%s: %.1f instructions per event instead of %.1f\n", part, found[part], $3
			else if (found[part] < $3 - room)
				printf "note: %s takes %.1f only, %.1f expected: write it down with -u\n", part,
				       found[part], $3 >"/dev/stderr"
		}
		END {
			if (found["unsampled entry"] > found["paused library"] + 16.5)
				printf "unsampled: the entry takes %.1f instructions, more than 16 beyond a paused one\n", found["unsampled entry"]
			for (part in found)
				if (!(part in known) && part !~ / (program|sealing|samples)$/ && found[part] > 2)
					printf "%s: %.1f instructions per event, of which nothing is known\n", part, found[part]
		}' "$dir/least" "$expected" >"$dir/wrong"
}

case ${1:-} in
-p)
	measure
	awk -v built="$built" '
		{ n[$2, $1] = $3; total[$1] += $3 }
		$2 == "calls" { kinds[++nr_kinds] = $1 }
		function row(title, part) {
			printf "| %s |", title
			for (i = 1; i <= nr; i++)
				printf " %.0f |", n[part, operation[i]]
			print ""
		}
		END {
			nr = split("mutex stacks sem cond sock tcp", operation)
			print "<!-- figures: instructions -->"
			print "| instructions per event (" built ") | mutex, same stack | 2048 stacks in turn | semaphore |" \
			      " condition variable, mutex | socketpair, epoll | TCP |"
			print "|---|---:|---:|---:|---:|---:|---:|"
			row("wrapper", "wrapper")
			row("guard: who am I, may I, which lane", "guard")
			row("clock", "clock")
			row("object: address to id", "object")
			row("stack: verify, walk, stitch", "stack")
			row("node: (caller, address) to id", "node")
			row("encoding", "encoding")
			row("sealing: compression, checksum", "sealing")
			row("descriptors: endpoint, offset, note of the call", "descriptor")
			row("CPU time of the thread (depends on the speed)", "samples")
			row("the program itself and libc", "program")
			for (i = 1; i <= nr; i++) {
				n["all", operation[i]] = total[operation[i]]
				n["recorder", operation[i]] = total[operation[i]] - n["program", operation[i]]
			}
			row("all, without the program", "recorder")
			row("all", "all")
			print ""
			print "| instructions per event, without the sealing | |"
			print "|---|---:|"
			for (i = 1; i <= nr_kinds; i++)
				printf "| %s | %.0f |\n", kinds[i], n["calls", kinds[i]]
			print ""
			printf "A lock or unlock that is not recorded takes %.0f instructions if recording is disabled, and" \
			       " %.0f if it is paused. If a sampler does not select it, the entry takes %.0f, and each 255th call" \
			       " takes more: %.1f on average.\n", n["library", "disabled"], n["library", "paused"],
			       n["entry", "unsampled"], n["library", "unsampled"]
			print "<!-- end of figures -->"
		}' "$dir/found"
	finish
	;;
-u)
	for attempt in 1 2 3; do
		measure
		keep_least
	done
	# Parts that depend on the time stamps or on the addresses chosen by the loader have a wider limit: on a
	# machine under load, the recorder reads the CPU time of the thread after fewer events. A semaphore is sometimes
	# posted before the other thread waits for it, and an event that did not wait is cheaper.
	{
		sed '/^[^#]/d' "$expected"
		echo "built $built"
		awk '$2 == "sealing" && $1 ~ /^(sem|cond|sock|tcp)$/ { print $0, 150 }
		$1 == "seal" { print $0, 3 }
		$2 != "program" && $2 != "sealing" && $2 != "samples" {
			print $0, $1 == "sem" ? 60 : $1 == "unselected-sem" ? 20 : $2 == "node" ? 25 : $2 == "clock" ? 50 : $2 ~ /^(encoding|guard|calls)$/ ? 10 : 3
		}' "$dir/least"
	} >"$dir/expected"
	cp "$dir/expected" "$expected"
	finish
	;;
esac

wanted=$(sed -n 's/^built //p' "$expected")
[ "$built" = "$wanted" ] || skip "counted for \"$wanted\", while this was built by \"$built\""
# Load only adds instructions, so a part that takes too many must do so each time.
for attempt in 1 2 3; do
	measure
	keep_least
	compare
	[ -s "$dir/wrong" ] || break
done
cat "$dir/least"
while read -r line; do
	fail "$line"
done <"$dir/wrong"
finish
