#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Agent, push, web server and loader are killed at random: the sums in the store are those of the windows, to the nanosecond.
. "$(dirname "$0")/lib.sh"
[ -f "$top_builddir/.libs/libsyntrace.so" ] || {
	echo "skipped: no libsyntrace.so was built"
	exit 77
}
python3 "$fleet_tests/chain.py" "$dir"
