#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Programs from random grammars have planted tasks (planted.py). The models of all programs together must find at least
# 95 % of the planted leaf tasks and tasks.
#
#   SEEDS="7 8 9" tests/oracle/planted.sh    # only these programs
. "$(dirname "$0")/../lib.sh"
: "${CC:=cc}"
need "$CC" python3
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
planted=$top_srcdir/tests/oracle/planted.py
last=3
[ -z "${SYNTRACE_TEST_LONG:-}" ] || last=200

for seed in ${SEEDS:-$(seq 1 $last)}; do
	rm -rf "$dir/trace" "$dir/trace.old"
	python3 "$planted" generate "$seed" >"$dir/program.c" || fail "$seed: no program"
	# the compiler changes call stacks if it optimizes
	"$CC" -O0 -g -pthread -o "$dir/program" "$dir/program.c" || fail "$seed: does not compile"
	SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" timeout -k 5 60 "$dir/program" "$dir/log" || fail "$seed: exit status $?"
	"$decode" tasks --format=jsonl "$dir/trace" >"$dir/tasks" || fail "$seed: tasks: exit status $?"
	"$decode" model --format=jsonl --instances "$dir/trace" >"$dir/model" || fail "$seed: model: exit status $?"
	printf '%s ' "$seed" >>"$dir/verdicts"
	python3 "$planted" judge "$dir/log" "$dir/tasks" "$dir/model" >>"$dir/verdicts" || fail "$seed: see above"
done
cat "$dir/verdicts"
awk '
	{ all_leaves += $5; leaves += $2 * $5; all_tasks += $11; tasks += $8 * $11 }
	END {
		printf "%d programs: %.1f %% of %d leaf tasks, %.1f %% of %d tasks\n", NR, leaves / all_leaves, all_leaves,
			tasks / all_tasks, all_tasks
		exit leaves < 95 * all_leaves || tasks < 95 * all_tasks
	}' "$dir/verdicts" || fail "less than 95 %"
finish
