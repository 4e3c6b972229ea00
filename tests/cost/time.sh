#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# time.sh [-r ROUNDS] [-o FILE] [-q]: measures how many nanoseconds of a recorded pair of calls each
# part of the recorder takes (make cost COST_ARGS=--time). Prints the table of doc/performance.md,
# and writes FILE (default cost.jsonl).
#
#   -r ROUNDS   default 15
#   -q          one short round, to test the script; the figures have no meaning
#
# A timer samples the next instruction three thousand times a second (tests/bench/sample.c). The
# time belongs to the instruction before it. The source file of this instruction determines its part
# (parts.awk). The library is measured as it is built, without changes. The pair is also measured
# untraced and traced, without the timer. The cost of tracing must equal the time found in the
# library; otherwise there is a cost elsewhere. Both are printed.
set -u
if [ -z "${TMPDIR:-}" ] && [ "$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt 2000000 ]; then
	TMPDIR=/dev/shm # the disk's variations are not measured
	export TMPDIR
fi
. "$(dirname "$0")/../lib.sh"

rounds=15
out=cost.jsonl
quick=
while getopts r:o:q option; do
	case $option in
	r) rounds=$OPTARG ;;
	o) out=$OPTARG ;;
	q)
		quick=yes
		rounds=1
		;;
	*) exit 2 ;;
	esac
done
need addr2line nm
ops=$top_builddir/syntrace-bench-ops
[ -x "$ops" ] || skip "syntrace-bench-ops is not built"
cpu=$(awk '/^Cpus_allowed_list/ { n = split($2, cpus, /[-,]/); print cpus[n] }' /proc/self/status)

# run OPERATION TRACED [OPTION...]: prints ns per operation
run()
{
	run_operation=$1
	run_traced=$2
	shift 2
	env ${run_traced:+LD_PRELOAD="$lib"} SYNTRACE_DIR="$dir/trace" "$ops" ${quick:+-b 1} "$@" -c "$cpu" "$run_operation" |
		awk '{ print $2 }'
	rm -rf "$dir/trace"
}

median()
{
	sort -n "$1" | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# shellcheck disable=SC2012 # no odd names
for operation in mutex stacks; do
	round=0
	while [ $round -lt "$rounds" ]; do
		for kind in $(printf 'untraced\ntraced\nsampled\nuntraced\ntraced\n' | tail -n +$((round % 3 + 1)) | head -n 3); do
			case $kind in
			untraced) run $operation '' ;;
			traced) run $operation yes ;;
			sampled) run $operation yes -s "$dir/samples.$operation.$round" ;;
			esac >>"$dir/$operation.$kind"
		done
		round=$((round + 1))
	done
	cat "$dir/samples.$operation".* >>"$dir/samples.$operation"
done

# For each sampled address of the library: the function and the file, innermost of the inlined
# functions. At the begin of a function the previous instruction belongs to another function, so the
# address itself counts.
nm "$lib" | awk '{ sub(/^0*/, "", $1); print "start", $1 }' >"$dir/starts"
for operation in mutex stacks; do
	awk '
		$1 == "start" { is_start[$2] = 1; next }
		{ print $1, is_start[$2] ? $2 : $3, $4 }' "$dir/starts" "$dir/samples.$operation" >"$dir/found.$operation"
	awk '/libsyntrace\.so/ { print "0x" $2 }' "$dir/found.$operation" | sort -u >"$dir/addresses"
	# three lines and more for each: address, function, file:line, and the same for each caller
	# into which it is inlined
	addr2line -e "$lib" -a -i -f <"$dir/addresses" | awk '
		/^0x/ { sub(/^0x0*/, ""); address = $0; getline f; getline file; sub(/:.*/, "", file); print "at", address, f, file }
	' >"$dir/at"
	awk "$(cat "$top_srcdir/tests/cost/parts.awk")"'
		$1 == "at" { name[$2] = $3; file[$2] = $4; next }
		{ n[part_of($3, file[$2], name[$2])] += $1 }
		END {
			for (i in n)
				print "'$operation'", i, n[i]
		}' "$dir/at" "$dir/found.$operation"
done >"$dir/counts"

for operation in mutex stacks; do
	echo "ns $operation $(median "$dir/$operation.untraced") $(median "$dir/$operation.traced") $(median "$dir/$operation.sampled")"
done | cat - "$dir/counts" | awk -v rounds="$rounds" '
	$1 == "ns" { untraced[$2] = $3; traced[$2] = $4; sampled[$2] = $5; next }
	{ n[$2, $1] = $3; all[$1] += $3 }
	function ns(part, operation)
	{
		return all[operation] ? n[part, operation] * traced[operation] / all[operation] : 0
	}
	function object(part, what,    o, i)
	{
		for (i = 1; i <= 2; i++) {
			o = i == 1 ? "mutex" : "stacks"
			printf "{\"v\":2,\"type\":\"part\",\"bench\":\"%s\",\"part\":\"%s\",\"what\":\"%s\",\"ns\":%.2f,\"samples\":%d}\n", o,
				part, what, ns(part, o), n[part, o]
			if (part != "program")
				explained[o] += ns(part, o)
		}
	}
	END {
		object("wrapper", "wrapper: what the call means")
		object("guard", "guard: who am I, may I, which lane")
		object("clock", "clock: one reading fenced, one not")
		object("object", "object: address to id")
		object("stack", "stack: verify, walk, stitch")
		object("node", "node: (caller, address) to id")
		object("encoding", "encoding")
		object("sealing", "sealing: compression, checksum")
		object("other", "other")
		object("program", "the program itself and libc")
		for (i = 1; i <= 2; i++) {
			o = i == 1 ? "mutex" : "stacks"
			added = traced[o] - untraced[o]
			printf "{\"v\":2,\"type\":\"parts\",\"bench\":\"%s\",\"rounds\":%d,\"untraced_ns\":%.2f,\"traced_ns\":%.2f," \
				"\"explained_ns\":%.2f,\"explained_percent\":%.1f,\"sampled_ns\":%.2f,\"samples\":%d}\n", o, rounds,
				untraced[o], traced[o], explained[o], (added > 0 ? 100 * explained[o] / added : 0), sampled[o], all[o]
		}
	}' >"$out"
sh "$top_srcdir/tests/bench/markdown.sh" "$out" | grep -v '^<!--'
echo "machine-readable: $out"
finish
