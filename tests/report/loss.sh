#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A trace whose header counts losses: each verb that reads traces warns of them on stderr and keeps its exit status, and
# no verb warns of a trace that is complete.
. "$(dirname "$0")/../lib.sh"
: "${CC:=cc}"
need python3
cd "$dir" || exit 99

SYNTRACE_DIR=whole LD_PRELOAD="$lib" "$top_builddir/tests/calls/sem.call" >said || fail "exit status $? of sem.call"
cp -r whole lossy
cat >where.c <<'END'
#include <stddef.h>
#include <stdio.h>
#include "format/format.h"
int main(void)
{
	printf("%zu\n", offsetof(struct syt_file, lost) + 8 * SYT_LOSS_NO_SPACE);
	return 0;
}
END
# shellcheck disable=SC2086 # a compiler and its options
$CC -I"$top_srcdir" -o where where.c || fail "does not compile"
python3 - "$(./where)" lossy/*.dump <<'END'
import sys
with open(sys.argv[2], "r+b") as f:
    f.seek(int(sys.argv[1]))
    f.write((7).to_bytes(8, "little"))
END

verbs=$("$decode" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
[ "$(echo "$verbs" | wc -l)" -ge 15 ] || fail "--help lists fewer than 15 verbs"
for verb in $verbs; do
	again=
	case $verb in
	watch) continue ;; # of a program that runs
	diff) again=yes && set -- ;;
	export) set -- --to=folded ;;
	what-if) set -- --speed-up=main=50% ;;
	report) set -- -o page.html ;;
	*) set -- ;;
	esac
	for trace in whole lossy; do
		timeout 60 "$decode" "$verb" "$@" $trace ${again:+$trace} >out.$trace 2>err.$trace
		echo $? >status.$trace
	done
	grep -q 'warning: .*not complete' err.lossy || {
		fail "$verb does not warn of losses"
		cat err.lossy
	}
	! grep -q 'not complete' err.whole || fail "$verb warns of a trace that is complete"
	! grep -q '^Coverage: ' out.lossy || [ "$verb" = stat ] || head -n 1 out.lossy | grep -q '^Coverage: ' ||
		fail "$verb: coverage does not come first in a trace with losses"
	cmp -s status.whole status.lossy || fail "$verb: the exit status changes with losses"
done
"$decode" edges lossy 2>&1 >/dev/null | grep -q 'warning: .*: 7 losses (no space left for the thread' ||
	fail "edges does not say how many events were lost, and why"
status 3 "$decode" edges --fail-on-loss lossy >out 2>err
finish
