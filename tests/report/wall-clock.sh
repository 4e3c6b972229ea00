#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# --wall-clock prints beside each time of the trace the time of day, which agrees with date(1), and the options --from
# and --to accept it.
. "$(dirname "$0")/../lib.sh"
need python3

trace=$dir/convoy.data
before=$(date +%s%N)
SYNTRACE_DIR=$trace LD_PRELOAD=$lib "$top_builddir/examples/convoy" sick >/dev/null 2>&1
after=$(date +%s%N)

# Every instant of every verb has a wall-clock time, at the same distance, between both readings of date.
{
	for verb in "events --no-stacks --format=jsonl" "edges --format=jsonl" "tasks --format=jsonl" "stat --format=jsonl" \
		"critical-path --format=jsonl" "edges --reach --from 0.0.0 --format=jsonl" "graph --format=json"; do
		# shellcheck disable=SC2086 # a verb with its options
		timeout 60 "$decode" $verb --wall-clock "$trace" || fail "$verb: exit status $?" >&2
	done
} >"$dir/jsonl" 2>"$dir/errors"
python3 - "$before" "$after" "$dir/jsonl" <<'EOF' || fail "see above"
import calendar, json, sys, time
before, after = int(sys.argv[1]), int(sys.argv[2])
distances, seen = [], set()
def look(of):
    for key, value in of.items() if isinstance(of, dict) else enumerate(of):
        if isinstance(value, (dict, list)):
            look(value)
        elif isinstance(key, str) and key.endswith('_wall'):
            seconds, rest = value[:-1].split('.')
            wall = calendar.timegm(time.strptime(seconds, '%Y-%m-%dT%H:%M:%S')) * 10**9 + int(rest)
            distances.append(wall - of[key[:-5]])
            seen.add(key)
            assert value[-1] == 'Z' and before <= wall <= after, (before, value, after)
        else:
            assert key != 'ts' or 'ts_wall' in of, of
for line in open(sys.argv[3]):
    look(json.loads(line))
assert seen == {'ts_wall', 'begin_wall', 'end_wall'}, seen
assert len(distances) > 1000 and len(set(distances)) == 1, set(distances)
EOF

# Text has the same times as JSON, in front of the rest of the line.
for verb in "events --no-stacks" "edges" "tasks"; do
	# shellcheck disable=SC2086
	"$decode" $verb --wall-clock "$trace" >"$dir/wall" 2>/dev/null
	# shellcheck disable=SC2086
	"$decode" $verb "$trace" >"$dir/plain" 2>/dev/null
	[ "$(grep -c ' 20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-9:.]*Z ' "$dir/wall")" = "$(wc -l <"$dir/plain")" ] ||
		fail "$verb: a line without a wall-clock time"
	sed 's/ 20[^ ]*Z / /' "$dir/wall" | cmp -s - "$dir/plain" || fail "$verb: the rest of the text differs"
done
grep -q _wall "$dir/plain" && fail "a wall-clock time without the option"

# --from and --to accept a wall-clock time: event 0.1.5 has the first, event 0.1.9 the second.
wall()
{
	"$decode" events --no-stacks --wall-clock --format=jsonl "$trace" | sed -n "s/.*\"id\":\"$1\".*\"ts_wall\":\"\([^\"]*\)\".*/\1/p"
}
"$decode" events --no-stacks --thread 0.1 --from "$(wall 0.1.5)" --to "$(wall 0.1.9)" "$trace" | awk '{ print $2 }' >"$dir/ids"
printf '0.1.5\n0.1.6\n0.1.7\n0.1.8\n' | cmp - "$dir/ids" || fail "--from and --to: $(cat "$dir/ids")"
for wrong in 2026-11-22T 2026-11-22T13:00:00 2026-13-22T13:00:00Z 1969-01-01T00:00:00Z 9999999999-01-01T00:00:00Z; do
	status 2 "$decode" events --from "$wrong" "$trace" 2>/dev/null
done

finish
