#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-fleet try: from a running program to an answer, with one command.
. "$(dirname "$0")/lib.sh"
[ -f "$top_builddir/.libs/libsyntrace.so" ] || {
	echo "skipped: no libsyntrace.so was built"
	exit 77
}
failed=0
bad()
{
	echo "FAILED: $*"
	cat "$dir/answer" "$dir/messages"
	failed=1
}
cd "$dir" || exit 99
mkfifo in || exit 99
mkdir -p traces/cart
echo 4.2 >traces/cart/version
"$top_builddir/syntrace" record --paused -o traces/cart/t -- "$top_builddir/tests/fleet/busy" <in 2>said &
exec 8>in
timeout 200 "$fleet" try --traces=traces --every=1 --windows=2 >answer 2>messages || bad "exit status $?"
grep -q 'the page is at http://127.0.0.1:' messages || bad 'no page'
grep -q '^accounts  *mutex .*;serve' answer || bad 'no lock in the answer'
[ "$("$fleet" sql --store=syntrace.fleet/fleet.sqlite "SELECT min(service || ' ' || version) || ' ' || (count(*) >= 2) FROM windows" | tail -n 1)" = 'cart 4.2 1' ] ||
	bad 'the store'
"$fleet" check --store=syntrace.fleet/fleet.sqlite >/dev/null || bad 'check'
# no agent is left
timeout 20 flock syntrace.fleet/spool true || bad 'an agent uses the spool'
mkdir nothing
timeout 60 "$fleet" try --traces=nothing --every=1 --dir=idle 2>messages >answer &
until grep -q 'no window yet: .* -o nothing/NAME/t' messages; do
	kill -0 $! 2>/dev/null || {
		bad 'no hint without a service'
		break
	}
	sleep 0.2
done
kill $! 2>/dev/null
wait $!
"$fleet" try --every=2 2>messages && bad 'without traces'
"$fleet" try --traces=missing 2>messages && bad 'with missing traces'
grep -q 'the agent has ended' messages || bad 'no message'
exec 8>&-
wait
exit $failed
