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

# all VERSION: the output of all verbs. In the long form each verb reads each trace. In the short form it reads the traces that are
# named before it: together they have all keys that all traces have.
all()
{
	"$decode" workload --generate=3 --format=jsonl --json-version="$1" "$dir/workload" || fail "workload --generate: exit status $?" >&2
	"$decode" workload --strings="$dir/labels" --format=jsonl --json-version="$1" || fail "workload --strings: exit status $?" >&2
	while read -r traces verb; do
		[ -z "${SYNTRACE_TEST_LONG:-}" ] || traces=convoy,deadlock,inversion,herd,server,shop
		IFS=,
		# shellcheck disable=SC2086 # traces
		set -- "$1" $traces
		IFS=$normal_ifs
		version=$1
		shift
		for trace; do
			# shellcheck disable=SC2086 # a verb with its options
			"$decode" $verb --json-version="$version" "$dir/$trace.data" 2>/dev/null
			rv=$?
			[ $rv -le 2 ] || fail "$verb of $trace: exit status $rv" >&2
		done
		set -- "$version"
	done <<END
server events --format=jsonl --limit=300
server edges --format=jsonl
deadlock edges --program --format=jsonl --limit=20
server edges --inferred --format=jsonl --kind=handoff
convoy edges --verify --format=jsonl
server edges --format=jsonl --from 0.0.3 --to 0.0.9
server edges --format=jsonl --from 0.1.0 --reach
convoy tasks --format=jsonl --wall-clock
convoy tasks --format=jsonl --summary
convoy clocks --format=jsonl
server stat --format=jsonl --objects --modules
convoy info --format=jsonl
convoy info --format=jsonl --config
server graph --format=json
shop,deadlock,convoy model --format=jsonl --instances --least=2
server model --expand --format=jsonl
server,deadlock check --format=jsonl
convoy check --expect=$dir/expectations --format=jsonl
server,herd contention --format=jsonl --stacks
server,deadlock waits --format=jsonl --stacks
deadlock,inversion lock-order --format=jsonl --all
herd critical-path --format=jsonl --stacks
server,shop critical-path --format=jsonl --requests --all
shop critical-path --format=jsonl --request=slowest
server requests --format=jsonl --all
server requests --format=jsonl --show=odd
server requests --format=jsonl --all --against=$dir/workload
server workload --format=jsonl
server workload --format=jsonl --automaton
herd requests --format=jsonl --per=main
convoy,shop workload --format=jsonl --against=$dir/workload
server workload --format=jsonl --labels=$dir/labels
convoy sampling --format=jsonl
convoy sampling --format=jsonl --replay=p:0.1,bump
convoy sampling --format=jsonl --tune=bump
convoy sampling --format=jsonl --against=$dir/convoy.data
server why --format=jsonl --request=slowest
server why --format=jsonl 0.1.5
convoy what-if --format=jsonl --speed-up=main=50%
herd,convoy diagnose --format=jsonl
deadlock blocked --format=jsonl
herd diff --format=jsonl $dir/convoy.data
shop baseline --format=jsonl
convoy watch --format=jsonl --slow=1ms --hold=1ms
convoy top --format=jsonl --rounds=1
convoy export --format=jsonl -o $dir/x.folded
convoy report --format=jsonl -o $dir/x.html
END
}
normal_ifs=$IFS

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
grep -rhoE '"[a-z0-9_]+"' "$top_srcdir/decoder" "$top_srcdir/base" --include='*.[ch]' --include='*.def' | sort -u | tr -d '"' >"$dir/strings"
sed -n 's/^| `\([a-z0-9_]*\)` .*/\1/p' "$top_srcdir/doc/json.md" | sort -u | comm -23 - "$dir/strings" | sed 's/$/: not in the source/' >"$dir/stale"
grep -rhoE 'SYT_KEY\("[a-z0-9_]+", *"[a-z0-9_]+"\)' "$top_srcdir/decoder" | sort -u |
	sed 's/.*("\(.*\)", *"\(.*\)")/\1 \2/' | awk '
	NR == FNR { row[NR] = $0; next }
	{
		for (i in row)
			if (index(row[i], "| `" $2 "` ") == 1 && row[i] ~ ("`" $1 "`[^|]*\\|$"))
				next
		print $1 ", " $2 ": not in doc/json.md"
	}' "$top_srcdir/doc/json.md" - >>"$dir/stale"
[ ! -s "$dir/stale" ] || fail "$(cat "$dir/stale")"
finish
