#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Calls that are left by a jump, a cancellation or another thread: the program goes on as untraced,
# and its next calls are recorded completely.
. "$(dirname "$0")/lib.sh"

program=$top_builddir/tests/robustness/jumps
many=1
[ -z "${SYNTRACE_TEST_LONG:-}" ] || many=10

alike longjmp "$program" longjmp $((2000 * many)) && {
	decoded longjmp --fail-on-loss
	seen ' 0 missing' 'events are missing'
	# one post after each jump; the posts that were left by a jump come on top
	[ "$(events sem_post)" -ge $((2000 * many)) ] || fail "posts after jumps are missing"
}
alike coroutine "$program" coroutine $((300 * many)) && {
	decoded coroutine --fail-on-loss
	counted pthread_join $((300 * many))
}
# The shell that system() left behind sleeps for ever; its group is this test's.
alike cancel "$program" cancel $((2 * many)) && {
	decoded cancel --fail-on-loss
	counted pthread_cancel $((28 * 2 * many + 1))
	counted cond_cancelled $((2 * many)) $((6 * many))
}
alike async "$program" async $((200 * many)) && {
	decoded async --fail-on-loss
	counted pthread_cancel $((200 * many))
}
alike once "$program" once $((50 * many)) && {
	decoded once --fail-on-loss
	counted pthread_exit $((50 * many))
}
finish
