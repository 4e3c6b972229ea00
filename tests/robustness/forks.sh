#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Forks while other threads are inside of the recorder, and forks from inside of it: every image can
# be decoded, and no event of the parent is missing. A child costs few pages.
. "$(dirname "$0")/lib.sh"

program=$top_builddir/tests/robustness/forks
many=1
[ -z "${SYNTRACE_TEST_LONG:-}" ] || many=3

# whole: no image's events have gaps.
whole()
{
	! grep -E '^  events ' "$dir/stat" | grep -vqE '\+ 0 overwritten \+ 0 missing; 0 lost' ||
		fail "events are missing: $(grep -E '^  events ' "$dir/stat" | grep -vE ' 0 missing; 0 lost' | head -n 2)"
}

# images LEAST: so many images locked.
images()
{
	images_n=$(grep -c '^ *pthread_mutex_lock ' "$dir/stat")
	[ "$images_n" -ge "$1" ] || fail "$images_n images with locks, expected $1"
}

alike storm "$program" storm $((60 * many)) && {
	decoded storm --fail-on-loss
	whole
	images $((60 * many + 1))
	counted fork $((60 * many))
}
alike handler "$program" handler $((100 * many)) && {
	decoded handler
	images $((100 * many + 1))
	counted fork $((100 * many))
}
alike nested "$program" nested 30 && {
	decoded nested --fail-on-loss
	whole
	images 31
	counted fork 30
}
alike pages "$program" pages 50 && {
	decoded pages --fail-on-loss
	whole
	counted fork 50
}
finish
