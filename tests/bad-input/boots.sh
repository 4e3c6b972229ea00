#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Traces of many hosts, whose clock pairs are missing or wrong, whose boot ids are equal or unknown. The decoder gives an
# answer in bounded time and memory. In the short form, each kind of dumps has four of eleven verbs, in turn. The long form takes
# 10,000 hosts.
. "$(dirname "$0")/../lib.sh"
boots=$top_builddir/tests/bad-input/boots
nr=24

# 1 GiB of address space, and a minute
bounded()
{
	(
		ulimit -v "$most_kib"
		ulimit -n "$(ulimit -Hn)"
		exec timeout -k 5 60 "$@"
	)
}

# KIND VERB...: exit status 0, or 1 (check, and orders that nothing proves).
answers()
{
	answers_kind=$1
	shift
	bounded "$decode" "$@" "$dir/trace" >"$dir/out" 2>"$dir/err"
	answers_status=$?
	case $answers_status in
	0 | 1) ;;
	*)
		fail "$answers_kind: $* ended with $answers_status"
		tail -n 5 "$dir/err"
		;;
	esac
	[ -s "$dir/out" ] || fail "$answers_kind: $* printed nothing"
}

# KIND NR
make()
{
	rm -rf "$dir/trace"
	mkdir "$dir/trace"
	"$boots" "$1" "$2" "$dir/trace" || fail "boots $1"
}

most_kib=1048576
"$boots" kinds >"$dir/kinds"
nr_verbs=0
while read -r kind; do
	make "$kind" $nr
	for verb in "clocks" "clocks --format=jsonl" "clocks --method=least-squares" "edges --format=jsonl" "edges --verify" \
		"check" "stat" "events --format=jsonl" "critical-path" "clocks --apart" "edges --from=1.0.1 --to=9.0.1"; do
		nr_verbs=$((nr_verbs + 1))
		[ -n "${SYNTRACE_TEST_LONG:-}" ] || [ $((nr_verbs % 3)) = 0 ] || continue
		# shellcheck disable=SC2086 # words
		answers "$kind" $verb
	done
	answers "$kind" clocks --format=jsonl --jobs=1
	mv "$dir/out" "$dir/one"
	answers "$kind" clocks --format=jsonl --jobs=3
	cmp "$dir/one" "$dir/out" || fail "$kind: the number of workers changes the output"
done <"$dir/kinds"

# The dumps reach the code under test: right clocks are joined, and clones are told apart.
for kind in sound clones; do
	make $kind $nr
	answers $kind clocks --format=jsonl
	[ "$(grep -c '"type":"host"' "$dir/out")" = $nr ] || fail "$kind: not $nr hosts"
	[ "$(grep -c '"state":"joined"' "$dir/out")" -ge $((nr - 1)) ] || fail "$kind: the hosts are not joined"
done

if [ -n "${SYNTRACE_TEST_LONG:-}" ]; then
	most_kib=8388608
	for kind in sound clones anything; do
		make $kind 10000
		for verb in "clocks" "stat" "edges --format=jsonl"; do
			# shellcheck disable=SC2086 # words
			answers "$kind, 10,000 hosts" $verb
		done
	done
fi
finish
