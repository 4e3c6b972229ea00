#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Bad input: the decoder gives a result or a message with the position and ends with a documented
# exit status. It must not crash and not hang. A damaged dump gives exactly the events of the intact
# dump, or a message that names the position and the events that were kept. BAD_INPUT_NR (default
# 40, in the long form 400): the number of cuts, and the number of changed bytes; every tenth of them
# runs the program itself.
decode=$top_builddir/syntrace-decode
damage=$top_builddir/tests/bad-input/damage
nr=${BAD_INPUT_NR:-${SYNTRACE_TEST_LONG:+400}}
: "${nr:=40}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

fail()
{
	echo "FAIL: $*"
	head -n 20 "$work/err"
	failures=$((failures + 1))
}

# STATUS MESSAGE ARGUMENT...: syntrace-decode ARGUMENT... ends with STATUS and prints MESSAGE (a
# pattern of grep; none: no message).
expect()
{
	want=$1 message=$2
	shift 2
	timeout 20 "$decode" "$@" >"$work/out" 2>"$work/err"
	status=$?
	[ $status -eq "$want" ] || fail "$* ended with $status, not $want"
	if [ -z "$message" ]; then
		[ ! -s "$work/err" ] || fail "$* is not without problems"
	else
		grep -q -- "$message" "$work/err" || fail "$* did not say '$message'"
	fi
}

# ---- files that are no dump at all ----
mkdir "$work/empty"
: >"$work/empty.dump"
echo 'This is a text file.' >"$work/text.dump"
head -c 100000 /dev/zero >"$work/zero.dump"
expect 4 'No such file' events "$work/missing"
expect 4 'contains no dump' stat "$work/empty"
expect 4 'byte 0x0: the file is empty' events "$work/empty.dump"
expect 4 'byte 0x0: not a syntrace dump' events "$work/text.dump"
expect 4 'byte 0x0: only zeros: the process ended before' events "$work/zero.dump"
expect 4 'byte 0x0: not a syntrace dump' events - <"$work/text.dump"
expect 2 'no trace is given' events
expect 2 "no verb 'nonsense'" nonsense "$work/empty"
expect 2 'nonsense' events --nonsense "$work/empty"
expect 2 "has no format 'nonsense'" events --format=nonsense "$work/empty"
expect 2 'unknown kind of edge .nonsense.; the kinds are program create' edges --kind=nonsense "$work/empty"
expect 2 'takes causal, run-after or inferred' edges --class=odd "$work/empty"
expect 2 'an event id (P.T.N' edges --from=nonsense "$work/empty"
expect 2 'takes P.T or a thread id' events --thread=main "$work/empty"
expect 2 'takes a number' events --pid=sshd "$work/empty"
expect 2 'takes a time' events --from=yesterday "$work/empty"
expect 2 'Usage: syntrace-decode'

# ---- an intact one ----
"$damage" make "$work/whole.dump" || exit 99
expect 0 '' events --format=jsonl "$work/whole.dump"
mv "$work/out" "$work/whole.events"
# Its threads lock and send at random: intact, but no program did that.
expect 0 '' check --only=losses,sequence,time,edges,attribution,endpoint "$work/whole.dump"
expect 1 '' check --only=mutex,stream "$work/whole.dump"
expect 0 '' check --list
invariants=$(cut -d' ' -f1 "$work/out")
[ "$(echo "$invariants" | wc -l)" -gt 10 ] || fail "check --list lists too little"
expect 1 '' check --format=jsonl --limit=3 "$work/whole.dump"
for invariant in $invariants; do
	[ "$invariant" != hosts ] || continue # only in traces of several hosts
	grep -q "^{\"v\":1,\"type\":\"check\",\"name\":\"$invariant\"," "$work/out" || fail "no line for $invariant"
done
[ "$(grep -c '"type":"violation","check":"mutex"' "$work/out")" -eq 3 ] || fail "check --limit=3"
tail -n 1 "$work/out" | grep -q '^{"v":1,"type":"verdict","good":false,' || fail "no verdict"
expect 2 "unknown invariant 'nonsense'" check --only=mutex,nonsense "$work/whole.dump"
[ "$(wc -l <"$work/whole.events")" -gt 10000 ] || fail "the intact dump has too few events"
expect 0 '' events --format=jsonl - <"$work/whole.dump"
cmp -s "$work/out" "$work/whole.events" || fail "standard input gives another result than the file"
mkdir "$work/several"
cp "$work/whole.dump" "$work/several/0000.4711.dump"
cp "$work/text.dump" "$work/several/0001.4712.dump"
expect 0 'not a syntrace dump' events --format=jsonl "$work/several"
cmp -s "$work/out" "$work/whole.events" || fail "a bad dump beside a good one changed the result"
expect 3 'not a syntrace dump' stat --fail-on-loss "$work/several"

# ---- damaged ones ----
verbs=$("$decode" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p')

# The N-th verb, round and round.
verb_of()
{
	set -- "$1" $verbs
	shift $(($1 % ($# - 1) + 1))
	echo "$1"
}

# KIND SEED: one damaged dump, through events as JSON and one of the other verbs.
check_damaged()
{
	where=$("$damage" "$1" "$work/whole.dump" "$work/bad.dump" "$2") || exit 99
	timeout 20 "$decode" events --format=jsonl "$work/bad.dump" >"$work/out" 2>"$work/err"
	status=$?
	case $status in
	0 | 4) ;;
	*) fail "$1 at $where (seed $2): ended with $status" ;;
	esac
	if [ $status -ne 0 ] || ! cmp -s "$work/out" "$work/whole.events"; then
		changed=$((changed + 1))
		case $where in
		summed*)
			grep -q 'byte 0x' "$work/err" ||
				fail "$1 at $where (seed $2): other events, and no message with a position"
			;;
		esac
	fi
	verb=$(verb_of "$2")
	options=
	[ "$verb" != export ] || options="--to=perfetto -o -"
	[ "$verb" != report ] || options="-o -"
	# shellcheck disable=SC2086 # words
	timeout 20 "$decode" "$verb" $options --fail-on-loss "$work/bad.dump" >/dev/null 2>"$work/err"
	status=$?
	case $verb$status in
	*0 | *3 | *4) ;;
	lock-order1) ;; # the program's own fault
	check1) ;; # bytes without a checksum may contradict themselves: only `check` notices
	*) fail "$verb, $1 at $where (seed $2): ended with $status" ;;
	esac
}

# ---- sizes that are not so ----
"$damage" holes "$work/holes.dump" || exit 99
expect 0 'the block claims more bytes than the file has' stat "$work/holes.dump"
grep -q ' = 524288 decoded' "$work/out" || fail "events were made of holes: more than one lane's"

# ---- many, in one process ----
"$damage" sweep "$work/whole.dump" "$nr" >"$work/sweep" || {
	fail "damage sweep ended with $?"
	grep -A 5 '^FAIL' "$work/sweep" | head -n 40
}
tail -n 1 "$work/sweep"

# ---- some, as a user would ----
changed=0
seed=1
while [ $seed -le $((nr / 10)) ]; do
	check_damaged cut $seed
	check_damaged flip $seed
	seed=$((seed + 1))
done
[ $changed -gt $((nr / 20)) ] || fail "only $changed of $((nr / 5)) damages had an effect: too few for a test"
echo "$changed of $((nr / 5)) damages changed the result; $failures failures"
[ $failures -eq 0 ]
