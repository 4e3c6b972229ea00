#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-fleet push: uploads to the web server of examples/fleet/nginx.conf, which refuses other folders and strangers.
. "$(dirname "$0")/lib.sh"
python3 "$fleet_tests/push.py" "$dir"
