#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The services of examples/fleet: systemd finds no error in them, and they are confined.
. "$(dirname "$0")/lib.sh"
command -v systemd-analyze >/dev/null || {
	echo "skipped: systemd-analyze is not installed"
	exit 77
}
status=0
for unit in agent@ load push serve; do
	sed "s:/usr/bin/syntrace:$top_builddir/syntrace:" "$top_srcdir/examples/fleet/syntrace-$unit.service" \
		>"$dir/syntrace-$unit.service"
	grep -q 'ExecStart=/usr/bin/syntrace' "$top_srcdir/examples/fleet/syntrace-$unit.service" || {
		echo "FAILED: $unit starts another program"
		status=1
	}
done
for unit in agent@cart load push serve; do
	file=$dir/syntrace-$unit.service
	[ -e "$file" ] || cp "$dir/syntrace-agent@.service" "$file"
	systemd-analyze verify --man=no "$file" >"$dir/said" 2>&1 && ! grep -q "syntrace-$unit.service:" "$dir/said" || {
		echo "FAILED: $unit: $(cat "$dir/said")"
		status=1
	}
	# of 100, the exposure; without the options, 80 to 85
	systemd-analyze security --offline=true --threshold=20 "$file" >"$dir/said" 2>&1
	[ $? != 1 ] || {
		case $(cat "$dir/said") in
		*nrecognized*) ;; # before systemd 250
		*)
			echo "FAILED: $unit: $(grep exposure "$dir/said")"
			status=1
			;;
		esac
	}
done
exit $status
