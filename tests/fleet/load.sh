#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-fleet load: duplicates, hostile files, kills, and changed bytes.
. "$(dirname "$0")/lib.sh"
python3 "$fleet_tests/load.py" "$dir"
