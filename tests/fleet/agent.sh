#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace agent: windows of a running service, with and without a policy, also if the agent is killed, and each failure.
. "$(dirname "$0")/lib.sh"
[ -f "$top_builddir/.libs/libsyntrace.so" ] || {
	echo "skipped: no libsyntrace.so was built"
	exit 77
}
python3 "$fleet_tests/agent.py" "$dir"
