#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A store in ClickHouse gives the answers of SQLite, on one shard and on two, also if the loader and the servers are killed.
. "$(dirname "$0")/lib.sh"
python3 "$fleet_tests/clickhouse.py" "$dir"
