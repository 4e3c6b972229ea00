#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-fleet symbols and load --symbols: names come later than windows, from better and better files, and change no sum.
. "$(dirname "$0")/lib.sh"
for program in "${CC:-gcc}" strip objcopy nm; do
	command -v "${program%% *}" >/dev/null || {
		echo "skipped: $program is not installed"
		exit 77
	}
done
python3 "$fleet_tests/symbols.py" "$dir"
