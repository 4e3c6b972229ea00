#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-fleet query: intervals, differences, odd hosts and stability on planted fleets.
. "$(dirname "$0")/lib.sh"
python3 "$fleet_tests/query.py" "$dir"
