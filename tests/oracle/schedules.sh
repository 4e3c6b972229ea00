#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Schedules of one program (schedules.c) must produce the same event string for each request: 50 schedules in the
# long form, fewer in the short form.
#
#   SEEDS="7 8 9" tests/oracle/schedules.sh    # only these schedules
. "$(dirname "$0")/../lib.sh"
need python3
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
here=$top_srcdir/tests/oracle
last=3
[ -z "${SYNTRACE_TEST_LONG:-}" ] || last=50

# The compiler changes call stacks if it optimizes. The name of each program is the name of its component.
${CC:-cc} -O0 -g -pthread -o "$dir/front" "$here/schedules.c" || exit 99
cp "$dir/front" "$dir/store" && cp "$dir/front" "$dir/loop" || exit 99
for seed in ${SEEDS:-$(seq 1 $last)}; do
	rm -rf "$dir/trace"
	python3 "$here/schedules.py" load "$seed" "$dir/clients" timeout -k 5 60 \
		env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" "$dir/front" "$seed" "$dir/store" "$dir/loop" ||
		fail "seed $seed: see above"
	python3 "$here/schedules.py" collect "$dir/clients" "$decode" "$dir/trace" "$dir/strings.$seed" ||
		fail "seed $seed: see above"
done
python3 "$here/schedules.py" judge "$dir"/strings.* || fail "see above"
finish
