#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# launch.sh SYNTRACE DIRECTORY PROGRAM...: PROGRAM behind `syntrace record`, which wants a directory for each trace: the first
# program gets DIRECTORY, the others get names of their own beside it.
launcher=$1
output=$2
shift 2
mkdir "$output.taken" 2>/dev/null || output=$output.$$
exec "$launcher" record --quiet --output="$output" -- "$@"
