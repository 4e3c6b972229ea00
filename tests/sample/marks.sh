#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Marks (doc/sampling.md): in a program that passes a token from thread to thread, each kept turn with N hops must keep the next
# N turns. So N of N + 1 edges into kept events begin at kept events, and nearly none without hops. Shadow recordings show the
# edges to the events that are not kept. Recordings with a sampler must have the same numbers of calls as a full trace.
. "$(dirname "$0")/../lib.sh"
chain=$top_builddir/tests/sample/chain
list=$top_builddir/tests/sample/list-dump
[ -x "$chain" ] && [ -x "$list" ] || skip "the check programs are not built"
[ "$(uname -m)" = x86_64 ] || skip "samplers are available on x86-64 only"
kinds="cond sem eventfd pipe pair tcp shared"
hops_of="0 2"
exact="sem tcp"
rounds=800
created=30
[ -z "${SYNTRACE_TEST_LONG:-}" ] || {
	kinds="$kinds futex queue"
	hops_of="0 1 2 8"
	exact="sem eventfd pipe pair tcp shared queue create fork exec"
	rounds=3000
	created=200
}

# record KIND ROUNDS VARIABLE...: records a chain into $dir/trace.
record()
{
	kind=$1
	nr=$2
	shift 2
	rm -rf "$dir/trace"
	timeout -k 5 120 env "$@" SYNTRACE_DIR="$dir/trace" SYNTRACE_MODE=stream LD_PRELOAD="$lib" "$chain" "$kind" "$nr" \
		2>"$dir/err" || fail "$kind: the status is $?: $(cat "$dir/err")"
}

# shares KIND HOPS: prints the edges into kept events and, of them, those from kept events.
shares()
{
	"$decode" sampling --format=jsonl --replay="p:0.02,hops=$2" "$dir/trace" 2>"$dir/err" | grep '"sampler":"recorded"' |
		sed 's/.*"edges_whole":\([0-9]*\),"edges":\([0-9]*\).*/\2 \1/'
}

for kind in $kinds; do
	for hops in $hops_of; do
		# about a third of the turns of this sampler begin a chain of kept turns
		record "$kind" $rounds SYNTRACE_SAMPLE="p:0.02,hops=$hops" SYNTRACE_SAMPLE_SHADOW=1
		shares "$kind" "$hops" >"$dir/shares"
		read -r edges whole <"$dir/shares" || edges=0 whole=0
		echo "$kind, hops=$hops: $whole of $edges edges"
		[ "$edges" -gt 10 ] || fail "$kind, hops=$hops: no edges into kept events"
		if [ "$hops" = 0 ]; then
			[ $((whole * 5)) -lt "$edges" ] || fail "$kind: without hops, $whole of $edges edges begin at kept events"
		else
			[ $((whole * 100)) -ge $((edges * (85 * hops / (hops + 1)))) ] ||
				fail "$kind, hops=$hops: only $whole of $edges edges begin at kept events"
		fi
	done
done

# children KIND: prints how often the main thread kept its turn up to a creation, and how often the created thread then was kept, too.
# The main thread locks the mutex before each creation, and each child locks it once.
children()
{
	n=0
	for dump in "$dir/trace"/*.dump; do
		echo "file $n"
		"$list" "$dump"
		n=$((n + 1))
	done | sed -n 's/thread=//; s/seq=//; /^file \|call=pthread_mutex_lock/p' |
		awk '$1 == "file" { n = $2; next } { print n, $0 }' | sort -n -k1,1 -k3,3 -k5,5 |
		awk '{ is_kept = $0 !~ /decision=/ }
			$1 == 0 && $3 == 0 { main[++nr] = is_kept; next }
			{ child[++nr_children] = is_kept }
			END {
				if (nr != nr_children)
					print "there are " nr " creations and " nr_children " children"
				for (i = 1; i <= nr; i++) {
					kept += main[i]
					both += main[i] && child[i]
				}
				print kept + 0, both + 0
			}'
}

for kind in create fork exec; do
	for hops in 0 1; do
		record $kind $created SYNTRACE_SAMPLE="p:0.2,hops=$hops" SYNTRACE_SAMPLE_SHADOW=1
		children >"$dir/children"
		read -r kept both <"$dir/children"
		echo "$kind, hops=$hops: $both of $kept children of kept turns"
		[ "$kept" -gt 0 ] || fail "$kind: no turn is kept: $(cat "$dir/children")"
		if [ $hops = 0 ]; then
			[ $((both * 10)) -le $((kept * 9)) ] || fail "$kind: without hops, $both of $kept children are kept"
		else
			[ $((both * 10)) -ge $((kept * 9)) ] || fail "$kind: only $both of $kept children are kept"
		fi
	done
done

# calls: the number of calls of each function.
calls()
{
	"$decode" sampling --format=jsonl "$dir/trace" 2>"$dir/err" | grep '"type":"call"' |
		sed 's/.*"call":"\([^"]*\)","calls":\([0-9]*\),.*/\1 \2/' | sort
}

for kind in $exact; do
	nr=300
	case $kind in create | fork | exec) nr=40 ;; esac
	record "$kind" $nr
	calls >"$dir/full"
	for sampler in p:0.02,hops=8 bump:hops=2; do
		record "$kind" $nr SYNTRACE_SAMPLE=$sampler
		calls >"$dir/sampled"
		[ -s "$dir/full" ] && cmp -s "$dir/full" "$dir/sampled" ||
			fail "$kind, $sampler: other numbers of calls: $(diff "$dir/full" "$dir/sampled")"
		"$decode" check "$dir/trace" >"$dir/said" 2>&1 || fail "$kind, $sampler: $(cat "$dir/said")"
	done
done

# The call paths of a sampled recording, compared with those of a full recording of another run: none is new. Without a selected
# call, only begins and ends of threads and processes are whole.
record tcp 100
rm -rf "$dir/full.trace"
mv "$dir/trace" "$dir/full.trace"
for sampler in p:0 p:0.2 p:1; do
	record tcp 100 SYNTRACE_SAMPLE=$sampler
	"$decode" sampling --format=jsonl --against="$dir/full.trace" "$dir/trace" 2>"$dir/err" | grep '"type":"against"' |
		sed 's/.*"paths_whole":\([0-9]*\),"paths":\([0-9]*\),"paths_other":\([0-9]*\).*/\1 \2 \3/' >"$dir/paths"
	read -r whole paths other <"$dir/paths" || whole=0 paths=0 other=1
	[ "$other" = 0 ] || fail "$sampler: $other call paths are not of the full run"
	case $sampler in
	p:0) [ "$whole" -gt 0 ] && [ "$whole" -lt $((paths / 2)) ] ;;
	p:1) [ "$whole" -gt 0 ] && [ "$whole" = "$paths" ] ;;
	*) [ "$whole" -gt 0 ] ;; # the calls of the start may be ghosts
	esac || fail "$sampler: $whole of $paths call paths"
done
finish
