#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The JSON lines of all verbs: each line has a type, and in version 2 each key has one meaning, which doc/json.md
# states. Version 1 has the same values.
. "$(dirname "$0")/../lib.sh"
need python3

record()
{
	SYNTRACE_DIR=$dir/$1.data LD_PRELOAD=$lib timeout -s KILL 10 "$top_builddir/examples/$1" sick >/dev/null 2>&1
}

printf '%s\n' '*: threads < 1' '*: latency < 1ns' '*: pthread_mutex_lock before pthread_mutex_lock' 'absent: x = 1' >"$dir/expectations"

# all VERSION: the output of all verbs on all traces.
all()
{
	timeout 60 "$decode" workload --generate=3 --format=jsonl --json-version="$1" "$dir/workload" ||
		fail "workload --generate: exit status $?" >&2
	timeout 60 "$decode" workload --strings="$dir/labels" --format=jsonl --json-version="$1" ||
		fail "workload --strings: exit status $?" >&2
	for trace in convoy deadlock inversion herd server shop; do
		trace=$dir/$trace.data
		# shellcheck disable=SC2086 # verbs with their options
		while read -r verb; do
			timeout 60 "$decode" $verb --json-version="$1" "$trace" 2>/dev/null
			rv=$?
			[ $rv -le 2 ] || fail "$verb of $trace: exit status $rv" >&2
		done <<END
events --format=jsonl --limit=300
edges --format=jsonl
edges --program --format=jsonl --limit=20
edges --inferred --format=jsonl --kind=handoff
edges --verify --format=jsonl
edges --format=jsonl --from 0.0.3 --to 0.0.9
edges --format=jsonl --from 0.1.0 --reach
tasks --format=jsonl --wall-clock
tasks --format=jsonl --summary
clocks --format=jsonl
stat --format=jsonl --objects --modules
info --format=jsonl
info --format=jsonl --config
graph --format=json
model --format=jsonl --instances --least=2
model --expand --format=jsonl
check --format=jsonl
check --expect=$dir/expectations --format=jsonl
contention --format=jsonl --stacks
waits --format=jsonl --stacks
lock-order --format=jsonl --all
critical-path --format=jsonl --stacks
critical-path --format=jsonl --requests --all
critical-path --format=jsonl --request=slowest
requests --format=jsonl --all
requests --format=jsonl --show=odd
requests --format=jsonl --all --against=$dir/workload
workload --format=jsonl
workload --format=jsonl --automaton
requests --format=jsonl --per=main
workload --format=jsonl --against=$dir/workload
workload --format=jsonl --labels=$dir/labels
sampling --format=jsonl
sampling --format=jsonl --replay=p:0.1,bump
sampling --format=jsonl --tune=bump
sampling --format=jsonl --against=$dir/convoy.data
why --format=jsonl --request=slowest
why --format=jsonl 0.1.5
what-if --format=jsonl --speed-up=main=50%
diagnose --format=jsonl
blocked --format=jsonl
diff --format=jsonl $dir/convoy.data
baseline --format=jsonl
watch --format=jsonl --slow=1ms --hold=1ms
top --format=jsonl --rounds=1
export --format=jsonl -o $dir/x.folded
report --format=jsonl -o $dir/x.html
END
	done
}

for program in convoy deadlock inversion herd; do
	record $program
done
port=$(free_port)
SYNTRACE_DIR=$dir/server.data LD_PRELOAD=$lib "$top_builddir/tests/report/requests" serve "$port" >/dev/null 2>&1 &
children=$!
SYNTRACE_DIR=$dir/server.data LD_PRELOAD=$lib timeout 60 "$top_builddir/tests/report/requests" ask "$port" >/dev/null ||
	fail "the client: exit status $?"
wait $children
mkdir "$dir/logs"
for fault in '' --fault=sleep:30; do
	# shellcheck disable=SC2086 # no argument without a fault
	SYNTRACE_DIR=$dir/shop${fault:+-fault}.data LD_PRELOAD=$lib timeout -k 5 60 "$top_builddir/examples/shop" --requests=100 \
		--directory="$dir/logs" $fault >/dev/null || fail "examples/shop: exit status $?"
done
"$decode" workload --save="$dir/workload" "$dir/shop-fault.data" || fail "workload --save: exit status $?"
"$decode" requests --all --format=jsonl "$dir/shop.data" |
	sed -n 's/.*"type":"request","request":\([0-9]*\),.*"cluster":\([0-9]*\),.*/\1\tcluster \2/p' >"$dir/labels"
all 1 >"$dir/1"
all 2 >"$dir/2"
python3 "$top_srcdir/tests/report/json-lines.py" "$top_srcdir/doc/json.md" "$dir/1" "$dir/2" || fail "see above"

# Version 1 is the default; a configuration file can select version 2.
"$decode" tasks --format=jsonl --limit=1 "$dir/convoy.data" 2>/dev/null | grep -q '^{"v":1,"type":"task",' || fail "no version 1"
printf '[decode]\njson-version = 2\n' >"$dir/conf"
SYNTRACE_CONFIG=$dir/conf "$decode" tasks --format=jsonl --limit=1 "$dir/convoy.data" 2>/dev/null |
	grep -q '^{"v":2,"type":"task",' || fail "the configuration file does not select version 2"
status 2 "$decode" tasks --json-version=3 "$dir/convoy.data" 2>/dev/null

# The table has all keys with two names, and no key that the source does not have.
sed -n 's/^| `\([a-z0-9_]*\)` .*/\1/p' "$top_srcdir/doc/json.md" | while read -r key; do
	grep -rqF "\"$key\"" "$top_srcdir/decoder" "$top_srcdir/base" || echo "$key: not in the source"
done >"$dir/stale"
grep -rhoE 'SYT_KEY\("[a-z0-9_]+", *"[a-z0-9_]+"\)' "$top_srcdir/decoder" | sort -u |
	sed 's/.*("\(.*\)", *"\(.*\)")/\1 \2/' | while read -r old new; do
	grep -q "^| \`$new\` .*\`$old\`[^|]*|\$" "$top_srcdir/doc/json.md" || echo "$old, $new: not in doc/json.md"
done >>"$dir/stale"
[ ! -s "$dir/stale" ] || fail "$(cat "$dir/stale")"
finish
