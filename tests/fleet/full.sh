#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Full disks of the spool, of the web server and of the store, and a server that has no time: no window is lost, and none is counted
# twice. The disks are small tmpfs in a mount namespace.
. "$(dirname "$0")/lib.sh"
unshare --map-root-user --mount true 2>/dev/null || {
	echo "skipped: no mount namespace can be made here"
	exit 77
}
unshare --map-root-user --mount python3 "$fleet_tests/full.py" "$dir"
