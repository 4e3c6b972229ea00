#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Models of real servers under two loads each must be similar, in both directions (model-similarity.py). Only the long
# form (make check-long) runs this test.
#
#   SERVERS="redis nginx" tests/report/model-servers.sh    # only these servers
. "$(dirname "$0")/servers.sh"
[ -n "${SYNTRACE_TEST_LONG:-}${SERVERS:-}" ] || skip "only in the long form"

for server in ${SERVERS:-$servers}; do
	has_server "$server" || continue
	for load in 1 2; do
		trace_server "$server" "$load" "$server.$load"
		"$decode" model --format=jsonl "$dir/$server.$load" >"$dir/$server.$load.model" || fail "$server: model: exit status $?"
	done
	printf '%s: ' "$server"
	python3 "$report_tests/model-similarity.py" "$dir/$server.1.model" "$dir/$server.2.model" || fail "$server"
done
finish
