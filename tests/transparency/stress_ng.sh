#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# stress_ng.sh STRESSOR OPERATIONS: one instance of a stressor with its checks on; prints its
# complaints, whether it did its operations, and its exit status. With 0 operations it runs for two
# seconds.
stressor=$1
if [ "$2" = 0 ]; then
	set -- --timeout 2
else
	set -- "--$stressor-ops" "$2" --timeout 50
fi
$RECORD stress-ng "--$stressor" 1 "$@" --verify --metrics-brief --temp-path . >log 2>&1
echo "exit status $?"
grep -E 'fail:|error:|skipping|aborting' log | sed -E 's/\[[0-9]+\]/[N]/; s/[0-9]{4,}/N/g'
case $2 in
[0-9]*) awk -v name="$stressor" -v ops="$2" '$4 == name { print($5 >= ops ? "did all" : "did not finish"); exit }' log ;;
esac
