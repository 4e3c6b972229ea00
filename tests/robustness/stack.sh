#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Calls on the smallest stacks there are: how much the wrappers take of them is measured and bounded.
. "$(dirname "$0")/lib.sh"

program=$top_builddir/tests/robustness/stack
most=4096 # bytes of a call's stack that may be the recorder's; 3.5 KiB when it was written

timeout -k 5 60 "$program" paint 256 >"$dir/untraced" || fail "paint, untraced: exit status $?"
timeout -k 5 60 env SYNTRACE_DIR="$dir/paint" LD_PRELOAD="$lib" "$program" paint 256 >"$dir/traced" ||
	fail "paint, traced: exit status $?"
paste -d ' ' "$dir/untraced" "$dir/traced" | awk -v most=$most '
	NF == 4 && $1 == $3 {
		more = $4 - $2
		printf "%s: %d bytes, %d more when traced\n", $1, $2, more
		nr++
		bad = bad || more > most
	}
	END { exit bad || nr < 20 }' || fail "a call takes more than $most bytes more"
decoded paint --fail-on-loss

alike small "$program" small 0 && decoded small --fail-on-loss
# Beyond the frame that the kernel puts there, 1 KiB must do: no stack is captured then.
alike handler "$program" handler 1024 && {
	decoded handler --fail-on-loss
	counted sem_post 20000
	counted write 20000
}
finish
