#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Source lines: the times of lines agree with the waits to the nanosecond, and the page shows the sources of the symbol store, and
# nothing else. With Chromium, the page runs in a browser.
. "$(dirname "$0")/lib.sh"
for program in "${CC:-gcc}" strip objcopy objdump; do
	command -v "${program%% *}" >/dev/null || {
		echo "skipped: $program is not installed"
		exit 77
	}
done
PYTHONPATH=$top_srcdir/tests/export:$top_srcdir/tests/report python3 "$fleet_tests/lines.py" "$dir" "$top_srcdir"
